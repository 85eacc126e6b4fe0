"""Examples of a kernel as sparse rows: a matrix as it is, a text as the row of its characters.

A sequence is a row whose stored values, in their order, are its symbols: code points plus one (so that none is zero).
Whatever is done with rows (choosing some, keeping support vectors, saving a model) is then done with texts as well.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lindy.csr import Csr, as_csr

WIDTH = np.iinfo(np.int32).max
"""Columns of a matrix of sequences: no sequence is longer."""


def prepared(X: Any, kind: str) -> Csr:
    """Return the examples of a kernel of ``kind`` ("rows", "texts" or "trees") as rows."""
    if kind == "rows" or isinstance(X, Csr):
        return as_csr(X)
    return as_sequences(X)


def as_sequences(texts: Any) -> Csr:
    """Return texts as the rows of their characters."""
    if isinstance(texts, str):
        raise ValueError("expected a list of texts, got a single str: put it in a list")
    plain = texts.to_pylist() if hasattr(texts, "to_pylist") else list(texts)
    for number, text in enumerate(plain):
        if not isinstance(text, str):
            raise TypeError(f"text {number} is a {type(text).__name__}, not a str: {str(text)[:40]!r}")
    encoded = [text.encode("utf-32-le", "surrogatepass") for text in plain]
    lengths = np.array([len(one) // 4 for one in encoded], np.int64)
    indptr = np.zeros(len(plain) + 1, np.int64)
    np.cumsum(lengths, out=indptr[1:])
    symbols = np.frombuffer(b"".join(encoded), "<u4").astype(np.float32) + 1  # below 2²⁴: exact
    indices = np.arange(indptr[-1], dtype=np.int64) - np.repeat(indptr[:-1], lengths)
    return Csr(indptr, indices.astype(np.int32), symbols.astype(np.float32), WIDTH)


def text_of(sequences: Csr, row: int) -> str:
    """Return the text of a row that ``as_sequences`` made."""
    symbols = sequences.values[sequences.indptr[row] : sequences.indptr[row + 1]]
    return (symbols - 1).astype("<u4").tobytes().decode("utf-32-le", "surrogatepass")
