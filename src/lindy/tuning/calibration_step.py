"""The last step of a fit, on scores of examples that were held out: probabilities, the rule, and what is to be said."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lindy.core.targets import Targets
from lindy.core.weights import class_weights
from lindy.evaluation.calibration.calibrators import METHODS, Calibrator, Temperature
from lindy.evaluation.criterion import Criterion
from lindy.evaluation.crossfit import ENOUGH, OutOfFold
from lindy.evaluation.decisions import Rule, predictions_from
from lindy.evaluation.diagnostics import concern, joined_labels, lone_labels
from lindy.evaluation.predictions import Predictions
from lindy.tuning.pipeline_spec import TrainingData

if TYPE_CHECKING:
    from lindy.evaluation.coverage import TrueProbabilities
    from lindy.evaluation.outcomes import Outcomes
    from lindy.tuning.automatic import Choice

_FEW = 30  # answers on which a threshold for a precision is found
_OWN = Temperature({"temperature": np.ones(1)})  # the softmax of scores as they are
CALIBRATIONS = ("auto", "best", *METHODS, "none")


@dataclass(frozen=True, slots=True)
class Judged:
    """A calibrator or None, the rule or None, a line that explains the rule, and what the user should know.

    ``outcomes`` count what the model says of the examples that were held out, if any were, and ``true_probabilities``
    how probable it takes their labels to be.
    """

    calibrator: Calibrator | None = None
    rule: Rule | None = None
    why: list[str] = field(default_factory=list)
    concerns: list[str] = field(default_factory=list)
    outcomes: Outcomes | None = None
    true_probabilities: TrueProbabilities | None = None


def _rows_by_outputs(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    return scores[:, None] if scores.ndim == 1 else scores


Scoring = Callable[..., OutOfFold]
"""Scores examples by copies of the learner that have not seen them; with ``enough``, only so many."""


@dataclass(frozen=True, slots=True)
class CalibrationStep:
    """The options of calibration and decision rule, and the training data."""

    calibration: str
    learner: Any
    material: TrainingData
    choice: Choice | None

    @property
    def criterion(self) -> Criterion:
        """The metric that the model shall optimise."""
        return self.material.criterion

    @property
    def labels(self) -> Targets:
        """The labels of all examples."""
        return self.material.labels

    def __call__(self, score_held_out: Scoring | None) -> Judged:
        """Hold out examples where that is needed, and judge by them; None will do where it is not (``holds_out``)."""
        judged = self._judged(score_held_out)
        if self.criterion.several:
            return judged
        said = [lone_labels(self.labels.counts), joined_labels(self.labels.names.tolist())]
        return replace(judged, concerns=[*filter(None, said), *judged.concerns])

    def of_scores(self, held_out: OutOfFold | None) -> Judged:
        """Calibrate by scores of examples that were held out elsewhere; None if none could be."""
        return self._unheld() if held_out is None else self._ruled(self._calibrator(held_out), held_out)

    def _judged(self, score_held_out: Scoring | None) -> Judged:
        if self.calibration not in CALIBRATIONS:
            raise ValueError(f"calibration must be one of {list(CALIBRATIONS)}; got {self.calibration!r}")
        if score_held_out is None or not self.holds_out:
            return Judged()
        splits = self.material.division.splits(self.labels, self.criterion.folds)
        if not splits:
            return self._unheld()
        score_held_out = partial(score_held_out, splits=splits)
        held_out = None if self.choice is None else self.choice.held_out
        if held_out is not None and self.criterion.several and len(held_out.rows) < len(self.labels):
            held_out = None  # rare labels need all rows
        if held_out is None and self.criterion.has_rule:
            held_out = self._scored(score_held_out)
        calibrator = None
        if self._calibrates:
            if held_out is None or (self.calibration != "auto" and not self.criterion.several):
                held_out = self._scored(score_held_out)
            calibrator = self._calibrator(held_out)
        return Judged(calibrator) if held_out is None else self._ruled(calibrator, held_out)

    @property
    def holds_out(self) -> bool:
        """Whether scores of held-out examples are wanted."""
        return self.choice is not None or self.criterion.has_rule or self._calibrates

    @property
    def _calibrates(self) -> bool:
        """Whether a calibrator is wanted; own probabilities will do unless recipes were judged by calibrated ones."""
        if self.calibration == "auto":
            own = not self.criterion.of_probabilities and self.criterion.class_weight is None
            return not own or not self.learner.has_probabilities
        return self.calibration != "none"

    def _scored(self, score_held_out: Scoring) -> OutOfFold:
        # a sampled search is for data whose fits are long
        if self.criterion.several:
            return score_held_out()
        enough = ENOUGH if self.choice is None else ENOUGH // 5
        return score_held_out(enough=enough if self.calibration == "auto" else None)

    def _calibrator(self, held_out: OutOfFold) -> Calibrator:
        """Fit a calibrator to the scores of rows that copies of the learner did not see."""
        y, weight = self.labels.take(held_out.rows), self.material.weight
        own = None if weight is None else weight[held_out.rows]
        own = class_weights(getattr(self.learner, "class_weight", None), y, own)
        method = self.calibration if self.calibration in METHODS else "auto"
        scores = held_out.scores
        division = self.material.division.take(held_out.rows)
        if own is not None:  # rows without weight say nothing
            rows = np.flatnonzero(own > 0)
            scores, y, division = scores[rows], y.take(rows), division.take(rows)
            own = own[own > 0]
        return self.criterion.calibrator(scores, y, method, weight=own, division=division)

    def _ruled(self, calibrator: Calibrator | None, held_out: OutOfFold) -> Judged:
        criterion, y, scores = self.criterion, self.labels.take(held_out.rows), held_out.scores
        weight = self.material.row_weight
        weight = None if weight is None else weight[held_out.rows]
        found = criterion.rule(_rows_by_outputs(scores), y, self.material.division.take(held_out.rows))
        rule = None if found is None else found.calibrated(calibrator)
        made, why = predictions_from(scores, calibrator, rule), []
        if criterion.has_rule:
            reached, without = (
                criterion.figure_by(own, scores, y, calibrator, weight)
                for own in (found, criterion.plain_rule)
            )
            why = [criterion.explained(found, calibrator, reached, without, self.labels)]
            why[0] += f" on {len(y):,} held-out texts)"
        said = self._uneven(y, made)
        from lindy.evaluation.coverage import TrueProbabilities
        from lindy.evaluation.outcomes import Outcomes

        shown = (
            replace(made, values=p, are_probabilities=True)
            if (p := self._own(made, scores)) is not None
            else made
        )
        outcomes = Outcomes.of(y, shown, weight)
        concerns = [*self._imprecise(made.best, y.codes), *said]
        return Judged(calibrator, rule, why, concerns, outcomes, TrueProbabilities.of(y, shown, weight))

    def _uneven(self, y: Targets, made: Predictions) -> list[str]:
        """Return what is wrong with classes that are not as common as others."""
        if (
            self.criterion.several or self.criterion.class_weight is not None
        ):  # somebody has thought about rare ones
            return []
        said = concern(y.codes, made.best, self.labels.names.tolist(), metric=str(self.criterion.metric))
        return [said] if said else []

    def _own(self, made: Predictions, scores: NDArray[np.float64]) -> NDArray[np.float64] | None:
        """Return the probabilities that a learner has of its own; None where they are known or not there."""
        if made.are_probabilities or not (self.learner.has_joint_scores or self.learner.has_log_odds):
            return None
        return _OWN(scores)

    def _imprecise(self, answer: NDArray[Any], y: NDArray[Any]) -> list[str]:
        """Return that a wanted precision is out of reach, if it is."""
        wanted, target = self.criterion.metric.precision, self.criterion.target
        if wanted is None:
            return []
        called = answer == target
        precision = float((y[called] == target).mean()) if called.any() else 0.0
        if precision >= wanted:
            return self._uncertain(precision, int(called.sum()))
        return [
            f"no threshold for {self.criterion.label} has a precision of {wanted:g} on held-out texts; the model takes"
            f" the most precise one, {precision:.3f}: ask for less (recall@precision:{precision - 0.005:.2f}), or train"
            " on more examples"
        ]

    def _uncertain(self, precision: float, called: int) -> list[str]:
        """Return that a precision was found on few texts, if it was."""
        if called >= _FEW:
            return []
        from lindy.evaluation.metrics.intervals import wilson

        low, high = wilson(precision, called)
        return [
            f"the threshold for {self.criterion.label} was found on {called} held-out texts of that answer: the"
            f" precision on new texts may lie between {low:.2f} and {high:.2f}; more examples make it surer"
        ]

    def _unheld(self) -> Judged:
        """Return what can be said where no example can be held out: scores are taken as log odds."""
        why = "every class has a single example, so none can be held out"
        if not self.material.division.is_free:
            why = "groups or times are such that no example can be held out"
        if self.criterion.several:
            return Judged(
                rule=self.criterion.plain_rule, why=[f"{why}: each label is given from the score 0 on"]
            )
        if not self._calibrates:
            return Judged()
        said = f"{why}: probabilities are guesses"
        said += (
            f", and the metric {self.criterion.metric} sets no threshold" if self.criterion.has_rule else ""
        )
        return Judged(_OWN, why=[said])
