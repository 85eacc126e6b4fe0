"""The way of the weights through training."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from lindy.plots.style import COLOURS, GREY, axes, legend, plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def weight_path(
    trace: Sequence[tuple[int, Any, Any]],
    *,
    features: tuple[int, int] = (0, 1),
    column: int = 0,
    names: tuple[str, str] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the path of two weights: ``trace_`` of an online learner that was made with ``trace=k``, from 0 on.

    A point for every k updates, with the number of updates written at some of them; the square is the start and the
    star the last point.
    """
    ax = axes(ax)
    if not trace:
        raise ValueError(
            "the trace is empty: fit with trace=k, which keeps the weights after every k updates"
        )
    updates = [0, *(int(step) for step, _, _ in trace)]
    points = np.array([[W[j, column] for j in features] for _, W, _ in trace], np.float64)
    points = np.concatenate([np.zeros((1, 2)), points])
    ax.plot(*points.T, "-", color=COLOURS[0], linewidth=1.2, alpha=0.7, zorder=2)
    ax.plot(*points[1:-1].T, ".", color=COLOURS[0], markersize=5, label="weights during training", zorder=3)
    ax.plot(*points[0], "s", color=GREY, markersize=8, label="start", zorder=4)
    ax.plot(
        *points[-1], "*", color=COLOURS[1], markersize=14, label=f"after {updates[-1]:,} updates", zorder=4
    )
    for i in sorted({round(k) for k in np.linspace(0, len(points) - 1, 7)[1:-1]}):
        ax.annotate(
            f"{updates[i]:,}", points[i], xytext=(5, 5), textcoords="offset points", fontsize=8, color=GREY
        )
    first, second = names or tuple(f"$w_{{{j + 1}}}$" for j in features)
    ax.set_xlabel(first if names is None else f"weight of {plain(first)}")
    ax.set_ylabel(second if names is None else f"weight of {plain(second)}")
    legend(ax)
    return ax
