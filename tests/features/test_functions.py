"""Feature functions: the lectures' examples, what functions may return, and what happens when they fail."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import lindy
from lindy.features import (
    FeatureError,
    FunctionVectorizer,
    all_capitalised,
    contains,
    contains_any,
    feature,
    union,
    word_count,
    word_ending,
)
from lindy.text import CountVectorizer, UnionVectorizer, vectorizer_from_state

RONALDO = "Ronaldo kicked the ball and scored an amazing goal!"
LECTURE = (contains("Ronaldo"), all_capitalised(), contains_any("amazing", "excellent", ":)"))


def rows(functions: Any, examples: Any) -> tuple[list[str], list[list[float]]]:
    vectorizer = FunctionVectorizer(functions=functions)
    X = vectorizer.fit_transform(examples)
    return vectorizer.get_feature_names_out().tolist(), X.toarray().tolist()


def test_lxmls_1_12_to_1_14() -> None:
    g = union(*LECTURE)
    assert tuple(g(RONALDO).values()) == (1, 0, 1)
    assert rows(g, [RONALDO])[1] == [[1.0, 0.0, 1.0]]


def test_may_section_8() -> None:
    names, X = rows([word_count(), word_ending("s"), contains("happy")], ["happy dogs bark", "s", "unhappy"])
    assert names == ["word_count", "word_ending(s)", "contains(happy)"]
    assert X == [[3, 1, 1], [1, 0, 0], [1, 0, 0]]


@pytest.mark.parametrize(
    ("own", "text", "expected"),
    [
        (contains("Ronaldo"), "Ronaldo's goal", 1),
        (contains("Ronaldo"), "Ronaldos", 0),
        (contains(":)"), "nice:)", 1),
        (contains_any("a", "b"), "", 0),
        (contains_any("e-mail"), "an e-mail", 1),
        (all_capitalised(), "Breaking News, 2026 Edition", 1),
        (all_capitalised(), "Breaking news", 0),
        (all_capitalised(), "42", 0),
        (all_capitalised(), "Élan Über", 1),
        (word_count(), "one, two", 2),
    ],
)
def test_makers(own: Any, text: str, expected: int) -> None:
    assert own(text) == expected


def test_everything_a_function_may_return() -> None:
    functions = {
        "length": len,
        "first": lambda x: x[0],
        "letters": list,
        "ends": lambda x: (ord(x[0]), ord(x[-1])),
        "array": lambda x: np.array([len(x), 1.5]),
        "parts": lambda x: {"upper": x.isupper(), "last": x[-1], "vowels": [c for c in x if c in "aeiou"]},
        "numpy": lambda x: np.int8(len(x)),
    }
    names, X = rows(functions, ["aba", "B"])
    assert dict(zip(names, X[0], strict=True)) == {
        "length": 3,
        "first=B": 0,
        "first=a": 1,
        "letters=B": 0,
        "letters=a": 2,
        "letters=b": 1,
        "ends[0]": 97,
        "ends[1]": 97,
        "array[0]": 3,
        "array[1]": 1.5,
        "parts:last=B": 0,
        "parts:last=a": 1,
        "parts:upper": 0,
        "parts:vowels=a": 2,
        "numpy": 3,
    }


def test_names_come_from_functions_decorators_and_unions() -> None:
    @feature
    def shouting(x: str) -> int:
        return x.count("!")

    @feature(name="asking")
    def questions(x: str) -> int:
        return x.count("?")

    def plain(x: str) -> int:
        return len(x)

    assert rows([union(shouting, questions), plain], ["a!?"])[0] == ["shouting", "asking", "plain"]
    assert feature(shouting, name="loud").name == "loud"


def test_two_functions_of_one_name() -> None:
    with pytest.raises(ValueError, match=r"several feature functions with the name 'word_count'"):
        union(word_count(), union(word_count()))
    with pytest.raises(FeatureError, match="two feature functions make the feature 'a:b'"):
        FunctionVectorizer(functions={"a": lambda _: {"b": 1}, "a:b": lambda _: 1}).fit(["x"])
    with pytest.raises(ValueError, match="has no name"):
        union(lambda x: x)


def test_a_function_that_raises() -> None:
    def ratio(x: str) -> float:
        return 1 / len(x)

    vectorizer = FunctionVectorizer(functions=[word_count(), ratio]).fit(["a", "b"])
    with pytest.raises(
        FeatureError, match=r"'ratio' failed on example 2 \(''\): ZeroDivisionError"
    ) as caught:
        vectorizer.transform(["a", "b", ""])
    assert isinstance(caught.value.__cause__, ZeroDivisionError)
    assert isinstance(caught.value, lindy.DataError)


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (float, r"'g' on example 1 \('nan'\): it returned nan, expected a finite number"),
        (lambda x: 1 if x == "1" else "one", "'g' is a string here, but was a number before"),
        (
            lambda x: {"k": 1} if x == "1" else {"k": ["s"]},
            "'g:k' is a list of strings here, but was a number",
        ),
        (lambda x: [0] * len(x), "a list of length 3 here, but a list of length 1 before"),
        (lambda x: None if x == "nan" else 0, r"None \(NoneType\) is not a feature"),
        (lambda x: {"k": {}} if x == "nan" else 0, r"\{\} \(dict\) is not a feature"),
        (lambda x: ["s", 1] if x == "nan" else [], "not all strings"),
        (lambda x: 10**400 if x == "nan" else 0, "too large"),
    ],
)
def test_values_that_are_no_features(function: Any, message: str) -> None:
    vectorizer = FunctionVectorizer(functions={"g": function})
    with pytest.raises(FeatureError, match=message) as caught:
        vectorizer.fit(["1", "nan"])
    assert "'g' on example 1" in str(caught.value)
    assert caught.value.hint is not None


def test_what_transform_returns_is_compared_with_fit() -> None:
    vectorizer = FunctionVectorizer(functions={"g": lambda x: x}).fit([1, 2])
    with pytest.raises(FeatureError, match="'g' is a string here, but was a number before"):
        vectorizer.transform(["x"])


def test_rows_of_tables_and_columns_of_texts() -> None:
    functions = {"n": lambda row: row["n"], "s": lambda row: row["s"]}
    expected = (["n", "s=x", "s=y"], [[1, 1, 0], [2, 0, 1]])
    for table in (pa.table({"n": [1, 2], "s": ["x", "y"]}), pd.DataFrame({"n": [1, 2], "s": ["x", "y"]})):
        assert rows(functions, table) == expected
    assert rows([word_count()], pa.chunked_array([["a b"], ["c"]]))[1] == [[2], [1]]
    with pytest.raises(ValueError, match="string object received"):
        FunctionVectorizer(functions=[word_count()]).fit("text")


def test_beside_words_in_a_model(tmp_path: Any) -> None:
    texts = ["Ronaldo scored", "the minister spoke", "Ronaldo again", "a minister again"] * 2
    labels = ["sport", "politics"] * 4
    union_of_both = UnionVectorizer(
        vectorizers=[("word", CountVectorizer()), ("is", FunctionVectorizer(functions=list(LECTURE)))]
    )
    model = lindy.TextClassifier(learner="perceptron", vectorizer=union_of_both, calibration="none")
    model.fit(texts, labels)
    assert "is__contains(Ronaldo)" in model.vectorizer_.get_feature_names_out().tolist()
    assert model.explain(RONALDO).label == "sport"
    model.save(tmp_path / "m.lindy")
    loaded = lindy.load(tmp_path / "m.lindy")
    np.testing.assert_array_equal(loaded.decision_function(texts), model.decision_function(texts))


def test_python_code_is_not_saved() -> None:
    with pytest.raises(ValueError, match="'length' is Python code, which a model file does not hold"):
        FunctionVectorizer(functions={"length": len}).fit(["a"]).to_state()


@pytest.mark.parametrize(
    "parts",
    [
        None,
        [],
        [{"name": "x"}],
        [{"name": "x", "made_by": ["exec", "code"]}],
        [{"name": "x", "made_by": ["contains"]}],
        [{"name": "x", "made_by": ["contains_any"]}],
        [{"name": 1, "made_by": ["word_count"]}],
        [{"name": "x", "made_by": ["word_count"]}] * 2,
    ],
)
def test_unsound_saved_functions(parts: Any) -> None:
    with pytest.raises(ValueError, match=r"function|features|name|word"):
        vectorizer_from_state({"kind": "functions", "parts": parts}, {})
