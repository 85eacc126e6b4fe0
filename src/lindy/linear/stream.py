"""Learning from a stream, batch by batch: new classes and new features may appear at any time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lindy.core.csr import Csr, Float, as_csr
from lindy.core.feature_names import column_names
from lindy.core.targets import Targets
from lindy.core.weights import class_weights, total_weight
from lindy.estimators.base import Examples, require_finite
from lindy.estimators.serialization import Arrays, pack_parameters
from lindy.linear.linear_model import LinearClassifier
from lindy.linear.problem import History

if TYPE_CHECKING:  # imported where a stream is learned from: the other solvers need none of it
    from lindy.core.column_remap import ColumnRemap, UpdateBatch
    from lindy.linear.optimizers.online_epochs import Outcome
    from lindy.linear.optimizers.online_rows import Rows
    from lindy.linear.optimizers.online_state import Rule, State
    from lindy.linear.optimizers.training_schedule import TrainingSchedule


class StreamClassifier(LinearClassifier):
    """The base of classifiers that go on learning from where they are; subclasses say by which rule.

    Attributes
    ----------
    t_ : visits so far, each counted by its weight
    n_iter_, history_, trace_ : epochs, record and traced weights of the last ``fit`` or ``partial_fit``
    """

    class_weight: Any

    t_: float
    n_iter_: int
    history_: History
    trace_: list[tuple[int, Float, Float]]

    def _rule_of(self, data: Examples) -> Rule:
        """Return the rule by which to learn from a batch."""
        raise NotImplementedError

    def _training_schedule(self) -> TrainingSchedule:
        """Return how long to train, and what to watch."""
        raise NotImplementedError

    def _begin(self, state: State, training: TrainingSchedule) -> None:
        """Set the weights of a fresh state, if they are not to be 0."""

    def _after(self, outcome: Outcome, rows: Rows, state: State) -> None:
        """Look at a finished run."""

    def updated(self, further: UpdateBatch) -> Self:
        """Return the model after further rows, each of which is visited as often as an earlier one was.

        The weights so far count in the average as the visits that made them.
        """
        made = self._moved(further.move)
        passes = max(1, round(self.t_ / max(further.n_before, 1)))
        made.t_ = self.t_ * further.kept
        made._go_on(further.X, further.y, further.y.names, further.weight, passes)
        vars(made).pop("_stream", None)
        return made

    def merged(self, others: Sequence[tuple[Self, ColumnRemap, int]], move: ColumnRemap, n_rows: int) -> Self:
        """Return the mean of the weights, weighted by the rows; of a class, over the models that know it."""
        from lindy.core.column_remap import mixed
        from lindy.linear.prior import spread_outputs

        parts = [(self, move, n_rows), *others]
        made = self._moved(move)
        for part, _, _ in others:
            made.classes_ = np.union1d(made.classes_, part.classes_)
        classes, joint = made.classes_, self._outputs_compete()
        knows = np.array([np.isin(classes, part.classes_) for part, _, _ in parts]).astype(np.float64)
        shares = knows * np.array([[n] for _, _, n in parts])
        shares /= shares.sum(axis=0)
        shares = shares[:, :1] if len(classes) == 2 else shares
        own = [part.classes_ for part, _, _ in parts]
        W = [place.of_weights(part.W_) for part, place, _ in parts]
        W = [spread_outputs(w, known, classes, joint=joint) for w, known in zip(W, own, strict=True)]
        b = [
            spread_outputs(p.b_[None, :], k, classes, joint=joint)[0]
            for (p, *_), k in zip(parts, own, strict=True)
        ]
        made.W_ = np.ascontiguousarray(mixed(W, shares).astype(self.W_.dtype))
        made.b_ = mixed(b, shares).astype(self.b_.dtype)
        if hasattr(self, "t_"):
            made.t_ = float(sum(part.t_ for part, _, _ in parts))
        return made

    def _moved(self, move: ColumnRemap) -> Self:
        """Return an unfitted copy with the weights, over the columns as they are now, and nothing else of a fit."""
        made = type(self)(**self.get_params(deep=False))
        made.classes_, made.b_ = self.classes_, self.b_.copy()
        made.W_, made.n_features_in_ = move.of_weights(self.W_), move.n_columns
        return made

    def _outputs_compete(self) -> bool:
        """Whether scores of several classes compete in the loss."""
        raise NotImplementedError

    def _go_on(
        self,
        X: Any,
        y: ArrayLike | Targets,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        passes: int = 1,
    ) -> Self:
        """Learn from one more batch, as a rule in one pass: the ``partial_fit`` of every online learner."""
        before = dict(vars(self))
        try:
            training = replace(self._training_schedule(), epochs=passes, held_out=0.0)
            self._check_parameters()
            fitted = self._fitted()
            known = None if fitted is None else self.classes_
            data = self._further(self._grow_columns(X, first=known is None), y, sample_weight, known, classes)
            self.classes_ = data.y.names
            rows = self._prepared(data, training, self._rule_of(data))
            state = self._grown(getattr(self, "_stream", None), fitted, known, data, training)
            before.pop("_stream", None)  # from here on its weights change
            self._learn(state, rows, training, keep=True)
        except BaseException:  # a batch that fails leaves the model as it was
            vars(self).clear()
            vars(self).update(before)
            raise
        self._stream = state
        return self

    def _prepared(self, data: Examples, training: TrainingSchedule, rule: Rule) -> Rows:
        """Sort and merge the rows; before there are weights, because it takes some memory for a moment."""
        from lindy.linear.optimizers.online_rows import prepare

        weight = class_weights(self.class_weight, data.y, data.weight)
        rows = prepare(data.X, data.y.codes, weight, shuffle=training.shuffle, dtype=rule.dtype)
        if data.weight is None or training.shuffle:  # equal rows that are shuffled are one
            return rows
        return replace(rows, more=round(total_weight(data.weight, 0)) - len(data.weight))

    def _learn(
        self,
        state: State,
        rows: Rows,
        training: TrainingSchedule,
        *,
        keep: bool,
        watched: Examples | None = None,
    ) -> Outcome:
        from lindy.linear.optimizers.online_epochs import train

        outcome = train(state, rows, training, keep=keep, watched=watched)
        self._take(outcome, state)
        if not keep:
            self.__dict__.pop("_stream", None)
        self._after(outcome, rows, state)
        return outcome

    def _take(self, outcome: Outcome, state: State) -> None:
        """Make the outcome of a run the model."""
        require_finite(self, outcome.b)  # rows so long that W could overflow are refused before
        self.W_, self.b_ = outcome.W, outcome.b
        self.n_iter_, self.history_, self.trace_ = outcome.n_iter, outcome.history, outcome.trace
        self.t_ = state.time

    def _fitted(self) -> tuple[Float, Float] | None:
        if not hasattr(self, "W_"):
            return None
        self.densify()
        return self.W_, self.b_

    def _grow_columns(self, X: Any, *, first: bool) -> Csr:
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

    def _grown(
        self,
        state: State | None,
        fitted: tuple[Float, Float] | None,
        known: NDArray[Any] | None,
        data: Examples,
        training: TrainingSchedule,
    ) -> State:
        """Return the state of the stream with room for all features and classes."""
        from lindy.linear.optimizers.online_state import State

        rule, n_features, n_classes = self._rule_of(data), data.X.n_columns, len(self.classes_)
        if fitted is None or known is None:
            state = State(rule, n_features, n_classes)
            self._begin(state, training)
            return state
        if state is None:
            state = State(rule, fitted[0].shape[0], len(known))
            state.start(*fitted, getattr(self, "t_", 0.0))
        if n_features > state.n_features or n_classes > state.n_classes:
            state = state.grown(n_features, np.searchsorted(self.classes_, known), n_classes)
        state.rule = rule
        return state

    def to_state(self) -> tuple[dict[str, Any], Arrays]:
        """Return the parameters (as JSON can hold them, so without callbacks) and the fitted arrays."""
        self._check_fitted()
        given = self.get_params(deep=False)
        if "callback" in given:
            given["callback"] = None
        if isinstance(given.get("solver_options"), dict):
            given["solver_options"] = {k: v for k, v in given["solver_options"].items() if k != "callback"}
        parameters, arrays = pack_parameters(given)
        return parameters, arrays | self._pack()

    def _pack(self) -> Arrays:
        return super()._pack() | ({"t": np.array([self.t_])} if hasattr(self, "t_") else {})

    def _unpack(self, arrays: Arrays) -> None:
        arrays = dict(arrays)
        if "t" in arrays:
            t = np.asarray(arrays.pop("t"))
            if t.shape != (1,) or not (np.isfinite(t[0]) and t[0] >= 0):
                raise ValueError("array t must hold one number, the number of visits so far")
            self.t_ = float(t[0])
        super()._unpack(arrays)
