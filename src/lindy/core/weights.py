"""Sample weights and class weights, checked where they come in: a row of weight 2 is two rows, one of 0 is left out."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lindy.core.csr import refuse_masked
from lindy.errors import invalid_parameter

if TYPE_CHECKING:
    from lindy.core.targets import Targets


def present_rows(weight: NDArray[np.float64] | None) -> NDArray[np.intp] | None:
    """Return the numbers of the rows that are there, those of a weight above 0; None if all are."""
    if weight is None or (weight > 0).all():
        return None
    return np.flatnonzero(weight > 0)


def are_whole(weight: NDArray[np.float64] | None) -> bool:
    """Whether weights are numbers of rows, whose sums are exact."""
    return weight is None or bool((weight == np.trunc(weight)).all() and weight.sum() < 2.0**53)


def weighted_counts(
    codes: NDArray[np.integer[Any]], weight: NDArray[np.float64] | None, n: int
) -> NDArray[Any]:
    """Return how many rows have each number below n, each as often as its weight says.

    Whole numbers if all weights are, so that a row of weight 2 and two rows give the same to the last bit.
    """
    counts = np.bincount(codes, weight, n)
    return counts.astype(np.int64) if are_whole(weight) else counts


def total_weight(weight: NDArray[np.float64] | None, n_rows: int) -> int | float:
    """Return how many rows there are, each as often as its weight says; a whole number if all weights are."""
    if weight is None:
        return n_rows
    return int(weight.sum()) if are_whole(weight) else float(weight.sum())


def check_weight(
    sample_weight: ArrayLike | None, n_rows: int, *, may_be_zero: bool = False
) -> NDArray[np.float64] | None:
    """Return one finite, non-negative weight per row, or None when all weights are 1.

    Not all may be 0, since such rows are left out; those of one batch of many ``may_be_zero``.
    """
    if sample_weight is None:
        return None
    refuse_masked(sample_weight, "sample_weight")
    given = np.asarray(sample_weight)
    if given.dtype.kind not in "fiubO":
        raise ValueError(f"sample_weight must hold numbers; got {given.dtype}")
    try:
        weight = np.require(given, np.float64, ["C", "A"])
    except OverflowError:
        raise ValueError("Input sample_weight contains a number that is too large for float64.") from None
    if weight.ndim == 0:
        weight = np.full(n_rows, weight)
    if weight.ndim != 1:
        raise ValueError(f"Sample weights must be 1D array or scalar, got {weight.ndim}D array.")
    if len(weight) != n_rows:
        raise ValueError(f"sample_weight.shape == {weight.shape}, expected {(n_rows,)}!")
    if not np.isfinite(weight).all():
        raise ValueError("Input sample_weight contains NaN or infinity.")
    if (weight < 0).any():
        raise ValueError("Negative values in data passed to `sample_weight`.")
    if not weight.any():
        if may_be_zero:
            return weight
        raise ValueError("sample_weight is zero for every row: there is nothing to learn from.")
    with np.errstate(over="ignore"):
        total = weight.sum()
    if not np.finfo(np.float64).tiny <= total < np.inf:
        size = "large" if total > 1 else "small"
        raise ValueError(
            f"the sum of sample_weight is too {size} for float64: divide the weights by their largest"
        )
    return weight


def class_weights(
    class_weight: str | dict[Any, float] | None, y: Targets, weight: NDArray[np.float64] | None
) -> NDArray[np.float64] | None:
    """Multiply the rows' weights by their class's: ``"balanced"`` is n / (K · n_y), a dict gives them by label.

    n and n_y count a row as often as its weight says, so that a weight of k is k copies of the row.
    """
    if class_weight is None:
        return weight
    base = np.ones(len(y)) if weight is None else weight
    if isinstance(class_weight, str):
        if class_weight != "balanced":
            raise ValueError(f"class_weight must be 'balanced', a dict or None; got {class_weight!r}")
        mass, K = np.bincount(y.codes, base, len(y.names)), len(y.names)
        per_class = np.divide(mass.sum(), K * mass, out=np.ones(K), where=mass > 0)
    else:
        per_class = _weights_by_label(class_weight, y.names.tolist())
    weighted: NDArray[np.float64] = base * per_class[y.codes]
    return weighted


def _weights_by_label(class_weight: Any, labels: list[Any]) -> NDArray[np.float64]:
    """Return the weights in the order of the labels; as in scikit-learn a dict may leave out labels or have others."""
    if not isinstance(class_weight, Mapping):
        raise invalid_parameter(f"class_weight must be 'balanced', a dict or None; got {class_weight!r}")
    for label, value in class_weight.items():
        if not isinstance(value, Real) or not 0 <= float(value) < np.inf:
            raise invalid_parameter(
                f"class_weight must give finite numbers of at least 0; got {value!r} for the label {label!r}"
            )
    known = set(labels)
    unknown = [label for label in class_weight if label not in known]
    if unknown and any(label not in class_weight for label in labels):  # rather a mistake than a wider dict
        raise ValueError(f"class_weight has labels that no example has: {unknown}; there are {labels[:20]}")
    return np.array([float(class_weight.get(label, 1.0)) for label in labels])
