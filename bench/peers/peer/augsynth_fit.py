"""augsynth-py on a panel: `csv unit time outcome treated start kind seed`. kind: sc (raw levels, placebo in space), geolift (unit
effects, conformal p with 1,000 random permutations), ridge (the same, augmented), power (GeoLift's grid for one set)."""

import sys
import warnings

import numpy as np
import polars as pl
from augsynth_py import AugSynth, Synth
from augsynth_py.inference import conformal_pvalue
from augsynth_py.power import simulate_power
from augsynth_py.robustness import placebo_in_space
from phases import Phases

path, unit, time, outcome, treated, start, kind, seed = sys.argv[1:9]
warnings.simplefilter("ignore")
phases = Phases("augsynth-py", "cvxpy", "numpy")
panel = pl.read_csv(path)
treated = treated.split(",")
columns = {"unit": unit, "time": time, "outcome": outcome}
with phases.measured():
    if kind == "power":
        results = simulate_power(panel, estimator=Synth(), **columns, treated=treated, durations=[10, 15],
                                 effect_sizes=(0, .05, .1, .15, .2), permutation_type="iid", rng=np.random.default_rng(int(seed)))
        answer = {f"mde{d}": results.mde(duration=d) for d in (10, 15)}
    else:
        model = {"sc": Synth(fixedeff=False), "geolift": Synth(), "ridge": AugSynth()}[kind]
        start = type(panel[time][0])(start)
        model.fit(panel, **columns, treated=treated[0] if len(treated) == 1 else treated, treatment_time=start)
        if kind == "sc":
            placebo = placebo_in_space(model)
            answer = {"p": placebo.pvalue}
        else:
            answer = {"p": conformal_pvalue(model, permutation_type="iid", ns=1000, rng=np.random.default_rng(int(seed)))}
        answer |= {"att": model.att_, "l2": model.l2_imbalance_}
phases.print(**answer)
