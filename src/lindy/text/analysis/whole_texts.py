"""Texts as rows of their characters, for kernels that compare sequences.

A sequence is a row whose stored values, in their order, are its symbols: code points plus one (so that none is zero).
Whatever is done with rows (choosing some, keeping support vectors, saving a model) is then done with texts as well.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from lindy.core.csr import Csr
from lindy.text.analysis.documents import refuse_other_than_documents
from lindy.text.vectorizer import Columns, State, Vectorizer

WIDTH = int(np.iinfo(np.int32).max)
"""Columns of a matrix of sequences: no sequence is longer."""


def as_sequences(texts: Any) -> Csr:
    """Return texts as the rows of their characters."""
    refuse_other_than_documents(texts)
    plain = texts.to_pylist() if hasattr(texts, "to_pylist") else list(texts)
    for number, text in enumerate(plain):
        if not isinstance(text, str):
            raise TypeError(f"text {number} is a {type(text).__name__}, not a str: {str(text)[:40]!r}")
    encoded = [text.encode("utf-32-le", "surrogatepass") for text in plain]
    lengths = np.array([len(one) // 4 for one in encoded], np.int64)
    indptr = np.zeros(len(plain) + 1, np.int64)
    np.cumsum(lengths, out=indptr[1:])
    symbols = np.frombuffer(b"".join(encoded), "<u4").astype(np.float32) + np.float32(1)  # below 2²⁴: exact
    indices = np.arange(indptr[-1], dtype=np.int64) - np.repeat(indptr[:-1], lengths)
    return Csr(indptr, indices.astype(np.int32), symbols, WIDTH)


def check_sequences(sequences: Csr) -> None:
    """Refuse rows that ``as_sequences`` cannot have made: symbols are code points plus one."""
    symbols = sequences.values
    if len(symbols) and not (symbols.min() >= 1 and symbols.max() <= 0x110000 and (symbols % 1 == 0).all()):
        raise ValueError("the rows hold values that are no characters")


def text_of(sequences: Csr, row: int) -> str:
    """Return the text of a row that ``as_sequences`` made."""
    symbols = sequences.values[sequences.indptr[row] : sequences.indptr[row + 1]]
    return (symbols - 1).astype("<u4").tobytes().decode("utf-32-le", "surrogatepass")


class SequenceVectorizer(Vectorizer):
    """Keep texts as they are, character by character; for the kernels of texts and trees.

    Examples
    --------
    >>> from lindy.text import SequenceVectorizer
    >>> SequenceVectorizer().fit_csr(["ab"]).values
    array([98., 99.], dtype=float32)
    """

    kind = "sequences"
    not_exported = "it keeps texts as they are, for kernels that compare them with the training texts"
    learns = False
    keeps_texts = True
    analyzer = "characters"
    n_jobs: int | None = None

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def fit_csr(self, X: Any, *, order: str = "alphabet", y: Any = None, weight: Any = None) -> Csr:  # noqa: ARG002
        """Return the rows of the characters of texts."""
        return as_sequences(X)

    def transform_csr(self, X: Any) -> Csr:
        """Return the rows of the characters of texts."""
        return as_sequences(X)

    @property
    def n_columns(self) -> int:
        """0: the rows are sequences, whose places are not features."""
        return 0

    def names_of(self, columns: Columns) -> list[str]:  # noqa: ARG002
        """Return no names."""
        return []

    def text_of(self, rows: Csr, row: int) -> str:
        """Return the text of a row."""
        return text_of(rows, row)

    def to_state(self) -> State:
        """Return what a model file keeps: nothing but the kind."""
        return {"kind": self.kind}, {}

    @classmethod
    def from_state(cls, config: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> Self:
        """Return the vectorizer of a ``to_state``."""
        if set(config) != {"kind"} or arrays:
            raise ValueError("a vectorizer of sequences has no parameters")
        return cls()
