"""CausalPy's Bayesian synthetic control on a panel: `csv unit time outcome treated start seed`: weights from a flat Dirichlet prior, its
default model, sampler and draws. The effect is the mean after the start, with the 95 % interval of its expectation."""

import sys
import warnings

warnings.simplefilter("ignore")

import causalpy
import numpy as np
import pandas as pd
from phases import Phases

path, unit, time, outcome, treated, start, seed = sys.argv[1:8]
phases = Phases("causalpy", "pymc", "pytensor")
wide = pd.read_csv(path).pivot(index=time, columns=unit, values=outcome)
donors = [u for u in wide.columns if u != treated]
model = causalpy.pymc_models.WeightedSumFitter(sample_kwargs={"random_seed": int(seed), "progressbar": False, "cores": 1})
with phases.measured():
    found = causalpy.SyntheticControl(wide, type(wide.index[0])(int(start)), control_units=donors, treated_units=[treated], model=model)
    effects = found.post_impact.mean("obs_ind").stack(draws=("chain", "draw")).to_numpy().ravel()
gap = found.pre_impact.mean(("chain", "draw")).to_numpy()
low, high = np.quantile(effects, [0.025, 0.975])
phases.print(att=float(effects.mean()), l2=float(np.sqrt((gap**2).sum())), low=float(low), high=float(high))
