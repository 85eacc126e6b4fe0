"""Hashed texts learned from in one pass, block by block: the weights are those of all rows in memory."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lindy import Mira, Perceptron, TextClassifier
from lindy.core.csr import Csr
from lindy.core.targets import OneLabel
from lindy.linear.optimizers import online_blocks
from lindy.linear.optimizers.online_blocks import Block
from lindy.stream.workspace import Workspace
from lindy.text import HashingVectorizer
from lindy.tuning import one_pass

WORDS = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa"]


def texts_of(n: int, n_classes: int, seed: int = 0) -> tuple[list[str], list[str]]:
    draw = np.random.default_rng(seed)
    labels = draw.integers(n_classes, size=n)
    texts = [" ".join(draw.choice(WORDS[label : label + 7], draw.integers(0, 9))) for label in labels]
    return texts, [f"class {label}" for label in labels]


def as_csr(rows: np.ndarray) -> Csr:
    indptr = np.concatenate([[0], np.cumsum((rows != 0).sum(axis=1))]).astype(np.int64)
    where = np.nonzero(rows)
    return Csr(indptr, where[1].astype(np.int32), rows[where].astype(np.float32), rows.shape[1])


LEARNERS = [
    Perceptron(epochs=1, shuffle=False),
    Perceptron(epochs=1, shuffle=False, average="before", dtype="float64"),
    Perceptron(epochs=1, shuffle=False, average=False, class_weight="balanced"),
    Mira(epochs=1, shuffle=False),
    Mira(epochs=1, shuffle=False, variant="PA-II", fit_intercept=False),
]


@pytest.mark.parametrize("learner", LEARNERS, ids=repr)
@given(data=st.data())
def test_blocks_give_the_weights_of_all_rows(learner, data):
    n, n_classes = data.draw(st.integers(4, 30)), data.draw(st.integers(2, 4))
    draw = np.random.default_rng(data.draw(st.integers(0, 1000)))
    rows = draw.normal(size=(n, 6)) * (draw.random((n, 6)) < 0.5)
    codes = np.concatenate([np.arange(n_classes), draw.integers(n_classes, size=n)])[:n].astype(np.int32)
    weight = draw.integers(0, 4, n).astype(float) if data.draw(st.booleans()) else None
    if weight is not None:
        weight[:n_classes] = 1
    labels = OneLabel(np.arange(n_classes), codes)
    whole = type(learner)(**learner.get_params()).fit(as_csr(rows), labels, sample_weight=weight)
    cuts = sorted(data.draw(st.sets(st.integers(1, n - 1), max_size=4)))
    blocks = [Block.of(as_csr(part)) for part in np.split(rows, cuts)]
    own = type(learner)(**learner.get_params())
    if own.fit_blocks(blocks, 6, labels, weight):
        assert np.array_equal(own.W_, whole.W_)
        assert np.array_equal(own.b_, whole.b_)
        assert own.t_ == whole.t_
        assert own.history_.mistakes == whole.history_.mistakes
        assert own.history_.objective == pytest.approx(whole.history_.objective)
    else:
        assert whole.history_.mistakes == [0]


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("n_jobs", [1, 2, 5])
def test_the_model_file_is_that_of_the_usual_way(n_classes, n_jobs, tmp_path, monkeypatch):
    texts, labels = texts_of(400, n_classes)
    texts = [f"{text} " * 200 for text in texts]
    assert sum(map(len, texts)) > 2 * one_pass.BLOCK
    files = []
    for usual in (False, True):
        vectorizer = HashingVectorizer(n_features=128, ngram_range=(1, 2), n_jobs=n_jobs)
        learner = Perceptron(epochs=1, shuffle=False)
        model = TextClassifier(learner=learner, vectorizer=vectorizer, calibration="none", n_jobs=n_jobs)
        with monkeypatch.context() as changed:
            if usual:
                changed.setattr(one_pass, "learned_in_one_pass", lambda *_: False)
            else:
                changed.setattr(HashingVectorizer, "fit_csr", None)  # would fail
            model.fit(texts, labels).save(tmp_path / "model.lindy")
        files.append((tmp_path / "model.lindy").read_bytes())
    assert files[0] == files[1]


@pytest.mark.parametrize(
    "learner",
    [
        Perceptron(epochs=2, shuffle=False),
        Perceptron(epochs=1),
        Perceptron(epochs=1, shuffle=False, average="vote"),
        Perceptron(epochs=1, shuffle=False, held_out=0.2),
        Perceptron(epochs=1, shuffle=False, trace=3),
        Perceptron(epochs=1, shuffle=False, batch_size=4),
    ],
    ids=repr,
)
def test_learners_that_need_all_rows_get_them(learner):
    texts, labels = texts_of(60, 2)
    vectorizer = HashingVectorizer(n_features=64)
    codes = np.unique(labels, return_inverse=True)[1].astype(np.int32)
    encoded = OneLabel(np.unique(labels), codes)
    assert not one_pass.learned_in_one_pass(vectorizer, learner, texts, encoded, None)
    assert not one_pass.learned_in_one_pass(
        vectorizer.set_params(record=True), LEARNERS[0], texts, encoded, None
    )


def test_results_come_in_the_order_of_the_items():
    first_may_end = threading.Event()

    def work(item: int) -> int:
        if item == 0:
            first_may_end.wait(30)
        if item == 1:
            first_may_end.set()
        return item * item

    assert list(one_pass.in_order(work, range(20), 3)) == [item * item for item in range(20)]


def test_an_error_of_a_thread_is_raised():
    texts = ["fine words here"] * 50 + ["a lone \ud800 surrogate"] + ["more words"] * 50
    model = TextClassifier(
        learner=Perceptron(epochs=1, shuffle=False),
        vectorizer=HashingVectorizer(n_features=64, analyzer="char"),
        calibration="none",
    )
    with pytest.raises(UnicodeEncodeError, match="surrogates"):
        model.fit(texts, ["a", "b"] * 50 + ["a"])


def test_an_interrupted_pass_goes_on(tmp_path, monkeypatch):
    monkeypatch.setattr("lindy.stream.checkpoints.EVERY", 0.0)
    monkeypatch.setattr("lindy.stream.checkpoints.SHARE", 0)
    texts, labels = texts_of(300, 3)
    encoded = OneLabel(*np.unique(labels, return_inverse=True))
    rows = HashingVectorizer(n_features=64).transform_csr(texts)
    blocks = [Block.of(rows.take(np.arange(begin, begin + 50))) for begin in range(0, 300, 50)]
    whole = Perceptron(epochs=1, shuffle=False).fit(rows, encoded)

    def stopping():
        yield from blocks[:4]
        raise KeyboardInterrupt

    with (
        Workspace(str(tmp_path / "cache")) as workspace,
        workspace.in_use(),
        pytest.raises(KeyboardInterrupt),
    ):
        Perceptron(epochs=1, shuffle=False).fit_blocks(stopping(), 64, encoded)
    visited = []
    visit = online_blocks.visit
    monkeypatch.setattr(online_blocks, "visit", lambda *given: visited.append(1) or visit(*given))
    own = Perceptron(epochs=1, shuffle=False)
    with Workspace(str(tmp_path / "cache"), resume=True) as workspace, workspace.in_use():
        assert own.fit_blocks(blocks, 64, encoded)
    assert len(visited) == 2
    assert np.array_equal(own.W_, whole.W_)
    assert own.mistakes_ == whole.mistakes_
