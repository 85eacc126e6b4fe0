"""From scores to ``Predictions``: probabilities where there are any, and which label or labels follow from them.

    least expected cost   ŷ = argmin_k Σ_y cost[k, y]·p_y          the Bayes decision; 0/1 costs give the argmax
    reject (Chow 1970)    ŷ only if p_ŷ ≥ t_ŷ, otherwise none      t one number, or one per class
    offsets               ŷ = argmax_k (s_k + o_k)                   for two classes a threshold of the score
    several labels        every k with p_k ≥ t_k                     any number of them, also none
    target precision      t_k = the lowest p at and above which predictions of k are right in the wanted share of cases

``predictions_of`` takes what a learner says of rows. The model's own ``Rule``, kept in its file, says which label or
labels are best; ``Decision`` and ``LabelLimits`` are what a user asks for on top. Each takes predictions and returns
them with what it has chosen, so that another one is one more class with the same call, and nobody asks which it is.
``TextClassifier``, evaluation, the command line and the service all go this way.
Costs and thresholds take the probabilities at their word, so calibrate first.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lindy.estimators.base import best_class
from lindy.evaluation.predictions import REJECTED, Array, Codes, LabelLists, Predictions
from lindy.evaluation.top_values import TopValues

if TYPE_CHECKING:
    from lindy.core.csr import Csr
    from lindy.core.hierarchy import Hierarchy
    from lindy.estimators.base import Classifier
    from lindy.evaluation.calibration.calibrators import Calibrator

_CELLS = 1 << 22  # values that are compared at once, of the rows and labels of a hierarchy
TOP = 50
"""Labels of a row whose probabilities are kept where there are thousands: those of all others are taken for 0."""

_HUGE = 1e9  # in the place of ±∞ and whatever else no offset can move


def predictions_of(
    learner: Classifier,
    rows: Csr,
    calibrator: Calibrator | None = None,
    rule: Rule | None = None,
) -> Predictions:
    """Return what a fitted learner says of rows, calibrated if there is a calibrator; ``rule`` says what is best.

    Without a rule, that is the highest score.

    Where two classes have the same probability, the learner's own scores decide.
    """
    known = np.diff(rows.indptr) if learner.input_kind.has_columns else None
    if calibrator is not None or not learner.has_probabilities:
        scores = learner.decision_function(rows)  # type: ignore[attr-defined]
        return predictions_from(scores, calibrator, rule, known=known)
    if learner.finds_top:
        codes, p = learner.top(rows, TOP)  # type: ignore[attr-defined]
        made = Predictions(
            codes[:, 0].astype(np.intp), TopValues(codes, p, len(learner.classes_)), True, known
        )
        return made if rule is None else rule.decide(p, made)
    p = learner.predict_proba(rows)  # type: ignore[attr-defined]
    best = p.argmax(axis=1)
    tied = np.flatnonzero((p == p.max(axis=1, keepdims=True)).sum(axis=1) > 1)
    if len(tied):
        best[tied] = np.searchsorted(learner.classes_, learner.predict(rows.take(tied)))
    made = Predictions(best, p, True, known)
    return made if rule is None else rule.decide(learner.decision_function(rows), made)  # type: ignore[attr-defined]


def predictions_from(
    scores: NDArray[Any],
    calibrator: Calibrator | None,
    rule: Rule | None,
    *,
    known: NDArray[np.int64] | None = None,
) -> Predictions:
    """Return what scores say: probabilities if there is a calibrator, and what is best by the rule, if there is one."""
    if calibrator is not None:
        p, best = calibrator.probabilities_and_best(scores)
        made = Predictions(best, p, True, known)
    else:
        values = np.stack([-scores, scores], axis=1) if scores.ndim == 1 else scores
        made = Predictions(best_class(scores), values, False, known)
    return made if rule is None else rule.decide(scores, made)


class Rule(ABC):
    """How the label or labels of a row follow from what a model says of it: part of the model, and of its file.

    Attributes
    ----------
    several : bool
        Whether a row may get any number of labels.
    stored_as : str
        By what name the header of a model file has it.
    """

    __slots__ = ()

    several: ClassVar[bool]
    stored_as: ClassVar[str]

    @abstractmethod
    def decide(self, scores: NDArray[Any], predictions: Predictions) -> Predictions:
        """Return predictions with what this rule says is best, or given; ``scores`` are those of the learner."""

    @property
    @abstractmethod
    def plain(self) -> Rule | None:
        """The rule that would be without this one, for the scores of the learner alone; None for the highest one."""

    def calibrated(self, calibrator: Calibrator | None) -> Rule:  # noqa: ARG002
        """Return the rule, found for scores of the learner, for the predictions of a model with this calibrator."""
        return self

    @abstractmethod
    def to_state(self) -> list[float]:
        """Return what a model file keeps."""

    @classmethod
    @abstractmethod
    def from_state(cls, stored: Any, n_classes: int) -> Self:
        """Return the rule that a model file holds; raises ValueError for anything else."""


def rule_of_state(header: Mapping[str, Any], n_classes: int) -> Rule | None:
    """Return the rule that the header of a model file has; None for the highest score."""
    rules: tuple[type[Rule], ...] = (ScoreRule, SeveralLabels)
    found = (kind for kind in rules if kind.stored_as in header)
    return next((kind.from_state(header[kind.stored_as], n_classes) for kind in found), None)


@dataclass(frozen=True, slots=True)
class ScoreRule(Rule):
    """A model's own rule: the class of the highest score after an offset for each class has been added.

    ``lindy.evaluation.criterion`` finds offsets that make a metric largest.
    """

    several: ClassVar[bool] = False
    stored_as: ClassVar[str] = "rule"
    offsets: Array

    def __call__(self, scores: ArrayLike) -> Codes:
        """Return the class number of each row of scores."""
        best: Codes = (class_values(scores) + self.offsets).argmax(axis=1)
        return best

    def decide(self, scores: NDArray[Any], predictions: Predictions) -> Predictions:
        """Return the predictions with the class of the highest score after the offsets."""
        return replace(predictions, best=self(scores))

    @property
    def plain(self) -> None:
        """The highest score."""
        return

    def to_state(self) -> list[float]:
        """Return what a model file keeps."""
        return list(map(float, self.offsets))

    @classmethod
    def from_state(cls, stored: Any, n_classes: int) -> ScoreRule:
        """Return the rule whose offsets a model file holds; raises ValueError for anything else."""
        sound = isinstance(stored, list) and all(isinstance(offset, float) for offset in stored)
        if not sound or len(stored) != n_classes or not np.isfinite(stored).all():
            raise ValueError(f"a rule needs one finite offset for each of {n_classes} classes")
        return cls(np.array(stored, np.float64))


def class_values(scores: ArrayLike) -> Array:
    """Return finite scores, rows × classes; those of two classes, ±s/2, differ by the score s of the second."""
    s = np.clip(np.asarray(scores, np.float64), -_HUGE, _HUGE)
    if s.ndim == 1 or s.shape[1] == 1:
        s = s.reshape(-1, 1)
        return np.concatenate([-s, s], axis=1) / 2
    return s


@dataclass(frozen=True, slots=True)
class Decision:
    """One label or none for each row: the best one, or the cheapest, and only if it is sure enough.

    Of several labels that a row was given already, those stay that are sure enough. In a hierarchy, what is not sure
    enough is replaced by the lowest of what stands above it that is: its number follows those of the classes.

    Parameters
    ----------
    cost : array (classes, classes) or None
        ``cost[predicted, true]``, zero or more; None takes the best class.
    thresholds : float, array (classes,) or None
        How probable a class must be to be given; None gives it always. In a hierarchy there may be one for each of its
        nodes, behind those of the classes; without, they need the same number, or else are not given.
    hierarchy : Hierarchy or None
        What stands above the classes.
    """

    cost: ArrayLike | None = None
    thresholds: ArrayLike | None = None
    hierarchy: Hierarchy | None = None

    @property
    def needs_probabilities(self) -> bool:
        """Whether scores are not enough."""
        return self.cost is not None or self.thresholds is not None

    def __call__(self, predictions: Predictions) -> Predictions:
        """Return the predictions with the label of each row."""
        if self.needs_probabilities and not predictions.are_probabilities:
            raise ValueError("costs and thresholds need probabilities, and the model has only scores")
        p, best = predictions.values, predictions.best
        if isinstance(predictions.given, LabelLists):
            if self.cost is not None:
                raise ValueError("costs are for one label per text, and the model gives any number of them")
            return (
                predictions if self.thresholds is None else self._reject_some(predictions, predictions.given)
            )
        best = best if self.cost is None else cheapest(p, self.cost)
        if self.thresholds is None:
            return replace(predictions, best=best, given=None)
        own, above = self._thresholds(p.shape[1])
        made = replace(predictions, best=best, given=accepted(p, best, own))
        return made if self.hierarchy is None else self._lifted(made, self.hierarchy, above)

    def _thresholds(self, n_classes: int) -> tuple[Any, Any]:
        """Return the thresholds of the classes, and those of what stands above them."""
        every = np.asarray(self.thresholds, np.float64)
        if every.ndim == 0:
            return every, every
        return every[:n_classes], every[n_classes:] if len(every) > n_classes else np.inf

    @staticmethod
    def _lifted(predictions: Predictions, hierarchy: Hierarchy, thresholds: Any) -> Predictions:
        """Return the predictions in which rows without a label have the lowest node that is sure enough."""
        given, p = np.array(predictions.given), predictions.confidence
        if not hierarchy.names:
            return predictions
        rows = np.flatnonzero(given == REJECTED)
        above = hierarchy.probabilities(predictions.values[rows])
        lowest = hierarchy.lowest(above >= thresholds)
        found = np.flatnonzero(lowest.any(axis=1))
        above = np.where(lowest, above, -1.0)[found]
        given[rows[found]] = predictions.values.shape[1] + above.argmax(axis=1)
        p[rows[found]] = above.max(axis=1)
        return replace(predictions, given=given, given_values=p)

    def _reject_some(self, predictions: Predictions, given: LabelLists) -> Predictions:
        """Return the predictions without those of several labels that are not probable enough."""
        n, K = predictions.values.shape
        rows, codes = np.repeat(np.arange(n), np.diff(given.indptr)), given.codes
        own, above = self._thresholds(K)
        p = predictions.values[rows, codes]
        sure = p >= np.broadcast_to(own, K)[codes]
        if self.hierarchy is not None and self.hierarchy.names and not sure.all():
            nodes = self._nodes_of(predictions, self.hierarchy, (rows, codes, sure), above)
            rows, codes, p = (
                np.append(mine[sure], more) for mine, more in zip((rows, codes, p), nodes, strict=True)
            )
            order = np.lexsort((-p, rows))
            rows, codes, sure = rows[order], codes[order], np.ones(len(rows), bool)
        counts = np.bincount(rows[sure], minlength=n)
        return replace(predictions, given=LabelLists(np.append(0, np.cumsum(counts)), codes[sure]))

    @staticmethod
    def _nodes_of(
        predictions: Predictions, hierarchy: Hierarchy, given: tuple[Any, Any, Any], thresholds: Any
    ) -> tuple[Any, Any, Any]:
        """Return the lowest sure nodes above labels that are not, and above none that is: rows, numbers and values.

        ``given`` are the rows and the numbers of labels, and whether each is sure enough.
        """
        rows, codes, sure = given
        K, found = predictions.values.shape[1], []
        unsure = np.unique(rows[~sure])
        for begin in range(0, len(unsure), at_once := max(1, _CELLS // K)):
            some = unsure[begin : begin + at_once]
            mine = np.isin(rows, some)
            place, own, is_sure = np.searchsorted(some, rows[mine]), codes[mine], sure[mine]
            has = np.zeros((2, len(some), K), bool)
            has[is_sure.astype(np.intp), place, own] = True
            p = hierarchy.probabilities(predictions.values[some], several=True)
            nodes = hierarchy.lowest((p >= thresholds) & hierarchy.above(has[0]) & ~hierarchy.above(has[1]))
            row, node = np.nonzero(nodes)
            found.append((some[row], K + node, p[row, node]))
        return tuple(np.concatenate(parts) for parts in zip(*found, strict=True))  # type: ignore[return-value]


@dataclass(frozen=True, slots=True)
class SeveralLabels(Rule):
    """Any number of labels for each row: all whose probability, or score, reaches the threshold of their class.

    Parameters
    ----------
    thresholds : float or array (classes,)
    """

    several: ClassVar[bool] = True
    stored_as: ClassVar[str] = "several_labels"
    thresholds: ArrayLike = 0.5

    def decide(self, scores: NDArray[Any], predictions: Predictions) -> Predictions:  # noqa: ARG002
        """Return the predictions with the labels of each row, by their probabilities where there are any."""
        return self(predictions)

    @property
    def plain(self) -> SeveralLabels:
        """Every label from the score 0 on."""
        return SeveralLabels(0.0)

    def calibrated(self, calibrator: Calibrator | None) -> SeveralLabels:
        """Return the rule with the probabilities of its thresholds."""
        return self if calibrator is None else SeveralLabels(calibrator.threshold(self.thresholds))

    def to_state(self) -> list[float]:
        """Return what a model file keeps."""
        return list(map(float, np.atleast_1d(np.asarray(self.thresholds, np.float64))))

    @classmethod
    def from_state(cls, stored: Any, n_classes: int) -> SeveralLabels:
        """Return the rule whose thresholds a model file holds; raises ValueError for anything else."""
        sound = isinstance(stored, list) and all(isinstance(number, float) for number in stored)
        if not sound or len(stored) not in (1, n_classes) or not np.isfinite(stored).all():
            raise ValueError(f"a rule needs one finite threshold for each of {n_classes} labels")
        return cls(np.array(stored, np.float64))

    def __call__(self, predictions: Predictions) -> Predictions:
        """Return the predictions with the labels of each row, the surest first."""
        values = predictions.values
        least = np.broadcast_to(np.asarray(self.thresholds, np.float64), values.shape[1:])
        is_top = isinstance(values, TopValues)
        rows, codes = values.reaching(least) if is_top else np.nonzero(values >= least)
        codes = codes[np.lexsort((-values[rows, codes], rows))]
        counts = np.bincount(rows, minlength=len(values))
        given = LabelLists(np.append(0, np.cumsum(counts)), codes)
        best = values.argmax(axis=1)
        best[counts > 0] = codes[given.indptr[:-1][counts > 0]]
        return replace(predictions, best=best, given=given)


def reached(values: list[float], thresholds: list[float]) -> list[int]:
    """Return the labels of a single row that reach their threshold, as `SeveralLabels` does: the surest first."""
    given = [k for k, (value, least) in enumerate(zip(values, thresholds, strict=True)) if value >= least]
    return sorted(given, key=values.__getitem__, reverse=True)


@dataclass(frozen=True, slots=True)
class LabelLimits:
    """Limits of how many labels a row gets: at least one, which is then its best, or at most so many, the surest."""

    at_least_one: bool = False
    at_most: int | None = None

    def __call__(self, predictions: Predictions) -> Predictions:
        """Return the predictions within these limits."""
        given = predictions.given
        if not isinstance(given, LabelLists):
            return predictions
        counts = np.diff(given.indptr)
        if self.at_most is not None:
            place = np.arange(len(given.codes)) - np.repeat(given.indptr[:-1], counts)
            counts = np.minimum(counts, self.at_most)
            given = LabelLists(np.append(0, np.cumsum(counts)), given.codes[place < self.at_most])
        if self.at_least_one:
            bare = np.flatnonzero(counts == 0)
            codes = np.insert(given.codes, given.indptr[bare], predictions.best[bare])
            given = LabelLists(np.append(0, np.cumsum(np.maximum(counts, 1))), codes)
        return replace(predictions, given=given)


def cheapest(probabilities: ArrayLike, cost: ArrayLike) -> NDArray[np.intp]:
    """Return the class with the least expected cost; ``cost[predicted, true]`` is zero or more."""
    p, rho = np.asarray(probabilities, np.float64), np.asarray(cost, np.float64)
    K = p.shape[1]
    if rho.shape != (K, K) or not np.isfinite(rho).all() or (rho < 0).any():
        raise ValueError(
            f"cost must be a {K} × {K} array of non-negative numbers, [predicted, true]; got shape {rho.shape}"
        )
    expected = (p[:, None, :] * rho[None, :, :]).sum(axis=2)
    best: NDArray[np.intp] = expected.argmin(axis=1)
    return best


def accepted(probabilities: ArrayLike, codes: ArrayLike, thresholds: ArrayLike) -> NDArray[np.intp]:
    """Return the given class numbers, ``REJECTED`` where p of the class is below its threshold."""
    p, y = np.asarray(probabilities, np.float64), np.asarray(codes, np.intp)
    t = np.broadcast_to(np.asarray(thresholds, np.float64), p.shape[1:])
    return np.where(p[np.arange(len(y)), y] >= t[y], y, REJECTED)


def precision_thresholds(probabilities: ArrayLike, codes: ArrayLike, target: float) -> Array:
    """Return, per class, the lowest threshold with at least the target precision on the given rows.

    ``codes`` are the true class numbers. A class that never reaches the target gets a threshold above 1: it is never
    predicted. Find thresholds on rows that did not train the model, and test them on others.
    """
    if not 0 < target <= 1:
        raise ValueError(f"the target precision must lie between 0 and 1; got {target}")
    p, y = np.asarray(probabilities, np.float64), np.asarray(codes)
    chosen = p.argmax(axis=1)
    return thresholds_of_chosen(p[np.arange(len(p)), chosen], chosen, chosen == y, p.shape[1], target)


def thresholds_of_chosen(
    top: Array, chosen: NDArray[Any], right: NDArray[np.bool_], n_classes: int, target: float
) -> Array:
    """Return such thresholds from the most probable class of each row, its probability, and whether it is right."""
    thresholds = np.zeros(n_classes)
    for k in range(n_classes):
        rows = np.flatnonzero(chosen == k)
        falling = rows[np.argsort(-top[rows], kind="stable")]
        values, hits = top[falling], right[falling]
        precision = np.cumsum(hits) / np.arange(1, len(hits) + 1)
        last_of_value = np.append(values[1:] < values[:-1], True)[: len(values)]
        good = np.flatnonzero((precision >= target) & last_of_value)
        thresholds[k] = values[good[-1]] if len(good) else np.nextafter(1.0, 2.0)
        if len(good) == len(np.flatnonzero(last_of_value)):
            thresholds[k] = 0.0  # every prediction is good enough
    return thresholds


def named_numbers(numbers: Mapping[str, float], classes: ArrayLike, default: float) -> Array:
    """Return one number per class from numbers by label; raises ValueError for a label that is no class."""
    labels = _known_labels(numbers, classes)
    return np.array([numbers.get(label, default) for label in labels])


def cost_matrix(costs: Mapping[tuple[str, str], float], classes: ArrayLike) -> Array:
    """Return cost[predicted, true]: 1 for a mistake, 0 for a right label, unless (true, predicted) is given."""
    labels = _known_labels([label for pair in costs for label in pair], classes)
    rho = 1.0 - np.eye(len(labels))
    for (true, predicted), cost in costs.items():
        rho[labels.index(predicted), labels.index(true)] = cost
    return rho


def _known_labels(given: Iterable[str], classes: ArrayLike) -> list[str]:
    """Return the classes as text, to which the given labels must belong."""
    labels = [str(label) for label in np.asarray(classes).tolist()]
    if unknown := [label for label in given if label not in labels]:
        raise ValueError(f"no class is called {unknown[0]!r} (there are: {', '.join(labels[:20])})")
    return labels
