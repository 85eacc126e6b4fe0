"""Toy data: points in the plane, of Gaussians whose best classifier is known, or of shapes that no line separates.

One Gaussian per class (LxMLS 1.2.1):

    P(x, y) = P(y)·N(x; μ_y, σ²_y·I),     the Bayes optimal label of x is argmax_y P(x, y)

Shapes: XOR, rings and moons.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]
SHAPES = ("xor", "rings", "moons")


def no_points() -> Array:
    """Return points of which there are none."""
    return np.zeros((0, 2))


def no_labels() -> NDArray[np.int64]:
    """Return the labels of no points."""
    return np.zeros(0, np.int64)


@dataclass(frozen=True, slots=True)
class Gaussians:
    """The distribution: ``means`` (classes, 2), ``variances`` and ``priors`` (classes,)."""

    means: Array
    variances: Array
    priors: Array

    @property
    def classes_(self) -> NDArray[np.int64]:
        """The labels, numbers from 0."""
        return np.arange(len(self.means))

    def joint_log_proba(self, X: ArrayLike) -> Array:
        """Return log P(x, y), points × classes."""
        x = np.asarray(X, np.float64)[:, None, :]
        distance = ((x - self.means) ** 2).sum(axis=2)
        joint: Array = (
            np.log(self.priors) - np.log(2 * np.pi * self.variances) - distance / (2 * self.variances)
        )
        return joint

    def predict(self, X: ArrayLike) -> NDArray[np.intp]:
        """Return the Bayes optimal labels: no classifier errs less on average."""
        labels: NDArray[np.intp] = self.joint_log_proba(X).argmax(axis=1)
        return labels

    def accuracy(self, classifier: Any, steps: int = 700) -> float:
        """Return how often a classifier is right on new points: ∫ P(x, ŷ(x)) dx, summed over a grid in the plane.

        Nothing is drawn, so there is no chance in it: with 700 steps it is right to three digits. The labels of the
        classifier are numbers from 0.
        """
        reach = 6 * np.sqrt(self.variances)[:, None]
        axes = np.linspace((self.means - reach).min(axis=0), (self.means + reach).max(axis=0), steps)
        points = np.stack(np.meshgrid(*axes.T, indexing="ij"), axis=-1).reshape(-1, 2)
        label = np.asarray(classifier.predict(points))
        log_density = self.joint_log_proba(points)[np.arange(len(points)), label]
        return float(np.exp(log_density).sum() * np.prod(axes[1] - axes[0]))

    def best_accuracy(self, steps: int = 700) -> float:
        """Return how often the Bayes optimal label is right: no classifier is right more often."""
        return self.accuracy(self, steps)

    def draw(self, n: int, random_state: Any = 0) -> tuple[Array, NDArray[np.int64]]:
        """Return n points and their labels, each class as often as its prior says, in random order."""
        rng = np.random.default_rng(random_state or 0)
        ends = np.round(np.cumsum(self.priors) / self.priors.sum() * n).astype(int)
        y = rng.permutation(np.searchsorted(ends, np.arange(n), side="right"))
        noise = rng.standard_normal((n, self.means.shape[1]))
        return self.means[y] + np.sqrt(self.variances[y])[:, None] * noise, y.astype(np.int64)


@dataclass(frozen=True, slots=True)
class ToyData:
    """Training, test and, if asked for, development points, and where they come from."""

    X_train: Array
    y_train: NDArray[np.int64]
    X_test: Array
    y_test: NDArray[np.int64]
    source: Gaussians
    X_dev: Array = field(default_factory=no_points)
    y_dev: NDArray[np.int64] = field(default_factory=no_labels)


def toy_gaussians(
    n: int = 100,
    *,
    means: ArrayLike = ((-1.0, -1.0), (1.0, 1.0)),
    variances: ArrayLike = 1.0,
    priors: ArrayLike | None = None,
    test_share: float = 0.5,
    dev_share: float = 0.0,
    random_state: int = 0,
) -> ToyData:
    """Return points of one Gaussian per class; ``test_share`` and ``dev_share`` of them are for tests and development.

    Examples
    --------
    >>> from lindy.data import toy_gaussians
    >>> toy = toy_gaussians(100, means=[(-1, -1), (1, 1)], random_state=1)
    >>> toy.X_train.shape, toy.X_test.shape
    ((50, 2), (50, 2))
    """
    centres = np.asarray(means, np.float64)
    if centres.ndim != 2 or centres.shape[1] != 2 or len(centres) < 2:
        raise ValueError(f"means must be at least two points in the plane; got shape {centres.shape}")
    K = len(centres)
    spread = np.broadcast_to(np.asarray(variances, np.float64), (K,)).copy()
    share = np.full(K, 1.0 / K) if priors is None else np.asarray(priors, np.float64)
    if not (spread > 0).all() or share.shape != (K,) or not (share > 0).all():
        raise ValueError("variances and priors must be greater than 0, with one prior for each mean")
    if n < 2 or not 0 < test_share < 1:
        raise ValueError(f"n must be at least 2 and test_share between 0 and 1; got {n} and {test_share}")
    check_dev_share(dev_share, test_share)
    source = Gaussians(centres, spread, share / share.sum())
    n_test = min(max(round(n * test_share), 1), n - 1)
    n_dev = min(round(n * dev_share), n - n_test - 1)
    parts = enumerate((n - n_test - n_dev, n_test, n_dev))
    train, test, dev = (source.draw(size, (random_state or 0, number)) for number, size in parts)
    return ToyData(*train, *test, source, *dev)


def check_dev_share(dev_share: float, test_share: float) -> None:
    """Refuse a share of points for development that leaves none to learn from."""
    if not 0 <= dev_share < 1 - test_share:
        raise ValueError(
            "dev_share must be at least 0 and leave points to learn from beside"
            f" test_share={test_share:g}; got {dev_share}"
        )


@dataclass(frozen=True, slots=True)
class ShapeData:
    """Training, test and development points; unlike Gaussians, the source of shapes is no classifier."""

    X_train: Array
    y_train: NDArray[np.int64]
    X_test: Array
    y_test: NDArray[np.int64]
    source: None = None
    X_dev: Array = field(default_factory=no_points)
    y_dev: NDArray[np.int64] = field(default_factory=no_labels)


def toy_shape(
    shape: str,
    n: int = 200,
    *,
    noise: float = 0.15,
    test_share: float = 0.5,
    dev_share: float = 0.0,
    random_state: int = 0,
) -> ShapeData:
    """Return points of two classes that need a boundary other than a line.

    Parameters
    ----------
    shape : "xor", "rings" or "moons"
        Four clouds at the corners of a square, those on one diagonal of one class; a ring around another; two half
        circles that reach into each other.
    noise : float
        Standard deviation of the points around their shape.

    Examples
    --------
    >>> from lindy.data import toy_shape
    >>> toy_shape("rings", 100).X_train.shape
    (50, 2)
    """
    if shape not in SHAPES:
        raise ValueError(f"shape must be one of {list(SHAPES)}; got {shape!r}")
    if n < 8 or not 0 < test_share < 1 or not noise >= 0:
        raise ValueError(
            "n must be at least 8, test_share between 0 and 1, and noise not negative;"
            f" got {n}, {test_share} and {noise}"
        )
    check_dev_share(dev_share, test_share)
    rng = np.random.default_rng(random_state or 0)
    y = np.arange(n) % 2
    points = _points(shape, y, rng) + noise * rng.standard_normal((n, 2))
    order = rng.permutation(n)
    n_test = min(max(round(n * test_share), 2), n - 2)
    n_dev = min(round(n * dev_share), n - n_test - 2)
    test, dev, train = np.split(order, [n_test, n_test + n_dev])
    return ShapeData(points[train], y[train], points[test], y[test], None, points[dev], y[dev])


def _points(shape: str, y: NDArray[np.int64], rng: Any) -> Array:
    """Return points of the classes ``y`` without noise."""
    if shape == "xor":
        first = rng.integers(0, 2, len(y))
        corners: Array = np.stack([first, first ^ y], axis=1) * 2.0 - 1.0
        return corners
    angle = rng.uniform(0, 2 * np.pi, len(y))
    if shape == "rings":
        radius = np.where(y == 1, 0.6, 1.6)
        ring: Array = radius[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1)
        return ring
    half = angle / 2
    upper = np.stack([np.cos(half), np.sin(half)], axis=1)
    lower = np.stack([1 - np.cos(half), 0.5 - np.sin(half)], axis=1)
    moons: Array = np.where((y == 0)[:, None], upper, lower)
    return moons
