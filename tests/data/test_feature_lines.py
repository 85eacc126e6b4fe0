"""Files of features with values: read as they are, kept as they are, written as they are."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lindy.core.csr import Csr
from lindy.core.feature_rows import FeatureRows
from lindy.data import convert, fingerprint, read_examples, read_svmlight, read_table
from lindy.errors import DataError
from lindy.text import CountVectorizer

GOOD: dict[str, tuple[str, str, list[dict[str, float]]]] = {
    "svmlight": ("a.svm", "1 2:0.5 7:-3e-2\n-1 3:1\n", [{"2": 0.5, "7": -0.03}, {"3": 1}]),
    "svmlight, from zero": ("a.svm", "1 0:2 10:1\n", [{"0": 2, "10": 1}]),
    "svmlight, large numbers": ("a.svm", "1 2000000000:1\n", [{"2000000000": 1}]),
    "svmlight, named": ("a.svm", "# column 2 is 'fine'\n1 2:2 3:1\n", [{"fine": 2, "3": 1}]),
    "svmlight, a name that is no string": ("a.svm", "# column 2 is 3.5\n1 2:2\n", [{"3.5": 2}]),
    "svmlight, a name in quotes": ("a.svm", "# column 2 is 'a\\tb'\n1 2:2\n", [{"a\tb": 2}]),
    "svmlight, names that are not at the top": (
        "a.svm",
        "1 2:2\n# column 2 is 'fine'\n1 3:1\n",
        [{"2": 2}, {"3": 1}],
    ),
    "svmlight, a row without features": ("a.svm", "1\n-1 3:1\n", [{}, {"3": 1}]),
    "vw": ("a.vw", "1 | fine book:2.5\n", [{"fine": 1, "book": 2.5}]),
    "vw, namespaces": ("a.vw", "1 |a x |b x:3 | x:-1\n", [{"a^x": 1, "b^x": 3, "x": -1}]),
    "vw, scale": ("a.vw", "1 |a:0.5 x y:4 |b x\n", [{"a^x": 0.5, "a^y": 2, "b^x": 1}]),
    "vw, scale without a name": ("a.vw", "1 |:2 x | y\n", [{"x": 2, "y": 1}]),
    "vw, twice": ("a.vw", "1 | x y x:0.5\n", [{"x": 1.5, "y": 1}]),
    "vw, the same name twice": ("a.vw", "1 |a b | a^b:2\n", [{"a^b": 3}]),
    "vw, no features": ("a.vw", "1 |\n2 | x\n", [{}, {"x": 1}]),
    "vw, one line": ("a.vw", "x |a x\n", [{"a^x": 1}]),
    "vw, no features in any line": ("a.vw", "1 |\n2 |\n", [{}, {}]),
    "vw, all in namespaces": ("a.vw", "1 |a x\n2 |b x |a y\n", [{"a^x": 1}, {"b^x": 1, "a^y": 1}]),
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
    assert isinstance(data.texts, FeatureRows)
    assert data.texts.to_pylist() == expected
    assert [data.texts[i] for i in range(len(data.texts))] == expected


def test_importance_weights(tmp_path: Path) -> None:
    (tmp_path / "a.vw").write_text("1 2.5 'tag| x\n2 | y\n1 0 0.5 | z\n")
    data = read_examples(tmp_path / "a.vw")
    assert data.texts.weight.tolist() == [2.5, 1.0, 0.0]
    assert data.texts.take([2, 0]).weight.tolist() == [0.0, 2.5]
    assert data.labels.to_pylist() == ["1", "2", "1"]
    (tmp_path / "c.vw").write_text("1 2 | x\n| y\n'tag | z\n")
    assert read_table(tmp_path / "c.vw").texts("features").weight.tolist() == [2.0, 1.0, 1.0]
    (tmp_path / "c.vw").write_text("1 1 | x\n2 | y\n")
    assert read_examples(tmp_path / "c.vw").texts.weight is None
    (tmp_path / "b.vw").write_text("1 | x\n2 -1 | y\n")
    with pytest.raises(DataError, match="line 2: the importance weight is -1"):
        read_examples(tmp_path / "b.vw")


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.svm", "# column 1 is 'a'\n# column 2 is 'a'\n1 1:1 2:1\n", "two columns are called 'a'"),
        (
            "a.svm",
            "# column 1 is 'a'\n# column 2 is 'b'\n# column 3 is 'b'\n1 1:1 2:1 3:1\n",
            "two columns are called 'b'",
        ),
        ("a.vw", "\n\n", "there is no row"),
        ("a.review", " \n", "there is no row"),
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
    assert "`text=`" in caught.value.hint
    with pytest.raises(DataError, match="no column 'kind'") as caught:
        read_examples(tmp_path / "a.svm", label="kind")
    assert "`label=`" in caught.value.hint
    with pytest.raises(DataError, match="no column 'kind'") as caught:
        read_examples(tmp_path / "a.svm", text="features", label="kind")
    assert "`label=`" in caught.value.hint


@pytest.mark.parametrize(
    ("options", "label"),
    [
        ({}, "label"),
        ({"text": "features", "label": "label"}, "label"),
        ({"need_label": False}, None),
        ({"need_label": False, "label": "label"}, "label"),
    ],
)
def test_what_is_taken_is_told(options: dict[str, Any], label: str | None, tmp_path: Path) -> None:
    (tmp_path / "a.svm").write_text("1 2:1 3:4\n")
    columns = read_examples(tmp_path / "a.svm", **options).columns
    assert (columns.text, columns.label) == ("features", label)
    assert columns.why == "2 features with their values, as they are" + (
        ", and the label of each line" if label else ""
    )


def test_names_are_those_of_features(tmp_path: Path) -> None:
    (tmp_path / "a.review").write_text("a:1 b:2 #label#:p\nb:1 #label#:q\n")
    assert read_examples(tmp_path / "a.review").texts.names == ["a", "b"]
    (tmp_path / "a.vw").write_text("p | a b\nq |\n")
    assert read_examples(tmp_path / "a.vw").texts.names == ["a", "b"]


def test_vectorizers_of_texts_refuse_them(tmp_path: Path) -> None:
    (tmp_path / "a.svm").write_text("1 2:1\n")
    with pytest.raises(ValueError, match="Expected texts, got features"):
        CountVectorizer().fit(read_examples(tmp_path / "a.svm").texts)


def feature_rows_of(rows: list[dict[str, float]]) -> FeatureRows:
    names = list(dict.fromkeys(name for row in rows for name in row))
    return FeatureRows(
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
    examples = feature_rows_of(first)
    assert list(examples) == first
    start, stop = data.draw(st.integers(0, 6)), data.draw(st.integers(0, 6))
    assert examples[start:stop].to_pylist() == first[start:stop]
    assert examples[::-1].to_pylist() == first[::-1]
    assert examples.sorted().to_pylist() == first
    assert examples.sorted().names == sorted(examples.names)
    assert FeatureRows.joined([examples, feature_rows_of(second)]).to_pylist() == first + second
    assert examples.are_counts == all(value >= 0 for row in first for value in row.values())
    assert examples.arrow.to_pylist() == [" ".join(f"{n}:{v:g}" for n, v in row.items()) for row in first]


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
    marks = {
        fingerprint(feature_rows_of(rows)) for rows in ([{"a": 1}], [{"a": 2}], [{"b": 1}], [{"a": 1}, {}])
    }
    assert len(marks) == 4


def test_weights_and_namespaces_are_written_again(tmp_path: Path) -> None:
    text = "1 2.5 |a x y:2 |b x | z\n2 0.5 |\n"
    (tmp_path / "a.vw").write_text(text)
    assert convert(tmp_path / "a.vw", tmp_path / "b.vw").remarks == ()
    assert (tmp_path / "b.vw").read_text() == text
    assert "weights of 2 lines" in convert(tmp_path / "a.vw", tmp_path / "a.svm").remarks[0]


@pytest.mark.parametrize(
    ("line", "unused"),
    [
        ("1 | x", False),
        ("1 2 | x", False),
        ("| x", False),
        ("1 'tag| x", True),
        ("tag| x", True),
        ("1 1 0.5 | x", True),
    ],
)
def test_what_is_not_used_is_told(line: str, unused: bool, tmp_path: Path) -> None:
    (tmp_path / "a.vw").write_text(f"{line}\n2 | y\n")
    remarks = read_table(tmp_path / "a.vw").remarks
    expected = f"{tmp_path / 'a.vw'}: the tags and initial predictions of 1 lines are not used"
    assert remarks == ((expected,) if unused else ())


def test_numbers_of_columns_stay_however_large(tmp_path: Path) -> None:
    """Columns between them take no memory."""
    for lines in ("1 | 0 7:2\n2 | 3\n", "1 | 999999999:2\n2 | 7\n"):
        (tmp_path / "a.vw").write_text(lines)
        convert(tmp_path / "a.vw", tmp_path / "a.svm")
        convert(tmp_path / "a.svm", tmp_path / "b.vw")
        assert (tmp_path / "b.vw").read_text() == lines
    (tmp_path / "a.vw").write_text("1 | 10 7:2 9:0.5\n")
    convert(tmp_path / "a.vw", tmp_path / "a.svm")
    assert (tmp_path / "a.svm").read_text() == "1 7:2 9:0.5 10:1\n"
    (tmp_path / "a.vw").write_text("1 | 07 7\n")
    convert(tmp_path / "a.vw", tmp_path / "a.svm")
    assert (tmp_path / "a.svm").read_text() == "# column 1 is '07'\n# column 2 is '7'\n1 1:1 2:1\n"


def test_rows_without_a_label(tmp_path: Path) -> None:
    (tmp_path / "a.vw").write_text("a | x\n| y:2\n")
    told = convert(tmp_path / "a.vw", tmp_path / "a.svm").remarks
    assert told == ("rows without a label got the label 0, which the format needs",)
    assert read_svmlight(tmp_path / "a.svm").labels.tolist() == ["1", "0"]  # a and 0, in their order
    (tmp_path / "a.vw").write_text("a | x\nb | y:2\n")
    assert convert(tmp_path / "a.vw", tmp_path / "a.svm").remarks == ()
    (tmp_path / "a.txt").write_text("fine book\ndull\n")
    written = {
        "a.vw": "| fine book\n| dull\n",
        "a.review": "fine:1 book:1\ndull:1\n",
        "a.svm": "# column 1 is 'book'\n# column 2 is 'dull'\n# column 3 is 'fine'\n0 1:1 3:1\n0 2:1\n",
    }
    for name, expected in written.items():
        convert(tmp_path / "a.txt", tmp_path / name)
        assert (tmp_path / name).read_text() == expected


def test_lines_without_weights_have_none_when_they_are_written(tmp_path: Path) -> None:
    (tmp_path / "a.review").write_text("x:1 #label#:p\n")
    convert(tmp_path / "a.review", tmp_path / "a.vw")
    assert (tmp_path / "a.vw").read_text() == "p | x\n"


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["a", "b", "a"], "two columns are called 'a'"),
        (["", ""], "two columns have the same name"),
    ],
)
def test_columns_of_one_name_cannot_number_others(names: list[str], message: str, tmp_path: Path) -> None:
    lines = [f"# column {i} is {name!r}\n" for i, name in enumerate(names, start=1)]
    (tmp_path / "train.svm").write_text("".join(lines) + "1 1:1\n")
    (tmp_path / "a.vw").write_text("1 | a\n")
    with pytest.raises(DataError, match=message) as caught:
        convert(tmp_path / "a.vw", tmp_path / "a.svm", columns=tmp_path / "train.svm")
    assert caught.value.hint


def test_tables_of_texts_are_made_of_counts(tmp_path: Path) -> None:
    (tmp_path / "a.vw").write_text("1 |t fine:2 book\n")
    convert(tmp_path / "a.vw", tmp_path / "a.csv")
    assert read_table(tmp_path / "a.csv").column("text").to_pylist() == ["fine fine book"]
    (tmp_path / "a.vw").write_text("1 |t fine:0.5 book\n")
    with pytest.raises(DataError, match=r"'fine' has the value 0\.5"):
        convert(tmp_path / "a.vw", tmp_path / "a.csv")
