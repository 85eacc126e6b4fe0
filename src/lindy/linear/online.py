"""What the online classifiers share as estimators: fit, warm start, and streams that grow."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lindy.base import Examples, check_labels, check_weight, class_weights, column_names, encode
from lindy.csr import Float, as_csr
from lindy.linear.model import LinearClassifier
from lindy.linear.optimizers.online import Course, Epoch, Outcome, generator, prepare, train
from lindy.linear.optimizers.online_state import Rule, State
from lindy.linear.problem import History
from lindy.state import Arrays, pack_parameters

__all__ = ["Epoch", "OnlineClassifier"]


class OnlineClassifier(LinearClassifier):
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

    epochs: int | None
    shuffle: bool | str
    class_weight: Any
    warm_start: bool
    held_out: float
    patience: int
    callback: Any
    trace: int
    dtype: str
    random_state: Any

    n_iter_: int
    t_: float
    history_: History
    trace_: list[tuple[int, Float, Float]]

    def _rule(self, n_classes: int) -> Rule:
        raise NotImplementedError

    def _check_parameters(self) -> None:
        self._course()

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
        data = self._examples(X, y, sample_weight)
        rule = self._rule(len(self.classes_))
        state = State(rule, data.X.n_columns, len(self.classes_))
        if before is not None:
            self._check_start(before, state)
            state.start(before[0], before[1])
        else:
            self._begin(state, course)
        self._learn(state, data, course, keep=False)
        return self

    def partial_fit(
        self, X: Any, y: ArrayLike, classes: ArrayLike | None = None, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Learn from one more batch of a stream, in one pass.

        New labels become new classes and new columns (to the right of the known ones) new features, both with
        weights 0; ``classes`` may announce labels that are still to come. After ``fit`` the stream begins with
        the fitted weights, which count in the average as the visits that made them.
        """
        course = self._course()
        self._check_parameters()
        state = getattr(self, "_stream", None)
        fitted = self._fitted()
        csr = self._grow_columns(X, first=fitted is None)
        labels = check_labels(y, csr.shape[0])
        weight = check_weight(sample_weight, csr.shape[0])
        announced = labels if classes is None else np.concatenate((labels, np.asarray(classes)))
        state = self._grow(state, fitted, csr.n_columns, announced, course)
        data = Examples(csr, encode(labels, self.classes_), weight)
        self._learn(state, data, replace(course, epochs=1, held_out=0.0), keep=True)
        self._stream = state
        return self

    def _learn(self, state: State, data: Examples, course: Course, *, keep: bool) -> Outcome:
        weight = class_weights(self.class_weight, self.classes_, data.y, data.weight)
        rows = prepare(data.X, data.y, weight, shuffle=course.shuffle, dtype=state.rule.dtype)
        outcome = train(state, rows, course, keep=keep)
        self.W_, self.b_ = outcome.W, outcome.b
        self.n_iter_, self.history_, self.trace_ = outcome.n_iter, outcome.history, outcome.trace
        self.t_ = state.time
        if not keep:
            self.__dict__.pop("_stream", None)
        self._after(outcome, rows, state)
        return outcome

    def to_state(self) -> tuple[dict[str, Any], Arrays]:
        """Return the parameters (as JSON can hold them, so without the callback) and the fitted arrays."""
        self._check_fitted()
        parameters, arrays = pack_parameters(self.get_params(deep=False) | {"callback": None})
        return parameters, arrays | self._pack()

    def _pack(self) -> Arrays:
        return super()._pack() | {"t": np.array([self.t_])}

    def _unpack(self, arrays: Arrays) -> None:
        arrays = dict(arrays)
        t = np.asarray(arrays.pop("t", np.nan))
        if t.shape != (1,) or not (np.isfinite(t[0]) and t[0] >= 0):
            raise ValueError("array t must hold one number, the visits so far")
        super()._unpack(arrays)
        self.t_ = float(t[0])

    def _begin(self, state: State, course: Course) -> None:
        """Set the weights of a fresh state, if they are not to be 0."""

    def _after(self, outcome: Outcome, rows: Any, state: State) -> None:
        """Look at a finished run."""

    def _fitted(self) -> tuple[Float, Float, NDArray[Any]] | None:
        if not hasattr(self, "W_"):
            return None
        self.densify()
        return self.W_, self.b_, self.classes_

    def _check_start(self, before: tuple[Float, Float, NDArray[Any]], state: State) -> None:
        W, _, classes = before
        if W.shape[0] != state.n_features or not np.array_equal(classes, self.classes_):
            raise ValueError(
                f"warm_start needs the features and classes of the earlier fit ({W.shape[0]} features, classes"
                f" {classes.tolist()}); got {state.n_features} and {self.classes_.tolist()}: use partial_fit"
            )

    def _grow_columns(self, X: Any, *, first: bool) -> Any:
        """Check X as ``_rows`` does, but let a stream bring more columns than before."""
        known = 0 if first else self.n_features_in_
        csr = as_csr(X)
        if first or csr.n_columns <= known:
            return self._rows(X, reset=first)
        names, before = column_names(X), getattr(self, "feature_names_in_", None)
        if before is not None:
            if names is None or (names[:known] != before).any():
                raise ValueError("New columns must follow the known ones, in the same order, with names")
            self.feature_names_in_ = names
        self.n_features_in_ = csr.n_columns
        return csr

    def _grow(
        self,
        state: State | None,
        fitted: tuple[Float, Float, NDArray[Any]] | None,
        n_features: int,
        labels: NDArray[Any],
        course: Course,
    ) -> State:
        """Return the state of the stream with room for all features and classes; sets ``classes_``."""
        known = self.classes_ if fitted is not None else labels[:0]
        self.classes_ = union = np.unique(np.concatenate((known, labels)))
        rule = self._rule(len(self.classes_))
        if fitted is None:
            state = State(rule, n_features, len(union))
            self._begin(state, course)
            return state
        if state is None:
            state = State(rule, fitted[0].shape[0], len(known))
            state.start(fitted[0], fitted[1], getattr(self, "t_", 0.0))
        if n_features > state.n_features or len(union) > state.n_classes:
            state = state.grown(n_features, np.searchsorted(union, known), len(union))
        state.rule = rule
        return state


def random_start(state: State, course: Course) -> None:
    """Begin with normal random weights of standard deviation 0.01."""
    rng = generator(course.seed).spawn(1)[0]
    K = state.outputs.shape[1]
    state.start(rng.normal(0, 0.01, (state.n_features, K)), rng.normal(0, 0.01, K))
