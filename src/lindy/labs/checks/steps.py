"""Checks of steps and rounds: perceptron, MIRA, MaxEnt, SVM, Pegasos.

The causes of a difference are told from the change of the weights alone: its sign, its size, what is left out of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lindy.labs.checks.outcome import Array, Case, Cause, ordinal, run
from lindy.textbook import mira as textbook_mira
from lindy.textbook import objectives
from lindy.textbook.perceptron import averaged_perceptron as textbook_perceptron
from lindy.textbook.stochastic_gradient import (
    cost_augmented_direction,
    hinge_direction,
    log_direction,
    stochastic_gradient,
)

Labels = NDArray[np.int64]

_SIGN = "The change has the right size and the wrong sign."
_NOTHING = "Nothing was changed, but it should have been: when is an example a mistake?"
_TOO_MUCH = "Nothing should have changed: the example is right already."
_ONLY_SHRINK = "The weights should only have shrunk: the example is outside the margin already."
_LATE = "Did you measure the margin after w had shrunk? It is that of w before the step."
_FROM_1 = "Is it t − 1 in your step? t counts from 1, so that 1/(λt) never divides by 0."
_OTHER_TIE = "Several classes have the same score here: of equal ones the first is predicted, not another."
_TIE = (
    "Two classes have the same score here, and of equal ones the first is predicted: did you update on ties?"
)
_BIAS = (
    "The weight of the bias (the last one, whose feature is always 1) is not as it should be, all others are."
)
_ONE_CLASS = "Only the weights of one class changed; those of another one should have, too."
_SHRINK = "All is right but for the penalty: the weights were not shrunk by λ."
_LOSS = "The weights were shrunk, but the step along the loss is missing."


def _examples(seed: int) -> tuple[Array, Labels, int]:
    """Return small whole-numbered rows with a bias, labels, and how many classes there are."""
    rng = np.random.default_rng(seed)
    n, d, K = 12, int(rng.integers(2, 4)), int(rng.integers(2, 4))
    X = np.column_stack([rng.integers(-2, 4, size=(n, d)), np.ones(n)]).astype(np.float64)
    return X, rng.integers(0, K, size=n), K


def _with_rows_of(expected: Array, other: Array) -> Array:
    """Return the weights with those of the bias from elsewhere."""
    mixed = np.array(expected)
    mixed[-1] = other[-1]
    return mixed


def _causes(W: Array, expected: Array, still: Array) -> Iterator[Cause]:
    """Yield usual mistakes of a step from W; ``still`` is what the penalty alone makes of W (W itself without one)."""
    change = expected - still
    if not change.any():
        shrinks = not np.array_equal(still, W)
        if shrinks:
            yield _SHRINK, W
        yield (_ONLY_SHRINK if shrinks else _TOO_MUCH), lambda got: not np.allclose(got, still)
        return
    yield (_NOTHING if np.array_equal(still, W) else _LOSS), still
    yield _SHRINK, W + change
    yield _SIGN, still - change
    yield _BIAS, _with_rows_of(expected, still)
    for k in np.flatnonzero(change.any(axis=0)) if W.ndim == 2 else ():
        one = np.array(still)
        one[:, k] = expected[:, k]
        yield _ONE_CLASS, one
    for how, least, most in (("short", 0.0, 1.0), ("long", 1.0, np.inf)):
        yield (
            f"The change has the right direction, but is too {how}.",
            _is_stretched(still, change, least, most),
        )


def _is_stretched(still: Array, change: Array, least: float, most: float) -> Callable[[Any], bool]:
    """Return what tells whether an answer has changed in the right direction, by a factor between the two."""

    def told(got: Any) -> bool:
        own = np.asarray(got, np.float64) - still
        factor = float((own * change).sum() / (change * change).sum())
        return least < factor < most and np.allclose(own, factor * change)

    return told


def _steps(
    after: Callable[[Array, Labels, int, int], Array],
    more: tuple[Any, ...] = (),
) -> Iterator[Case]:
    """Yield the examples of six small sets in turn; ``after(X, y, K, m)`` are the textbook's weights after m."""
    for seed in range(6):
        X, y, K = _examples(seed)
        W = np.zeros((X.shape[1], K))
        for m, (x, label) in enumerate(zip(X, y.tolist(), strict=True), start=1):
            expected = after(X, y, K, m)
            scores = x @ W
            tie = np.count_nonzero(scores == scores.max()) > 1
            causes = [
                (_TIE if tie and why in (_NOTHING, _TOO_MUCH) else why, answer)
                for why, answer in _causes(W, expected, W)
            ]
            causes += [(_OTHER_TIE, other) for other in _other_ties(W, expected, scores, label)]
            said = f"After the {ordinal(m)} example (W = {W.tolist()}, x = {x.tolist()}, y = {label}),"
            yield Case((W, x, label, *more), expected, said, causes)
            W = expected


def _other_ties(W: Array, expected: Array, scores: Array, label: int) -> Iterator[Array]:
    """Yield the weights after an example, had another one of the classes with the highest score been predicted."""
    first, *others = np.flatnonzero(scores == scores.max()).tolist()
    for other in others:
        if label not in (first, other):
            moved = np.array(expected)
            moved[:, [first, other]] = W[:, [first, other]]
            moved[:, other] += (expected - W)[:, first]
            yield moved


def perceptron(update: Callable[..., Any]) -> None:
    """Check ``update(W, x, y) -> W``, one step of the perceptron (LxMLS, Algorithm 2, without the average)."""

    def after(X: Array, y: Labels, K: int, m: int) -> Array:
        return textbook_perceptron(X, y, K, range(m))[0]

    hints = (
        "Predict first, with the weights as they are: which class has the highest score?",
        "Only a mistake changes the weights: of two classes, by the row x, in opposite directions.",
    )
    run("perceptron", update, _steps(after), hints)


def mira(update: Callable[..., Any]) -> None:
    """Check ``update(W, x, y, C) -> W``, one step of MIRA (LxMLS, Algorithm 3) with cost 1."""
    hints = (
        "The step is the smallest that makes the right class win by the cost; how long is f(x, y) − f(x, ŷ)?",
        "Two blocks change, so the squared length is twice that of x. C is the longest step that is allowed.",
    )

    def cases() -> Iterator[Case]:
        for C in (10.0, 0.1):

            def after(X: Array, y: Labels, K: int, m: int, C: float = C) -> Array:
                return textbook_mira.mira(X, y, 1 - np.eye(K), range(m), C)[0]

            yield from _steps(after, (C,))

    run("mira", update, cases(), hints)


def averaged_perceptron(train: Callable[..., Any]) -> None:
    """Check ``train(X, y, K, epochs) -> W``: the perceptron's weights, averaged after every example (Algorithm 2)."""

    def cases() -> Iterator[Case]:
        for seed in range(6):
            X, y, K = _examples(seed)
            epochs = 1 + seed % 3
            order = list(range(len(X))) * epochs
            last, average, _ = textbook_perceptron(X, y, K, order)
            ends = [textbook_perceptron(X, y, K, order[: (e + 1) * len(X)])[0] for e in range(epochs)]
            before = [
                np.zeros_like(last),
                *(textbook_perceptron(X, y, K, order[:m])[0] for m in range(1, len(order))),
            ]
            causes: list[Cause] = [
                ("These are the last weights: you forgot the average.", last),
                ("These are the sums of the weights: divide by how many there are.", average * len(order)),
                ("You divided by one more than there are weights.", average * len(order) / (len(order) + 1)),
                ("You divided by one less than there are weights.", average * len(order) / (len(order) - 1)),
                ("This is the average before every example, not after it.", np.mean(before, axis=0)),
                ("This is the average of the weights at the ends of the rounds only.", np.mean(ends, axis=0)),
                ("You divided by the number of rounds, not of examples seen.", average * len(order) / epochs),
                (_SIGN, -average),
                (_BIAS, lambda got, own=average: np.allclose(np.asarray(got)[:-1], own[:-1])),
            ]
            said = f"After {epochs} round{'s' * (epochs > 1)} over X = {X.astype(int).tolist()}, y = {y.tolist()},"
            yield Case((X, y, K, epochs), average, said, causes)

    hints = (
        "Every example counts once in each round, also those that are right.",
        "Add the weights to a running sum after every example, and divide at the end.",
    )
    run("averaged_perceptron", train, cases(), hints)


def maxent(gradient: Callable[..., Any]) -> None:
    """Check ``gradient(W, X, y, lam) -> G``, of mean −log P(y|x) + λ/2·‖W‖²."""

    def of(W: Array, X: Array, y: Labels, lam: float) -> Array:
        data = objectives.Data(X, y.astype(np.int32), np.full(len(y), 1 / len(y)))
        return objectives.gradient(data, W, np.zeros(W.shape[1]), "softmax", lam)[0]

    def cases() -> Iterator[Case]:
        for seed in range(6):
            X, y, K = _examples(seed)
            K = max(K, 3)
            W = np.random.default_rng(seed).integers(-2, 3, size=(X.shape[1], K)) / 4
            lam = (0.0, 0.5)[seed % 2]
            G, data = of(W, X, y, lam), of(W, X, y, 0.0)
            causes: list[Cause] = [
                ("This is the gradient of the log-likelihood, which grows; the loss has the other sign.", -G),
                ("The part of the examples is right, the penalty's is missing.", data),
                ("The penalty has the wrong sign.", data - lam * W),
                ("The derivative of λ/2·‖W‖² is λW.", data + 2 * lam * W),
                ("You added the examples up; the objective has their mean.", len(y) * data + lam * W),
                (
                    "This is the expected part alone: the examples' own features are missing.",
                    _expected(W, X) + lam * W,
                ),
                (_BIAS, lambda got, own=G: np.allclose(np.asarray(got)[:-1], own[:-1])),
            ]
            said = f"For W = {W.tolist()}, X = {X.astype(int).tolist()}, y = {y.tolist()}, lam = {lam},"
            yield Case((W, X, y, lam), G, said, causes)

    hints = (
        "The gradient is what the model expects minus what was observed, for every class.",
        "Subtract the largest score before you take exponentials, so that nothing overflows.",
    )
    run("maxent", gradient, cases(), hints)


def _expected(W: Array, X: Array) -> Array:
    mean: Array = X.T @ objectives.probabilities(X @ W) / len(X)
    return mean


def _gradient_steps(direction: Callable[[int], Any], cost: float = 0.0) -> Iterator[Case]:
    """Yield steps of stochastic gradient descent, with the textbook's weights in between."""
    lam = 0.1
    for seed in range(6):
        X, y, K = _examples(seed)
        K = max(K, 3)
        W = np.zeros((X.shape[1], K))
        for m, (x, label) in enumerate(zip(X, y.tolist(), strict=True), start=1):
            eta, one = 1 / (1 + m), np.array([label])
            expected = stochastic_gradient(x[None], one, W, [0], direction(K), lambda _, eta=eta: eta, lam)[0]
            begun = f"W = {W.round(4).tolist()}, x = {x.tolist()}, y = {label}, eta = {eta:.4g}, lam = {lam}"
            causes = list(_causes(W, expected, (1 - lam * eta) * W))
            scores = x @ W + cost * (np.arange(K) != label)
            if (
                scores[label] < scores.max() or np.count_nonzero(scores == scores.max()) == 1
            ):  # no tie of the right one
                yield Case(
                    (W, x, label, eta, lam), expected, f"After the {ordinal(m)} example ({begun}),", causes
                )
            W = expected


def maxent_step(update: Callable[..., Any]) -> None:
    """Check ``update(W, x, y, eta, lam) -> W``, a stochastic gradient step of MaxEnt (LxMLS, Algorithm 5)."""
    hints = (
        "Two things happen in a step: all weights shrink by 1 − λη, and every class moves along x.",
        "A class moves by what was observed (1 for y, 0 for others) minus its probability.",
    )
    run("maxent_step", update, _gradient_steps(lambda _: log_direction), hints)


def svm_step(update: Callable[..., Any]) -> None:
    """Check ``update(W, x, y, eta, lam) -> W``, a stochastic subgradient step of the SVM (LxMLS, Algorithm 6)."""
    hints = (
        "Add the cost (1 for every wrong class) to the scores before you look for the highest one.",
        "The right class moves along x and the highest one against it; if that is the right one, weights only shrink.",
    )
    run(
        "svm_step",
        update,
        _gradient_steps(lambda K: cost_augmented_direction(1 - np.eye(K)), cost=1.0),
        hints,
    )


def pegasos(update: Callable[..., Any]) -> None:
    """Check ``update(w, x, y, lam, t) -> w``, a step of Pegasos (Johansson); y is ±1 and t counts from 1."""

    def step(w: Array, x: Array, y: int, lam: float, t: float) -> Array:
        label = np.array([1 if y == 1 else 0])
        eta = 1 / (lam * t)
        return stochastic_gradient(x[None], label, w[:, None], [0], hinge_direction, lambda _: eta, lam)[0][
            :, 0
        ]

    def cases() -> Iterator[Case]:
        for seed in range(6):
            X, y, _ = _examples(seed)
            signs, lam, w = np.where(y == 0, -1, 1).tolist(), (0.1, 0.5)[seed % 2], np.zeros(X.shape[1])
            for t, (x, sign) in enumerate(zip(X, signs, strict=True), start=1):
                expected, still = step(w, x, sign, lam, t), (1 - 1 / t) * w
                others = [other for other in (t + 1, t - 1) if other]
                causes = [
                    (f"This is the step of t = {own}, and t is {t}.", step(w, x, sign, lam, own))
                    for own in others
                ]
                causes += [(_FROM_1, ZeroDivisionError)] if t == 1 else []
                late = still + sign * x / (lam * t) if sign * (still @ x) < 1 else still
                causes += [] if np.allclose(late, expected) else [(_LATE, late)]
                causes += _causes(w, expected, still)
                said = (
                    f"At t = {t} (w = {w.round(4).tolist()}, x = {x.tolist()}, y = {sign:+d}, lam = {lam}),"
                )
                yield Case((w, x, sign, lam, t), expected, said, causes)
                w = expected

    hints = (
        "The step is η = 1/(λt); w shrinks by 1 − ηλ whether or not the example is inside the margin.",
        "An example is inside the margin while y·(w·x) < 1, measured before w shrinks.",
    )
    run("pegasos", update, cases(), hints)
