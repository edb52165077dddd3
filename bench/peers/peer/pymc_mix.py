"""The national model in PyMC-Marketing, sampled by nutpie with its own settings, as the model's fit does it: only free
variables, on a model with frozen data. Compilation is not part of the work."""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")

import nutpie
import numpy as np
from mix import LAGS, arguments
from phases import Phases
from pymc.model.transform.optimization import freeze_dims_and_data
from pymc_extras.prior import Prior
from pymc_marketing.mmm import MMM, GeometricAdstock, LogisticSaturation


def built(mix):
    """The model of PyMC-Marketing."""
    spec = mix.spec
    mmm = MMM(
        date_column=spec["date"], channel_columns=spec["channels"], control_columns=spec["controls"], target_column=spec["target"],
        adstock=GeometricAdstock(l_max=LAGS, normalize=True, priors={"alpha": Prior("Beta", alpha=1, beta=3, dims="channel")}),
        saturation=LogisticSaturation(priors={
            "lam": Prior("Gamma", alpha=3, beta=1, dims="channel"),
            "beta": Prior("HalfNormal", sigma=np.array(spec["beta_sigma"]), dims="channel"),
        }),
        yearly_seasonality=spec["yearly"],
        model_config={
            "intercept": Prior("Normal", mu=spec["intercept"][0], sigma=spec["intercept"][1]),
            "gamma_control": Prior("Normal", mu=0, sigma=spec["control_sigma"], dims="control"),
            "gamma_fourier": Prior("Laplace", mu=0, b=spec["season_scale"], dims="fourier_mode"),
            "likelihood": Prior("Normal", sigma=Prior("HalfNormal", sigma=spec["sigma"]), dims="date"),
        },
    )
    mmm.build_model(mix.frame.drop(columns=spec["target"]), mix.frame[spec["target"]])
    return mmm.model


def main():
    mix, seed, draws, out = arguments()
    model = freeze_dims_and_data(built(mix))
    compiled = nutpie.compile_pymc_model(model, var_names=[v.name for v in model.free_RVs])
    phases = Phases("pymc-marketing", "pymc", "nutpie", "numba")
    with phases.measured():
        trace = nutpie.sample(compiled, draws=draws, tune=draws, chains=4, seed=seed, progress_bar=False, save_warmup=False)
    posterior = trace["posterior"]
    np.savez(out, **{short: posterior[name].to_numpy() for short, name in
                     (("alpha", "adstock_alpha"), ("lam", "saturation_lam"), ("beta", "saturation_beta"))})
    phases.print(divergences=int(trace["sample_stats"]["diverging"].sum()))


if __name__ == "__main__":
    main()
