"""``lindy calibrate``: probabilities and thresholds of a saved model, learned on a labelled table."""

from __future__ import annotations

import argparse
import os
import sys
from typing import TYPE_CHECKING, Any

from lindy.cli.io.console import Notes, print_json, table, usable
from lindy.cli.io.reading import begin_reading, read_for, usable_begun
from lindy.cli.options.feature_options import metric
from lindy.cli.options.row_options import add_weight
from lindy.cli.options.shared import add_columns, add_force, add_inputs, add_threads_quiet_json, shown
from lindy.cli.parsing import example_commands
from lindy.errors import DataError
from lindy.sanitize import size

if TYPE_CHECKING:
    from lindy.updating.recalibration import Recalibration

_METHODS = ("auto", "sigmoid", "temperature", "vector", "isotonic")
_MOST_NAMED = 5


def add_to(commands: Any) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "calibrate",
        epilog=example_commands(
            "lindy calibrate model.bin dev.csv -o calibrated.lindy",
            "lindy calibrate spam.lindy dev.csv -o precise.lindy --metric recall@precision:0.99:spam",
        ),
        help="learn a saved model's probabilities and thresholds on a labelled table",
        description="Learn how the scores of a saved model become probabilities, and its thresholds, on a table that"
        " it was not trained on, and save it as another file: fastText's models, and models whose texts have"
        " changed. Weights stay as they are. What is gained is judged in folds of the table, and printed.",
    )
    parser.add_argument("model", help="model file")
    add_inputs(parser, "table with texts and labels that the model was not trained on; '-' is stdin")
    parser.add_argument("--output", "-o", metavar="FILE", required=True, help="model file to write")
    parser.add_argument(
        "--method",
        choices=_METHODS,
        default="auto",
        help="how scores become probabilities; default: auto, temperature or one that fits better",
    )
    parser.add_argument(
        "--metric",
        type=metric,
        metavar="NAME",
        help="set thresholds that make it largest on the table, such as f1:spam, macro-f1 or recall@precision:0.9;"
        " default: what the model was trained for",
    )
    add_columns(parser, label=True)
    add_weight(parser)
    add_force(parser)
    add_threads_quiet_json(parser)
    parser.set_defaults(run=calibrate)


def calibrate(args: argparse.Namespace) -> None:
    """Load, read, calibrate, save."""
    note = Notes(args.quiet)
    from lindy.data.columns.metadata_columns import weights_in
    from lindy.files.atomic import check_writable
    from lindy.files.output_guard import MODEL, note_input
    from lindy.textclassifier import load
    from lindy.updating.recalibration import recalibrate

    note_input(args.model)
    check_writable(args.output, MODEL)
    begun = begin_reading(args)
    model = load(args.model, n_jobs=args.threads)
    examples = read_for(model, args, note, begun=usable_begun(model, args, begun))
    if "training" in model.roles_of_examples(examples):
        raise DataError(
            f"{shown(args.data)}: the model was trained on this table, and is surer of it than of other texts",
            "calibrate on texts that it has not seen: 'lindy split' holds some out",
        )
    weight = None if args.weight is None else weights_in(examples.table, args.weight)
    with usable(shown(args.data)), note.hearing("calibrating"):
        done = recalibrate(
            model, examples.texts, examples.labels, weight, method=args.method, metric=args.metric
        )
    model.remember_examples("tuning", examples)
    model.save(args.output)
    tell(done, note)
    note(f"saved {args.output} ({size(os.stat(args.output).st_size)})")
    if args.json:
        print_json({"model": args.output, **record(done)})
    elif done.before:
        sys.stdout.write(render(done))


def record(done: Recalibration) -> dict[str, Any]:
    """Return what was done, as JSON can hold it."""
    return {
        "calibration": done.method,
        "examples": done.n,
        "before": done.before,
        "after": done.after,
        "unknown_labels": done.unknown,
        "absent_labels": done.absent,
        "said": done.said,
    }


def tell(done: Recalibration, note: Notes) -> None:
    """Say what was done, and what should be known."""
    if done.unknown:
        note(
            f"warning: {sum(done.unknown.values()):,} texts have labels that the model does not know, which are left"
            f" out: {_some(list(done.unknown))}"
        )
    if done.absent:
        of_all = ": the temperature is the same for all" if done.method == "temperature" else ""
        note(
            f"note: {len(done.absent):,} of the model's labels have no text here, {_some(done.absent)}{of_all}"
        )
    for line in done.said:
        note(line)
    note(f"probabilities: {done.method} calibration on {done.n:,} texts")


def _some(labels: list[str]) -> str:
    more = f" and {len(labels) - _MOST_NAMED:,} more" if len(labels) > _MOST_NAMED else ""
    return ", ".join(labels[:_MOST_NAMED]) + more


def render(done: Recalibration) -> str:
    """Return the figures before and after as a table."""
    rows = [["", "before", "after"]]
    for name, after in done.after.items():
        before = done.before.get(name)
        rows.append([name.replace("_", " "), "" if before is None else f"{before:.4f}", f"{after:.4f}"])
    return f"on texts of the table, each judged by what the other folds say\n{table(rows)}\n"
