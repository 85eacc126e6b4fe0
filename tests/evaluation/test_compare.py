"""Significance against SciPy; the comparison against what it is made of."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from lindy import MajorityClass, MultinomialNaiveBayes
from lindy.core.targets import ManyLabels, OneLabel
from lindy.errors import DataError
from lindy.estimators.learners import REGISTRY, make_learner
from lindy.evaluation.compare import Experiment, compare, growing_samples, paired_p, vectorize
from lindy.evaluation.label_criterion import LabelCriterion
from lindy.evaluation.metrics.label_metrics import evaluate_labels
from lindy.evaluation.metrics.significance import (
    accuracy_difference,
    binomial_test,
    holm,
    mcnemar,
    p_of_all_pairs,
)
from lindy.evaluation.predictions import Predictions
from lindy.linear import SVM, OneVsRest
from lindy.text import CountVectorizer, TfidfVectorizer

TEXTS = ["a wonderful book", "wonderful", "dull book", "dull", "warm and wonderful", "dull, dull"]
Y = np.array([1, 1, 0, 0, 1, 0], np.int32)


@given(st.integers(0, 60), st.integers(0, 60))
def test_the_exact_test_is_scipys(a: int, b: int) -> None:
    expected = scipy.stats.binomtest(a, a + b).pvalue if a + b else 1.0
    assert binomial_test(a, b) == pytest.approx(expected)
    first, second = np.repeat([1, 0, 1], [a, b, 3]), np.repeat([0, 1, 1], [a, b, 3])
    assert mcnemar(first, second) == binomial_test(a, b)


def test_thousands_of_disagreements_are_no_trouble() -> None:
    assert binomial_test(6000, 6100) == pytest.approx(scipy.stats.binomtest(6000, 12100).pvalue)


@pytest.mark.parametrize("n", [320_001, 10**9 + 1])
@pytest.mark.parametrize("deviations", [0.5, 3.0, 20.0])
def test_a_billion_disagreements_take_no_longer_than_their_root(n: int, deviations: float) -> None:
    """With all terms as whole numbers, this would take days."""
    a = n // 2 - round(deviations * np.sqrt(n) / 2)
    assert binomial_test(a, n - a) == pytest.approx(2 * scipy.stats.binom.cdf(a, n, 0.5), rel=1e-5)
    assert binomial_test(n - a, a) == binomial_test(a, n - a)
    assert binomial_test(n // 2, n - n // 2) == 1.0
    assert binomial_test(0, n) == 0.0


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_holms_correction_is_that_of_its_definition(p: list[float]) -> None:
    """A test is rejected at a level if it and all with a smaller p are below the level over those that are left."""
    adjusted = holm(p)
    ranked = sorted(range(len(p)), key=lambda i: p[i])
    for level in (0.01, 0.05, 0.3):
        rejected = set()
        for left, i in zip(range(len(p), 0, -1), ranked, strict=True):
            if p[i] * left > level:
                break
            rejected.add(i)
        assert {i for i in range(len(p)) if adjusted[i] <= level} == rejected
    assert (adjusted >= p).all()


@pytest.mark.parametrize("worse", [0, 3])
def test_the_family_wise_error_of_a_comparison_with_the_best_is_at_most_5_percent(worse: int) -> None:
    """Eight equally good classifiers (and some worse ones), which agree on most rows; the best of a test is luck."""
    rng = np.random.default_rng(0)
    runs, n, equal = 400, 300, 8
    errors = uncorrected = 0
    for _ in range(runs):
        easy = rng.random(n) < 0.6
        chance = np.repeat([0.5, 0.3], [equal, worse])
        right = [easy | (rng.random(n) < p) for p in chance]
        best = int(np.argmax([own.mean() for own in right]))
        p = p_of_all_pairs(right)[best]
        errors += bool((p[:equal] < 0.05).any()) and best < equal
        uncorrected += min(mcnemar(own, right[best]) for own in right[:equal]) < 0.05
    assert uncorrected > 0.2 * runs, "what is wrong with the best of many"
    assert errors <= 0.05 * runs


def test_random_labels_show_no_learner_to_be_better() -> None:
    names = ("naive-bayes", "svm", "maxent", "perceptron", "mira", "bernoulli-naive-bayes")
    shown, runs = 0, 40
    for seed in range(runs):
        rng = np.random.default_rng(seed)
        texts = [" ".join(rng.choice([f"word{i}" for i in range(60)], 6)) for _ in range(260)]
        y = rng.integers(0, 2, 260).astype(np.int32)
        train, test, _ = vectorize(texts[:60], texts[60:])
        learners = {name: make_learner(name) for name in names}
        found = compare(learners, Experiment(train, OneLabel.of(y[:60]), test, OneLabel.of(y[60:])))
        assert found.pairs == 15
        shown += min(result.p_value for result in found.results) < 0.05
    assert shown <= 0.05 * runs


def test_two_learners_are_compared_by_the_test_as_it_is_and_more_by_all_pairs() -> None:
    rng = np.random.default_rng(0)
    right = [rng.random(200) < p for p in (0.9, 0.8, 0.5)]
    alone = [mcnemar(right[i], right[k]) for i, k in ((0, 1), (0, 2), (1, 2))]
    assert p_of_all_pairs(right[:2])[0, 1] == alone[0]
    p = p_of_all_pairs(right)
    np.testing.assert_array_equal(p, p.T)
    np.testing.assert_array_equal(np.diag(p), 1)
    np.testing.assert_array_equal([p[0, 1], p[0, 2], p[1, 2]], holm(alone))


def test_the_interval_of_a_difference() -> None:
    rng = np.random.default_rng(0)
    a, b = rng.random(1000) < 0.9, rng.random(1000) < 0.8
    difference, (low, high) = accuracy_difference(a, b)
    assert difference == pytest.approx(a.mean() - b.mean())
    assert (high - low) / 2 == pytest.approx(1.96 * (a.astype(int) - b).std() / np.sqrt(1000), rel=0.1)
    with pytest.raises(ValueError, match="the same rows"):
        accuracy_difference([True], [True, False])


def test_one_vectorisation_gives_both_forms() -> None:
    train, test, words = vectorize(TEXTS, TEXTS[:2], ngrams=(1, 2))
    counts = CountVectorizer(ngram_range=(1, 2))
    np.testing.assert_array_equal(train.counts.to_dense(), counts.fit_csr(TEXTS).to_dense())
    assert words == counts.get_feature_names_out().tolist()
    tfidf = TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True, dtype=np.float32)
    np.testing.assert_array_equal(train.weighted.to_dense(), tfidf.fit_csr(TEXTS).to_dense())
    np.testing.assert_array_equal(test.weighted.to_dense(), tfidf.transform_csr(TEXTS[:2]).to_dense())


def test_results_are_ordered_and_measured_against_the_best() -> None:
    train, test, _ = vectorize(TEXTS, TEXTS)
    learners = {"majority": MajorityClass(), "bayes": MultinomialNaiveBayes()}
    found = compare(learners, Experiment(train, OneLabel.of(Y), test, OneLabel.of(Y)), curve=(0.5, 1.0))
    best, worst = found.results
    assert (best.name, worst.name) == ("bayes", "majority")
    assert best.accuracy == 1.0
    assert best.p_value == 1.0
    assert best.difference == 0
    assert worst.accuracy == 0.5
    assert worst.p_value == binomial_test(3, 0)
    assert found.never_right == 0
    assert found.curve["bayes"][6] == 1.0
    assert set(found.curve["bayes"]) == set(found.curve["majority"])
    assert not hasattr(learners["bayes"], "classes_")


@given(st.lists(st.integers(0, 3), min_size=4, max_size=200))
def test_samples_grow_and_hold_every_class(labels: list[int]) -> None:
    y = np.array(labels, np.int32)
    before: set[int] = set()
    for rows in growing_samples(y, (1 / 8, 1 / 2, 1.0)):
        assert before <= set(rows.tolist())
        assert set(y[rows]) == set(labels)
        before = set(rows.tolist())
    assert len(before) == len(y)


def tagged(seed: int = 0) -> Experiment:
    """Texts of words that go with labels more often than not; one label is only among the rows to test on."""
    rng = np.random.default_rng(seed)
    lists = [[f"l{k}" for k in range(4) if rng.random() < (0.5, 0.4, 0.3, 0.1)[k]] for _ in range(240)]
    texts = [
        " ".join([f"about{label}" for label in own if rng.random() < 0.8] + [f"word{rng.integers(9)}"] * 2)
        for own in lists
    ]
    train, test, _ = vectorize(texts[:160], texts[160:])
    new = [[*own, "new"] if i < 5 else own for i, own in enumerate(lists[160:])]
    return Experiment(train, ManyLabels.of_lists(lists[:160]), test, ManyLabels.of_lists(new))


@pytest.mark.parametrize("metric", ["accuracy", "macro-f1", "example-f1", "precision@3", "f1:l2"])
def test_several_labels_are_compared_by_the_figures_of_the_evaluation(metric: str) -> None:
    experiment = tagged()
    learners = {"bayes": MultinomialNaiveBayes(), "svm": SVM(), "majority": MajorityClass()}
    found = compare(learners, experiment, metric=metric, curve=(0.5, 1.0))
    assert found.metric == ("micro-f1" if metric == "accuracy" else metric)
    assert found.several_labels
    figures = [result.figure for result in found.results]
    assert figures == sorted(figures, reverse=True)
    classes, truth = experiment.labels.names, experiment.truth
    assert isinstance(truth, ManyLabels)
    criterion = LabelCriterion.of_labels(metric, experiment.labels)
    gains = {}
    for result in found.results:
        model = OneVsRest(learner=learners[result.name])
        model.fit(experiment.train.wanted_by(model), experiment.labels)
        scores = model.decision_function(experiment.test.wanted_by(model)).astype(float)
        known = truth.only(np.flatnonzero(np.isin(truth.names, classes)))
        lists, judged = criterion.given_apart(scores, known)
        assert len(judged) == len(truth)
        answer = Predictions(scores.argmax(axis=1), scores, are_probabilities=False, given=lists)
        own = evaluate_labels(truth, answer, classes)
        assert own.unknown == {"new": 5}
        assert result.figure == pytest.approx(own.figure(found.metric))
        assert result.accuracy == pytest.approx(own.figures["subset_accuracy"])
        assert result.macro_f1 == pytest.approx(own.figures["macro_f1"])
        assert found.curve[result.name][160] == result.figure
        gains[result.name] = experiment.outcome(model, scores, criterion).gains
        assert gains[result.name].mean() == pytest.approx(result.figure)
    names = list(learners)
    p = p_of_all_pairs([gains[name] for name in names], paired_p)[names.index(found.results[0].name)]
    assert [result.p_value for result in found.results] == [p[names.index(r.name)] for r in found.results]


def test_random_labels_show_no_learner_of_several_to_be_better() -> None:
    shown, runs = 0, 20
    for seed in range(runs):
        rng = np.random.default_rng(seed)
        texts = [" ".join(rng.choice([f"word{i}" for i in range(60)], 6)) for _ in range(260)]
        labels = ManyLabels.of_indicator((rng.random((260, 4)) < 0.3).astype(int))
        train, test, _ = vectorize(texts[:60], texts[60:])
        rows = np.arange(260)
        experiment = Experiment(train, labels.take(rows[:60]), test, labels.take(rows[60:]))
        found = compare({name: make_learner(name) for name in ("svm", "naive-bayes", "mira")}, experiment)
        shown += min(result.p_value for result in found.results) < 0.05
    assert shown <= 0.1 * runs


@pytest.mark.parametrize("name", REGISTRY)
def test_a_learner_says_whether_it_learns_several_labels(name: str) -> None:
    learner = make_learner(name)
    model = OneVsRest(learner=learner)
    rows, labels = [[1, 0, 2], [0, 1, 1], [1, 1, 0], [2, 0, 0]], [{"a"}, {"b"}, {"a", "b"}, set()]
    if learner.learns_labels:
        assert model.fit(rows, labels).decision_function(rows).shape == (4, 2)
    else:
        with pytest.raises(DataError, match="cannot learn several labels per text"):
            model.fit(rows, labels)
