"""What every estimator over texts keeps: scikit-learn's own checks pass over estimators that take text."""

from __future__ import annotations

import gc
import pickle
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import clone

from lindy.core.csr import index_dtype
from lindy.text import CountVectorizer, HashingVectorizer, TfidfVectorizer, vectorizer_from_state

TEXTS = ["The cat sat on the mat.", "A dog sat; the dog!", "", "Naïve İstanbul ΑΣ 你好 ab\x00cd 😀"]
ALL = [CountVectorizer, TfidfVectorizer, HashingVectorizer]
everywhere = pytest.mark.parametrize("kind", ALL)


def dense(rows: Any) -> Any:
    return rows.to_dense() if hasattr(rows, "to_dense") else rows.toarray()


@everywhere
def test_clone_keeps_all_parameters(kind: Any) -> None:
    vectorizer = kind(ngram_range=(1, 2), binary=True, n_jobs=2)
    assert clone(vectorizer).get_params() == vectorizer.get_params()


@everywhere
def test_set_params_round_trip(kind: Any) -> None:
    params = kind().get_params()
    assert kind(**params).get_params() == params
    assert kind().set_params(**params).get_params() == params


@everywhere
def test_unknown_parameter_is_refused(kind: Any) -> None:
    with pytest.raises(ValueError, match="Invalid parameter"):
        kind().set_params(nonsense=1)


@everywhere
def test_repr_shows_what_was_changed(kind: Any) -> None:
    assert repr(kind(ngram_range=(1, 2))) == f"{kind.__name__}(ngram_range=(1, 2))"


@everywhere
def test_fit_returns_self(kind: Any) -> None:
    vectorizer = kind()
    assert vectorizer.fit(TEXTS) is vectorizer


@everywhere
def test_fit_transform_is_fit_then_transform(kind: Any) -> None:
    assert (kind().fit_transform(TEXTS) != kind().fit(TEXTS).transform(TEXTS)).nnz == 0


@everywhere
def test_fitting_twice_forgets_the_first(kind: Any) -> None:
    again = kind().fit(["something else entirely"]).fit(TEXTS)
    assert (again.transform(TEXTS) != kind().fit(TEXTS).transform(TEXTS)).nnz == 0


@everywhere
def test_rows_do_not_depend_on_each_other(kind: Any) -> None:
    vectorizer = kind().fit(TEXTS)
    whole = dense(vectorizer.transform(TEXTS))
    for i, text in enumerate(TEXTS):
        np.testing.assert_array_equal(dense(vectorizer.transform([text]))[0], whole[i])


@everywhere
def test_input_is_not_changed(kind: Any) -> None:
    texts = list(TEXTS)
    kind().fit_transform(texts)
    assert texts == TEXTS


@everywhere
def test_pickle_keeps_the_answer(kind: Any) -> None:
    vectorizer = kind(ngram_range=(1, 2)).fit(TEXTS)
    again = pickle.loads(pickle.dumps(vectorizer))
    assert (again.transform(TEXTS) != vectorizer.transform(TEXTS)).nnz == 0


@everywhere
def test_state_keeps_the_answer(kind: Any) -> None:
    vectorizer = kind(ngram_range=(1, 2), strip_accents="unicode", stop_words="english").fit(TEXTS)
    again = vectorizer_from_state(*vectorizer.to_state())
    np.testing.assert_array_equal(dense(again.transform_csr(TEXTS)), dense(vectorizer.transform_csr(TEXTS)))


@everywhere
def test_csr_equals_transform(kind: Any) -> None:
    vectorizer = kind().fit(TEXTS)
    np.testing.assert_allclose(
        dense(vectorizer.transform_csr(TEXTS)), dense(vectorizer.transform(TEXTS)), rtol=1e-6
    )


@everywhere
@pytest.mark.parametrize(
    "container", [tuple, np.array, pa.array, pl.Series, lambda t: pa.chunked_array([t[:1], t[1:]])]
)
def test_containers_agree(kind: Any, container: Any) -> None:
    assert (kind().fit_transform(container(TEXTS)) != kind().fit_transform(TEXTS)).nnz == 0


@everywhere
def test_threads_agree(kind: Any) -> None:
    texts = [" ".join(f"w{(i * k) % 997}" for k in range(400)) for i in range(2000)]
    one, three = (kind(ngram_range=(1, 2), n_jobs=n).fit_transform(texts) for n in (1, 3))
    for name in ("indptr", "indices", "data"):
        np.testing.assert_array_equal(getattr(one, name), getattr(three, name))


@everywhere
@pytest.mark.parametrize("bad", [None, 7, 2.5, ["nested"], object()])
def test_elements_that_are_no_text_are_named(kind: Any, bad: Any) -> None:
    with pytest.raises((AttributeError, TypeError), match=f"document 1 is {type(bad).__name__}"):
        kind().fit_transform(["some text", bad])


@everywhere
def test_nan_is_refused(kind: Any) -> None:
    with pytest.raises(ValueError, match=r"document 1: np.nan is an invalid document"):
        kind().fit_transform(["some text", np.nan])


OWN_STEPS: list[dict[str, Any]] = [
    {"token_pattern": r"\S+"},
    {"token_pattern": r"\S+", "lowercase": False},
    {"tokenizer": str.split, "token_pattern": None},
    {"preprocessor": str.lower},
    {"analyzer": str.split},
]


@everywhere
@pytest.mark.parametrize("steps", OWN_STEPS, ids=str)
def test_errors_of_own_steps_name_the_document(kind: Any, steps: dict[str, Any]) -> None:
    vectorizer = kind(**steps)
    for bad in (None, 7, ["nested"]):
        with pytest.raises(
            (AttributeError, TypeError), match=f"document 1 is {type(bad).__name__}, expected"
        ):
            vectorizer.fit_transform(["some text", bad])
    with pytest.raises(ValueError, match=r"document 1: np.nan is an invalid document"):
        vectorizer.fit_transform(["some text", np.nan])
    with pytest.raises(UnicodeDecodeError, match=r"\(document 1\)"):
        vectorizer.fit_transform(["some text", b"\xff"])


@everywhere
def test_an_error_of_the_users_own_function_keeps_its_type(kind: Any) -> None:
    with pytest.raises(ZeroDivisionError) as caught:
        kind(analyzer=lambda text: [str(1 / len(text))]).fit_transform(["some text", ""])
    assert caught.value.__notes__ == ["in document 1"]


@everywhere
def test_a_lone_string_is_refused(kind: Any) -> None:
    for method in ("fit", "fit_transform", "fit_csr"):
        with pytest.raises(ValueError, match="string object received"):
            getattr(kind(), method)("one text")


@everywhere
def test_a_table_is_refused(kind: Any) -> None:
    with pytest.raises(ValueError, match="select the column"):
        kind().fit_transform(pl.DataFrame({"title": ["a"], "body": ["b"]}))


@everywhere
@pytest.mark.parametrize(
    "params",
    [
        {"ngram_range": (2, 1)},
        {"strip_accents": "gothic"},
        {"analyzer": "letters"},
        {"input": "url"},
        {"lowercase": 2},
    ],
)
def test_impossible_parameters_are_refused(kind: Any, params: dict[str, Any]) -> None:
    with pytest.raises((ValueError, TypeError), match=r"."):
        kind(**params).fit(TEXTS)


@everywhere
@pytest.mark.parametrize("ngram_range", [(1.0, 2), ("1", "2"), (1, 2, 3), (1,), (1, None)])
def test_an_ngram_range_is_two_whole_numbers(kind: Any, ngram_range: Any) -> None:
    with pytest.raises(
        (ValueError, TypeError), match=r"'ngram_range' parameter of .* must be two whole numbers"
    ):
        kind(ngram_range=ngram_range).fit_transform(TEXTS)


@everywhere
@pytest.mark.parametrize("analyzer", ["word", "char", "char_wb"])
@pytest.mark.parametrize("longest", [30_000, 2**31, 2**70, np.int32(2**31 - 1)])
def test_an_ngram_range_beyond_all_texts_ends(kind: Any, analyzer: str, longest: Any) -> None:
    rows = kind(analyzer=analyzer, ngram_range=(1, longest)).fit_transform(TEXTS)
    assert (rows != kind(analyzer=analyzer, ngram_range=(1, 100)).fit_transform(TEXTS)).nnz == 0


@everywhere
@pytest.mark.parametrize("dtype", [str, object, "datetime64[s]"])
@pytest.mark.filterwarnings("ignore:Only .* 'dtype' should be used")
def test_a_dtype_is_one_of_numbers(kind: Any, dtype: Any) -> None:
    with pytest.raises((ValueError, TypeError), match=r"'dtype' parameter of .* must be a dtype of numbers"):
        kind(dtype=dtype).fit_transform(TEXTS)


@pytest.mark.filterwarnings("ignore:Only .* 'dtype' should be used")
def test_no_dtype_means_scikit_learns() -> None:
    assert CountVectorizer(dtype=None).fit_transform(TEXTS).dtype == np.intc
    assert CountVectorizer(dtype=None).fit(TEXTS).transform(TEXTS).dtype == np.intc
    assert TfidfVectorizer(dtype=None).fit_transform(TEXTS).dtype == np.float64


def test_hashing_has_fewer_columns_than_there_are_numbers() -> None:
    HashingVectorizer(n_features=2**31 - 2).fit_transform(TEXTS)
    with pytest.raises(ValueError, match=r"must be an int in the range \[1, 2147483647\)"):
        HashingVectorizer(n_features=2**31 - 1).fit_transform(TEXTS)


@everywhere
@pytest.mark.parametrize(("error", "count"), [("ignore", 2), ("replace", 2)])
def test_bytes_are_decoded(kind: Any, error: str, count: int) -> None:
    rows = kind(decode_error=error).fit_transform([b"good \xff text"])
    assert rows.nnz == count
    with pytest.raises(UnicodeDecodeError, match=r"\(document 0\)"):
        kind().fit_transform([b"good \xff text"])


@everywhere
def test_files_and_names_of_files(kind: Any, tmp_path: Any) -> None:
    path = tmp_path / "text.txt"
    path.write_text("the cat sat", encoding="utf-8")
    expected = kind().fit_transform(["the cat sat"])
    assert (kind(input="filename").fit_transform([str(path)]) != expected).nnz == 0
    with path.open("rb") as file:
        assert (kind(input="file").fit_transform([file]) != expected).nnz == 0


@everywhere
def test_generators_are_enough(kind: Any) -> None:
    assert (kind().fit_transform(text for text in TEXTS) != kind().fit_transform(TEXTS)).nnz == 0


@pytest.mark.parametrize("kind", [CountVectorizer, TfidfVectorizer])
def test_unfitted_is_an_error(kind: Any) -> None:
    with pytest.raises(ValueError, match="not fitted"):
        kind().transform(TEXTS)


@pytest.mark.parametrize("kind", [CountVectorizer, TfidfVectorizer])
@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"vocabulary": {"a": 0, "b": 2}}, "doesn't contain index 1"),
        ({"vocabulary": {"a": 0, "b": 0}}, "repeated indices"),
        ({"vocabulary": ["a", "b", "a"]}, "Duplicate term in vocabulary: 'a'"),
        ({"vocabulary": []}, "empty vocabulary passed to fit"),
        ({"min_df": 3, "max_df": 1}, "max_df corresponds to < documents than min_df"),
        ({"min_df": 3, "max_df": 3}, "After pruning, no terms remain"),
        ({"stop_words": ["the", "cat", "sat", "on", "mat", "dog"]}, None),
    ],
)
def test_vocabularies_that_cannot_be(kind: Any, params: dict[str, Any], message: str | None) -> None:
    texts = ["the cat sat on the mat", "the dog sat"]
    with pytest.raises(ValueError, match=message or "empty vocabulary; perhaps"):
        kind(**params).fit(texts * 2)


def test_punctuation_counts_as_tokens() -> None:
    vectorizer = CountVectorizer(punctuation=True).fit(["Great!!! A film, truly: 10/10 ¿qué?"])
    assert vectorizer.get_feature_names_out().tolist() == sorted(
        ["!", ",", "/", ":", "?", "¿", "10", "film", "great", "qué", "truly"]
    )


def test_oov_counts_rare_and_unknown_words() -> None:
    vectorizer = CountVectorizer(oov=2)
    rows = vectorizer.fit_transform(["good good film", "good book"])
    assert vectorizer.get_feature_names_out().tolist() == ["good", "<OOV>"]
    assert rows.toarray().tolist() == [[2, 1], [1, 1]]
    assert vectorizer.transform(["unseen words here good"]).toarray().tolist() == [[1, 3]]
    again = vectorizer_from_state(*vectorizer.to_state())
    assert again.transform(["unseen words here good"]).toarray().tolist() == [[1, 3]]


@pytest.mark.parametrize("kind", [CountVectorizer, TfidfVectorizer])
def test_oov_needs_a_vocabulary_that_is_learned(kind: Any) -> None:
    given = kind(oov=2, vocabulary=["cat", "sat"])
    for method in ("fit", "fit_transform", "fit_csr"):
        with pytest.raises(ValueError, match="oov=2 needs a vocabulary that is learned"):
            getattr(given, method)(["the cat sat", "a dog ran"])
    with pytest.raises(ValueError, match="oov=2 needs a vocabulary that is learned"):
        CountVectorizer(oov=2, vocabulary=["cat"]).transform(["a cat"])


def test_the_fitted_oov_counts_not_the_changed_parameter() -> None:
    without = CountVectorizer().fit(["cat sat"]).set_params(oov=2)
    assert without.transform(["dog ran"]).toarray().tolist() == [[0, 0]]
    assert without.to_state()[0]["oov"] is None
    rare = CountVectorizer(oov=2).fit(["cat cat sat"]).set_params(oov=None)
    for vectorizer in (rare, pickle.loads(pickle.dumps(rare)), vectorizer_from_state(*rare.to_state())):
        assert vectorizer.transform(["cat dog ran"]).toarray().tolist() == [[1, 2]]
    assert rare.fit(["cat cat sat"]).transform(["cat dog ran"]).toarray().tolist() == [[1, 0]]


def test_oov_names_the_token_patterns_that_it_knows() -> None:
    with pytest.raises(ValueError, match=r"one of the token patterns .*\\w\\w\+"):
        CountVectorizer(oov=2, token_pattern=r"\S+").fit(TEXTS)


@pytest.mark.limits_memory
def test_ten_million_letters_without_a_space() -> None:
    """One token of ten megabytes, as characters within words: at most 200 MB beyond what was there."""
    code = (
        "import resource; from lindy.text import CountVectorizer; text = ['ab' * 5_000_000]\n"
        "CountVectorizer(analyzer='char_wb', ngram_range=(3, 5)).fit_csr(['warm up'])\n"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "rows = CountVectorizer(analyzer='char_wb', ngram_range=(3, 5)).fit_csr(text)\n"
        "assert rows.n_columns == 12, rows.n_columns\n"
        "print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1e3)"
    )
    assert float(subprocess.check_output([sys.executable, "-c", code], text=True)) < 200


def resident_pages() -> int:
    """Return how much memory this process holds now; its peak may be that of another test."""
    gc.collect()
    return int(Path("/proc/self/statm").read_text().split()[1])


@pytest.mark.limits_memory
def test_memory_is_given_back() -> None:
    texts = [" ".join(f"word{i}x{k}" for k in range(200)) for i in range(300)]
    for _ in range(3):
        CountVectorizer(ngram_range=(1, 2)).fit(texts)
    before = resident_pages()
    for _ in range(20):
        CountVectorizer(ngram_range=(1, 2)).fit(texts)
    assert (resident_pages() - before) * resource.getpagesize() < 50e6


def test_interrupt_stops_a_fit() -> None:
    """One fit on a terabyte, the same text again and again, which would take an hour."""
    code = (
        "import os, signal, threading\nfrom lindy.text import CountVectorizer\n"
        "texts = ['some words of text ' * 50_000] * 1_000_000\n"
        "threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()\n"
        "try: CountVectorizer(ngram_range=(1, 3)).fit(texts)\n"
        "except KeyboardInterrupt: print('stopped')"
    )
    assert subprocess.check_output([sys.executable, "-c", code], text=True, timeout=120) == "stopped\n"


def test_indices_become_wide_when_they_must() -> None:
    assert index_dtype(2**31 - 1) is np.int32
    assert index_dtype(2**31) is np.int64
    matrix = CountVectorizer().fit_transform(["a word", "another word"])
    assert matrix.indices.dtype == matrix.indptr.dtype == np.int32
