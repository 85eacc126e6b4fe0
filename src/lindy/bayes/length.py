"""Distributions of a document's length L = Σ_w n_w(x), one for each class (LxMLS, footnote 2).

    uniform      P(L | y) is the same for all lengths and classes: it changes nothing
    poisson      P(L | y) = μ_y^L·e^{−μ_y} / L!                  log: L·log μ_y − μ_y
    geometric    P(L | y) = (μ_y/(1+μ_y))^L / (1+μ_y)            log: L·log (μ_y/(1+μ_y)) − log (1+μ_y)

up to what is the same for all classes. Both are linear in L: the slope joins the weight of every word, the rest the
bias, and with Poisson's lengths each word has a Poisson distribution of its own, with the mean μ_y·P(w | y). μ_y is the
mean length of the class's documents and of one more, which is as long as the mean of all.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lindy.core.numerics import log, log1p

Array = NDArray[np.float64]

LENGTHS = ("uniform", "poisson", "geometric")


def length_terms(length: str, tokens: Array, documents: Array) -> tuple[Array, Array]:
    """Return the slope and the constant of log P(L | y) for each class, from its tokens and documents."""
    overall = tokens.sum() / documents.sum()
    if length == "uniform" or not overall > 0:
        return np.zeros_like(tokens), np.zeros_like(tokens)
    mean = (tokens + overall) / (documents + 1)
    if length == "poisson":
        return log(mean), -mean
    return log(mean) - log1p(mean), -log1p(mean)
