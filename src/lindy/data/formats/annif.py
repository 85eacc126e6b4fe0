"""Annif's lines: ``text<TAB><uri> <uri>``, a text and the addresses of its subjects; a line without a tab has none."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, TextIO

from lindy.data.chunks.source import Source
from lindy.data.columns.several_labels import SPACE, words_in
from lindy.data.columns.table import Table
from lindy.data.formats.lines import broken_remark, one_line, text_lines
from lindy.data.formats.registry import Reading

_BRACKETS = re.compile(r"<(\S*)>")
_LINE = re.compile(rb"[^\t]*\t(?:<\S+>\s*)+")


def begins(lines: Sequence[bytes]) -> bool:
    """Whether the first line is a text, a tab and addresses in brackets."""
    return bool(lines) and _LINE.fullmatch(lines[0]) is not None


def read(source: Source, _reading: Reading) -> Iterator[Table]:
    """Read every line as a text and its labels, which are the addresses without their brackets."""
    rows = [text.rpartition("\t") if "\t" in text else (text, "", "") for text in text_lines(source)]
    labels = [_BRACKETS.sub(r"\1", subjects) for _, _, subjects in rows]
    columns = {"text": [text for text, _, _ in rows], "label": labels}
    yield Table.of(source.path, columns, lambda row: row + 1, source={"label_separator": SPACE})


def write(file: TextIO, texts: list[str], labels: Any | None, table: Table) -> list[str]:
    """Write a line for each text; returns remarks on what is not as it was."""
    broken = 0
    for row, text in enumerate(texts):
        plain = one_line(text).replace("\t", " ")
        broken += plain != text
        file.write(f"{plain}\t{SPACE.join(f'<{label}>' for label in words_in(labels, row, table))}\n")
    return broken_remark(broken)
