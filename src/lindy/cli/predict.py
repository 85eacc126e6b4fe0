"""``lindy predict``: one output row for every input row."""

from __future__ import annotations

import argparse
import csv
import io
import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import IO, TYPE_CHECKING, Any

from lindy.cli.options import (
    UsageError,
    add_columns,
    add_inputs,
    add_manners,
    at_least,
    begin_reading,
    wanted_mail,
)
from lindy.cli.output import Notes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lindy.data import Table, TextData
    from lindy.evaluation.decisions import Decision
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
    add_inputs(parser, "table with texts; '-' is stdin")
    parser.add_argument(
        "--output", "-o", metavar="FILE", default="-", help="where to write (.csv or .jsonl); default: stdout"
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
    parser.add_argument(
        "--reject",
        type=thresholds,
        metavar="P or LABEL=P,…",
        help="leave the label empty where its probability is below P (or below its own LABEL=P): better no label than"
        " a wrong one",
    )
    parser.add_argument(
        "--cost",
        type=cost,
        action="append",
        metavar="TRUE:PREDICTED=COST",
        help="what a confusion costs (others cost 1): the label of least expected cost is predicted; repeatable",
    )
    add_columns(parser, label=False)
    add_manners(parser, json_help="write JSON lines instead of CSV")
    parser.set_defaults(run=predict)


def predict(args: argparse.Namespace) -> None:
    """Load, predict, write."""
    note = Notes(args.quiet)
    table = begin_reading(args)
    from lindy.data.batches import batches
    from lindy.textclassifier import load

    classifier = load(args.model, n_jobs=args.threads)
    with note.progress("reading"):
        examples = read_for(classifier, args, need_label=False, begun=table)
    note(examples.columns.why)
    note.remarks(examples.table.remarks)
    json_lines = args.json or args.output.endswith((".jsonl", ".ndjson"))
    names = [str(label) for label in classifier.classes_]
    measure = "probability" if classifier.has_probabilities else "score"
    decide = decision(args, classifier)
    write = partial(_json_rows, measure=measure) if json_lines else _csv_rows
    rejected, done, top = 0, 0, min(args.top_k, len(names))
    with opened(args.output) as out, note.progress("predicting", len(examples.texts)) as advance:
        if not json_lines:
            more = [f"{what}_{k}" for k in range(2, top + 1) for what in ("label", measure)]
            where = [] if examples.table.files is None else ["file"]
            header = [*where, "label", measure, *more, *(names if args.proba else [])]
            csv.writer(out, lineterminator="\n").writerow(header)
        for batch in batches(examples.texts):
            answer = classifier.answers(batch)
            codes = decide(answer)
            rejected += int((codes < 0).sum())
            files = None if examples.table.files is None else examples.table.files[done : done + len(batch)]
            write(out, names, answer.values, codes, args.proba, top, files)
            done += len(batch)
            advance(len(batch))
    if args.reject is not None:
        share = rejected / len(examples.texts)
        note(f"rejected {rejected:,} of {len(examples.texts):,} texts ({share:.1%}): their label is empty")
    if args.output != "-":
        note(f"wrote {len(examples.texts):,} predictions to {args.output}")


def read_for(
    classifier: TextClassifier,
    args: argparse.Namespace,
    *,
    need_label: bool,
    begun: Callable[[], Table] | None = None,
) -> TextData:
    """Read a table, preferring the columns that the model was trained on where the table has them."""
    from lindy.data import examples_of, read_table

    mail = wanted_mail(args, classifier.columns_)
    nameless = isinstance(args.data, list) or os.path.isdir(args.data) or not os.path.splitext(args.data)[1]
    kind = args.format or ("mail" if mail is not None and nameless and args.data != "-" else None)
    table = begun() if begun else read_table(args.data, format=kind, threads=args.threads, mail=mail)
    if mail is not None and mail.contacts is None and "contacts" in classifier.columns_:
        hint = "the model was trained with contacts, which it does not hold: give yours with --contacts"
        table = replace(table, remarks=(*table.remarks, hint))
    if classifier.columns is not None:
        return read_rows(classifier, table, args, need_label=need_label)
    present = {role: name for role, name in classifier.columns_.items() if name in table.column_names}
    text = args.text or present.get("text")
    label = (args.label or present.get("label")) if need_label else None
    examples = examples_of(table, text=text, label=label, need_label=need_label, mail=mail)
    if not args.text and not (need_label and args.label) and present:
        why = examples.columns.why.replace("(as asked)", "(as in training)")
        return replace(examples, columns=replace(examples.columns, why=why))
    return examples


def read_rows(
    classifier: TextClassifier, table: Table, args: argparse.Namespace, *, need_label: bool
) -> TextData:
    """Return the columns of a table that a model of several columns was trained on."""
    from lindy.data.records import rows_of

    if args.text:
        own = ", ".join(repr(name) for names in (classifier.columns or {}).values() for name in names)
        raise UsageError(
            "argument --text: this model reads several columns, always by their names", f"its columns: {own}"
        )
    label = None
    if need_label:
        trained = classifier.columns_.get("label")
        label = args.label or (trained if trained in table.column_names else None)
    return rows_of(table, classifier.columns or {}, label, need_label, trained=True)


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
    limits: dict[str | None, float] = {}
    for pair in text.split(","):
        label, _, number = pair.rpartition("=")
        try:
            limits[label or None] = float(number)
        except ValueError:
            limits = {None: -1.0}
            break
    if not all(0 <= limit <= 2 for limit in limits.values()):  # above 1: never
        raise argparse.ArgumentTypeError(f"{text!r} is neither a probability nor LABEL=PROBABILITY,…")
    return limits


def cost(text: str) -> tuple[tuple[str, str], float]:
    """Return (("ham", "spam"), 10.0) for ``ham:spam=10``."""
    pair, _, number = text.rpartition("=")
    true, colon, predicted = pair.partition(":")
    try:
        value = float(number)
    except ValueError:
        value = -1.0
    if not colon or not 0 <= value < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is not TRUE:PREDICTED=COST with a cost of at least 0")
    return (true, predicted), value


@contextmanager
def opened(output: str) -> Iterator[IO[str]]:
    """Open stdout for ``-``, otherwise a file that appears only when it is complete."""
    if output == "-":
        yield sys.stdout
        return
    from lindy.atomic import atomic_write

    with atomic_write(output, text=True) as file:
        yield file


def _csv_rows(
    out: IO[str],
    names: list[str],
    values: NDArray[Any],
    codes: NDArray[Any],
    every: bool,
    top: int,
    files: Sequence[str] | None,
) -> None:
    import numpy as np

    from lindy import _native

    written = [_field(name) for name in names]
    columns: list[Any] = []
    if files is not None:
        columns.append(([_field(file) for file in files], np.arange(len(files))))
    for ranked in (codes, *_runners_up(values, codes, top)):
        columns += [(written, ranked.astype(np.int64)), _best(values, ranked).astype(np.float64)]
    if every:
        columns += [np.ascontiguousarray(column, np.float64) for column in values.T]
    out.write(_native.delimited_lines(columns))


def _field(text: str) -> str:
    """Return a text as a field of a CSV file."""
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow([text, ""])
    return line.getvalue()[:-1]


def _json_rows(
    out: IO[str],
    names: list[str],
    values: NDArray[Any],
    codes: NDArray[Any],
    every: bool,
    top: int,
    files: Sequence[str] | None,
    *,
    measure: str,
) -> None:
    plural = {"probability": "probabilities", "score": "scores"}[measure]
    others = [runner_up.tolist() for runner_up in _runners_up(values, codes, top)]
    for i, (row, k, best) in enumerate(
        zip(values.tolist(), codes.tolist(), _best(values, codes).tolist(), strict=True)
    ):
        record: dict[str, Any] = {} if files is None else {"file": files[i]}
        record |= {"label": names[k] if k >= 0 else None, measure: round(best, 6)}
        if top > 1:
            record["next"] = [{"label": names[o[i]], measure: round(row[o[i]], 6)} for o in others]
        if every:
            record[plural] = {name: round(p, 6) for name, p in zip(names, row, strict=True)}
        out.write(json.dumps(record, ensure_ascii=False) + "\n")


def _runners_up(values: NDArray[Any], codes: NDArray[Any], top: int) -> list[NDArray[Any]]:
    """Return the classes in second, third, … place, behind each row's label (behind the best one if it has none)."""
    if top < 2:
        return []
    import numpy as np

    rows = np.arange(len(values))
    leader = np.where(codes < 0, values.argmax(axis=1), codes)
    ranked = values.astype(np.float64)
    ranked[rows, leader] = np.inf
    order = np.argsort(-ranked, axis=1, kind="stable")
    return [order[:, k] for k in range(1, top)]


def _best(values: NDArray[Any], codes: NDArray[Any]) -> NDArray[Any]:
    """Return the value of each row's label, of the best one where there is no label."""
    rows = range(len(values))
    best: NDArray[Any] = values[rows, codes]
    rejected = codes < 0
    best[rejected] = values[rejected].max(axis=1)
    return best
