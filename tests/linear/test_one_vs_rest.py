"""One-vs-rest: the weights of all labels are those of each label by itself, and of somebody else's solver."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import LinearSVC

from lindy.baselines import LeastSquares, MajorityClass, RandomClass, WordVotes
from lindy.bayes import (
    BernoulliNaiveBayes,
    CategoricalNaiveBayes,
    ComplementNaiveBayes,
    GaussianNaiveBayes,
    MultinomialNaiveBayes,
)
from lindy.core.csr import Csr, as_csr
from lindy.core.targets import ManyLabels
from lindy.errors import DataError
from lindy.linear import SVM, MaxEnt, Mira, NaiveBayesSVM, OneVsRest, Perceptron
from lindy.linear.label_blocks import BLOCK
from lindy.stream.workspace import Workspace
from lindy.textbook import label_ranking
from lindy.textbook import multinomial_naive_bayes as textbook


def problem(seed: int, n: int = 80, d: int = 12, K: int = 5) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * (rng.random((n, d)) < 0.5)
    Y = (X @ rng.normal(size=(d, K)) + 0.5 * rng.normal(size=(n, K)) > 0.8).astype(int)
    Y[0], Y[1] = 1, 0
    return X, Y


def test_the_scores_are_those_of_liblinear_for_each_label() -> None:
    X, Y = problem(0)
    ours = OneVsRest(learner=SVM(penalize_intercept=True, tol=1e-9)).fit(X, Y)
    theirs = OneVsRestClassifier(LinearSVC(tol=1e-12, max_iter=10**6)).fit(X, Y)
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-4)
    assert np.array_equal(ours.predict(X), theirs.predict(X))
    assert ours.score(X, Y) == theirs.score(X, Y)


@given(st.integers(0, 1000), st.integers(2, 6), st.sampled_from(["squared_hinge", "hinge"]))
def test_all_labels_together_are_each_label_by_itself(seed: int, K: int, loss: str) -> None:
    X, Y = problem(seed, K=K)
    together = OneVsRest(learner=SVM(loss=loss, tol=1e-8)).fit(X, Y)
    proof = together.certificate_
    assert proof is not None
    assert proof.reached
    total = 0.0
    for k in range(K):
        alone = SVM(loss=loss, tol=1e-8).fit(X, Y[:, k])
        total += alone.certificate_.objective
        np.testing.assert_allclose(together.W_[:, k], alone.W_[:, 0], atol=2e-3)
    assert proof.objective == pytest.approx(total, rel=1e-6)


@pytest.mark.parametrize("loss", ["squared_hinge", "hinge", "log"])
@pytest.mark.parametrize("penalize", [False, True])
def test_the_gap_of_a_label_bounds_its_distance_to_the_optimum(loss: str, penalize: bool) -> None:
    X, Y = problem(4, K=BLOCK + 7)
    single = MaxEnt(multiclass="one-vs-rest") if loss == "log" else SVM(loss=loss)
    single.set_params(penalize_intercept=penalize, solver="dual", tol=0.03)
    rough = OneVsRest(learner=single).fit(X, Y)
    margins = (2 * Y - 1) * rough.decision_function(X).astype(np.float64)
    losses = {
        "hinge": np.maximum(0, 1 - margins),
        "squared_hinge": np.maximum(0, 1 - margins) ** 2,
        "log": np.logaddexp(0, -margins),
    }[loss]
    norms = np.square(rough.W_.astype(np.float64)).sum(axis=0) + penalize * np.square(
        rough.b_.astype(np.float64)
    )
    reached = losses.mean(axis=0) + 0.5 * norms / len(X)
    single.set_params(solver="auto", tol=1e-8)
    for k in (0, 1, BLOCK + 6):
        least = single.fit(X, Y[:, k]).certificate_
        rounding = 1e-6 * reached[k]
        assert least.objective - least.gap - rounding <= reached[k]
        assert reached[k] - rough.gap_bounds_[k] <= least.objective + rounding
        apart = np.linalg.norm(rough.W_[:, k] - single.W_[:, 0])  # with l2 = 1/n
        assert apart <= sum(np.sqrt(2 * gap * len(X)) for gap in (rough.gap_bounds_[k], least.gap, rounding))
    assert rough.gap_bounds_.sum() == pytest.approx(rough.certificate_.gap, rel=1e-9)
    assert rough.certificate_.objective == pytest.approx(reached.sum(), rel=1e-5)


@pytest.mark.parametrize(
    "learner",
    [
        SVM(class_weight="balanced"),
        SVM(penalty="l1"),
        SVM(solver="lbfgs"),
        MaxEnt(),
        MaxEnt(multiclass="one-vs-rest"),
        NaiveBayesSVM(),
        Perceptron(shuffle=False),
        Mira(shuffle=False),
        MultinomialNaiveBayes(),
        LeastSquares(),
    ],
    ids=repr,
)
def test_every_learner_of_weights_learns_several_labels(learner) -> None:
    X, Y = problem(3)
    X = np.abs(X)
    several = OneVsRest(learner=learner).fit(X, Y)
    for k in range(Y.shape[1]):
        alone = type(learner)(**learner.get_params(deep=False)).fit(X, Y[:, k])
        agree = np.mean((several.decision_function(X)[:, k] > 0) == (alone.predict(X) == 1))
        assert agree >= 0.97


def test_blocks_and_threads_change_nothing() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 8))
    Y = (rng.random((60, BLOCK + 40)) < 0.1).astype(int)
    Y[0] = 1
    one = OneVsRest(learner=SVM(), n_jobs=1).fit(X, Y)
    two = OneVsRest(learner=SVM(), n_jobs=2).fit(X, Y)
    assert one.W_.tobytes() == two.W_.tobytes()
    assert one.W_.shape == (8, BLOCK + 40)


def test_rows_in_files_give_the_same_bytes(tmp_path) -> None:
    X, Y = problem(5, n=3000)
    rows = as_csr(X.astype(np.float32))
    expected = OneVsRest(learner=SVM()).fit(rows, Y)
    with Workspace(str(tmp_path / "cache"), memory=128 << 20) as workspace, workspace.in_use():
        indices, values = workspace.growing(np.int32), workspace.growing(np.float32)
        indices.append(rows.indices)
        values.append(rows.values)
        stored = Csr(rows.indptr, indices.finish(), values.finish(), rows.n_columns, checked=True)
        found = OneVsRest(learner=SVM(), n_jobs=1).fit(stored, Y)
    assert found.W_.tobytes() == expected.W_.tobytes()


def test_lists_and_sets_of_labels() -> None:
    X = [[1, 0], [0, 1], [1, 1], [0, 0]]
    model = OneVsRest(learner=SVM()).fit(X, [{"a"}, {"b"}, ["b", "a"], []])
    assert model.classes_.tolist() == ["a", "b"]
    assert model.predict(X).tolist() == [[1, 0], [0, 1], [1, 1], [0, 0]]


def test_a_label_of_all_rows_and_of_none() -> None:
    X, Y = problem(1, K=3)
    Y[:, 1] = 1
    targets = ManyLabels.of_indicator(Y)
    scores = OneVsRest(learner=Perceptron()).fit(X, targets).decision_function(X)
    assert (scores[:, 1] > 0).all()


@pytest.mark.parametrize(
    ("y", "said"),
    [(["a", "b"], "one label per row"), ([[], []], "no row has a label")],
)
def test_targets_of_another_kind_are_refused(y, said) -> None:
    model = OneVsRest(learner=SVM())
    with pytest.raises(ValueError, match=said):
        model.fit([[1.0], [2.0]], y)


@pytest.mark.parametrize(
    "learner", [RandomClass(), WordVotes(), GaussianNaiveBayes(), CategoricalNaiveBayes()]
)
def test_what_has_no_weights_is_refused_and_says_what_to_choose(learner) -> None:
    X, Y = problem(2)
    model = OneVsRest(learner=learner)
    with pytest.raises(DataError, match="no sums of weights") as refused:
        model.fit(np.abs(np.trunc(X)), Y)
    assert "choose svm" in str(refused.value.hint)


def test_losses_in_which_labels_compete_are_refused() -> None:
    X, Y = problem(2)
    model = OneVsRest(learner=SVM(loss="multiclass_hinge"))
    with pytest.raises(ValueError, match="lets labels compete"):
        model.fit(X, Y)


def test_words_that_decide_with_certainty_are_refused() -> None:
    X, Y = problem(2)
    X[:, 0] = Y[:, 0]  # never without the label
    for learner in (MultinomialNaiveBayes(alpha=0), BernoulliNaiveBayes(alpha=0)):
        model = OneVsRest(learner=learner)
        with pytest.raises(DataError, match="without smoothing"):
            model.fit(np.abs(X), Y)


TOGETHER = [
    MultinomialNaiveBayes(),
    MultinomialNaiveBayes(interpolation=0.7),
    MultinomialNaiveBayes(class_prior="uniform", alpha=0.1, length="geometric"),
    MultinomialNaiveBayes(alpha=np.linspace(0.1, 1, 12)),
    BernoulliNaiveBayes(),
    BernoulliNaiveBayes(binarize=0.3),
    ComplementNaiveBayes(),
    ComplementNaiveBayes(norm=True),
    LeastSquares(),
    LeastSquares(solver="conjugate-gradient"),
    NaiveBayesSVM(tol=1e-9),
    MajorityClass(),
]


@pytest.mark.parametrize("learner", TOGETHER, ids=lambda learner: repr(learner)[:60])
@given(st.integers(0, 1000), st.booleans())
def test_labels_found_in_one_pass_are_those_found_one_by_one(learner, seed: int, weighted: bool) -> None:
    X, Y = problem(seed, n=40)
    X = np.abs(X)
    weight = np.random.default_rng(seed).integers(0, 3, len(X)).astype(float) if weighted else None
    several = OneVsRest(learner=learner).fit(X, Y, sample_weight=weight)
    for k, label in enumerate(several.classes_.tolist()):
        alone = type(learner)(**learner.get_params(deep=False)).fit(X, Y[:, label], sample_weight=weight)
        if len(alone.classes_) == 2:  # otherwise all rows that count have the label
            expected = alone.decision_function(X)
            np.testing.assert_allclose(several.decision_function(X)[:, k], expected, rtol=1e-4, atol=1e-5)


@given(
    st.integers(0, 1000),
    st.integers(2, 6),
    st.booleans(),
    st.sampled_from(
        [Perceptron(), *(Mira(variant=v, C=c) for v in ("PA", "PA-I", "PA-II") for c in (0.05, 2.0))]
    ),
)
def test_visits_of_all_labels_are_those_of_the_textbook(seed: int, K: int, ranking: bool, learner) -> None:
    X, Y = problem(seed, n=30, K=K)
    X[2], Y[3] = 0, 1  # an empty row, and one that has all labels
    learner = type(learner)(**learner.get_params(deep=False)).set_params(
        epochs=2, shuffle=False, dtype="float64", labels="ranking" if ranking else "one-vs-rest"
    )
    several = OneVsRest(learner=learner).fit(X, Y)
    order = [*range(len(X)), *range(len(X))]
    mira = {"C": learner.C, "variant": learner.variant} if isinstance(learner, Mira) else {}
    expected = label_ranking.train(np.column_stack([X, np.ones(len(X))]), Y, order, ranking=ranking, **mira)
    np.testing.assert_allclose(several.W_, expected[:-1, several.classes_], rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(several.b_, expected[-1, several.classes_], rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("learner", [Perceptron(labels="ranking"), Mira(labels="ranking")], ids=repr)
def test_ranked_labels_that_can_be_separated_are(learner) -> None:
    rng = np.random.default_rng(0)
    Y = (rng.random((200, 5)) < 0.4).astype(int)
    model = OneVsRest(learner=learner).fit(Y + 0.1 * rng.normal(size=Y.shape), Y)
    assert model.score(Y.astype(float), Y) == 1.0
    assert not model.updates  # ranks are of the labels that were there
    assert "ranks" in model.fixed


def test_a_single_label_can_be_ranked() -> None:
    X, _ = problem(0)
    one = ManyLabels.of_lists([["a"] if x > 0 else [] for x in X[:, 0]])
    scores = OneVsRest(learner=Perceptron(labels="ranking", epochs=50)).fit(X, one).decision_function(X)
    assert np.mean((scores[:, 0] > 0) == (X[:, 0] > 0)) > 0.9


@pytest.mark.parametrize(
    "learner",
    [
        Perceptron(average="vote"),
        Perceptron(held_out=0.2),
        Mira(constraints="all"),
        Mira(class_weight="balanced"),
    ],
    ids=repr,
)
def test_ranking_refuses_what_it_has_not(learner) -> None:
    model = OneVsRest(learner=type(learner)(**learner.get_params(deep=False) | {"labels": "ranking"}))
    with pytest.raises(ValueError, match="labels='ranking' takes no"):
        model.fit(*problem(0))


@given(st.integers(0, 1000))
def test_the_counts_of_labels_are_those_of_the_textbook(seed: int) -> None:
    X, Y = problem(seed, n=30)
    X = np.abs(X)
    several = OneVsRest(learner=MultinomialNaiveBayes(alpha=0.5)).fit(X, Y)
    without, own = (textbook.laplace(n, 0.5) for n in textbook.label_counts(X, Y))
    expected = np.log(own) - np.log(without)
    labels = several.classes_[~Y.all(axis=0)[several.classes_]]
    np.testing.assert_allclose(
        several.W_[:, np.isin(several.classes_, labels)], expected[:, labels], rtol=1e-4, atol=1e-5
    )
