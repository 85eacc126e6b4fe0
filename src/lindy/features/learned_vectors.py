"""Vectors of words, learned from texts without labels: latent semantic analysis.

    X ≈ U·S·Vᵀ,    v_w = idf_w·V_w

X is the tf-idf matrix of the texts, V its best d right singular vectors. The mean of a text's word vectors is then its
row, without sublinear counts, projected on V (Deerwester et al. 1990). V is found by iteration on a subspace that
begins with random numbers (Halko, Martinsson and Tropp 2011): Y ← XᵀXY, made orthonormal, a few times.
"""

from __future__ import annotations

import json
import os
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lindy.core import numerics
from lindy.core.csr import Csr
from lindy.errors import DataError
from lindy.estimators.base import thread_count
from lindy.features.vector_files import TokenVectors
from lindy.files.atomic import atomic_write
from lindy.text import TfidfVectorizer

Array = NDArray[np.float64]

MORE = 16
"""Columns beside those that are wanted, which make these more accurate."""
ROUNDS = 6
"""Of the iteration."""
MOST_WORDS = 50_000
"""The most frequent words have a vector."""


def learn_vectors(
    texts: Any, dimensions: int = 256, *, min_df: int = 2, seed: int = 0, n_jobs: int | None = None
) -> TokenVectors:
    """Return a vector for every frequent word of some texts, the same for the same texts and seed.

    Parameters
    ----------
    texts : list or column of str
    dimensions : int
        Numbers per vector; fewer where there are not so many words or texts.
    min_df : int
        In so many texts a word must be.
    """
    vectorizer = TfidfVectorizer(
        analyzer="unicode_words",
        punctuation=True,
        sublinear_tf=True,
        min_df=min_df,
        max_features=MOST_WORDS,
        n_jobs=n_jobs,
    )
    try:
        X = vectorizer.fit_csr(texts)
    except ValueError as error:
        raise DataError(
            f"no word is in {min_df} of the texts: {error}", "Give more texts, or min_df=1 (--min-df 1)."
        ) from None
    V, _ = right_singular_vectors(X, dimensions, seed=seed, n_jobs=n_jobs)
    vectors = (np.asarray(vectorizer.idf_)[:, None] * V).astype(np.float32)
    return TokenVectors(vectors, vectorizer.get_feature_names_out().tolist())


def right_singular_vectors(
    X: Csr, k: int, *, seed: int = 0, n_jobs: int | None = None
) -> tuple[Array, Array]:
    """Return the k foremost right singular vectors of X as columns, and the singular values."""
    threads = thread_count(n_jobs)
    k = min(k, *X.shape)
    width = min(k + MORE, *X.shape)
    Y: Array = np.random.default_rng(seed).random((X.n_columns, width)) - 0.5
    for _ in range(ROUNDS):
        Q = orthonormal(Y, threads)
        Y = X.gradient(X.dot(Q, np.zeros(Q.shape[1]), threads), threads)
    Q = orthonormal(Y, threads)
    squares, rotation = numerics.eigh(numerics.gram(X.dot(Q, np.zeros(Q.shape[1]), threads), threads))
    best = np.argsort(-squares, kind="stable")[:k]
    V = numerics.matmul(Q, np.ascontiguousarray(rotation[:, best]), threads)
    largest = V[np.abs(V).argmax(axis=0), np.arange(V.shape[1])]
    return V * np.where(largest < 0, -1.0, 1.0), np.sqrt(np.maximum(squares[best], 0.0))


def orthonormal(Y: Array, threads: int = 1) -> Array:
    """Return orthonormal columns that span those of Y: Y·E·Λ^(−½) with YᵀY = EΛEᵀ, twice for the digits."""
    for _ in range(2):
        values, vectors = numerics.eigh(numerics.gram(Y, threads))
        kept = values > 1e-12 * values.max(initial=0.0)
        Y = numerics.matmul(Y, np.ascontiguousarray(vectors[:, kept] / np.sqrt(values[kept])), threads)
    return Y


def write_vectors(path: str | os.PathLike[str], vectors: TokenVectors) -> None:
    """Write vectors as a safetensors file, with the words, one per line, as an array of bytes."""
    matrix = np.ascontiguousarray(vectors.matrix)
    words = "\n".join(vectors.words or []).encode("utf-8", "replace")
    header = {
        "vectors": {"dtype": "F32", "shape": list(matrix.shape), "data_offsets": [0, matrix.nbytes]},
        "words": {
            "dtype": "U8",
            "shape": [len(words)],
            "data_offsets": [matrix.nbytes, matrix.nbytes + len(words)],
        },
    }
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with atomic_write(path) as file:
        file.write(len(text).to_bytes(8, "little") + text)
        file.write(matrix.astype("<f4", copy=False).tobytes())
        file.write(words)
