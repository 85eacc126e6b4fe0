"""The numbers of McDonald's slides, by learners and textbook; more are in ``tests/bayes/test_lectures.py``."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from lindy import (
    SVM,
    CategoricalNaiveBayes,
    KernelPerceptron,
    KernelSVM,
    MaxEnt,
    Mira,
    MultinomialNaiveBayes,
    Perceptron,
    WordVotes,
)
from lindy.data import toy_gaussians
from lindy.kernels import RBF, Linear, Polynomial, Subsequence, SubsetTree, Subtree, check_kernel, gram
from lindy.text import CountVectorizer
from lindy.textbook import (
    categorical_naive_bayes,
    kernel_perceptron,
    kernels,
    multinomial_naive_bayes,
    string_kernels,
    tree_kernels,
    word_votes,
)
from lindy.textbook.dual import hinge_step, margin_pass
from lindy.textbook.mira import all_constraints, mira
from lindy.textbook.objectives import losses, probabilities
from lindy.textbook.perceptron import binary_perceptron
from lindy.textbook.stochastic_gradient import hinge_direction, stochastic_gradient

DOCUMENTS, LABELS = ["★ ◇ ○", "★ ♥ △", "★ △ ♠", "◇ △ ○"], np.array([0, 0, 1, 1])
SYMBOLS = CountVectorizer(token_pattern=r"\S").fit(DOCUMENTS)
APART = toy_gaussians(120, means=[(1, 0), (2, 2)], variances=0.12, random_state=1)
WITH_ONE = np.column_stack([APART.X_train, np.ones(60)])
SIGN = np.where(APART.y_train == 1, 1.0, -1.0)


def test_four_documents() -> None:
    X = SYMBOLS.transform(DOCUMENTS)
    model = WordVotes().fit(X, LABELS)
    n_yw = np.stack([X.toarray()[y == LABELS].sum(axis=0) for y in (0, 1)], axis=1).astype(float)
    votes = word_votes.word_votes(n_yw)
    np.testing.assert_allclose(model.W_, votes)
    share = dict(zip(SYMBOLS.get_feature_names_out(), votes[:, 0], strict=True))
    assert share == pytest.approx({"★": 2 / 3, "◇": 1 / 2, "♥": 1.0, "△": 1 / 3, "○": 1 / 2, "♠": 0.0})
    new = SYMBOLS.transform(["★ ◇ ♥", "★ △ ○"])
    P = model.predict_proba(new)
    np.testing.assert_allclose(P[:, 0], [(2 / 3 + 1 / 2 + 1) / 3, 1 / 2])
    np.testing.assert_allclose(P, word_votes.mean_vote(new.toarray().astype(float), votes, np.full(2, 0.5)))
    assert model.predict(new)[0] == 0


def test_george_washington() -> None:
    parts = ["george", "washington", "bridge", "general"]

    def phi(name: str, label: int, *, bias: bool = False) -> list[int]:
        g = [int(part in name.lower().split()) for part in parts] + [1] * bias
        return np.kron(np.eye(2, dtype=int)[label], g).tolist()

    assert phi("General George Washington", 0) == [1, 1, 0, 1, 0, 0, 0, 0]
    assert phi("General George Washington", 1) == [0, 0, 0, 0, 1, 1, 0, 1]
    assert phi("George Washington Bridge", 1) == [0, 0, 0, 0, 1, 1, 1, 0]
    assert phi("George Washington George", 1) == [0, 0, 0, 0, 1, 1, 0, 0]
    assert phi("General George Washington", 0, bias=True) == [1, 1, 0, 1, 1, 0, 0, 0, 0, 0]
    assert phi("General George Washington", 1, bias=True) == [0, 0, 0, 0, 0, 1, 1, 0, 1, 1]


def test_categorical_tables_by_both() -> None:
    X, y = np.array([[1, 1], [0, 1], [1, 0]]), np.array([0, 0, 1])
    model = CategoricalNaiveBayes(alpha=0, n_values=2).fit(X, y)
    tables = categorical_naive_bayes.tables(X, y, 2, k=0)
    for learned, by_hand in zip(model.value_proba_, tables, strict=True):
        np.testing.assert_allclose(learned, by_hand)
    np.testing.assert_allclose(np.exp(model.log_prior_), [2 / 3, 1 / 3])
    assert tables[0][1, 0] == 1 / 2
    assert tables[1][0, 1] == 1
    assert len(model.classes_) + sum(table.size for table in tables) == 2 + 8


def test_normalised_counts_have_the_greatest_likelihood() -> None:
    count = np.array([[5.0], [3.0], [2.0]])
    best = multinomial_naive_bayes.maximum_likelihood(count)[:, 0]
    others = np.random.default_rng(0).dirichlet([1, 1, 1], 500)
    assert (np.log(others) @ count[:, 0] <= count[:, 0] @ np.log(best)).all()


def test_hockey_and_politics() -> None:
    texts = ["hockey is fast", "politicians talk fast", "washington is sleazy"]
    y = np.array(["sports", "politics", "politics"])
    words = CountVectorizer(binary=True)
    X, new = words.fit_transform(texts), words.transform(["washington hockey is fast"])
    assert np.isneginf(MultinomialNaiveBayes(alpha=0).fit(X, y).joint_log_proba(new)).all()
    model = MultinomialNaiveBayes(alpha=1).fit(X, y)
    joint = np.exp(model.joint_log_proba(new))[0]
    # 7 words: politics has 6 tokens, sports 3
    np.testing.assert_allclose(joint, [2 / 3 * (2 * 1 * 2 * 2) / 13**4, 1 / 3 * (1 * 2 * 2 * 2) / 10**4])
    assert model.predict(new).tolist() == ["sports"]


MIN_ERROR = np.array([[-1.0, 1.0]] * 1000 + [[3.0, 1.0]])


@pytest.mark.parametrize(
    ("omega", "errors", "likelihood"), [((-1, 0, 1, 0), 0, -126.9), ((-1, 7, 1, 0), 1, -1.4)]
)
def test_fewest_errors_or_greatest_likelihood(omega: tuple[int, ...], errors: int, likelihood: float) -> None:
    labels = np.array([0] * 1000 + [1], np.int32)
    scores = MIN_ERROR @ np.reshape(omega, (2, 2)).T
    assert (scores.argmax(axis=1) != labels).sum() == errors
    found = -losses(scores, labels, "softmax").sum()
    assert found == pytest.approx(likelihood, abs=0.05)
    by_hand = np.log(probabilities(scores)[np.arange(1001), labels]).sum()
    assert found == pytest.approx(by_hand)


def test_the_greatest_likelihood_of_the_min_error_example() -> None:
    """The learner ends with a likelihood above both of the slide's weights."""
    labels = np.array([0] * 1000 + [1])
    model = MaxEnt(lam=1e-6, fit_intercept=False).fit(MIN_ERROR, labels)
    likelihood = model.predict_log_proba(MIN_ERROR)[np.arange(1001), labels].sum()
    assert likelihood > -1.4


def test_observed_counts_equal_expected_counts() -> None:
    toy = toy_gaussians(120, means=[(-2, -1), (2, -1), (0, 2)], variances=3.0, random_state=1)
    model = MaxEnt(penalty=None, tol=1e-7).fit(toy.X_train, toy.y_train)
    observed = toy.X_train.T @ np.eye(3)[toy.y_train]
    np.testing.assert_allclose(toy.X_train.T @ model.predict_proba(toy.X_train), observed, atol=1e-3)


def test_mistake_bound_and_its_proof() -> None:
    hard = SVM(loss="hinge", C=math.inf, fit_intercept=False, tol=1e-8).fit(WITH_ONE, APART.y_train)
    u = hard.W_[:, 0] / np.linalg.norm(hard.W_)
    gamma, R = (SIGN * (WITH_ONE @ u)).min(), np.linalg.norm(WITH_ONE, axis=1).max()
    assert gamma > 0
    for seed in range(10):
        model = Perceptron(average=False, fit_intercept=False, random_state=seed).fit(WITH_ONE, APART.y_train)
        assert model.mistakes_ <= (R / gamma) ** 2
        order = np.concatenate([np.random.default_rng((seed, r)).permutation(60) for r in range(10)])
        w, k = np.zeros(3), 0
        for m in order:
            if (WITH_ONE[m] @ w >= 0) != (SIGN[m] > 0):
                w, k = w + SIGN[m] * WITH_ONE[m], k + 1
                assert u @ w >= k * gamma - 1e-9
                assert w @ w <= k * R**2 + 1e-9
        last, _, mistakes = binary_perceptron(WITH_ONE, APART.y_train, order.tolist())
        np.testing.assert_allclose(last, w)
        assert mistakes == k <= (R / gamma) ** 2


def test_maximum_margin_is_minimum_norm() -> None:
    X, y = APART.X_train, APART.y_train
    model = SVM(loss="hinge", C=math.inf, tol=1e-9).fit(X, y)
    assert model.margins(X, y).min() == pytest.approx(1, abs=1e-3)
    angles = np.linspace(0, 2 * np.pi, 100_000, endpoint=False)
    around = np.column_stack([np.cos(angles), np.sin(angles)])
    widest = ((X[y == 1] @ around.T).min(axis=0) - (X[y == 0] @ around.T).max(axis=0)).max() / 2
    assert model.margin_width_[0] == pytest.approx(widest, rel=1e-3)


def test_wider_margins_go_with_fewer_errors_on_new_data() -> None:
    bounds, errors = [], []
    for distance in (2.8, 3.5, 5.0):
        toy = toy_gaussians(80, means=[(-distance / 2, 0), (distance / 2, 0)], variances=0.25, random_state=4)
        model = SVM(loss="hinge", C=math.inf, tol=1e-6).fit(toy.X_train, toy.y_train)
        X, y = toy.source.draw(50_000, random_state=5)
        R = np.linalg.norm(toy.X_train, axis=1).max()
        bounds.append(R**2 / (model.margin_width_[0] ** 2 * 40))
        errors.append(1 - model.score(X, y))
    assert bounds == sorted(bounds, reverse=True)
    assert errors == sorted(errors, reverse=True)


def test_lambda_is_one_over_c() -> None:
    """½‖ω‖² + C·Σ ξ and ½·λ·‖ω‖² + Σ ξ have the same solution for λ = 1/C; the mean divides λ by the rows."""
    toy = toy_gaussians(200, variances=1.5, random_state=2)
    C, n = 0.3, 100
    by_c = SVM(loss="hinge", C=C, fit_intercept=False, tol=1e-9).fit(toy.X_train, toy.y_train)
    by_lam = SVM(loss="hinge", lam=1 / (C * n), fit_intercept=False, tol=1e-9).fit(toy.X_train, toy.y_train)
    np.testing.assert_allclose(by_c.W_, by_lam.W_, rtol=1e-5)
    alpha, w = np.zeros(n), np.zeros(2)
    s = np.where(toy.y_train == 1, 1.0, -1.0)
    for _ in range(300):
        margin_pass(hinge_step, toy.X_train, s, C, alpha, w, np.arange(n))
    np.testing.assert_allclose(by_c.W_[:, 0], w, atol=1e-5)


def test_l1_zeroes_weights_and_l2_does_not() -> None:
    rng = np.random.default_rng(2)
    X = rng.normal(size=(200, 30))
    y = (X[:, 0] + 0.5 * rng.normal(size=200) > 0).astype(int)
    l1, l2 = (MaxEnt(penalty=penalty, lam=0.02).fit(X, y) for penalty in ("l1", "l2"))
    assert (l1.W_ != 0).sum() < 15 < (l2.W_ != 0).sum()
    assert np.abs(l1.W_[:, 0]).argmax() == np.abs(l2.W_[:, 0]).argmax() == 0


def test_the_perceptron_is_descent_on_a_hinge_without_margin() -> None:
    toy = toy_gaussians(60, variances=1.0, random_state=1)

    def no_margin(o: np.ndarray, y: int) -> np.ndarray:
        return np.array([1.0 if y == 1 else -1.0]) if (o[0] >= 0) != (y == 1) else np.zeros(1)

    order = list(range(30)) * 3
    last, _ = stochastic_gradient(
        toy.X_train, toy.y_train, np.zeros((2, 1)), order, no_margin, lambda _: 1.0, 0.0
    )
    model = Perceptron(average=False, fit_intercept=False, shuffle=False, epochs=3, dtype="float64")
    np.testing.assert_allclose(model.fit(toy.X_train, toy.y_train).W_, last)


def test_online_svm_is_descent_on_the_hinge() -> None:
    toy = toy_gaussians(60, variances=1.0, random_state=1)
    options = {"schedule": "constant", "eta0": 0.1, "epochs": 2, "shuffle": False, "dtype": "float64"}
    model = SVM(loss="hinge", lam=0.1, solver="sgd", fit_intercept=False, solver_options=options)
    last, _ = stochastic_gradient(
        toy.X_train,
        toy.y_train,
        np.zeros((2, 1)),
        list(range(30)) * 2,
        hinge_direction,
        lambda _: 0.1,
        0.1,
    )
    np.testing.assert_allclose(model.fit(toy.X_train, toy.y_train).W_, last)


def test_mira_with_all_constraints() -> None:
    """x = (1, 1), label 2, from 0: α = 1/6 for both wrong labels, and the right one leads both by exactly 1."""
    x = np.array([[1.0, 1.0]])
    assert all_constraints(np.array([1.0, 1.0]), 2.0, math.inf, "PA") == pytest.approx([1 / 6, 1 / 6])
    w, _ = mira(x, np.array([2]), 1 - np.eye(3), [0], math.inf, variant="PA", constraints="all")
    model = Mira(constraints="all", variant="PA", fit_intercept=False, average=False, dtype="float64")
    model.partial_fit(x, [2], classes=[0, 1, 2])
    np.testing.assert_allclose(model.W_, w)
    np.testing.assert_allclose(x @ w, [[-1 / 3, -1 / 3, 2 / 3]])


def test_gram_matrices_of_kernels_are_positive_semidefinite() -> None:
    X = np.random.default_rng(0).normal(size=(25, 3))
    for kernel, twin in ((Polynomial(degree=2), kernels.polynomial), (RBF(gamma=0.5), None)):
        M = gram(kernel, X)
        report = check_kernel(M)
        assert report.asymmetry == 0
        assert report.negative == 0
        by_hand = [[twin(x, z) if twin else kernels.rbf(x, z, 0.5) for z in X] for x in X]
        np.testing.assert_allclose(M, by_hand)
    assert check_kernel(-((X[:, None] - X) ** 2).sum(axis=2)).negative > 0


def test_polynomial_kernel_written_out() -> None:
    """φ(x) = (x₁², x₂², √2·x₁, √2·x₂, √2·x₁x₂, 1)."""
    X = np.random.default_rng(1).normal(size=(10, 2))
    a, b = X.T
    root = math.sqrt(2)
    phi = np.column_stack([a**2, b**2, root * a, root * b, root * a * b, np.ones(10)])
    np.testing.assert_allclose(gram(Polynomial(degree=2), X), phi @ phi.T)
    twin = np.array([kernels.squares_and_products(x) for x in X])
    np.testing.assert_allclose(twin @ twin.T, phi @ phi.T)


def test_the_gaussian_kernel_has_two_sigma_squared() -> None:
    """e^(−‖x − z‖²/2σ²): at a distance of σ it is e^(−½), whatever σ is."""
    for sigma in (0.5, 3.0):
        x = np.array([[0.0, 0.0], [sigma, 0.0]])
        assert gram(RBF(gamma=1 / (2 * sigma**2)), x)[0, 1] == pytest.approx(math.exp(-0.5))
        assert kernels.rbf(x[0], x[1], 1 / (2 * sigma**2)) == pytest.approx(math.exp(-0.5))


def test_kernel_perceptron_counts_the_mistakes_of_the_perceptron() -> None:
    toy = toy_gaussians(80, means=[(-2, -1), (2, -1), (0, 2)], variances=3.0, random_state=1)
    X, y = toy.X_train, toy.y_train
    primal = Perceptron(average=False, fit_intercept=False, shuffle=False, epochs=5, dtype="float64").fit(
        X, y
    )
    dual = KernelPerceptron(kernel=Linear(), average=False, shuffle=False, epochs=5).fit(X, y)
    alpha, _, mistakes = kernel_perceptron.kernel_perceptron(X @ X.T, y, 3, list(range(40)) * 5)
    assert dual.mistake_order_.tolist() == mistakes
    assert dual.mistakes_ == primal.mistakes_
    np.testing.assert_array_equal(dual.alpha_, alpha[dual.support_])
    np.testing.assert_allclose(X.T @ kernel_perceptron.coefficients(alpha, y), primal.W_, atol=1e-12)


@pytest.mark.parametrize(
    "learner", [KernelPerceptron(average=False, epochs=200), KernelSVM(C=1000.0, gamma=1.0)]
)
@pytest.mark.parametrize("kernel", [Polynomial(degree=2), RBF(gamma=1.0)])
def test_kernels_separate_what_no_line_can(learner: Any, kernel: Any) -> None:
    X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
    assert learner.set_params(kernel=kernel).fit(X, y).predict(X).tolist() == y


def test_subsequences_of_cat_and_car() -> None:
    """They share c-a, λ² in both; each has 2λ⁴ + λ⁶ with itself."""
    lam = 0.7
    features = {word: string_kernels.subsequence_features(word, 2, lam) for word in ("cat", "car")}
    assert features["cat"] == pytest.approx({"ca": lam**2, "at": lam**2, "ct": lam**3})
    alike = lam**4 / (2 * lam**4 + lam**6)
    M = gram(Subsequence(length=2, decay=lam).normalized(), ["cat", "car"])
    assert M[0, 1] == pytest.approx(alike)
    products = {(a, b): string_kernels.dot(features[a], features[b]) for a in features for b in features}
    assert products["cat", "car"] / products["cat", "cat"] == pytest.approx(alike)
    assert string_kernels.subsequence_kernel("cat", "car", 2, lam) == pytest.approx(products["cat", "car"])


def test_fragments_of_a_noun_phrase() -> None:
    """(NP (D the) (N dog)) has six fragments, three of them whole subtrees."""
    tree = "(NP (D the) (N dog))"
    parsed = tree_kernels.parse(tree)
    for kernel, whole, count in ((SubsetTree(decay=1.0), False, 6), (Subtree(decay=1.0), True, 3)):
        assert gram(kernel, [tree])[0, 0] == count
        assert tree_kernels.by_enumeration(parsed, parsed, 1.0, whole=whole) == count
        assert tree_kernels.by_recursion(parsed, parsed, 1.0, whole=whole) == count
