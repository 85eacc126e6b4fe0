"""``set_output`` of the vectorizers: rows as a data frame, with the names of the columns, instead of a SciPy matrix."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Self

from lindy.core.csr import is_sparse
from lindy.errors import DataError, MissingPackageError

CONTAINERS = ("default", "pandas", "polars")
MOST_DENSE = 1 << 27
"""Values that a data frame may hold which cannot leave out zeros: a gigabyte."""


class FrameOutput:
    """Lets ``transform`` and ``fit_transform`` of all subclasses return what ``set_output`` asked for."""

    _sklearn_output_config: dict[str, str]  # the name that scikit-learn's clone copies

    def __init_subclass__(cls, **settings: Any) -> None:
        super().__init_subclass__(**settings)
        for name in ("transform", "fit_transform"):
            if name in vars(cls):
                setattr(cls, name, _framing(vars(cls)[name]))

    def set_output(self, *, transform: str | None = None) -> Self:
        """Choose what ``transform`` and ``fit_transform`` return.

        Parameters
        ----------
        transform : {"default", "pandas", "polars"} or None
            SciPy's matrix; a pandas data frame of sparse columns with the index of X; or a polars data frame, whose
            columns are dense. None changes nothing.
        """
        if transform is None:
            return self
        if transform not in CONTAINERS:
            raise ValueError(f"transform must be one of {list(CONTAINERS)} or None; got {transform!r}")
        self._sklearn_output_config = {"transform": transform}
        return self


def _framing(method: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(method)
    def framed(self: Any, *args: Any, **options: Any) -> Any:
        rows = method(self, *args, **options)
        wanted = getattr(self, "_sklearn_output_config", {}).get("transform", "default")
        if wanted == "default":
            return rows
        return _frame(rows, self, next(iter((*args, *options.values()))), wanted)

    return framed


def _frame(rows: Any, vectorizer: Any, X: Any, wanted: str) -> Any:
    """Return a matrix as a data frame; one already stays as it is."""
    if hasattr(rows, "columns"):
        return rows
    names = vectorizer.get_feature_names_out()
    try:
        if wanted == "polars":
            import polars

            return polars.DataFrame(_dense(rows), schema=[str(name) for name in names])
        import pandas

        index = X.index if hasattr(X, "iloc") else None
        if is_sparse(rows):
            return pandas.DataFrame.sparse.from_spmatrix(rows, index=index, columns=names)
        return pandas.DataFrame(rows, index=index, columns=names)
    except ImportError:
        raise MissingPackageError(
            f"set_output(transform={wanted!r}) needs {wanted}", f"pip install {wanted}"
        ) from None


def _dense(rows: Any) -> Any:
    if not is_sparse(rows):
        return rows
    if rows.shape[0] * rows.shape[1] > MOST_DENSE:
        raise DataError(
            f"{rows.shape[0]:,} rows of {rows.shape[1]:,} columns are too many for a data frame that cannot leave out"
            " zeros",
            'use set_output(transform="pandas"), whose columns are sparse, or fewer columns (max_features)',
        )
    return rows.toarray()
