"""``lindy evaluate``: how good a model is on a labelled table."""

from __future__ import annotations

import argparse
import math
import shlex
import sys
from collections.abc import Collection
from typing import TYPE_CHECKING, Any, NamedTuple

from lindy.cli.options import (
    UsageError,
    add_columns,
    add_force,
    add_id,
    add_inputs,
    add_spreadsheet_safe,
    add_threads_quiet_json,
    between_0_and_1,
    check_spreadsheet_safe,
)
from lindy.cli.output import Notes, clean, print_json, table, table_format
from lindy.cli.reading import begin_reading, read_for
from lindy.data.formats import TABLES

if TYPE_CHECKING:
    from lindy.data import TextData
    from lindy.evaluation import Evaluation, Reliability
    from lindy.evaluation.decisions import Answers
    from lindy.textclassifier import TextClassifier

_WIDEST_CONFUSION = 12
RESAMPLES = 500
_BAR = 40


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
    add_inputs(parser, "table with texts and labels; '-' is stdin")
    add_columns(parser, label=True)
    parser.add_argument(
        "--precision",
        type=between_0_and_1,
        metavar="P",
        help="also find, for each class, how probable a label must be to be right in a share P of the cases: thresholds"
        " for 'lindy predict --reject'",
    )
    parser.add_argument(
        "--reliability",
        action="store_true",
        help="show how well the probabilities match the outcomes, bin by bin",
    )
    parser.add_argument(
        "--mistakes",
        metavar="FILE",
        help="write all wrong predictions, the most confident first, to view in a spreadsheet: row, label, prediction,"
        f" text; its name sets the format: {', '.join(f'.{name}' for name in TABLES)}",
    )
    add_id(parser)
    add_spreadsheet_safe(parser)
    add_force(parser)
    add_threads_quiet_json(parser)
    parser.set_defaults(run=evaluate)


def evaluate(args: argparse.Namespace) -> None:
    """Load, predict, compare."""
    note = Notes(args.quiet)
    if args.mistakes:
        check_mistakes(args.mistakes)
    elif args.id:
        raise UsageError("argument --id: it has no effect without --mistakes", "add --mistakes FILE")
    check_spreadsheet_safe(args, table_format(args.mistakes, "--mistakes") if args.mistakes else None)
    begun = begin_reading(args)
    from lindy.data.label_cleaning import escaped
    from lindy.evaluation import evaluate as compare
    from lindy.textclassifier import load

    classifier = load(args.model, n_jobs=args.threads)
    examples = read_for(classifier, args, note, begun=begun)
    roles = classifier.roles_of(examples.texts, examples.labels)
    if roles:
        used = " and ".join(roles)
        note(
            f"warning: this table was used for {used}: expect worse figures on texts that the model has not seen"
        )
    with note.progress("predicting"):
        answer = classifier.answers(examples.texts)
    truth: Any = examples.labels
    labels = [str(label) for label in classifier.classes_]
    if args.mistakes:
        write_mistakes(args, examples, answer, labels, note)
    unknown = unknown_labels(truth.to_pylist(), labels)
    if unknown:
        listed = ", ".join(f"{escaped(label)} ({count:,})" for label, count in unknown.items())
        note(
            f"warning: {sum(unknown.values()):,} of {len(truth):,} rows have labels that the model does not know; they"
            f" count as wrong: {listed}"
        )
    aimed = aim(classifier, answer, truth.to_pylist())
    result = compare(
        truth.to_pylist(),
        [labels[k] for k in answer.best],
        answer.values if answer.are_probabilities else None,
        labels,
        resamples=RESAMPLES if args.json else 0,
    )
    weighted = weighted_accuracy(examples, truth.to_pylist(), [labels[k] for k in answer.best])
    thresholds = None
    if args.precision is not None:
        thresholds = find_thresholds(answer, truth.to_pylist(), labels, args.precision)
    for said in aimed.concerns:
        note(f"warning: {said}")
    if args.json:
        record = result.to_dict() | {"used_for": roles, "unknown_labels": unknown}
        record |= {"metric": classifier.metric, "concerns": aimed.concerns}
        record |= {} if weighted is None else {"weighted_accuracy": weighted}
        record |= {} if thresholds is None else {"thresholds": thresholds}
        print_json(record)
        return
    sys.stdout.write(aimed.line + render(result, unknown))
    if weighted is not None:
        sys.stdout.write(
            f"accuracy by the weights of the rows: {weighted:.4f}; all other figures count every row once\n"
        )
    if args.reliability and result.probabilities is not None:
        before = own_calibration_error(classifier, examples.texts, truth.to_pylist())
        sys.stdout.write(render_reliability(result.probabilities.reliability, before))
    if thresholds is not None:
        sys.stdout.write(render_thresholds(thresholds))


def weighted_accuracy(examples: TextData, truth: list[str], predicted: list[str]) -> float | None:
    """Return the share of the rows' weights that is right, where a Vowpal Wabbit file has weights."""
    weight = getattr(examples.texts, "weight", None)
    if weight is None or not weight.any():
        return None
    import numpy as np

    right = np.array([a == b for a, b in zip(truth, predicted, strict=True)])
    return float(np.average(right, weights=weight))


def check_mistakes(path: str) -> None:
    """Raise before any work if the mistakes cannot be written."""
    table_format(path, "--mistakes")
    if path == "-":
        raise UsageError(
            "argument --mistakes: stdout is already used for the figures", "name a file, such as mistakes.csv"
        )


def write_mistakes(
    args: argparse.Namespace, examples: TextData, answer: Answers, labels: list[str], note: Notes
) -> None:
    """Write the rows whose prediction is not their label, the surest first."""
    import numpy as np

    from lindy.column import take_rows
    from lindy.data.pieces import Column, column_of, row_columns, words_of, writing_pieces
    from lindy.data.records import row_texts
    from lindy.data.row_names import RowNames
    from lindy.evaluation.fixes import sheet_text

    predicted = np.array(labels, object)[answer.best]
    sureness = answer.values[np.arange(len(predicted)), answer.best].astype(np.float64)
    wrong = np.flatnonzero(np.asarray(examples.labels, object) != predicted)
    wrong = wrong[np.argsort(-sureness[wrong], kind="stable")]
    piece: dict[str, Column] = {
        **row_columns(RowNames(examples.table, args.id), wrong.tolist()),
        "label": words_of(take_rows(examples.labels, wrong)),
        "predicted": column_of(predicted[wrong].tolist()),
        "probability" if answer.are_probabilities else "score": sureness[wrong],
        "text": column_of(map(sheet_text, take_rows(row_texts(examples.texts), wrong).to_pylist())),
    }
    kind = table_format(args.mistakes, "--mistakes")
    with writing_pieces(args.mistakes, kind, spreadsheet_safe=args.spreadsheet_safe) as write:
        write(piece)
    note(f"wrote {len(wrong):,} mistakes to {args.mistakes}, the most confident first")


class Aim(NamedTuple):
    """What a model was trained for: a line about how well it does that here, and what should be known about it."""

    line: str
    concerns: list[str]


def aim(classifier: TextClassifier, answer: Answers, truth: list[str]) -> Aim:
    """Return how the model does by its own metric, where that is not in the table anyway, and concerns."""
    import numpy as np

    from lindy.evaluation.calibration import log_losses
    from lindy.evaluation.concerns import concern
    from lindy.evaluation.criterion import Criterion
    from lindy.evaluation.ranking import class_numbers

    labels = [str(label) for label in classifier.classes_]
    codes = class_numbers(truth, np.array(labels, object))
    said = concern(codes, answer.best, labels, what="texts of this table", metric=classifier.metric)
    known = codes >= 0
    if classifier.metric == "accuracy" or not known.any():
        return Aim("", [said] if said else [])
    criterion = Criterion.of(classifier.metric, classifier.classes_, classifier.class_counts_)
    if criterion.kind != "log-loss":
        gains = criterion.gains_of(answer.best[known], codes[known])
    elif answer.are_probabilities:
        gains = -log_losses(answer.values[known], codes[known])
    else:
        return Aim("", [said] if said else [])
    figure = f"{criterion.figure(gains):.4f}"
    if criterion.kind == "recall@precision":
        called = answer.best == criterion.target
        precision = float((codes[called] == criterion.target).mean()) if called.any() else 0.0
        figure += f"; precision {precision:.4f}"
    return Aim(
        f"trained for {clean(classifier.metric)}: {clean(criterion.title)}: {figure}\n",
        [said] if said else [],
    )


def unknown_labels(truth: list[str], known: list[str]) -> dict[str, int]:
    """Return how often each label occurs that is none of the model's classes, the most frequent first."""
    from collections import Counter

    classes = set(known)
    return dict(Counter(label for label in truth if label not in classes).most_common())


def find_thresholds(
    answer: Answers, truth: list[str], labels: list[str], precision: float
) -> dict[str, float]:
    """Return how sure each label must be to reach the precision on this table."""
    if not answer.are_probabilities:
        raise UsageError(
            "argument --precision: the model has no probabilities", "train it without --calibrate none"
        )
    import numpy as np

    from lindy.evaluation.decisions import precision_thresholds
    from lindy.evaluation.ranking import class_numbers

    codes = class_numbers(truth, np.array(labels, object))
    return dict(zip(labels, precision_thresholds(answer.values, codes, precision).tolist(), strict=True))


def own_calibration_error(classifier: TextClassifier, texts: Any, truth: list[str]) -> float | None:
    """Return the calibration error that the model would have without its calibrator; None if it has no say."""
    if classifier.calibrator_ is None or "probabilities" not in classifier.learner_.offers:
        return None
    from lindy.evaluation import calibration_error
    from lindy.evaluation.ranking import class_numbers

    own = classifier.answers(texts, calibrated=False).values
    return calibration_error(own, class_numbers(truth, classifier.classes_.astype(str).astype(object)))


def render_reliability(curve: Reliability, before: float | None) -> str:
    """Return the reliability curve as bars: how often labels of each sureness were right."""
    rows = [["sure of", "right in", "", "texts"]]
    for p, share, n in zip(curve.confidence, curve.accuracy, curve.counts, strict=True):
        bar = "█" * round(share * _BAR)
        mark = min(round(p * _BAR), _BAR - 1)
        bar = bar.ljust(_BAR)
        rows.append([f"{p:.3f}", f"{share:.3f}", f"{bar[:mark]}│{bar[mark + 1 :]}", f"{n:,}"])
    without = "" if before is None else f" ({before:.4f} without calibration)"
    return f"{table(rows)}\n\ncalibration error {curve.error:.4f}{without}; bars should end at the line │\n\n"


def render_thresholds(thresholds: dict[str, float]) -> str:
    """Return thresholds as the option that takes them."""
    pairs = ",".join(f"{label}={math.ceil(t * 1e4) / 1e4:.4g}" for label, t in thresholds.items())
    return f"for that precision: lindy predict --reject {shlex.quote(clean(pairs))}\n"


def render(result: Evaluation, unknown: Collection[str] = ()) -> str:
    """Return an evaluation as text; labels that the model does not know are marked."""
    low, high = result.interval
    lines = [
        f"accuracy  {result.accuracy:.4f}  ({low:.4f} to {high:.4f} with 95 % confidence,"
        f" {result.examples:,} examples)",
        *_sureness(result),
        "",
    ]
    rows = [["", "precision", "recall", "F1", "examples"]]
    rows += [
        [
            clean(c.label) + " (unknown)" * (c.label in unknown),
            f"{c.precision:.4f}",
            f"{c.recall:.4f}",
            f"{c.f1:.4f}",
            f"{c.support:,}",
        ]
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
