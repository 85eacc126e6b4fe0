"""``TextModel``: what a fitted model of texts answers, and why."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lindy.core.hierarchy import Hierarchy, Taxonomy
from lindy.core.inputs import CHUNK, Inputs
from lindy.core.targets import ManyLabels, as_lists, as_targets
from lindy.core.weights import check_weight
from lindy.errors import DataError, LindyError
from lindy.estimators.base import share_right
from lindy.estimators.estimator import Estimator
from lindy.evaluation.decisions import Decision, Rule, predictions_from, predictions_of, reached
from lindy.evaluation.predictions import PredictionColumns, Predictions, labels_of
from lindy.features.inputs import as_example, as_inputs
from lindy.modelfile.text_classifiers import ROLES
from lindy.scoring import FEW, Scored

if TYPE_CHECKING:
    from lindy.evaluation.calibration.calibrators import Calibrator
    from lindy.evaluation.coverage import LabelSets, TrueProbabilities
    from lindy.evaluation.metrics.class_metrics import Evaluation
    from lindy.evaluation.metrics.label_metrics import LabelEvaluation
    from lindy.evaluation.outcomes import Outcomes
    from lindy.explain import Explanation
    from lindy.modelfile.kept import Kept
    from lindy.modelfile.small import Small


VALUES_AT_ONCE = 1 << 24
"""Probabilities, of texts times classes, that are in memory together while texts are predicted."""


class TextModel(Estimator):
    """A fitted vectorizer, learner, calibrator and rule together; ``TextClassifier`` says how they are learned."""

    classes_: NDArray[Any]
    class_counts_: NDArray[Any]
    n_examples_: float
    learner_: Any
    vectorizer_: Any
    columns_: dict[str, str]
    calibrator_: Calibrator | None
    rule_: Rule | None
    concerns_: list[str]
    recipe_: str
    why_: list[str]
    seen_: dict[str, list[str]]
    outcomes_: Outcomes | None
    true_probabilities_: TrueProbabilities | None = None
    kept_: Kept | None
    small_: Small | None = None
    taxonomy_: Taxonomy | None = None
    columns: Mapping[str, Any] | None
    metric: str
    vectorizer: Any

    def predictions(self, texts: Any, *, calibrated: bool = True) -> Predictions:
        """Return what the model says of each text: the best class, and a probability or a score for every class.

        ``calibrated=False`` asks the learner alone.
        """
        self._check_fitted()
        how = (self.calibrator_, self.rule_) if calibrated else (None, self.rule_ and self.rule_.plain)
        few = type(texts) is list and len(texts) <= FEW and self._scores_are_enough
        if few and (found := self._one_call()(texts)) is not None:
            return predictions_from(found[0], how[0] or self._link, how[1], known=found[1])
        pieces = self.as_input(texts).chunks(self.rows_at_once)
        return Predictions.joined([self._predictions(own, *how) for own in pieces])

    @property
    def rows_at_once(self) -> int:
        """How many texts are predicted together: the fewer, the more classes there are, since each has a value."""
        wide = len(self.classes_) * CHUNK > VALUES_AT_ONCE and not self.learner_.finds_top
        return max(VALUES_AT_ONCE // len(self.classes_), 1) if wide else CHUNK

    @property
    def several_labels(self) -> bool:
        """Whether a text may get any number of labels."""
        return self.rule_ is not None and self.rule_.several

    @property
    def metric_(self) -> str:
        """The metric that it was made for: of several labels per text "micro-f1", where none was asked for."""
        return "micro-f1" if self.several_labels and self.metric == "accuracy" else self.metric

    @property
    def label_thresholds(self) -> NDArray[np.float64] | None:
        """From which probability, or score, on each of several labels is given; None where a text gets one."""
        if self.rule_ is None or not self.several_labels:
            return None
        return np.broadcast_to(np.array(self.rule_.to_state()), len(self.classes_))

    @property
    def hierarchy_(self) -> Hierarchy | None:
        """The nodes above the labels of the model; None if there is no taxonomy."""
        if self.taxonomy_ is None:
            return None
        kept: tuple[Any, Hierarchy] | None = vars(self).get("_hierarchy")
        if kept is None or kept[0] is not self.classes_:
            self._hierarchy = kept = (self.classes_, self.taxonomy_.over(self.classes_.tolist()))
        return kept[1]

    @property
    def n_examples(self) -> float:
        """How many examples it was trained on, each as often as its weight says."""
        n: float = self.n_examples_ if self.several_labels else self.class_counts_.sum().item()
        return int(n) if n == int(n) else n

    def require_one_label(self, doing: str) -> None:
        """Raise DataError for a model of several labels per text: ``doing`` is what cannot be done with it yet."""
        if self.several_labels:
            raise DataError(
                f"{doing} is for models of one label per text, and this one gives several",
                "it can be trained, saved, updated, merged, used to predict, evaluated, explained and inspected",
            )

    answers = predictions  # the name of 0.2

    def _predictions(self, texts: Any, calibrator: Calibrator | None, rule: Rule | None) -> Predictions:
        """Return what the model says of some thousand texts."""
        found = self._one_call().many(texts) if self._scores_are_enough else None
        if found is not None:
            return predictions_from(found[0], calibrator or self._link, rule, known=found[1])
        return predictions_of(self.learner_, self.vectorizer_.transform_csr(texts), calibrator, rule)

    def quick_predictions(self, texts: list[str]) -> tuple[list[Any], list[list[float]], list[int]] | None:
        """Return :meth:`predictions` of a few texts as lists: best, values and known; None where it takes longer.

        Of several labels the first list has the numbers of all that are given, in the place of the best one.
        For who waits for one answer: everything is found in one native call, with the same bits.
        """
        self._check_fitted()
        K, calibrator, several = len(self.classes_), self.calibrator_, self.several_labels
        other_rule = self.rule_ is not None if not several else K == 1
        if other_rule or len(texts) > FEW or not self._scores_are_enough:
            return None
        n_scores = 1 if K == 2 and not several else K
        found = self._one_call().answer(texts, calibrator and calibrator.native(n_scores))
        if found is None or self.label_thresholds is None:
            return found
        thresholds = self.label_thresholds.tolist()
        return [reached(row, thresholds) for row in found[1]], *found[1:]

    quick_answers = quick_predictions  # the name of 0.2

    @property
    def _scores_are_enough(self) -> bool:
        """Whether answers follow from the learner's scores."""
        own = self.learner_
        return self.calibrator_ is not None or not own.has_probabilities or own.links_scores

    @property
    def _link(self) -> Any:
        """The learner, if it makes probabilities of its scores."""
        return self.learner_ if self.learner_.links_scores else None

    def _one_call(self) -> Scored:
        """Return the scores of the fitted vectorizer and learner, kept for the next call."""
        scored: Scored | None = vars(self).get("_scored")
        if scored is None or not scored.is_of(self.vectorizer_, self.learner_):
            self._scored = scored = Scored(self.vectorizer_, self.learner_)
        return scored

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name not in ("_scored", "_hierarchy")}

    def predict(self, X: Any, *, as_frame: bool = False, reject: float | None = None) -> Any:
        """Return the label of each text: the most probable one where there are probabilities and no other rule.

        Parameters
        ----------
        X : as for ``fit``
            For a frame of Dask or Spark, a column of it is returned, or with ``as_frame`` a frame of Dask, and for
            Spark a column of structures.
        as_frame : bool
            Return a pandas data frame with the index of X: "label", "probability" and a column for each class. A model
            without probabilities has "score" and scores instead.
        reject : float or None
            Give no label, but None, where its probability is below this one; with a ``hierarchy`` the lowest of what
            stands above the labels that reaches it.
        """
        if in_partitions(X):
            from lindy.distributed.cluster_frames import predict_frame

            if reject is not None:
                raise ValueError("frames of Dask and Spark are predicted without reject")
            self._check_fitted()
            return predict_frame(self, X, as_frame=as_frame)
        plain = not as_frame and reject is None and type(X) is list
        if plain and (quick := self.quick_predictions(X)) is not None:
            return labels_of(quick[0], self.classes_) if self.several_labels else self.classes_[quick[0]]
        predicted = self.predictions(X)
        if reject is not None:
            predicted = Decision(thresholds=reject, hierarchy=self.hierarchy_)(predicted)
        if not as_frame:
            return predicted.labels(self.classes_, self._broader)
        return PredictionColumns(self.classes_, every=True, broader=self._broader).frame(
            predicted, index=X.index if hasattr(X, "iloc") else None
        )

    @property
    def _broader(self) -> list[str]:
        """The names of what stands above the labels."""
        return [] if self.hierarchy_ is None else self.hierarchy_.names

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return P(label | text), texts × classes, in the order of ``classes_``.

        They come from the calibrator where there is one, otherwise from the learner (naive Bayes and MaxEnt).
        """
        if not self.has_probabilities:
            raise AttributeError(
                f"{type(self.learner_).__name__} has no predict_proba, and the model is not calibrated"
            )
        if type(X) is list and X and (quick := self.quick_predictions(X)) is not None:
            return np.array(quick[1])
        return np.asarray(self.predictions(X).values)

    def predict_set(self, X: Any, coverage: float = 0.95, *, per_class: bool = False) -> NDArray[Any]:
        """Return for each text the smallest tuple of labels that holds the right one with probability ``coverage``.

        The labels are those whose probability reaches a threshold, the most probable first, and always the best one;
        the threshold is that of split conformal prediction on examples that were held out in training. For a model
        that gives several labels to a text, this is the expected share of its labels that are in the set.

        Parameters
        ----------
        X : sequence of texts, or what else the model was fitted on
        coverage : float
            Between 0 and 1.
        per_class : bool
            Whether each class of texts shall be covered as often, not only all texts together.

        Raises
        ------
        LindyError
            If the model has no probabilities of held-out examples.
        ValueError
            If ``coverage`` does not lie between 0 and 1.
        """
        return self.label_sets(coverage, per_class=per_class)(self.predictions(X)).labels(self.classes_)

    def label_sets(self, coverage: float, *, per_class: bool = False) -> LabelSets:
        """Return the decision that gives each text such a set, as ``predict_set`` does."""
        from lindy.evaluation.coverage import NOT_HELD_OUT, LabelSets

        self._check_fitted()
        if self.true_probabilities_ is None:
            raise LindyError(
                NOT_HELD_OUT,
                "calibrate it on labelled texts (lindy.recalibrate), or train it again with calibration='sigmoid'",
            )
        n_classes = len(self.classes_)
        return LabelSets(self.true_probabilities_.thresholds(coverage, n_classes, per_class=per_class))

    @property
    def has_probabilities(self) -> bool:
        """Whether :meth:`predict_proba` can answer."""
        self._check_fitted()
        return self.calibrator_ is not None or self.learner_.has_probabilities

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return the learner's scores of each text."""
        return np.concatenate([self._scores(batch) for batch in self.as_input(X).chunks()])

    def _scores(self, texts: Any) -> NDArray[Any]:
        """Return the learner's scores of some thousand texts."""
        found = self._one_call().many(texts)
        scores: NDArray[Any] = (
            self.learner_.decision_function(self.vectorizer_.transform_csr(texts))
            if found is None
            else found[0]
        )
        return scores

    def score(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """Return the (weighted) share of texts that get their label right, or exactly their labels."""
        said = self.predict(X)
        if not self.several_labels:
            return share_right(said, y, sample_weight)
        if isinstance(y, list) and len(y) and isinstance(y[0], list | tuple):  # also where each has one label
            truth = ManyLabels.of_lists(y, as_given=True)
        else:
            truth = as_lists(as_targets(y, len(said), as_given=True, several=True))
        right = [set(own) == set(has) for own, has in zip(said, truth.labels, strict=True)]
        return float(np.average(right, weights=check_weight(sample_weight, len(right))))

    def evaluate(
        self, X: Any, y: Any, *, resamples: int = 0, random_state: int = 0
    ) -> Evaluation | LabelEvaluation:
        """Compare the predictions of labelled texts with their labels, one or several: every figure, with intervals.

        Parameters
        ----------
        X : texts, as for ``predict``
        y : their labels, as for ``fit``
        resamples, random_state : int
            Bootstrap resamples for the intervals that have no formula, and their seed; 0 leaves those intervals out.
        """
        from lindy.evaluation.metrics.model_evaluation import evaluate_predictions

        truth = as_targets(y, len(X), as_given=True, several=True)
        return evaluate_predictions(
            self.predictions(X),
            truth,
            self.classes_,
            thresholds=self.label_thresholds,
            hierarchy=self.hierarchy_,
            resamples=resamples,
            random_state=random_state,
        )

    def explain(self, text: str | Mapping[str, Any] | NDArray[Any], *, flips: int = 50) -> Explanation:
        """Take the prediction of one text, row, dictionary of features or image apart; see ``lindy.explain``.

        ``flips`` is how many words are tried to find those without which the label would be another. They are tried,
        and places and names of features found, when the explanation is first asked for them.
        """
        from lindy.explain import explain
        from lindy.explain.explanation_parts import GivenLabels

        self._check_fitted()
        text = as_example(text, self.vectorizer_)
        row = self._one_call().row(text)
        row = self.vectorizer_.transform_csr([text]) if row is None else row
        score = None
        if self._scores_are_enough:
            score = self.learner_.decision_function(row)
            answer = predictions_from(score, self.calibrator_ or self._link, self.rule_)
        else:
            answer = predictions_of(self.learner_, row, self.calibrator_, self.rule_)
        several = None
        if self.label_thresholds is not None:
            several = GivenLabels(answer.labels(self.classes_)[0], self.label_thresholds)
        return explain(
            self.vectorizer_,
            self.learner_,
            text,
            row=row,
            label=self.classes_[answer.best].tolist()[0],
            predict=self._as_now().predict,
            score=score,
            probabilities=answer.values[0] if answer.are_probabilities else None,
            calibration=None if self.calibrator_ is None else self.calibrator_.method,
            flips=flips,
            several=several,
        )

    def _as_now(self) -> Self:
        """Return the model as it is, to which another ``fit`` of this one does nothing."""
        now = type(self).__new__(type(self))
        vars(now).update(vars(self))
        return now

    def as_input(self, X: Any) -> Inputs:
        """Return examples as the fitted vectorizer takes them."""
        self._check_fitted()
        return self._inputs(X, self.vectorizer_)

    def _inputs(self, X: Any, vectorizer: Any) -> Inputs:
        """Return examples as a vectorizer, or TextClassifier's own where it is None, takes them."""
        columns = vectorizer.columns if self.columns is None and vectorizer is not None else self.columns
        return as_inputs(X, vectorizer, columns)

    def remember(self, role: str, texts: Any, labels: Any) -> None:
        """Note in the model that these examples were used for "training" or "tuning".

        ``lindy evaluate`` says so when it is given the same examples to test on. Only a fingerprint is kept.
        """
        if role not in ROLES:
            raise ValueError(f"role must be one of {list(ROLES)}; got {role!r}")
        from lindy.data.columns.fingerprints import fingerprint

        known = self.seen_.setdefault(role, [])
        if (mark := fingerprint(self.as_input(texts), labels)) not in known:
            known.append(mark)

    def remember_examples(self, role: str, examples: Any) -> None:
        """Note the same of what ``lindy.data`` has read; of several files, each is noted by itself."""
        for texts, labels in _by_input(examples):
            self.remember(role, texts, labels)

    def roles_of_examples(self, examples: Any) -> list[str]:
        """Return what any of the files that ``lindy.data`` has read was used for when the model was made."""
        found = {role for texts, labels in _by_input(examples) for role in self.roles_of(texts, labels)}
        return [role for role in ROLES if role in found]

    def roles_of(self, texts: Any, labels: Any) -> list[str]:
        """Return what these examples were used for when the model was made; [] if for nothing."""
        from lindy.data.columns.fingerprints import fingerprint

        return self.roles_by_mark(fingerprint(self.as_input(texts), labels))

    def roles_by_mark(self, mark: str) -> list[str]:
        """Return the same by the fingerprint of the examples, as `as_input` has them, and their labels."""
        return [role for role in ROLES if mark in self.seen_.get(role, [])]


def _by_input(examples: Any) -> list[tuple[Any, Any]]:
    """Return texts and labels of each file that examples were read from."""
    if not hasattr(examples, "table"):
        raise TypeError(f"expected what lindy.data reads, got {type(examples).__name__}")
    inputs = examples.table.inputs
    if len(inputs) == 1:  # feature rows and images cannot be cut
        return [(examples.texts, examples.labels)]
    return [(examples.texts[rows], examples.labels[rows]) for rows in inputs]


def in_partitions(X: Any) -> bool:
    """Whether examples are a frame of Dask or Spark; imports neither."""
    return type(X).__module__.partition(".")[0] in ("dask", "pyspark")
