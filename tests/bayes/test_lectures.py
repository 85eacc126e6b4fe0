"""The worked numbers of the lectures (LxMLS, May, McDonald, Amato) about counting and naive Bayes."""

from __future__ import annotations

import math

import numpy as np
import pytest

from lindy.bayes import (
    BernoulliNaiveBayes,
    CategoricalNaiveBayes,
    GaussianNaiveBayes,
    MultinomialNaiveBayes,
    infer,
)
from lindy.bayes.teaching_tables import document_totals, odds_ratios, running_totals, word_probabilities
from lindy.textbook import gaussian_naive_bayes as textbook

# Amato: P(w | spam), P(w | ham) as printed, and the running totals of both
SPAM_EXAMPLE = [
    ("Gary", 0.00002, 0.00021, -11.8, -8.9),
    ("would", 0.00069, 0.00084, -19.1, -16.0),
    ("you", 0.00881, 0.00304, -23.8, -21.8),
    ("like", 0.00086, 0.00083, -30.9, -28.9),
    ("to", 0.01517, 0.01339, -35.1, -33.2),
    ("lose", 0.00008, 0.00002, -44.5, -44.0),
    ("weight", 0.00016, 0.00002, -53.3, -55.0),
    ("while", 0.00027, 0.00027, -61.5, -63.2),
    ("you", 0.00881, 0.00304, -66.2, -69.0),
    ("sleep", 0.00006, 0.00001, -76.0, -80.5),
]


def test_amato_spam_example() -> None:
    words = [(word, (spam, ham)) for word, spam, ham, _, _ in SPAM_EXAMPLE]
    table = running_totals(("spam", "ham"), (0.33333, 0.66666), words)
    assert [round(total, 1) for total in table.steps[0].total] == [-1.1, -0.4]
    slack = np.zeros(2)  # the slide prints its probabilities with five digits after the point
    for step, (word, spam, ham, *totals) in zip(table.steps[1:], SPAM_EXAMPLE, strict=True):
        slack += [-math.log1p(-0.000005 / spam), -math.log1p(-0.000005 / ham)]
        assert step.word == word
        assert (np.abs(np.subtract(step.total, totals)) <= slack + 0.1).all()
    odds = table.steps[-1].total[0] - table.steps[-1].total[1]
    assert 1 / (1 + math.exp(-(odds - slack.sum()))) < 0.989 < 1 / (1 + math.exp(-(odds + slack.sum())))
    assert table.posterior[0] == pytest.approx(1 / (1 + math.exp(-odds)))
    assert "P(spam | x) = 98.7%" in str(table)


def test_amato_spam_example_from_its_totals() -> None:
    log_joint = np.array([-76.0, -80.5])
    assert infer(np.exp(log_joint - log_joint.max()), []).posterior[0] == pytest.approx(0.989, abs=5e-4)


def test_amato_laplace_of_two_reds_and_a_blue() -> None:
    for k, expected in [(0, (2 / 3, 1 / 3)), (1, (3 / 5, 2 / 5)), (100, (102 / 203, 101 / 203))]:
        model = MultinomialNaiveBayes(alpha=k).fit([[2, 1]], ["draws"])
        np.testing.assert_allclose(np.exp(model.W_)[:, 0], expected, rtol=1e-14)


def test_amato_interpolation_between_own_and_overall() -> None:
    X, y = [[3, 1, 0], [0, 0, 4]], ["a", "b"]
    own, overall = np.array([3, 1, 0]) / 4, np.array([3, 1, 4]) / 8
    for a in (0.0, 0.25, 1.0):
        model = MultinomialNaiveBayes(interpolation=a).fit(X, y)
        np.testing.assert_allclose(np.exp(model.W_)[:, 0], a * own + (1 - a) * overall, rtol=1e-14)


def test_amato_digits_overfit_without_smoothing() -> None:
    """P(features, C = 2) = .1·.8·.1·.1·.01 beats P(features, C = 3) = .1·.8·.9·.7·.0: 2 wins."""
    found = infer([0.1, 0.1], [[0.8, 0.8], [0.1, 0.9], [0.1, 0.7], [0.01, 0.0]])
    np.testing.assert_allclose(found.joint, [0.1 * 0.8 * 0.1 * 0.1 * 0.01, 0.0])
    assert found.posterior.tolist() == [1.0, 0.0]
    unobserved = infer([0.1, 0.1], [[0.8, 0.8], [0.1, 0.9], [0.1, 0.7]])
    np.testing.assert_allclose(unobserved.posterior, [0.01 / 0.64, 0.63 / 0.64])
    assert unobserved.evidence == pytest.approx(0.1 * 0.8 * (0.1 * 0.1 + 0.9 * 0.7))


def test_amato_digit_tables() -> None:
    """Two pixels of the digit example: 5, 6, 8 and 0 are likely when both are on."""
    prior = np.full(10, 0.1)
    pixel_31 = [0.01, 0.05, 0.05, 0.30, 0.80, 0.90, 0.05, 0.60, 0.50, 0.80]
    pixel_55 = [0.05, 0.01, 0.90, 0.80, 0.90, 0.90, 0.25, 0.85, 0.60, 0.80]
    found = infer(prior, [pixel_31, pixel_55])
    np.testing.assert_allclose(found.joint, 0.1 * np.multiply(pixel_31, pixel_55))
    assert found.evidence == pytest.approx(found.joint.sum())
    np.testing.assert_allclose(found.posterior, found.joint / found.evidence)
    assert found.posterior.argmax() == 5  # the digit 6


def test_amato_odds_ratios_are_infinite_only_without_smoothing() -> None:
    names = ["money", "seriously", "the", "never"]
    X, y = [[3, 0, 5, 0], [0, 2, 9, 0]], ["spam", "ham"]
    unsmoothed = MultinomialNaiveBayes(alpha=0).fit(X, y)
    assert odds_ratios(unsmoothed, names, "spam", "ham")[0] == ("money", math.inf)
    assert odds_ratios(unsmoothed, names, "ham", "spam")[0] == ("seriously", math.inf)
    assert "never" not in dict(odds_ratios(unsmoothed, names, "spam", "ham"))
    smoothed = MultinomialNaiveBayes(alpha=1).fit(X, y)
    ratios = odds_ratios(smoothed, names, "spam", "ham")
    assert [word for word, _ in ratios] == ["money", "never", "the", "seriously"]
    assert dict(ratios)["money"] == pytest.approx((4 / 12) / (1 / 15))
    assert word_probabilities(smoothed, names, "ham", top=1) == [("the", pytest.approx(10 / 15))]
    totals = document_totals(smoothed, names, ["the", "money", "unheard-of"])
    assert [step.word for step in totals.steps] == ["(prior)", "the", "money"]
    np.testing.assert_allclose(totals.posterior, smoothed.predict_proba([[1, 0, 1, 0]])[0])
    with pytest.raises(ValueError, match="not among the classes"):
        word_probabilities(smoothed, names, "eggs")
    with pytest.raises(ValueError, match="3 different names"):
        document_totals(smoothed, names[:3], ["the"])


def test_may_out_of_vocabulary() -> None:
    """10,000 tokens of class negative, 500 words, and OOV as one more word: 1/10,501 each."""
    counts = np.zeros((2, 501))  # column 499: amazing, column 500: OOV
    counts[0, :499] = 20
    counts[0, 0] += 10_000 - 499 * 20
    counts[1, 499] = 7
    model = MultinomialNaiveBayes().fit(counts, ["negative", "positive"])
    amazing, oov = np.exp(model.W_[499:, 0])
    assert model.feature_count_[0].sum() == 10_000
    assert amazing == pytest.approx(1 / 10_501, rel=1e-14)
    assert oov == pytest.approx(1 / 10_501, rel=1e-14)
    unsmoothed = MultinomialNaiveBayes(alpha=0).fit(counts, ["negative", "positive"])
    assert np.exp(unsmoothed.W_[499:, 0]).tolist() == [0.0, 0.0]


def test_may_long_documents_do_not_underflow() -> None:
    model = MultinomialNaiveBayes().fit([[1, 9], [9, 1]], ["a", "b"])
    X = [[1000, 1001], [100000, 0]]
    assert math.prod([2 / 12] * 1000) == 0.0
    np.testing.assert_allclose(model.predict_proba(X), [[5 / 6, 1 / 6], [0, 1]], rtol=1e-9)


MCDONALD_DOCUMENTS = ["hockey is fast", "politicians talk fast", "washington is sleazy"]
MCDONALD_WORDS = ["hockey", "is", "fast", "politicians", "talk", "washington", "sleazy"]


def _has(document: str) -> list[int]:
    return [int(word in document.split()) for word in MCDONALD_WORDS]


def test_mcdonald_two_binary_features() -> None:
    X, y = [[1, 1], [0, 1], [1, 0]], [0, 0, 1]
    for model in (CategoricalNaiveBayes(alpha=0, n_values=2), BernoulliNaiveBayes(alpha=0)):
        model.fit(X, y)
        np.testing.assert_allclose(np.exp(model.log_prior_), [2 / 3, 1 / 3])
    P = CategoricalNaiveBayes(alpha=0, n_values=2).fit(X, y).value_proba_
    assert sum(table.size for table in P) == 8
    assert P[0][1, 0] == pytest.approx(1 / 2)
    assert P[1][0, 1] == pytest.approx(1)


def test_mcdonald_both_classes_have_probability_zero_until_smoothed() -> None:
    X, y = [_has(document) for document in MCDONALD_DOCUMENTS], ["sports", "politics", "politics"]
    new = [_has("washington hockey is fast")]
    for kind in (BernoulliNaiveBayes, CategoricalNaiveBayes):
        unsmoothed = kind(alpha=0).fit(X, y)
        assert np.isneginf(unsmoothed.joint_log_proba(new)).all()
        np.testing.assert_allclose(unsmoothed.predict_proba(new), [[2 / 3, 1 / 3]])
        smoothed = kind(alpha=1).fit(X, y)
        assert np.isfinite(smoothed.joint_log_proba(new)).all()
        assert smoothed.predict(new).tolist() == ["sports"]


def test_mcdonald_naive_bayes_is_a_linear_classifier() -> None:
    X, y = [_has(document) for document in MCDONALD_DOCUMENTS], ["sports", "politics", "politics"]
    model = BernoulliNaiveBayes().fit(X, y)
    np.testing.assert_allclose(model.joint_log_proba(X), np.array(X) @ model.W_ + model.b_)


def test_lxmls_gaussian_with_unit_variance_is_linear() -> None:
    """Exercise 1.3: w_y = μ_y/σ², b_y = log P(y) − ‖μ_y‖²/2σ²."""
    rng = np.random.default_rng(7)
    X = np.vstack([rng.normal(-1, 1, (50, 2)), rng.normal(1, 1, (50, 2))])
    y = np.repeat([1, 2], 50)
    for variance in (1.0, 0.5, [0.5, 2.0], "shared"):
        model = GaussianNaiveBayes(variance=variance).fit(X, y)
        W, b = textbook.linear_form(np.array([0.5, 0.5]), model.mean_, model.variance_[:, 0])
        np.testing.assert_allclose(model.W_, W)
        np.testing.assert_allclose(model.b_, b)
        joint, scores = model.joint_log_proba(X), X @ W + b
        np.testing.assert_allclose(joint[:, 1] - joint[:, 0], scores[:, 1] - scores[:, 0], atol=1e-10)
    with pytest.raises(AttributeError, match="quadratic"):
        _ = GaussianNaiveBayes().fit(X, y).W_


def test_map_and_maximum_likelihood_converge_as_the_data_grows() -> None:
    truth = np.array([0.5, 0.3, 0.15, 0.05])
    rng = np.random.default_rng(11)
    distance = []
    for n in (10, 1_000, 100_000):
        X = rng.multinomial(n, truth, 1)
        likely, posterior = (np.exp(MultinomialNaiveBayes(alpha=k).fit(X, [0]).W_[:, 0]) for k in (0.0, 1.0))
        distance.append(np.abs(likely - posterior).sum())
    assert distance[0] > 10 * distance[1] > 100 * distance[2]
