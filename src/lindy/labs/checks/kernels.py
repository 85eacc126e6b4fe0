"""Checks of kernels and of the kernel perceptron."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from lindy.labs.checks.outcome import Array, Case, Cause, run
from lindy.textbook import kernel_perceptron as dual
from lindy.textbook import kernels


def _pairs() -> Iterator[tuple[Array, Array]]:
    rng = np.random.default_rng(5)
    for _ in range(8):
        x, z = rng.integers(-2, 3, size=(2, 3)).astype(np.float64)
        yield x, z


def polynomial_kernel(kernel: Callable[..., Any]) -> None:
    """Check ``kernel(x, z, d)``, McDonald's (x·z + 1)^d."""

    def cases() -> Iterator[Case]:
        for i, (x, z) in enumerate(_pairs()):
            d = 2 + i % 3
            causes: list[Cause] = [
                (
                    "The 1 is missing: without it there are products of exactly d features only.",
                    kernels.polynomial(x, z, d, c=0),
                ),
                ("The power is missing.", kernels.polynomial(x, z, 1)),
                ("The 1 was added after the power.", kernels.polynomial(x, z, d, c=0) + 1),
            ]
            yield Case(
                (x, z, d),
                kernels.polynomial(x, z, d),
                f"For x = {x.tolist()}, z = {z.tolist()}, d = {d},",
                causes,
            )

    hints = ("It is a power of a product of two vectors.", "Add 1 to x·z before you take the power.")
    run("polynomial_kernel", kernel, cases(), hints)


def rbf_kernel(kernel: Callable[..., Any]) -> None:
    """Check ``kernel(x, z, gamma)``, the Gaussian kernel with γ = 1/(2σ²)."""

    def cases() -> Iterator[Case]:
        for i, (x, z) in enumerate(_pairs()):
            gamma = (0.1, 0.5)[i % 2]
            distance = float(np.linalg.norm(x - z))
            causes: list[Cause] = [
                ("The distance is not squared.", float(np.exp(-gamma * distance))),
                ("It grows with the distance: a sign is missing.", 1 / kernels.rbf(x, z, gamma)),
                (
                    "γ was taken for σ: the kernel has γ = 1/(2σ²) as a factor.",
                    kernels.rbf(x, z, 1 / (2 * gamma**2)),
                ),
                ("γ is missing.", kernels.rbf(x, z, 1.0)),
            ]
            yield Case(
                (x, z, gamma),
                kernels.rbf(x, z, gamma),
                f"For x = {x.tolist()}, z = {z.tolist()}, gamma = {gamma},",
                causes,
            )

    hints = (
        "It is 1 where x = z, and falls with their distance.",
        "The exponent is −γ times the squared distance.",
    )
    run("rbf_kernel", kernel, cases(), hints)


def kernel_perceptron(train: Callable[..., Any]) -> None:
    """Check ``train(K, y, epochs) -> alpha``, how often each example was got wrong; y is ±1, 0 counts for +1."""

    def mistakes(K: Array, signs: Any, epochs: int) -> Array:
        order = [*range(len(signs))] * epochs
        alpha = dual.kernel_perceptron(K, np.where(signs == 1, 1, 0), 2, order)[0]
        return alpha.sum(axis=1).astype(np.float64)

    def cases() -> Iterator[Case]:
        for seed in range(8):
            rng = np.random.default_rng(seed)
            X = rng.integers(-2, 3, size=(7, 2)).astype(np.float64)
            signs = np.where(rng.random(7) < 0.5, -1, 1)
            K = np.array([[kernels.polynomial(x, z) for z in X] for x in X])
            epochs = 1 + seed % 3
            alpha = mistakes(K, signs, epochs)
            causes: list[Cause] = [
                ("These are the mistakes of one round less.", mistakes(K, signs, max(epochs - 1, 1))),
                ("These are the signed coefficients, α·y; α itself counts.", alpha * signs),
                ("A score of 0 counts for +1, not for −1.", mistakes(K, -signs, epochs)),
            ]
            said = (
                f"For K = {K.astype(int).tolist()}, y = {signs.tolist()}, {epochs} round{'s' * (epochs > 1)},"
            )
            yield Case((K, signs, epochs), alpha, said, causes)

    hints = (
        "The score of example t is a sum over all examples: how often each was wrong, its label, its kernel with t.",
        "Start with zeros; an example that is got wrong counts one more from then on.",
    )
    run("kernel_perceptron", train, cases(), hints)
