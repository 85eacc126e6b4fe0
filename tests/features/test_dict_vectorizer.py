"""DictVectorizer: scikit-learn's matrices, names and errors, from whatever dictionaries hold."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections import Counter, OrderedDict, UserDict, defaultdict
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction import DictVectorizer as Theirs
from sklearn.feature_selection import SelectKBest, chi2

import lindy
from lindy.features import DictVectorizer
from lindy.text import vectorizer_from_state
from lindy.textbook.feature_maps import dict_matrix

names = st.one_of(st.sampled_from(["a", "b", "a=x", "ä", "名", "ab"]), st.text(max_size=3))
strings = st.one_of(st.sampled_from(["x", "y", "", "=x", "é"]), st.text(max_size=2))
numbers = st.one_of(
    st.integers(-(2**70), 2**70),
    st.floats(allow_nan=False, allow_infinity=False),
    st.booleans(),
    st.sampled_from([0, 0.0, np.float64(1.5), np.float32(0.25), np.int16(7), Fraction(1, 3), Decimal("2.5")]),
)
values = st.one_of(
    numbers,
    strings,
    st.lists(strings, max_size=3),
    st.tuples(strings, strings),
    st.sets(strings, max_size=2),
)
examples = st.lists(st.dictionaries(names, values, max_size=5), min_size=1, max_size=6)


def assert_same(mine: Any, theirs: Any) -> None:
    assert scipy.sparse.issparse(mine) == scipy.sparse.issparse(theirs)
    assert mine.shape == theirs.shape
    assert mine.dtype == theirs.dtype
    dense = [X.toarray() if scipy.sparse.issparse(X) else X for X in (mine, theirs)]
    np.testing.assert_array_equal(*dense)
    if scipy.sparse.issparse(mine):
        theirs = theirs.copy()
        theirs.sum_duplicates()
        assert mine.nnz == theirs.nnz  # stored zeros stay
        assert mine.has_sorted_indices


@given(examples, examples, st.booleans(), st.booleans(), st.sampled_from(["=", "", ": "]))
@settings(max_examples=100)
def test_same_matrix_and_names(
    fitted: list[Any], others: list[Any], sparse: bool, sort: bool, separator: str
) -> None:
    options: dict[str, Any] = {"sparse": sparse, "sort": sort, "separator": separator}
    mine, theirs = DictVectorizer(**options), Theirs(**options)
    assert_same(mine.fit_transform(fitted), theirs.fit_transform(fitted))
    assert mine.feature_names_ == theirs.feature_names_
    assert mine.vocabulary_ == theirs.vocabulary_
    assert mine.get_feature_names_out().tolist() == theirs.get_feature_names_out().tolist()
    assert_same(mine.transform(others), theirs.transform(others))
    again = DictVectorizer(**options).fit(iter(fitted))
    assert again.feature_names_ == mine.feature_names_
    if mine.feature_names_:  # without columns there is no way back, in scikit-learn neither
        assert mine.inverse_transform(mine.transform(fitted)) == theirs.inverse_transform(
            theirs.transform(fitted)
        )


@given(
    st.lists(
        st.dictionaries(
            names, st.one_of(strings, st.lists(strings, max_size=3), st.floats(-9, 9)), max_size=5
        ),
        min_size=1,
        max_size=6,
    )
)
def test_the_textbook_agrees(found: list[Any]) -> None:
    vectorizer = DictVectorizer(sparse=False)
    X = vectorizer.fit_transform(found)
    columns, expected = dict_matrix(found)
    assert vectorizer.feature_names_ == columns
    np.testing.assert_array_equal(X, expected)


@pytest.mark.parametrize("dtype", [int, float, np.float32, np.int16, np.float64, np.uint8, complex, bool])
@pytest.mark.parametrize("sparse", [True, False])
def test_types_of_values(dtype: Any, sparse: bool) -> None:
    found = [{"foo": 1, "bar": 3}, {"bar": 4, "baz": "x"}, {"bar": True, "tags": ["p", "q", "p"]}]
    mine, theirs = (kind(dtype=dtype, sparse=sparse) for kind in (DictVectorizer, Theirs))
    assert_same(mine.fit_transform(found), theirs.fit_transform(found))
    assert_same(mine.transform(found[1:]), theirs.transform(found[1:]))


def test_integers_stay_exact_and_come_back_as_they_were() -> None:
    found = [{"id": 2**53 + 1, "n": 3}]
    vectorizer = DictVectorizer(dtype=np.int64)
    X = vectorizer.fit_transform(found)
    assert X.toarray().tolist() == [[2**53 + 1, 3]]
    back = DictVectorizer(dtype=np.int16).fit([{"n": 1}]).inverse_transform(np.array([[3]], np.int16))
    assert back == [{"n": 3}]
    assert isinstance(back[0]["n"], np.int16)


def test_names_of_other_kinds() -> None:
    found: list[dict[Any, Any]] = [{1: 2, 3: 4}, {2: 4, True: 5}, {1.0: 1}]
    mine, theirs = DictVectorizer(sparse=False), Theirs(sparse=False)
    np.testing.assert_array_equal(mine.fit_transform(found), theirs.fit_transform(found))
    assert mine.feature_names_ == theirs.feature_names_
    assert mine.get_feature_names_out().tolist() == ["1", "2", "3"]
    unsorted = DictVectorizer(sort=False, sparse=False)
    keys: list[dict[Any, Any]] = [{("a", 1): 1, None: 2, "a": 3, b"a": 4, np.str_("a"): 5}, {1: "x"}]
    np.testing.assert_array_equal(
        unsorted.fit_transform(keys), Theirs(sort=False, sparse=False).fit_transform(keys)
    )
    with pytest.raises(TypeError):
        DictVectorizer().fit([{"a": 1, 2: 1}])  # no order among them, as in scikit-learn


def test_mappings_of_other_kinds() -> None:
    ordered = OrderedDict(a=1, b=2)
    ordered.move_to_end("a")
    found: list[Any] = [Counter("abca"), defaultdict(int, x=3), ordered, UserDict({"b": "s"})]
    mine, theirs = DictVectorizer(sort=False), Theirs(sort=False)
    assert_same(mine.fit_transform(found), theirs.fit_transform(found))
    assert mine.feature_names_ == theirs.feature_names_

    class Doubled(dict[str, Any]):
        def items(self) -> Any:
            return [(name, 2 * value) for name, value in super().items()]

    assert DictVectorizer(sparse=False).fit_transform([Doubled(a=4)]).tolist() == [[8.0]]


def test_one_dictionary_is_one_example() -> None:
    vectorizer = DictVectorizer(sparse=False)
    assert vectorizer.fit_transform({"a": 1, "b": 2}).tolist() == [[1.0, 2.0]]
    assert vectorizer.fit({"a": 1, "b": 2}).transform({"b": 1}).tolist() == [[0.0, 1.0]]


def test_none_is_what_the_type_makes_of_it() -> None:
    assert np.isnan(DictVectorizer(sparse=False).fit_transform([{"a": None}])).all()
    for kind in (DictVectorizer, Theirs):
        with pytest.raises(TypeError):
            kind(dtype=float).fit_transform([{"a": None}])


def test_unseen_names_and_empty_examples() -> None:
    for sparse in (True, False):
        vectorizer = DictVectorizer(sparse=sparse).fit([{"a": 0, "b": 1}])
        for other in ({"c": 2}, {}):
            X = vectorizer.transform(other)
            assert (X.toarray() if sparse else X).tolist() == [[0.0, 0.0]]
        with pytest.raises(ValueError, match="empty"):
            vectorizer.transform([])


def _error(kind: Any, method: str, found: Any) -> tuple[type, str]:
    with pytest.raises(Exception) as caught:  # noqa: PT011
        getattr(kind(), method)(found)
    return type(caught.value), str(caught.value)


@pytest.mark.parametrize("method", ["fit", "fit_transform"])
@pytest.mark.parametrize(
    "found",
    [
        [{"a": 1}, {"a": [1, "three"]}],
        [{"a": b"xy"}],
        [{"a": {"one": 1}}],
        [{"a": ["x", None]}],
    ],
)
def test_same_errors(method: str, found: Any) -> None:
    assert _error(DictVectorizer, method, found) == _error(Theirs, method, found)


def test_values_that_are_no_features() -> None:
    thing = object()
    assert _error(DictVectorizer, "fit_transform", [{"a": thing}]) == _error(
        Theirs, "fit_transform", [{"a": thing}]
    )
    with pytest.raises(TypeError, match="Unsupported value Type"):  # scikit-learn takes the name before it
        DictVectorizer().fit([{"b": 1, "a": thing}])


def test_numbers_too_large() -> None:
    for kind in (DictVectorizer, Theirs):
        with pytest.raises(OverflowError):
            kind().fit_transform([{"a": 10**400}])
    with pytest.raises(OverflowError):
        DictVectorizer(dtype=np.int16).fit_transform([{"a": 70_000}])


def test_a_failed_fit_changes_nothing() -> None:
    vectorizer = DictVectorizer().fit([{"a": 1}])
    with pytest.raises(TypeError):
        vectorizer.fit_transform([{"b": 1}, {"c": object()}])
    assert vectorizer.feature_names_ == ["a"]
    assert vectorizer.vocabulary_ == {"a": 0}


def test_dictionaries_that_change_while_they_are_read() -> None:
    found: dict[Any, Any] = {}

    class Nasty:
        def __hash__(self) -> int:
            return 1

        def __eq__(self, other: object) -> bool:
            found.clear()
            return False

    found[Nasty()] = 1
    found["x"] = [np.str_("y")]
    with pytest.raises(RuntimeError, match="changed size"):
        DictVectorizer(sort=False).fit_transform([{Nasty(): 1}, found])


@pytest.mark.parametrize(
    ("method", "argument"), [("transform", [{"a": 1}]), ("inverse_transform", [[1]]), ("restrict", [True])]
)
def test_not_fitted(method: str, argument: Any) -> None:
    vectorizer = DictVectorizer()
    assert not hasattr(vectorizer, "vocabulary_")
    with pytest.raises(NotFittedError):
        getattr(vectorizer, method)(argument)


@pytest.mark.parametrize("indices", [True, False])
def test_restrict(indices: bool) -> None:
    useless = {f"useless{i}": 10 for i in range(20)}
    found = [{**useless, "useful1": 1, "useful2": 20}, {**useless, "useful1": 20, "useful2": 1}]
    vectorizer = DictVectorizer().fit(found)
    chosen = SelectKBest(chi2, k=2).fit(vectorizer.transform(found), [0, 1])
    vectorizer.restrict(chosen.get_support(indices=indices), indices=indices)
    assert vectorizer.get_feature_names_out().tolist() == ["useful1", "useful2"]
    assert vectorizer.transform(found).toarray().tolist() == [[1, 20], [20, 1]]
    assert vectorizer.vocabulary_ == {"useful1": 0, "useful2": 1}


def test_parameters_are_checked() -> None:
    for wrong in ({"separator": 1}, {"sparse": 1}, {"sort": "yes"}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            DictVectorizer(**wrong).fit([{"a": 1}])  # type: ignore[arg-type]


def test_pickled_and_saved() -> None:
    found = [{"b": 2, "a": "x"}, {"c": ["y", "y"], "日本": 1}]
    vectorizer = DictVectorizer(separator=":").fit(found)
    X = vectorizer.transform(found).toarray()
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(vectorizer)).transform(found).toarray(), X)
    loaded = vectorizer_from_state(*vectorizer.to_state())
    np.testing.assert_array_equal(loaded.transform(found).toarray(), X)
    config, arrays = vectorizer.to_state()
    arrays["terms"] = np.frombuffer(b"aaaa", np.uint8)
    arrays["offsets"] = np.arange(5)
    with pytest.raises(ValueError, match="second time"):
        vectorizer_from_state(config, arrays)
    with pytest.raises(ValueError, match="strings"):
        DictVectorizer().fit([{1: 2}]).to_state()


def test_rows_for_learners_name_what_is_not_finite() -> None:
    vectorizer = DictVectorizer()
    rows = vectorizer.fit_csr([{"a": 1, "b": 2.5}, {"b": "x"}])
    assert rows.values.dtype == np.float32
    np.testing.assert_array_equal(
        rows.to_dense(), vectorizer.transform([{"a": 1, "b": 2.5}, {"b": "x"}]).toarray()
    )
    with pytest.raises(lindy.DataError, match=r"example 1: 'b' is nan, expected a finite number"):
        vectorizer.transform_csr([{"a": 1}, {"a": 1, "b": float("nan")}])


def test_dictionaries_in_a_text_classifier(tmp_path: Any) -> None:
    found = [{"colour": c, "size": s} for c, s in (("red", 1), ("red", 2), ("blue", 1), ("blue", 3))]
    model = lindy.TextClassifier(learner="perceptron", vectorizer=DictVectorizer(), calibration="none")
    model.fit(found, ["warm", "warm", "cold", "cold"])
    model.save(tmp_path / "m.lindy")
    assert lindy.load(tmp_path / "m.lindy").predict([{"colour": "blue"}, {"colour": "red"}]).tolist() == [
        "cold",
        "warm",
    ]


@pytest.mark.parametrize("examples", [["a text"], "text", [{"a": 1}, None], [["a"]], [1]])
def test_examples_that_are_no_dictionaries_are_named(examples: Any) -> None:
    with pytest.raises(TypeError, match="every example must be a dictionary from names to values") as caught:
        DictVectorizer().fit(examples)
    assert isinstance(caught.value, AttributeError)  # as scikit-learn's


def test_models_of_sets_do_not_depend_on_hashes() -> None:
    """Python gives strings other hashes in every process, and sets the order of these."""
    program = """
import numpy as np
from lindy.features import BagVectorizer, DictVectorizer, FunctionVectorizer, feature
words = [f"word{k}" for k in range(40)]
given = [{"w": set(words[k:]), "f": frozenset(words[:k]), "n": k} for k in (0, 7, 30)]
for made, examples in (
    (DictVectorizer(), given),
    (DictVectorizer(sort=False), given),
    (BagVectorizer(), given),
    (FunctionVectorizer(functions=[feature(lambda x: set(x), name="letter")]), ["hello", "world and all"]),
):
    rows = made.fit_csr(examples, order="seen")
    print(made.names_of(np.arange(made.n_columns)), rows.indices.tolist(), rows.values.tolist())
"""
    said = {
        subprocess.run(
            [sys.executable, "-c", program],
            env=os.environ | {"PYTHONHASHSEED": str(seed)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in (1, 2, 3)
    }
    assert len(said) == 1
    with pytest.raises(TypeError, match="Only iterables of string are supported"):
        DictVectorizer().fit_csr([{"a": {"x", 1}}])
