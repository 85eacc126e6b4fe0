"""LibMultiLabel's lines: ``id<TAB>label label<TAB>text``, or without the id; labels have spaces between them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TextIO

from lindy.data.chunks.source import Source
from lindy.data.columns.several_labels import SPACE, words_in
from lindy.data.columns.table import Table
from lindy.data.formats.lines import broken_remark, one_line, text_lines
from lindy.data.formats.registry import Reading

_EXPECTED = (
    "Expected a line such as '7<TAB>good new<TAB>A fine book.', with tabs between id, labels and text."
)


def read(source: Source, _reading: Reading) -> Iterator[Table]:
    """Read all lines that are not blank, each with as many columns as the first."""
    rows: list[list[str]] = []
    lines: list[int] = []
    for line, text in enumerate(text_lines(source), start=1):
        if text.strip():
            cells = text.split("\t", 2)
            if len(cells) < 2 or (rows and len(cells) != len(rows[0])):
                raise source.error(
                    f"{len(cells) - 1} tabs, where lines have {len(rows[0]) - 1 if rows else 2}",
                    _EXPECTED,
                    line,
                )
            rows.append(cells)
            lines.append(line)
    if not rows:
        raise source.no_rows("there is no row", _EXPECTED)
    *ids, labels, texts = map(list, zip(*rows, strict=True))
    columns = {"text": texts, "label": labels} | ({"id": ids[0]} if ids else {})
    yield Table.of(source.path, columns, lines.__getitem__, source={"label_separator": SPACE})


def write(file: TextIO, texts: list[str], labels: Any | None, table: Table) -> list[str]:
    """Write a line for each text, with the number of its row as id; returns remarks on what is not as it was."""
    broken = 0
    for row, text in enumerate(texts):
        plain = one_line(text).replace("\t", " ")
        broken += plain != text
        file.write(f"{table.number(row)}\t{SPACE.join(words_in(labels, row, table))}\t{plain}\n")
    return broken_remark(broken)
