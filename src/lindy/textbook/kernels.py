"""Kernels of vectors as McDonald's lecture writes them, and their feature maps."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def polynomial(x: Array, z: Array, d: int = 2, gamma: float = 1.0, c: float = 1.0) -> float:
    """(γ·x·z + c)^d; the lecture has γ = c = 1."""
    return float((gamma * (x @ z) + c) ** d)


def rbf(x: Array, z: Array, gamma: float = 1.0) -> float:
    """e^(−γ‖x − z‖²), with γ = 1/(2σ²)."""
    return float(np.exp(-gamma * ((x - z) @ (x - z))))


def cosine(x: Array, z: Array) -> float:
    """x·z / (‖x‖·‖z‖), 0 for an empty row."""
    lengths = np.sqrt((x @ x) * (z @ z))
    return float(x @ z / lengths) if lengths > 0 else 0.0


def intersection(x: Array, z: Array) -> float:
    """Σ_j min(x_j, z_j)."""
    return float(np.minimum(x, z).sum())


def squares_and_products(x: Array) -> Array:
    """φ(x) of the polynomial kernel of degree 2: all x_i², √2·x_i·x_j (i < j), √2·x_i, and 1."""
    i, j = np.triu_indices(len(x), 1)
    root = np.sqrt(2)
    return np.concatenate([x**2, root * x[i] * x[j], root * x, [1.0]])


def block_features(phi: Array, y: int, K: int) -> Array:
    """f(x, y): φ(x) in the block of class y, zeros in all others."""
    blocks = np.zeros((K, len(phi)))
    blocks[y] = phi
    return blocks.ravel()


def pair_kernel(kernel: float, y: int, other: int) -> float:
    """κ((x, y), (x', y')) = [y = y']·κ(x, x'), the product of two block features."""
    return kernel if y == other else 0.0
