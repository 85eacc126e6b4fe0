"""``lindy predict``: one output row for every input row."""

from __future__ import annotations

import argparse
import csv
import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import IO, TYPE_CHECKING, Any

from lindy.cli.manners import Notes
from lindy.cli.options import add_columns, add_manners

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lindy.data import TextData
    from lindy.textclassifier import TextClassifier


def add_to(commands: Any) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "predict",
        help="predict the label of each text of a table",
        description="Predict the label of each text of a table; writes one row per text: the label and its"
        " probability, or its score where the learner has no probabilities (perceptron, mira, svm).",
    )
    parser.add_argument("model", help="model file")
    parser.add_argument("data", help="table with texts; '-' is stdin")
    parser.add_argument(
        "--output", "-o", metavar="FILE", default="-", help="where to write (.csv or .jsonl); default: stdout"
    )
    parser.add_argument(
        "--proba", action="store_true", help="also write the probability (or score) of every class"
    )
    add_columns(parser, label=False)
    add_manners(parser, json_help="write JSON lines instead of CSV")
    parser.set_defaults(run=predict)


def predict(args: argparse.Namespace) -> None:
    """Load, predict, write."""
    note = Notes(args.quiet)
    from lindy.textclassifier import batches, load

    classifier = load(args.model, n_jobs=args.threads)
    with note.progress("reading"):
        examples = read_for(classifier, args, need_label=False)
    note(examples.columns.why)
    json_lines = args.json or args.output.endswith((".jsonl", ".ndjson"))
    names = [str(label) for label in classifier.classes_]
    measure = "probability" if hasattr(classifier.learner_, "predict_proba") else "score"
    write = partial(_json_rows, measure=measure) if json_lines else _csv_rows
    with opened(args.output) as out, note.progress("predicting", len(examples.texts)) as advance:
        if not json_lines:
            header = ["label", measure, *(names if args.proba else [])]
            csv.writer(out, lineterminator="\n").writerow(header)
        for batch in batches(examples.texts):
            values = (
                classifier.predict_proba(batch) if measure == "probability" else scores(classifier, batch)
            )
            write(out, names, values, args.proba)
            advance(len(batch))
    if args.output != "-":
        note(f"wrote {len(examples.texts):,} predictions to {args.output}")


def read_for(classifier: TextClassifier, args: argparse.Namespace, *, need_label: bool) -> TextData:
    """Read a table, preferring the columns that the model was trained on where the table has them."""
    from lindy.data import examples_of, read_table

    table = read_table(args.data, format=args.format, threads=args.threads)
    present = {role: name for role, name in classifier.columns_.items() if name in table.column_names}
    text = args.text or present.get("text")
    label = (args.label or present.get("label")) if need_label else None
    examples = examples_of(table, text=text, label=label, need_label=need_label)
    if not args.text and not (need_label and args.label) and present:
        why = examples.columns.why.replace("(as asked)", "(as in training)")
        return replace(examples, columns=replace(examples.columns, why=why))
    return examples


def scores(classifier: TextClassifier, texts: Any) -> NDArray[Any]:
    """Return one score per class; for two classes s and −s."""
    values = classifier.decision_function(texts)
    if values.ndim == 1:
        import numpy as np

        return np.stack([-values, values], axis=1)
    return values


@contextmanager
def opened(output: str) -> Iterator[IO[str]]:
    """Open stdout for ``-``, otherwise a file that appears only when it is complete."""
    if output == "-":
        yield sys.stdout
        return
    from lindy.atomic import atomic_write

    with atomic_write(output, text=True) as file:
        yield file


def _csv_rows(out: IO[str], names: list[str], values: NDArray[Any], every: bool) -> None:
    tops = values.max(axis=1).tolist()
    columns = [[names[k] for k in values.argmax(axis=1)], [f"{p:.6g}" for p in tops]]
    if every:
        columns += [[f"{p:.6g}" for p in column] for column in values.T.tolist()]
    csv.writer(out, lineterminator="\n").writerows(zip(*columns, strict=True))


def _json_rows(out: IO[str], names: list[str], values: NDArray[Any], every: bool, measure: str) -> None:
    plural = {"probability": "probabilities", "score": "scores"}[measure]
    for row in values.tolist():
        best = max(range(len(row)), key=row.__getitem__)
        record: dict[str, Any] = {"label": names[best], measure: round(row[best], 6)}
        if every:
            record[plural] = {name: round(p, 6) for name, p in zip(names, row, strict=True)}
        out.write(json.dumps(record, ensure_ascii=False) + "\n")
