"""Scores draws of one engine with ArviZ: effective draws of the returns, R-hat, and the returns themselves. The draws are an
.npz of alpha, lam and beta by chain, draw and channel, or the draws.csv of `assay lab mmm fit --out`."""

import json
import sys

import numpy as np
import pandas as pd
from arviz_stats.base import array_stats
from mix import Mix

mix, path = Mix(sys.argv[1]), sys.argv[2]
if path.endswith(".csv"):
    rows = pd.read_csv(path)
    chains = [g for _, g in rows.groupby("chain")]
    draws = {what: np.stack([g[[f"{c}.{what}" for c in mix.spec["channels"]]].to_numpy() for g in chains]) for what in ("alpha", "lam", "beta")}
else:
    draws = dict(np.load(path))
returns = draws.pop("returns", None)  # of an engine whose curves have another form
if returns is None:
    returns = mix.returns(draws["beta"], draws["alpha"], draws["lam"])


def each(function, values, **kwargs):
    return [float(function(values[..., c], chain_axis=0, draw_axis=1, **kwargs)) for c in range(values.shape[-1])]


print(json.dumps({
    "ess": min(each(array_stats.ess, returns, method="bulk")),
    "ess_tail": min(each(array_stats.ess, returns, method="tail", prob=(0.05, 0.95))),
    "ess_parameters": min(e for v in draws.values() for e in each(array_stats.ess, v, method="bulk")),
    "rhat": max(e for v in (*draws.values(), returns) for e in each(array_stats.rhat, v, method="rank")),
    "roas": dict(zip(mix.spec["channels"], returns.mean((0, 1)))),
    "roas_sd": dict(zip(mix.spec["channels"], returns.std((0, 1)))),
}))
