"""``lindy evaluate``: how good a model is on a labelled table."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lindy.cli import options
from lindy.cli.manners import Notes, clean, table

if TYPE_CHECKING:
    from lindy.evaluation import Evaluation

_WIDEST_CONFUSION = 12


def evaluate(
    model: Annotated[Path, typer.Argument(help="Model file.")],
    data: Annotated[str, typer.Argument(help="Table with texts and labels; '-' is stdin.")],
    text: options.Text = None,
    label: options.Label = None,
    format: options.Format = None,  # noqa: A002
    threads: options.Threads = None,
    quiet: options.Quiet = False,
    as_json: options.Json = False,
) -> None:
    """Compare a model's predictions with the labels of a table."""
    note = Notes(quiet)
    from lindy.cli.predict import read_for
    from lindy.evaluation import evaluate as compare
    from lindy.textclassifier import load

    classifier = load(model, n_jobs=threads)
    with note.progress("reading"):
        examples = read_for(classifier, data, text, label, format, need_label=True)
    note(examples.columns.why)
    with note.progress("predicting"):
        predicted = classifier.predict(examples.texts).astype(str)
    truth: Any = examples.labels
    result = compare(truth.to_pylist(), predicted.tolist())
    sys.stdout.write(json.dumps(result.to_dict(), ensure_ascii=False) + "\n" if as_json else render(result))


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
