"""Writers: a table or feature rows to a file of another format, complete or not at all."""

from __future__ import annotations

import io
import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TextIO, Unpack

import pyarrow as pa

from lindy.core.column import as_arrow, is_list
from lindy.data.chunks.chunks import Chunks, Options, opened_source, read_chunks, remarked
from lindy.data.columns.examples import TextData, examples_of
from lindy.data.columns.label_cleaning import LabelRules
from lindy.data.columns.several_labels import MARKS, WHOLE, joined_cells, list_column, split_cells
from lindy.data.columns.table import Table
from lindy.data.formats.detect import find_format
from lindy.data.formats.feature_lines import FeatureLine, text_feature_lines, text_table
from lindy.data.formats.feature_row_tables import collected
from lindy.data.formats.registry import (
    CHUNKED,
    FEATURE_FORMATS,
    FOLDERS,
    REGISTRY,
    SPREADSHEETS,
    SUFFIXES,
    TABLES,
    WRITABLE,
    format_by_name,
)
from lindy.data.write.table_writer import PACKED, opened, piece_writer
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
    spreadsheet_safe: bool = False,
    label_separator: str | None = None,
    **options: Unpack[Options],
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
    spreadsheet_safe : bool
        Whether CSV, TSV and Excel cells that a spreadsheet would take for formulas get an apostrophe in front.
    label_separator : str, optional
        What stands between several labels in a cell, as in `read_examples`, and where the target has no lists: "|" if
        not given.
    threads, encoding, sheet, header_row, longest_row, skip_bad : optional
        Of the source, see `read_table`.

    Raises
    ------
    DataError
        If the source cannot be read, or holds what the target's format cannot.
    OutputError
        If the target cannot be written.
    """
    out = os.fspath(target)
    kind = writable_format(out, target_format, "target_format")
    if columns is not None and kind != "svmlight":
        raise DataError(
            f"{out}: only the columns of svmlight files are numbered", "Leave out the file of columns."
        )
    chunks = read_chunks(source, source_format, **options)
    given = chunks.format
    if kind in TABLES and _are_chunked(chunks):
        wanted = Wanted(text, label, label_separator)
        return _convert_chunks(chunks, out, kind, wanted, spreadsheet_safe=spreadsheet_safe)
    if len(chunks.paths) > 1 or given in FOLDERS or os.path.isdir(chunks.paths[0]) or options.get("skip_bad"):
        table = chunks.joined()
    else:
        reading = chunks.reading._replace(size=None)
        opened = opened_source(chunks.paths[0], given, reading)
        given = given or find_format(opened)
        if given not in FEATURE_FORMATS:
            (table,) = remarked(REGISTRY[given].chunks(opened, reading), opened.remarks)
        else:
            opened.rows_are_lines = True
            found = collected(opened, given, reading.threads, spaces=kind in FEATURE_FORMATS)
            separator = found.separator if label_separator is None else label_separator
            examples = list(replace(found, separator=None if separator == WHOLE else separator).each())
            if kind in FEATURE_FORMATS:
                remarks = write_feature_lines(out, kind, examples, opened.name, columns)
                return Conversion(len(examples), given, kind, tuple(remarks))
            table = text_table(opened, examples)
    written = write_table(
        table,
        out,
        kind,
        text=text,
        label=label,
        columns=columns,
        spreadsheet_safe=spreadsheet_safe,
        label_separator=label_separator,
    )
    return Conversion(table.num_rows, given or kind, kind, (*table.remarks, *written))


def _are_chunked(chunks: Chunks) -> bool:
    """Whether all sources are of formats whose rows can be read without those behind them."""
    return all((chunks.format or format_by_name(path)) in CHUNKED for path in chunks.paths)


def _convert_chunks(
    chunks: Chunks, out: str, kind: str, wanted: Wanted, *, spreadsheet_safe: bool
) -> Conversion:
    """Convert tables to a table, in memory that does not grow with them."""
    first, rows, found = None, 0, wanted
    remarks: dict[str, None] = {}  # each once, in their order
    safe = spreadsheet_safe and kind in SPREADSHEETS
    with opened(out) as file, piece_writer(file, kind, out, spreadsheet_safe=safe) as add:
        for table in chunks:
            data = found.examples(table, is_part=True)
            if data is not None:  # the columns of the first one are those of all
                found = found._replace(text=data.columns.text, label=data.columns.label)
            made = pa.table(wanted.columns(table, data, kind))
            first = made.schema if first is None else first
            add(_alike(made, first, table.name))
            rows += table.num_rows
            remarks |= dict.fromkeys([*table.remarks, *wanted.losses(table)])
    source_format = chunks.format or format_by_name(chunks.paths[0])
    return Conversion(rows, str(source_format), kind, (*remarks, *chunks.left_out))


def _alike(made: Any, schema: Any, name: str) -> Any:
    """Return a table with the columns of the first one, in their order."""
    if set(made.column_names) != set(schema.names):
        other = sorted(set(made.column_names) ^ set(schema.names))
        raise DataError(
            f"{name}: other columns than the first table: only one of them has {', '.join(map(repr, other))}",
            "Tables that are converted together need the same columns.",
        )
    try:
        return made.select(schema.names).cast(schema)
    except pa.ArrowException:
        raise DataError(
            f"{name}: some rows have several labels, those before had one",
            "Give the characters between labels with `label_separator=`; of fastText lines, a space.",
        ) from None


class Wanted(NamedTuple):
    """The columns that are written of a table, all or text and label, and what stands between several labels."""

    text: str | None
    label: str | None
    separator: str | None

    def examples(self, table: Table, *, is_part: bool = False) -> TextData | None:
        """Return the texts and labels of a table, or of a part of one; None where its columns stay as they are."""
        if self == (None, None, None):
            return None
        # of a part, perhaps no row has a label
        rules = LabelRules(strict=True, merge="none", is_part=is_part and self.separator != WHOLE)
        need = len(table.column_names) > 1
        return examples_of(table, self.text, self.label, need, rules=rules, label_separator=self.separator)

    def columns(self, table: Table, data: TextData | None, kind: str) -> dict[str, Any]:
        """Return the columns as a format takes them."""
        if data is None or (self.text is None and self.label is None):
            return _columns(table if data is None else data.table, kind, self.separator)
        made = {"text": data.texts} | ({} if data.labels is None else {"label": data.labels})
        return {name: _fitting(own, kind, self.separator, data.table) for name, own in made.items()}

    def losses(self, table: Table) -> list[str]:
        """Return what is lost of the table, where it is written as it stands."""
        return table.losses if self == (None, None, None) else []


def _columns(table: Table, kind: str, separator: str | None = None) -> dict[str, Any]:
    """Return all columns as a format takes them: several labels as lists, or with a separator between them."""
    made = {name: table.values(name) for name in table.column_names}
    own = table.source.get("label_separator", WHOLE)
    if own not in ("", WHOLE) and "label" in made:
        made["label"] = list_column(*split_cells(made["label"], own))
    return {name: _fitting(column, kind, separator, table) for name, column in made.items()}


def _fitting(column: Any, kind: str, separator: str | None, table: Table) -> Any:
    if not is_list(column) or REGISTRY[kind].has_lists:
        return as_arrow(column)
    mark = MARKS[0] if separator in (None, WHOLE) else separator
    return pa.chunked_array([pa.array(joined_cells(column, str(mark), table.place), pa.large_string())])


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
    label_separator: str | None = None,
) -> list[str]:
    """Write a table; see `convert`. Returns remarks on what is not as it was."""
    out = os.fspath(path)
    kind = writable_format(out, format)
    safe = spreadsheet_safe and kind in SPREADSHEETS
    wanted = Wanted(text, label, label_separator)
    if kind in TABLES:
        with opened(out) as file, piece_writer(file, kind, out, spreadsheet_safe=safe) as add:
            add(pa.table(wanted.columns(table, wanted.examples(table), kind)))
        return wanted.losses(table)
    data = examples_of(table, text, label, len(table.column_names) > 1, label_separator=label_separator)
    texts = data.texts.to_pylist()
    labels = None if data.labels is None else data.labels.to_pylist()
    _check_no_zero(table, texts)
    write = REGISTRY[kind].imported().write
    if kind in FOLDERS:
        remarks: list[str] = write(out, texts, labels, table)
        return remarks
    if kind not in FEATURE_FORMATS:
        return _write_text(out, lambda file: write(file, texts, labels, table))
    write_texts = getattr(REGISTRY[kind].imported(), "write_texts", None)
    if write_texts is None:
        return write_feature_lines(out, kind, list(text_feature_lines(texts, labels)), table.name, columns)
    return _write_text(out, lambda file: write_texts(file, texts, labels, table.name))


def _check_no_zero(table: Table, texts: list[str]) -> None:
    for row, text in enumerate(texts):
        if "\0" in text:
            raise DataError(
                f"{table.place(row)}: the text has a NUL character, which no text file can hold",
                "Remove it, or write JSON Lines or Parquet.",
            )


def write_feature_lines(
    out: str,
    kind: str,
    examples: list[FeatureLine],
    place: str,
    columns: str | os.PathLike[str] | None = None,
) -> list[str]:
    """Write feature rows in a format of ``FEATURE_FORMATS``; returns remarks on what is not as it was."""
    return _write_text(out, lambda file: REGISTRY[kind].imported().write(file, examples, place, columns))


def _write_text(out: str, write: Callable[[TextIO], list[str]]) -> list[str]:
    with opened(out) as file:
        text = io.TextIOWrapper(file, encoding="utf-8", newline="")
        try:
            return write(text)
        finally:
            text.flush()
            text.detach()
