"""Label trees: clusters and search are those of the textbook, and forged trees are refused."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lindy import _native
from lindy.core.csr import as_csr
from lindy.linear import SVM, LabelTree, MaxEnt, OneVsRest, Perceptron
from lindy.linear.tree_nodes import Tree, levels_of
from lindy.textbook import label_tree as textbook

LOSSES = {
    "squared_hinge": lambda m: np.maximum(0, 1 - m) ** 2,
    "hinge": lambda m: np.maximum(0, 1 - m),
    "log": lambda m: np.logaddexp(0, -m),
}


def problem(seed: int, n: int = 120, d: int = 30, K: int = 20) -> tuple[np.ndarray, np.ndarray]:
    """Return rows and an indicator of labels, each of which has words of its own; some rows have none."""
    rng = np.random.default_rng(seed)
    own = rng.random((K, d)) ** 4
    Y = (rng.random((n, K)) < 1.5 / K).astype(int)
    Y[np.arange(K), np.arange(K)] = 1
    X = (Y @ own + 0.1 * rng.random((n, d))) * (rng.random((n, d)) < 0.6)
    Y[-1] = 0
    return X, Y


def nodes(tree: Tree, n_features: int) -> textbook.Node:
    """Return a tree as the textbook has it."""
    W = tree.weights_of(np.arange(n_features))
    n = tree.n_nodes
    made: dict[int, textbook.Node] = {}
    for node in reversed(range(n)):
        own = range(tree.starts[node], tree.starts[node + 1])
        children: Any = [made[p + 1] if p + 1 < n else int(tree.labels[p + 1 - n]) for p in own]
        made[node] = textbook.Node(W[:, own], tree.bias[own].astype(np.float64), children)
    return made[0]


@given(st.integers(0, 1000), st.integers(8, 40), st.integers(0, 3))
def test_clusters_are_those_of_the_textbook(seed: int, K: int, depth: int) -> None:
    X, Y = problem(seed, K=K)
    Z = textbook.mean_features(X, Y).astype(np.float32).astype(np.float64)
    rows, codes = np.nonzero(Y)
    order = np.argsort(codes, kind="stable")
    for threads in (1, 2):
        labels, ends = _native.cluster_labels(
            as_csr(X),
            ends=np.append(0, np.cumsum(Y.sum(axis=0))),
            rows=rows[order].astype(np.int32),
            most=1000,
            depth=depth,
            seed=seed,
            threads=threads,
        )
        found = [labels[i:j].tolist() for i, j in pairwise(ends.tolist())]
        assert found == textbook.clusters(Z, depth, seed)


@settings(max_examples=10)
@given(st.integers(0, 1000), st.sampled_from([2, 4, 16]), st.integers(1, 4), st.sampled_from([*LOSSES]))
def test_the_search_is_that_of_the_textbook(seed: int, branches: int, beam: int, loss: str) -> None:
    X, Y = problem(seed, n=60)
    learner = MaxEnt() if loss == "log" else SVM(loss=loss)
    model = LabelTree(learner=learner, trees=2, branches=branches, beam=beam).fit(X, Y)
    found = model.predict_proba(X)
    for row in range(0, len(X), 20):
        expected = np.zeros(Y.shape[1])
        for tree in model.trees_:
            reached = textbook.search(X[row], nodes(tree, X.shape[1]), beam, LOSSES[loss])
            expected[list(reached)] += np.array(list(reached.values())) / 2
        np.testing.assert_allclose(found[row], expected, rtol=1e-4, atol=1e-6)


def test_a_tree_of_one_node_is_one_vs_rest() -> None:
    X, Y = problem(1)
    tree = LabelTree(learner=MaxEnt(tol=1e-8), tol=1e-8, branches=32, dropped=0.0).fit(X, Y)
    flat = OneVsRest(learner=MaxEnt(tol=1e-8)).fit(X, Y)
    np.testing.assert_allclose(tree.predict_proba(X), flat.predict_proba(X), atol=1e-3)
    assert tree.certificate_.objective == pytest.approx(flat.certificate_.objective, rel=1e-6)
    assert np.array_equal(tree.predict(X), flat.predict(X))


def test_dropped_weights_change_scores_by_no_more_than_is_said() -> None:
    X, Y = problem(2)
    model = LabelTree(learner=SVM(), branches=4).fit(X, Y)
    whole = LabelTree(learner=SVM(), branches=4, dropped=0.0).fit(X, Y)
    (tree,), (full,) = model.trees_, whole.trees_
    assert len(tree.values) < len(full.values)
    assert whole.dropped_ == 0
    everything = np.arange(X.shape[1])
    lost = full.weights_of(everything) - tree.weights_of(everything)
    np.testing.assert_allclose(np.linalg.norm(lost, axis=0), tree.dropped, rtol=1e-5, atol=1e-7)
    assert (tree.dropped <= 0.1 * np.linalg.norm(full.weights_of(everything), axis=0) + 1e-7).all()
    for row in X[:20]:
        # the path of a label is the same in both, and so the sum of its scores is
        sums = [m.contributions(row[None])[0].sum(axis=0) for m in (model, whole)]
        assert np.abs(sums[0] - sums[1]).max() <= model.dropped_ * np.linalg.norm(row) + 1e-5


def test_contributions_add_up_along_the_path() -> None:
    X, Y = problem(3)
    model = LabelTree(learner=SVM(), branches=4, trees=2).fit(X, Y)
    added, bias = model.contributions(X[:1])
    total = added.sum(axis=0) + bias
    expected = np.zeros(Y.shape[1])
    for tree in model.trees_:
        scores = X[0] @ tree.weights_of(np.arange(X.shape[1])) + tree.bias
        for k in range(Y.shape[1]):
            output = int(np.flatnonzero(tree.labels == k)[0]) + tree.n_nodes - 1
            while output >= 0:
                expected[k] += scores[output] / 2
                output = int(np.searchsorted(tree.starts, output, side="right")) - 2
    np.testing.assert_allclose(total, expected, atol=1e-5)


@pytest.mark.parametrize("learner", [SVM(), MaxEnt()])
def test_threads_and_batches_change_nothing(learner: Any) -> None:
    X, Y = problem(4, n=1100)
    one = LabelTree(learner=learner, branches=4, n_jobs=1).fit(X, Y)
    two = LabelTree(learner=learner, branches=4, n_jobs=2).fit(X, Y)
    for a, b in zip(one.to_state()[1].items(), two.to_state()[1].items(), strict=True):
        assert a[0] == b[0]
        assert a[1].tobytes() == b[1].tobytes()
    labels, p = one.top(X, 7)
    for row in (0, 511, 512, 1099):
        alone = two.top(X[row : row + 1], 7)
        assert np.array_equal(alone[0][0], labels[row])
        assert alone[1][0].tobytes() == p[row].tobytes()


def test_one_label_per_row() -> None:
    X, Y = problem(5)
    names = np.array([f"label {k:02}" for k in range(Y.shape[1])])
    y = names[Y.argmax(axis=1)]
    model = LabelTree(learner=SVM(C=10), branches=4).fit(X, y)
    assert (model.predict(X) == y).mean() == model.score(X, y)
    assert model.score(X, y) > 0.8
    labels, p = model.top(X, 3)
    assert labels.shape == p.shape == (len(X), 3)
    assert (np.diff(p, axis=1) <= 0).all()
    assert np.array_equal(model.classes_[labels[:, 0]], model.predict(X))


def test_weights_of_rows_are_numbers_of_rows() -> None:
    X, Y = problem(6)
    weight = np.arange(len(X)) % 3
    repeated = np.repeat(np.arange(len(X)), weight)
    options = {"branches": 32, "tol": 1e-6}
    one = LabelTree(learner=SVM(tol=1e-6), **options).fit(X, Y, sample_weight=weight)
    two = LabelTree(learner=SVM(tol=1e-6), **options).fit(X[repeated], Y[repeated])
    np.testing.assert_allclose(one.predict_proba(X), two.predict_proba(X), atol=1e-2)
    assert one.score(X, Y, sample_weight=weight) == one.score(X[repeated], Y[repeated])


def test_labels_of_all_rows_and_rows_without_features() -> None:
    X, Y = problem(7, K=12)
    Y[:, 3] = 1
    X[:5] = 0
    model = LabelTree(learner=SVM(), branches=4).fit(X, Y)
    p = model.predict_proba(np.zeros((1, X.shape[1])))[0]
    assert np.isfinite(model.decision_function(X)).all()
    assert p.argmax() == 3
    assert p[3] > 0.9
    only = LabelTree(learner=SVM()).fit(X, [{"a"}] * len(X))
    assert only.predict_proba(X).min() > 0.99


def test_levels_have_no_more_branches_than_asked_for() -> None:
    for K in (1, 2, 5, 128, 129, 999, 10_740, 1 << 20):
        for branches in (2, 3, 100, 128, 256):
            levels = levels_of(K, branches)
            assert levels[0] == 0
            assert all(1 << own <= branches for own in np.diff(levels))
            assert -(-K // (1 << levels[-1])) <= branches
            assert 1 << levels[-1] <= K


def test_what_it_cannot_learn() -> None:
    X, Y = problem(8)
    with pytest.raises(ValueError, match="SVM\\(\\) and MaxEnt\\(\\)"):
        LabelTree(learner=Perceptron()).fit(X, Y)
    with pytest.raises(ValueError, match="compete"):
        LabelTree(learner=SVM(loss="multiclass_hinge")).fit(X, Y)
    with pytest.raises(ValueError, match="no row has a label"):
        LabelTree(learner=SVM()).fit(X, np.zeros_like(Y))
    with pytest.raises(ValueError, match="branches"):
        LabelTree(learner=SVM(), branches=257).fit(X, Y)


def state(model: LabelTree) -> tuple[Any, ...]:
    params, arrays = model.to_state()
    return type(model.learner), params, arrays, model.classes_


def restored(kind: Any, params: Any, arrays: Any, classes: Any) -> LabelTree:
    return LabelTree.of_state(kind, params, arrays, classes, several=True, n_features=30)


def test_a_state_is_the_model() -> None:
    X, Y = problem(9)
    model = LabelTree(learner=SVM(C=2), branches=4, trees=2, beam=3).fit(X, Y)
    model.calibration_ = (0.8, -0.1)
    again = restored(*state(model))
    assert again.predict_proba(X).tobytes() == model.predict_proba(X).tobytes()
    assert again.learner.C == 2
    assert again.get_params(deep=False).keys() == model.get_params(deep=False).keys()


FORGERIES: dict[str, Any] = {
    "a cycle": ("starts", lambda a: np.concatenate([a[:2], a[1:2], a[3:]])),
    "children out of range": ("starts", lambda a: np.append(a[:-1], a[-1] + 8)),
    "a child that is its own parent": ("starts", lambda a: np.concatenate([[0, 0], a[2:]])),
    "labels out of range": ("labels", lambda a: a + 1),
    "features out of range": ("features", lambda a: a + 30),
    "features that fall": ("features", lambda a: a[::-1].copy()),
    "outputs of another node": ("outputs", lambda a: a + np.uint8(100)),
    "weights that are no numbers": ("values", lambda a: a * np.float32(np.nan)),
    "weights of another type": ("values", lambda a: a.astype(np.float64)),
    "ends that fall": ("ends", lambda a: a[::-1].copy()),
    "chunks beyond the rows": ("chunks", lambda a: a + 1),
}


@pytest.mark.parametrize("forgery", FORGERIES)
def test_forged_trees_are_refused(forgery: str) -> None:
    X, Y = problem(10)
    name, forge = FORGERIES[forgery]
    kind, params, arrays, classes = state(LabelTree(learner=SVM(), branches=4).fit(X, Y))
    arrays[f"tree0.{name}"] = forge(arrays[f"tree0.{name}"])
    with pytest.raises(ValueError):  # noqa: PT011  # each check has words of its own
        restored(kind, params, arrays, classes)


def test_a_forged_chain_is_refused() -> None:
    """A tree of 100,000 levels, each with one node, is not descended."""
    n = 100_000
    X, Y = problem(11)
    kind, params, arrays, _ = state(LabelTree(learner=SVM(), branches=32).fit(X, Y))
    arrays |= {
        "tree0.starts": np.arange(n + 1),
        "tree0.chunks": np.zeros(n + 1, np.int64),
        "tree0.features": np.zeros(0, np.int32),
        "tree0.ends": np.zeros(1, np.int64),
        "tree0.outputs": np.zeros(0, np.uint8),
        "tree0.values": np.zeros(0, np.float32),
        "tree0.bias": np.zeros(n, np.float32),
        "tree0.dropped": np.zeros(n, np.float32),
        "tree0.labels": np.zeros(1, np.int32),
    }
    with pytest.raises(ValueError, match="32 levels"):
        restored(kind, params, arrays, ["a"])


def test_exact_trees_are_one_vs_rest() -> None:
    X, Y = problem(12, K=20)
    options = {"exact": True, "branches": 4, "beam": 1, "tol": 1e-6}
    sparse = LabelTree(learner=MaxEnt(tol=1e-6), dropped=0.0, **options).fit(X, Y)
    flat = OneVsRest(learner=MaxEnt(tol=1e-6)).fit(X, Y)
    assert sparse.trees_[0].n_nodes == 6
    assert sparse.certificate_.objective == pytest.approx(flat.certificate_.objective, rel=1e-5)
    np.testing.assert_allclose(sparse.predict_proba(X), flat.predict_proba(X), atol=1e-2)
    added, bias = sparse.contributions(X[:1])
    np.testing.assert_allclose(added.sum(axis=0) + bias, flat.decision_function(X[:1])[0], atol=2e-2)
    fewer = LabelTree(learner=SVM(), **options).fit(X, Y)
    whole = LabelTree(learner=SVM(), dropped=0.0, **options).fit(X, Y)
    sums = [m.contributions(X[:1])[0].sum(axis=0) for m in (fewer, whole)]
    assert np.abs(sums[0] - sums[1]).max() <= fewer.dropped_ * np.linalg.norm(X[0]) + 1e-5
    again = restored(*state(fewer))
    assert again.predict_proba(X).tobytes() == fewer.predict_proba(X).tobytes()
