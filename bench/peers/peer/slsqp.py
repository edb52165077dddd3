"""scipy's SLSQP on budgets that Assay divided (JSON lines on standard input), as PyMC-Marketing calls it: from an equal
split, with gradients, the sum as an equality, ftol 1e-9 and at most 1,000 steps. `starts`: also from that many random
splits, the best of all. Responses are valued on the exact curves, for both sides."""

import json
import sys
import time

import numpy as np
from phases import Phases
from scipy.optimize import minimize

starts = int(sys.argv[1])
phases = Phases("scipy", "numpy")
random = np.random.default_rng(1)


def solve(p):
    k = len(p["channels"])
    curve = {what: np.array([[c[what] for c in ch["curves"]] for ch in p["channels"]]) for what in ("magnitude", "half", "slope")}
    low, high = (np.array([c[what] for c in p["channels"]]) for what in ("min", "max"))
    budget, unit = p["budget"], p["budget"] / k

    def value(x):  # mean over draws of the sum over channels, and its derivative; x in money
        x = np.maximum(x, 1e-12)[:, None]
        q = (x / curve["half"]) ** curve["slope"]
        at = curve["magnitude"] * q / (1 + q)
        slope = curve["magnitude"] * curve["slope"] * q / (x * (1 + q) ** 2)
        return at.mean(1).sum(), slope.mean(1)

    # Scaled by the value of the equal split, without which the tolerance means nothing.
    scale = value(np.full(k, unit))[0]

    def objective(z):
        v, g = value(z * unit)
        return -v / scale, -g * unit / scale

    def run(first):
        began = time.process_time()
        r = minimize(objective, first, jac=True, method="SLSQP", bounds=list(zip(low / unit, high / unit)),
                     constraints={"type": "eq", "fun": lambda z: z.sum() - k, "jac": lambda z: np.ones(k)},
                     options={"ftol": 1e-9, "maxiter": 1000})
        z = np.clip(r.x, low / unit, high / unit)
        return value(z * unit * budget / (z * unit).sum())[0], time.process_time() - began, r.success

    equal = np.clip(np.ones(k), low / unit, high / unit)
    one, took, success = run(equal)
    best = one
    for _ in range(starts):
        best = max(best, run(np.clip(random.dirichlet(np.ones(k)) * k, low / unit, high / unit))[0])
    ours = value(np.array([c["proposed"] for c in p["channels"]]))[0]
    return {"ours": ours, "slsqp": one, "best": best, "cpu": took, "success": success}


problems = [json.loads(line) for line in sys.stdin]
with phases.measured():
    rows = [solve(p) for p in problems]
phases.print(rows=rows)
