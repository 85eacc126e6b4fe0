"""Toy data that no line separates: XOR, rings and moons in the plane."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lindy.data.gaussians import check_dev_share, no_labels, no_points

Array = NDArray[np.float64]
SHAPES = ("xor", "rings", "moons")


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
