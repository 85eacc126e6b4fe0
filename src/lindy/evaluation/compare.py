"""Several learners on one split of one table: the texts are vectorised once, and every learner sees the same rows."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lindy.core.csr import Csr
from lindy.core.inputs import as_inputs
from lindy.core.targets import ManyLabels, OneLabel, Targets, union_of_names
from lindy.data.splits.split import folds
from lindy.data.splits.split_policy import FREE, SplitPolicy
from lindy.estimators.base import Classifier
from lindy.estimators.learners import make_learner
from lindy.estimators.notebook import facts, shown, table
from lindy.evaluation.criterion import Criterion
from lindy.evaluation.crossfit import fit_arguments
from lindy.evaluation.label_criterion import LabelCriterion, criterion_for
from lindy.evaluation.metrics.class_metrics import evaluate
from lindy.evaluation.metrics.intervals import Interval, wilson
from lindy.evaluation.metrics.label_metrics import evaluate_labels, label_gains
from lindy.evaluation.metrics.ranking import class_numbers
from lindy.evaluation.metrics.significance import accuracy_difference, mcnemar, p_of_all_pairs
from lindy.evaluation.predictions import Predictions
from lindy.features.inputs import KINDS
from lindy.features.table_vectorizer import of_columns
from lindy.linear.one_vs_rest import learner_for
from lindy.text.union import beside
from lindy.text.vectorizer import weight_option
from lindy.text.vocabulary.terms import term_vectorizer, words_beside
from lindy.text.weighting.weighting_registry import weighting_transformer

CURVE = (1 / 32, 1 / 16, 1 / 8, 1 / 4, 1 / 2, 1.0)
"""Shares of the training rows in a learning curve."""


@dataclass(frozen=True, slots=True)
class Features:
    """The same texts as counts and weighted, by tf-idf if nothing else is asked for."""

    counts: Csr
    weighted: Csr

    def take(self, rows: NDArray[np.int64]) -> Features:
        """Return the given rows."""
        return Features(self.counts.take(rows), self.weighted.take(rows))

    def wanted_by(self, learner: Classifier) -> Csr:
        """Return the rows in the form that a learner wants."""
        return self.weighted if learner.input_kind.takes_any_numbers else self.counts


class Outcome(NamedTuple):
    """Which rows a model gets right, exactly where they have several labels; the metric, its gains, and macro F1."""

    right: NDArray[np.bool_]
    gains: NDArray[Any]
    figure: float
    macro_f1: float


@dataclass(frozen=True, slots=True)
class Experiment:
    """Rows and labels to learn from, and rows and labels to test on, one or several; the same for every learner.

    ``division`` says how the rows to test on may be divided, where thresholds are found on some for others; ``weight``
    is how much each row to learn from counts.
    """

    train: Features
    labels: Targets
    test: Features
    truth: Targets
    division: SplitPolicy = FREE
    weight: NDArray[np.float64] | None = None

    def fitted(self, learner: Classifier, rows: NDArray[np.int64] | None = None) -> Any:
        """Return a copy of a learner that has learned from all rows, or from some."""
        train = self.train if rows is None else self.train.take(rows)
        labels = self.labels if rows is None else self.labels.take(rows)
        weight = self.weight if self.weight is None or rows is None else self.weight[rows]
        model: Any = learner_for(labels, make_learner(learner), getattr(learner, "n_jobs", None))
        given = fit_arguments(model, labels, weight)
        return model.fit(train.wanted_by(learner), labels, **given)

    def predicted(self, model: Any) -> NDArray[Any]:
        """Return the class numbers that a model gives the rows to test on, or its scores of several labels."""
        rows = self.test.wanted_by(model)
        if isinstance(self.labels, ManyLabels):
            return np.asarray(model.decision_function(rows), np.float64)
        codes: NDArray[np.intp] = np.searchsorted(self.labels.names, model.predict(rows))
        return codes

    def outcome(self, model: Any, predicted: NDArray[Any], criterion: Criterion) -> Outcome:
        """Return how a model does that has predicted this."""
        if isinstance(criterion, LabelCriterion):
            return self._outcome_of_lists(predicted, criterion)
        truth = class_numbers(self.truth.names, self.labels.names)[self.truth.codes]
        right, macro_f1 = predicted == truth, evaluate(truth, predicted).macro_f1
        if criterion.plain:
            return Outcome(right, right, 0.0, macro_f1)
        known = np.flatnonzero(truth >= 0)
        rows, division = self.test.wanted_by(model).take(known), self.division.take(known)
        gains = criterion.gains_of_model(model, rows, truth[known], self.labels.names, division)
        return Outcome(right, gains, criterion.figure(gains), macro_f1)

    def _outcome_of_lists(self, scores: NDArray[Any], criterion: LabelCriterion) -> Outcome:
        """Return the outcome by thresholds that were found on other rows; labels that are not learned are missed."""
        truth, names = self.truth, self.labels.names
        assert isinstance(truth, ManyLabels)
        every = union_of_names(names, truth.names)
        learned = truth.among(every).only(np.searchsorted(every, names))
        given, judged = criterion.given_apart(scores, learned, self.division)
        own, truth = scores[judged], truth.take(judged)
        answer = Predictions(own.argmax(axis=1), own, are_probabilities=False, given=given)
        figures = evaluate_labels(truth, answer, names)
        exact = label_gains("subset_accuracy", truth, answer, names) == 1
        gains = label_gains(str(criterion.metric), truth, answer, names)
        return Outcome(exact, gains, figures.figure(str(criterion.metric)), figures.figures["macro_f1"])


@dataclass(frozen=True, slots=True)
class Result:
    """How one learner did.

    ``p_value`` and ``difference`` (of accuracies, with its interval) compare it with the best learner: p is corrected
    for all pairs of learners (``metrics.significance``), since which is the best was seen on the same rows;
    the interval is that of these two learners alone. ``common`` is the share of the best learner's mistakes that it
    makes too. ``figure`` is the metric that was asked for, 0 for accuracy. Of several labels, accuracy is the share of
    rows that get exactly theirs. Times are wall seconds, ``size`` is bytes of its arrays.
    """

    name: str
    accuracy: float
    interval: Interval
    macro_f1: float
    fit_seconds: float
    predict_seconds: float
    size: int
    p_value: float
    difference: float
    difference_interval: Interval
    common: float
    figure: float = 0.0


@dataclass(frozen=True, slots=True)
class Comparison:
    """Results from the best to the worst, and how many test rows no learner gets right."""

    results: list[Result]
    train_rows: int
    test_rows: int
    n_features: int
    never_right: int
    curve: dict[str, dict[int, float]]
    metric: str = "accuracy"
    several_labels: bool = False

    @property
    def right(self) -> str:
        """The name of the share of right rows."""
        return "exact" if self.several_labels else "accuracy"

    @property
    def curve_metric(self) -> str:
        """The metric of learning curves."""
        return self.metric if self.several_labels else "accuracy"

    @property
    def pairs(self) -> int:
        """How many pairs of learners there are, for all of which the p-values hold together."""
        return math.comb(len(self.results), 2)

    @property
    def test(self) -> str:
        """The test behind p, in words."""
        what = "exact McNemar test" if self.metric == "accuracy" else f"difference of {self.metric}"
        several = f" (Holm's correction for all {self.pairs:,} pairs of learners)" if self.pairs > 1 else ""
        return f"{what} against the best{several}"

    def cells(self) -> list[list[str]]:
        """Return the results as rows of text below a head; the size is left to who shows it."""
        own = [] if self.metric == "accuracy" else [self.metric]
        rows = [
            ["learner", *own, self.right, "95% interval", "macro F1", "p", "same mistakes", "fit", "predict"]
        ]
        for r in self.results:
            best = r is self.results[0]
            rows.append(
                [
                    r.name,
                    *(f"{r.figure:.4f}" for _ in own),
                    f"{r.accuracy:.4f}",
                    "{:.4f}–{:.4f}".format(*r.interval),
                    f"{r.macro_f1:.4f}",
                    "best" if best else "< 0.0001" if r.p_value < 1e-4 else f"{r.p_value:.4f}",
                    "" if best else f"{r.common:.0%}",
                    f"{r.fit_seconds:.2f} s",
                    f"{r.predict_seconds:.2f} s",
                ]
            )
        return rows

    def _repr_html_(self) -> str:
        said = {
            "texts to learn from": f"{self.train_rows:,}",
            "texts to test on": f"{self.test_rows:,}",
            "features": f"{self.n_features:,}",
            "wrong with every learner": f"{self.never_right:,}",
        }
        return shown(facts("Comparison", said), table(self.cells()))


def vectorize(
    train: Any,
    test: Any,
    *,
    ngrams: tuple[int, int] | None = None,
    chars: tuple[int, int] | None = None,
    min_df: int | float = 1,
    min_count: int = 1,
    select: str | None = None,
    weighting: str = "tfidf",
    y: Any = None,
    n_jobs: int | None = None,
    columns: Mapping[str, Sequence[str]] | None = None,
    extra: Sequence[Any] = (),
    weight: NDArray[np.float64] | None = None,
) -> tuple[Features, Features, list[str]]:
    """Return features of the training and test texts, and the terms; the vocabulary comes from the training texts.

    ``ngrams`` are of words (single ones if neither is given), ``chars`` of characters within words. ``y`` are the
    training texts' classes, for weightings and for ``select`` ("chi2:10000"), which look at them. With Arrow tables in
    the place of texts, ``columns`` says what their columns are: "text", "numeric" and "category". ``extra`` are
    vectorizers whose features stand beside the terms. ``weight`` says how many texts each training text is, above 0.
    """
    given = {"y": y} | weight_option(weight)
    words = words_beside(ngrams, chars)
    limits: dict[str, Any] = {"min_df": min_df, "min_count": min_count, "select": select}

    def terms(weighting: str) -> Any:
        return beside(term_vectorizer(words, chars, weighting, **limits, n_jobs=n_jobs), extra)

    if columns is not None:
        scaling = "range" if weighting == "counts" else "standard"
        counted = of_columns(columns, vectorizer=terms("counts"), scaling="range")
        weighing = of_columns(columns, vectorizer=terms(weighting), scaling=scaling)
        return _vectorize_twice(train, test, counted, weighing, given)
    if (words and chars) or extra:  # rows are scaled to length 1 for words and characters apart
        return _vectorize_twice(train, test, terms("counts"), terms(weighting), given)
    kind = KINDS[as_inputs(train).kind]
    kind.check_weighting(weighting, train, test)
    vectorizer = kind.vectorizer(terms("counts"), n_jobs, **limits)
    counts = [vectorizer.fit_csr(train, **given), vectorizer.transform_csr(test)]
    weigher = weighting_transformer(weighting, n_jobs)
    weighted = counts
    if weigher is not None:
        weigher.fit(counts[0], y, weight)
        weighted = [weigher.transform_csr(rows) for rows in counts]
    first, second = (Features(rows, own) for rows, own in zip(counts, weighted, strict=True))
    return first, second, vectorizer.get_feature_names_out().tolist()


def _vectorize_twice(
    train: Any, test: Any, counted: Any, weighted: Any, given: Mapping[str, Any]
) -> tuple[Features, Features, list[str]]:
    """Do so with two vectorizers: numbers are from 0 to 1 beside counts, standardised beside weights."""
    first = Features(counted.fit_csr(train, **given), weighted.fit_csr(train, **given))
    second = Features(counted.transform_csr(test), weighted.transform_csr(test))
    return first, second, counted.get_feature_names_out().tolist()


def compare(
    learners: Mapping[str, Classifier],
    experiment: Experiment,
    *,
    curve: Sequence[float] = (),
    random_state: int = 0,
    progress: Callable[[str], None] = lambda _name: None,
    metric: str = "accuracy",
) -> Comparison:
    """Fit a copy of every learner to the training rows and test it on the others.

    ``curve`` lists shares of the training rows to fit with as well. By another ``metric`` than accuracy (see
    ``lindy.evaluation.criterion``), learners are ranked by it, each with thresholds found on other test rows; p is then
    that of the difference of the figures, by the normal distribution. It is corrected for all pairs of learners. So it
    is for several labels, by micro-F1 if nothing else is asked for.
    """
    if isinstance(experiment.labels, ManyLabels):
        experiment = replace(experiment, labels=experiment.labels.seen())
    criterion = criterion_for(metric, experiment.labels)
    outcomes: dict[str, Outcome] = {}
    costs: dict[str, tuple[float, float, int]] = {}
    for name, learner in learners.items():
        progress(name)
        began = time.perf_counter()
        model = experiment.fitted(learner)
        fitted = time.perf_counter()
        predicted = experiment.predicted(model)
        costs[name] = (fitted - began, time.perf_counter() - fitted, model_size(model))
        outcomes[name] = experiment.outcome(model, predicted, criterion)
    gains = {name: outcome.gains for name, outcome in outcomes.items()}
    right = [outcome.right for outcome in outcomes.values()]
    best = max(gains, key=lambda name: float(gains[name].mean()))
    names = list(learners)
    p = p_of_all_pairs([gains[name] for name in names], mcnemar if criterion.plain else paired_p)
    p_values = dict(zip(names, p[names.index(best)].tolist(), strict=True))
    results = [_result(name, outcomes, best, costs[name], p_values[name]) for name in names]
    results.sort(key=lambda result: -float(gains[result.name].mean()))
    points: dict[str, dict[int, float]] = {}
    if curve:
        samples = growing_samples(experiment.labels, curve, random_state)
        points = _learning_curve(learners, experiment, samples, progress, criterion)
        for name in learners:
            points[name][len(experiment.labels)] = _curve_point(outcomes[name], criterion)
    return Comparison(
        results=results,
        train_rows=len(experiment.labels),
        test_rows=len(right[0]),
        n_features=experiment.train.counts.n_columns,
        never_right=int((~np.stack(right).any(axis=0)).sum()),
        curve=points,
        metric=str(criterion.metric) if criterion.several else metric,
        several_labels=criterion.several,
    )


def paired_p(gains: NDArray[Any], others: NDArray[Any]) -> float:
    """Return the two-sided p-value of the mean difference of gains on the same rows."""
    difference = gains - others
    spread = float(difference.std())
    return (
        math.erfc(abs(float(difference.mean())) / spread * math.sqrt(len(difference) / 2)) if spread else 1.0
    )


def model_size(model: Any) -> int:
    """Return the bytes of what a fitted learner keeps: its arrays, and its word lists if it has any."""
    params, arrays = model.to_state()
    lists = (params.get("words") or {}).get("pairs", [])
    words = sum(len(word.encode()) for _, listed in lists for word in listed)
    return words + sum(int(array.nbytes) for array in arrays.values())


def _result(
    name: str,
    outcomes: Mapping[str, Outcome],
    best: str,
    cost: tuple[float, float, int],
    p_value: float,
) -> Result:
    own, right = outcomes[name], outcomes[name].right
    accuracy = float(right.mean())
    difference, interval = accuracy_difference(right, outcomes[best].right)
    wrong = ~outcomes[best].right
    fit_seconds, predict_seconds, size = cost
    return Result(
        name=name,
        accuracy=accuracy,
        interval=wilson(accuracy, len(right)),
        macro_f1=own.macro_f1,
        fit_seconds=fit_seconds,
        predict_seconds=predict_seconds,
        size=size,
        p_value=p_value,
        difference=difference,
        difference_interval=interval,
        common=float((~right)[wrong].mean()) if wrong.any() else 0.0,
        figure=own.figure,
    )


def growing_samples(
    y: Targets | NDArray[np.int32], shares: Sequence[float], random_state: int = 0
) -> Iterator[NDArray[np.int64]]:
    """Yield stratified samples of the rows, each containing the one before it; every class is in all of them."""
    y = OneLabel.of(y)
    parts = min(64, max(len(y) // 2, 2))
    fold = folds(y, parts, random_state=random_state)
    rows, strata = y.strata
    first_of_class = rows[np.unique(strata, return_index=True)[1]]
    for share in sorted(shares):
        chosen = fold < max(1, round(share * parts))
        chosen[first_of_class] = True
        yield np.flatnonzero(chosen)


def _learning_curve(
    learners: Mapping[str, Classifier],
    experiment: Experiment,
    samples: Iterable[NDArray[np.int64]],
    progress: Callable[[str], None],
    criterion: Criterion,
) -> dict[str, dict[int, float]]:
    """Return what is right of each learner by the number of rows it has learned from, fewer than all."""
    points: dict[str, dict[int, float]] = {name: {} for name in learners}
    for rows in samples:
        if len(rows) == len(experiment.labels):
            continue
        for name, learner in learners.items():
            progress(f"{name} on {len(rows):,} rows")
            model = experiment.fitted(learner, rows)
            outcome = experiment.outcome(model, experiment.predicted(model), criterion)
            points[name][len(rows)] = _curve_point(outcome, criterion)
    return points


def _curve_point(outcome: Outcome, criterion: Criterion) -> float:
    return outcome.figure if criterion.several else float(outcome.right.mean())
