"""What patterns and lexicons share: rows of counts, and what counts become."""

from __future__ import annotations

from collections.abc import Iterable
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lindy.csr import Csr
from lindy.text.parameters import NONE, Rule, one_of

VALUES = ("log", "counts", "presence")
LENGTH = 0.25
"""How long a row is unless asked otherwise: beside a tf-idf row, whose length is 1, longer ones drown the words."""

RULES: dict[str, list[Rule]] = {
    "values": [one_of(*VALUES)],
    "length": [
        ("a number above 0", lambda value: isinstance(value, Real) and 0 < float(value) < np.inf),
        NONE,
    ],
}


def from_counts(counts: Iterable[NDArray[Any]], n_columns: int, values: str, length: float | None) -> Csr:
    """Return rows of ln(1 + n), n or [n > 0], out of counts n that come in pieces (texts × columns).

    With a length, every row that is not empty is scaled to it.
    """
    n = np.concatenate([np.zeros((0, n_columns), np.float32), *counts]).astype(np.float32, copy=False)
    if values == "log":
        n = np.log1p(n)
    elif values == "presence":
        n = (n > 0).astype(np.float32)
    if length is not None:
        norm = np.sqrt(np.square(n, dtype=np.float64).sum(axis=1, keepdims=True))
        n = (n * (length / np.maximum(norm, np.finfo(np.float32).tiny))).astype(np.float32)
    stored = n != 0
    indptr = np.zeros(len(n) + 1, np.int64)
    np.cumsum(stored.sum(axis=1), out=indptr[1:])
    return Csr(indptr, np.nonzero(stored)[1].astype(np.int32), n[stored], n_columns, checked=True)
