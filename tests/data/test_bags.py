"""Files of features with values: read as they are, kept as they are, written as they are."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lindy.bags import Bags
from lindy.csr import Csr
from lindy.data import convert, fingerprint, read_examples, read_table
from lindy.errors import DataError
from lindy.text import CountVectorizer

GOOD: dict[str, tuple[str, str, list[dict[str, float]]]] = {
    "svmlight": ("a.svm", "1 2:0.5 7:-3e-2\n-1 3:1\n", [{"2": 0.5, "7": -0.03}, {"3": 1}]),
    "svmlight, from zero": ("a.svm", "1 0:2 10:1\n", [{"0": 2, "10": 1}]),
    "svmlight, large numbers": ("a.svm", "1 2000000000:1\n", [{"2000000000": 1}]),
    "svmlight, named": ("a.svm", "# column 2 is 'fine'\n1 2:2 3:1\n", [{"fine": 2, "3": 1}]),
    "svmlight, a row without features": ("a.svm", "1\n-1 3:1\n", [{}, {"3": 1}]),
    "vw": ("a.vw", "1 | fine book:2.5\n", [{"fine": 1, "book": 2.5}]),
    "vw, namespaces": ("a.vw", "1 |a x |b x:3 | x:-1\n", [{"a^x": 1, "b^x": 3, "x": -1}]),
    "vw, scale": ("a.vw", "1 |a:0.5 x y:4 |b x\n", [{"a^x": 0.5, "a^y": 2, "b^x": 1}]),
    "vw, scale without a name": ("a.vw", "1 |:2 x | y\n", [{"x": 2, "y": 1}]),
    "vw, twice": ("a.vw", "1 | x y x:0.5\n", [{"x": 1.5, "y": 1}]),
    "vw, the same name twice": ("a.vw", "1 |a b | a^b:2\n", [{"a^b": 3}]),
    "vw, no features": ("a.vw", "1 |\n2 | x\n", [{}, {"x": 1}]),
    "vw, bars touch words": ("a.vw", "1 |a x|b y\n", [{"a^x": 1, "b^y": 1}]),
    "review": ("a.review", "Fine_Book:1 a:2 10:30:1 #label#:p\n", [{"Fine_Book": 1, "a": 2, "10:30": 1}]),
    "review, real": ("a.review", "#label#:p a:0.25 b:-1\n", [{"a": 0.25, "b": -1}]),
    "review, not ASCII": ("a.review", "für:1 \u00e4\u00a0b:2 #label#:p\n", [{"für": 1, "\u00e4\u00a0b": 2}]),
    "review, only a label": ("a.review", "#label#:p\na:1 #label#:q\n", [{}, {"a": 1}]),
}


@pytest.mark.parametrize("case", GOOD)
def test_features_are_what_the_lines_say(case: str, tmp_path: Path) -> None:
    name, text, expected = GOOD[case]
    (tmp_path / name).write_text(text, encoding="utf-8")
    data = read_examples(tmp_path / name)
    assert isinstance(data.texts, Bags)
    assert data.texts.to_pylist() == expected
    assert [data.texts[i] for i in range(len(data.texts))] == expected


def test_importance_weights(tmp_path: Path) -> None:
    (tmp_path / "a.vw").write_text("1 2.5 'tag| x\n2 | y\n1 0 0.5 | z\n")
    data = read_examples(tmp_path / "a.vw")
    assert data.texts.weight.tolist() == [2.5, 1.0, 0.0]
    assert data.texts.take([2, 0]).weight.tolist() == [0.0, 2.5]
    assert data.labels.to_pylist() == ["1", "2", "1"]
    (tmp_path / "b.vw").write_text("1 | x\n2 -1 | y\n")
    with pytest.raises(DataError, match="line 2: the importance weight is -1"):
        read_examples(tmp_path / "b.vw")


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.svm", "# column 1 is 'a'\n# column 2 is 'a'\n1 1:1 2:1\n", "two columns are called 'a'"),
        ("a.vw", "| x\n", "no line has a label"),
        ("a.vw", "1 | x\n1 |a y:z\n", "line 2: 'y:z': the value is not a number"),
        ("a.review", "a:1 #label#:p\nb #label#:q\n", "line 2: 'b' is not word:count"),
        ("a.review", "a:1:x #label#:p\n", "'a:1:x' is not word:count"),
    ],
)
def test_what_cannot_be_read(name: str, text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(DataError, match=message) as caught:
        read_examples(tmp_path / name)
    assert caught.value.hint


def test_columns_cannot_be_asked_for(tmp_path: Path) -> None:
    (tmp_path / "a.svm").write_text("1 2:1\n")
    with pytest.raises(DataError, match="no column 'body'") as caught:
        read_examples(tmp_path / "a.svm", text="body")
    assert "--text" in caught.value.hint


def test_vectorizers_of_texts_refuse_them(tmp_path: Path) -> None:
    (tmp_path / "a.svm").write_text("1 2:1\n")
    with pytest.raises(ValueError, match="Expected texts, got features"):
        CountVectorizer().fit(read_examples(tmp_path / "a.svm").texts)


def bags_of(rows: list[dict[str, float]]) -> Bags:
    names = list(dict.fromkeys(name for row in rows for name in row))
    return Bags(
        Csr(
            np.cumsum([0, *map(len, rows)]),
            np.array([names.index(name) for row in rows for name in row], np.int32),
            np.array([value for row in rows for value in row.values()], np.float64),
            len(names),
        ),
        names,
    )


ROWS = st.lists(
    st.dictionaries(st.sampled_from("abcde"), st.sampled_from([1.0, 2.0, -0.5]), max_size=4),
    min_size=1,
    max_size=6,
)


@given(ROWS, ROWS, st.data())
def test_parts_are_those_of_the_dictionaries(
    first: list[dict[str, float]], second: list[dict[str, float]], data: st.DataObject
) -> None:
    bags = bags_of(first)
    assert list(bags) == first
    start, stop = data.draw(st.integers(0, 6)), data.draw(st.integers(0, 6))
    assert bags[start:stop].to_pylist() == first[start:stop]
    assert bags[::-1].to_pylist() == first[::-1]
    assert bags.sorted().to_pylist() == first
    assert bags.sorted().names == sorted(bags.names)
    assert Bags.joined([bags, bags_of(second)]).to_pylist() == first + second
    assert bags.are_counts == all(value >= 0 for row in first for value in row.values())
    assert bags.arrow.to_pylist() == [" ".join(f"{n}:{v:g}" for n, v in row.items()) for row in first]


LINES = "+1 2:0.1 10:3 17:-1e-300\n-1 1:1\n+1\n-1 2:12345678.9 3:1\n"


def test_svmlight_to_vowpal_and_back_loses_nothing(tmp_path: Path) -> None:
    (tmp_path / "a.svm").write_text(LINES)
    before = read_examples(tmp_path / "a.svm")
    steps = ["a.svm", "b.vw", "c.review", "d.vw", "e.svm"]
    for source, target in pairwise(steps):
        convert(tmp_path / source, tmp_path / target)
        after = read_examples(tmp_path / target)
        assert after.texts == before.texts
        assert after.labels == before.labels
        assert fingerprint(after.texts, after.labels) == fingerprint(before.texts, before.labels)
    assert (tmp_path / "e.svm").read_text() == LINES


def test_other_bags_have_another_fingerprint() -> None:
    marks = {fingerprint(bags_of(rows)) for rows in ([{"a": 1}], [{"a": 2}], [{"b": 1}], [{"a": 1}, {}])}
    assert len(marks) == 4


def test_weights_and_namespaces_are_written_again(tmp_path: Path) -> None:
    text = "1 2.5 |a x y:2 |b x | z\n2 0.5 |\n"
    (tmp_path / "a.vw").write_text(text)
    assert convert(tmp_path / "a.vw", tmp_path / "b.vw").remarks == ()
    assert (tmp_path / "b.vw").read_text() == text
    assert "weights of 2 lines" in convert(tmp_path / "a.vw", tmp_path / "a.svm").remarks[0]


def test_tables_of_texts_are_made_of_counts(tmp_path: Path) -> None:
    (tmp_path / "a.vw").write_text("1 |t fine:2 book\n")
    convert(tmp_path / "a.vw", tmp_path / "a.csv")
    assert read_table(tmp_path / "a.csv").column("text").to_pylist() == ["fine fine book"]
    (tmp_path / "a.vw").write_text("1 |t fine:0.5 book\n")
    with pytest.raises(DataError, match=r"'fine' has the value 0\.5"):
        convert(tmp_path / "a.vw", tmp_path / "a.csv")
