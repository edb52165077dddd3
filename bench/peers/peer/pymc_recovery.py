"""PyMC-Marketing on a store of PyMC Labs' generator: what each channel brought by week, and its return. Arguments: a problem as
recovery.py writes it, seed, draws of each of four chains, form.

published: the model that the generator's makers published for it (mmm-param-recovery, build_pymc_model): sigmoid curves whose
heights have priors by the shares of spend, carry-over of Beta(1, 3).
hill: Hill's curves, the family that the generator draws from, and the default priors."""

import json
import os
import pathlib
import sys

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
import pandas as pd
from arviz_stats.base import array_stats
from phases import Phases
from pymc_extras.prior import Prior
from pymc_marketing.mmm import MMM, GeometricAdstock, HillSaturation, HillSaturationSigmoid


def transforms(form, spend):
    """Carry-over and saturation."""
    if form == "hill":
        return GeometricAdstock(l_max=8), HillSaturation()
    heights = len(spend) * spend / spend.sum()
    return (
        GeometricAdstock(l_max=8, priors={"alpha": Prior("Beta", alpha=1, beta=3, dims="channel")}),
        HillSaturationSigmoid(priors={
            "sigma": Prior("InverseGamma", mu=Prior("HalfNormal", sigma=heights, dims="channel"), sigma=Prior("HalfNormal", sigma=1.5),
                           dims=("channel", "geo")),
            "beta": Prior("HalfNormal", sigma=1.5, dims="channel"),
            "lam": Prior("HalfNormal", sigma=1.5, dims="channel"),
        }),
    )


def main():
    spec, seed, draws, form = json.load(open(sys.argv[1])), int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
    frame = pd.read_csv(pathlib.Path(sys.argv[1]).parent / spec["csv"], parse_dates=[spec["date"]]).assign(geo="Local")
    channels, columns = spec["channels"], [spec["date"], "geo", *spec["channels"], *spec["controls"]]
    spend = frame[channels].sum().to_numpy()
    adstock, saturation = transforms(form, spend)
    mmm = MMM(
        date_column=spec["date"], channel_columns=channels, control_columns=spec["controls"], target_column=spec["target"], dims=("geo",),
        scaling={"channel": {"method": "max", "dims": ()}, "target": {"method": "max", "dims": ()}},
        adstock=adstock, saturation=saturation, yearly_seasonality=spec["yearly"],
    )
    phases = Phases("pymc-marketing", "pymc", "nutpie", "numba")
    with phases.measured():
        mmm.fit(frame[columns], frame[spec["target"]], draws=draws, tune=draws, chains=4, cores=2, target_accept=0.9,
                nuts_sampler="nutpie", random_seed=seed, progressbar=False)
    brought = mmm.idata["posterior"]["channel_contribution"].isel(geo=0).transpose("chain", "draw", "date", "channel")
    brought = brought.sel(channel=channels).to_numpy() * float(np.squeeze(mmm.idata["constant_data"]["target_scale"].to_numpy()))
    returns = brought.sum(2) / spend
    low, high = np.quantile(returns, [0.05, 0.95], (0, 1))
    phases.print(
        weekly=dict(zip(channels, brought.mean((0, 1)).T.tolist())),
        returns={c: {"mean": float(returns[..., i].mean()), "q05": float(low[i]), "q95": float(high[i])} for i, c in enumerate(channels)},
        rhat=max(float(array_stats.rhat(returns[..., i], chain_axis=0, draw_axis=1, method="rank")) for i in range(len(channels))),
        divergences=int(mmm.idata["sample_stats"]["diverging"].sum()),
    )


if __name__ == "__main__":
    main()
