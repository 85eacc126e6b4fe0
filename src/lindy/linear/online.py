"""The base of online classifiers as estimators: fit, warm start, and streams that grow."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from numbers import Integral
from typing import Annotated, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lindy.core.csr import Float
from lindy.core.targets import ManyLabels, OneLabel, Targets
from lindy.core.weights import check_weight, class_weights, present_rows
from lindy.data.splits.split_policy import SplitPolicy
from lindy.estimators.base import Examples, thread_count
from lindy.estimators.output_weights import OutputWeights
from lindy.estimators.parameters import listed, whole, with_parameters
from lindy.estimators.serialization import Arrays
from lindy.linear.linear_model import require_two_classes
from lindy.linear.losses import get_loss
from lindy.linear.optimizers.online_blocks import Block, train_on_blocks
from lindy.linear.optimizers.online_epochs import train
from lindy.linear.optimizers.online_rows import Rows
from lindy.linear.optimizers.online_state import Rule, State
from lindy.linear.optimizers.training_schedule import Epoch, TrainingSchedule, generator
from lindy.linear.stream import StreamClassifier

__all__ = ["Epoch", "OnlineClassifier"]


@with_parameters
class OnlineClassifier(StreamClassifier):
    """A classifier that learns example by example; subclasses say by which rule.

    Parameters
    ----------
    epochs : int or None
        Passes over the data; None means 10, or on small data as many as make 10,000 visits.
    batch_size : int
        Examples whose updates are averaged into one step.
    fit_intercept : bool
        Whether to learn a bias b, as the weight of a feature that is always 1.
    shuffle : bool or "random"
        A new permutation per epoch (independent of the order of the rows), the order as given, or independent
        draws.
    class_weight : None, "balanced" or dict
        Weights of the classes; a weight of 3 means three visits in a row.
    warm_start : bool
        Begin ``fit`` with the weights of the last one.
    held_out, patience : float, int
        Hold out this share of the rows, stop when the accuracy there has not risen for ``patience`` epochs, keep
        the best weights.
    callback : function or None
        Called after every epoch with an ``Epoch``; returning True stops.
    trace : int
        Keep the weights after every so many updates in ``trace_``; 0 keeps none.
    dtype : "float32" or "float64"
        Precision of the weights.
    labels : "one-vs-rest" or "ranking"
        How rows with several labels are learned from: each label by itself, or so that the labels of a row are ranked
        above all others, with a virtual label between them (one label per row has no such choice).
    random_state : int, None, numpy Generator or RandomState
        Seed of the order (and of a random start); None is 0.
    n_jobs : int or None
        Threads for scoring; None means all cores.

    Attributes
    ----------
    W_, b_, classes_ : see LinearClassifier
    n_iter_ : epochs of the last fit
    t_ : visits so far, each counted by its weight
    history_ : per epoch the objective (mean loss before each update, plus penalties), mistakes, seconds, and the
        accuracy on the held-out rows
    trace_ : list of (updates, W, b), after every ``trace`` updates
    """

    epochs: int | None = None
    batch_size: Annotated[int, whole(1)] = 1
    fit_intercept: bool = True
    shuffle: bool | str = True
    class_weight: str | dict[Any, float] | None = None
    warm_start: bool = False
    held_out: float = 0.0
    patience: int = 3
    callback: Callable[[Epoch], bool | None] | None = None
    trace: int = 0
    dtype: str = "float32"
    labels: Annotated[str, listed("one-vs-rest", "ranking")] = "one-vs-rest"
    random_state: Any = None
    n_jobs: int | None = None

    @property
    def updates(self) -> str:
        """How it learns from further rows."""
        return "goes on"

    def distribute(self, partitions: Any) -> None:
        """Mix the weights of all partitions after every epoch."""
        partitions.mix_weights(self)

    @property
    def idle_options(self) -> frozenset[str]:
        """The patience with held-out rows, where none are held out."""
        return super().idle_options | (frozenset() if self.held_out else {"patience"})

    def _rule(self, n_classes: int) -> Rule:
        raise NotImplementedError

    def _outputs_compete(self) -> bool:
        return get_loss(self._rule(len(self.classes_)).loss).joint

    def _rule_of(self, data: Examples) -> Rule:  # noqa: ARG002 (no penalty that depends on the rows)
        return self._rule(len(self.classes_))

    def _check_parameters(self) -> None:
        super()._check_parameters()
        self._training_schedule()
        thread_count(self.n_jobs)

    def _training_schedule(self) -> TrainingSchedule:
        return TrainingSchedule(
            epochs=self.epochs,
            shuffle=self.shuffle,
            seed=self.random_state,
            held_out=self.held_out,
            patience=self.patience,
            callback=self.callback,
            trace=self.trace,
            n_jobs=self.n_jobs,
        )

    def fit(
        self,
        X: Any,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        groups: Any = None,
        time: Any = None,
    ) -> Self:
        """Learn from the rows of X and their labels, of at least two classes, in ``epochs`` passes.

        Where rows are ``held_out``, those of one of the ``groups`` are never on both sides, and none is earlier than a
        row that is learned from, by its ``time``; see ``lindy.data.SplitPolicy``.
        """
        training = self._training_schedule()
        self._check_parameters()
        before = self._fitted() if self.warm_start else None
        known: NDArray[Any] = self.classes_ if before is not None else np.empty(0)
        data = self._examples(X, y, sample_weight)
        require_two_classes(self)
        rule = self._rule(len(self.classes_))
        watched = None
        if self.held_out and (groups is not None or time is not None):
            n_given = X.shape[0] if hasattr(X, "shape") else len(X)
            division = SplitPolicy.of(n_given, groups, time)
            if (present := present_rows(check_weight(sample_weight, n_given))) is not None:
                division = division.take(present)
            data, watched = self._divided(data, division)
        rows = self._prepared(data, training, rule)
        state = State(rule, data.X.n_columns, len(self.classes_))
        if before is not None:
            self._check_start(before[0], known, state)
            state.start(*before)
        else:
            self._begin(state, training)
        self._learn(state, rows, training, keep=False, watched=watched)
        return self

    def fit_labels(self, data: Examples, n_jobs: int | None = None) -> OutputWeights:
        """Learn all labels in the same visits: each by itself, or ranked (``labels``).

        The weights of a ranked label are those above the virtual label, so that a row has the labels of scores above 0.
        """
        training, ranked = self._training_schedule(), self.labels == "ranking"
        is_plain = not (self._own_rule or training.held_out) and self.class_weight is None
        if ranked and not is_plain:
            raise ValueError(
                "labels='ranking' takes no votes, held-out rows, class weights, costs, other constraints or first"
                " weights: leave these out, or choose labels='one-vs-rest'"
            )
        if not ranked and (len(data.y.names) < 2 or not is_plain):
            return super().fit_labels(data, n_jobs)
        assert isinstance(data.y, ManyLabels)
        rule = replace(self._rule(3 if ranked else 2), labels=self.labels)
        rows = self._prepared(data._replace(y=data.y.combinations()), training, rule)
        rows = replace(rows, y=data.y.codes, label_ends=data.y.label_ends)
        state = State(rule, data.X.n_columns, len(data.y.names) + ranked)
        outcome = train(state, rows, training)
        if ranked:
            return OutputWeights(outcome.W[:, :-1] - outcome.W[:, -1:], outcome.b[:-1] - outcome.b[-1])
        everywhere = data.y.counts == len(data.y)  # a label that all rows have: 0 was never wrong
        outcome.W[:, everywhere], outcome.b[everywhere] = 0.0, 1.0
        return OutputWeights(outcome.W, outcome.b, visits=np.full(len(outcome.b), state.time))

    def to_state(self) -> tuple[dict[str, Any], Arrays]:
        """Return the parameters and the arrays; how several labels are usually learned from is not said."""
        parameters, arrays = super().to_state()
        if parameters["labels"] == "one-vs-rest":
            del parameters["labels"]
        return parameters, arrays

    @property
    def ranks_labels(self) -> bool:  # type: ignore[override]
        """Whether labels are ranked against each other."""
        return self.labels == "ranking"

    @property
    def _own_rule(self) -> bool:
        """Whether an option asks for what visits of several labels at once have not."""
        return False

    @property
    def visits_in_order(self) -> bool:
        """Whether ``fit`` looks at every row once, in the order of the rows: ``fit_blocks`` does the same then."""
        watches = self.held_out or self.callback is not None or self.trace
        return self.epochs == 1 and not self.shuffle and not (self.warm_start or watches)

    def fit_blocks(
        self,
        blocks: Iterable[Block],
        n_columns: int,
        y: Targets,
        sample_weight: ArrayLike | None = None,
    ) -> bool:
        """Learn as ``fit`` does, from rows that come block by block and need not be kept.

        Returns whether that was possible: where no row was a mistake, ``fit`` has to look at all of them again.
        """
        training = self._training_schedule()
        self._check_parameters()
        self.n_features_in_ = n_columns
        own = check_weight(sample_weight, len(y))
        present = present_rows(own)
        y = y.seen()
        if present is not None:  # rows of weight 0 are passed over, and have no class
            seen, codes = y.take(present).seen(), np.zeros(len(y), np.int32)
            codes[present] = seen.codes
            y = OneLabel(seen.names, codes)
        self.classes_ = y.names
        require_two_classes(self)
        state = State(self._rule(len(self.classes_)), n_columns, len(self.classes_))
        self._begin(state, training)
        weight = class_weights(self.class_weight, y, own)
        outcome = train_on_blocks(state, blocks, y.codes, weight, training)
        if outcome is None:
            return False
        self._take(outcome, state)
        self.__dict__.pop("_stream", None)
        self._after(outcome, Rows.none(n_columns), state)
        return True

    def _divided(self, data: Examples, division: SplitPolicy) -> tuple[Examples, Examples]:
        """Return the rows to learn from and those that are held out, where these cannot be drawn one by one."""
        seed = int(self.random_state) if isinstance(self.random_state, Integral) else 0
        weight = class_weights(self.class_weight, data.y, data.weight)
        learned, held = division.hold_out(data.y, self.held_out, seed)
        return data.take(learned), data._replace(weight=weight).take(held)

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
            raise ValueError("array t must hold one number, the number of visits so far")
        super()._unpack(arrays)

    def _check_start(self, W: Float, known: NDArray[Any], state: State) -> None:
        if W.shape[0] != state.n_features or not np.array_equal(known, self.classes_):
            raise ValueError(
                f"warm_start needs the features and classes of the earlier fit ({W.shape[0]} features, classes"
                f" {known.tolist()}); got {state.n_features} and {self.classes_.tolist()}: use partial_fit"
            )


def random_start(state: State, training: TrainingSchedule) -> None:
    """Begin with normal random weights of standard deviation 0.01."""
    rng = generator(training.seed).spawn(1)[0]
    K = state.outputs.shape[1]
    state.start(rng.normal(0, 0.01, (state.n_features, K)), rng.normal(0, 0.01, K))
