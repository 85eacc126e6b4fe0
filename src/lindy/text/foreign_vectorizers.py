"""Vectorizers of other libraries, which have ``fit`` and ``transform``, as parts of a union."""

from __future__ import annotations

import inspect
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from lindy.core.csr import Csr, as_csr
from lindy.errors import invalid_parameter
from lindy.estimators.parameters import short_repr, with_parameters
from lindy.text.vectorizer import Columns, Vectorizer, present_examples


@with_parameters
class ForeignVectorizer(Vectorizer):
    """Makes float32 rows of the matrices of another library's vectorizer."""

    vectorizer: Any

    def __sklearn_is_fitted__(self) -> bool:
        own = self.vectorizer
        if hasattr(own, "__sklearn_is_fitted__"):
            return bool(own.__sklearn_is_fitted__())
        needs_fit = not hasattr(own, "__sklearn_tags__") or own.__sklearn_tags__().requires_fit
        return not needs_fit or any(name.endswith("_") and not name.startswith("_") for name in vars(own))

    @property
    def class_name(self) -> str:
        """The name of the other library's class."""
        return type(self.vectorizer).__name__

    @property
    def learns_in_parts(self) -> bool:  # type: ignore[override]
        """Whether the other library's vectorizer has ``partial_fit``."""
        return hasattr(self.vectorizer, "partial_fit")

    def partial_fit(self, X: Any, y: Any = None) -> Self:
        """Learn from further examples."""
        self.vectorizer.partial_fit(X, y)
        return self

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn from examples; weights count if the other library takes them."""
        X, _, weight = present_examples(X, y, sample_weight)
        self.vectorizer.fit(X, **self._weights(weight))
        return self

    def _weights(self, weight: Any) -> dict[str, Any]:
        """Return the argument of weights, if there are any and the other library takes them."""
        taken = weight is not None and "sample_weight" in inspect.signature(self.vectorizer.fit).parameters
        return {"sample_weight": weight} if taken else {}

    def fit_csr(self, X: Any, *, order: str = "alphabet", y: Any = None, weight: Any = None) -> Csr:  # noqa: ARG002
        """Learn from examples and return their float32 rows; weights count if the other library takes them."""
        own, given = self.vectorizer, self._weights(weight)
        if hasattr(own, "fit_transform") and not given:
            return _narrow(own.fit_transform(X))
        return _narrow(own.fit(X, **given).transform(X))

    def transform_csr(self, X: Any) -> Csr:
        """Return the float32 rows of further examples."""
        return _narrow(self.vectorizer.transform(X))

    def fresh(self) -> Self:
        """Return an unfitted copy."""
        own = self.vectorizer
        return type(self)(vectorizer=type(own)(**own.get_params(deep=False)))

    def _names(self) -> NDArray[Any] | None:
        """Return the names of the columns; None if there are none, as for hashed columns."""
        names = getattr(self.vectorizer, "get_feature_names_out", None)
        return None if names is None else np.asarray(names(), dtype=object)

    @property
    def n_columns(self) -> int:
        """How many columns there are."""
        names = self._names()
        return int(self.vectorizer.n_features) if names is None else len(names)

    def names_of(self, columns: Columns) -> list[str]:
        """Return the names of some columns; hashed ones are called by their number, #0."""
        names = self._names()
        return [f"#{c}" for c in columns.tolist()] if names is None else [str(n) for n in names[columns]]


def as_vectorizer(vectorizer: Any, name: str = "vectorizers") -> Vectorizer:
    """Return a vectorizer of lindy as it is, and one of another library wrapped; ``name`` is the parameter's."""
    if isinstance(vectorizer, Vectorizer):
        return vectorizer
    if not hasattr(vectorizer, "fit_transform") or isinstance(vectorizer, type):
        raise invalid_parameter(f"{name} must have fit_transform and transform; got {short_repr(vectorizer)}")
    return ForeignVectorizer(vectorizer=vectorizer)


def _narrow(matrix: Any) -> Csr:
    """Return the float32 rows of another library's matrix."""
    csr = as_csr(matrix)
    return Csr(csr.indptr, csr.indices, csr.values.astype(np.float32, copy=False), csr.n_columns)
