"""Examples of a kernel as sparse rows: a matrix as it is, a text as the row of its characters."""

from __future__ import annotations

from typing import Any

from lindy.core.csr import Csr, as_csr
from lindy.text.analysis.whole_texts import as_sequences


def prepared(X: Any, kind: str) -> Csr:
    """Return the examples of a kernel of ``kind`` ("rows", "texts" or "trees") as rows."""
    if kind == "rows" or isinstance(X, Csr):
        return as_csr(X)
    return as_sequences(X)
