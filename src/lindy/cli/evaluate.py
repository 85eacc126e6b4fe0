"""``lindy evaluate``: how good a model is on a labelled table."""

from __future__ import annotations

import argparse
import json
import sys
from typing import TYPE_CHECKING, Any

from lindy.cli.manners import Notes, clean, table
from lindy.cli.options import add_columns, add_manners

if TYPE_CHECKING:
    from lindy.evaluation import Evaluation

_WIDEST_CONFUSION = 12


def add_to(commands: Any) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "evaluate",
        help="compare a model's predictions with the labels of a table",
        description="Compare a model's predictions with a table's labels: accuracy, precision, recall, F1, confusion.",
    )
    parser.add_argument("model", help="model file")
    parser.add_argument("data", help="table with texts and labels; '-' is stdin")
    add_columns(parser, label=True)
    add_manners(parser)
    parser.set_defaults(run=evaluate)


def evaluate(args: argparse.Namespace) -> None:
    """Load, predict, compare."""
    note = Notes(args.quiet)
    from lindy.cli.predict import read_for
    from lindy.evaluation import evaluate as compare
    from lindy.textclassifier import load

    classifier = load(args.model, n_jobs=args.threads)
    with note.progress("reading"):
        examples = read_for(classifier, args, need_label=True)
    note(examples.columns.why)
    with note.progress("predicting"):
        predicted = classifier.predict(examples.texts)
    truth: Any = examples.labels
    result = compare(truth.to_pylist(), [str(label) for label in predicted])
    sys.stdout.write(json.dumps(result.to_dict(), ensure_ascii=False) + "\n" if args.json else render(result))


def render(result: Evaluation) -> str:
    """Return an evaluation as text."""
    low, high = result.interval
    lines = [
        f"accuracy  {result.accuracy:.4f}  ({low:.4f} to {high:.4f} with 95 % confidence,"
        f" {result.examples:,} examples)",
        "",
    ]
    rows = [["", "precision", "recall", "F1", "examples"]]
    rows += [
        [clean(c.label), f"{c.precision:.4f}", f"{c.recall:.4f}", f"{c.f1:.4f}", f"{c.support:,}"]
        for c in result.classes
    ]
    rows.append(["(macro mean)", "", "", f"{result.macro_f1:.4f}", ""])
    lines += [table(rows), ""]
    names = [clean(label) for label in result.labels]
    if len(names) <= _WIDEST_CONFUSION:
        grid = [["true \\ predicted", *names]]
        grid += [
            [name, *(f"{n:,}" for n in counts)] for name, counts in zip(names, result.confusion, strict=True)
        ]
        lines += [table(grid), ""]
    else:
        lines += ["most frequent confusions (true → predicted)", *_confusions(result, names), ""]
    return "\n".join(lines)


def _confusions(result: Evaluation, names: list[str], most: int = 10) -> list[str]:
    pairs = [
        (int(result.confusion[i, j]), f"{names[i]} → {names[j]}")
        for i in range(len(names))
        for j in range(len(names))
        if i != j and result.confusion[i, j]
    ]
    pairs.sort(key=lambda pair: (-pair[0], pair[1]))
    return [f"{count:6,}  {pair}" for count, pair in pairs[:most]]
