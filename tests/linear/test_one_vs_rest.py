"""One-vs-rest: the weights of all labels are those of each label by itself, and of somebody else's solver."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import LinearSVC

from lindy.baselines import LeastSquares, MajorityClass
from lindy.bayes import MultinomialNaiveBayes
from lindy.core.csr import Csr, as_csr
from lindy.core.targets import ManyLabels
from lindy.errors import DataError
from lindy.linear import SVM, MaxEnt, Mira, NaiveBayesSVM, OneVsRest, Perceptron
from lindy.linear.one_vs_rest import BLOCK
from lindy.stream.workspace import Workspace


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
    assert (together.gap_bounds_ >= 0).all()


@pytest.mark.parametrize(
    "learner",
    [
        SVM(class_weight="balanced"),
        SVM(penalty="l1"),
        SVM(solver="lbfgs"),
        MaxEnt(),
        MaxEnt(multiclass="one-vs-rest"),
        NaiveBayesSVM(),
        Perceptron(),
        Mira(),
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


def test_what_has_no_weights_or_lets_labels_compete_is_refused() -> None:
    X, Y = problem(2)
    model = OneVsRest(learner=MajorityClass())
    with pytest.raises(DataError, match="no sums of weights"):
        model.fit(X, Y)
    model = OneVsRest(learner=SVM(loss="multiclass_hinge"))
    with pytest.raises(ValueError, match="lets labels compete"):
        model.fit(X, Y)
