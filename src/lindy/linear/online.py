"""What the online classifiers share as estimators: fit, warm start, and streams that grow."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lindy.base import Examples, thread_count
from lindy.csr import Float
from lindy.linear.optimizers.online import Course, Epoch, generator
from lindy.linear.optimizers.online_state import Rule, State
from lindy.linear.stream import StreamClassifier
from lindy.parameters import check_flags, check_whole
from lindy.state import Arrays

__all__ = ["Epoch", "OnlineClassifier"]


class OnlineClassifier(StreamClassifier):
    """A classifier that learns example by example; subclasses say by which rule.

    Attributes
    ----------
    W_, b_, classes_ : see LinearClassifier
    n_iter_ : epochs of the last fit
    t_ : visits so far, each counted by its weight
    history_ : per epoch the objective (mean loss before each update, plus penalties), mistakes, seconds, and the
        accuracy on the held-out rows
    trace_ : list of (updates, W, b), after every ``trace`` updates
    """

    batch_size: int
    fit_intercept: bool
    epochs: int | None
    shuffle: bool | str
    warm_start: bool
    held_out: float
    patience: int
    callback: Any
    trace: int
    dtype: str
    random_state: Any

    def _rule(self, n_classes: int) -> Rule:
        raise NotImplementedError

    def _rule_of(self, data: Examples) -> Rule:  # noqa: ARG002 (no penalty that depends on the rows)
        return self._rule(len(self.classes_))

    def _check_parameters(self) -> None:
        self._course()
        check_whole("batch_size", self.batch_size, 1)
        check_flags(self, "fit_intercept", "warm_start")
        thread_count(self.n_jobs)

    def _course(self) -> Course:
        return Course(
            epochs=self.epochs,
            shuffle=self.shuffle,
            seed=self.random_state,
            held_out=self.held_out,
            patience=self.patience,
            callback=self.callback,
            trace=self.trace,
            n_jobs=self.n_jobs,
        )

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Learn from the rows of X and their labels, in ``epochs`` passes."""
        course = self._course()
        self._check_parameters()
        before = self._fitted() if self.warm_start else None
        known: NDArray[Any] = self.classes_ if before is not None else np.empty(0)
        data = self._examples(X, y, sample_weight)
        rule = self._rule(len(self.classes_))
        rows = self._prepared(data, course, rule)
        state = State(rule, data.X.n_columns, len(self.classes_))
        if before is not None:
            self._check_start(before[0], known, state)
            state.start(*before)
        else:
            self._begin(state, course)
        self._learn(state, rows, course, keep=False)
        return self

    def partial_fit(
        self, X: Any, y: ArrayLike, classes: ArrayLike | None = None, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Learn from one more batch of a stream, in one pass.

        New labels become new classes and new columns (to the right of the known ones) new features, both with
        weights 0; ``classes`` may announce labels that are still to come. After ``fit`` the stream begins with
        the fitted weights, which count in the average as the visits that made them.
        """
        return self._go_on(X, y, classes, sample_weight)

    def _unpack(self, arrays: Arrays) -> None:
        if "t" not in arrays:
            raise ValueError("array t must hold one number, the visits so far")
        super()._unpack(arrays)

    def _check_start(self, W: Float, known: NDArray[Any], state: State) -> None:
        if W.shape[0] != state.n_features or not np.array_equal(known, self.classes_):
            raise ValueError(
                f"warm_start needs the features and classes of the earlier fit ({W.shape[0]} features, classes"
                f" {known.tolist()}); got {state.n_features} and {self.classes_.tolist()}: use partial_fit"
            )


def random_start(state: State, course: Course) -> None:
    """Begin with normal random weights of standard deviation 0.01."""
    rng = generator(course.seed).spawn(1)[0]
    K = state.outputs.shape[1]
    state.start(rng.normal(0, 0.01, (state.n_features, K)), rng.normal(0, 0.01, K))
