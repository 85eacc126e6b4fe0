"""Toy data whose best classifier is known: points in the plane, one Gaussian per class (LxMLS §1.2.1).

P(x, y) = P(y)·N(x; μ_y, σ²_y·I),     the Bayes optimal label of x is argmax_y P(x, y)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]


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

    def draw(self, n: int, random_state: Any = 0) -> tuple[Array, NDArray[np.int64]]:
        """Return n points and their labels, each class as often as its prior says, in random order."""
        rng = np.random.default_rng(random_state or 0)
        ends = np.round(np.cumsum(self.priors) / self.priors.sum() * n).astype(int)
        y = rng.permutation(np.searchsorted(ends, np.arange(n), side="right"))
        noise = rng.standard_normal((n, self.means.shape[1]))
        return self.means[y] + np.sqrt(self.variances[y])[:, None] * noise, y.astype(np.int64)


@dataclass(frozen=True, slots=True)
class ToyData:
    """Training and test points, and where they come from."""

    X_train: Array
    y_train: NDArray[np.int64]
    X_test: Array
    y_test: NDArray[np.int64]
    source: Gaussians


def toy_gaussians(
    n: int = 100,
    *,
    means: ArrayLike = ((-1.0, -1.0), (1.0, 1.0)),
    variances: ArrayLike = 1.0,
    priors: ArrayLike | None = None,
    test_share: float = 0.5,
    random_state: int = 0,
) -> ToyData:
    """Return points of one Gaussian per class, as many for testing as ``test_share`` says.

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
    source = Gaussians(centres, spread, share / share.sum())
    n_test = min(max(round(n * test_share), 1), n - 1)
    X_train, y_train = source.draw(n - n_test, (random_state or 0, 0))
    X_test, y_test = source.draw(n_test, (random_state or 0, 1))
    return ToyData(X_train, y_train, X_test, y_test, source)
