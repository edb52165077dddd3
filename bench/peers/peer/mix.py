"""The national model that all engines fit, read from a JSON file that mixes.py writes: the data scaled by their maxima, and
the priors. Adstock is geometric over eight weeks with weights that sum to one, saturation is logistic."""

import json
import pathlib
import sys

import numpy as np
import pandas as pd

LAGS = 8


class Mix:
    def __init__(self, path):
        self.spec = json.load(open(path))
        self.frame = pd.read_csv(pathlib.Path(path).parent / self.spec["csv"], parse_dates=[self.spec["date"]])
        self.media = self.frame[self.spec["channels"]].to_numpy(float)
        self.y = self.frame[self.spec["target"]].to_numpy(float)
        self.controls = self.frame[self.spec["controls"]].to_numpy(float)
        day = self.frame[self.spec["date"]].dt.dayofyear.to_numpy()
        orders = np.arange(1, self.spec["yearly"] + 1)
        angle = 2 * np.pi * day[:, None] * orders / 365.25
        self.fourier = np.concatenate([np.sin(angle), np.cos(angle)], 1)
        scaled = self.media / self.media.max(0)
        self.lagged = np.stack([np.concatenate([np.zeros((k, scaled.shape[1])), scaled[: len(scaled) - k]]) for k in range(LAGS)], -1)

    def returns(self, beta, alpha, lam):
        """ROAS of each draw and channel: all weeks' contribution by all weeks' spend. Arguments: chain, draw, channel."""
        w = alpha[..., None] ** np.arange(LAGS)
        w /= w.sum(-1, keepdims=True)
        out = np.empty_like(beta)
        for c in range(beta.shape[-1]):
            a = lam[..., c, None] * (w[..., c, :] @ self.lagged[:, c, :].T)
            out[..., c] = beta[..., c] * np.tanh(a / 2).sum(-1) * self.y.max() / self.media[:, c].sum()
        return out


def arguments():
    """problem, seed, draws (of each of four chains, after as many of warm-up), where the draws go."""
    return Mix(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
