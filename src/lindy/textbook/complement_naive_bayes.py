"""Complement naive Bayes (Rennie et al. 2003): how unlike a document is all other classes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def weights(n_yw: Array, k: float = 1.0, *, normalize: bool = False) -> Array:
    """W_wy = −log P(w | not y), from the counts of all classes but y; n_yw is words × classes."""
    others = n_yw.sum(axis=1, keepdims=True) - n_yw + k
    W: Array = -np.log(others / others.sum(axis=0))
    return W / np.abs(W).sum(axis=0) if normalize else W
