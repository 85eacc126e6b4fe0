"""Rows of several columns: which are taken as what, the sentence that says so, and what is refused."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from lindy.core.inputs import as_inputs
from lindy.data import read_examples, read_table
from lindy.data.columns.label_cleaning import LabelRules
from lindy.data.columns.records import rows_of
from lindy.data.columns.table import Table
from lindy.errors import DataError

HEADER = "title,body,price,stock,colour,kind"
LINES = ["A pan,a pan of iron,9.5,1,black,kitchen", "A rug,a rug of wool,,2,red,floor", "Oil,,3,,,kitchen"]


@pytest.fixture
def goods(tmp_path: Path) -> Table:
    path = tmp_path / "goods.csv"
    path.write_text("\n".join([HEADER, *LINES]) + "\n")
    return read_table(path)


def only(table: Table, *names: str) -> Table:
    """Return a table with these columns alone."""
    return Table.of(table.path, {name: table.column(name).to_pylist() for name in names})


def test_texts_and_categories_are_strings_and_numbers_are_numbers(goods: Table) -> None:
    columns = {"text": ["body", "title"], "numeric": ["price"], "category": ["colour"]}
    data = rows_of(goods, columns, "kind")
    assert data.texts.to_pydict() == {
        "body": ["a pan of iron", "a rug of wool", ""],
        "title": ["A pan", "A rug", "Oil"],
        "price": [9.5, None, 3],
        "colour": ["black", "red", ""],
    }
    assert data.labels.to_pylist() == ["kitchen", "floor", "kitchen"]
    assert data.columns.text == "'body' and 'title'"
    assert data.columns.label == "kind"


def test_a_missing_text_or_category_is_an_empty_one(tmp_path: Path) -> None:
    path = tmp_path / "goods.jsonl"
    path.write_text(
        '{"text": "a", "colour": null, "label": "x"}\n{"text": null, "colour": "red", "label": "y"}\n'
    )
    data = rows_of(read_table(path), {"text": ["text"], "category": ["colour"]}, "label")
    assert data.texts.to_pydict() == {"text": ["a", ""], "colour": ["", "red"]}


TAKEN: dict[str, tuple[Sequence[str], Mapping[str, Sequence[str]], dict[str, Any], list[str], str]] = {
    "all as asked": (
        (),
        {"text": ["body"], "numeric": ["price"]},
        {"label": "kind"},
        ["body", "price"],
        "text from 'body', numbers from 'price', label from column 'kind' (as asked)",
    ),
    "the label is found beside them": (
        ("body", "price", "colour", "kind"),
        {"text": ["body"], "numeric": ["price"], "category": ["colour"]},
        {},
        ["body", "price", "colour"],
        "text from 'body', numbers from 'price', categories from 'colour',"
        " label from column 'kind' (2 distinct values in 3 rows)",
    ),
    "three texts are listed with commas": (
        ("title", "body", "colour", "kind"),
        {"text": ["title", "body", "colour"]},
        {"label": "kind"},
        ["title", "body", "colour"],
        "text from 'title', 'body', 'colour', label from column 'kind' (as asked)",
    ),
    "the text is found beside numbers": (
        ("body", "price", "kind"),
        {"numeric": ["price"]},
        {"label": "kind"},
        ["body", "price"],
        "text from column 'body' (by its name), label from column 'kind' (as asked), numbers from 'price'",
    ),
    "text and label are found beside numbers": (
        ("body", "price", "kind"),
        {"numeric": ["price"]},
        {},
        ["body", "price"],
        "text from column 'body' (by its name), label from column 'kind' (2 distinct values in 3 rows),"
        " numbers from 'price'",
    ),
    "only numbers, and the label is what is left": (
        ("price", "stock", "kind"),
        {"numeric": ["price", "stock"]},
        {},
        ["price", "stock"],
        "numbers from 'price' and 'stock', label from column 'kind' (2 distinct values in 3 rows)",
    ),
    "only numbers, and no label is needed": (
        ("price", "stock"),
        {"numeric": ["price", "stock"]},
        {"need_label": False},
        ["price", "stock"],
        "numbers from 'price' and 'stock'",
    ),
    "a text is found where no label is needed": (
        ("price", "body"),
        {"numeric": ["price"]},
        {"need_label": False},
        ["body", "price"],
        "text from column 'body' (by its name), numbers from 'price'",
    ),
    "a model was trained without a text": (
        ("body", "price", "kind"),
        {"numeric": ["price"]},
        {"label": "kind", "trained": True},
        ["price"],
        "numbers from 'price', label from column 'kind' (as in training)",
    ),
    "a model was trained, and the label is found": (
        ("body", "price", "kind"),
        {"text": ["body"], "numeric": ["price"]},
        {"trained": True},
        ["body", "price"],
        "text from 'body', numbers from 'price', label from column 'kind' (2 distinct values in 3 rows)",
    ),
}


@pytest.mark.parametrize("case", TAKEN)
def test_what_is_taken(case: str, goods: Table) -> None:
    names, columns, options, taken, why = TAKEN[case]
    data = rows_of(only(goods, *(names or goods.column_names)), columns, **options)
    assert data.texts.column_names == taken
    assert data.columns.why == why
    assert (data.labels is not None) == options.get("need_label", True)


def test_the_label_is_found_by_its_name() -> None:
    columns = {"text": ["a", "b"], "price": ["1", "2"], "note": ["x", "y"], "class": ["p", "q"]}
    data = rows_of(Table.of("made", columns), {"text": ["text"], "numeric": ["price"]})
    assert data.columns.label == "class"
    assert data.columns.why.endswith("label from column 'class' (by its name)")


REFUSED: dict[str, tuple[Mapping[str, Sequence[str]], dict[str, Any], str]] = {
    "no such column": ({"numeric": ["cost"]}, {}, "goods.csv: no column 'cost'"),
    "no such column of a model": (
        {"numeric": ["cost"]},
        {"trained": True},
        "goods.csv: no column 'cost', which the model was trained on",
    ),
    "no column is left": (
        {"text": ["title", "body", "colour", "kind"], "numeric": ["price", "stock"]},
        {},
        "goods.csv: no column is left for the label",
    ),
    "no such label": ({"text": ["body"]}, {"label": "class"}, "goods.csv: no column 'class'"),
    "twice in a role": ({"text": ["body", "body"]}, {}, "goods.csv: the column 'body' is named twice"),
    "in two roles": (
        {"text": ["body"], "category": ["colour", "body"]},
        {},
        "goods.csv: the column 'body' is named twice",
    ),
    "feature and label": (
        {"text": ["body"], "category": ["kind"]},
        {"label": "kind"},
        "goods.csv: the column 'kind' is named twice",
    ),
    "a number that is none": (
        {"text": ["body"], "numeric": ["colour"]},
        {"label": "kind"},
        "goods.csv, line 2 (row 1): 'colour' is 'black', expected a number",
    ),
    "a label that is empty": (
        {"text": ["body"]},
        {"label": "colour"},
        "goods.csv, line 4 (row 3): the label is empty (column 'colour')",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_refused(case: str, goods: Table) -> None:
    columns, options, message = REFUSED[case]
    with pytest.raises(DataError) as caught:
        rows_of(goods, columns, **options)
    assert str(caught.value).removeprefix(goods.path.removesuffix("goods.csv")) == message
    assert caught.value.hint


def test_a_wrong_label_is_compared_with_all_columns(goods: Table) -> None:
    with pytest.raises(DataError) as caught:
        rows_of(goods, {"numeric": ["price"], "category": ["kind"]}, "kid")
    assert str(caught.value.hint).startswith("Did you mean 'kind'? The columns are: 'title', 'body', 'price'")


def test_rows_with_a_blank_label_are_left_out_by_rules(goods: Table) -> None:
    data = rows_of(goods, {"numeric": ["stock"]}, "colour", rules=LabelRules(), trained=True)
    assert data.texts.to_pydict() == {"stock": [1, 2]}
    assert data.labels.to_pylist() == ["black", "red"]
    assert data.table.num_rows == 2


def test_the_text_of_a_row() -> None:
    words = pa.chunked_array([["fine", None]])
    assert as_inputs(words).written is words
    assert as_inputs(pa.table({"text": words})).written.to_pylist() == ["fine", ""]
    several = pa.table({"text": words, "price": pa.array([1.5, None]), "colour": ["red", "blue"]})
    assert as_inputs(several).written.to_pylist() == ["fine | 1.5 | red", " |  | blue"]


def test_the_text_of_a_bag(tmp_path: Path) -> None:
    path = tmp_path / "a.vw"
    path.write_text("good | fine:2 book\nbad | dull\n")
    assert as_inputs(read_examples(path).texts).written.to_pylist() == ["fine:2 book:1", "dull:1"]
