"""Significance against SciPy; the comparison against what it is made of."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from lindy import MajorityClass, MultinomialNaiveBayes
from lindy.evaluation.compare import Experiment, compare, growing_samples, vectorize
from lindy.evaluation.significance import accuracy_difference, binomial_test, mcnemar
from lindy.labels import as_labels
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
    found = compare(learners, Experiment(train, as_labels(Y), test, Y), curve=(0.5, 1.0))
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
