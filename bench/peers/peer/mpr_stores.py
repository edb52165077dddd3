"""Stores of PyMC Labs' generator (mmm-param-recovery, preset small_business), a CSV and a JSON of its truth for each seed:
`checkout published out seeds...`. The generator asks PyMC-Marketing 0.15 for carry-over and saturation, whose functions have
another form today: here they are NumPy's, and the published store, whose seed is 2148, has to come out as it was published."""

import json
import pathlib
import sys
import types

import numpy as np
import pandas as pd

PUBLISHED = 2148


class Evaluated(np.ndarray):
    """What the generator takes for a symbolic value."""

    def eval(self):
        return np.asarray(self)


def geometric_adstock(x, alpha, l_max):
    return np.convolve(x, float(alpha) ** np.arange(l_max))[: len(x)].view(Evaluated)


def hill_function(x, slope, kappa):
    return (x**slope / (kappa**slope + x**slope)).view(Evaluated)


def generator(checkout):
    """The generator's modules, without its package of plots."""
    transformers = types.ModuleType("pymc_marketing.mmm.transformers")
    transformers.geometric_adstock, transformers.hill_function = geometric_adstock, hill_function
    mmm = types.ModuleType("pymc_marketing.mmm")
    mmm.transformers = transformers
    plots = types.ModuleType("mmm_param_recovery.data_generator.visualization")
    plots.__getattr__ = lambda name: None
    sys.modules |= {module.__name__: module for module in (types.ModuleType("pymc_marketing"), mmm, transformers, plots)}
    sys.path.insert(0, checkout)
    from mmm_param_recovery.data_generator import core, presets

    return lambda seed: core.generate_mmm_dataset(presets.get_preset_config("small_business", seed))


checkout, published, out, *seeds = sys.argv[1:]
make, out = generator(checkout), pathlib.Path(out)
known = pd.read_csv(published)
np.testing.assert_allclose(make(PUBLISHED)["data"][known.columns[2:]].to_numpy(), known[known.columns[2:]].to_numpy(), rtol=0, atol=1e-6)
for seed in seeds:
    store = make(int(seed))
    data, truth = store["data"], store["ground_truth"]["transformed_spend"]
    data[[c for c in data.columns if c != "geo" and not c.endswith("_effect")]].to_csv(out / f"{seed}.csv", index=False, float_format="%.6f")
    channels = [c for c in data.columns if c.startswith("x")]
    (out / f"{seed}.json").write_text(json.dumps({c: truth[f"contribution_{c}"].tolist() for c in channels}))
print(json.dumps({"stores": len(seeds)}))
