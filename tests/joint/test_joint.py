"""Joint learners against their textbook twins, and the block map against models with one weight column per class."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.optimize
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from lindy import SVM, DataError, MaxEnt, Mira, NotFittedError, Perceptron
from lindy.errors import ConvergenceWarning
from lindy.joint import (
    BlockMap,
    Candidates,
    JointMap,
    JointMaxEnt,
    JointMira,
    JointPerceptron,
    JointSVM,
)
from lindy.textbook import joint as textbook
from tests.oracles import linear_constraints

Array = NDArray[np.float64]
Groups = tuple[list[Array], list[int], list[Array]]


@st.composite
def groups(draw: st.DrawFn) -> Groups:
    """Examples with one to four candidates each, their right ones, and costs."""
    D, n = draw(st.integers(1, 5)), draw(st.integers(1, 8))
    sizes = draw(st.lists(st.integers(1, 4), min_size=n, max_size=n))
    rng = np.random.default_rng(
        draw(st.integers(0, 10_000))
    )  # real numbers: a tie would hang on the last bit
    F = [rng.normal(size=(k, D)) * (rng.random((k, D)) < 0.7) for k in sizes]
    gold = [draw(st.integers(0, k - 1)) for k in sizes]
    rho = [np.array(draw(st.lists(st.sampled_from([0.5, 1.0, 3.0]), min_size=k, max_size=k))) for k in sizes]
    for r, y in zip(rho, gold, strict=True):
        r[y] = 0.0
    return F, gold, rho


def made(data: Groups) -> tuple[Candidates, Any]:
    """Candidates whose labels are (example, place), and the cost function of these labels."""
    F, gold, rho = data
    labels = [[(i, c) for c in range(len(f))] for i, f in enumerate(F)]
    return Candidates.of(F, gold, labels), lambda candidate, _right: rho[candidate[0]][candidate[1]]


@given(groups(), st.booleans())
def test_the_perceptron_is_that_of_the_textbook(data: Groups, average: bool) -> None:
    F, gold, _ = data
    candidates, _ = made(data)
    model = JointPerceptron(average=average, epochs=3, shuffle=False, eta0=0.5).fit(candidates)
    epochs = len(model.mistakes_)
    last, mean, mistakes = textbook.perceptron(F, gold, list(range(len(F))) * 3, 0.5)
    np.testing.assert_allclose(model.w_, mean if average else last, atol=1e-12)
    assert sum(model.mistakes_) == mistakes
    assert epochs == 3 or model.mistakes_[-1] == 0


@given(groups(), st.sampled_from(["predicted", "max-loss", "k-best", "all"]), st.integers(1, 3))
def test_mira_is_that_of_the_textbook(data: Groups, constraints: str, k: int) -> None:
    F, gold, rho = data
    candidates, cost = made(data)
    how = {"constraints": constraints, "k": k}
    model = JointMira(C=0.7, cost=cost, epochs=3, shuffle=False, **how).fit(candidates)
    _, mean = textbook.mira(F, gold, rho, list(range(len(F))) * 3, 0.7, **how)
    np.testing.assert_allclose(model.w_, mean, atol=1e-7)


@given(groups(), st.sampled_from(["PA-I", "PA-II"]), st.sampled_from([0.05, 1.0]))
@settings(max_examples=40)
def test_all_constraints_solve_the_quadratic_problem(data: Groups, variant: str, C: float) -> None:
    """The first example's step:  min ½‖w‖² + C·ξ (PA-II: C·ξ²)  s.t.  w·d_c ≥ ρ_c − ξ, c ≠ gold."""
    F, gold, rho = data
    candidates, cost = made(([F[0]], gold[:1], rho[:1]))
    how: dict[str, Any] = {"variant": variant, "constraints": "all", "average": False, "epochs": 1}
    w = JointMira(C=C, cost=cost, **how).fit(candidates).w_
    d = F[0][gold[0]] - F[0]
    apart = (d != 0).any(axis=1)
    P = np.diag([1.0] * len(w) + [2 * C if variant == "PA-II" else 0.0])
    q = np.r_[np.zeros(len(w)), C if variant == "PA-I" else 0.0]
    rows = np.vstack([np.column_stack([-d[apart], -np.ones(apart.sum())]), np.r_[np.zeros(len(w)), -1.0]])
    x, _ = linear_constraints(P, q, rows, np.r_[-rho[0][apart], 0.0])
    np.testing.assert_allclose(w, x[:-1], atol=1e-5)


def test_constraints_that_contradict_one_another_need_slack() -> None:
    opposite = Candidates.of([np.array([[0.0], [1.0], [-1.0]])], [0])
    with pytest.raises(ValueError, match="no weights meet all constraints of example 0"):
        JointMira(variant="PA", constraints="all").fit(opposite)
    with pytest.raises(ValueError, match="no weights meet all constraints of example 0"):
        JointMira(C=np.inf, constraints="k-best").fit(opposite)
    assert JointMira(constraints="all").fit(opposite).w_.tolist() == [0.0]


@given(groups(), st.sampled_from([0.01, 0.1, 1.0]))
@settings(max_examples=40)
def test_maxent_reaches_the_optimum_that_scipy_finds(data: Groups, lam: float) -> None:
    F, gold, _ = data
    candidates, _ = made(data)
    model = JointMaxEnt(lam=lam, tol=1e-9).fit(candidates)
    value, gradient = textbook.log_loss(F, gold, model.w_, lam)
    assert value == pytest.approx(model.certificate_.objective, rel=1e-9)
    assert np.abs(gradient).max() < 1e-4
    theirs = scipy.optimize.minimize(
        lambda w: textbook.log_loss(F, gold, w, lam), np.zeros(F[0].shape[1]), jac=True, tol=1e-12
    )
    assert value <= theirs.fun + 1e-8
    probability = model.predict_proba(candidates)
    np.testing.assert_allclose(np.add.reduceat(probability, candidates.starts[:-1]), 1.0)


@given(groups(), st.sampled_from([0.05, 0.5]))
@settings(max_examples=40)
def test_the_svm_reaches_the_optimum_of_a_quadratic_program(data: Groups, lam: float) -> None:
    F, gold, rho = data
    candidates, cost = made(data)
    model = JointSVM(lam=lam, cost=cost, tol=1e-7, max_iter=20_000).fit(candidates)
    value = textbook.hinge_loss(F, gold, rho, model.w_, lam)
    assert value == pytest.approx(model.certificate_.objective, rel=1e-9)
    D, n = F[0].shape[1], len(F)
    rows = [  # (f_k − f_y)·w − ξ_i ≤ −ρ_k
        np.hstack([f - f[y], -np.eye(n)[[i] * len(f)]]) for i, (f, y) in enumerate(zip(F, gold, strict=True))
    ]
    P, q = np.diag([lam] * D + [0.0] * n), np.r_[np.zeros(D), np.full(n, 1 / n)]
    _, least = linear_constraints(P, q, np.vstack(rows), -np.concatenate(rho))
    assert value == pytest.approx(least, rel=1e-7, abs=1e-8)


@pytest.fixture
def per_class() -> tuple[Array, NDArray[np.int64]]:
    rng = np.random.default_rng(3)
    X = rng.poisson(0.6, (60, 9)).astype(float)
    return X, rng.integers(0, 3, 60)


def same(joint: Any, blocks: BlockMap, per_class: Any, tol: float) -> None:
    W, b = blocks.unstack(joint.w_)
    np.testing.assert_allclose(W, per_class.W_, atol=tol)
    np.testing.assert_allclose(b, per_class.b_, atol=tol)


def test_the_block_map_gives_the_models_with_a_column_per_class(per_class: Any) -> None:
    X, y = per_class
    blocks = BlockMap()
    data = blocks.fit_transform(X, y)
    online: dict[str, Any] = {"epochs": 4, "shuffle": False}
    perceptron = Perceptron(dtype="float64", **online).fit(X, y)
    same(JointPerceptron(**online).fit(data), blocks, perceptron, 1e-9)
    for constraints in ("predicted", "max-loss", "k-best", "all"):
        how: dict[str, Any] = {"constraints": constraints, "k": 2, "C": 0.3, **online}
        mira = Mira(dtype="float64", **how).fit(X, y)
        same(JointMira(**how).fit(data), blocks, mira, 1e-8)
    convex: dict[str, Any] = {"C": 0.5, "tol": 1e-9, "max_iter": 20_000}
    maxent = MaxEnt(penalize_intercept=True, **convex).fit(X, y)
    joint = JointMaxEnt(**convex).fit(data)
    same(joint, blocks, maxent, 1e-4)
    np.testing.assert_allclose(joint.predict_proba(data).reshape(-1, 3), maxent.predict_proba(X), atol=1e-4)
    svm = SVM(loss="multiclass_hinge", penalize_intercept=True, **convex).fit(X, y)
    machine = JointSVM(**convex).fit(data)
    same(machine, blocks, svm, 1e-3)
    assert machine.certificate_.objective == pytest.approx(svm.certificate_.objective, rel=1e-7)
    scores = machine.decision_function(data).reshape(-1, 3)
    np.testing.assert_allclose(scores, svm.decision_function(X), atol=1e-2)
    model = JointPerceptron(**online).fit(data)
    assert model.predict(data) == perceptron.predict(X).tolist()
    assert model.score(data) == perceptron.score(X, y)


def test_without_a_bias_the_blocks_hold_the_features_alone(per_class: Any) -> None:
    X, y = per_class
    blocks = BlockMap(bias=False)
    data = blocks.fit_transform(X, y)
    for i in range(3):
        np.testing.assert_array_equal(data.rows.to_dense()[3 * i : 3 * i + 3], textbook.block_map(X[i], 3))
    W, b = blocks.unstack(np.arange(27.0))
    assert W[0].tolist() == [0, 9, 18]
    assert not b.any()


def test_george_washington() -> None:
    """McDonald's joint features: one block of four words for persons, one for objects."""
    words, labels = ["george", "washington", "bridge", "general"], ["person", "object"]

    def f(x: str, y: str) -> dict[str, int]:
        return {f"{labels.index(y)} {words.index(w)}": 1 for w in set(x.split()) if w in words}

    maps = JointMap(f, candidates=labels)
    texts = ["general george washington", "george washington bridge", "george washington george"]
    data = maps.fit_transform(texts, ["person", "object", "object"])
    assert maps.feature_names_ == [f"{k} {j}" for k in range(2) for j in range(4)]
    right = data.rows.take(data.right).to_dense()
    assert right.astype(int).tolist() == [
        [1, 1, 0, 1, 0, 0, 0, 0],
        [0, 0, 0, 0, 1, 1, 1, 0],
        [0, 0, 0, 0, 1, 1, 0, 0],
    ]
    assert data.rows.to_dense()[1].astype(int).tolist() == [0, 0, 0, 0, 1, 1, 0, 1]


def test_features_of_labels_carry_over_to_labels_never_seen() -> None:
    """What no block map can do: a property of the label, learned from other labels."""
    kind = {"robin": "bird", "heron": "bird", "pike": "fish", "bass": "fish"}

    def f(x: str, y: str) -> list[str]:
        return [f"{word} & {kind[y]}" for word in x.split()]

    maps = JointMap(f, candidates=["pike", "robin"])
    texts = ["it flies high", "it swims deep", "flies away", "swims away"]
    train = maps.fit_transform(texts, ["robin", "pike", "robin", "pike"])
    new = maps.transform(["flies far", "swims far"], candidates=["bass", "heron"])
    for learner in (JointPerceptron(), JointMira(), JointMaxEnt(), JointSVM()):
        assert learner.fit(train).predict(new) == ["heron", "bass"]


def test_reranking_chooses_among_each_examples_own_candidates() -> None:
    """n-best lists of different lengths: the reranker learns to trust the length penalty, not the model score."""
    rng = np.random.default_rng(0)
    lists = [[(float(s), int(k)) for s, k in zip(rng.normal(size=n), rng.permutation(n), strict=True)]
             for n in rng.integers(1, 7, 80)]  # fmt: skip
    best = [max(own, key=lambda c: c[0] - 2 * c[1]) for own in lists]
    maps = JointMap(lambda _x, y: {"score": y[0], "length": y[1]}, candidates=lambda own: own)
    data = maps.fit_transform(lists[:60], best[:60])
    test = maps.transform(lists[60:], best[60:])
    for learner in (
        JointPerceptron(epochs=50),
        JointMira(),
        JointMaxEnt(C=100),
        JointSVM(C=1),
    ):
        model = learner.fit(data)
        assert model.score(test) >= 0.95
        weight = dict(zip(maps.feature_names_, model.w_, strict=True))
        assert weight["length"] / weight["score"] == pytest.approx(-2, rel=0.5)


def test_the_same_seed_gives_the_same_weights(per_class: Any) -> None:
    data = BlockMap().fit_transform(*per_class)
    for learner in (JointPerceptron, JointMira, JointSVM):
        first, second = (learner(random_state=5).fit(data).w_ for _ in range(2))
        assert (first == second).all()
    one, two = (JointMaxEnt(n_jobs=n).fit(data).w_ for n in (1, 2))
    assert (one == two).all()


def test_bad_candidates_have_their_place_named(per_class: Any) -> None:
    maps = JointMap(lambda x, y: {"f": float(x) if y == "a" else 1.0}, candidates=["a", "b"])
    with pytest.raises(NotFittedError):
        maps.transform(["1"])
    with pytest.raises(DataError, match="example 1: its label 'c' is not among its 2 candidates"):
        maps.fit_transform(["1", "2"], ["a", "c"])
    with pytest.raises(DataError, match="failed for example 1 with candidate 'a': ValueError"):
        maps.fit_transform(["1", "x"], ["a", "b"])
    with pytest.raises(DataError, match="feature 'f' of example 0 with candidate 'a' is nan"):
        maps.fit_transform(["nan"], ["a"])
    with pytest.raises(DataError, match="is 'word'"):
        JointMap(lambda _x, _y: "word", candidates=["a"]).fit_transform([1], ["a"])
    with pytest.raises(DataError, match="called 3"):
        JointMap(lambda _x, _y: [3], candidates=["a"]).fit_transform([1], ["a"])  # type: ignore[list-item]
    with pytest.raises(DataError, match="more than once"):
        JointMap(lambda _x, _y: ["f"], candidates=["a", "a"]).fit_transform([1], ["a"])
    own = JointMap(lambda _x, _y: ["f"], candidates=lambda x: x)
    own.fit_transform([["a"]], ["a"])
    with pytest.raises(DataError, match="example 1 has no candidates"):
        own.transform([["a"], []])
    with pytest.raises(DataError, match="no examples"):
        own.transform([])
    with pytest.raises(ValueError, match="1 examples but 2 labels"):
        own.transform([["a"]], ["a", "a"])
    with pytest.raises(DataError, match="example 0: its right candidate"):
        Candidates.of([np.eye(2)], [2])
    data = BlockMap().fit_transform(*per_class)
    with pytest.raises(ValueError, match="cost must be"):
        JointSVM(cost=lambda _c, _y: -1.0).fit(data)
    with pytest.raises(ValueError, match="right candidates are not known"):
        JointMaxEnt().fit(Candidates.of([np.eye(2)]))
    with pytest.raises(ValueError, match="3 features, the model 30"):
        JointPerceptron().fit(data).predict(Candidates.of([np.eye(3)]))
    with pytest.warns(ConvergenceWarning, match="JointSVM stopped after 1 rounds"):
        JointSVM(max_iter=1, tol=1e-9).fit(data)


@pytest.mark.parametrize(
    "learner",
    [
        JointPerceptron(eta0=0),
        JointPerceptron(epochs=0),
        JointMira(C=0),
        JointMira(variant="PA-III"),
        JointMira(constraints="none"),
        JointMaxEnt(C=-1),
        JointMaxEnt(lam=0.0),
        JointSVM(tol=0),
    ],
)
def test_parameters_that_cannot_be_are_refused(learner: Any) -> None:
    with pytest.raises(ValueError, match="must be"):
        learner.fit(Candidates.of([np.eye(2)], [0]))


def test_more_columns_than_a_matrix_may_have_are_refused() -> None:
    """Their numbers would begin again at 0, and labels share columns."""
    X = scipy.sparse.csr_matrix((np.ones(3), ([0, 1, 2], [0, 5, 2**30])), shape=(3, 2**30 + 1))
    BlockMap(bias=False).fit_transform(X[:2, :6], [0, 1])
    with pytest.raises(DataError, match=r"3 blocks of 1,073,741,825 columns are more than"):
        BlockMap(bias=False).fit_transform(X, [0, 1, 2])
