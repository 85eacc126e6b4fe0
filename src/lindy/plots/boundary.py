"""Points in the plane and the boundaries of classifiers, of several on one toy data set, too (LxMLS exercise 1.8)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lindy.data import toy_gaussians, toy_shape
from lindy.errors import DataError
from lindy.estimators.learners import make_learner, usual_learners
from lindy.estimators.notebook import shown, table
from lindy.estimators.parameters import check_number, check_whole
from lindy.plots.style import COLOURS, GREY, LINES, axes, legend, plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes


Array = NDArray[np.float64]
_HATCHES = ("", "//", "..", "\\\\", "xx", "--", "oo")
_FINENESS = 400
OPTIMAL = "Bayes optimal"
_SIZE = (8.6, 4.8)  # inches: the legend is wide
_SHARE = 0.25  # of the points, for development and for tests each


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


@dataclass(frozen=True, slots=True)
class Boundaries:
    """The result of ``boundaries``: what was drawn and measured.

    Attributes
    ----------
    ax : the picture
    accuracies : dict from name to the accuracy on each part, {"train": …, "dev": …, "test": …}
    models : dict from name to fitted learner
    data : the points
    """

    ax: Axes
    accuracies: dict[str, dict[str, float]]
    models: dict[str, Any]
    data: Any

    def cells(self) -> list[list[str]]:
        """Return the accuracies as the cells of a table, the head first."""
        parts = next(iter(self.accuracies.values()))
        rows = [
            [name, *(f"{100 * own[part]:.1f} %" for part in parts)] for name, own in self.accuracies.items()
        ]
        return [["", *parts], *rows]

    def __str__(self) -> str:
        cells = self.cells()
        width = max(len(row[0]) for row in cells)
        return "\n".join(row[0].ljust(width) + "".join(f"{cell:>10}" for cell in row[1:]) for row in cells)

    def _repr_html_(self) -> str:
        return shown(table(self.cells()))


def boundaries(
    learners: Mapping[str, Any] | Iterable[str] | None = None,
    data: Any = None,
    *,
    points: int = 100,
    variance: float = 1.0,
    balance: float = 0.5,
    shape: str | None = None,
    seed: int = 0,
    ax: Axes | None = None,
) -> Boundaries:
    """Fit learners to points in the plane; draw where their labels change, and return how often they are right.

    Parameters
    ----------
    learners : dict from name to unfitted classifier, list of names, or None
        None takes naive Bayes (Gaussians of one variance), the perceptron, MIRA, MaxEnt and the SVM.
    data : what ``toy_gaussians`` or ``toy_shape`` returns, or None
        None draws points of two Gaussians around (−1, −1) and (1, 1), as the options below say: a half for training, a
        quarter for development and a quarter for tests.
    points : int
        How many.
    variance : float
        Of both classes; the larger, the more they overlap.
    balance : float
        Share of the first class.
    shape : {"xor", "rings", "moons"} or None
        Points that no line separates, instead of Gaussians.
    seed : int

    Examples
    --------
    >>> from lindy.plots import boundaries
    >>> found = boundaries(["perceptron", "svm"], variance=0.3, seed=1)
    >>> sorted(found.accuracies["svm"])
    ['dev', 'test', 'train']
    """
    toy = _points(points, variance, balance, shape, seed) if data is None else data
    if len(np.unique(toy.y_train)) < 2:
        raise DataError(
            f"all {len(toy.y_train)} training points are of one class",
            "draw more points, or take a balance nearer to 0.5",
        )
    models = {name: own.fit(toy.X_train, toy.y_train) for name, own in _unfitted(learners, seed).items()}
    judged = {OPTIMAL: toy.source, **models} if toy.source is not None else dict(models)
    parts = {
        part: (getattr(toy, f"X_{part}"), getattr(toy, f"y_{part}")) for part in ("train", "dev", "test")
    }
    accuracies = {
        name: {part: float(np.mean(own.predict(X) == y)) for part, (X, y) in parts.items() if len(y)}
        for name, own in judged.items()
    }
    picture = decision_boundary(models, toy, ax=axes(ax, _SIZE))
    handles, labels = picture.get_legend_handles_labels()
    known = {plain(name): name for name in accuracies}
    measured = " / ".join(next(iter(accuracies.values())))
    said = [_said(known.get(own), own, accuracies) for own in labels]
    legend(
        picture, handles=handles, labels=said, title=f"right in {measured}, %", alignment="left", fontsize=9
    )
    return Boundaries(picture, accuracies, models, toy)


def _said(name: str | None, label: str, accuracies: dict[str, dict[str, float]]) -> str:
    """Return the legend's words for a learner: its name and its accuracies; other labels as they are."""
    if name is None:
        return label
    figures = " / ".join(f"{100 * share:.0f}" for share in accuracies[name].values())
    return f"{label}: {figures}"


def _points(points: int, variance: float, balance: float, shape: str | None, seed: int) -> Any:
    check_whole("points", points, 8)
    check_number("variance", variance, above=0)
    if isinstance(balance, bool) or not isinstance(balance, Real) or not 0 < float(balance) < 1:
        raise ValueError(
            f"balance must lie between 0 and 1: it is the share of the first class; got {balance!r}"
        )
    shares: dict[str, Any] = {"test_share": _SHARE, "dev_share": _SHARE, "random_state": seed}
    if shape is not None:
        if variance != 1.0 or balance != 0.5:
            raise ValueError(
                f"variance and balance are of Gaussians: leave them out, or leave out shape={shape!r}"
            )
        return toy_shape(shape, points, **shares)
    return toy_gaussians(points, variances=variance, priors=(balance, 1 - balance), **shares)


def _unfitted(learners: Mapping[str, Any] | Iterable[str] | None, seed: int) -> dict[str, Any]:
    """Return the learners to fit, by name."""
    if isinstance(learners, Mapping):
        made = dict(learners)
        for name, own in made.items():
            if not hasattr(own, "fit") or not hasattr(own, "predict") or isinstance(own, type):
                raise TypeError(f"learner {name!r} must be an unfitted classifier; got {own!r}")
    else:
        if isinstance(learners, str):
            learners = [learners]
        names = ["naive-bayes", *usual_learners("plot")] if learners is None else list(learners)
        made = {name: toy_learner(name, random_state=seed) for name in names}
    if not made:
        raise ValueError("there must be at least one learner")
    return made


def toy_learner(name: str, **options: Any) -> Any:
    """Return a learner for points by its name, with those of the options that it has; naive Bayes is of Gaussians."""
    if name == "naive-bayes":
        from lindy.bayes import GaussianNaiveBayes

        return GaussianNaiveBayes(variance="shared")
    learner: Any = make_learner(name)
    known = learner.get_params()
    return learner.set_params(**{key: value for key, value in options.items() if key in known})
