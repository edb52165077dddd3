"""mlsynth's port of GeoLift's market selection on the walkthrough's panel before the test: `csv seed`: which tests are proposed, with the
least lift that each would find, what it costs and its rank. One size at a time, ranked together, as its own replication of GeoLift does."""

import sys
import warnings

warnings.simplefilter("ignore")

import pandas as pd
from phases import Phases

from mlsynth import GEOLIFT

phases = Phases("mlsynth", "cvxpy", "numpy")
panel = pd.read_csv(sys.argv[1])


def scan(size):
    return GEOLIFT({
        "df": panel, "outcome": "Y", "unitid": "location", "time": "date", "treatment_size": size, "to_be_treated": ["chicago"],
        "not_to_be_treated": ["honolulu"], "durations": [10, 15], "effect_sizes": [0, 0.05, 0.1, 0.15, 0.2], "lookback_window": 1,
        "how": "sum", "augment": "ridge", "fixed_effects": True, "alpha": 0.1, "power_threshold": 0.8, "cpic": 7.5, "budget": 1e5,
        "ns": 1000, "seed": int(sys.argv[2]), "conformal_type": "iid", "display_graphs": False, "n_jobs": 1,
    }).fit().power


with phases.measured():
    tests = pd.concat([scan(size) for size in (2, 3, 4, 5)], ignore_index=True)
phases.print(candidates=[{"units": sorted(map(str, t["candidate"])), "duration": int(t["duration"]), "investment": float(t["investment"]),
                          "mde": None if pd.isna(t["mde"]) else float(t["mde"])} for _, t in tests.iterrows()])
