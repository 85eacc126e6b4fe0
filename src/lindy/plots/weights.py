"""Weights as pictures: bars for words, images for pixels, their way through training and along a path of penalties."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from lindy.plots.style import COLOURS, GREY, axes, legend, plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def top_features(
    ranked: Sequence[tuple[str, float]], *, label: str = "", measure: str = "weight", ax: Axes | None = None
) -> Axes:
    """Draw features with their weights as bars, the first on top: an entry of ``lindy.explain.inspect(model).top``."""
    ax = axes(ax, (5.0, 0.8 + 0.28 * max(len(ranked), 1)))
    values = np.array([value for _, value in ranked], float)
    finite = np.nan_to_num(values, posinf=1.2 * np.max(values[np.isfinite(values)], initial=1.0))
    places = np.arange(len(ranked))
    ax.barh(places, finite, color=[COLOURS[0] if v >= 0 else COLOURS[1] for v in finite], height=0.7)
    ax.set_yticks(places, [plain(name, 28) for name, _ in ranked])
    ax.invert_yaxis()
    ax.grid(False, axis="y")
    ax.set_xlabel(measure)
    if label:
        ax.set_title(plain(label), fontsize=10, loc="left")
    return ax


def weight_pictures(
    W: ArrayLike, shape: tuple[int, int], labels: Sequence[Any], *, columns: int = 5, ax: Axes | None = None
) -> Axes:
    """Draw the weights of pixel features, one picture per class: dark violet speaks against, dark orange for.

    ``W`` is ``W_`` of a linear model, pixels × classes (one column of two classes gives one picture). All pictures
    share one scale, whose middle is 0.
    """
    weights = np.asarray(W, float)
    K = weights.shape[1]
    if weights.shape[0] != shape[0] * shape[1]:
        raise ValueError(f"{weights.shape[0]} weights do not make a picture of {shape[0]} × {shape[1]}")
    across = min(columns, K)
    down = -(-K // across)
    ax = axes(ax, (1.5 * across + 1.2, 1.7 * down + 0.4))
    ax.grid(False)
    gap = max(3, shape[0] // 4)  # for the label
    height, width = shape[0] + gap, shape[1] + 1
    sheet = np.full((down * height, across * width - 1), np.nan)
    shown = list(labels)[-K:] if K == 1 else list(labels)
    for c in range(K):
        top, left = (c // across) * height + gap, (c % across) * width
        sheet[top : top + shape[0], left : left + shape[1]] = weights[:, c].reshape(shape)
        ax.text(left + shape[1] / 2 - 0.5, top - 1.0, plain(shown[c], 12), ha="center", va="bottom")
    largest = float(np.nanmax(np.abs(sheet))) or 1.0
    image = ax.imshow(sheet, cmap="PuOr_r", vmin=-largest, vmax=largest, interpolation="nearest")
    ax.set_axis_off()
    bar = ax.get_figure().colorbar(image, ax=ax, shrink=0.8)  # type: ignore[union-attr]
    bar.set_label("weight: against (−), for (+)")
    return ax


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


def regularization_path(
    path: Any, held_out: ArrayLike | None = None, *, most: int = 8, ax: Axes | None = None
) -> Axes:
    """Draw what ``lindy.regularization_path`` returned: accuracy and features with a weight, from strong to weak.

    ``held_out`` is the accuracy on other examples at each point, as ``path.score`` returns it; ``most`` how many of the
    features that get a weight first are named.
    """
    ax = axes(ax, (8.0, 4.4))
    right = 100 * np.asarray(path.training)
    ax.plot(path.strengths, right, color=COLOURS[0], marker="o", label="right in training, %")
    if held_out is not None:
        ax.plot(
            path.strengths,
            100 * np.asarray(held_out),
            color=COLOURS[1],
            marker="s",
            linestyle="--",
            label="right held out, %",
        )
    ax.set_xscale("log")
    ax.invert_xaxis()  # time runs from the strong penalty to the weak one
    ax.set_xlabel(f"strength of the {path.penalty.upper()} penalty, from strong to weak")
    ax.set_ylabel("right, %")
    counts = ax.twinx()
    counts.plot(path.strengths, path.nonzero, color=GREY, linestyle=":", marker="^")
    counts.set_ylabel("features with a weight")
    counts.spines[["top"]].set_visible(False)
    ax.plot([], [], color=GREY, linestyle=":", marker="^", label="features with a weight")
    if path.penalty == "l1" and most:
        names = ", ".join(plain(name, 20) for name, _ in path.entering(most))
        ax.set_title(f"first to get a weight: {names}", fontsize=9, loc="left", wrap=True)
    legend(ax, bbox_to_anchor=(1.16, 1.0))
    return ax
