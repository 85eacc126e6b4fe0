"""The names of a data frame's columns, and how those of two frames differ."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lindy.core.csr import is_sparse


def column_names(X: Any) -> NDArray[Any] | None:
    """Return the names of a data frame's columns; None if there are none or not all are strings."""
    columns = getattr(X, "columns", None)
    if columns is None or is_sparse(X):
        return None
    names = list(columns)
    strings = [isinstance(name, str) for name in names]
    if any(strings) and not all(strings):
        raise TypeError(
            "Feature names are only supported if all input features have string names, but your input has"
            f" {sorted({type(name).__name__ for name in names})} as feature name / column name types."
        )
    return np.asarray(names, dtype=object) if names and all(strings) else None


def names_differ(fitted: NDArray[Any], given: NDArray[Any]) -> str:
    """Return in scikit-learn's words how the names of a fit and those of a prediction differ."""

    def listed(names: list[str]) -> str:
        return "".join(f"- {name}\n" for name in names[:5]) + ("- ...\n" if len(names) > 5 else "")

    message = "The feature names should match those that were passed during fit.\n"
    unseen = sorted(set(given) - set(fitted))
    missing = sorted(set(fitted) - set(given))
    if unseen:
        message += "Feature names unseen at fit time:\n" + listed(unseen)
    if missing:
        message += "Feature names seen at fit time, yet now missing:\n" + listed(missing)
    if not unseen and not missing:
        message += "Feature names must be in the same order as they were in fit.\n"
    return message
