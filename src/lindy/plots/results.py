"""Results as pictures: confusion, reliability, and curves of objective and accuracy by time, epoch and size."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from lindy.evaluation.metrics.intervals import wilson
from lindy.evaluation.metrics.reliability import BINS, binned
from lindy.plots.style import COLOURS, GREY, axes, legend, look, plain

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


def objective_by_time(
    histories: Mapping[str, Any], *, optimum: float | None = None, ax: Axes | None = None
) -> Axes:
    """Draw how far each optimiser is above the optimum after how many seconds, on one pair of axes.

    ``histories`` has what learners keep as ``history_`` (lists ``objective`` and ``seconds``). Without ``optimum`` the
    lowest objective of all is taken for it. Both axes are logarithmic.
    """
    ax = axes(ax)
    curves = {
        name: (np.asarray(h.seconds, float), np.asarray(h.objective, float)) for name, h in histories.items()
    }
    curves = {name: (s, o) for name, (s, o) in curves.items() if len(s) and len(o)}
    if not curves:
        raise ValueError("none of the histories has objectives and seconds")
    best = min(float(o.min()) for _, o in curves.values()) if optimum is None else optimum
    smallest = max(abs(best), 1e-300) * 1e-12
    for i, (name, (seconds, objective)) in enumerate(curves.items()):
        n = min(len(seconds), len(objective))
        gap = np.maximum(objective[:n] - best, 0.0) / max(abs(best), 1e-300)
        shown = gap > smallest / max(abs(best), 1e-300)
        ax.plot(
            np.maximum(seconds[:n][shown], 1e-6),
            gap[shown],
            **look(i),
            markersize=4,
            markevery=max(1, n // 12),
            label=plain(name),
        )
    ax.set(xscale="log", yscale="log", xlabel="seconds", ylabel="objective above the optimum, relative")
    ax.tick_params(axis="x", which="minor", labelbottom=False)  # between powers of ten labels would overlap
    legend(ax)
    return ax


def objective_by_round(objective: ArrayLike, *, ax: Axes | None = None) -> Axes:
    """Draw the objective of one training, round by round."""
    ax = axes(ax)
    values = np.asarray(objective, float)
    ax.plot(np.arange(1, len(values) + 1), values, color=COLOURS[0], marker="o", markersize=4)
    ax.set(xlabel="round", ylabel="objective")
    ax.locator_params(axis="x", integer=True)
    return ax


def accuracy_by_epoch(
    training: ArrayLike, held_out: ArrayLike | None = None, *, ax: Axes | None = None
) -> Axes:
    """Draw training and held-out accuracy epoch by epoch, and mark the best held-out one."""
    ax = axes(ax)
    epochs = np.arange(1, len(np.asarray(training)) + 1)
    ax.plot(epochs, np.asarray(training), color=COLOURS[0], marker="s", markersize=4, label="training")
    if held_out is not None and len(np.asarray(held_out)):
        scores = np.asarray(held_out, float)
        at = np.arange(1, len(scores) + 1)
        ax.plot(at, scores, color=COLOURS[1], linestyle="--", marker="o", markersize=4, label="held out")
        best = int(scores.argmax())
        label = f"best held out: {scores[best]:.3f}"
        ax.plot(at[best], scores[best], "*", color=COLOURS[1], markersize=14, label=label)
    ax.set(xlabel="epoch", ylabel="accuracy")
    ax.locator_params(axis="x", integer=True)
    legend(ax)
    return ax


def accuracy_by_row(
    ends: ArrayLike,
    windows: ArrayLike,
    cumulative: ArrayLike,
    total: tuple[float, float, float] | None = None,
    *,
    measure: str = "accuracy",
    ax: Axes | None = None,
) -> Axes:
    """Draw the accuracy of rows, or another measure, before they were learned: of each batch, and of all so far.

    ``ends`` says after how many rows the batches end; ``total`` is the accuracy of all rows and its interval.
    """
    ax = axes(ax)
    at, shares = np.asarray(ends, float), np.asarray(windows, float)
    edges = np.concatenate([[0.0], at])
    ax.stairs(shares, edges, color=COLOURS[1], linestyle="--", baseline=None, label="each batch")
    ax.plot(
        at, np.asarray(cumulative, float), color=COLOURS[0], marker="o", markersize=4, label="all rows so far"
    )
    if total is not None:
        share, low, high = total
        ax.axhspan(
            low,
            high,
            color=COLOURS[0],
            alpha=0.15,
            linewidth=0,
            label=f"all rows: {share:.3f}, 95 % interval",
        )
    ax.set(xlabel="new rows", ylabel=f"{measure} before learning", xlim=(0, edges[-1]))
    legend(ax)
    return ax


def learning_curve(
    sizes: Sequence[int],
    scores: Mapping[str, ArrayLike],
    intervals: Mapping[str, ArrayLike] | None = None,
    *,
    measure: str = "accuracy",
    ax: Axes | None = None,
) -> Axes:
    """Draw scores against the number of training examples, with their intervals (sizes × 2) as bands."""
    ax = axes(ax)
    for i, (name, values) in enumerate(scores.items()):
        if intervals is not None and name in intervals:
            low, high = np.asarray(intervals[name], float).T
            ax.fill_between(sizes, low, high, color=look(i)["color"], alpha=0.15, linewidth=0)
        ax.plot(sizes, np.asarray(values, float), **look(i), markersize=5, label=plain(name))
    ax.set(xlabel="training examples", ylabel=measure)
    ax.locator_params(axis="x", integer=True)
    legend(ax)
    return ax
