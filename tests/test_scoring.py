"""A few texts are scored in one native call: the same bits as in a batch, whatever the model."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lindy import SVM, MaxEnt, MultinomialNaiveBayes, NaiveBayesSVM, Perceptron, TextClassifier
from lindy.data import samples
from lindy.evaluation.predictions import LabelLists
from lindy.scoring import FEW, Scored
from lindy.text import CountVectorizer, HashingVectorizer, TfidfVectorizer, UnionVectorizer

DATA = samples.load("reviews-train")
TEXTS, LABELS = DATA.texts.to_pylist()[:120], DATA.labels.to_pylist()[:120]
FOUR = [f"{label}{len(text) % 2}" for text, label in zip(TEXTS, LABELS, strict=True)]
BOTH = UnionVectorizer(
    vectorizers=[
        ("w", TfidfVectorizer(sublinear_tf=True, ngram_range=(1, 2), dtype=np.float32)),
        ("c", TfidfVectorizer(analyzer="char_wb", ngram_range=(2, 4))),
    ]
)
VECTORIZERS = {
    "counts": CountVectorizer(),
    "binary": CountVectorizer(binary=True, ngram_range=(1, 3)),
    "unknown words": CountVectorizer(oov=2),
    "tf-idf": TfidfVectorizer(),
    "sublinear": TfidfVectorizer(sublinear_tf=True, norm="l1", ngram_range=(1, 2)),
    "no idf": TfidfVectorizer(sublinear_tf=True, use_idf=False, norm=None),
    "stop words": TfidfVectorizer(stop_words="english", analyzer="unicode_words", shapes=True),
    "characters": TfidfVectorizer(analyzer="char", ngram_range=(1, 3)),
    "union": BOTH,
}
LEARNERS = {
    "SVM": SVM(),
    "naive Bayes SVM": NaiveBayesSVM(),
    "perceptron": Perceptron(),
}


@pytest.fixture(scope="module", params=[(v, k) for v in VECTORIZERS for k in LEARNERS], ids="-".join)
def model(request: pytest.FixtureRequest) -> TextClassifier:
    vectorizer, learner = request.param
    labels = FOUR if learner == "SVM" else LABELS
    made = TextClassifier(
        vectorizer=VECTORIZERS[vectorizer].fresh(), learner=LEARNERS[learner], calibration="none"
    )
    return made.fit(TEXTS, labels)


@settings(deadline=None, max_examples=25)
@given(
    texts=st.lists(
        st.one_of(st.sampled_from(TEXTS), st.text(max_size=60), st.just("bad bad bad good")), max_size=FEW
    )
)
def test_the_same_bits_as_in_a_batch(model: TextClassifier, texts: list[str]) -> None:
    found = Scored(model.vectorizer_, model.learner_)(texts)
    assert found is not None
    scores, known = found
    rows = model.vectorizer_.transform_csr(texts)
    expected = model.learner_.decision_function(rows)
    assert scores.dtype == expected.dtype
    assert np.array_equal(scores, expected)
    assert known.tolist() == np.diff(rows.indptr).tolist()


@settings(deadline=None, max_examples=15)
@given(
    texts=st.lists(st.one_of(st.sampled_from(TEXTS), st.text(max_size=80), st.just("")), max_size=80),
    n_jobs=st.sampled_from([1, 3]),
)
def test_batches_have_the_bits_of_their_rows(model: TextClassifier, texts: list[str], n_jobs: int) -> None:
    scored = Scored(model.vectorizer_, model.learner_)
    for _, part in model.vectorizer_.parts:
        part.n_jobs = n_jobs
    rows = model.vectorizer_.transform_csr(texts)
    expected = model.learner_.decision_function(rows)
    for form in (texts, tuple(texts), np.array(texts, object)):
        found = scored.many(form)
        assert found is not None
        assert found[0].dtype == expected.dtype
        assert np.array_equal(found[0], expected)
        assert found[1].tolist() == np.diff(rows.indptr).tolist()


def test_remembered_words_are_forgotten_in_time() -> None:
    """So many words that their memory is given back; the words before and after score alike."""
    model = TextClassifier(vectorizer=BOTH.fresh(), learner=SVM(), calibration="none").fit(TEXTS, LABELS)
    for _, part in model.vectorizer_.parts:
        part.n_jobs = 1  # one thread reads all
    words = [f"{a}{b}{c}w" for a in "abcdefghijklmno" for b in "abcdefghijklmno" for c in range(300)]
    assert len(set(words)) * 16 > 1 << 20  # as native/text/chars.hpp and finders.hpp have it
    texts = [*TEXTS, *(" ".join(words[i : i + 50]) for i in range(0, len(words), 50)), *TEXTS]
    scores = model.decision_function(texts)
    assert np.array_equal(scores, model.learner_.decision_function(model.vectorizer_.transform_csr(texts)))
    assert np.array_equal(scores[: len(TEXTS)], scores[-len(TEXTS) :])


@pytest.mark.parametrize("calibration", ["sigmoid", "temperature", "vector", "isotonic", "none"])
@pytest.mark.parametrize("labels", [LABELS, FOUR], ids=["two classes", "four"])
@pytest.mark.parametrize("metric", ["accuracy", "macro-f1"])
def test_answers_are_those_of_many_texts(calibration: str, labels: list[str], metric: str) -> None:
    model = TextClassifier(learner="svm", calibration=calibration, metric=metric).fit(TEXTS, labels)
    many = model.predictions(TEXTS)
    for i in (0, 7, 50):
        one = model.predictions([TEXTS[i]])
        assert one.best.tolist() == many.best[i : i + 1].tolist()
        assert one.are_probabilities == many.are_probabilities
        assert np.array_equal(one.values, many.values[i : i + 1])
        assert one.known.tolist() == many.known[i : i + 1].tolist()
        quick = model.quick_predictions([TEXTS[i]])
        assert (quick is None) == (model.rule_ is not None)
        if quick is not None:
            assert quick == (one.best.tolist(), one.values.tolist(), one.known.tolist())
    assert model.predict([]).tolist() == []


@pytest.mark.parametrize("calibration", ["auto", "none"])
@pytest.mark.parametrize("n_labels", [1, 2, 4])
def test_answers_of_several_labels_are_those_of_many_texts(calibration: str, n_labels: int) -> None:
    def labels_of(i: int, text: str) -> list[str]:
        return [name for k, name in enumerate("abcd"[:n_labels]) if len(text) % (k + 2) == 0 or i % 7 == k]

    labels = [labels_of(i, text) for i, text in enumerate(TEXTS)]
    model = TextClassifier(learner="svm", calibration=calibration).fit(TEXTS, labels)
    many = model.predictions(TEXTS)
    assert isinstance(many.given, LabelLists)
    for i, own in enumerate(many.given.rows()):
        one = model.quick_predictions([TEXTS[i]])
        assert (one is None) == (n_labels == 1)
        assert model.predict([TEXTS[i]])[0] == many.labels(model.classes_)[i]
        if one is not None:
            assert one == ([own], [many.values[i].tolist()], [many.known[i].item()])


def quick(model: TextClassifier, texts: Any) -> Any:
    return Scored(model.vectorizer_, model.learner_)(texts)


def test_what_is_left_to_batches() -> None:
    model = TextClassifier(vectorizer=TfidfVectorizer(sublinear_tf=True), learner=SVM()).fit(TEXTS, LABELS)
    assert quick(model, ["good " * 10_000]) is None  # long
    assert quick(model, [b"good"]) is None
    assert quick(model, ["good", None]) is None
    odd = ["good\ud800 book", "\udfff", "\x00 good"]
    expected = model.learner_.decision_function(model.vectorizer_.transform_csr(odd))
    assert np.array_equal(quick(model, odd)[0], expected)
    assert (
        model.predict(["good " * 10_000]).tolist()
        == model.predict(["good " * 10_000] * (FEW + 1))[:1].tolist()
    )
    few = [str(text) for text in TEXTS[:3]]
    assert model.predict(tuple(few)).tolist() == model.predict(few).tolist()


@pytest.mark.parametrize(
    ("vectorizer", "learner"),
    [
        (HashingVectorizer(), SVM()),
        (CountVectorizer(), MultinomialNaiveBayes()),
        (CountVectorizer(preprocessor=str.lower), SVM()),
        (CountVectorizer(), Perceptron(average="vote")),
    ],
)
def test_models_of_another_kind(vectorizer: Any, learner: Any) -> None:
    model = TextClassifier(vectorizer=vectorizer, learner=learner, calibration="none").fit(TEXTS, LABELS)
    assert quick(model, TEXTS[:1]) is None
    assert model.predict(TEXTS[:1]).tolist() == model.predict(TEXTS)[:1].tolist()


def test_batches_that_are_left_to_rows() -> None:
    sublinear = TextClassifier(vectorizer=TfidfVectorizer(sublinear_tf=True), learner=SVM()).fit(
        TEXTS, LABELS
    )
    often = [*TEXTS, "good " * 10_000]
    assert Scored(sublinear.vectorizer_, sublinear.learner_).many(TEXTS) is not None
    assert Scored(sublinear.vectorizer_, sublinear.learner_).many(often) is None
    rows = sublinear.vectorizer_.transform_csr(often)
    assert np.array_equal(sublinear.decision_function(often), sublinear.learner_.decision_function(rows))
    assert sublinear.predictions(often).known.tolist() == np.diff(rows.indptr).tolist()
    parts = [("a", TfidfVectorizer()), ("b", TfidfVectorizer(analyzer="char", encoding="latin-1"))]
    apart = TextClassifier(vectorizer=UnionVectorizer(vectorizers=parts), learner=SVM()).fit(TEXTS, LABELS)
    assert Scored(apart.vectorizer_, apart.learner_).many(TEXTS) is None
    assert apart.predict([b"caf\xc3\xa9"]).shape == (1,)


def test_a_document_that_cannot_be_read_is_named() -> None:
    model = TextClassifier(vectorizer=BOTH.fresh(), learner=SVM()).fit(TEXTS, LABELS)
    column = pa.chunked_array(
        [pa.array(["good"] * 40), pa.Array.from_buffers(pa.string(), 1, [None, *bad_utf8()])]
    )
    with pytest.raises(ValueError, match="document 40 is not valid UTF-8"):
        model.predict(column)
    assert model.predict(["good"]).shape == (1,)


def bad_utf8() -> list[Any]:
    return [pa.py_buffer(np.array([0, 2], np.int32)), pa.py_buffer(b"\xc3\x28")]


def test_probabilities_of_the_learner_itself() -> None:
    model = TextClassifier(learner=MaxEnt(), calibration="none").fit(TEXTS, LABELS)
    assert np.array_equal(model.predict_proba(TEXTS[:2]), model.predict_proba(TEXTS)[:2])


def test_new_weights_are_noticed_and_copies_answer_alike() -> None:
    model = TextClassifier(learner=SVM(), calibration="none").fit(TEXTS, LABELS)
    before = model.predictions(TEXTS[:1]).values
    copy = pickle.loads(pickle.dumps(model))
    assert np.array_equal(copy.predictions(TEXTS[:1]).values, before)
    model.learner_.W_ = -model.learner_.W_
    model.learner_.b_ = -model.learner_.b_
    assert np.array_equal(model.predictions(TEXTS[:1]).values, -before)
    model.fit(TEXTS, FOUR)
    assert model.predictions(TEXTS[:1]).values.shape == (1, 4)


def test_native_scores_refuse_what_does_not_fit() -> None:
    from lindy import _native

    vectorizer = CountVectorizer().fit(TEXTS)
    part = vectorizer.scored_part()
    with pytest.raises(ValueError, match="one row per column"):
        _native.TextScoresF64([part], np.zeros((3, 1)), np.zeros(1))
    with pytest.raises(ValueError, match="one bias per column"):
        _native.TextScoresF64([part], np.zeros((vectorizer.n_columns, 2)), np.zeros(1))
    with pytest.raises(ValueError, match="scale must have one entry"):
        _native.ScoredPart(vectorizer._native_index(), False, None, np.ones(3, np.float32), "none")
