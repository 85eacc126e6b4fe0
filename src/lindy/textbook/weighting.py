"""Weights of counted words in a document × word table X: tf-idf, the norms, BM25, log-count ratios.

n documents, df of them hold a word, tf is its count in one document.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def document_frequency(X: Array) -> Array:
    """df_w: in how many documents the word occurs."""
    df: Array = (X != 0).sum(axis=0).astype(float)
    return df


def idf(X: Array, smooth: bool = True) -> Array:
    """1 + log((1 + n) / (1 + df)), or 1 + log(n / df) without smoothing (0 where df is 0)."""
    n, df = len(X), document_frequency(X)
    if smooth:
        return 1 + np.log((1 + n) / (1 + df))
    return np.where(df > 0, 1 + np.log(n / np.maximum(df, 1)), 0.0)


def sublinear(X: Array) -> Array:
    """1 + log tf for words that occur."""
    return np.where(X > 0, 1 + np.log(np.where(X > 0, X, 1.0)), 0.0)


def normalised(X: Array, norm: str | None) -> Array:
    """Every row divided by Σ|x|, √Σx² or max|x|; rows of zeros stay."""
    if norm is None:
        return X
    length = {
        "l1": np.abs(X).sum(axis=1),
        "l2": np.sqrt((X**2).sum(axis=1)),
        "max": np.abs(X).max(axis=1),
    }[norm]
    return X / np.where(length > 0, length, 1.0)[:, None]


def bm25(
    X: Array,
    *,
    df: Array,
    n: int,
    average: float,
    k1: float = 1.2,
    b: float = 0.75,
    idf: str | None = "lucene",
) -> Array:
    """Weights idf · (k1 + 1)·tf / (tf + k1·(1 − b + b·|x| / average)) with |x| = Σ tf."""
    odds = (n - df + 0.5) / (df + 0.5)
    weight = {
        "lucene": np.log(1 + odds),
        "robertson": np.log(odds),
        "smooth": 1 + np.log((1 + n) / (1 + df)),
        None: np.ones_like(df),
    }[idf]
    saturation = k1 * (1 - b + b * X.sum(axis=1, keepdims=True) / average)
    return weight * np.where(X > 0, (k1 + 1) * X / np.where(X > 0, X + saturation, 1.0), 0.0)


def log_count_ratio(X: Array, y: NDArray[np.int_], K: int, alpha: float) -> Array:
    """Ratios r = log(p / ‖p‖₁) − log(q / ‖q‖₁), words × classes; p counts in the class, q outside."""
    B = (X != 0).astype(float)
    p = np.stack([alpha + B[y == k].sum(axis=0) for k in range(K)], axis=1)
    q = np.stack([alpha + B[y != k].sum(axis=0) for k in range(K)], axis=1)
    r: Array = np.log(p / p.sum(axis=0)) - np.log(q / q.sum(axis=0))
    return r


def without_columns(X: Array, kept: NDArray[np.bool_], ends: list[int]) -> Array:
    """Rows as if only some columns existed; in each part, up to its end, what is left of a row has length 1."""
    left = np.where(kept, X, 0.0)
    for begin, end in zip([0, *ends], ends, strict=False):
        length = np.sqrt((left[:, begin:end] ** 2).sum(axis=1, keepdims=True))
        left[:, begin:end] /= np.where(length > 0, length, 1.0)
    return left
