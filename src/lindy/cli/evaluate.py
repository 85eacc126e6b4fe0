"""``lindy evaluate``: how good a model is on a labelled table."""

from __future__ import annotations

import argparse
import json
import math
import shlex
import sys
from typing import TYPE_CHECKING, Any

from lindy.cli.manners import Notes, clean, table
from lindy.cli.options import UsageError, add_columns, add_manners, between_0_and_1

if TYPE_CHECKING:
    from lindy.cli.predict import Answers
    from lindy.evaluation import Evaluation

_WIDEST_CONFUSION = 12
RESAMPLES = 500


def add_to(commands: Any) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "evaluate",
        help="compare a model's predictions with the labels of a table",
        description="Compare a model's predictions with a table's labels: accuracy, precision, recall, F1, confusion,"
        " log loss and calibration. --json also has Brier score, MCC, areas under the ROC and precision-recall curves,"
        " top-k accuracy, all averages, and an interval for every figure.",
    )
    parser.add_argument("model", help="model file")
    parser.add_argument("data", help="table with texts and labels; '-' is stdin")
    add_columns(parser, label=True)
    parser.add_argument(
        "--precision",
        type=between_0_and_1,
        metavar="P",
        help="also find, per class, how sure a label must be to be right in a share P of the cases: thresholds for"
        " 'lindy predict --reject'",
    )
    add_manners(parser)
    parser.set_defaults(run=evaluate)


def evaluate(args: argparse.Namespace) -> None:
    """Load, predict, compare."""
    note = Notes(args.quiet)
    from lindy.cli.predict import answers, read_for
    from lindy.evaluation import evaluate as compare
    from lindy.textclassifier import load

    classifier = load(args.model, n_jobs=args.threads)
    with note.progress("reading"):
        examples = read_for(classifier, args, need_label=True)
    note(examples.columns.why)
    roles = classifier.roles_of(examples.texts, examples.labels)
    if roles:
        used = " and ".join(roles)
        note(
            f"warning: this table was used for {used}: on texts that the model has not met, expect worse figures"
        )
    with note.progress("predicting"):
        answer = answers(classifier, examples.texts)
    truth: Any = examples.labels
    labels = [str(label) for label in classifier.classes_]
    result = compare(
        truth.to_pylist(),
        [labels[k] for k in answer.codes],
        answer.values if answer.are_probabilities else None,
        labels,
        resamples=RESAMPLES if args.json else 0,
    )
    thresholds = None
    if args.precision is not None:
        thresholds = find_thresholds(answer, truth.to_pylist(), labels, args.precision)
    if args.json:
        record = result.to_dict() | {"used_for": roles}
        record |= {} if thresholds is None else {"thresholds": thresholds}
        sys.stdout.write(json.dumps(record, ensure_ascii=False) + "\n")
    else:
        sys.stdout.write(render(result) + ("" if thresholds is None else render_thresholds(thresholds)))


def find_thresholds(
    answer: Answers, truth: list[str], labels: list[str], precision: float
) -> dict[str, float]:
    """Return how sure each label must be to reach the precision on this table."""
    if not answer.are_probabilities:
        raise UsageError(
            "argument --precision: the model has no probabilities", "train it without --calibrate none"
        )
    import numpy as np

    from lindy.evaluation.ranking import class_numbers
    from lindy.evaluation.thresholds import precision_thresholds

    codes = class_numbers(truth, np.array(labels, object))
    return dict(zip(labels, precision_thresholds(answer.values, codes, precision).tolist(), strict=True))


def render_thresholds(thresholds: dict[str, float]) -> str:
    """Return thresholds as the option that takes them."""
    pairs = ",".join(f"{label}={math.ceil(t * 1e4) / 1e4:.4g}" for label, t in thresholds.items())
    return f"for that precision: lindy predict --reject {shlex.quote(clean(pairs))}\n"


def render(result: Evaluation) -> str:
    """Return an evaluation as text."""
    low, high = result.interval
    lines = [
        f"accuracy  {result.accuracy:.4f}  ({low:.4f} to {high:.4f} with 95 % confidence,"
        f" {result.examples:,} examples)",
        *_sureness(result),
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


def _sureness(result: Evaluation) -> list[str]:
    if result.probabilities is None:
        return []
    p = result.probabilities
    area = f"   ROC area {p.roc_auc:.4f}" if p.roc_auc is not None else ""
    return [f"log loss  {p.log_loss:.4f}   calibration error {p.reliability.error:.4f}{area}"]


def _confusions(result: Evaluation, names: list[str], most: int = 10) -> list[str]:
    pairs = [
        (int(result.confusion[i, j]), f"{names[i]} → {names[j]}")
        for i in range(len(names))
        for j in range(len(names))
        if i != j and result.confusion[i, j]
    ]
    pairs.sort(key=lambda pair: (-pair[0], pair[1]))
    return [f"{count:6,}  {pair}" for count, pair in pairs[:most]]
