"""Several learners on one split of one table: the texts are vectorised once, and every learner sees the same rows."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lindy.core.csr import Csr
from lindy.core.inputs import as_inputs
from lindy.core.targets import Targets
from lindy.data.splits.split import folds
from lindy.data.splits.split_policy import FREE, SplitPolicy
from lindy.estimators.base import Classifier
from lindy.estimators.learners import make_learner
from lindy.estimators.notebook import facts, shown, table
from lindy.evaluation.criterion import Criterion
from lindy.evaluation.crossfit import fit_arguments
from lindy.evaluation.intervals import Interval, wilson
from lindy.evaluation.metrics import evaluate
from lindy.evaluation.significance import accuracy_difference, mcnemar, p_of_all_pairs
from lindy.features.inputs import KINDS
from lindy.features.table_vectorizer import of_columns
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


@dataclass(frozen=True, slots=True)
class Experiment:
    """Rows and labels to learn from, and rows and class numbers to test on; the same for every learner.

    ``division`` says how the rows to test on may be divided, where thresholds are found on some for others; ``weight``
    is how much each row to learn from counts.
    """

    train: Features
    labels: Targets
    test: Features
    truth: NDArray[np.int32]
    division: SplitPolicy = FREE
    weight: NDArray[np.float64] | None = None

    def fitted(self, learner: Classifier, rows: NDArray[np.int64] | None = None) -> Any:
        """Return a copy of a learner that has learned from all rows, or from some."""
        train = self.train if rows is None else self.train.take(rows)
        labels = self.labels if rows is None else self.labels.take(rows)
        weight = self.weight if self.weight is None or rows is None else self.weight[rows]
        model: Any = make_learner(learner)
        given = fit_arguments(model, labels, weight)
        return model.fit(train.wanted_by(learner), labels, **given)

    def predicted(self, model: Any) -> NDArray[np.intp]:
        """Return the class numbers that a model gives the rows to test on."""
        codes: NDArray[np.intp] = np.searchsorted(
            self.labels.names, model.predict(self.test.wanted_by(model))
        )
        return codes

    def gains(self, model: Any, criterion: Criterion) -> NDArray[Any]:
        """Return the gains of the rows to test on whose class is known."""
        known = np.flatnonzero(self.truth >= 0)
        rows, division = self.test.wanted_by(model).take(known), self.division.take(known)
        return criterion.gains_of_model(model, rows, self.truth[known], self.labels.names, division)


@dataclass(frozen=True, slots=True)
class Result:
    """How one learner did.

    ``p_value`` and ``difference`` (of accuracies, with its interval) compare it with the best learner: p is corrected
    for all pairs of learners (``lindy.evaluation.significance``), since which is the best was seen on the same rows;
    the interval is that of these two learners alone. ``common`` is the share of the best learner's mistakes that it
    makes too. ``figure`` is the metric that was asked for, 0 for accuracy. Times are wall seconds, ``size`` is bytes
    of its arrays.
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
            ["learner", *own, "accuracy", "95% interval", "macro F1", "p", "same mistakes", "fit", "predict"]
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
    that of the difference of the figures, by the normal distribution. It is corrected for all pairs of learners.
    """
    criterion = Criterion.of(metric, experiment.labels.names, experiment.labels.counts)
    gains: dict[str, NDArray[Any]] = {}
    answers: dict[str, NDArray[Any]] = {}
    costs: dict[str, tuple[float, float, int]] = {}
    for name, learner in learners.items():
        progress(name)
        began = time.perf_counter()
        model = experiment.fitted(learner)
        fitted = time.perf_counter()
        answers[name] = experiment.predicted(model)
        costs[name] = (fitted - began, time.perf_counter() - fitted, model_size(model))
        if not criterion.plain:
            gains[name] = experiment.gains(model, criterion)
    truth = experiment.truth
    right = {name: answer == truth for name, answer in answers.items()}
    gains = gains or right
    best = max(gains, key=lambda name: float(gains[name].mean()))
    names = list(learners)
    p = p_of_all_pairs([gains[name] for name in names], mcnemar if criterion.plain else paired_p)
    p_values = dict(zip(names, p[names.index(best)].tolist(), strict=True))
    results = [
        _result(name, answers[name], truth, right, best, costs[name], p_values[name]) for name in names
    ]
    if not criterion.plain:
        results = [replace(r, figure=criterion.figure(gains[r.name])) for r in results]
    results.sort(key=lambda result: -float(gains[result.name].mean()))
    points: dict[str, dict[int, float]] = {}
    if curve:
        samples = growing_samples(experiment.labels.codes, curve, random_state)
        points = _learning_curve(learners, experiment, samples, progress)
        for name in learners:
            points[name][len(experiment.labels)] = float(right[name].mean())
    return Comparison(
        results=results,
        train_rows=len(experiment.labels),
        test_rows=len(truth),
        n_features=experiment.train.counts.n_columns,
        never_right=int((~np.stack(list(right.values())).any(axis=0)).sum()),
        curve=points,
        metric=metric,
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
    answer: NDArray[Any],
    truth: NDArray[np.int32],
    right: dict[str, NDArray[np.bool_]],
    best: str,
    cost: tuple[float, float, int],
    p_value: float,
) -> Result:
    accuracy = float(right[name].mean())
    difference, interval = accuracy_difference(right[name], right[best])
    wrong = ~right[best]
    fit_seconds, predict_seconds, size = cost
    return Result(
        name=name,
        accuracy=accuracy,
        interval=wilson(accuracy, len(truth)),
        macro_f1=evaluate(truth, answer).macro_f1,
        fit_seconds=fit_seconds,
        predict_seconds=predict_seconds,
        size=size,
        p_value=p_value,
        difference=difference,
        difference_interval=interval,
        common=float((~right[name])[wrong].mean()) if wrong.any() else 0.0,
    )


def growing_samples(
    y: NDArray[np.int32], shares: Sequence[float], random_state: int = 0
) -> Iterator[NDArray[np.int64]]:
    """Yield stratified samples of the rows, each containing the one before it; every class is in all of them."""
    parts = min(64, max(len(y) // 2, 2))
    fold = folds(y, parts, random_state=random_state)
    first_of_class = np.unique(y, return_index=True)[1]
    for share in sorted(shares):
        chosen = fold < max(1, round(share * parts))
        chosen[first_of_class] = True
        yield np.flatnonzero(chosen)


def _learning_curve(
    learners: Mapping[str, Classifier],
    experiment: Experiment,
    samples: Iterable[NDArray[np.int64]],
    progress: Callable[[str], None],
) -> dict[str, dict[int, float]]:
    """Return the accuracy of each learner by the number of rows it has learned from, fewer than all."""
    points: dict[str, dict[int, float]] = {name: {} for name in learners}
    for rows in samples:
        if len(rows) == len(experiment.labels):
            continue
        for name, learner in learners.items():
            progress(f"{name} on {len(rows):,} rows")
            answer = experiment.predicted(experiment.fitted(learner, rows))
            points[name][len(rows)] = float((answer == experiment.truth).mean())
    return points
