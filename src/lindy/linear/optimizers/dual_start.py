"""Where dual ascent begins with the log losses: the best point of one ray.

At W = 0 the dual rises towards the shares π of the classes. On the way there,

    softmax        p_i(s)  = (1 − s)·e_{y_i} + s·π                 W(s) = s·Σ_i C_i·x_i·(e_{y_i} − π)ᵀ
    one-vs-rest    α_ik(s) = s·C_i·|[k = y_i] − π_k|               W(s) the same

the dual is a function of s alone, because the entropies H are those of the classes (m_y = Σ C_i of the rows of one):

    D(s) = Σ_y m_y·H_y(s) − ½·s²·‖W(1)‖²

This costs one sweep over the rows without a single exponential and saves a pass; for C → 0 softmax is solved by it. The
equations of the bias hold all along the ray.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from lindy.linear.optimizers.dual_state import DualState

Array = NDArray[np.float64]

STEPS = np.arange(1, 65)[:, None] / 64.0


def begin(state: DualState) -> float:
    """Set the dual variables and W to the best point of the ray; returns the dual value there."""
    y, c, K = state.problem.y, state.c, state.problem.n_outputs
    mass = np.bincount(y, c, state.problem.n_classes)
    share = mass / mass.sum()
    dual = state.dual[:, :K]
    if state.joint:
        dual[:] = share
    else:
        dual[:] = c[:, None] * (share if K > 1 else 0.0)
        dual[np.arange(state.n), y if K > 1 else 0] = c * (1 - share)[y]
    square = state.native.rebuild()
    values = (mass * _entropies(share, state.joint, K)).sum(axis=1) - 0.5 * STEPS[:, 0] ** 2 * square
    best = int(values.argmax())
    s = float(STEPS[best, 0])
    state.W *= s
    dual *= s
    if state.joint:
        dual[np.arange(state.n), y] += 1 - s
    return float(values[best])


def _entropies(share: Array, joint: bool, n_outputs: int) -> Array:
    """Return H_y(s), steps × classes: of p_y, or of the outputs' own two-way choices together."""
    away, back = _x_log_x(STEPS * (1 - share)), _x_log_x(1 - STEPS * (1 - share))
    if joint:  # s·π_k for the other classes, 1 − s·(1 − π_y) for its own
        of_share = _x_log_x(share)
        others: Array = (1 - share) * _x_log_x(STEPS) + STEPS * (of_share.sum() - of_share)
        return -others - back
    if n_outputs == 1:
        return -away - back
    rest = _x_log_x(STEPS * share) + _x_log_x(1 - STEPS * share)
    together: Array = rest - rest.sum(axis=1, keepdims=True) - away - back
    return together


def _x_log_x(p: Array) -> Array:
    product: Array = p * np.log(np.maximum(p, 1e-300))
    return product
