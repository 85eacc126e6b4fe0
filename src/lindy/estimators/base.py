"""The base of all classifiers: their training examples, what each can do, their saved state, checks of scores."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from numbers import Integral
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lindy import _native
from lindy.core.csr import Csr
from lindy.core.labels import check_labels
from lindy.core.targets import Targets, as_targets, union_of_names
from lindy.core.weights import check_weight, present_rows
from lindy.errors import DataError, UpdateError, invalid_parameter
from lindy.estimators.estimator import Estimator, labels_missing
from lindy.estimators.learners import OFFERS, InputKind, LearnerSpec, WeightSums
from lindy.estimators.serialization import (
    Arrays,
    Shape,
    check_arrays,
    check_classes,
    own_arrays,
    pack_parameters,
)

if TYPE_CHECKING:
    from lindy.core.column_remap import ColumnRemap, UpdateBatch
    from lindy.estimators.output_weights import OutputWeights

MOST_THREADS = 256  # whatever is asked for


def thread_count(n_jobs: int | None) -> int:
    """Threads to use: ``None`` and −1 mean all cores of this process; results never depend on it."""
    available = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if n_jobs is None or n_jobs == -1:
        return available
    if not isinstance(n_jobs, Integral) or n_jobs < 1:
        raise invalid_parameter(
            f"n_jobs must be a whole number of at least 1, or None or -1 for all cores; got {n_jobs!r}"
        )
    return min(int(n_jobs), MOST_THREADS)


class Examples(NamedTuple):
    """Checked training data: rows, targets, weights (None when all are 1)."""

    X: Csr
    y: Targets
    weight: NDArray[np.float64] | None

    def take(self, rows: NDArray[np.integer[Any]]) -> Examples:
        """Return some of the rows."""
        weight = None if self.weight is None else self.weight[rows]
        return Examples(self.X.take(rows), self.y.take(rows), weight)

    @classmethod
    def of(
        cls,
        X: Csr,
        y: ArrayLike | Targets,
        sample_weight: ArrayLike | None,
        *,
        masked: bool = False,
        several: bool = False,
    ) -> Examples:
        """Check labels and weights of rows; the names are those of the rows that are there.

        Rows of weight 0 are left out, unless rows are ``masked`` by it; rows may have ``several`` labels.
        """
        targets = as_targets(y, X.shape[0], as_given=True, several=several)
        data = cls(X, targets, check_weight(sample_weight, X.shape[0]))
        if not masked and (rows := present_rows(data.weight)) is not None:
            data = data.take(rows)
        return data._replace(y=data.y.seen())


class Classifier(Estimator):
    """Input checks, labels and the score of a classifier over numeric rows."""

    _estimator_type = "classifier"
    classes_: NDArray[Any]
    spec: ClassVar[LearnerSpec] = LearnerSpec("", "")
    """The declaration of the class; see ``lindy.estimators.learners``."""
    adds_up: ClassVar[bool] = False
    """Whether further rows and merged models are added up to the model of all rows."""
    has_log_probabilities: ClassVar[bool] = False
    """Whether its contributions are log P(feature | class), with a bias log P(class)."""
    has_log_odds: bool = False
    """Whether the softmax of its scores is P(y | x), and they are not joint."""
    sums_to_one: ClassVar[bool] = True
    """Whether its own probabilities of a row do."""
    has_odds: ClassVar[bool] = False
    """Whether its weights are compared as odds ratios."""
    learns_labels: ClassVar[bool] = False
    """Whether it can learn several labels per row, each against its absence (``fit_labels``)."""
    solves_together: ClassVar[bool] = False
    """Whether one fit finds the weights of several labels, by the solver's passes over the rows."""
    ranks_labels: bool = False
    """Whether several labels of a row are ranked against each other, rather than told apart from their absence."""
    scores_are_log_odds: ClassVar[bool] = False
    """Whether the score of a label against its absence is log P(label | x) − log P(no label | x)."""
    finds_top: ClassVar[bool] = False
    """Whether ``top`` finds the most probable of thousands of labels, without the probabilities of the others."""
    has_counts: ClassVar[bool] = False
    """Whether it keeps how often each class had each feature, as ``counts_``."""
    _state_arrays: ClassVar[dict[str, Shape]] = {}
    """The fitted arrays that predictions need, without their underscore, and their axes; see ``serialization``."""

    @property
    def keeps_solution(self) -> bool:
        """Whether ``fit_from`` begins where a fit of the same rows ended, and keeps what is needed for that."""
        return False

    @property
    def can_go_on(self) -> bool:
        """Whether it has kept its solution, so that ``fit_from`` it saves work."""
        return False

    def rough(self, tol: float) -> Any:  # noqa: ARG002
        """Return an unfitted learner whose scores are good enough for held-out rows: ``tol`` of one that iterates."""
        return self

    def __sklearn_tags__(self) -> Any:
        return classifier_tags(sparse=True)

    @property
    def input_kind(self) -> InputKind:
        """The rows that the learner is made for, as ``spec`` has it unless an option changes it."""
        return self.spec.input_kind

    @property
    def has_probabilities(self) -> bool:
        """Whether it has P(y | x) of its own, as ``predict_proba``."""
        return hasattr(self, "predict_proba")

    @property
    def links_scores(self) -> bool:
        """Whether P(y | x) and the best label follow from its scores, by ``probabilities_and_best``."""
        return hasattr(self, "probabilities_and_best")

    @property
    def has_contributions(self) -> bool:
        """Whether its score is a sum over features, as ``contributions`` has it."""
        return type(self).contributions is not Classifier.contributions

    @property
    def has_influences(self) -> bool:
        """Whether its score is a sum over training examples, as ``influences`` has it."""
        return hasattr(self, "influences")

    @property
    def has_joint_scores(self) -> bool:
        """Whether its scores are log P(x, y), as ``joint_log_proba`` has it."""
        return hasattr(self, "joint_log_proba")

    @property
    def capabilities(self) -> frozenset[str]:
        """The capabilities of the learner in words, for people: keys of ``OFFERS``."""
        return frozenset(name for name, (own, _) in OFFERS.items() if getattr(self, own, False))

    @property
    def weight_bytes(self) -> int:
        """Bytes that a fit takes for every weight, as ``spec`` has it unless an option changes it."""
        return self.spec.weight_bytes

    @property
    def idle_options(self) -> frozenset[str]:
        """The options that have no effect beside the values of the others, such as C beside lam."""
        return frozenset()

    def text_scores(self, vectorizer: Any) -> Any:  # noqa: ARG002
        """Return what scores texts in one native call (``lindy.scoring``), of learners that have their own."""
        return None

    def weight_sums(self) -> WeightSums | None:
        """Return how the scores are sums of weights; None where they are not, as ``spec.not_sums`` explains."""
        return None

    def fit_labels(self, data: Examples, n_jobs: int | None = None) -> OutputWeights:  # noqa: ARG002
        """Return the weights of each of several labels against its absence; by default one label after the other."""
        from lindy.estimators.output_weights import one_by_one

        return one_by_one(self, data)

    def distribute_labels(self, partitions: Any) -> OutputWeights:  # noqa: ARG002
        """Return the weights of each of several labels, of rows in partitions."""
        raise DataError(
            f"{self.class_name} cannot learn several labels from partitions",
            "choose svm, maxent, naive-bayes, bernoulli-naive-bayes or complement-naive-bayes, or train on one machine",
        )

    @property
    def counts_labels(self) -> bool:
        """Whether it learns several labels per row from what it counts of each; see ``lindy.bayes.label_counts``."""
        return False

    def scored_rows(self, rows: Csr) -> Csr:
        """Return the rows that weights are multiplied with: these, unless the learner looks at presence only."""
        return rows

    @property
    def updates(self) -> str:
        """How it learns from further rows: a key of ``UPDATES``, empty where it cannot."""
        return ""

    @property
    def fixed(self) -> str:
        """Why it cannot learn from further rows; empty where it can."""
        return self.spec.fixed

    def updated(self, further: UpdateBatch) -> Self:  # noqa: ARG002
        """Return the model after further rows; how is said by ``updates``."""
        raise UpdateError(f"{self.class_name} cannot learn from further rows: {self.fixed}")

    def merged(
        self,
        others: Sequence[tuple[Self, ColumnRemap, int]],  # noqa: ARG002
        move: ColumnRemap,  # noqa: ARG002
        n_rows: int,  # noqa: ARG002
    ) -> Self:
        """Return one model of this and of others, each with where its columns are now and its number of rows."""
        raise UpdateError(f"models of {self.class_name} cannot become one: {self.fixed}")

    def distribute(self, partitions: Any) -> None:  # noqa: ARG002
        """Fit to rows in partitions, by one of the ways that ``partitions`` has (``distributed.cluster_fit``)."""
        raise DataError(
            f"{self.class_name} cannot be fitted to partitions",
            "choose naive-bayes, maxent, svm, nb-svm, perceptron or mira",
        )

    def to_state(self) -> tuple[dict[str, Any], Arrays]:
        """Return the parameters (as JSON can hold them) and the fitted arrays; ``classes_`` is kept apart."""
        self._check_fitted()
        parameters, arrays = pack_parameters(self.get_params(deep=False))
        return parameters, arrays | self._pack()

    @classmethod
    def from_state(cls, params: Mapping[str, Any], arrays: Mapping[str, Any], classes: ArrayLike) -> Self:
        """Return the estimator whose ``to_state`` this was; raises ValueError for anything else."""
        model = cls._with_stored_parameters(params, arrays)
        model.classes_ = check_classes(classes)
        model._unpack(own_arrays(arrays))
        return model

    def _pack(self) -> Arrays:
        """Return the arrays of the state."""
        return {name: np.ascontiguousarray(getattr(self, f"{name}_")) for name in self._state_arrays}

    def _unpack(self, arrays: Arrays) -> None:
        """Check the arrays of a state, and set everything that ``fit`` sets except ``classes_``."""
        axes = check_arrays(arrays, self._state_arrays, len(self.classes_))
        self.n_features_in_ = axes["F"]
        for name, array in arrays.items():
            setattr(self, f"{name}_", array)

    def _examples(
        self,
        X: Any,
        y: ArrayLike | Targets | None,
        sample_weight: ArrayLike | None = None,
        *,
        masked: bool = False,
    ) -> Examples:
        """Check what ``fit`` was given, and set ``classes_``; labels that are encoded already stay as they are.

        Rows of weight 0 are left out, here and for good; where rows are ``masked`` by it they stay, and so do their
        classes, for solvers that begin where a model of the same rows ended.
        """
        if y is None:
            raise labels_missing(self)
        data = Examples.of(self._rows(X, reset=True), y, sample_weight, masked=masked)
        self.classes_ = data.y.names
        return data

    def _further(
        self,
        X: Csr,
        y: ArrayLike | Targets,
        sample_weight: ArrayLike | None,
        known: NDArray[Any] | None,
        announced: ArrayLike | None,
    ) -> Examples:
        """Check a batch of further rows; the names are those that are known or announced, and of the batch."""
        data = Examples.of(X, y, sample_weight)
        names = data.y.names if known is None else union_of_names(known, data.y.names)
        return data._replace(y=data.y.among(union_of_names(names, [] if announced is None else announced)))

    def contributions(self, X: Any) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Take the scores of one row apart: what each stored value adds (values × columns), and the bias.

        The sum of both is one score per column: one column of two classes whose weights are stored as one, otherwise
        one column per class, whose difference is the decision of two classes. A learner whose score is no sum over
        the values gives it as the bias.
        """
        row = one_row(self._rows(X))
        score: Any = self.decision_function(row)  # type: ignore[attr-defined]
        bias = np.asarray(score, np.float64).reshape(-1)
        return np.zeros((len(row.indices), len(bias))), bias

    def _length_part(self, X: Any) -> NDArray[np.float64] | None:  # noqa: ARG002
        """Return what of the bias of one row's ``contributions`` is its length; None where the length says nothing."""
        return None

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the label of each row."""
        raise NotImplementedError

    def score(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """Return the (weighted) share of rows that get their label right."""
        return share_right(self.predict(X), y, sample_weight)


def require_finite(learner: Estimator, *results: ArrayLike) -> None:
    """Refuse a fit whose results are not finite: it must not become a model."""
    if not all(np.isfinite(result).all() for result in results):
        raise ValueError(
            f"the weights of {type(learner).__name__} overflowed: the values of X are too large or too different in"
            " size for this regularisation strength. Scale the columns of X to a similar size, or choose a smaller C."
        )


def require_finite_scores(scores: NDArray[Any]) -> None:
    """Refuse rows whose scores are not finite: no label can be read off them."""
    first = _native.first_non_finite(scores.reshape(-1))
    if first >= 0:
        row = first // (scores.size // len(scores))
        raise DataError(
            f"the score of row {row} is too large to be a number",
            "Scale the columns of X, in fit too; if the model comes from a file, that may be damaged or forged.",
        )


def classifier_tags(**inputs: bool) -> Any:
    """Return what scikit-learn asks of a classifier, with what its input may be."""
    from sklearn.utils import ClassifierTags, InputTags, Tags, TargetTags

    return Tags(
        estimator_type="classifier",
        target_tags=TargetTags(required=True),
        transformer_tags=None,
        regressor_tags=None,
        classifier_tags=ClassifierTags(),
        input_tags=InputTags(**inputs),
    )


def best_class(scores: NDArray[Any]) -> NDArray[np.intp]:
    """Return the class number with the highest score; a single score is that of the second of two classes."""
    is_one = scores.ndim == 1 or scores.shape[1] == 1
    best: NDArray[np.intp] = (scores.reshape(-1) >= 0).astype(np.intp) if is_one else scores.argmax(axis=1)
    return best


def share_right(predicted: NDArray[Any], y: ArrayLike, sample_weight: ArrayLike | None) -> float:
    """Return the (weighted) share of predictions that are the label."""
    right = predicted == check_labels(y, len(predicted))
    return float(np.average(right, weights=check_weight(sample_weight, len(predicted))))


def one_row(X: Csr) -> Csr:
    """Return X, which must have one row."""
    if X.shape[0] != 1:
        raise ValueError(f"scores can be broken down for only one row at a time; got {X.shape[0]} rows")
    return X
