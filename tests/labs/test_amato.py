"""The numbers of Amato's slides, by the learners and by the textbook; more are in ``tests/bayes/test_lectures.py``."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable

import numpy as np
import pytest

from lindy import SVM, BernoulliNaiveBayes, MajorityClass, Mira, MultinomialNaiveBayes, Perceptron
from lindy.data import toy_gaussians
from lindy.data.mail import MailWords, read_message
from lindy.features import FunctionVectorizer, PatternVectorizer
from lindy.images import image_shapes
from lindy.labs import digits, messages
from lindy.text import CountVectorizer
from lindy.textbook import multinomial_naive_bayes as textbook
from lindy.textbook import text_patterns
from lindy.textbook.image_shapes import image_shape
from lindy.textbook.mira import mira, step
from lindy.textbook.perceptron import averaged_perceptron, binary_perceptron


def test_ten_digits_of_256_pixels_have_5130_parameters() -> None:
    """|Y| + n·|F|·|Y| against |Y|·|F|ⁿ."""
    n, F, Y = 16 * 16, 2, 10
    model = BernoulliNaiveBayes().fit(np.eye(Y, n), np.arange(Y))
    assert model.log_prior_.size + F * model.W_.size == Y + n * F * Y == 5_130
    assert math.log10(Y) + n * math.log10(F) == pytest.approx(78.06, abs=0.01)


@pytest.mark.parametrize(
    ("k", "share"), [(0, (2 / 3, 1 / 3)), (1, (3 / 5, 2 / 5)), (100, (102 / 203, 101 / 203))]
)
def test_laplace_of_two_reds_and_a_blue(k: float, share: tuple[float, float]) -> None:
    np.testing.assert_allclose(textbook.laplace(np.array([[2.0], [1.0]]), k)[:, 0], share)
    learned = MultinomialNaiveBayes(alpha=k).fit([[2, 1]], ["draws"])
    np.testing.assert_allclose(np.exp(learned.W_)[:, 0], share)


def test_relative_frequencies_maximise_the_likelihood() -> None:
    counts = np.array([[2.0], [1.0]])
    best = textbook.maximum_likelihood(counts)[:, 0]
    for p in np.linspace(0.01, 0.99, 99):
        assert (best ** counts[:, 0]).prod() >= p**2 * (1 - p)


def test_laplace_is_the_most_probable_parameter() -> None:
    """Under a Dirichlet prior with parameters k + 1 the posterior is Π p^(count + k)."""
    counts, k = np.array([[2.0], [1.0]]), 3.0
    best = textbook.laplace(counts, k)[:, 0]
    grid = np.linspace(0.001, 0.999, 999)
    posterior = (2 + k) * np.log(grid) + (1 + k) * np.log(1 - grid)
    assert grid[posterior.argmax()] == pytest.approx(best[0], abs=1e-3)


@pytest.mark.parametrize("alpha", [0.0, 0.3, 1.0])
def test_linear_interpolation(alpha: float) -> None:
    n_yw = np.array([[3.0, 0.0], [1.0, 0.0], [0.0, 4.0]])
    P = textbook.interpolated(n_yw, alpha)
    own, overall = n_yw / 4, n_yw.sum(axis=1, keepdims=True) / 8
    np.testing.assert_allclose(P, alpha * own + (1 - alpha) * overall)
    learned = MultinomialNaiveBayes(interpolation=alpha).fit(n_yw.T, [0, 1])
    np.testing.assert_allclose(np.exp(learned.W_), P, atol=1e-15)
    assert (P[:, 0] == P[:, 1]).all() == (alpha == 0)


def test_the_spam_example_by_the_textbook() -> None:
    """The slide prints five digits of each probability; its totals follow from more."""
    table = np.array(
        [
            (0.00002, 0.00021),
            (0.00069, 0.00084),
            (0.00881, 0.00304),
            (0.00086, 0.00083),
            (0.01517, 0.01339),
            (0.00008, 0.00002),
            (0.00016, 0.00002),
            (0.00027, 0.00027),
            (0.00006, 0.00001),
        ]
    )
    x = np.array([[1.0, 1, 2, 1, 1, 1, 1, 1, 1]])
    joint = textbook.joint(x, np.array([0.33333, 0.66666]), table)
    np.testing.assert_allclose(joint[0], [-76.0, -80.5], atol=0.3)
    P = textbook.posterior(joint, np.array([1 / 3, 2 / 3]))
    assert P[0, 0] == pytest.approx(0.987, abs=5e-4)
    assert textbook.posterior(np.array([[-76.0, -80.5]]), np.array([1 / 3, 2 / 3]))[0, 0] == pytest.approx(
        0.989, abs=5e-4
    )


def test_the_order_of_words_does_not_matter() -> None:
    data = messages()
    vectorizer = CountVectorizer()
    model = MultinomialNaiveBayes().fit(vectorizer.fit_transform(data.train), data.y_train)
    backwards = [" ".join(reversed(text.split())) for text in data.test]
    P, Q = (model.predict_proba(vectorizer.transform(texts)) for texts in (data.test, backwards))
    np.testing.assert_allclose(P, Q, rtol=1e-9)


def test_calling_everything_ham_is_right_two_thirds_of_the_time() -> None:
    data = messages()
    vectorizer = CountVectorizer()
    X, X_test = vectorizer.fit_transform(data.train), vectorizer.transform(data.test)
    assert MajorityClass().fit(X, data.y_train).score(X_test, data.y_test) == pytest.approx(2 / 3)
    assert MultinomialNaiveBayes().fit(X, data.y_train).score(X_test, data.y_test) > 0.9


def test_digits_by_pixels_on_and_off() -> None:
    images = digits(2_000, 500)
    on, on_test = (np.where(X > 0.5, 1.0, 0.0) for X in (images.X_train, images.X_test))
    model = BernoulliNaiveBayes().fit(on, images.y_train)
    assert model.score(on_test, images.y_test) >= 0.84
    assert images.X_train.shape == (2_000, 256)
    assert np.bincount(images.y_train).min() > 100


def test_shapes_of_digits() -> None:
    """0, 6 and 9 have a loop, 8 has two, 1, 2, 3, 5 and 7 none; 1 is the narrowest."""
    images = digits(1_000, 10)
    pictures = images.X_train.reshape(-1, *images.shape) > 0.5
    found = image_shapes(pictures)
    np.testing.assert_array_equal(found[:100], [image_shape(picture) for picture in pictures[:100]])
    loops = np.array([np.median(found[images.y_train == d, 1]) for d in range(10)])
    np.testing.assert_array_equal(loops[[0, 6, 8, 9]], [1, 1, 2, 1])
    np.testing.assert_array_equal(loops[[1, 2, 3, 5, 7]], 0)
    aspect = [np.median(found[images.y_train == d, 2] / found[images.y_train == d, 3]) for d in range(10)]
    assert np.argmax(aspect) == 1


def test_activations_of_two_mails() -> None:
    """(free, your name, misspelled, from a friend) weigh 4, −1, 1, −3: the first mail is spam, the second is not."""
    model = Perceptron(average=False, fit_intercept=False, start=[[4.0], [-1], [1], [-3]])
    model.partial_fit([[2, 0, 2, 0], [0, 1, 1, 1]], ["spam", "ham"])
    assert model.mistakes_ == 0
    assert model.decision_function([[2, 0, 2, 0], [0, 1, 1, 1]]).tolist() == [10, -3]


def test_a_feature_vector_of_a_mail() -> None:
    """Twice free, no name, two misspellings, no friend: (2, 0, 2, 0), activation 10."""
    vectorizer = FunctionVectorizer(
        functions={
            "# free": lambda x: x.lower().split().count("free"),
            "YOUR_NAME": lambda x: int("Ada" in x),
            "MISSPELLED": lambda x: sum(word in ("recieve", "freinds") for word in x.split()),
            "FROM_FRIEND": lambda x: int(x.startswith("Grace:")),
        }
    )
    row = vectorizer.fit_transform(["FREE ink: recieve one free , tell your freinds"]).toarray()[0]
    assert row.tolist() == [2, 0, 2, 0]
    assert row @ [4, -1, 1, -3] == 10


def test_patterns_of_dollars_and_capitals() -> None:
    text, names = "WIN $500 NOW!", ["money", "capitals", "exclamation"]
    vectorizer = PatternVectorizer(patterns=names, values="counts", length=None)
    assert vectorizer.transform([text]).toarray().tolist() == [[1, 2, 1]]
    assert [len(text_patterns.places(text)[name]) for name in names] == [1, 2, 1]


def test_what_a_message_says_without_words() -> None:
    """Amounts of money, capitals, links that lie, and whether the sender is known."""
    raw = (
        b"From: a@b.example\nSubject: ACT NOW\nContent-Type: text/html\n\n"
        b'CONFIRM TODAY, $50: <a href="http://10.0.0.1/">www.bank.example</a>'
    )
    seen = set(MailWords(contacts=frozenset({"grace@friends.example"})).seen(read_message(raw)))
    assert {"money_1", "shouts_2", "links_1", "link_text_differs", "sender_not_in_contacts"} <= seen
    assert "sender_in_contacts" in MailWords(contacts=frozenset({"a@b.example"})).text(read_message(raw))


TRUTH: dict[str, tuple[int, Callable[[np.ndarray], bool]]] = {
    "and": (2, lambda x: bool(x.all())),
    "or": (2, lambda x: bool(x.any())),
    "not": (1, lambda x: not x[0]),
    "majority": (3, lambda x: bool(x.sum() >= 2)),
}


@pytest.mark.parametrize("name", TRUTH)
def test_logical_functions_a_unit_can_learn(name: str) -> None:
    n, function = TRUTH[name]
    X = np.array(list(itertools.product((0.0, 1.0), repeat=n)))
    y = np.array([int(function(x)) for x in X])
    model = Perceptron(average=False, epochs=100, shuffle=False, dtype="float64").fit(X, y)
    assert model.score(X, y) == 1
    with_one = np.column_stack([X, np.ones(len(X))])
    last, _, mistakes = binary_perceptron(with_one, y, list(range(len(X))) * model.n_iter_)
    np.testing.assert_array_equal(np.append(model.W_[:, 0], model.b_), last)
    assert mistakes == model.mistakes_
    widest = SVM(loss="hinge", C=math.inf, fit_intercept=False, tol=1e-8).fit(with_one, y)
    delta = float(widest.margin_width_[0])
    assert mistakes <= (n + 1) / delta**2  # the slide's k/δ²: k features of 0 and 1, the bias among them


def test_xor_is_out_of_reach() -> None:
    X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
    model = Perceptron(average=False, epochs=200).fit(X, y)
    assert model.score(X, y) < 1
    assert model.margin_ is None
    with pytest.raises(ValueError, match="cannot be separated"):
        SVM(loss="hinge", C=math.inf).fit(X, y)


def test_three_headlines() -> None:
    """From zero weights and a bias of 1 for sports; columns BIAS, win, game, vote, the, election."""
    f = np.array([[1.0, 1, 0, 1, 1, 0], [1, 1, 0, 0, 1, 1], [1, 1, 1, 0, 1, 0]])
    start = np.zeros((6, 3))
    start[0, 1] = 1
    model = Perceptron(average=False, fit_intercept=False, shuffle=False, start=start, dtype="float64")
    model.partial_fit(f, ["politics", "politics", "sports"], classes=["politics", "sports", "tech"])
    expected = {"BIAS": (0, 1, 0), "win": (0, 0, 0), "game": (-1, 1, 0), "vote": (1, -1, 0), "the": (0, 0, 0)}
    np.testing.assert_array_equal(model.W_[:5], list(expected.values()))
    assert model.mistakes_ == 2
    # the textbook begins with weights 0: a first headline that raises sports' bias alone makes the same start
    first = np.array([[1.0, 0, 0, 0, 0, 0]])
    last, _, mistakes = averaged_perceptron(np.vstack([first, f]), np.array([1, 0, 0, 1]), 3, range(4))
    assert mistakes == 3
    np.testing.assert_array_equal(last[1:5], model.W_[1:5])


@pytest.mark.parametrize(("C", "tau"), [(1e9, 0.1), (0.05, 0.05)])
def test_the_smallest_correcting_step_and_its_cap(C: float, tau: float) -> None:
    """τ = min(((w_ŷ − w_y)·f + 1) / 2f·f, C) for f = (1, 2) and w = 0."""
    assert step(1.0, 2 * 5.0, C, "PA-I") == pytest.approx(tau)
    model = Mira(C=C, fit_intercept=False, average=False, dtype="float64")
    model.partial_fit([[1.0, 2.0]], [1], classes=[0, 1, 2])
    w, _ = mira(np.array([[1.0, 2.0]]), np.array([1]), 1 - np.eye(3), [0], C)
    np.testing.assert_allclose(w, np.outer([tau, 2 * tau], [-1, 1, 0]))
    np.testing.assert_allclose(model.W_, w)


def test_only_support_vectors_matter() -> None:
    toy = toy_gaussians(80, means=[(-1.5, -1.5), (1.5, 1.5)], variances=0.4, random_state=3)
    model = SVM(loss="hinge", C=math.inf, tol=1e-8).fit(toy.X_train, toy.y_train)
    kept = model.support_
    again = SVM(loss="hinge", C=math.inf, tol=1e-8).fit(toy.X_train[kept], toy.y_train[kept])
    np.testing.assert_allclose(model.W_, again.W_, atol=1e-5)
    margins = model.margins(toy.X_train, toy.y_train)[:, 0]
    assert margins.min() == pytest.approx(1, abs=1e-4)
    np.testing.assert_allclose(margins[kept], 1, atol=1e-4)
