"""One-vs-rest: any number of labels per row, each told apart from its absence by a linear model of its own.

    score of label k    o_k = x·w_k + b_k,  w_k the answer of the learner for s_ik = +1 where row i has label k, else −1

The learner says how it finds the weights of all labels (``fit_labels``): together where it can, in one pass over a
row, otherwise for one label after the other. Either way the answer is one matrix of weights.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from functools import reduce
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lindy.core import numerics
from lindy.core.csr import Csr, Float
from lindy.core.targets import ManyLabels, Targets, union_of_names
from lindy.core.weights import check_weight
from lindy.errors import invalid_parameter
from lindy.estimators.base import Classifier, Examples
from lindy.estimators.learners import LearnerSpec, WeightSums
from lindy.estimators.parameters import fitted, with_parameters
from lindy.estimators.serialization import Arrays, Shape, check_classes, own_arrays, pack_parameters
from lindy.linear.label_blocks import GoingOn
from lindy.linear.linear_model import LinearClassifier
from lindy.linear.problem import Certificate

if TYPE_CHECKING:
    from lindy.bayes.label_counts import LabelCounts
    from lindy.core.column_remap import ColumnRemap, UpdateBatch
    from lindy.estimators.output_weights import OutputWeights


@with_parameters
class OneVsRest(LinearClassifier):
    """Any number of labels per row, by a learner of two classes for each of them.

    Parameters
    ----------
    learner : classifier
        Unfitted; its scores of two classes are sums of weights, as those of SVM, MaxEnt, perceptron or naive Bayes.
    n_jobs : int or None
        Threads; None means all cores. The result does not depend on it.

    Attributes
    ----------
    W_ : array (features, labels)
    b_ : array (labels,)
    classes_ : the labels, sorted
    certificate_ : what was proved about all labels together, where the learner proves it
    gap_bounds_ : array (labels,) or None, by how much each label's objective can be above its optimum at most; with a
        penalty ½·l2·‖w‖² its weights are then at most √(2·gap/l2) away from the best ones
    t_ : array (labels,) or None, the visits of each label's learner so far, if it goes example by example
    counts_ : LabelCounts or None, what a learner that counts has counted

    Examples
    --------
    >>> from lindy.linear import SVM, OneVsRest
    >>> model = OneVsRest(learner=SVM()).fit([[1, 0], [0, 1], [1, 1]], [{"a"}, {"b"}, {"a", "b"}])
    >>> model.predict([[1, 0]])
    array([[1, 0]])
    """

    learner: Any
    n_jobs: int | None = None

    certificate_: Certificate | None = fitted()
    gap_bounds_: NDArray[np.float64] | None = fitted()
    t_: NDArray[np.float64] | None = fitted()
    counts_: LabelCounts | None = fitted()
    _state_arrays: ClassVar[dict[str, Shape]] = {"W": ("F", "K"), "b": ("K",)}

    @property
    def spec(self) -> LearnerSpec:  # type: ignore[override]
        """The declaration of the learner, whose strengths are options of the learner itself."""
        return self.learner.spec._replace(strengths={})  # type: ignore[no-any-return]

    @property
    def saved_kind(self) -> type:
        """The class of the learner, by whose name a model file knows it."""
        return type(self.learner)

    @property
    def input_kind(self) -> Any:
        """The rows that the learner is made for."""
        return self.learner.input_kind

    @property
    def class_name(self) -> str:
        """The name of the learner, as sentences call it."""
        return f"one-vs-rest {self.learner.class_name}"

    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Self:
        """Learn the labels of rows: lists or sets of them, or a matrix that is 1 where a row has a label."""
        data = self._label_data(X, y, sample_weight)
        return self._keep(copy(self.learner).fit_labels(data, self.n_jobs))

    def fit_from(
        self,
        other: Self | None,
        X: Any,
        y: Any,
        sample_weight: ArrayLike | None = None,
        *,
        prove: bool = True,
    ) -> Self:
        """Fit, beginning where another model of the same rows and labels ended, and keep the solution.

        Rows of weight 0 are still rows. Without ``prove`` the solver may stop where it expects ``tol`` to be reached.
        """
        data = self._label_data(X, y, sample_weight, masked=True)
        start = () if other is None else vars(other).get("_solutions", ())
        made = copy(self.learner).fit_labels(data, self.n_jobs, GoingOn(start, prove))
        self._keep(made)
        self._solutions = made.solutions
        return self

    def distribute(self, partitions: Any) -> None:
        """Learn the labels of rows in partitions, as the learner can."""
        self.classes_, self.n_features_in_ = partitions.totals.classes, partitions.totals.n_columns
        self._keep(copy(self.learner).distribute_labels(partitions))

    @property
    def keeps_solution(self) -> bool:
        """Whether the learner solves for all labels together, and so can begin where another fit ended."""
        return bool(self.learner.keeps_solution and self.learner.solves_together)

    @property
    def can_go_on(self) -> bool:
        """Whether ``fit_from`` this model saves work: it has kept the dual variables of its rows."""
        kept = vars(self).get("_solutions", ())
        return bool(kept) and all("dual" in solution.details for solution in kept)

    def drop_solution(self) -> None:
        """Forget what only ``fit_from`` needs."""
        vars(self).pop("_solutions", None)

    def _label_data(
        self, X: Any, y: Any, sample_weight: ArrayLike | None, *, masked: bool = False
    ) -> Examples:
        if not isinstance(self.learner, Classifier):
            raise invalid_parameter(
                f"learner must be a classifier of lindy, such as SVM(); got {self.learner!r}"
            )
        self.learner._check_parameters()
        data = Examples.of(super()._rows(X, reset=True), y, sample_weight, masked=masked, several=True)
        if not isinstance(data.y, ManyLabels):
            raise ValueError("y has one label per row: fit the learner itself, or give lists of labels")
        if not len(data.y.names):
            raise ValueError("no row has a label: there is nothing to learn")
        self.classes_ = data.y.names
        return data

    def _keep(self, made: OutputWeights) -> Self:
        self.drop_solution()
        self.W_, self.b_, self.t_ = made.W, made.b.astype(made.W.dtype), made.visits
        self.certificate_, self.gap_bounds_, self.counts_ = made.certificate, made.gaps, made.counts
        return self

    @property
    def adds_up(self) -> bool:  # type: ignore[override]
        """Whether further rows and merged models are added up: those of learners that count."""
        return bool(self.learner.counts_labels)

    @property
    def updates(self) -> str:
        """How it learns from further rows: as its learner does."""
        is_lost = self.learner.ranks_labels or (self.learner.adds_up and not self.adds_up)
        return "" if is_lost else self.learner.updates

    @property
    def fixed(self) -> str:
        """Why it cannot learn from further rows."""
        return (
            "" if self.updates else self.learner.fixed or "its sums or ranks are not kept for several labels"
        )

    def updated(self, further: UpdateBatch) -> Self:
        """Return the model after further rows, which may bring new labels."""
        if not self.updates:
            return super().updated(further)
        made = self._over(further.move, further.y.names)
        if self.counts_ is not None:
            counts = self.counts_.moved(further.move, self.classes_, further.y.names).scaled(further.kept)
            new = self.learner.count_labels(Examples(further.X, further.y, further.weight))
            return made._keep(self.learner.label_weights(counts.pooled(new)))
        from lindy.linear.label_updates import updated_by_label

        return made._keep(updated_by_label(self, further))

    def merged(self, others: Sequence[tuple[Self, ColumnRemap, int]], move: ColumnRemap, n_rows: int) -> Self:
        """Return one model of all: their counts added up, or the mean of their weights."""
        if not self.updates:
            return super().merged(others, move, n_rows)
        parts, labels = [(self, move, n_rows), *others], self.classes_
        for part, _, _ in others:
            labels = union_of_names(labels, part.classes_)
        made = self._over(move, labels)
        if self.counts_ is not None:
            counts = [own.counts_.moved(place, own.classes_, labels) for own, place, _ in parts]  # type: ignore[union-attr]
            return made._keep(self.learner.label_weights(reduce(type(counts[0]).pooled, counts)))
        from lindy.linear.label_updates import merged_by_label

        return made._keep(merged_by_label(parts, labels))

    def _over(self, move: ColumnRemap, labels: NDArray[Any]) -> Self:
        """Return an unfitted copy for other columns and more labels."""
        made = type(self)(**self.get_params(deep=False))
        made.classes_, made.n_features_in_ = labels, move.n_columns
        return made

    def _rows(self, X: Any, *, reset: bool = False) -> Csr:
        """Return the rows as the learner counts them."""
        rows: Csr = self.learner.scored_rows(super()._rows(X, reset=reset))
        return rows

    @property
    def _reads_values(self) -> bool:
        return type(self.learner).scored_rows is Classifier.scored_rows

    @property
    def weight_bytes(self) -> int:
        """Bytes that a fit takes for every weight: those of the learner, and at the least the weights themselves."""
        return max(int(self.learner.weight_bytes), 4)

    def dense_weights(self) -> Float | None:
        """Return W where the scores are XW + b; None where X stands for the presence of features."""
        return super().dense_weights() if self._reads_values else None

    def weight_sums(self) -> WeightSums | None:
        """Return W and b; None where X stands for the presence of features."""
        return super().weight_sums() if self._reads_values else None

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import ClassifierTags

        tags = self.learner.__sklearn_tags__()
        tags.classifier_tags = ClassifierTags(
            multi_class=False, multi_label=True, poor_score=tags.classifier_tags.poor_score
        )
        tags.target_tags.single_output, tags.target_tags.multi_output = False, True
        return tags

    @property
    def has_probabilities(self) -> bool:
        """No: thresholds and calibration begin from the scores."""
        return False

    @property
    def predict_proba(self) -> Callable[[Any], NDArray[np.float64]]:
        """Return P(label | x), (rows, labels), of learners whose scores are log odds: MaxEnt and naive Bayes."""
        if not self.learner.scores_are_log_odds:
            raise AttributeError(f"the scores of {self.class_name} are no log odds: it has no predict_proba")
        return lambda X: numerics.sigmoid(self.decision_function(X))

    def decision_function(self, X: Any) -> NDArray[Any]:
        """Return the scores, (rows, labels)."""
        scores = super().decision_function(X)
        return scores.reshape(-1, len(self.classes_))

    def predict(self, X: Any) -> NDArray[Any]:
        """Return a matrix that is 1 where a row has a label: where its score is positive."""
        return (self.decision_function(X) > 0).astype(np.int64)

    def score(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> float:
        """Return the (weighted) share of rows that get exactly their labels."""
        rows = self._rows(X)
        wanted = Examples.of(rows, y, None, several=True).y.among(self.classes_)
        right = (self.predict(rows) == wanted.indicator()).all(axis=1)
        return float(np.average(right, weights=check_weight(sample_weight, len(right))))

    def rough(self, tol: float) -> Self:
        """Return an unfitted copy whose scores are good enough to find thresholds by."""
        single = type(self.learner)(**self.learner.get_params(deep=False))
        if "tol" in single._parameter_names() and isinstance(single.tol, float):
            single.set_params(tol=max(single.tol, tol))
        return type(self)(learner=single, n_jobs=self.n_jobs)

    def to_state(self) -> tuple[dict[str, Any], Arrays]:
        """Return the parameters of the learner and the arrays."""
        self._check_fitted()
        given = self.learner.get_params(deep=False)
        parameters, arrays = pack_parameters(given | ({"callback": None} if "callback" in given else {}))
        return parameters, arrays | self._pack()

    def _pack(self) -> Arrays:
        if self.counts_ is not None:
            return self.counts_.sums.pack()
        return super()._pack() | ({} if self.t_ is None else {"visits": self.t_})

    def _unpack(self, arrays: Arrays) -> None:
        if self.adds_up:
            from lindy.bayes.label_counts import LabelCounts

            counts = LabelCounts.unpack(arrays, len(self.classes_))
            self.n_features_in_ = counts.counts.shape[0]
            self._keep(self.learner.label_weights(counts))
            return
        arrays = dict(arrays)
        visits = arrays.pop("visits", None)
        super()._unpack(arrays)
        if visits is not None and (
            visits.shape != self.b_.shape or not (np.isfinite(visits) & (visits >= 0)).all()
        ):
            raise ValueError("array visits must hold a number for each label")
        self.t_, self.certificate_, self.gap_bounds_, self.counts_ = visits, None, None, None

    @classmethod
    def of_state(
        cls, kind: Any, params: Mapping[str, Any], arrays: Mapping[str, Any], classes: ArrayLike
    ) -> Self:
        """Return the model of learners of a kind whose ``to_state`` this was; raises ValueError for anything else."""
        model = cls(learner=kind._with_stored_parameters(params, arrays))
        model.classes_ = check_classes(classes)
        model._unpack(own_arrays(arrays))
        return model


def learner_for(y: Targets, learner: Any, n_jobs: int | None = None) -> Any:
    """Return an unfitted learner of such targets: itself, or one for each of several labels."""
    return OneVsRest(learner=learner, n_jobs=n_jobs) if isinstance(y, ManyLabels) else learner
