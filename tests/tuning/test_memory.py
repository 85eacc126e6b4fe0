"""What a fit would take is asked for before it begins, and searches keep little."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from lindy import DataError, TextClassifier
from lindy.core.inputs import Texts
from lindy.core.targets import OneLabel
from lindy.estimators.learners import learner_classes, make_learner
from lindy.linear import SVM, MaxEnt, NaiveBayesSVM
from lindy.stream import memory
from lindy.tuning import shared_rows
from lindy.tuning.automatic import choose
from lindy.tuning.held_out import Task, check_memory


def texts_of(n_classes: int, n: int = 600) -> tuple[list[str], list[str]]:
    rng = np.random.default_rng(n_classes)
    y = rng.integers(0, n_classes, n)
    texts = [f"always own{k} w{rng.integers(300)} w{rng.integers(3000)}" for k in y]
    return texts, [f"c{k}" for k in y]


def test_a_fit_that_has_no_room_says_what_it_takes_and_what_to_do() -> None:
    with memory.allowed(200 << 20), pytest.raises(DataError) as refused:
        check_memory(make_learner("svm"), (20_000, 400_000), 500, {})
    message, hint = str(refused.value), refused.value.hint or ""
    assert "500 classes of 400,000 features, learned from 20,000 examples" in message
    assert "2.1 GB of memory" in message
    assert "more may be taken" in message
    assert "`min_df=2`" in hint
    assert "naive-bayes" in hint


@pytest.mark.parametrize(
    ("given", "absent"),
    [({"min_df": 2}, "min_df"), ({"max_features": 9}, "max_features"), ({"learner": "given"}, "learner=")],
)
def test_nothing_is_proposed_that_was_done(given: dict[str, Any], absent: str) -> None:
    hints = []
    for options in ({}, given):
        with memory.allowed(300 << 20), pytest.raises(DataError) as refused:
            check_memory(make_learner("svm"), (1_000, 900_000), 100, options)
        hints.append(refused.value.hint or "")
    assert absent in hints[0]
    assert absent not in hints[1]


def test_as_many_features_as_are_proposed_have_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory._native, "resident_bytes", lambda: 50 << 20)
    with memory.allowed(300 << 20):
        with pytest.raises(DataError, match="would take about") as refused:
            check_memory(make_learner("nb-svm"), (1_000, 900_000), 100, {}, searched=True)
        proposed = int(str(refused.value.hint).split("`max_features=")[1].split("`")[0])
        assert proposed > 10_000
        check_memory(
            make_learner("nb-svm"), (1_000, proposed), 100, {"max_features": proposed}, searched=True
        )


def test_without_a_limit_all_that_is_free_may_be_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "machine_memory", lambda: 1 << 16)
    texts, labels = texts_of(5)
    with pytest.raises(DataError, match="are free"):
        TextClassifier().fit(texts, labels)
    monkeypatch.setattr(memory, "machine_memory", lambda: None)
    TextClassifier().fit(texts, labels)


def test_learners_say_what_their_weights_take() -> None:
    dense = {name for name, kind in learner_classes().items() if kind.spec.weight_bytes}
    assert dense == {"nb-svm", "svm", "maxent", "perceptron", "mira", "least-squares"}
    assert MaxEnt().weight_bytes < MaxEnt(penalty="l1").weight_bytes < MaxEnt(solver="lbfgs").weight_bytes
    assert SVM(solver="nonsense").weight_bytes == SVM().weight_bytes  # refused where it is fitted


def test_a_search_begins_from_dual_variables_where_weights_are_large(monkeypatch: pytest.MonkeyPatch) -> None:
    texts, labels = texts_of(6)
    y = np.unique(labels, return_inverse=True)[1].astype(np.int32)
    usual = choose(Task(Texts(texts), OneLabel.of(y)))
    monkeypatch.setattr(shared_rows, "LARGE", 0)
    light = choose(Task(Texts(texts), OneLabel.of(y)))
    assert usual.start is not None
    assert light.start is not None
    assert light.start.W_.size == 0
    assert light.recipe == usual.recipe
    vectorizer, rows = light.fitted or (None, None)
    assert vectorizer is not None
    models = [usual.recipe.make_learner().fit_from(start, rows, y) for start in (usual.start, light.start)]
    assert all(model.certificate_.reached for model in models)
    scores = [model.decision_function(rows) for model in models]
    assert np.mean(scores[0].argmax(axis=1) == scores[1].argmax(axis=1)) > 0.99


def test_no_rows_are_kept_for_every_class_where_columns_are_moved() -> None:
    rng = np.random.default_rng(0)
    X = rng.poisson(0.2, (400, 500)).astype(np.float32)
    X[:, 0] = 10 + 0.1 * rng.random(400)
    y = rng.integers(0, 7, 400)
    model = NaiveBayesSVM(tol=1e-6).fit_from(None, X, y, prove=False)
    kept = model._solution.details
    assert "parts" not in kept
    assert "rows" not in kept
    assert model.W_.dtype == np.float32
    alone = NaiveBayesSVM(tol=1e-9).fit(X, (y == 3).astype(int))
    proved = NaiveBayesSVM(tol=1e-9).fit(X, y)
    assert proved.certificate_ is not None
    assert proved.certificate_.reached
    np.testing.assert_allclose(
        proved.decision_function(X)[:, 3], alone.decision_function(X), rtol=0, atol=1e-3
    )
