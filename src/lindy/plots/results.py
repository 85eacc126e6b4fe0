"""Confusion and reliability: what predictions are worth."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from lindy.evaluation.intervals import wilson
from lindy.evaluation.reliability import BINS, binned
from lindy.plots.style import COLOURS, GREY, axes, legend, plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MOST_NUMBERS = 20


def confusion(
    counts: ArrayLike, labels: Sequence[Any], *, normalize: bool = True, ax: Axes | None = None
) -> Axes:
    """Draw a confusion matrix: true classes in rows, predicted ones in columns.

    Shades are shares of the row with ``normalize``, otherwise counts; the cells carry the counts up to 20 classes.
    """
    n = np.asarray(counts, float)
    K = len(labels)
    side = min(2.2 + 0.55 * K, 9.0)
    ax = axes(ax, (side + 1.2, side))
    ax.grid(False)
    whole = n.sum(axis=1, keepdims=True)
    shade = np.divide(n, whole, out=np.zeros_like(n), where=whole > 0) if normalize else n
    image = ax.imshow(shade, cmap="Blues", vmin=0.0, vmax=1.0 if normalize else None)
    names = [plain(label, 16) for label in labels]
    slanted = K > 3 and max(map(len, names)) > 3
    ax.set_xticks(range(K), names, rotation=45 if slanted else 0, ha="right" if slanted else "center")
    ax.set_yticks(range(K), names)
    ax.set(xlabel="predicted", ylabel="true")
    if K <= _MOST_NUMBERS:
        middle = (shade.max() if shade.size else 1.0) / 2
        for i in range(K):
            for j in range(K):
                colour = "white" if shade[i, j] > middle else "black" if n[i, j] else "#999999"
                ax.text(j, i, f"{n[i, j]:,.0f}", ha="center", va="center", color=colour, fontsize=9)
    bar = ax.get_figure().colorbar(image, ax=ax, shrink=0.8)  # type: ignore[union-attr]
    bar.set_label("share of the true class" if normalize else "examples")
    return ax


def reliability(right: ArrayLike, confidence: ArrayLike, *, bins: int = BINS, ax: Axes | None = None) -> Axes:
    """Draw how often predictions come true against how probable they were said to be.

    ``right`` says which predictions were right and ``confidence`` has the probability that each was given. Points are
    the means of equally wide bins, with Wilson's 95 % intervals; their size grows with the number of examples. On the
    diagonal probabilities come true.
    """
    ax = axes(ax, (5.8, 4.6))
    hit, said = np.asarray(right, float), np.asarray(confidence, float)
    if hit.shape != said.shape or hit.ndim != 1 or not len(hit):
        raise ValueError("right and confidence must be equally long lists with at least one entry")
    curve = binned(said, hit.astype(bool), bins)
    n, mean_said, mean_hit = curve.counts, curve.confidence, curve.accuracy
    bounds = np.array([wilson(float(share), int(m)) for share, m in zip(mean_hit, n, strict=True)])
    ax.errorbar(
        mean_said,
        mean_hit,
        yerr=np.abs(bounds.T - mean_hit),
        fmt="none",
        color=COLOURS[0],
        elinewidth=1.2,
        capsize=3,
        label="95% interval",
    )
    ax.plot(mean_said, mean_hit, "-", color=COLOURS[0], linewidth=1)
    sizes = 20 + 180 * n / n.max()
    ax.scatter(mean_said, mean_hit, sizes, color=COLOURS[0], zorder=3, label="share that was right")
    low = 0.0 if min(float(said.min()), float(mean_hit.min())) < 0.45 else 0.45
    ax.plot([low, 1], [low, 1], color=GREY, linestyle=":", label="comes true as said")
    ax.set(xlim=(low, 1.02), ylim=(min(low, float(bounds.min())) - 0.02, 1.02))
    ax.set(xlabel="probability that was said", ylabel="share that was right")
    ax.set_title(f"expected calibration error {curve.error:.3f}", fontsize=10, loc="left")
    legend(ax, markerscale=0.6)
    return ax
