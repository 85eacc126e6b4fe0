"""Several labels per row: joined in cells, lists, columns of labels, and what is found by content."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lindy.core.column import distinct
from lindy.core.targets import ManyLabels, as_targets
from lindy.data import examples_of, read_chunks, read_examples, read_table
from lindy.data.columns.label_cleaning import LabelRules
from lindy.data.columns.preparation import Preparation
from lindy.data.columns.several_labels import found_separator, joined_cells, list_column
from lindy.data.columns.table import Table, joined
from lindy.data.write.convert import convert
from lindy.errors import DataError, LabelTypeError

TAGS = [["good", "new"], [], ["new"], ["good", "old", "new"]]


def table(labels: list[str | None], **more: Any) -> Table:
    return Table.of("t.csv", {"text": [f"text {i}" for i in range(len(labels))], "label": labels}, **more)


def lists(data: Any) -> list[list[str]]:
    """The labels of each row, as everything behind the reader sees them."""
    targets = as_targets(data.labels, several=True)
    assert isinstance(targets, ManyLabels)
    assert [sorted(own) for own in data.labels.to_pylist()] == [list(own) for own in targets.labels]
    return data.labels.to_pylist()


def files(folder: Path) -> dict[str, dict[str, Any]]:
    """The same labels in every form, with what has to be said about it."""
    rows = [(f"text {i}", own) for i, own in enumerate(TAGS)]
    (folder / "a.csv").write_text("text,label\n" + "".join(f"{text},{'|'.join(own)}\n" for text, own in rows))
    (folder / "b.csv").write_text(
        "text,good,new,old\n"
        + "".join(
            f"{text},{'1' if 'good' in own else '0'},{'x' if 'new' in own else ''},{'old' in own}\n"
            for text, own in rows
        )
    )
    (folder / "c.jsonl").write_text("".join(json.dumps({"text": t, "tags": own}) + "\n" for t, own in rows))
    pq.write_table(pa.table({"text": [t for t, _ in rows], "tags": TAGS}), folder / "d.parquet")
    (folder / "e.ft").write_text(
        "".join("".join(f"__label__{label} " for label in own) + text + "\n" for text, own in rows)
    )
    return {
        "a.csv": {"label_separator": "|"},
        "b.csv": {"label": "good,new,old"},
        "c.jsonl": {},
        "d.parquet": {},
        "e.ft": {},
    }


@pytest.mark.parametrize("rules", [None, LabelRules()])
@pytest.mark.parametrize("name", ["a.csv", "b.csv", "c.jsonl", "d.parquet", "e.ft"])
def test_every_form_is_read_as_the_same_lists(tmp_path: Path, name: str, rules: LabelRules | None) -> None:
    given = files(tmp_path)[name]
    data = read_examples(tmp_path / name, rules=rules, **given)
    assert [set(own) for own in lists(data)] == [set(own) for own in TAGS]
    assert data.texts.to_pylist() == [f"text {i}" for i in range(4)]
    assert data.table.num_rows == len(TAGS)  # rows without any label stay


@given(st.lists(st.lists(st.text("ab;- ", min_size=1).map(str.strip).filter(bool), max_size=4), min_size=1))
def test_joining_and_splitting_are_inverse(rows: list[list[str]]) -> None:
    column = list_column(rows, np.arange(len(rows)))
    cells = joined_cells(column, "|", str)
    if not any(rows):
        with pytest.raises(DataError, match="no row has a label"):
            examples_of(table(list(cells)), label_separator="|")
        return
    read = lists(examples_of(table(list(cells)), label_separator="|"))
    assert read == [list(dict.fromkeys(own)) for own in rows] == column.to_pylist()


def test_spaces_blanks_repeats_and_spellings() -> None:
    cells = [" a | b", "b|b||", None, "", "|", "B|a"]
    assert lists(examples_of(table(cells), label_separator="|")) == [
        ["a", "b"],
        ["b"],
        [],
        [],
        [],
        ["B", "a"],
    ]
    data = examples_of(table(cells), rules=LabelRules(merge="case", separator="|"))
    assert lists(data) == [["a", "b"], ["b"], [], [], [], ["b", "a"]]
    assert any("'b' (2)" in remark for remark in data.table.remarks)


def test_whole_labels_stay_as_they_are() -> None:
    cells = ["a|b", "b", "a", "b|c"] * 10
    data = examples_of(table(list(cells)), label_separator="none")
    assert data.labels.to_pylist() == cells
    assert data.table.source["label_separator"] == "none"


def some_cells(n_rows: int, separator: str, n_labels: int = 8) -> list[str]:
    rng = np.random.default_rng(0)
    return [
        separator.join(f"l{k}" for k in sorted(rng.permutation(n_labels)[: rng.integers(1, 4)]))
        for _ in range(n_rows)
    ]


@pytest.mark.parametrize("separator", ["|", ";", ",", ", "])
def test_joined_labels_are_found(separator: str) -> None:
    cells = some_cells(300, separator)
    data = examples_of(table(list(cells)), rules=LabelRules(finds=True))
    assert lists(data) == [cell.split(separator) for cell in cells]
    mark = separator.strip()
    assert data.table.remarks == (
        f"t.csv: labels are several per row, joined by {mark!r} (8 labels): `label_separator='none'` keeps them whole",
    )
    assert data.table.source["label_separator"] == mark


@pytest.mark.parametrize(
    "cells",
    [
        pytest.param(["a", "b", "c", "a,b"] * 50, id="few combinations"),
        pytest.param(["Food, Drink", "Health, Fitness", "Art"] * 50, id="names"),
        pytest.param([f"{a}|{b}" for a in "abcdefgh" for b in "12345678"] * 3, id="pairs"),
        pytest.param(["a", "b"] * 500 + some_cells(40, ","), id="in few rows"),
        pytest.param([f"Smith{i}, John{i % 7}" for i in range(200)] + ["x"] * 9, id="persons"),
        pytest.param([str(i % 5) for i in range(100)], id="single"),
        pytest.param(["1,5", "2,5", "3", "4,5"] * 30, id="decimal commas"),
    ],
)
def test_single_labels_are_not_taken_for_joined_ones(cells: list[str]) -> None:
    data = examples_of(table(list(cells)), rules=LabelRules(finds=True))
    assert data.labels.to_pylist() == cells
    assert "label_separator" not in data.table.source


@given(st.lists(st.sampled_from(["a", "b", "a|b", "b;c", "a,b,c", ""]), min_size=1, max_size=40))
def test_what_is_found_has_fewer_labels_than_cells(cells: list[str]) -> None:
    values, codes = distinct(pa.chunked_array([pa.array(cells)]))
    if (mark := found_separator(values, np.bincount(codes, minlength=len(values)))) is not None:
        parts = {part for value in values for part in value.split(mark)} - {""}
        assert 2 * len(parts) <= len(values)
        assert sum(mark in cell for cell in cells) * 20 >= len(cells)


def test_a_pattern_names_the_columns_of_labels(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("text,tag_a,tag_b,other\none,YES,0,q\ntwo,no,1.0,q\nthree,,,q\n")
    for label in ("tag_*", "tag_a,tag_b", "tag_?", "tag_b, tag_a"):
        assert [sorted(own) for own in lists(read_examples(path, label=label))] == [["tag_a"], ["tag_b"], []]
    with pytest.raises(DataError, match="no column 'tag_c'"):
        read_examples(path, label="tag_a,tag_c")
    with pytest.raises(
        DataError, match=r"t.csv, line 2 \(row 1\): 'q' in the column 'other'.*expected 1 or 0"
    ):
        read_examples(path, label="tag_*,other")


def test_a_column_with_that_very_name_is_one_column(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text('text,"a,b",a,b\none,x,0,1\ntwo,y,1,1\n')
    assert read_examples(path, label="a,b").labels.to_pylist() == ["x", "y"]


def test_lists_of_labels_may_be_null_and_hold_numbers(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text(
        '{"text": "a", "label": null}\n{"text": "b", "label": [1, "x", null, ""]}\n{"text": "c"}\n'
    )
    assert lists(read_examples(path)) == [[], ["1", "x"], []]
    pq.write_table(pa.table({"text": ["a", "b"], "label": [None, [3, 1]]}), tmp_path / "t.parquet")
    assert lists(read_examples(tmp_path / "t.parquet")) == [[], ["3", "1"]]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (
            ['{"text": "a", "label": ["x"]}', '{"text": "b", "label": "y"}'],
            "line 2: 'label' is a string, and an array",
        ),
        (
            ['{"text": "a", "label": "x"}', '{"text": "b", "label": ["y"]}'],
            "line 2: 'label' is an array, expected",
        ),
        (['{"text": "a", "label": [["x"]]}'], "line 1: 'label' is an array, expected"),
        (['{"text": ["a"], "label": "x"}'], "line 1: 'text' is an array, expected"),
    ],
)
def test_mixed_and_nested_lists_are_refused(tmp_path: Path, rows: list[str], message: str) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text("\n".join(rows) + "\n")
    with pytest.raises(DataError, match=message):
        read_examples(path, "text", "label")


def test_single_and_several_labels_in_two_files_are_refused(tmp_path: Path) -> None:
    one, several = tmp_path / "one.jsonl", tmp_path / "several.jsonl"
    one.write_text('{"text": "a", "label": "x"}\n')
    several.write_text('{"text": "b", "label": ["x", "y"]}\n')
    with pytest.raises(DataError, match=r"one\.jsonl: 'label' has one label in each row, .*several\.jsonl"):
        read_examples([one, several])
    assert lists(read_examples([several, several])) == [["x", "y"]] * 2


def test_a_label_with_the_separator_cannot_be_joined() -> None:
    with pytest.raises(DataError, match=r"row 1: the label 'a\|b' contains '\|'"):
        joined_cells(list_column([["c"], ["a|b"]], [0, 1]), "|", lambda row: f"row {row}")


def test_fasttext_lines_in_two_files_need_not_both_have_several(tmp_path: Path) -> None:
    (tmp_path / "a.ft").write_text("__label__x one\n")
    (tmp_path / "b.ft").write_text("__label__x __label__y two\n")
    paths = [tmp_path / "a.ft", tmp_path / "b.ft"]
    assert lists(read_examples(paths)) == [["x"], ["x", "y"]]
    assert read_examples(paths[0]).labels.to_pylist() == ["x"]


def test_who_takes_one_label_refuses_several(tmp_path: Path) -> None:
    files(tmp_path)
    with pytest.raises(LabelTypeError, match="several labels"):
        distinct(read_examples(tmp_path / "c.jsonl").labels)


def test_no_label_at_all_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "t.jsonl").write_text('{"text": "a", "label": []}\n' * 2)
    with pytest.raises(DataError, match="no row has a label"):
        read_examples(tmp_path / "t.jsonl")


def test_a_model_reads_later_tables_in_the_same_way() -> None:
    class Model:
        columns = None

        def __init__(self, source: dict[str, str]) -> None:
            self.columns_ = {"text": "text", "label": "label", **source}

    trained = examples_of(table(["a;b", "b"]), label_separator=";")
    rules = Preparation.of(Model(dict(trained.table.source))).rules()
    assert lists(examples_of(table(["b", "a; c"]), rules=rules)) == [["b"], ["a", "c"]]
    of_lists = Preparation.of(Model({"label_separator": ""})).rules()
    assert lists(examples_of(table(["b", "", "a;c"]), rules=of_lists)) == [["b"], [], ["a;c"]]
    assert Preparation.of(Model({})).rules().separator is None


def test_tables_keep_lists_when_rows_are_taken_and_joined(tmp_path: Path) -> None:
    files(tmp_path)
    own = read_table(tmp_path / "c.jsonl")
    assert own.take(np.array([3, 1])).values("tags").to_pylist() == [TAGS[3], TAGS[1]]
    assert joined([own, own]).values("tags").to_pylist() == TAGS * 2
    with pytest.raises(DataError, match=r"c\.jsonl, line 1: 'tags' is an array, expected a string"):
        own.texts("tags")


def write_lines(folder: Path) -> dict[str, dict[str, Any]]:
    """Labels 1, 3 and 5 of four rows in formats of lines, some without any."""
    files = {
        "a.vw": ("1,3 | a b\n| c\n5 2.0 | d:2\n0,1,5 | e\n", {"label_separator": ","}),
        "b.svm": ("1,3 1:1 2:0.5\n 3:1\n5 9:2\n0,1,5 1:1\n", {}),
        "c.svm": ("4 10 6\n1,3 0:1 2:0.5\n3:1\n5 9:2\n0,1,5 1:1\n", {}),
        "d.txt": ("7\t1 3\ta b\n8\t\tc\n\n9\t5\td\td\n10\t0 1 5\te\n", {"format": "libmultilabel"}),
        "e.txt": ("1 3\ta b\n\tc\n5\td d\n0 1 5\te\n", {"format": "libmultilabel"}),
        "f.tsv": ("a b\t<1> <3>\nc\t\nd\td\t<5>\ne\t<0> <1> 5\n", {"format": "annif"}),
    }
    for name, (content, _) in files.items():
        (folder / name).write_text(content)
    return {name: options for name, (_, options) in files.items()}


@pytest.mark.parametrize("name", ["a.vw", "b.svm", "c.svm", "d.txt", "e.txt", "f.tsv"])
def test_lines_with_several_labels(tmp_path: Path, name: str) -> None:
    data = read_examples(tmp_path / name, **write_lines(tmp_path)[name])
    assert lists(data) == [["1", "3"], [], ["5"], ["0", "1", "5"]]


def test_lines_of_one_label_stay_as_they_were(tmp_path: Path) -> None:
    (tmp_path / "a.svm").write_text("1,3 1:1\n2 3:1\n")  # `label_separator` says that they are several
    assert read_examples(tmp_path / "a.svm").labels.to_pylist() == ["1,3", "2"]
    (tmp_path / "b.svm").write_text("1 1:1\n 3:1\n")
    with pytest.raises(DataError, match=r"b\.svm, line 2: .*where the label should be"):
        read_examples(tmp_path / "b.svm")
    (tmp_path / "c.svm").write_text("1 1:1\n4 10 6\n")
    with pytest.raises(DataError, match=r"c\.svm, line 2: '10' is not index:value"):
        read_examples(tmp_path / "c.svm")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a\tb\tc\n1 2\n", r"line 2: 0 tabs, where lines have 2"),
        ("only\n", r"line 1: 0 tabs, where lines have 2"),
        ("\n\n", "there is no row"),
    ],
)
def test_lines_that_are_not_libmultilabels(tmp_path: Path, content: str, message: str) -> None:
    (tmp_path / "a.txt").write_text(content)
    with pytest.raises(DataError, match=message):
        read_examples(tmp_path / "a.txt", format="libmultilabel")


NAMES = {
    "csv": "b.csv", "tsv": "b.tsv", "jsonl": "b.jsonl", "parquet": "b.parquet", "fasttext": "b.ft", "annif": "b.txt",
    "libmultilabel": "b.txt", "vw": "b.vw", "svmlight": "b.svm",
}  # fmt: skip


@pytest.mark.parametrize("target", NAMES)
@pytest.mark.parametrize("name", ["a.csv", "b.csv", "c.jsonl", "d.parquet", "e.ft"])
def test_converted_labels_are_the_same(tmp_path: Path, name: str, target: str) -> None:
    given = files(tmp_path)[name]
    out = tmp_path / "out" / NAMES[target]
    out.parent.mkdir()
    done = convert(tmp_path / name, out, target_format=target, **given)
    assert done.rows == len(TAGS)
    separator = {"csv": "|", "tsv": "|", "vw": ","}.get(target)
    data = read_examples(out, format=target, label_separator=separator)
    assert [set(own) for own in lists(data)] == [set(own) for own in TAGS]
    if target in ("jsonl", "parquet"):
        column = read_table(out).column_names[1]
        assert [set(own) for own in read_table(out).values(column).to_pylist()] == [set(own) for own in TAGS]


def test_other_columns_are_kept(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("id,text,label\n1,a,x;y\n2,b,\n")
    convert(tmp_path / "a.csv", tmp_path / "b.jsonl", label_separator=";")
    assert [json.loads(line) for line in (tmp_path / "b.jsonl").read_text().splitlines()] == [
        {"id": "1", "text": "a", "label": ["x", "y"]},
        {"id": "2", "text": "b", "label": []},
    ]


@pytest.mark.parametrize("columns", [{}, {"text": "text"}, {"label": "label"}], ids=["all", "text", "label"])
@pytest.mark.parametrize("target", ["b.csv", "b.jsonl", "b.parquet"])
def test_tables_are_converted_part_by_part(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, columns: dict[str, str], target: str
) -> None:
    cells = [""] * 40 + ["x;y", "x", "", "z;x"] * 40
    lines = [f"{row},text {row},{cell}" for row, cell in enumerate(cells)]
    (tmp_path / "a.csv").write_text("\n".join(["id,text,label", *lines, ""]))
    made = []
    monkeypatch.setattr("lindy.data.chunks.delimited_parts.BLOCK", 200)
    for size in (10**6, 300):  # the first parts have no label
        monkeypatch.setattr("lindy.data.write.convert.read_chunks", partial(read_chunks, size=size))
        done = convert(tmp_path / "a.csv", tmp_path / target, label_separator=";", **columns)
        assert done.rows == len(cells)
        made.append(read_table(tmp_path / target))
    assert made[0].column_names == (["text", "label"] if columns else ["id", "text", "label"])
    for name in made[0].column_names:
        assert made[0].values(name).to_pylist() == made[1].values(name).to_pylist()
    assert len(list(read_chunks(tmp_path / "a.csv", size=300))) > 5


@pytest.mark.parametrize("target", ["b.review", "b.csv", "b.ft", "b.vw"])
def test_labels_that_a_format_cannot_hold_are_refused(tmp_path: Path, target: str) -> None:
    (tmp_path / "a.jsonl").write_text(
        '{"text": "t", "label": ["x", "y"]}\n{"text": "u", "label": ["a|b c", "d"]}\n'
    )
    with pytest.raises(DataError, match=r"(row|line) 1: several labels|(row|line) 2.*'a\|b c'"):
        convert(tmp_path / "a.jsonl", tmp_path / target)
    assert not (tmp_path / target).exists()


def test_svmlight_rows_keep_their_labels(tmp_path: Path) -> None:
    write_lines(tmp_path)
    convert(tmp_path / "c.svm", tmp_path / "out.svm")
    assert (tmp_path / "out.svm").read_text() == "1,3 0:1 2:0.5\n 3:1\n5 9:2\n0,1,5 1:1\n"
    convert(tmp_path / "c.svm", tmp_path / "out.vw")
    assert (tmp_path / "out.vw").read_text() == "1,3 | 0 2:0.5\n| 3\n5 | 9:2\n0,1,5 | 1\n"


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.txt", "4 10 6\n1,3 0:1 2:0.5\n 3:1\n5 9:2\n0,1,5 1:1\n"),
        ("b.tsv", "a b\t<1> <3>\nc\t\nd\td\t<5>\ne\t<0> <1> 5\n"),
        ("c.txt", "a b\t<1> <3>\nc\t\nd\td\t<5>\ne\t<0> <1> 5\n"),
    ],
)
def test_lines_with_several_labels_are_told_by_their_first_lines(
    tmp_path: Path, name: str, content: str
) -> None:
    (tmp_path / name).write_text(content)
    assert lists(read_examples(tmp_path / name)) == [["1", "3"], [], ["5"], ["0", "1", "5"]]


def test_three_numbers_in_a_text_are_a_text(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("4 10 6\none two\n")
    assert read_table(tmp_path / "a.txt").texts("text").to_pylist() == ["4 10 6", "one two"]


def test_files_of_extreme_classification_are_written(tmp_path: Path) -> None:
    write_lines(tmp_path)
    convert(tmp_path / "c.svm", tmp_path / "out.txt", target_format="extreme")
    assert (tmp_path / "out.txt").read_text() == "4 10 6\n1,3 0:1 2:0.5\n 3:1\n5 9:2\n0,1,5 1:1\n"
    with pytest.raises(DataError, match="numbers for columns and labels"):
        convert(tmp_path / "a.vw", tmp_path / "no.txt", target_format="extreme", label_separator=",")


@pytest.mark.parametrize("address", ["", "http://e.org/"])
def test_a_folder_of_annif_is_written(tmp_path: Path, address: str) -> None:
    own = [[address + tag for tag in labels] for labels in TAGS]
    rows = [{"text": f"t\n{i}", "label": labels} for i, labels in enumerate(own)]
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    convert(tmp_path / "a.jsonl", tmp_path / "out")
    data = read_examples(tmp_path / "out")
    assert data.texts.to_pylist() == ["t\n0", "t\n1", "t\n2", "t\n3"]
    assert lists(data) == own
    (tmp_path / "b.jsonl").write_text('{"text": "t", "label": ["x", "two\\nlines"]}\n')
    with pytest.raises(DataError, match=r"line 1: the label 'two\\nlines'"):
        convert(tmp_path / "b.jsonl", tmp_path / "no")
    assert not (tmp_path / "no").exists()


def test_a_folder_of_annif(tmp_path: Path) -> None:
    for name, content in {
        "1.txt": "one",
        "1.key": "a\nb c\n",
        "2.txt": "two",
        "3.txt": "three",
        "3.tsv": "<u:1>\tx\n<u:2>",
    }.items():
        (tmp_path / name).write_text(content)
    data = read_examples(tmp_path)
    assert data.texts.to_pylist() == ["one", "two", "three"]
    assert lists(data) == [["a", "b c"], [], ["u:1", "u:2"]]
    below = tmp_path / "class"
    below.mkdir()
    for path in list(tmp_path.glob("*.*")):
        path.rename(below / path.name)
    assert (
        read_examples(tmp_path).labels.to_pylist() == ["class"] * 5
    )  # in the folders of classes, files are texts


def test_a_later_part_of_fasttext_lines_may_be_the_first_with_several(tmp_path: Path) -> None:
    path = tmp_path / "t.ft"
    path.write_text("__label__a one two three\n" * 50 + "__label__a __label__b four\n" * 50)
    rules = LabelRules(is_part=True, separator="none")  # as the first part told
    parts = [examples_of(part, rules=rules).labels.to_pylist() for part in read_chunks(path, size=500)]
    labels = [[own] if isinstance(own, str) else own for part in parts for own in part]
    assert len(parts) > 3
    assert labels == [["a"]] * 50 + [["a", "b"]] * 50
