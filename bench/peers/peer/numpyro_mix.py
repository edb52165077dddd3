"""The national model as plain NumPyro: four chains on as many host devices. It is sampled twice: the second run, for which all
is compiled, is the work, and is taken off what the process needed."""

import os
import time

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=4"

import jax
import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist
from mix import LAGS, arguments
from numpyro.infer import MCMC, NUTS
from phases import Phases

numpyro.set_host_device_count(4)
mix, seed, draws, out = arguments()
spec = mix.spec
lagged, controls, fourier = jnp.array(mix.lagged), jnp.array(mix.controls), jnp.array(mix.fourier)
y = jnp.array(mix.y / mix.y.max())
beta_sigma = jnp.array(spec["beta_sigma"])
k = len(spec["channels"])


def model():
    intercept = numpyro.sample("intercept", dist.Normal(*spec["intercept"]))
    alpha = numpyro.sample("alpha", dist.Beta(1.0, 3.0).expand([k]).to_event(1))
    lam = numpyro.sample("lam", dist.Gamma(3.0, 1.0).expand([k]).to_event(1))
    beta = numpyro.sample("beta", dist.HalfNormal(beta_sigma).to_event(1))
    control = numpyro.sample("control", dist.Normal(0, spec["control_sigma"]).expand([controls.shape[1]]).to_event(1))
    season = numpyro.sample("season", dist.Laplace(0, spec["season_scale"]).expand([fourier.shape[1]]).to_event(1))
    sigma = numpyro.sample("sigma", dist.HalfNormal(spec["sigma"]))
    w = alpha[:, None] ** jnp.arange(LAGS)
    w = w / w.sum(1, keepdims=True)
    media = jnp.tanh(lam * jnp.einsum("tck,ck->tc", lagged, w) / 2) @ beta
    numpyro.sample("y", dist.Normal(intercept + media + controls @ control + fourier @ season, sigma), obs=y)


phases = Phases("numpyro", "jax", "jaxlib")
mcmc = MCMC(NUTS(model), num_warmup=draws, num_samples=draws, num_chains=4, chain_method="parallel", progress_bar=False)
mcmc.run(jax.random.PRNGKey(1000 + seed))
jax.block_until_ready(mcmc.get_samples())
with phases.measured():
    mcmc.run(jax.random.PRNGKey(seed), extra_fields=())
    jax.block_until_ready(mcmc.get_samples())
samples = mcmc.get_samples(group_by_chain=True)
np.savez(out, **{name: np.asarray(samples[name], float) for name in ("alpha", "lam", "beta")})
# One of the two runs is not part of what a user waits for: take the second one off the totals.
phases.print(subtract=phases.work)
