"""Hashed texts learned from in one pass, block by block: the weights are those of all rows in memory."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lindy import Mira, Perceptron, TextClassifier, _native
from lindy.core.csr import Csr
from lindy.core.targets import OneLabel
from lindy.linear.optimizers import online_blocks
from lindy.linear.optimizers.online_blocks import Block, TermBlock
from lindy.linear.optimizers.online_state import State
from lindy.stream.workspace import Workspace
from lindy.text import HashingVectorizer
from lindy.text.vocabulary.encoding import encode_terms
from lindy.textbook.perceptron import term_perceptron
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
    monkeypatch.setattr(one_pass, "BLOCK", 700)
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


def drawn_texts(data) -> list[str]:
    words = st.sampled_from([*WORDS[:4], "a", "ß", "日本", ""])
    return data.draw(st.lists(st.lists(words, max_size=12).map(" ".join), min_size=4, max_size=30))


@pytest.mark.parametrize("learner", LEARNERS[:3], ids=repr)
@given(data=st.data())
def test_terms_give_the_weights_of_all_rows(learner, data):
    texts = drawn_texts(data)
    n, draw = len(texts), np.random.default_rng(data.draw(st.integers(0, 1000)))
    codes = np.concatenate([[0, 1], draw.integers(2, size=n)])[:n].astype(np.int32)
    weight = draw.integers(0, 4, n).astype(float) if data.draw(st.booleans()) else None
    if weight is not None:
        weight[:2] = 1
    vectorizer = HashingVectorizer(
        n_features=data.draw(st.sampled_from([1, 2, 7, 64, 1 << 13])),  # of few columns, terms cancel out
        ngram_range=data.draw(st.sampled_from([(1, 1), (1, 2), (1, 3), (2, 4)])),
        norm=data.draw(st.sampled_from([None, "l1", "l2", "max"])),
        alternate_sign=data.draw(st.booleans()),
        key=data.draw(st.sampled_from([None, 5])),
        analyzer=data.draw(st.sampled_from(["word", "char"])),
    )
    labels = OneLabel(np.arange(2), codes)
    whole = type(learner)(**learner.get_params())
    whole.fit(vectorizer.transform_csr(texts), labels, sample_weight=weight)
    terms_of, norm = vectorizer.batch_terms(), vectorizer.norm or "none"
    blocks = [TermBlock(terms_of(batch), norm) for batch in vectorizer.text_batches(texts, 40)]
    own = type(learner)(**learner.get_params())
    if own.fit_blocks(blocks, vectorizer.n_columns, labels, weight):
        assert np.array_equal(own.W_, whole.W_)
        assert np.array_equal(own.b_, whole.b_)
        assert own.t_ == whole.t_
        assert own.history_.mistakes == whole.history_.mistakes
        assert own.history_.objective == pytest.approx(whole.history_.objective)
    else:
        assert whole.history_.mistakes == [0]


@given(data=st.data())
def test_terms_are_learned_from_as_in_the_textbook(data):
    vectorizer = HashingVectorizer(n_features=32, ngram_range=(1, 2))
    texts = drawn_texts(data)
    y = np.array(data.draw(st.lists(st.integers(0, 1), min_size=len(texts), max_size=len(texts))), np.int32)
    analyze, hasher = vectorizer.build_analyzer(), vectorizer._hasher()[0]
    codes = [hasher.codes(*encode_terms(analyze(text))).astype(np.int64) for text in texts]
    terms = [(own >> 1, 1.0 - 2.0 * (own & 1)) for own in codes]
    n = before_ties(terms, y)
    w, b, mistakes = term_perceptron(terms[:n], y[:n], 32)
    state = State(Perceptron(average=False, dtype="float64")._rule(2), 32, 2)
    assert state.asks_for_signs
    (batch,) = vectorizer.text_batches(texts[:n], 1 << 20)
    report = _native.online_terms(
        vectorizer.batch_terms()(batch), "l2", y=y[:n], weight=None, rule=state.rule.native(2), **state.arrays
    )
    assert report.mistakes == mistakes
    assert state.raw[:, 0] == pytest.approx(w, abs=1e-5)  # rows have float32
    assert state.bias[0] == b


def before_ties(terms: list[tuple[np.ndarray, np.ndarray]], y: np.ndarray) -> int:
    """Return how many texts come before the first whose score is 0 but for rounding, so that its sign is open."""
    for n, (columns, signs) in enumerate(terms):
        w, b, mistakes = term_perceptron(terms[:n], y[:n], 32)
        d = np.linalg.norm(np.bincount(columns, signs, 32)) or 1.0
        if mistakes and abs(signs @ w[columns] / d + b) < 1e-4:
            return n
    return len(terms)


def test_rows_are_made_of_mistakes_alone():
    draw = np.random.default_rng(0)
    y = draw.integers(2, size=2000).astype(np.int32)
    y[0] = 0  # with weights of 0, the score of class 1 is right, but nothing is certain
    texts = [" ".join(draw.choice(WORDS[6 * label : 6 * label + 5], 12)) for label in y]
    vectorizer = HashingVectorizer(n_features=1 << 12)
    state = State(Perceptron()._rule(2), 1 << 12, 2)
    state.sum_in_matrix()
    made = mistakes = 0
    for batch, begin in zip(vectorizer.text_batches(texts, 1), range(2000), strict=True):
        report = _native.online_terms(
            vectorizer.batch_terms()(batch),
            "l2",
            y=y[begin : begin + 1],
            weight=None,
            rule=state.rule.native(2),
            **state.arrays,
        )
        made, mistakes = made + report.made, mistakes + report.mistakes
    assert 0 < made == mistakes < 50


@pytest.mark.parametrize("binary", [False, True])
def test_learners_that_make_few_mistakes_get_terms(binary, tmp_path, monkeypatch):
    draw = np.random.default_rng(0)
    labels = draw.integers(2, size=600)
    texts = [" ".join(draw.choice(WORDS[3 * label : 3 * label + 7], 8)) for label in labels]
    monkeypatch.setattr(one_pass, "BLOCK", 700)
    monkeypatch.setattr(online_blocks, "_FEW", 1.0)
    learned, learn = [], online_blocks._learn_terms
    monkeypatch.setattr(online_blocks, "_learn_terms", lambda *given: learned.append(given) or learn(*given))
    files = []
    for usual in (False, True):
        vectorizer = HashingVectorizer(n_features=64, ngram_range=(1, 2), binary=binary, n_jobs=2)
        model = TextClassifier(
            learner=Perceptron(epochs=1, shuffle=False), vectorizer=vectorizer, calibration="none", n_jobs=2
        )
        if usual:
            monkeypatch.setattr(one_pass, "learned_in_one_pass", lambda *_: False)
        model.fit(texts, labels).save(tmp_path / "model.lindy")
        files.append((tmp_path / "model.lindy").read_bytes())
    assert files[0] == files[1]
    assert bool(learned) != binary  # presence alone is no sum over terms


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
