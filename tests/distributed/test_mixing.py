"""Learners that depend on the partitions: mixed weights, and dual steps that are added up."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.partitioned import WANTED, corpus, cut, model_bytes, one_machine

from lindy import SVM, DataError, TextClassifier, _native
from lindy.core.csr import Csr
from lindy.data import samples
from lindy.distributed.cluster_fit import fit_partitions
from lindy.distributed.processes import Processes
from lindy.linear import Mira, Perceptron
from lindy.textbook.dual import duality_gap, hinge_step, margin_pass
from lindy.textbook.partitioned_dual import partitioned_round


def fitted(model: TextClassifier, parts, workers: int = 1) -> TextClassifier:
    with Processes("frame_part", parts, WANTED, workers) as engine:
        fit_partitions(model, engine)
    return model


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize(
    "learner",
    [Perceptron(), Perceptron(average=False, epochs=5), Mira(), SVM(loss="hinge", solver="pegasos", C=0.1)],
    ids=repr,
)
def test_mixed_weights_are_nearly_as_good_as_one_machine(learner, classes: int, tmp_path) -> None:
    table, test = corpus(classes, rows=900), samples.load("opinions-test")
    options = {"learner": learner, "calibration": "none"}
    one = one_machine(TextClassifier(**options), table)
    many = fitted(TextClassifier(**options), cut(table, 4), 2)
    right = [
        np.mean(
            [
                str(label).split()[0] == true
                for label, true in zip(model.predict(test.texts), test.labels.to_pylist(), strict=True)
            ]
        )
        for model in (one, many)
    ]
    assert right[1] >= right[0] - 0.06  # two standard errors of a difference on 300 texts
    again = fitted(TextClassifier(**options), cut(table, 4), 1)
    assert model_bytes(many, tmp_path) == model_bytes(again, tmp_path)


@pytest.mark.parametrize(
    "kind", [Perceptron, lambda **how: SVM(loss="hinge", solver="pegasos", C=0.1, **how)]
)
def test_balanced_classes_are_those_of_all_rows(kind) -> None:
    table = corpus(rows=120).sort_by("label").slice(30)  # 30 rows of the first class, 60 of the second
    labels, counts = np.unique(table["label"].to_pylist(), return_counts=True)
    assert counts[0] < counts[1]
    weights = dict(zip(labels.tolist(), (counts.sum() / (2 * counts)).tolist(), strict=True))
    balanced, given = (
        fitted(TextClassifier(learner=kind(class_weight=how)), cut(table, 4)).learner_
        for how in ("balanced", weights)
    )
    assert np.allclose(balanced.W_, given.W_, rtol=1e-5)


def test_partitions_that_one_machine_separates_are_separated() -> None:
    table = corpus(rows=120)
    model = fitted(TextClassifier(learner=Perceptron(epochs=100)), cut(table, 3))
    assert model.learner_.history_.mistakes[-1] == 0
    made = model.learner_.n_iter_
    assert made < 100
    short, last = (
        fitted(TextClassifier(learner=Perceptron(**how)), cut(table, 3)).learner_
        for how in ({"epochs": made}, {"epochs": 100, "average": False})
    )  # the epochs that are left count in the mean with the last weights
    expected = (made * short.W_ + (100 - made) * last.W_) / 100
    np.testing.assert_allclose(model.learner_.W_, expected, atol=1e-5)


def test_votes_cannot_be_mixed() -> None:
    with pytest.raises(DataError, match="neither votes nor holds rows out"):
        fitted(TextClassifier(learner=Perceptron(average="vote"), calibration="none"), cut(corpus(), 2))


@given(st.integers(0, 10_000), st.booleans())
def test_local_passes_are_those_of_the_textbook(seed: int, bias: bool) -> None:
    rng = np.random.default_rng(seed)
    n, m = 12, 5
    X = rng.normal(size=(n, m)) * (rng.random((n, m)) < 0.6)
    y, C = rng.integers(0, 2, n).astype(np.int32), 0.7
    order = rng.permutation(n).astype(np.int32)
    alpha, V = np.zeros((n, 1)), rng.normal(size=(m + bias, 1))
    rows = np.column_stack([X, np.ones(n)]) if bias else X
    w, theirs = V[:, 0].copy(), np.zeros(n)
    margin_pass(hinge_step, rows, 2.0 * y - 1, C, theirs, w, order)
    csr = Csr(np.arange(n + 1) * m, np.tile(np.arange(m, dtype=np.int32), n), X.ravel(), m)
    _native.local_pass(csr, y, np.full(n, C), order, alpha, V)
    assert np.allclose(V[:, 0], w, atol=1e-12)
    assert np.allclose(alpha[:, 0], theirs, atol=1e-12)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("bias", [True, False])
def test_the_hinge_has_a_gap_over_all_rows(classes: int, bias: bool) -> None:
    table = corpus(classes)
    # rounds grow as 1/gap where all rows have a column in common: a hundred times as many for 1e-4 as for 1e-2
    learner = SVM(loss="hinge", fit_intercept=bias, penalize_intercept=bias, tol=1e-3 if bias else 1e-4)
    many = fitted(TextClassifier(learner=learner, calibration="none"), cut(table, 3), 2)
    one = one_machine(TextClassifier(learner=learner, calibration="none"), table)
    ours, theirs = many.learner_.certificate_, one.learner_.certificate_
    assert ours.reached
    assert ours.objective - ours.gap <= theirs.objective <= ours.objective + theirs.gap
    rows = many.vectorizer_.transform_csr(table["text"])
    labels = np.array(table["label"].to_pylist(), object)
    assert many.learner_.objective(rows, labels) == pytest.approx(ours.objective, rel=1e-9)
    with pytest.raises(DataError, match="needs a bias that the penalty reaches"):
        fitted(TextClassifier(learner=SVM(loss="hinge"), calibration="none"), cut(table, 2))


def test_the_textbooks_partitions_reach_its_gap() -> None:
    rng = np.random.default_rng(0)
    X, s = rng.normal(size=(60, 6)), np.where(rng.random(60) < 0.5, 1.0, -1.0)
    w, alpha = np.zeros(6), np.zeros(60)
    parts = np.array_split(np.arange(60), 3)
    before = 0.0
    for _ in range(400):
        parts = [
            rng.permutation(part) for part in parts
        ]  # rows in the same order again and again take far longer
        gamma = partitioned_round(X, s, 1.0, alpha, w, parts)
        dual = alpha.sum() - 0.5 * w @ w
        assert 0 <= gamma <= 1
        assert dual >= before - 1e-12
        before = dual
    assert np.allclose(w, X.T @ (s * alpha))
    assert duality_gap("hinge", X, s, 1.0, alpha) < 1e-4 * dual
