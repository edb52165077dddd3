"""PyMC-Marketing's model with its own default priors, fitted to all periods but the last and judged by those. Arguments: a problem
as holdouts.py writes it, seed, draws of each of four chains."""

import json
import os
import pathlib
import sys

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
import pandas as pd
from phases import Phases
from pymc_marketing.mmm import MMM, GeometricAdstock, LogisticSaturation


def crps(draws, y):
    """E|X - y| - E|X - X'| / 2 of each column (Gneiting and Raftery 2007)."""
    draws = np.sort(draws, 0)
    n = len(draws)
    weights = 2 * np.arange(1, n + 1) - n - 1
    return np.abs(draws - y).mean(0) - (weights[:, None] * draws).sum(0) / n**2


def main():
    spec, seed, draws = json.load(open(sys.argv[1])), int(sys.argv[2]), int(sys.argv[3])
    frame = pd.read_csv(pathlib.Path(sys.argv[1]).parent / spec["csv"], parse_dates=[spec["date"]])
    days = sorted(frame[spec["date"]].unique())
    known = frame[spec["date"]].isin(days[: -spec["held"]])
    columns = [spec["date"], *spec["dims"], *spec["channels"], *spec["controls"]]
    mmm = MMM(
        date_column=spec["date"], channel_columns=spec["channels"], control_columns=spec["controls"] or None, target_column=spec["target"],
        dims=tuple(spec["dims"]), adstock=GeometricAdstock(l_max=8), saturation=LogisticSaturation(), yearly_seasonality=spec["yearly"],
    )
    phases = Phases("pymc-marketing", "pymc", "nutpie", "numba")
    with phases.measured():
        mmm.fit(frame.loc[known, columns], frame.loc[known, spec["target"]], draws=draws, tune=draws, chains=4, cores=2, target_accept=0.9,
                nuts_sampler="nutpie", random_seed=seed, progressbar=False)
    held = frame.loc[~known].sort_values([spec["date"], *spec["dims"]])
    predicted = mmm.sample_posterior_predictive(held[columns], include_last_observations=True, extend_idata=False, combined=True,
                                                random_seed=seed, progressbar=False)
    # Predictions are of the target divided by its largest value.
    scaled = predicted["y"] * mmm.idata.constant_data["target_scale"]
    values = scaled.transpose("sample", "date", *spec["dims"]).to_numpy()[:, -spec["held"]:]
    values = values.reshape(len(values), -1)
    y = held[spec["target"]].to_numpy(float)
    sample = mmm.idata["sample_stats"]
    phases.print(
        mape=float(np.mean(np.abs(values.mean(0) - y) / np.abs(y))), crps=float(crps(values, y).sum() / np.abs(y).sum()),
        inside=int(((np.quantile(values, 0.05, 0) < y) & (y < np.quantile(values, 0.95, 0))).sum()), of=len(y), divergences=int(sample["diverging"].sum()),
    )


if __name__ == "__main__":
    main()
