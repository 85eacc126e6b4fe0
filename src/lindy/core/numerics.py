"""Elementary functions and dense linear algebra with the same bits on every machine.

NumPy's ``@``, ``dot`` and ``linalg`` call a BLAS whose kernels, and so whose order of sums, depend on the CPU; its
``exp`` and ``log`` have one version per instruction set; and those of the C library have others. What a fitted model
depends on is computed here instead: additions, multiplications, divisions and square roots in a fixed order.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lindy import _native

Array = NDArray[np.float64]

_EXP_LOW, _EXP_HIGH = -708.0, 709.0  # where e^x leaves the normal numbers
_TINY = float(np.finfo(np.float64).tiny)
_LN2_54 = 37.42994775023705  # 54·ln 2


def exp(x: ArrayLike) -> Array:
    """Return e^x; 0 where it would be below the normal numbers, ∞ beyond the largest."""
    x = np.asarray(x, np.float64)
    out = _mapped(_native.fast_exp, x)
    out[x < _EXP_LOW] = 0.0
    out[x > _EXP_HIGH] = np.inf
    out[np.isnan(x)] = np.nan
    return out


def log(x: ArrayLike) -> Array:
    """Return ln x; −∞ for 0 and NaN for negative numbers, without a warning."""
    x = np.asarray(x, np.float64)
    small = (x > 0) & (x < _TINY)
    out = _mapped(_native.fast_log, np.where(small, x * 2.0**54, x) if small.any() else x)
    out[small] -= _LN2_54
    out[x == 0] = -np.inf
    out[x == np.inf] = np.inf
    out[~(x >= 0)] = np.nan
    return out


def log1p(x: ArrayLike) -> Array:
    """Return ln(1 + x), accurate for small x."""
    x = np.asarray(x, np.float64)
    u = 1.0 + x
    with np.errstate(invalid="ignore", divide="ignore"):
        # what was lost in 1 + x, divided by the derivative (Kahan)
        return np.where(np.isfinite(u) & (u > 0), log(u) - ((u - 1.0) - x) / u, log(u))


def softplus(x: ArrayLike) -> Array:
    """Return ln(1 + e^x)."""
    return _mapped(_native.fast_softplus, x)


def sigmoid(x: ArrayLike) -> Array:
    """Return 1 / (1 + e^−x)."""
    return _mapped(_native.fast_sigmoid, x)


def cos(x: ArrayLike) -> Array:
    """Return cos x, with full precision for |x| < 10⁶."""
    return _mapped(_native.fast_cos, x)


def _mapped(kernel: Callable[[Array, Array], None], x: ArrayLike) -> Array:
    """Return the kernel's value for every number."""
    x = np.asarray(x, np.float64, order="C")
    out = np.empty_like(x)
    kernel(x.reshape(-1), out.reshape(-1))
    return out


def log_sum_exp(x: ArrayLike) -> Array:
    """Return ln Σ e^x over the last axis; −∞ where all terms are."""
    x = np.asarray(x, np.float64)
    top = x.max(axis=-1, keepdims=True)
    top = np.where(np.isfinite(top), top, 0.0)
    total: Array = top[..., 0] + log(exp(x - top).sum(axis=-1))
    return total


def softmax(x: ArrayLike) -> Array:
    """Return e^x / Σ e^x over the last axis."""
    x = np.asarray(x, np.float64)
    e = exp(x - x.max(axis=-1, keepdims=True))
    shares: Array = e / e.sum(axis=-1, keepdims=True)
    return shares


def dot(a: ArrayLike, b: ArrayLike, threads: int = 1) -> float:
    """Return Σ a_i·b_i over all entries."""
    left = np.ascontiguousarray(a, np.float64).reshape(-1)
    return float(_native.dot(left, np.ascontiguousarray(b, np.float64).reshape(-1), threads))


def matmul(a: ArrayLike, b: ArrayLike, threads: int = 1) -> Array:
    """Return a·b; either may be a vector, as with ``@``."""
    left, right = np.asarray(a, np.float64), np.asarray(b, np.float64)
    shape = left.shape[:-1] + right.shape[1:]
    left = np.ascontiguousarray(left if left.ndim == 2 else left[None, :])
    right = np.ascontiguousarray(right if right.ndim == 2 else right[:, None])
    out = np.empty((left.shape[0], right.shape[1]))
    _native.matmul(left, right, out, threads)
    return out.reshape(shape)


def gram(a: ArrayLike, threads: int = 1) -> Array:
    """Return aᵀa."""
    a = np.asarray(a, np.float64)
    return matmul(a.T, a, threads)


def solve_positive(a: ArrayLike, b: ArrayLike) -> Array | None:
    """Return a⁻¹·b for a symmetric positive definite a by Cholesky's factors, or None if a is not that."""
    b = np.array(b, np.float64)
    columns = np.ascontiguousarray(b if b.ndim == 2 else b[:, None])
    done = _native.solve_positive(np.array(a, np.float64, order="C"), columns)
    return columns.reshape(b.shape) if done else None


def eigh(a: ArrayLike) -> tuple[Array, Array]:
    """Return the eigenvalues of a symmetric matrix in ascending order, and its eigenvectors as columns.

    The sign of a vector is such that its entry of largest size (the first of equals) is positive.
    """
    vectors = np.array(a, np.float64, order="C")
    values = np.empty(len(vectors))
    if not _native.eigen(vectors, values):
        raise ValueError("the eigenvalues of the matrix did not converge; is it finite and symmetric?")
    order = np.argsort(values, kind="stable")
    values, vectors = values[order], vectors[order]
    largest = vectors[np.arange(len(vectors)), np.abs(vectors).argmax(axis=1)]
    vectors *= np.where(largest < 0, -1.0, 1.0)[:, None]
    return values, np.ascontiguousarray(vectors.T)


def shortest_solution(a: ArrayLike, b: ArrayLike) -> Array:
    """Return the shortest of the best solutions x of a·x ≈ b, for a symmetric a ≥ 0 that may be singular."""
    values, vectors = eigh(a)
    cut = len(values) * np.finfo(np.float64).eps * np.abs(values).max(initial=0.0)
    inverse = np.divide(1.0, values, out=np.zeros_like(values), where=np.abs(values) > cut)
    along = matmul(vectors.T, b)
    return matmul(vectors, along * (inverse[:, None] if along.ndim == 2 else inverse))
