"""Pictures of models of several labels: F1 by frequency, thresholds, calibration, and which labels go together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lindy.core.targets import ManyLabels
from lindy.plots.results import reliability
from lindy.plots.style import COLOURS, GREY, axes, legend, plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MOST_NAMED = 6
_MOST_SQUARES = 25


def f1_by_frequency(
    counts: ArrayLike, f1: ArrayLike, labels: Sequence[Any], *, ax: Axes | None = None
) -> Axes:
    """Draw the F1 of each label against its number of training texts, with the mean of labels as frequent.

    The most frequent labels are named.
    """
    ax = axes(ax)
    n, values = np.asarray(counts, float), np.asarray(f1, float)
    ax.scatter(np.maximum(n, 0.7), values, 14, color=COLOURS[0], alpha=0.6, linewidths=0, label="a label")
    edges = np.unique(np.quantile(np.maximum(n, 0.7), np.linspace(0, 1, 9))) if len(n) else np.ones(1)
    if len(edges) > 2:
        place = np.clip(np.searchsorted(edges, np.maximum(n, 0.7), "right") - 1, 0, len(edges) - 2)
        own = np.unique(place)
        middle = [float(np.exp(np.log(np.maximum(n, 0.7))[place == k].mean())) for k in own]
        mean = [float(values[place == k].mean()) for k in own]
        ax.plot(middle, mean, color=COLOURS[1], marker="s", markersize=4, label="mean of labels as frequent")
    for k in np.argsort(-n, kind="stable")[:_MOST_NAMED].tolist():
        ax.annotate(
            plain(labels[k], 16),
            (n[k], values[k]),
            xytext=(-3, 4),
            textcoords="offset points",
            ha="right",
            fontsize=7,
            color=GREY,
        )
    ax.set(xscale="log", xlabel="training texts with the label", ylabel="F1", ylim=(-0.03, 1.03))
    legend(ax)
    return ax


def threshold_curve(
    has: ArrayLike,
    probabilities: ArrayLike,
    threshold: float | None = None,
    *,
    label: str = "",
    ax: Axes | None = None,
) -> Axes:
    """Draw precision, recall and F1 of one label by the probability from which on it is given."""
    ax = axes(ax)
    is_true, p = np.asarray(has, bool), np.asarray(probabilities, float)
    order = np.argsort(-p, kind="stable")
    cuts, hits = p[order], np.cumsum(is_true[order])
    last = np.append(cuts[1:] < cuts[:-1], True)[: len(cuts)]
    called = np.arange(1, len(cuts) + 1)
    precision, recall = (hits / called)[last], (hits / max(is_true.sum(), 1))[last]
    f1 = (2 * hits / (called + max(is_true.sum(), 1)))[last]
    for i, (name, values) in enumerate((("precision", precision), ("recall", recall), ("F1", f1))):
        ax.plot(cuts[last], values, color=COLOURS[i], linestyle=("-", "--", "-.")[i], label=name)
    if threshold is not None:
        ax.axvline(threshold, color=GREY, linestyle=":", label=f"the model's threshold, {threshold:.2f}")
    ax.set(xlabel="probability from which on it is given", ylabel="share", ylim=(-0.03, 1.03))
    if label:
        ax.set_title(plain(label), fontsize=10, loc="left")
    legend(ax)
    return ax


def label_reliability(truth: ManyLabels, probabilities: NDArray[Any], *, ax: Axes | None = None) -> Axes:
    """Draw how often labels come true against how probable they were said to be, all labels together."""
    return reliability(truth.indicator().ravel(), probabilities.ravel(), ax=ax)


def label_cooccurrence(truth: ManyLabels, *, most: int = _MOST_SQUARES, ax: Axes | None = None) -> Axes:
    """Draw which of the most frequent labels go together: the share of a label's texts that have another one, too."""
    own = np.sort(np.argsort(-truth.counts, kind="stable")[:most])
    some = truth.only(own)
    has = some.indicator()
    both = np.array([has[has[:, k] == 1].sum(axis=0) for k in range(len(own))], float)
    share = both / np.maximum(some.counts[:, None], 1)
    np.fill_diagonal(share, np.nan)
    side = min(2.5 + 0.3 * len(own), 9.5)
    ax = axes(ax, (side + 1.0, side))
    ax.grid(False)
    image = ax.imshow(share, cmap="Blues", vmin=0.0, vmax=1.0)
    names = [plain(name, 18) for name in some.names.tolist()]
    ax.set_xticks(range(len(own)), names, rotation=60, ha="right", fontsize=8)
    ax.set_yticks(range(len(own)), names, fontsize=8)
    ax.set(xlabel="have this one, too", ylabel="texts with this label")
    ax.get_figure().colorbar(image, ax=ax, shrink=0.8).set_label("share of texts")  # type: ignore[union-attr]
    return ax
