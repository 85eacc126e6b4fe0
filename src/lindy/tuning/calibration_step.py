"""The last step of a fit, on scores of examples that were held out: probabilities, the rule, and what is to be said."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lindy.core.targets import Targets
from lindy.core.weights import class_weights
from lindy.estimators.base import best_class
from lindy.evaluation.calibration import METHODS, Calibrator, Temperature, fit_calibrator
from lindy.evaluation.criterion import Criterion
from lindy.evaluation.crossfit import ENOUGH, FOLDS, OutOfFold
from lindy.evaluation.decisions import ScoreRule, SeveralLabels
from lindy.evaluation.diagnostics import concern, joined_labels, lone_labels
from lindy.tuning.pipeline_spec import TrainingData

if TYPE_CHECKING:
    from lindy.evaluation.outcomes import Outcomes
    from lindy.tuning.automatic import Choice

_FEW = 30  # answers on which a threshold for a precision is found
_OWN = Temperature({"temperature": np.ones(1)})  # the softmax of scores as they are
CALIBRATIONS = ("auto", "best", *METHODS, "none")


@dataclass(frozen=True, slots=True)
class Judged:
    """A calibrator or None, the rule or None, a line that explains the rule, and what the user should know.

    ``outcomes`` count what the model says of the examples that were held out, if any were.
    """

    calibrator: Calibrator | None = None
    rule: ScoreRule | SeveralLabels | None = None
    why: list[str] = field(default_factory=list)
    concerns: list[str] = field(default_factory=list)
    outcomes: Outcomes | None = None


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
        if not self.material.division.splits(self.labels.codes, FOLDS):
            return self._unheld()
        held_out = None if self.choice is None else self.choice.held_out
        if held_out is None and self.criterion.has_rule:
            held_out = self._scored(score_held_out)
        calibrator = None
        if self._calibrates:
            if held_out is None or self.calibration != "auto":
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
        return fit_calibrator(scores, y, None, method, weight=own, division=division)

    def _ruled(self, calibrator: Calibrator | None, held_out: OutOfFold) -> Judged:
        criterion, y = self.criterion, self.labels.codes[held_out.rows]
        scores = held_out.scores[:, None] if held_out.scores.ndim == 1 else held_out.scores
        answer, p = best_class(scores), self._probabilities(calibrator, held_out.scores)
        if calibrator is not None:
            answer = calibrator.probabilities_and_best(held_out.scores)[1]
        rule, why = criterion.rule(scores, y, self.material.division.take(held_out.rows)), []
        weight = self.material.row_weight
        weight = None if weight is None else weight[held_out.rows]
        if criterion.has_rule:
            without = criterion.figure(criterion.gains_of(answer, y, weight))
            answer = answer if rule is None else rule(scores)
            reached = criterion.figure(criterion.gains_of(answer, y, weight))
            why = [self._explained(rule, calibrator, reached, without)]
            why[0] += f" on {len(y):,} held-out texts)"
        said = None
        if criterion.class_weight is None:  # otherwise somebody has thought about rare classes
            said = concern(y, answer, self.labels.names.tolist(), metric=str(criterion.metric))
        from lindy.evaluation.outcomes import Outcomes

        confidence = None if p is None else p[np.arange(len(y)), answer]
        outcomes = Outcomes.of(y, answer, confidence, len(self.labels.names), weight)
        return Judged(
            calibrator, rule, why, [*self._imprecise(answer, y), *([said] if said else [])], outcomes
        )

    def _probabilities(
        self, calibrator: Calibrator | None, scores: NDArray[np.float64]
    ) -> NDArray[np.float64] | None:
        """Return the probabilities that scores of held-out examples say; None where the model will have none."""
        if calibrator is None and not (self.learner.has_joint_scores or self.learner.has_log_odds):
            return None
        return (calibrator or _OWN)(scores)

    def _explained(
        self, rule: ScoreRule | None, calibrator: Calibrator | None, reached: float, without: float
    ) -> str:
        """Return the rule in a line, to which the rows it was found on are added."""
        criterion, classes = self.criterion, self.labels.names.tolist()
        if rule is None:
            return f"rule: the highest score ({criterion.title}: {without:.3f}"
        figures = f"({criterion.title}: {reached:.3f}, for the highest score {without:.3f},"
        k = criterion.target if criterion.target >= 0 else int(np.argmin(self.labels.counts))
        if len(classes) > 2:
            what = (
                f"of {classes[k]} plus {rule.offsets[k]:.3g}"
                if criterion.target >= 0
                else "of each class plus its own"
            )
            return f"rule: the highest score, that {what} {figures}"
        least = rule.offsets[0] - rule.offsets[1]  # the score of the second class at which labels change
        limit = f"score of {least if k else -least:.3g}"
        if calibrator is not None:
            limit = f"probability of {calibrator(np.array([least]))[0, k]:.3g}"
        return f"rule: {classes[k]} from a {limit} on {figures}"

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
        from lindy.evaluation.intervals import wilson

        low, high = wilson(precision, called)
        return [
            f"the threshold for {self.criterion.label} was found on {called} held-out texts of that answer: the"
            f" precision on new texts may lie between {low:.2f} and {high:.2f}; more examples make it surer"
        ]

    def _unheld(self) -> Judged:
        """Return what can be said where no example can be held out: scores are taken as log odds."""
        if not self._calibrates:
            return Judged()
        why = "every class has a single example, so none can be held out"
        if not self.material.division.is_free:
            why = "groups or times are such that no example can be held out"
        said = f"{why}: probabilities are guesses"
        said += (
            f", and the metric {self.criterion.metric} sets no threshold" if self.criterion.has_rule else ""
        )
        return Judged(_OWN, why=[said])
