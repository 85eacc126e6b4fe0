"""The sheet of ``lindy audit``: written to be edited, and applied to the table that it was made from."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from lindy.cli.io.console import Notes, clean, print_json, table_format
from lindy.cli.io.reading import (
    announced,
    read,
    read_all,
    text_names,
    wanted_columns,
    wanted_mail,
    without_nulls,
)
from lindy.cli.options.input_kinds import input_of
from lindy.cli.parsing import UsageError
from lindy.data.formats.registry import BINARY, SUFFIXES, TABLES
from lindy.data.formats.spreadsheets import as_it_was
from lindy.errors import OutputError

if TYPE_CHECKING:
    from lindy.data import Table, TextData
    from lindy.evaluation.audit.applied_fixes import Applied
    from lindy.evaluation.audit.table_audit import Audit


def read_audited(args: argparse.Namespace, note: Notes) -> tuple[Table, TextData]:
    """Read a table: all its rows, and the examples among them, in which a missing text is an empty one."""
    with note.progress("reading"):
        table = read_all(args)
        table = table if isinstance(args.data, str) else table.counted_from(0)
        data = read(without_nulls(table), args, wanted_columns(args), wanted_mail(args))
    return table, announced(data, note)


def all_texts(table: Table, data: TextData, args: argparse.Namespace) -> Any:
    """Return the texts (or rows of several columns) of all rows of the file, those without a label included."""
    from lindy.data import examples_of
    from lindy.data.columns.records import rows_of

    filled = without_nulls(table)
    columns = text_names(data, wanted_columns(args))
    if columns is not None:
        return rows_of(filled, columns, need_label=False, trained=True).texts
    return examples_of(filled, data.columns.text, need_label=False, mail=wanted_mail(args)).texts


def keep_edits(path: str, new_labels: list[str], spreadsheet_safe: bool) -> None:
    """Raise if there is a sheet whose new labels are others than those about to be written: somebody has edited it."""
    from lindy.errors import LindyError
    from lindy.files.output_guard import protecting

    try:
        with protecting():  # what is read here may be replaced
            old = _read_sheet(path, None, spreadsheet_safe).column("new label").to_pylist()
    except (LindyError, OSError):  # it is no sheet, or there is none
        return
    if [value or "" for value in old] != new_labels:
        raise OutputError(
            f"{path} is a sheet with different new labels: those edits would be lost",
            "Choose another name, or replace it with --force.",
        )


def _read_sheet(path: str, encoding: str | None, spreadsheet_safe: bool) -> Table:
    """Read a sheet; if it was written so that no cell is a formula, its cells as they were before."""
    from lindy.data import read_table

    sheet = read_table(path, encoding=encoding)
    if not spreadsheet_safe:
        return sheet
    import pyarrow as pa

    for name in sheet.column_names:
        cells = [None if cell is None else as_it_was(cell) for cell in sheet.column(name).to_pylist()]
        sheet = sheet.with_column(name, pa.chunked_array([pa.array(cells, pa.large_string())]))
    return sheet


def write_sheet(
    args: argparse.Namespace,
    table: Table,
    data: TextData,
    found: Audit,
    guess: Callable[[Any], list[str]],
    note: Notes,
) -> None:
    """Write what is to be looked at as a sheet; ``guess`` returns the labels that a learner gives to texts."""
    import numpy as np

    from lindy.core.column import take_rows
    from lindy.core.inputs import as_inputs
    from lindy.data.columns.label_cleaning import is_blank
    from lindy.data.columns.row_ids import RowNames
    from lindy.data.write.table_writer import Column, column_of, row_columns, writing_pieces
    from lindy.evaluation.audit.applied_fixes import cells_of
    from lindy.evaluation.audit.fixes import Fixes, sheet_text

    label = data.columns.label
    assert label is not None
    labels = cells_of(table, label, found.separator)
    names = RowNames(table, args.id, several=not isinstance(args.data, str))
    rows = all_texts(table, data, args)
    texts = as_inputs(rows).written.to_pylist()

    def place(row: int) -> int:
        number = data.table.number(row) - 1
        return number if table.rows is None else int(np.searchsorted(table.rows, number))

    sheet = Fixes(labels, data.spellings, joined=found.joined is not None, separator=found.separator)
    sheet.add_findings(
        replace(f, row=place(f.row), other=None if f.other is None else place(f.other))
        for f in found.findings
    )
    blank = [row for row, own in enumerate(labels) if is_blank(own) and found.separator is None]
    guesses = guess(take_rows(rows, np.array(blank, np.int64))) if blank else []
    for row, better in zip(blank, guesses, strict=True):
        sheet.add_blank(row, sheet.usual(better), texts[row])
    lines = sheet.lines()
    if args.output != "-" and not args.force:
        keep_edits(args.output, [fix.new for fix in lines], args.spreadsheet_safe)
    piece: dict[str, Column] = {
        **row_columns(names, [fix.row for fix in lines]),
        "problem": column_of("; ".join(dict.fromkeys(fix.problems)) for fix in lines),
        "details": column_of("; ".join(fix.details) for fix in lines),
        "text": column_of(sheet_text(texts[fix.row]) if fix.row >= 0 else "" for fix in lines),
        "label": column_of(fix.label for fix in lines),
        "suggested label": column_of(fix.suggestion for fix in lines),
        "new label": column_of(fix.new for fix in lines),
    }
    kind = table_format(args.output, "--output")
    with writing_pieces(args.output, kind, spreadsheet_safe=args.spreadsheet_safe) as write:
        write(piece)
    if args.output != "-":
        note(_how_to_go_on(args, lines))


def _how_to_go_on(args: argparse.Namespace, lines: list[Any]) -> str:
    if not lines:
        return f"nothing to correct: {args.output} has only its header"
    ready = sum(bool(fix.new) for fix in lines)
    single = (
        "label",
        "label_separator",
        "format",
        "encoding",
        "sheet",
        "longest_row",
        "text_is",
        "contacts",
        "headers",
    )
    given = [(f"--{name.replace('_', '-')}", getattr(args, name)) for name in single]
    given += [
        (f"--{role}", name) for role in ("text", "numeric", "category") for name in getattr(args, role) or ()
    ]
    flags = ["--spreadsheet-safe"] if args.spreadsheet_safe else []
    inputs = [args.data] if isinstance(args.data, str) else args.data
    words = ["lindy", "audit", *inputs, *flags, *(str(word) for pair in given if pair[1] for word in pair)]
    return (
        f"wrote {len(lines):,} lines to {args.output}, {ready:,} of them with a new label. Look at them, and edit the"
        " column 'new label' (empty: as it is; (delete): leave the row out). Then:\n"
        f"  {shlex.join([*words, '--apply', args.output, '-o', 'clean.csv'])}"
    )


def apply(args: argparse.Namespace) -> None:
    """Read the table and the sheet, correct the one by the other, write, count."""
    note = Notes(args.quiet)
    if not args.output:
        raise UsageError(
            "argument --apply: there is no file name for the corrected table", "add -o clean.csv"
        )
    from lindy.core.column import as_arrow
    from lindy.core.inputs import as_inputs
    from lindy.data.chunks.label_parts import one_label
    from lindy.data.write.convert import writable_format, write_table
    from lindy.data.write.table_writer import words_of, writing_pieces
    from lindy.evaluation.audit.applied_fixes import apply_fixes

    kind = writable_format(args.output, "csv" if args.output == "-" else None)
    table, data = read_audited(args, Notes(quiet=True))
    input_of(table).check_rewriting()
    note(data.columns.why)
    note.remarks(table.remarks)
    texts = as_inputs(all_texts(table, data, args)).written.to_pylist()
    label = data.columns.label
    assert label is not None
    saved_as = SUFFIXES.get(os.path.splitext(args.apply.lower())[1])
    sheet = _read_sheet(args.apply, None if saved_as in BINARY else "auto", args.spreadsheet_safe)
    note.remarks(sheet.remarks)
    done = apply_fixes(sheet, table, texts, label, one_label(data)[1])
    if kind in TABLES and args.output.lower().endswith(f".{kind}"):
        with writing_pieces(args.output, kind) as write:
            write({name: words_of(as_arrow(done.table.values(name))) for name in table.column_names})
        note.remarks(table.losses)
    else:
        chosen: dict[str, Any] = {} if kind in TABLES else {"text": data.columns.text, "label": label}
        note.remarks(write_table(done.table, args.output, kind, **chosen))
    if done.new_labels:
        listed = ", ".join(f"{name!r} ({count:,})" for name, count in done.new_labels.items())
        note(f"note: labels that no row had before: {listed}")
    if args.json:
        print_json(summary(done))
    elif args.output == "-":
        note(render(done, args.output))
    else:
        sys.stdout.write(render(done, args.output) + "\n")


def summary(done: Applied) -> dict[str, Any]:
    """Return the counts as plain values."""
    return {
        "rows": done.table.num_rows,
        "deleted": done.deleted,
        "spellings": done.spelled,
        "changed": done.changed,
        "filled": done.filled,
        "unlabelled": done.unlabelled,
        "new_labels": done.new_labels,
    }


def render(done: Applied, output: str) -> str:
    """Return the counts as text."""
    moves = [f"{clean(pair)} {count:,}" for pair, count in done.changed.items()]
    listed = ", ".join(moves[:5]) + (f" and {len(moves) - 5} more" if len(moves) > 5 else "")
    counts = [
        (done.spelled, "labels got their usual spelling"),
        (sum(done.changed.values()), f"labels changed ({listed})"),
        (done.filled, "blank labels filled"),
        (done.deleted, "rows deleted"),
    ]
    lines = [f"{count:>8,}  {what}" for count, what in counts if count]
    without = f", {done.unlabelled:,} of them without a label" if done.unlabelled else ""
    lines.append(f"{done.table.num_rows:>8,}  rows in {'the output' if output == '-' else output}{without}")
    return "\n".join(lines)
