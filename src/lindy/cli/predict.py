"""``lindy predict``: one output row for every input row."""

from __future__ import annotations

import argparse
import csv
from collections.abc import Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

from lindy.cli.options import (
    UsageError,
    add_columns,
    add_force,
    add_inputs,
    add_spreadsheet_safe,
    add_threads_quiet_json,
    as_number,
    at_least,
    check_spreadsheet_safe,
    numbers_by_label,
)
from lindy.cli.output import Notes, table_format
from lindy.cli.parts import examples_in_parts
from lindy.cli.reading import begin_reading
from lindy.data.formats import TABLES

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lindy.data import Table
    from lindy.data.pieces import Column, Piece
    from lindy.evaluation.decisions import Answers, Codes, Decision
    from lindy.textclassifier import TextClassifier


def add_to(commands: Any) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "predict",
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
    add_decision(parser, "; label_1 and probability_1 then say which label it would have been")
    parser.add_argument(
        "--only-unlabelled",
        action="store_true",
        help="fill the label only where the label column is blank; other rows keep theirs",
    )
    parser.add_argument(
        "--label", metavar="COLUMN", help="the label column to fill; default: that of the training table"
    )
    add_columns(parser, label=False)
    add_spreadsheet_safe(parser)
    add_force(parser)
    add_threads_quiet_json(parser, json="the same as --to jsonl")
    parser.set_defaults(run=predict)


def predict(args: argparse.Namespace) -> None:
    """Load, predict, write."""
    note = Notes(args.quiet)
    kind = output_format(args)
    check_spreadsheet_safe(args, kind)
    begun = begin_reading(args, parts=True)
    from lindy.data.batches import batches
    from lindy.data.pieces import writing_pieces
    from lindy.evaluation.decisions import Decision
    from lindy.textclassifier import load

    classifier = load(args.model, n_jobs=args.threads)
    inputs = examples_in_parts(classifier, args, note, begun)
    decide = decision(args, classifier)
    layout = Layout(
        names=[str(label) for label in classifier.classes_],
        measure="probability" if classifier.has_probabilities else "score",
        top=min(args.top_k, len(classifier.classes_)),
        every=args.proba,
        guess=args.reject is not None,
        nested=kind == "jsonl",
    )
    first = next(inputs)
    keep = kept_columns(args.keep, first.table)
    total = len(first.texts) if begun else None
    n_texts, asked, rejected = 0, 0, 0
    writing = writing_pieces(args.output, kind, spreadsheet_safe=args.spreadsheet_safe)
    with writing as write, note.progress("predicting", total) as advance:
        for examples in chain([first], inputs):
            table, done = examples.table, 0
            given = given_labels(args, classifier, table)
            for batch in batches(examples.texts):
                answer = classifier.answers(batch)
                codes = decide(answer)
                guesses = Decision(decide.cost)(answer)
                piece = layout.columns(answer, codes, guesses, kept(keep, table, done, len(batch)))
                if given is not None:
                    own = given.labels[done : done + len(batch)]
                    piece = with_own_labels(piece, keep, given.column, own)
                    codes = codes[[not label for label in own]]
                asked += len(codes)
                rejected += int((codes < 0).sum())
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


def output_format(args: argparse.Namespace) -> str:
    """Return the format to write: as asked, or by the name of the output."""
    if args.to is not None:
        return str(args.to)
    return table_format(args.output, stdout="jsonl" if args.json else "csv")


def column_list(text: str) -> list[str]:
    """Return ["id", "a,b"] for ``id,"a,b"``."""
    try:
        return next(csv.reader([text]), [])
    except csv.Error:
        raise argparse.ArgumentTypeError(
            f"{text!r}: put a name with a line break between double quotes"
        ) from None


def kept_columns(asked: Sequence[str] | None, table: Table) -> list[str]:
    """Return the columns to copy, in the order of the table."""
    if asked == ["all"] and "all" not in table.column_names:
        return table.column_names
    for name in asked or ():
        if name not in table.column_names:
            raise table.no_such_column(name)
    return [name for name in table.column_names if name in (asked or ())]


def kept(names: Sequence[str], table: Table, start: int, length: int) -> Piece:
    """Return some rows of the columns to copy, and their files where every row has its own."""
    import numpy as np

    from lindy.data.pieces import words_of

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
                "argument --label: it has no effect without --only-unlabelled", "add --only-unlabelled"
            )
        return None
    from lindy.data.label_cleaning import is_blank

    name = args.label or classifier.columns_.get("label") or "label"
    if name not in table.column_names:
        error = table.no_such_column(name)
        raise UsageError(f"argument --only-unlabelled: {error}", f"name it with --label. {error.hint}")
    return Given(name, ["" if is_blank(label) else label for label in table.column(name).to_pylist()])


def with_own_labels(piece: Piece, keep: Sequence[str], column: str, own: list[str]) -> Piece:
    """Return predictions in which rows that have a label keep it, in the column that it is in, and have no other.

    That column is in its place among the kept ones; if it is not kept, the first of the predictions.
    """
    import numpy as np

    labelled = np.array([bool(label) for label in own], bool)
    names = [name for name in piece if name != "file" or name in keep]
    predicted = names[len(keep)]
    words, codes = piece[predicted]
    filled = [label or (words[k] if k >= 0 else "") for label, k in zip(own, codes.tolist(), strict=True)]
    merged: dict[str, Column] = {}
    for name, values in piece.items():
        if name == predicted and column in keep:
            continue
        if name in (predicted, column):
            places = np.array([k if label else -1 for k, label in enumerate(filled)], np.int64)
            merged[column] = (filled, places)
        elif name in keep or name not in names:
            merged[name] = values
        elif isinstance(values, tuple):
            merged[name] = (values[0], np.where(labelled, -1, values[1]))
        elif isinstance(values, list):
            merged[name] = [None if done else value for value, done in zip(values, labelled, strict=True)]
        else:
            merged[name] = np.where(labelled, np.nan, values)
    return merged


def add_decision(parser: Any, rejected: str = "") -> None:
    """Add ``--reject`` and ``--cost``, which `decision` reads; ``rejected`` says what becomes of rejected labels."""
    parser.add_argument(
        "--reject",
        type=thresholds,
        metavar="P or LABEL=P,…",
        help="give no label where its probability is below P (or below its own LABEL=P): better no label than a wrong"
        f" one{rejected}",
    )
    parser.add_argument(
        "--cost",
        type=cost,
        action="append",
        metavar="TRUE:PREDICTED=COST",
        help="what a confusion costs (others cost 1): the label of least expected cost is predicted; repeatable",
    )


def decision(args: argparse.Namespace, classifier: TextClassifier) -> Decision:
    """Return the rule that ``--cost`` and ``--reject`` ask for."""
    from lindy.evaluation.decisions import Decision, cost_matrix, named_numbers

    limits, costs = None, None
    try:
        if args.reject is not None:
            default = args.reject.get(None, 0.0)
            by_label = {label: p for label, p in args.reject.items() if label is not None}
            limits = named_numbers(by_label, classifier.classes_, default)
        if args.cost:
            costs = cost_matrix(dict(args.cost), classifier.classes_)
    except ValueError as error:
        raise UsageError(str(error), "labels are written as in the training table") from None
    rule = Decision(costs, limits)
    if rule.needs_probabilities and not classifier.has_probabilities:
        raise UsageError(
            "--reject and --cost need probabilities, which this model does not have",
            "train it without --calibrate none",
        )
    return rule


def thresholds(text: str) -> dict[str | None, float]:
    """Return {None: 0.8} for ``0.8`` and {"spam": 0.9, "ham": 0.6} for ``spam=0.9,ham=0.6``."""
    limits: dict[str | None, float] = {label or None: p for label, p in numbers_by_label(text).items()}
    if not all(0 <= limit <= 2 for limit in limits.values()):  # above 1: never
        raise argparse.ArgumentTypeError(f"{text!r} is neither a probability nor LABEL=PROBABILITY,…")
    return limits


def cost(text: str) -> tuple[tuple[str, str], float]:
    """Return (("ham", "spam"), 10.0) for ``ham:spam=10``."""
    pair, _, number = text.rpartition("=")
    true, colon, predicted = pair.partition(":")
    value = as_number(number)
    if not colon or not 0 <= value < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is not TRUE:PREDICTED=COST with a cost of at least 0")
    return (true, predicted), value


class Layout(NamedTuple):
    """The columns of the output. Which they are follows from the options and the input's header, never from its rows.

    Attributes
    ----------
    names : list of str, the labels
    measure : "probability" or "score"
    top : int, how many labels are written, the best first
    every : bool, whether the measure of every label is written
    guess : bool, whether rows without a label say which one they would have got
    nested : bool, whether several values may be one column, as in JSON
    """

    names: list[str]
    measure: str
    top: int
    every: bool
    guess: bool
    nested: bool

    def columns(self, answer: Answers, codes: Codes, guesses: Codes, kept: Piece) -> Piece:
        """Return the columns of some rows: what is kept of the input, the label that was given, and the others."""
        import numpy as np

        from lindy.data.pieces import unused_name

        values = answer.values
        rows = np.arange(len(values))
        made: dict[str, Column] = dict(kept)

        def add(name: str, column: Column) -> None:
            made[unused_name(name, made)] = column

        def add_label(end: str, numbers: Codes, shown: Codes) -> None:
            add(f"label{end}", (self.names, numbers.astype(np.int64)))
            add(f"{self.measure}{end}", values[rows, shown].astype(np.float64))

        add_label("", codes, guesses)
        if self.guess:
            add_label("_1", guesses, guesses)
        others = self._runners_up(values, guesses)
        if not self.nested:
            for place, numbers in enumerate(others, start=2):
                add_label(f"_{place}", numbers, numbers)
            for name, column in zip(self.names, values.T if self.every else (), strict=False):
                add(name, np.ascontiguousarray(column, np.float64))
            return made
        if self.top > 1:
            ranked = zip(*(numbers.tolist() for numbers in others), strict=True)
            add("next", [self._listed(row, places) for row, places in zip(values, ranked, strict=True)])
        if self.every:
            plural = {"probability": "probabilities", "score": "scores"}[self.measure]
            rounded = ([round(value, 6) for value in row] for row in values.tolist())
            add(plural, [dict(zip(self.names, row, strict=True)) for row in rounded])
        return made

    def _listed(self, row: NDArray[Any], places: Sequence[int]) -> list[dict[str, Any]]:
        return [{"label": self.names[k], self.measure: round(float(row[k]), 6)} for k in places]

    def _runners_up(self, values: NDArray[Any], leader: Codes) -> list[Codes]:
        """Return the labels in second, third, … place, behind each row's first."""
        if self.top < 2:
            return []
        import numpy as np

        ranked = values.astype(np.float64)
        ranked[np.arange(len(values)), leader] = np.inf
        order = np.argsort(-ranked, axis=1, kind="stable")
        return [order[:, k] for k in range(1, self.top)]
