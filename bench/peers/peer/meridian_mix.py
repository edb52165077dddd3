"""The national model as near as Meridian's programming interface allows, on its default backend: geometric carry-over over the
same weeks with the same prior, effects of media by coefficients with the same half-normal priors, one noise for all weeks, an
intercept. Meridian has Hill curves instead of logistic ones (slope 1; the prior of the half saturation has the mean and the
deviation, on the log scale, of the half saturation that the other sides' prior implies), centres controls, and takes the season
as controls with normal priors of the Laplace prior's deviation. Four chains, as many draws of adaptation as are kept."""

import math
import os
import warnings

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
warnings.simplefilter("ignore")

import numpy as np
from meridian import backend
from meridian.data import data_frame_input_data_builder as builder
from meridian.model import model, prior_distribution, spec
from mix import LAGS, arguments
from phases import Phases

tfd = backend.tfd
mix, seed, draws, out = arguments()
problem, channels = mix.spec, mix.spec["channels"]
scale = mix.y.max() / mix.y.std()  # from shares of the largest week, in which priors are told, to Meridian's deviations
frame = mix.frame.rename(columns={problem["date"]: "time"}).assign(time=lambda f: f["time"].dt.strftime("%Y-%m-%d"))
seasons = [f"season{i}" for i in range(mix.fourier.shape[1])]
frame[seasons] = mix.fourier
controls = problem["controls"] + seasons
spreads = frame[controls].to_numpy(float).std(0)
sigmas = np.array([problem["control_sigma"]] * len(problem["controls"]) + [problem["season_scale"] * math.sqrt(2)] * len(seasons))

data = builder.DataFrameInputDataBuilder(kpi_type="revenue", default_kpi_column=problem["target"])
data = data.with_kpi(frame).with_controls(frame, control_cols=controls)
data = data.with_media(frame, media_cols=channels, media_spend_cols=channels, media_channels=channels).build()

# log of a logistic curve's half saturation, ln 3 / lam with lam ~ Gamma(3, 1), of spend as a share of its largest week; Meridian's is a
# share of the median week that has any.
top_by_median = np.array([mix.media[:, c].max() / np.median(mix.media[mix.media[:, c] > 0, c]) for c in range(len(channels))])
digamma, trigamma = 1.5 - np.euler_gamma, math.pi**2 / 6 - 1.25
one = np.float64
prior = prior_distribution.PriorDistribution(
    knot_values=tfd.Normal(one((problem["intercept"][0] * mix.y.max() - mix.y.mean()) / mix.y.std()), one(problem["intercept"][1] * scale)),
    alpha_m=tfd.Beta(one(1), one(3)),
    beta_m=tfd.HalfNormal(np.array(problem["beta_sigma"]) * scale),
    ec_m=tfd.LogNormal(math.log(math.log(3)) - digamma + np.log(top_by_median), one(math.sqrt(trigamma))),
    gamma_c=tfd.Normal(np.zeros(len(controls)), sigmas * spreads * scale),
    sigma=tfd.HalfNormal(one(problem["sigma"] * scale)),
)
phases = Phases("google-meridian", "jax", "jaxlib", "tfp-nightly")
fit = model.Meridian(data, model_spec=spec.ModelSpec(prior=prior, media_prior_type="coefficient", max_lag=LAGS - 1, knots=1))
with phases.measured():
    fit.sample_posterior(n_chains=4, n_adapt=draws, n_burnin=0, n_keep=draws, seed=seed)
posterior = fit.inference_data.posterior
alpha, half, beta = (posterior[name].to_numpy().astype(float) for name in ("alpha_m", "ec_m", "beta_m"))


def returns():
    """By chain, draw and channel, from Meridian's own curves."""
    w = alpha[..., None] ** np.arange(LAGS)
    w /= w.sum(-1, keepdims=True)
    roas = np.empty_like(beta)
    for c in range(len(channels)):
        a = w[..., c, :] @ mix.lagged[:, c, :].T * top_by_median[c]
        roas[..., c] = beta[..., c] * (a / (a + half[..., c, None])).sum(-1) * mix.y.std() / mix.media[:, c].sum()
    return roas


np.savez(out, alpha=alpha, half=half, beta=beta, returns=returns())
phases.print()
