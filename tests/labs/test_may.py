"""The numbers of May's notes, by the learners and by the textbook."""

from __future__ import annotations

import math

import numpy as np
import pytest

from lindy import SVM, LeastSquares, Lexicon, MaxEnt, MultinomialNaiveBayes, Perceptron, WordLists
from lindy.data import split
from lindy.errors import ConvergenceWarning
from lindy.labs import review_texts
from lindy.text import CountVectorizer
from lindy.textbook import multinomial_naive_bayes, word_votes
from lindy.textbook.least_squares import least_squares
from lindy.textbook.objectives import losses, probabilities, residuals
from lindy.textbook.perceptron import averaged_perceptron
from lindy.textbook.stochastic_gradient import cost_augmented_direction, stochastic_gradient

THETA = np.array([[0.3, -0.2, -4.0], [0.7, 2.2, -4.0], [0.8, 4.0, -4.0]])
X = np.array([[2.0, 1.0, 0.0]])


def test_four_fifths_are_for_training() -> None:
    labels = ["positive", "negative"] * 50
    parts = split(labels, {"train": 0.8, "dev": 0.1, "test": 0.1})
    assert {name: len(rows) for name, rows in parts.items()} == {"train": 80, "dev": 10, "test": 10}
    assert sorted(np.concatenate(list(parts.values())).tolist()) == list(range(100))


def test_lexicon_counts_listed_words() -> None:
    model = Lexicon(words={"good": ["yay", "love"], "bad": ["terrible", "boo"]})
    model.fit(["yay", "boo"], ["good", "bad"])
    assert model.votes(["boo, boo, what a terrible yay"]).tolist() == [[3.0, 1.0]]
    assert model.predict(["boo, boo, what a terrible yay"]).tolist() == ["bad"]


def test_word_lists_from_data() -> None:
    """Each word goes to the label it was seen with most often."""
    vectorizer = CountVectorizer()
    counts = vectorizer.fit_transform(["good good plot", "dull plot plot", "good cover"])
    y = np.array([1, 0, 1])
    model = WordLists().fit(counts, y)
    n_yw = np.stack([counts.toarray()[y == c].sum(axis=0) for c in (0, 1)], axis=1).astype(float)
    np.testing.assert_array_equal(model.W_, word_votes.word_lists(n_yw))
    lists = {
        label: vectorizer.get_feature_names_out()[numbers].tolist()
        for label, numbers in model.word_numbers().items()
    }
    assert lists == {0: ["dull", "plot"], 1: ["cover", "good"]}


def test_out_of_vocabulary_words_by_both() -> None:
    """10,000 tokens, 500 words and OOV: 1/10,501."""
    counts = np.zeros((501, 1))
    counts[:499] = 20
    counts[0] += 10_000 - 499 * 20
    assert counts.sum() == 10_000
    P = multinomial_naive_bayes.laplace(counts)[:, 0]
    assert P[499:] == pytest.approx([1 / 10_501] * 2)
    assert multinomial_naive_bayes.maximum_likelihood(counts)[499:, 0].tolist() == [0.0, 0.0]
    learned = MultinomialNaiveBayes().fit(counts.T, ["negative"])
    np.testing.assert_allclose(np.exp(learned.W_[:, 0]), P)


def test_rare_words_become_oov_and_unknown_words_are_counted_there() -> None:
    vectorizer = CountVectorizer(oov=2).fit(["good good book", "bad book dull"])
    names = vectorizer.get_feature_names_out().tolist()
    assert sorted(names) == ["<OOV>", "book", "good"]
    row = vectorizer.transform(["good blargh bad"]).toarray()[0]
    assert dict(zip(names, row.tolist(), strict=True)) == {"<OOV>": 2, "book": 0, "good": 1}


def test_products_underflow_and_sums_of_logs_do_not() -> None:
    assert math.prod([1e-3] * 1000) == 0.0
    model = MultinomialNaiveBayes().fit([[1, 999], [999, 1]], [0, 1])
    assert np.isfinite(model.joint_log_proba([[1000.0, 1000.0]])).all()
    P = model.predict_proba([[1000.0, 1001.0]])
    assert P[0, 0] == pytest.approx(1000 / 1002)


def test_copied_judges_are_counted_again() -> None:
    """Nine votes of odds 7:3 for, one against: naive Bayes is sure; the two who saw the film are not."""
    model = MultinomialNaiveBayes(alpha=0).fit([[7, 3], [3, 7]], ["good", "bad"])
    good = model.classes_.tolist().index("good")
    assert model.predict_proba([[9, 1]])[0, good] == pytest.approx(1 / (1 + (3 / 7) ** 8))
    assert model.predict_proba([[1, 1]])[0, good] == pytest.approx(0.5)


def test_block_features_of_it_rocks() -> None:
    """(number of words, a word ends in s, contains happy) = (2, 1, 0), in three blocks; with a bias twelve entries."""
    g = [2, 1, 0]
    assert np.kron(np.eye(3)[0], g).tolist() == [2, 1, 0, 0, 0, 0, 0, 0, 0]
    assert np.kron(np.eye(3)[1], g).tolist() == [0, 0, 0, 2, 1, 0, 0, 0, 0]
    assert np.kron(np.eye(3)[2], g).tolist() == [0, 0, 0, 0, 0, 0, 2, 1, 0]
    assert len(np.kron(np.eye(3)[0], [*g, 1])) == 12


def test_perceptron_example() -> None:
    """Scores 1.3, 1.8, −12 and class 1 is right: after the update 6.3, −3.2, −12."""
    np.testing.assert_allclose(X @ THETA, [[1.3, 1.8, -12]])
    model = Perceptron(average=False, fit_intercept=False, start=THETA, dtype="float64")
    model.partial_fit(X, [1], classes=[1, 2, 3])
    np.testing.assert_allclose(model.decision_function(X), [[6.3, -3.2, -12]])
    np.testing.assert_allclose(model.W_.T, [[2.3, 1.7, 0.8], [-2.2, 1.2, 4], [-4, -4, -4]])
    # the textbook's update from zero weights moves the same blocks by the same amounts
    first, _, mistakes = averaged_perceptron(X, np.array([1]), 3, [0])
    assert mistakes == 1
    np.testing.assert_allclose(first[:, [1, 0, 2]], model.W_ - THETA)


def test_the_gradient_of_the_perceptron_loss() -> None:
    def loss(theta: np.ndarray) -> float:
        scores = X[0] @ theta
        return float(scores.max() - scores[0])

    assert loss(THETA) == pytest.approx(0.5)
    h = 1e-6
    for j, k in np.ndindex(3, 3):
        step = np.zeros((3, 3))
        step[j, k] = h
        slope = (loss(THETA + step) - loss(THETA - step)) / (2 * h)
        assert slope == pytest.approx(X[0, j] * {0: -1, 1: 1, 2: 0}[k], abs=1e-6)


def test_least_squares_in_closed_form() -> None:
    rng = np.random.default_rng(3)
    A = rng.normal(size=(40, 4))
    B = np.where(A @ [1, -1, 0.5, 0] + 0.3 * rng.normal(size=40) > 0, 1.0, -1.0)
    with_one = np.column_stack([A, np.ones(40)])
    normal = np.linalg.inv(with_one.T @ with_one) @ with_one.T @ B
    W, b = least_squares(A, B[:, None])
    np.testing.assert_allclose(np.append(W, b), normal)
    model = LeastSquares(l2=0).fit(A, B)
    np.testing.assert_allclose(np.append(model.W_, model.b_), normal)


def test_svm_steps_with_cost_and_shrinking() -> None:
    rng = np.random.default_rng(4)
    A, y, lam = rng.normal(size=(30, 5)), rng.integers(0, 3, 30), 0.02
    options = {"schedule": "constant", "eta0": 1.0, "epochs": 2, "shuffle": False, "dtype": "float64"}
    model = SVM(
        loss="multiclass_hinge", lam=lam, solver="subgradient", fit_intercept=False, solver_options=options
    )
    order = list(range(30)) * 2
    rho = 1 - np.eye(3)
    theta = np.zeros((5, 3))
    for m in order:  # ŷ = argmax θ·f + c;  θ = (1 − λ)·θ + f(x, y) − f(x, ŷ)
        guess = int((A[m] @ theta + rho[:, y[m]]).argmax())
        theta = (1 - lam) * theta
        theta[:, y[m]] += A[m]
        theta[:, guess] -= A[m]
    with pytest.warns(ConvergenceWarning, match="the steps of solver 'subgradient' are too long"):
        model.fit(A, y)
    np.testing.assert_allclose(model.W_, theta)
    last, _ = stochastic_gradient(
        A, y, np.zeros((5, 3)), order, cost_augmented_direction(rho), lambda _: 1.0, lam
    )
    np.testing.assert_allclose(last, theta)


def test_softmax_and_cross_entropy() -> None:
    scores = X @ THETA
    assert (scores / scores.sum()).min() < 0  # dividing by the sum gives no distribution
    q = probabilities(scores)[0]
    np.testing.assert_allclose(q, np.exp([1.3, 1.8, -12]) / np.exp([1.3, 1.8, -12]).sum())
    assert q[:2] == pytest.approx([0.3775, 0.6225], abs=5e-5)
    assert losses(scores, np.array([0]), "softmax")[0] == pytest.approx(-math.log(q[0]))
    np.testing.assert_allclose(residuals(scores, np.array([0]), "softmax")[0], q - [1, 0, 0])
    rng = np.random.default_rng(1)
    A, y = rng.normal(size=(60, 3)), rng.integers(0, 3, 60)
    model = MaxEnt(lam=0.1).fit(A, y)
    np.testing.assert_allclose(model.predict_proba(A), probabilities(model.decision_function(A)), rtol=1e-6)


def test_seven_models_on_the_same_reviews() -> None:
    data = review_texts()
    vectorizer = CountVectorizer(token_pattern=r"\w+")
    counts, test = vectorizer.fit_transform(data.train), vectorizer.transform(data.test)
    scores = {"lexicon": Lexicon().fit(data.train, data.y_train).score(data.test, data.y_test)}
    for model in (
        WordLists(),
        MultinomialNaiveBayes(),
        Perceptron(),
        LeastSquares(l2=1.0),
        SVM(loss="hinge", lam=0.01),
        MaxEnt(lam=0.01),
    ):
        scores[type(model).__name__] = model.fit(counts, data.y_train).score(test, data.y_test)
    assert len(scores) == 7
    assert scores.pop("lexicon") > 0.55  # these reviews are written so that a lexicon knows little of them
    assert min(scores.values()) > 0.6
    assert scores["MultinomialNaiveBayes"] > scores["WordLists"]
