"""CoCoA: dual coordinate ascent in every partition, whose changes are added up and shortened.

    D(α) = Σ_i α_i − ½‖w‖²,    w = Σ_i s_i·α_i·x_i,    0 ≤ α_i ≤ C

One round: every partition makes a pass from the same w, as if the others stood still; then α and w move by γ times all
changes, γ = clip((Σ Δα − w·Δw) / ‖Δw‖², 0, 1), the best of D along them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from lindy.textbook.dual import hinge_step, margin_pass

Array = NDArray[np.float64]


def partitioned_round(X: Array, s: Array, C: float, alpha: Array, w: Array, parts: Sequence[Array]) -> float:
    """Make one round; changes α and w in place and returns γ."""
    new, step = alpha.copy(), np.zeros_like(w)
    for part in parts:
        own, moved = alpha[part], w.copy()
        margin_pass(hinge_step, X[part], s[part], C, own, moved, np.arange(len(part)))
        new[part] = own
        step += moved - w
    added, bend = new - alpha, step @ step
    gamma = float(np.clip((added.sum() - w @ step) / bend, 0, 1)) if bend > 0 else 1.0
    alpha += gamma * added
    w += gamma * step
    return gamma
