"""Static embeddings: a text as the weighted mean of its words' vectors.

x = length · m / ‖m‖,   m = Σ_w s(w)·v_w over the words of the text,   s(w) = a / (a + p(w))
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def smooth_inverse_frequency(n: int, a: float = 1e-3) -> Array:
    """Return s of n words, of which the r-th most frequent has Zipf's p = 1 / (r·Σ 1/r)."""
    r = np.arange(1, n + 1)
    p = 1 / (r * (1 / r).sum())
    return np.asarray(a / (a + p))


def mean_vector(words: Sequence[str], vectors: Mapping[str, Array], d: int, *, length: float = 1.0) -> Array:
    """Return x of the words that have a vector, which may be scaled already; 0 if none has."""
    m = sum((vectors[word] for word in words if word in vectors), np.zeros(d))
    norm = np.sqrt(m @ m)
    return np.asarray(length * m / norm if norm > 0 else m)


def right_singular_vectors(X: Array, k: int) -> tuple[Array, Array]:
    """Return the k foremost right singular vectors of X as columns, each with its largest entry above 0, and values."""
    _, values, rows = np.linalg.svd(X, full_matrices=False)
    V = rows[:k].T
    signs = np.sign(V[np.abs(V).argmax(axis=0), np.arange(k)])
    return np.asarray(V * signs), np.asarray(values[:k])
