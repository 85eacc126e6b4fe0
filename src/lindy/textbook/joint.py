"""Learning with joint features f(x, y): one weight vector over groups of candidates (LxMLS 1.15–1.18, McDonald).

``F[i]`` is the matrix of example i, one row f(x_i, y) per candidate y; ``gold[i]`` is the row of the right one.
``order`` lists the examples to visit, all rounds one after the other.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def block_map(g: Array, K: int) -> Array:
    """Return f(x, y) = g(x) ⊗ e_y for all K labels, one row per label."""
    return np.kron(np.eye(K), g).astype(np.float64)


def perceptron(
    F: Sequence[Array], gold: Sequence[int], order: Iterable[int], eta: float = 1.0
) -> tuple[Array, Array, int]:
    """Return the last weights, the average over the weights after every step, and the number of mistakes."""
    w = np.zeros(F[0].shape[1])
    total, t, mistakes = np.zeros_like(w), 0, 0
    for m in order:
        t = t + 1
        y_hat = np.argmax(F[m] @ w)
        if y_hat != gold[m]:
            w += eta * (F[m][gold[m]] - F[m][y_hat])
            mistakes = mistakes + 1
        total += w
    return w, total / t, mistakes


def mira(
    F: Sequence[Array],
    gold: Sequence[int],
    rho: Sequence[Array],
    order: Iterable[int],
    C: float,
    *,
    constraints: str = "predicted",
    k: int = 1,
) -> tuple[Array, Array]:
    """Return the last and the averaged weights of PA-I; ``rho[i]`` has the cost of each candidate, 0 for the gold."""
    w = np.zeros(F[0].shape[1])
    total, t = np.zeros_like(w), 0
    for m in order:
        t = t + 1
        scores, y = F[m] @ w, gold[m]
        losses = scores - scores[y] + rho[m]
        d = F[m][y] - F[m]
        best = np.argsort(-scores, kind="stable")
        rivals = best[: {"predicted": 1, "k-best": k}.get(constraints)]
        rivals = rivals[rivals != y]
        if constraints == "max-loss":
            rivals = np.sort(rivals)
            rivals = rivals[np.argsort(-losses[rivals], kind="stable")[:1]]
        rivals = rivals[d[rivals].any(axis=1)]  # no weights tell the others from y
        w += smallest_alpha(losses[rivals], d[rivals] @ d[rivals].T, C) @ d[rivals]
        total += w
    return w, total / t


def smallest_alpha(losses: Array, G: Array, C: float) -> Array:
    """Return the α ≥ 0, Σα ≤ C, that maximise  α·ℓ − ½ αᵀGα:  the smallest step to meet all constraints is Σ α_c d_c.

    Every pair in turn moves what is best for the two (Hildreth's algorithm for one at a time would ignore the cap);
    the first entry is what is left of C.
    """
    ell, H = np.r_[0.0, losses], np.pad(G, ((1, 0), (1, 0)))
    alpha: Array = np.r_[C, np.zeros(len(losses))]
    for _ in range(3000):
        before = alpha.copy()
        for i in range(len(alpha)):
            for j in range(i):
                slope = (ell[i] - H[i] @ alpha) - (ell[j] - H[j] @ alpha)
                curvature = H[i, i] + H[j, j] - 2 * H[i, j]
                step = slope / curvature if curvature > 0 else np.sign(slope) * np.inf
                step = np.clip(step, -alpha[i], alpha[j]) if slope else 0.0
                alpha[i], alpha[j] = alpha[i] + step, alpha[j] - step
        if np.abs(alpha - before).max() <= 1e-14:
            break
    return alpha[1:]


def log_loss(F: Sequence[Array], gold: Sequence[int], w: Array, lam: float) -> tuple[float, Array]:
    """Return  mean −log P(y|x) + λ/2‖w‖²  and its gradient: expected minus empirical features, plus λw."""
    value, gradient = 0.5 * lam * w @ w, lam * w
    for f, y in zip(F, gold, strict=True):
        s = f @ w
        p = np.exp(s - s.max())
        p /= p.sum()
        value -= np.log(p[y]) / len(F)
        gradient = gradient + (p @ f - f[y]) / len(F)
    return float(value), gradient


def hinge_loss(F: Sequence[Array], gold: Sequence[int], rho: Sequence[Array], w: Array, lam: float) -> float:
    """Return  mean max_c (ρ_c + w·f_c − w·f_gold) + λ/2‖w‖²."""
    losses = [np.max(f @ w + r) - f[y] @ w for f, y, r in zip(F, gold, rho, strict=True)]
    return float(np.mean(losses) + 0.5 * lam * w @ w)
