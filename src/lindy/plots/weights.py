"""Weights as pictures: bars for words, images for pixels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from lindy.plots.style import COLOURS, axes, plain

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
