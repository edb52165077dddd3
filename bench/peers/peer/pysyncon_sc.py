"""pysyncon on a panel: `csv unit time outcome treated start`: synthetic control on all outcomes before the test with equal
importance, and its placebo test over all donors."""

import sys

import numpy as np
import pandas as pd
from phases import Phases
from pysyncon import Synth

path, unit, time, outcome, treated, start = sys.argv[1:7]
phases = Phases("pysyncon", "numpy", "scipy")
wide = pd.read_csv(path).pivot(index=time, columns=unit, values=outcome)
before = wide.loc[wide.index < int(start)]
after = wide.loc[wide.index >= int(start)]


def fit(treated, donors):
    model = Synth()
    # Rows are divided by their spread among states inside; importance gives the raw levels back.
    spread = before[[*donors, treated]].std(axis=1).to_numpy()
    model.fit(X0=before[donors], X1=before[treated], Z0=before[donors], Z1=before[treated], custom_V=spread**2)
    gap = wide[treated] - wide[donors] @ model.W
    return gap


def ratio(gap):
    return np.sqrt((gap[after.index] ** 2).mean() / (gap[before.index] ** 2).mean())


with phases.measured():
    donors = [u for u in wide.columns if u != treated]
    gap = fit(treated, donors)
    own = ratio(gap)
    placebos = [ratio(fit(u, [d for d in donors if d != u])) for u in donors]
    p = (1 + sum(r >= own for r in placebos)) / (1 + len(placebos))
phases.print(att=float(gap[after.index].mean()), l2=float(np.sqrt((gap[before.index] ** 2).sum())), p=float(p))
