"""Writers: a table or bags of words to a file of another format, complete or not at all."""

from __future__ import annotations

import io
import os
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any, BinaryIO, TextIO

import pyarrow as pa

from lindy.core.column import as_arrow
from lindy.data.chunks.bad_rows import BadRows
from lindy.data.chunks.parts import ahead, parts_of_all, table_parts
from lindy.data.chunks.read import Layout, begin_source, find_format, format_of, opened_source, read_table
from lindy.data.columns.examples import examples_of
from lindy.data.columns.table import Table
from lindy.data.formats.fasttext import write_fasttext
from lindy.data.formats.feature_lines import FeatureLine, no_row, text_feature_lines, text_table
from lindy.data.formats.feature_row_tables import read_feature_lines
from lindy.data.formats.folder import write_folder
from lindy.data.formats.lines import broken_remark, one_line
from lindy.data.formats.registry import (
    FEATURE_FORMATS,
    FOLDERS,
    IN_PARTS,
    LINES,
    SPREADSHEETS,
    SUFFIXES,
    TABLES,
    WRITABLE,
    format_by_name,
)
from lindy.data.formats.review import write_review
from lindy.data.formats.spreadsheets import as_text
from lindy.data.formats.svmlight_feature_rows import write_svmlight_lines
from lindy.data.formats.vowpal import SEPARATORS, vowpal_lines, word_lines, write_vowpal
from lindy.data.write.outputs import PACKED, opened, table_writer, write_columns
from lindy.errors import DataError


@dataclass(frozen=True, slots=True)
class Conversion:
    """The record of a conversion: how many rows, from and to which format, and what is not as it was."""

    rows: int
    source_format: str
    target_format: str
    remarks: tuple[str, ...]


def convert(
    source: str | os.PathLike[str] | list[str],
    target: str | os.PathLike[str],
    source_format: str | None = None,
    target_format: str | None = None,
    *,
    text: str | None = None,
    label: str | None = None,
    columns: str | os.PathLike[str] | None = None,
    threads: int | None = None,
    encoding: str | None = None,
    sheet: str | None = None,
    header_row: int | None = None,
    longest_row: int | None = None,
    spreadsheet_safe: bool = False,
    skip_bad: int = 0,
) -> Conversion:
    """Read a table of one format and write it in another.

    Tables keep all their columns (with ``text`` or ``label``, only these), the other formats text and label; features
    keep their values.

    Parameters
    ----------
    source, target : str or path
        What `read_table` reads, and a file (or a new folder) to write; ``-`` is standard input or output, and names
        in ``.gz`` or ``.zst`` are compressed.
    source_format, target_format : str, optional
        By the extensions if not given.
    text, label : str, optional
        The columns, as in `read_examples`.
    columns : path, optional
        A svmlight file that was written before, whose columns and labels are numbered likewise.
    encoding, sheet, header_row, longest_row, skip_bad : optional
        Of the source, see `read_table`.
    spreadsheet_safe : bool
        Whether CSV, TSV and Excel cells that a spreadsheet would take for formulas get an apostrophe in front.

    Raises
    ------
    DataError
        If the source cannot be read, or holds what the target's format cannot.
    OutputError
        If the target cannot be written.
    """
    paths = (
        [os.fspath(source)] if isinstance(source, str | os.PathLike) else [os.fspath(path) for path in source]
    )
    out = os.fspath(target)
    kind = writable_format(out, target_format, "target_format")
    if columns is not None and kind != "svmlight":
        raise DataError(
            f"{out}: only the columns of svmlight files are numbered", "Leave out the file of columns."
        )
    given, layout = format_of(paths, source_format), Layout(sheet, header_row)
    if given in FOLDERS:
        table = read_table(paths, given, encoding=encoding, longest_row=longest_row)
    elif kind in TABLES and text is None and label is None and _comes_in_parts(paths, given):
        options: dict[str, Any] = {"threads": threads, "encoding": encoding, "longest_row": longest_row}
        options |= layout._asdict()
        return _convert_parts(paths, out, given, kind, BadRows(skip_bad), spreadsheet_safe, options)
    elif len(paths) > 1 or skip_bad or os.path.isdir(paths[0]):
        table = read_table(
            paths,
            given,
            threads=threads,
            encoding=encoding,
            sheet=sheet,
            header_row=header_row,
            longest_row=longest_row,
            skip_bad=skip_bad,
        )
    else:
        opened = opened_source(paths[0], given, encoding, longest_row=longest_row)
        given = given or find_format(opened)
        opened.rows_are_lines = given in LINES
        if given in FEATURE_FORMATS and kind in FEATURE_FORMATS:
            examples = list(read_feature_lines(opened, given, threads, words=False))
            if not examples:
                raise no_row(opened)
            remarks = write_feature_lines(out, kind, examples, opened.name, columns)
            return Conversion(len(examples), given, kind, tuple(remarks))
        table = (
            text_table(opened, read_feature_lines(opened, given, threads))
            if given in FEATURE_FORMATS
            else begin_source(opened, given, threads, layout)()
        )
    written = write_table(
        table, out, kind, text=text, label=label, columns=columns, spreadsheet_safe=spreadsheet_safe
    )
    remarks = [*table.remarks, *written]
    return Conversion(table.num_rows, given or kind, kind, tuple(remarks))


def _comes_in_parts(paths: list[str], given: str | None) -> bool:
    """Whether all sources are of formats whose rows can be read without those behind them."""
    return all((given or format_by_name(path)) in IN_PARTS for path in paths)


def _convert_parts(
    paths: list[str],
    out: str,
    given: str | None,
    kind: str,
    bad: BadRows,
    spreadsheet_safe: bool,
    options: dict[str, Any],
) -> Conversion:
    """Convert tables to a table with all their columns, part by part, in memory that does not grow with them."""
    options["bad"] = bad if bad.most else None
    parts = ahead(parts_of_all(paths, lambda path: table_parts(path, given, **options)))
    first, rows = None, 0
    remarks: dict[str, None] = {}  # each once, in their order
    with opened(out) as file, ExitStack() as closing:
        for part in parts:
            made = pa.table({name: part.column(name) for name in part.column_names})
            made = _as_texts(made) if spreadsheet_safe and kind in SPREADSHEETS else made
            if first is None:
                first = made.schema
                add = closing.enter_context(table_writer(file, first, kind, out))
            add(_alike(made, first, part.name))
            rows += part.num_rows
            remarks |= dict.fromkeys([*part.remarks, *part.losses])
    return Conversion(rows, str(given or format_by_name(paths[0])), kind, (*remarks, *bad.remarks))


def _alike(made: Any, schema: Any, name: str) -> Any:
    """Return a table with the columns of the first one, in their order."""
    if set(made.column_names) != set(schema.names):
        other = sorted(set(made.column_names) ^ set(schema.names))
        raise DataError(
            f"{name}: other columns than the first table: only one of them has {', '.join(map(repr, other))}",
            "Tables that are converted together need the same columns.",
        )
    return made.select(schema.names).cast(schema)


def writable_format(path: str, given: str | None = None, argument: str = "format") -> str:
    """Return the format to write, as given or by the extension; a name without one is a folder."""
    if given is not None:
        if given in WRITABLE:
            return given
        raise DataError(
            f"{path}: no format {given!r} can be written", f"These can be: {', '.join(WRITABLE)}."
        )
    stem, suffix = os.path.splitext(path.lower())
    suffix = os.path.splitext(stem)[1] if suffix in PACKED else suffix
    kind = SUFFIXES.get(suffix) if suffix or path == "-" else "folder"
    if kind not in WRITABLE:
        what = "standard output has no extension" if path == "-" else f"the extension {suffix!r} is not known"
        raise DataError(
            f"{path}: {what}", f"Name the format with `{argument}=`, one of: {', '.join(WRITABLE)}."
        )
    return kind


def write_table(
    table: Table,
    path: str | os.PathLike[str],
    format: str | None = None,  # noqa: A002
    *,
    text: str | None = None,
    label: str | None = None,
    columns: str | os.PathLike[str] | None = None,
    spreadsheet_safe: bool = False,
) -> list[str]:
    """Write a table; see `convert`. Returns remarks on what is not as it was."""
    out = os.fspath(path)
    kind = writable_format(out, format)
    safe = spreadsheet_safe and kind in SPREADSHEETS
    if kind in TABLES and text is None and label is None:
        made = pa.table({name: table.column(name) for name in table.column_names})
        made = _as_texts(made) if safe else made
        _write(out, lambda file: write_columns(file, made, kind, out))
        return table.losses
    data = examples_of(table, text, label, need_label=len(table.column_names) > 1)
    if kind in TABLES:
        chosen = {"text": as_arrow(data.texts)} | (
            {} if data.labels is None else {"label": as_arrow(data.labels)}
        )
        made = _as_texts(pa.table(chosen)) if safe else pa.table(chosen)
        _write(out, lambda file: write_columns(file, made, kind, out))
        return []
    texts = data.texts.to_pylist()
    labels = None if data.labels is None else data.labels.to_pylist()
    _check_no_zero(table, texts)
    if kind in FEATURE_FORMATS:
        return _write_words(out, kind, texts, labels, table.name, columns)
    if kind == "folder":
        write_folder(out, texts, labels, table)
        return []
    if kind == "fasttext":
        return _write_text(out, lambda file: write_fasttext(file, texts, labels, table))
    return _write_text(out, lambda file: _write_lines(file, texts, labels))


def _as_texts(columns: Any) -> Any:
    """Return a table of strings of which no cell is a formula."""
    safe = [
        pa.array([cell if cell is None else as_text(cell) for cell in column.to_pylist()], pa.large_string())
        for column in columns.columns
    ]
    return pa.table(safe, names=list(map(as_text, columns.column_names)))


def _check_no_zero(table: Table, texts: list[str]) -> None:
    for row, text in enumerate(texts):
        if "\0" in text:
            raise DataError(
                f"{table.place(row)}: the text has a NUL character, which no text file can hold",
                "Remove it, or write JSON Lines or Parquet.",
            )


def _write_lines(file: TextIO, texts: list[str], labels: list[str] | None) -> list[str]:
    lines = [one_line(text) for text in texts]
    file.writelines(f"{line}\n" for line in lines)
    broken = sum(line != text for line, text in zip(lines, texts, strict=True))
    left_out = [] if labels is None else ["lines have no labels: they were left out"]
    return [*broken_remark(broken), *left_out]


def _write_words(
    out: str,
    kind: str,
    texts: list[str],
    labels: list[str] | None,
    place: str,
    columns: str | os.PathLike[str] | None,
) -> list[str]:
    """Write the words of texts, between white space, as feature rows."""
    if kind != "vw":
        return write_feature_lines(out, kind, list(text_feature_lines(texts, labels)), place, columns)
    lines = word_lines(texts, labels or [None] * len(texts))
    remarks = _write_text(out, lambda file: write_vowpal(file, lines, place))
    hit = sum(any(mark in text for mark in SEPARATORS) for text in texts)
    if hit:
        remarks.insert(
            0, f"':' and '|', which separate words in a line, became spaces in {hit:,} of the texts"
        )
    return remarks


def write_feature_lines(
    out: str,
    kind: str,
    examples: list[FeatureLine],
    place: str,
    columns: str | os.PathLike[str] | None = None,
) -> list[str]:
    """Write bags of words in a format of ``FEATURE_FORMATS``; returns remarks on what is not as it was."""
    if kind != "vw":
        weighted = sum(example.weight != 1 for example in examples)
        lost = [f"the weights of {weighted:,} lines were left out"] if weighted else []
        if kind == "svmlight":
            return lost + _write_text(out, lambda file: write_svmlight_lines(file, examples, columns))
        return lost + _write_text(out, lambda file: write_review(file, examples, place))
    changed = sum(
        any(mark in name for mark in SEPARATORS) for example in examples for name, _ in example.pairs
    )
    remarks = _write_text(out, lambda file: write_vowpal(file, vowpal_lines(examples), place))
    return [f"':' and '|' in {changed:,} features became '_'", *remarks] if changed else remarks


def _write_text(out: str, write: Callable[[TextIO], list[str]]) -> list[str]:
    def encoded(file: BinaryIO) -> list[str]:
        text = io.TextIOWrapper(file, encoding="utf-8", newline="")
        try:
            return write(text)
        finally:
            text.flush()
            text.detach()

    remarks: list[str] = _write(out, encoded)
    return remarks


def _write(out: str, write: Callable[[BinaryIO], Any]) -> Any:
    with opened(out) as file:
        return write(file)
