"""synthdid-py, the port of the R package, on a panel: `csv seed`: the estimate and the placebo standard error of 200 draws.
The columns are unit, time, outcome, treated."""

import sys

import pandas as pd
from phases import Phases
from synthdid import panel_matrices, synthdid_estimate
from synthdid.vcov import synthdid_se

phases = Phases("synthdid-py", "numpy")
panel = panel_matrices(pd.read_csv(sys.argv[1]))
with phases.measured():
    estimate = synthdid_estimate(panel.Y, panel.N0, panel.T0)
    se = synthdid_se(estimate, method="placebo", replications=200, random_state=int(sys.argv[2]))
phases.print(att=float(estimate), se=se)
