"""The cost ρ(ŷ, y) of each confusion, by name or as a matrix."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lindy.estimators.parameters import as_numbers


def cost_matrix(cost: str | ArrayLike | None, n_classes: int) -> NDArray[np.float64] | None:
    """Return ρ[predicted, true] by name or as given, checked; None stands for 0/1."""
    if cost is None or (isinstance(cost, str) and cost == "zero-one"):
        return None
    if isinstance(cost, str):
        if cost != "distance":
            raise ValueError(f"cost must be 'zero-one', 'distance' or a matrix; got {cost!r}")
        number = np.arange(n_classes)
        distance: NDArray[np.float64] = np.abs(number[:, None] - number).astype(np.float64)
        return distance
    rho = np.ascontiguousarray(as_numbers("cost", cost))
    if rho.shape != (n_classes, n_classes):
        raise ValueError(f"cost must be a classes × classes matrix {(n_classes,) * 2}; got {rho.shape}")
    if not np.isfinite(rho).all() or (rho < 0).any() or np.diagonal(rho).any():
        raise ValueError(
            "cost must be finite, not negative, and 0 on the diagonal (a right answer costs nothing)"
        )
    return rho
