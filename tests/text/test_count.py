"""CountVectorizer against scikit-learn's: the same terms, the same matrix, the same order within rows."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.feature_extraction.text import CountVectorizer as Reference
from tests.text.text_strategies import corpora

from lindy.core.csr import Csr
from lindy.text import CountVectorizer, vectorizer_from_state

TEXTS = [
    "The cat sat on the mat, the other cat did not.",
    "A dog! The dog sat; and sat on the cat_1.",
    "",
    "İstanbul ΑΣ ΑΣΑ ὈΔΥΣΣΕΎΣ straße Café CAFÉ e\u0301te\u0301 ab\x00cd",
    "你好 世界 the end",
    "x" * 40 + " " + "X" * 40,
]


class OnlyAStream:
    """A column that has Arrow's C interface and nothing else."""

    def __init__(self, column: Any) -> None:
        self.column = column

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self.column.__arrow_c_stream__(requested_schema)


class OnlyAnArray:
    """The same for columns in one piece."""

    def __init__(self, column: Any) -> None:
        self.column = column

    def __arrow_c_array__(self, requested_schema: Any = None) -> Any:
        return self.column.__arrow_c_array__(requested_schema)


def same(ours: Any, theirs: Any) -> None:
    assert ours.shape == theirs.shape
    assert ours.dtype == theirs.dtype
    for name in ("indptr", "indices", "data"):
        np.testing.assert_array_equal(getattr(ours, name), getattr(theirs, name))


def refusal(vectorizer: Any, texts: Any) -> str | None:
    """What a vectorizer says if it refuses the texts."""
    try:
        vectorizer.fit(texts)
    except ValueError as error:
        return str(error)
    return None


def check(texts: list[str], **params: Any) -> None:
    theirs, refused = Reference(**params), refusal(Reference(**params), texts)
    assert refusal(CountVectorizer(**params), texts) == refused
    if refused:
        return
    expected = theirs.fit_transform(texts)
    ours = CountVectorizer(**params)
    same(ours.fit_transform(texts), expected)
    assert ours.vocabulary_ == theirs.vocabulary_
    assert ours.get_feature_names_out().tolist() == theirs.get_feature_names_out().tolist()
    new = [*texts[::-1], "the cat unseen dog", "SS ß"]
    same(ours.transform(new), theirs.transform(new))
    same(
        CountVectorizer.from_state(*ours.to_state()).transform(new).astype(params.get("dtype", np.int64)),
        theirs.transform(new),
    )


WORD_PARAMS = st.fixed_dictionaries(
    {},
    optional={
        "ngram_range": st.sampled_from([(1, 1), (1, 2), (2, 2), (1, 3), (2, 4), (3, 3)]),
        "lowercase": st.booleans(),
        "strip_accents": st.sampled_from([None, "ascii", "unicode"]),
        "token_pattern": st.sampled_from([r"(?u)\b\w\w+\b", r"(?u)\b\w+\b"]),
        "min_df": st.sampled_from([1, 2, 0.3]),
        "max_df": st.sampled_from([1.0, 0.6, 3]),
        "max_features": st.sampled_from([None, 1, 3, 20]),
        "binary": st.booleans(),
        "stop_words": st.sampled_from([None, "english", ["ab", "the"]]),
        "dtype": st.sampled_from([np.int64, np.float32, np.float64, np.int32]),
    },
)


@settings(max_examples=300, deadline=None)
@given(corpora(), WORD_PARAMS)
def test_words_are_scikit_learns(texts: list[str], params: dict[str, Any]) -> None:
    check(texts, **params)


@pytest.mark.parametrize("threads", [1, 2, 3, 7])
def test_threads_do_not_matter(threads: int) -> None:
    generator = np.random.default_rng(0)
    words = [f"w{i}" for i in range(5000)]
    texts = [" ".join(generator.choice(words, 2000)) for _ in range(300)]
    one = CountVectorizer(ngram_range=(1, 3), min_df=2, n_jobs=1)
    many = CountVectorizer(ngram_range=(1, 3), min_df=2, n_jobs=threads)
    same(many.fit_transform(texts), one.fit_transform(texts))
    assert many.vocabulary_ == one.vocabulary_
    same(many.transform(texts), one.transform(texts))


@pytest.mark.parametrize(
    "container",
    [
        tuple,
        iter,
        lambda t: (x for x in t),
        lambda t: np.array(t, dtype=object),
        np.array,
        pd.Series,
        pl.Series,
        pa.array,
        lambda t: pa.array(t, pa.large_string()),
        lambda t: pa.array(t, pa.string_view()),
        lambda t: pa.array(t).dictionary_encode(),
        lambda t: pa.array(["skipped", *t, "skipped too"], pa.string_view())[1:-1],
        lambda t: pl.Series(t).cast(pl.Categorical),
        lambda t: pd.Series(t, dtype="category"),
        lambda t: OnlyAStream(pa.chunked_array([t])),
        lambda t: OnlyAnArray(pa.array(t)),
        lambda t: pa.chunked_array([t[:2], [], t[2:]]),
        lambda t: pa.array(["skipped", *t])[1:],
        lambda t: [x.encode() for x in t],
        lambda t: pa.array([x.encode() for x in t]),
    ],
)
def test_any_container(container: Any) -> None:
    expected = Reference(ngram_range=(1, 2)).fit_transform(TEXTS)
    vectorizer = CountVectorizer(ngram_range=(1, 2))
    same(vectorizer.fit_transform(container(TEXTS)), expected)
    same(vectorizer.transform(container(TEXTS)), Reference(ngram_range=(1, 2)).fit(TEXTS).transform(TEXTS))


def test_csr_is_float32_and_without_scipy() -> None:
    vectorizer = CountVectorizer(ngram_range=(1, 2))
    rows = vectorizer.fit_csr(TEXTS)
    assert isinstance(rows, Csr)
    assert rows.values.dtype == np.float32
    np.testing.assert_array_equal(
        rows.to_dense(), Reference(ngram_range=(1, 2)).fit_transform(TEXTS).toarray()
    )
    np.testing.assert_array_equal(vectorizer.transform_csr(TEXTS).to_dense(), rows.to_dense())


def test_pickle_and_clone() -> None:
    vectorizer = CountVectorizer(ngram_range=(1, 2), stop_words=["the"]).fit(TEXTS)
    again = pickle.loads(pickle.dumps(vectorizer))
    same(again.transform(TEXTS), vectorizer.transform(TEXTS))
    assert clone(vectorizer).get_params() == vectorizer.get_params()


@pytest.mark.parametrize("position", [0, 1, 3])
def test_null_is_refused_with_its_position(position: int) -> None:
    texts: list[Any] = ["one two", "two three", "three four", "four five"]
    texts[position] = None
    with pytest.raises(ValueError, match=f"document {position} is null"):
        CountVectorizer().fit(pa.array(texts))
    with pytest.raises(AttributeError, match=f"document {position} is NoneType"):
        CountVectorizer().fit(texts)


def test_invalid_utf8_in_arrow_is_refused_with_its_position() -> None:
    bad = pa.array([b"fine text", b"not \xff utf8"]).view(pa.string())
    with pytest.raises(ValueError, match="document 1 is not valid UTF-8"):
        CountVectorizer().fit(bad)
    with pytest.raises(ValueError, match="document 1 is not valid UTF-8"):
        CountVectorizer().fit(["fine text"]).transform(bad)


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string()])
def test_an_arrow_array_that_leaves_its_buffers_is_refused(kind: pa.DataType) -> None:
    width = np.int64 if kind == pa.large_string() else np.int32
    for ends in ([0, 9, 7], [0, 5, 3, 7], [0, -1, 7]):
        buffers = [None, pa.py_buffer(np.array(ends, width)), pa.py_buffer(b"abc def")]
        with pytest.raises(ValueError, match="offsets must not"):
            CountVectorizer().fit(pa.Array.from_buffers(kind, len(ends) - 1, buffers))


def _state() -> tuple[dict[str, Any], dict[str, Any]]:
    return CountVectorizer(stop_words=["on"]).fit(TEXTS).to_state()


@pytest.mark.parametrize(
    "damage",
    [
        lambda c, a: c.pop("kind"),
        lambda c, a: c.update(kind="pickle"),
        lambda c, a: c.update(kind=["count"]),
        lambda c, a: c.pop("lowercase"),
        lambda c, a: c.update(lowercase="yes"),
        lambda c, a: c.update(ngram_range=[2, 1]),
        lambda c, a: c.update(ngram_range=[0, 1]),
        lambda c, a: c.update(ngram_range=[1, 10**9]),
        lambda c, a: c.update(ngram_range="12"),
        lambda c, a: c.update(token_pattern="(a+)+$"),
        lambda c, a: c.update(strip_accents="all"),
        lambda c, a: c.update(stop_words=[1]),
        lambda c, a: c.update(analyzer="os.system"),
        lambda c, a: a.pop("terms"),
        lambda c, a: a.pop("offsets"),
        lambda c, a: a.update(terms=a["terms"].astype(np.int32)),
        lambda c, a: a.update(terms=a["terms"][:-1]),
        lambda c, a: a.update(offsets=a["offsets"][1:]),
        lambda c, a: a.update(offsets=a["offsets"][:1]),
        lambda c, a: a.update(offsets=a["offsets"][::-1].copy()),
        lambda c, a: a.update(offsets=np.array([0, 2**62, len(a["terms"])])),
        lambda c, a: a.update(offsets=np.array([0, -5, len(a["terms"])])),
        lambda c, a: a.update(terms=np.frombuffer(b"abab", np.uint8), offsets=np.array([0, 2, 4])),
        lambda c, a: a.update(terms=np.frombuffer(b"ab\xff", np.uint8), offsets=np.array([0, 2, 3])),
        lambda c, a: a.update(terms=np.frombuffer("é".encode(), np.uint8), offsets=np.array([0, 1, 2])),
    ],
)
def test_unsound_state_is_a_value_error(damage: Any) -> None:
    config, arrays = _state()
    damage(config, arrays)
    with pytest.raises(ValueError, match=r"."):
        vectorizer_from_state(config, arrays)


def test_state_may_be_read_only_memory() -> None:
    config, arrays = _state()
    for array in arrays.values():
        array.setflags(write=False)
    same(
        vectorizer_from_state(config, arrays).transform(TEXTS),
        Reference(stop_words=["on"]).fit(TEXTS).transform(TEXTS),
    )


LONG = [f"a text of more than twelve bytes, number {i}, ä" for i in range(5000)]


@pytest.mark.parametrize(
    "column",
    [
        pa.array(LONG),
        pa.array(LONG, pa.large_string()),
        pa.array(LONG, pa.string_view()),
        pa.array(LONG)[10:],
        pa.chunked_array([LONG[:99], LONG[99:]]),
        pl.Series(LONG),
        pd.Series(LONG),
        pd.Series(LONG, dtype=pd.ArrowDtype(pa.string())),
        OnlyAStream(pa.chunked_array([LONG])),
    ],
    ids=lambda column: f"{type(column).__name__} {getattr(column, 'type', '')}",
)
def test_arrow_columns_are_read_where_they_are(column: Any) -> None:
    vectorizer = CountVectorizer()
    before = pa.default_memory_pool().total_bytes_allocated()
    rows = vectorizer.fit_csr(column)
    vectorizer.transform_csr(column)
    assert pa.default_memory_pool().total_bytes_allocated() - before < 10_000  # the texts have 240 kB
    expected = CountVectorizer().fit_csr(LONG[-rows.shape[0] :])
    np.testing.assert_array_equal(rows.indices, expected.indices)


AFFIXED = ["unhappy unable is happily the", "happy dogged a ab", "unhappiness abc"]


@pytest.mark.parametrize(
    ("which", "expected"),
    [
        ("prefix", {" do", " ha", " is", " th", " un", " ab"}),
        ("suffix", {"ab ", "bc ", "ed ", "he ", "is ", "le ", "ly ", "py ", "ss "}),
    ],
)
def test_affixes_are_the_ngrams_at_the_edges_of_words(which: str, expected: set[str]) -> None:
    vectorizer = CountVectorizer(analyzer="char_wb", ngram_range=(3, 3), affixes=which).fit(AFFIXED)
    assert set(vectorizer.vocabulary_) == expected
    everything = CountVectorizer(analyzer="char_wb", ngram_range=(3, 3)).fit(AFFIXED)
    columns = [everything.vocabulary_[term] for term in vectorizer.get_feature_names_out()]
    found = everything.transform(AFFIXED)[:, columns].toarray()
    np.testing.assert_array_equal(vectorizer.transform(AFFIXED).toarray(), found)
    parts = CountVectorizer(analyzer="char_wb", ngram_range=(3, 3), affixes=which)
    for text in AFFIXED:
        parts.partial_fit([text])
    assert parts.vocabulary_ == vectorizer.vocabulary_
    loaded = CountVectorizer.from_state(*vectorizer.to_state())
    grown = loaded.grown(["zebra"], 3).vectorizer
    assert set(grown.vocabulary_) - expected == ({" ze"} if which == "prefix" else {"ra "})
    most = CountVectorizer(analyzer="char_wb", ngram_range=(3, 3), affixes=which, max_features=1).fit(AFFIXED)
    assert len(most.vocabulary_) == 1
    assert set(most.vocabulary_) < expected


def test_affixes_are_of_characters_within_words() -> None:
    with pytest.raises(ValueError, match="affixes='prefix' needs analyzer='char_wb'"):
        CountVectorizer(affixes="prefix").fit(AFFIXED)
