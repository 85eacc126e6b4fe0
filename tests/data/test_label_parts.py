"""Labels, fingerprints and divisions of a table that comes in parts are those of the whole table."""

from __future__ import annotations

import re

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lindy.data.chunks.label_parts import LabelParts
from lindy.data.columns.fingerprints import RunningFingerprint, fingerprint
from lindy.data.columns.label_cleaning import LabelRules, clean_labels
from lindy.data.columns.metadata_columns import DivisionParts, division_of
from lindy.data.columns.table import Table
from lindy.errors import DataError

LABELS = st.lists(
    st.sampled_from(["a", "A", " a", "b", "b ", "", " ", "B", "née", "née"]), min_size=1, max_size=20
)


def parts_of(table: Table, cuts: list[int]) -> list[Table]:
    rows = np.arange(table.num_rows)
    return [
        table.take(own) for own in np.split(rows, sorted(min(cut, len(rows)) for cut in cuts)) if len(own)
    ]


@given(
    LABELS,
    st.lists(st.integers(0, 20), max_size=4),
    st.sampled_from(["none", "spaces", "case"]),
    st.booleans(),
)
def test_labels_in_parts_are_cleaned_as_those_of_the_table(
    labels: list[str], cuts: list[int], merge: str, has_model: bool
) -> None:
    table = Table.of("t.csv", {"label": labels})
    rules = LabelRules(merge=merge, known=("A", "née") if has_model else ())
    parts = LabelParts(rules)
    numbers = [parts.add(part, "label") for part in parts_of(table, cuts)]
    try:
        cleaned, column, spellings = clean_labels(table, "label", rules)
    except DataError as error:
        said = str(error) if len(labels) > 1 else "no row has a label"
        with pytest.raises(DataError, match=re.escape(said)):
            parts.finish()
        return
    names, found_spellings, remarks = parts.finish()
    assert [names[number] for number in np.concatenate(numbers)] == column.to_pylist()
    assert found_spellings == spellings
    assert tuple(remarks) == cleaned.remarks
    classes = ["A", "née"]
    expected = [classes.index(name) if name in classes else -1 for name in names]
    if has_model:
        assert parts.class_numbers(classes).tolist() == expected


@given(
    st.lists(
        st.tuples(st.text(max_size=4), st.text(max_size=4), st.text(max_size=3)), min_size=1, max_size=12
    ),
    st.lists(st.integers(0, 12), max_size=3),
)
def test_a_running_fingerprint_is_that_of_all_rows(rows: list[tuple[str, str, str]], cuts: list[int]) -> None:
    columns = [pa.array([row[k] for row in rows], pa.large_string()) for k in range(3)]
    table, labels = pa.table(columns[:2], names=["a", "b"]), pa.chunked_array([columns[2]])
    running, text_alone = RunningFingerprint(), RunningFingerprint()
    for own in np.split(np.arange(len(rows)), sorted(min(cut, len(rows)) for cut in cuts)):
        if len(own):
            length = len(own)
            running.add(table.slice(own[0], length), labels.slice(own[0], length))
            text_alone.add(table["a"].slice(own[0], length), labels.slice(own[0], length))
    assert running.digits() == fingerprint(table, labels)
    assert text_alone.digits() == fingerprint(table["a"], labels)


def test_times_are_all_dates_or_all_numbers_in_all_parts() -> None:
    parts = DivisionParts(None, "when")
    parts.add(Table.of("t.csv", {"when": ["2024-01-01", "2024-02-01"]}))
    with pytest.raises(DataError, match="'when' is '7', a number, but those before it are dates"):
        parts.add(Table.of("t.csv", {"when": ["7"]}))


@given(
    st.lists(st.tuples(st.sampled_from("xyz "), st.integers(0, 3)), min_size=2, max_size=12),
    st.lists(st.integers(0, 12), max_size=3),
)
def test_divisions_in_parts_are_those_of_the_table(rows: list[tuple[str, int]], cuts: list[int]) -> None:
    table = Table.of("t.csv", {"who": [row[0] for row in rows], "when": [str(row[1]) for row in rows]})
    parts = DivisionParts("who", "when")
    for part in parts_of(table, cuts):
        parts.add(part)
    try:
        whole = division_of(table, "who", "when")
    except DataError as error:
        with pytest.raises(DataError, match=re.escape(str(error))):
            parts.division("t.csv")
        return
    own = parts.division("t.csv")
    names = [row[0] for row in rows]
    assert whole.groups is not None
    assert own.groups is not None
    assert own.moments is not None
    assert np.array_equal(own.groups, whole.groups)
    assert np.array_equal(own.moments, np.unique([row[1] for row in rows], return_inverse=True)[1])
    for i in range(len(rows)):
        for k in range(i):
            same = names[i] == names[k] and names[i] != " "
            assert (own.groups[i] == own.groups[k]) == same
