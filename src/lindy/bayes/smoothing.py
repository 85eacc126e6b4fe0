"""From counts to log P(w | y): maximum likelihood, Laplace-k, linear interpolation.

Each function takes the counts n_yw of some words (words × classes) and what is known of all words.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lindy.core.csr import Csr
from lindy.core.numerics import log

Array = NDArray[np.float64]


def class_totals(counts: Csr) -> Array:
    """Return Σ_w n_yw, the tokens of each class."""
    total = np.bincount(counts.indices, counts.values, counts.n_columns).astype(np.float64)
    if not np.isfinite(total).all():
        raise ValueError("the counts are too large to be added up; divide X by a constant")
    return total


def laplace(n: Array, total: Array, k: float | Array, k_total: float) -> Array:
    """Log P(w | y) = log (n_yw + k_w) − log (Σ_w' n_yw' + Σ_w' k_w')."""
    whole = total + k_total
    logs = log(n + k)
    logs -= log(np.where(whole > 0, whole, 1.0))
    return logs


def interpolated(n: Array, total: Array, a: float) -> Array:
    """Log P(w | y) = log (a·n_yw / Σ_w' n_yw' + (1 − a)·n_w / Σ_w' n_w')."""
    own = n / np.where(total > 0, total, 1.0)
    overall = n.sum(axis=1, keepdims=True) / max(total.sum(), np.finfo(float).tiny)
    return log(a * own + (1.0 - a) * overall)
