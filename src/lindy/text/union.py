"""Several kinds of terms side by side: words and characters, say."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from lindy.base import Estimator
from lindy.csr import Csr
from lindy.text.analyzer import Analyzer
from lindy.text.passes import TextPass
from lindy.text.rows import to_scipy

if TYPE_CHECKING:
    import scipy.sparse


def side_by_side(parts: list[Csr]) -> Csr:
    """Return one matrix with the columns of all parts; within a row the parts come one after the other."""
    sizes = [np.diff(part.indptr) for part in parts]
    indptr = np.zeros(len(parts[0].indptr), np.int64)
    np.cumsum(sum(sizes), out=indptr[1:])
    dtype = np.result_type(*(part.values for part in parts))
    indices, values = np.empty(indptr[-1], np.int32), np.empty(indptr[-1], dtype)
    starts, n_columns = indptr[:-1].copy(), 0
    for part, size in zip(parts, sizes, strict=True):
        places = np.repeat(starts - part.indptr[:-1], size) + np.arange(len(part.indices))
        indices[places] = part.indices + np.int32(n_columns)
        values[places] = part.values
        starts += size
        n_columns += part.n_columns
    if n_columns > np.iinfo(np.int32).max:
        raise ValueError(f"the parts have {n_columns} columns together; at most 2**31 - 1 are possible")
    return Csr(indptr, indices, values, n_columns, checked=True)


class UnionVectorizer(Estimator):
    """Columns of several vectorizers side by side, from one reading of the texts.

    Parameters
    ----------
    vectorizers : list of (str, vectorizer)
        Names and vectorizers; a column is called name__term.

    Examples
    --------
    >>> from lindy.text import CountVectorizer, UnionVectorizer
    >>> union = UnionVectorizer(vectorizers=[
    ...     ("word", CountVectorizer()), ("char", CountVectorizer(analyzer="char_wb", ngram_range=(2, 2)))])
    >>> union.fit(["so so"]).get_feature_names_out().tolist()
    ['word__so', 'char__ s', 'char__o ', 'char__so']
    """

    def __init__(self, *, vectorizers: list[tuple[str, Any]]) -> None:
        self.vectorizers = vectorizers

    def __sklearn_is_fitted__(self) -> bool:
        return all(vectorizer.__sklearn_is_fitted__() for _, vectorizer in self.vectorizers)

    def fit(self, raw_documents: Any, y: Any = None) -> Self:  # noqa: ARG002
        """Fit every vectorizer."""
        self._read(raw_documents, lambda v: v._fit_pass(None), lambda v, texts: v.fit(texts))
        return self

    def partial_fit(self, raw_documents: Any, y: Any = None) -> Self:
        """Fit every vectorizer to further texts."""
        documents = _lasting(raw_documents)
        for _, vectorizer in self.vectorizers:
            vectorizer.partial_fit(documents, y)
        return self

    def fit_csr(self, raw_documents: Any, *, order: str = "alphabet") -> Csr:
        """Fit every vectorizer, with its own columns in the given order, and return the float32 rows."""
        dtype = np.dtype(np.float32)
        return side_by_side(
            self._read(
                raw_documents,
                lambda v: v._fit_pass(dtype, order),
                lambda v, texts: v.fit_csr(texts, order=order),
            )
        )

    def transform_csr(self, raw_documents: Any) -> Csr:
        """Return the texts' rows in float32."""
        return side_by_side(
            self._read(raw_documents, lambda v: v._rows_pass(), lambda v, texts: v.transform_csr(texts))
        )

    def _read(
        self,
        raw_documents: Any,
        start: Callable[[Any], TextPass | None],
        alone: Callable[[Any, Any], Any],
    ) -> list[Any]:
        """Return the rows of every vectorizer, from one reading of the texts for all that can share it.

        Those that cannot (callables, other encodings) read the texts themselves.
        """
        vectorizers = [vectorizer for _, vectorizer in self.vectorizers]
        first = vectorizers[0]
        passes = [start(v) if _reads_alike(v, first) else None for v in vectorizers]
        documents = raw_documents if None not in passes else _lasting(raw_documents)
        sharing = [reading for reading in passes if reading is not None]
        if sharing:
            for texts in first._batches(documents):
                for reading in sharing:
                    reading.take(texts)
        return [
            alone(vectorizer, documents) if reading is None else reading.finish()
            for vectorizer, reading in zip(vectorizers, passes, strict=True)
        ]

    def fit_transform(self, raw_documents: Any, y: Any = None) -> scipy.sparse.csr_matrix[Any]:  # noqa: ARG002
        """Fit every vectorizer and return the rows."""
        return to_scipy(self.fit_csr(raw_documents))

    def transform(self, raw_documents: Any) -> scipy.sparse.csr_matrix[Any]:
        """Return the texts' rows."""
        return to_scipy(self.transform_csr(raw_documents))

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:  # noqa: ARG002
        """Return the terms with the names of their vectorizers."""
        return np.concatenate(
            [
                np.array([f"{name}__{term}" for term in vectorizer.get_feature_names_out()], dtype=object)
                for name, vectorizer in self.vectorizers
            ]
        )

    @property
    def groups_(self) -> list[tuple[str, int]]:
        """The vectorizers' names and how many columns each has, in the order of the columns."""
        from lindy.text.naming import n_columns

        return [(name, n_columns(vectorizer)) for name, vectorizer in self.vectorizers]

    def to_state(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """Return what ``transform`` needs: the parts' states, arrays with the part's number in front."""
        parts, arrays = [], {}
        for i, (name, vectorizer) in enumerate(self.vectorizers):
            config, own = vectorizer.to_state()
            parts.append({"name": name, "config": config})
            arrays.update({f"{i}.{key}": array for key, array in own.items()})
        return {"kind": "union", "parts": parts}, arrays

    @classmethod
    def from_state(cls, config: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> Self:
        """Return the vectorizer of a ``to_state``; anything unsound is a ``ValueError``."""
        from lindy.text import vectorizer_from_state

        parts = config.get("parts")
        if not isinstance(parts, list) or not 1 <= len(parts) <= 100:
            raise ValueError("the saved union has no list of parts")
        vectorizers = []
        for i, part in enumerate(parts):
            if not isinstance(part, dict) or not isinstance(part.get("name"), str):
                raise ValueError("a part of the saved union has no name")
            if not isinstance(part.get("config"), dict) or part["config"].get("kind") == "union":
                raise ValueError("a part of the saved union is no vectorizer")
            own = {key.removeprefix(f"{i}."): a for key, a in arrays.items() if key.startswith(f"{i}.")}
            vectorizers.append((part["name"], vectorizer_from_state(part["config"], own)))
        return cls(vectorizers=vectorizers)


def _reads_alike(vectorizer: Any, other: Any) -> bool:
    """Whether two vectorizers make the same texts of the same documents."""
    if not isinstance(vectorizer, Analyzer) or not isinstance(other, Analyzer):
        return False
    return all(
        getattr(vectorizer, name) == getattr(other, name) for name in ("input", "encoding", "decode_error")
    )


def _lasting(raw_documents: Any) -> Any:
    """Return texts that can be read several times."""
    return raw_documents if hasattr(raw_documents, "__len__") else list(raw_documents)
