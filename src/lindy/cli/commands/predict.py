"""``lindy predict``: one output row for every input row."""

from __future__ import annotations

import argparse
import csv
import os
import shlex
from collections.abc import Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

from lindy.cli.io.chunked_reading import ExampleChunks
from lindy.cli.io.console import Notes, table_format
from lindy.cli.io.reading import begin_reading
from lindy.cli.options.decision_options import (
    add_coverage,
    add_decision,
    add_label_limits,
    decision,
    label_limits,
    label_sets,
)
from lindy.cli.options.fasttext_flags import add_strict, load_strictly
from lindy.cli.options.shared import (
    add_columns,
    add_force,
    add_inputs,
    add_label,
    add_spreadsheet_safe,
    add_threads_quiet_json,
    at_least,
    check_spreadsheet_safe,
)
from lindy.cli.parsing import UsageError, example_commands
from lindy.data.formats.registry import TABLES, format_by_name
from lindy.errors import DataError

if TYPE_CHECKING:
    from lindy.data import Table
    from lindy.data.write.table_writer import Column, Piece
    from lindy.textclassifier import TextClassifier


def add_to(commands: Any) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "predict",
        epilog=example_commands(
            "lindy predict reviews.lindy new.csv -o out.csv",
            "lindy predict reviews.lindy new.xlsx --keep all --proba -o out.xlsx",
            'echo "Not bad at all" | lindy predict reviews.lindy - --format lines',
        ),
        help="predict the label of each text of a table",
        description="Predict the label of each text of a table; writes one row per text: the label and its"
        " probability, or its score where the model was trained with --calibrate none.",
    )
    parser.add_argument("model", help="model file")
    add_inputs(parser, "table with texts; '-' is stdin, whose rows are predicted as they come")
    parser.add_argument(
        "--output",
        "-o",
        metavar="FILE",
        default="-",
        help=f"where to write; the name sets the format: {', '.join(f'.{name}' for name in TABLES)}; default: stdout",
    )
    parser.add_argument(
        "--to",
        choices=TABLES,
        metavar="NAME",
        help=f"format to write: {', '.join(TABLES)}; default: by the name of the output, CSV on stdout",
    )
    parser.add_argument(
        "--keep",
        type=column_list,
        metavar="all or COLUMN,…",
        help="also copy these columns of the input, in its order, in front of the predictions; a column of"
        " predictions whose name is already taken is called predicted_…",
    )
    parser.add_argument(
        "--proba", action="store_true", help="also write the probability (or score) of every class"
    )
    parser.add_argument(
        "--top-k",
        type=at_least(1),
        metavar="K",
        default=1,
        help="also write the next best labels and their probabilities, K in all",
    )
    add_coverage(parser, "write several labels")
    add_decision(parser, "; label_1 and probability_1 then say which label it would have been")
    add_label_limits(parser)
    parser.add_argument(
        "--only-unlabelled",
        action="store_true",
        help="fill the label only where the label column is blank; other rows keep theirs",
    )
    add_columns(parser, label=False)
    add_label(parser, ", which --only-unlabelled fills; default: that of the training table")
    add_strict(parser)
    add_spreadsheet_safe(parser)
    add_force(parser)
    add_threads_quiet_json(parser, json="the same as --to jsonl")
    parser.set_defaults(run=predict)


def predict(args: argparse.Namespace) -> None:
    """Load, predict, write."""
    note = Notes(args.quiet)
    kind = output_format(args)
    check_spreadsheet_safe(args, kind)
    refuse_texts(args)
    begun = begin_reading(args, parts=True)
    from lindy.data.write.table_writer import writing_pieces
    from lindy.evaluation.predictions import PredictionColumns

    classifier = load_strictly(args)
    inputs = ExampleChunks(classifier, args, note, begun).unlabelled()
    hierarchy = classifier.hierarchy_
    decide = label_sets(args, classifier) or decision(args, classifier, hierarchy)
    limit = label_limits(args, classifier)
    columns = PredictionColumns(
        classes=[str(label) for label in classifier.classes_],
        top=min(args.top_k, len(classifier.classes_)),
        every=args.proba,
        guess=args.reject is not None,
        nested=kind == "jsonl",
        broader=() if hierarchy is None else hierarchy.names,
    )
    first = next(inputs)
    has_all = args.keep == ["all"] and "all" not in first.table.column_names
    keep = first.table.column_names if has_all else first.table.in_order(args.keep or ())
    total = len(first.texts) if begun else None
    n_texts, asked, rejected = 0, 0, 0
    writing = writing_pieces(args.output, kind, spreadsheet_safe=args.spreadsheet_safe)
    with writing as write, note.progress("predicting", total) as advance:
        for examples in chain([first], inputs):
            table, done = examples.table, 0
            given = given_labels(args, classifier, table)
            for batch in examples.inputs.chunks(classifier.rows_at_once):
                predicted = limit(decide(classifier.predictions(batch)))
                piece = kept(keep, table, done, len(batch))
                unlabelled = predicted.rejected
                if given is None:
                    piece |= columns(predicted, piece)
                else:
                    own = given.labels[done : done + len(batch)]
                    piece |= with_own_labels(columns(predicted, {*piece, given.column}), given.column, own)
                    unlabelled = unlabelled[[not label for label in own]]
                asked += len(unlabelled)
                rejected += int(unlabelled.sum())
                write(piece)
                done += len(batch)
                advance(len(batch))
            n_texts += done
    if args.reject is not None:
        share = rejected / max(asked, 1)
        note(f"rejected {rejected:,} of {asked:,} texts ({share:.1%}): their label is empty")
    if args.only_unlabelled:
        note(f"filled {asked - rejected:,} labels; {n_texts - asked:,} rows keep theirs")
    if args.output != "-":
        note(f"wrote {n_texts:,} predictions to {args.output}")


def refuse_texts(args: argparse.Namespace) -> None:
    """Refuse a text where a file is expected, and say how a text is predicted."""
    for path in [args.data] if isinstance(args.data, str) else args.data:
        if " " in path.strip() and format_by_name(path) is None and not os.path.lexists(path):
            raise DataError(
                f"{path}: no such file",
                f"For a text in the place of a file: lindy explain {shlex.quote(args.model)} TEXT; for many, one in"
                f" each line: lindy predict {shlex.quote(args.model)} texts.txt",
            )


def output_format(args: argparse.Namespace) -> str:
    """Return the format to write: as asked, or by the name of the output."""
    if args.json and args.to not in (None, "jsonl"):
        raise UsageError(f"argument --json: --to asks for {args.to}", "leave one out")
    if args.json or args.to is not None:
        return str(args.to or "jsonl")
    return table_format(args.output)


def column_list(text: str) -> list[str]:
    """Return ["id", "a,b"] for ``id,"a,b"``."""
    try:
        return next(csv.reader([text]), [])
    except csv.Error:
        raise argparse.ArgumentTypeError(
            f"{text!r}: put a name with a line break between double quotes"
        ) from None


def kept(names: Sequence[str], table: Table, start: int, length: int) -> dict[str, Column]:
    """Return some rows of the columns to copy, and their files where every row has its own."""
    import numpy as np

    from lindy.data.write.table_writer import words_of

    columns: dict[str, Column] = {name: words_of(table.column(name).slice(start, length)) for name in names}
    if table.files is not None and "file" not in columns:
        files = list(table.files[start : start + length])
        return {"file": (files, np.arange(len(files)))} | columns
    return columns


class Given(NamedTuple):
    """The labels that a table has already, by row; "" where there is none."""

    column: str
    labels: list[str]


def given_labels(args: argparse.Namespace, classifier: TextClassifier, table: Table) -> Given | None:
    """Return the labels that ``--only-unlabelled`` keeps; None without it."""
    if not args.only_unlabelled:
        if args.label:
            raise UsageError(
                "argument --label, --labels: it has no effect without --only-unlabelled",
                "add --only-unlabelled",
            )
        return None
    from lindy.data.columns.label_cleaning import is_blank

    name = args.label or classifier.columns_.get("label") or "label"
    if name not in table.column_names:
        error = table.no_such_column(name)
        raise UsageError(f"argument --only-unlabelled: {error}", f"name it with --label. {error.hint}")
    return Given(name, ["" if is_blank(label) else label for label in table.column(name).to_pylist()])


def with_own_labels(predicted: Piece, column: str, own: list[str]) -> dict[str, Column]:
    """Return predictions in which rows that have a label keep it, in the column that it is in, and have no other."""
    import numpy as np

    from lindy.data.write.table_writer import column_of, joined

    labelled = np.array([bool(label) for label in own], bool)

    def blank(values: Any) -> Column:
        if isinstance(values, tuple):
            return values[0], np.where(labelled, -1, values[1])
        if isinstance(values, list):
            return [None if done else value for value, done in zip(values, labelled, strict=True)]
        return np.where(labelled, np.nan, values)

    (_, labels), *others = predicted.items()
    words, codes = joined(labels)
    filled = column_of(
        label or (words[k] if k >= 0 else None) for label, k in zip(own, codes.tolist(), strict=True)
    )
    return {column: filled} | {name: blank(values) for name, values in others}
