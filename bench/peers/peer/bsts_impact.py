"""bsts-causalimpact, the port of R's CausalImpact with its sampler in Rust, on a CSV: `csv columns after seed`: the average effect of the
last periods with its 95 % interval. The first column is the outcome."""

import sys

import pandas as pd
from phases import Phases

path, columns, after, seed = sys.argv[1], sys.argv[2].split(","), int(sys.argv[3]), int(sys.argv[4])
from causal_impact import CausalImpact

phases = Phases("bsts-causalimpact", "numpy")
data = pd.read_csv(path)[columns]
n = len(data)
with phases.measured():
    found = CausalImpact(data, [0, n - after - 1], [n - after, n - 1], model_args={"seed": seed})._results
phases.print(effect=found.point_effect_mean, low=found.ci_lower, high=found.ci_upper, p=found.p_value)
