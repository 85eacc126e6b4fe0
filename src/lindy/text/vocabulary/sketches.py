"""Sketches of texts: how many entries of two sketches agree tells how many words and word pairs the texts share."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lindy import _native
from lindy.core.csr import Csr
from lindy.estimators.base import thread_count
from lindy.text.hashing import HashingVectorizer

BINS = 128
_COLUMNS = 2**30
_FACTOR = np.uint64(0x9E3779B97F4A7C15)


def word_sets(texts: Any, n_jobs: int | None = None) -> Csr:
    """Return the words and word pairs of texts as rows of hashed columns, which ascend."""
    vectorizer = HashingVectorizer(
        ngram_range=(1, 2),
        n_features=_COLUMNS,
        binary=True,
        norm=None,
        alternate_sign=False,
        dtype=np.float32,
        token_pattern=r"(?u)\b\w+\b",
        n_jobs=n_jobs,
    )
    return vectorizer.transform_csr(texts)


def sketches(X: Csr, n_jobs: int | None = None) -> NDArray[np.uint32]:
    """Return the MinHash sketch of each row's columns, rows × ``BINS``."""
    made = np.empty((X.shape[0], BINS), np.uint32)
    _native.minhash(X.indptr, X.indices, seed=0, sketches=made, threads=thread_count(n_jobs))
    return made


def band_keys(made: NDArray[np.uint32], band: int) -> NDArray[np.uint64]:
    """Return a number for every band of ``band`` entries (a multiple of 2), rows × bands.

    Equal bands have equal numbers, and others hardly ever.
    """
    halves = np.ascontiguousarray(made).reshape(len(made), -1, band).view(np.uint64)
    keys: NDArray[np.uint64] = halves[:, :, 0].copy()
    for i in range(1, halves.shape[2]):
        keys = keys * _FACTOR + halves[:, :, i]
    return keys
