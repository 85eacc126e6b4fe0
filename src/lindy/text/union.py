"""Several kinds of terms side by side: words and characters, say."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from lindy.base import Estimator
from lindy.csr import Csr, as_csr
from lindy.text.analyzer import Analyzer
from lindy.text.native_rows import to_scipy
from lindy.text.passes import TextPass

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
        Names and vectorizers; a column is called name__term, or just term where the name is empty. Vectorizers of
        other libraries need ``fit`` and ``transform``, and read the texts themselves. Parameters of a named part are
        reached as name__parameter.

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

    __sklearn_tags__ = Analyzer.__sklearn_tags__

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the list of vectorizers; with ``deep`` also those with a name, and their parameters."""
        params: dict[str, Any] = {"vectorizers": self.vectorizers}
        if deep:
            for name, part in self._named().items():
                params[name] = part
                nested = (
                    {} if isinstance(part, type) or not hasattr(part, "get_params") else part.get_params()
                )
                params.update((f"{name}__{key}", value) for key, value in nested.items())
        return params

    def set_params(self, **params: Any) -> Self:
        """Set the list of vectorizers, a vectorizer by its name, or its parameter b as name__b."""
        self.vectorizers = params.pop("vectorizers", self.vectorizers)
        for key in [key for key in params if key in self._named()]:
            new = params.pop(key)
            self.vectorizers = [(name, new if name == key else part) for name, part in self.vectorizers]
        named = self._named()
        for key, value in params.items():
            name, _, rest = key.partition("__")
            if name not in named or not rest:
                valid = ["vectorizers", *named]
                raise ValueError(
                    f"Invalid parameter {key!r} for estimator {self}. Valid parameters are: {valid!r}."
                )
            named[name].set_params(**{rest: value})
        return self

    def _named(self) -> dict[str, Any]:
        """Return the vectorizers that can be reached by a name."""
        try:
            return {name: part for name, part in self.vectorizers if name and name != "vectorizers"}
        except (TypeError, ValueError):
            return {}  # no list of pairs, which fit will say

    def __sklearn_is_fitted__(self) -> bool:
        return all(_is_fitted(vectorizer) for _, vectorizer in self.vectorizers)

    def _parts(self) -> list[Any]:
        """Return the vectorizers, or say what is expected of them."""
        try:
            named = [(name, vectorizer) for name, vectorizer in self.vectorizers]
        except (TypeError, ValueError):
            raise TypeError(
                f"vectorizers must be a list of (name, vectorizer); got {self.vectorizers!r}"
            ) from None
        if not named:
            raise ValueError("vectorizers is empty: a union needs at least one (name, vectorizer)")
        for name, vectorizer in named:
            methods = (hasattr(vectorizer, "fit"), hasattr(vectorizer, "transform"))
            if not isinstance(name, str) or not all(methods) or isinstance(vectorizer, type):
                raise TypeError(
                    "every part of vectorizers must be a name and a vectorizer with fit and transform; got"
                    f" ({name!r}, {vectorizer!r})"
                )
        return [vectorizer for _, vectorizer in named]

    def fit(self, raw_documents: Any, y: Any = None) -> Self:  # noqa: ARG002
        """Fit every vectorizer."""
        self._read(raw_documents, lambda v: v._fit_pass(None), lambda v, texts: v.fit(texts))
        return self

    def partial_fit(self, raw_documents: Any, y: Any = None) -> Self:
        """Fit every vectorizer to further texts."""
        parts, documents = self._parts(), _lasting(raw_documents)
        without = [type(part).__name__ for part in parts if not hasattr(part, "partial_fit")]
        if without:
            raise TypeError(f"{without[0]} has no partial_fit, so neither has this union")
        for vectorizer in parts:
            vectorizer.partial_fit(documents, y)
        return self

    def fit_csr(self, raw_documents: Any, *, order: str = "alphabet") -> Csr:
        """Fit every vectorizer, with its own columns in the given order, and return the float32 rows."""
        dtype = np.dtype(np.float32)
        return side_by_side(
            self._read(
                raw_documents,
                lambda v: v._fit_pass(dtype, order),
                lambda v, texts: _fitted_rows(v, texts, order),
            )
        )

    def transform_csr(self, raw_documents: Any) -> Csr:
        """Return the texts' rows in float32."""
        return side_by_side(self._read(raw_documents, lambda v: v._rows_pass(), _rows))

    def _read(
        self,
        raw_documents: Any,
        start: Callable[[Any], TextPass | None],
        alone: Callable[[Any, Any], Any],
    ) -> list[Any]:
        """Return the rows of every vectorizer, from one reading of the texts for all that can share it.

        Those that cannot (callables, other encodings) read the texts themselves.
        """
        vectorizers = self._parts()
        first = next((v for v in vectorizers if isinstance(v, Analyzer)), vectorizers[0])
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
        """Return the terms with the names of their vectorizers; hashed columns are called by their number, #0."""
        self._parts()
        return np.concatenate(
            [
                np.array([f"{prefix(name)}{term}" for term in _names(vectorizer)], dtype=object)
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
            if not hasattr(vectorizer, "to_state"):
                raise ValueError(
                    f"part {name!r} is no vectorizer of lindy ({type(vectorizer)}) and cannot be saved"
                )
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


def copied(vectorizer: Any) -> Any:
    """Return an unfitted copy of a vectorizer."""
    if isinstance(vectorizer, UnionVectorizer):
        return UnionVectorizer(vectorizers=[(name, copied(part)) for name, part in vectorizer.vectorizers])
    return type(vectorizer)(**vectorizer.get_params(deep=False))


def beside(vectorizer: Any, others: Iterable[Any]) -> Any:
    """Return a vectorizer with copies of others beside it, whose names stand as they are."""
    extra = [("", copied(other)) for other in others]
    if not extra:
        return vectorizer
    own = vectorizer.vectorizers if isinstance(vectorizer, UnionVectorizer) else [("", vectorizer)]
    return UnionVectorizer(vectorizers=[*own, *extra])


def prefix(name: str) -> str:
    """Return what stands before the terms of a part."""
    return f"{name}__" if name else ""


def _is_fitted(vectorizer: Any) -> bool:
    if hasattr(vectorizer, "__sklearn_is_fitted__"):
        return bool(vectorizer.__sklearn_is_fitted__())
    needs_fit = not hasattr(vectorizer, "__sklearn_tags__") or vectorizer.__sklearn_tags__().requires_fit
    return not needs_fit or any(name.endswith("_") and not name.startswith("_") for name in vars(vectorizer))


def _fitted_rows(vectorizer: Any, texts: Any, order: str) -> Csr:
    if hasattr(vectorizer, "fit_csr"):
        rows: Csr = vectorizer.fit_csr(texts, order=order)
        return rows
    if hasattr(vectorizer, "fit_transform"):
        return _narrow(vectorizer.fit_transform(texts))
    return _narrow(vectorizer.fit(texts).transform(texts))


def _rows(vectorizer: Any, texts: Any) -> Csr:
    if hasattr(vectorizer, "transform_csr"):
        rows: Csr = vectorizer.transform_csr(texts)
        return rows
    return _narrow(vectorizer.transform(texts))


def _narrow(matrix: Any) -> Csr:
    """Return the float32 rows of another library's matrix."""
    csr = as_csr(matrix)
    return Csr(csr.indptr, csr.indices, csr.values.astype(np.float32, copy=False), csr.n_columns)


def _names(vectorizer: Any) -> Iterable[Any]:
    if hasattr(vectorizer, "get_feature_names_out"):
        names: Iterable[Any] = vectorizer.get_feature_names_out()
        return names
    return (f"#{column}" for column in range(vectorizer.n_features))


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
