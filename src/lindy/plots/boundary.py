"""Points in the plane and the boundaries of classifiers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lindy.plots.style import COLOURS, GREY, LINES, axes, legend, plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Array = NDArray[np.float64]
_HATCHES = ("", "//", "..", "\\\\", "xx", "--", "oo")
_FINENESS = 400


def toy_data(data: Any, *, ax: Axes | None = None) -> Axes:
    """Draw the points of ``lindy.data.toy_gaussians``: squares to train on, triangles for development, circles to test.

    Classes differ in colour and in filling: the first is filled, the second hollow, the third half filled, and so on.
    """
    ax = axes(ax)
    parts = [("train", "s", data.X_train, data.y_train), ("test", "o", data.X_test, data.y_test)]
    if len(data.y_dev):
        parts.insert(1, ("dev", "^", data.X_dev, data.y_dev))
    labels = np.unique(np.concatenate([data.y_train, data.y_test]))
    for name, marker, X, y in parts:
        for c, label in enumerate(labels.tolist()):
            points = np.asarray(X)[np.asarray(y) == label]
            ax.plot(
                *points.T,
                linestyle="none",
                marker=marker,
                markersize=6,
                color=COLOURS[c % len(COLOURS)],
                fillstyle=("full", "none", "left", "bottom")[c % 4],
                markeredgewidth=1.2,
                label=f"{name}, class {plain(label)}",
                zorder=3,
            )
    ax.set_xlabel("$x_1$")
    ax.set_ylabel("$x_2$")
    ax.margins(0.12)
    ax.set_aspect("equal", adjustable="box")
    legend(ax)
    return ax


def decision_boundary(
    models: Mapping[str, Any], data: Any | None = None, *, optimal: bool = True, ax: Axes | None = None
) -> Axes:
    """Draw where the labels of classifiers change, over the points of ``lindy.data.toy_gaussians`` if they are given.

    ``models`` has fitted classifiers of two columns, by the names that the legend shall show; for several classes a
    boundary is every line between two of them. With ``optimal`` that of the data's source is drawn too.
    """
    ax = axes(ax)
    if data is not None:
        toy_data(data, ax=ax)
    X, Y, points = _plane(ax)
    drawn = dict(models)
    if optimal and data is not None and data.source is not None:
        drawn = {"Bayes optimal": data.source, **drawn}
    for i, (name, model) in enumerate(drawn.items()):
        best = data is not None and model is data.source
        colour, line = (GREY, "-") if best else (COLOURS[(i + 1) % len(COLOURS)], LINES[i % len(LINES)])
        width, alpha = (4.0, 0.6) if best else (1.8, 1.0)
        drawn_as: dict[str, Any] = {
            "colors": [colour],
            "linestyles": [line],
            "linewidths": width,
            "alpha": alpha,
        }
        for surface in _surfaces(model, points):
            ax.contour(X, Y, surface.reshape(X.shape), [0.0], **drawn_as)
        ax.plot([], [], color=colour, linestyle=line, linewidth=width, alpha=alpha, label=plain(name))
    legend(ax)
    return ax


def decision_regions(model: Any, data: Any | None = None, *, ax: Axes | None = None) -> Axes:
    """Fill the plane with the labels that a classifier gives, in colours and hatches, under the data's points."""
    ax = axes(ax)
    if data is not None:
        toy_data(data, ax=ax)
    X, Y, points = _plane(ax)
    labels = model.classes_.tolist()
    number = np.searchsorted(model.classes_, model.predict(points)).reshape(X.shape)
    for c, label in enumerate(labels):
        colour, hatch = COLOURS[c % len(COLOURS)], _HATCHES[c % len(_HATCHES)]
        ax.contourf(X, Y, number == c, [0.5, 1.5], colors=[colour], alpha=0.18, hatches=[hatch], zorder=0)
        ax.fill([], [], color=colour, alpha=0.18, hatch=hatch, label=f"predicted {plain(label)}")
    legend(ax)
    return ax


def _plane(ax: Axes) -> tuple[Array, Array, Array]:
    """Fix the limits of the axes and cover them with points."""
    ax.autoscale_view()
    (left, right), (low, high) = ax.get_xlim(), ax.get_ylim()
    ax.set(xlim=(left, right), ylim=(low, high))
    X, Y = np.meshgrid(np.linspace(left, right, _FINENESS), np.linspace(low, high, _FINENESS))
    return X, Y, np.stack([X.ravel(), Y.ravel()], axis=1)


def _surfaces(model: Any, points: ArrayLike) -> list[Array]:
    """Return functions of the plane that are 0 on the boundary: for each class, its lead over the best other one."""
    score = getattr(model, "decision_function", None) or model.joint_log_proba
    scores = np.asarray(score(points), np.float64)
    if scores.ndim == 1:
        return [scores]
    if scores.shape[1] == 2:
        return [scores[:, 1] - scores[:, 0]]
    return [scores[:, c] - np.delete(scores, c, axis=1).max(axis=1) for c in range(scores.shape[1])]
