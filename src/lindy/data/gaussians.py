"""Toy data whose best classifier is known: points in the plane, one Gaussian per class (LxMLS 1.2.1).

P(x, y) = P(y)·N(x; μ_y, σ²_y·I),     the Bayes optimal label of x is argmax_y P(x, y)
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]


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
