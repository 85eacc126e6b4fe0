"""Whatever is written is read back; whatever is read is either rows or an error with its line."""

from __future__ import annotations

import csv
import io
import json
import re
from unittest.mock import patch

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from lindy.data import read_table
from lindy.data.formats import csv as csv_format
from lindy.data.formats import jsonl
from lindy.errors import DataError

NASTY = st.sampled_from(
    [
        "",
        " ",
        '"',
        '""',
        ",",
        ";",
        "\t",
        "\n",
        "\r\n",
        "\r",
        "NA",
        "null",
        "01",
        "\ufeff",
        "\x03",
        "\\",
        "'",
        "#",
        "😀",
    ]
)
CHARACTERS = st.characters(codec="utf-8", exclude_characters="\0")
VALUES = st.lists(NASTY | st.text(CHARACTERS, max_size=5), max_size=4).map("".join)
NAMES = VALUES.filter(lambda name: name.strip() and not name.startswith("\ufeff"))


NO_NAMES = ("sep=", '{"', "[{", "<html", "<!doctype")  # beginnings of a first line that is no header


BLOCKS = st.sampled_from([16, 64, 1 << 20])  # bytes; rows longer than a block and rows over its end


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("tables")


@st.composite
def tables(draw):
    """Names and at least one row."""
    names = draw(st.lists(NAMES, min_size=1, max_size=4, unique=True))
    rows = draw(st.lists(st.tuples(*[VALUES] * len(names)), min_size=1, max_size=12))
    return names, rows


def read(folder, name, data, block):
    path = folder / name
    path.write_bytes(data)
    with patch.object(csv_format, "BLOCK", block), patch.object(jsonl, "BLOCK", block):
        table = read_table(path)
    columns = [table.column(column).to_pylist() for column in table.column_names]
    return table, list(zip(*columns, strict=True))


QUOTING = st.sampled_from([csv.QUOTE_ALL, csv.QUOTE_MINIMAL])


@given(tables(), QUOTING, st.sampled_from([",", "\t"]), BLOCKS)
@example((["a"], [("",), ("",)]), csv.QUOTE_MINIMAL, ",", 64)
def test_what_the_csv_module_writes(folder, written, quoting, delimiter, block):
    names, rows = written
    assume(not names[0].lstrip().lower().startswith(NO_NAMES))
    # of one column, a separator in an unquoted name would say that there are more
    quoting = csv.QUOTE_ALL if len(names) == 1 else quoting
    file = io.StringIO(newline="")
    writer = csv.writer(file, delimiter=delimiter, quoting=quoting, lineterminator="\r\n")
    writer.writerows([names, *rows])
    data = file.getvalue().encode("utf-8-sig" if delimiter == "," else "utf-8")
    table, read_back = read(folder, "table.csv" if delimiter == "," else "table.tsv", data, block)
    assert table.column_names == names
    assert read_back == rows
    breaks = [len(re.findall(r"\r\n|\r|\n", "".join(row))) for row in [names, *rows]]
    lines = [1 + i + sum(breaks[:i]) for i in range(len(breaks))]
    assert [table.line(i) for i in range(len(rows))] == lines[1:]


@given(tables(), st.booleans(), st.lists(st.sampled_from(["", " ", "\t"]), max_size=6), BLOCKS)
def test_what_the_json_module_writes(folder, written, escaped, blanks, block):
    names, rows = written
    lines, expected = [], []
    for i, row in enumerate(rows):
        lines += blanks[i : i + 1]
        lines.append(json.dumps(dict(zip(names, row, strict=True)), ensure_ascii=escaped))
        expected.append(len(lines))
    table, read_back = read(folder, "table.jsonl", "\n".join(lines).encode(), block)
    assert table.column_names == names
    assert read_back == rows
    assert [table.line(i) for i in range(len(rows))] == expected


SCALARS = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | VALUES
)


@given(st.lists(st.tuples(VALUES, SCALARS), min_size=1, max_size=6), BLOCKS)
@example([("a", 10**18), ("b", 10**19), ("c", -(10**18))], 64)
@example([("a", 1), ("b", 1.0), ("c", None), ("d", "x"), ("e", True)], 64)
def test_json_values_are_their_text(folder, rows, block):
    lines = [json.dumps({"text": text, "label": label}) for text, label in rows]
    _, read_back = read(folder, "table.jsonl", "\n".join(lines).encode(), block)
    texts = [label if isinstance(label, str | None) else json.dumps(label) for _, label in rows]
    assert [label for _, label in read_back] == texts


@given(tables())
def test_what_arrow_writes_as_parquet(folder, written):
    names, rows = written
    columns = dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
    sink = io.BytesIO()
    pq.write_table(pa.table(columns), sink)
    table, read_back = read(folder, "table.parquet", sink.getvalue(), 64)
    assert table.column_names == names
    assert read_back == rows
    assert table.line(0) is None


def by_hand(text):
    """Split letter by letter: (line, fields) of each record, no fields if blank; and where a quote stays open."""
    records, fields, field, begin, line, opened, state = [], [], "", 1, 1, None, "blank"
    position = 0
    while position < len(text):
        pair = text[position : position + 2]
        token = pair if pair == "\r\n" or (pair == '""' and state == "quoted") else text[position]
        position += len(token)
        line_break = token in {"\n", "\r", "\r\n"}
        if state == "quoted":
            state = "inside" if token == '"' else "quoted"
            field += {'"': "", '""': '"'}.get(token, token)
        elif token == '"' and state in {"blank", "start"}:
            state, opened = "quoted", line
        elif token == ",":
            fields, field, state = [*fields, field], "", "start"
        elif line_break:
            records.append((begin, [] if state == "blank" else [*fields, field]))
            fields, field, begin, state = [], "", line + 1, "blank"
        else:
            field, state = field + token, "inside"
        line += line_break
    if state != "blank":
        records.append((begin, [*fields, field]))
    return records, opened if state == "quoted" else None


@settings(max_examples=600)
@given(st.text(alphabet='ab,"\r\n', max_size=25), st.sampled_from([1, 2]), BLOCKS)
@example('"', 1, 64)
@example('""', 2, 64)
@example('"a"b"c\n', 1, 64)
@example('a,"\r\r\n""', 2, 64)
@example('a,"bcdefghij\r\nk"\n', 2, 16)
@example('a,"bcdefghi"\r\n', 2, 16)
def test_any_text_is_its_rows_or_an_error_at_its_line(folder, text, columns, block):
    text = ["x\n", "x,y\n"][columns - 1] + text
    records, open_line = by_hand(text)
    rows = [(line, fields or [""]) for line, fields in records[1:] if fields or columns == 1]
    closed = rows if open_line is None else rows[:-1]
    ragged = [(line, len(fields)) for line, fields in closed if len(fields) != columns]
    try:
        table, values = read(folder, "table.csv", text.encode(), block)
    except DataError as error:
        message = str(error).removeprefix(str(folder / "table.csv"))
    else:
        message = None
        assert [list(row) for row in values] == [fields for _, fields in rows]
        assert [table.line(i) for i in range(len(rows))] == [line for line, _ in rows]
    if ragged:
        line, got = ragged[0]
        expected = f"expected {columns} column{'s' * (columns > 1)} as in the header, got {got}"
        assert message == f", line {line}: {expected}"
    elif open_line is not None:
        assert message == f", line {open_line}: a double quote is opened and never closed"
    elif not rows:
        assert message == ": there is a header but no row"
    else:
        assert message is None


@given(st.binary(max_size=60), st.sampled_from(["csv", "tsv", "jsonl", "parquet"]))
@example(b'{"a": "\xff"}', "jsonl")
@example(b'{"a": 1}\n{"a": "\\ud800"}', "jsonl")
@example(b"PAR1\0\0\0\0PAR1", "parquet")
def test_any_bytes_are_rows_or_an_error(folder, data, kind):
    path = folder / "table"
    path.write_bytes(data)
    problem = None
    try:
        table = read_table(path, format=kind)
        for name in table.column_names:
            table.column(name).validate(full=True)
    except DataError as error:
        problem = error
    assert problem is None or (str(problem).startswith(str(path)) and problem.hint)
