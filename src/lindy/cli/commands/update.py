"""``lindy update``: further rows for a saved model."""

from __future__ import annotations

import argparse
import os
import sys
import time
from typing import TYPE_CHECKING, Any

from lindy.cli.io.console import Notes, print_json, table, usable
from lindy.cli.io.reading import begin_reading, read_for, usable_begun
from lindy.cli.options.row_options import add_weight
from lindy.cli.options.shared import (
    above_0,
    add_columns,
    add_force,
    add_inputs,
    add_threads_quiet_json,
    at_least,
    shown,
)
from lindy.cli.parsing import UsageError, example_commands
from lindy.errors import DataError
from lindy.sanitize import size

if TYPE_CHECKING:
    from lindy.updating.drift import Drift
    from lindy.updating.progressive import Progress
    from lindy.updating.updates import Update

PICTURES = (".png", ".svg", ".pdf")

_CORRECTED = "lindy_label"  # in a file of corrections, as the service writes it


def add_to(commands: Any) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "update",
        epilog=example_commands("lindy update reviews.lindy new.csv -o newer.lindy"),
        help="let a saved model learn from further rows",
        description="Let a saved model learn from further rows, with new words and new labels, and save it as another"
        " file. Naive Bayes and other counting models become what training on both tables would have made; perceptron"
        " and MIRA go on from their weights; SVM and MaxEnt solve for the new rows, held by their old weights; a model"
        " that was trained with --keep-rows is trained again on all rows. Every new row is predicted before it is"
        " learned, and what comes out is printed.",
    )
    parser.add_argument("model", help="model file")
    add_inputs(parser, "table with further texts and labels; '-' is stdin")
    parser.add_argument("--output", "-o", metavar="FILE", required=True, help="model file to write")
    add_columns(parser, label=True)
    parser.add_argument(
        "--batches",
        type=at_least(0, 10_000),
        metavar="N",
        default=10,
        help="predict the new rows in N batches, each before it is learned; 0: do not; default: 10",
    )
    parser.add_argument(
        "--plot",
        metavar="FILE",
        help=f"draw the accuracy of these predictions; its name sets the format: {', '.join(PICTURES)}",
    )
    parser.add_argument(
        "--forget",
        type=above_0,
        metavar="ROWS",
        help="half-life: a row counts half after so many further rows; default: nothing is forgotten",
    )
    parser.add_argument(
        "--no-compare",
        action="store_true",
        help="do not compare the new rows with those of the training: words, labels, whether they can be told apart",
    )
    add_weight(parser)
    add_force(parser)
    add_threads_quiet_json(parser)
    parser.set_defaults(run=update)


def update(args: argparse.Namespace) -> None:
    """Load, read, predict and learn, save."""
    note, began = Notes(args.quiet), time.perf_counter()
    check_picture(args)
    if args.plot is not None and os.path.abspath(args.plot) == os.path.abspath(args.output):
        raise UsageError("argument --plot: it is the model file to write", "give the picture another name")
    from lindy.data.columns.metadata_columns import weights_in
    from lindy.files.atomic import check_writable
    from lindy.files.output_guard import MODEL, note_input
    from lindy.textclassifier import load
    from lindy.updating.drift import compare_data
    from lindy.updating.updates import rows_for
    from lindy.updating.updates import update as learn_more

    note_input(args.model)
    check_writable(args.output, MODEL)
    begun = begin_reading(args)
    model = load(args.model, n_jobs=args.threads)
    examples = read_for(model, args, note, begun=usable_begun(model, args, begun))
    check_columns(model, examples, args)
    known = model.roles_of_examples(examples)
    if "training" in known:
        note("warning: the model has learned from this very table before: its rows will count twice")
    weight = None if args.weight is None else weights_in(examples.table, args.weight)
    with usable(shown(args.data)), note.hearing("updating"):
        drift = None
        if not args.no_compare:
            drift = compare_data(model, rows_for(model, examples.texts, examples.labels, weight))
        done = learn_more(
            model, examples.texts, examples.labels, weight, forget=args.forget, batches=args.batches
        )
    model.remember_examples("training", examples)
    model.save(args.output)
    if args.plot and done.progress is not None:
        draw(done.progress, args.plot, note)
    record = summary(args, model, done, drift)
    record["seconds"] = round(time.perf_counter() - began, 3)
    tell(record, done, drift, note)
    if args.json:
        print_json(record)
    elif done.progress is not None:
        sys.stdout.write(render(done.progress))


def check_columns(model: Any, examples: Any, args: argparse.Namespace) -> None:
    """Refuse a table without the columns of the training: a guess would teach the model something else."""
    names = examples.table.column_names
    for role, given in (("text", args.text), ("label", args.label)):
        trained = model.columns_.get(role)
        if trained and not given and trained not in names and examples.table.find is None:
            raise DataError(
                f"{shown(args.data)}: there is no column {trained!r}, from which the model learned its {role}s;"
                f" there are: {', '.join(map(str, names))}",
                f"name the column with --{role}"
                + (
                    f" {_CORRECTED}, which has the corrections"
                    if role == "label" and _CORRECTED in names
                    else ""
                ),
            )


def check_picture(args: argparse.Namespace) -> None:
    """Refuse a picture that cannot be drawn before anything is learned."""
    if not args.plot:
        return
    if not args.batches:
        raise UsageError(
            "argument --plot: there is nothing to draw with --batches 0", "leave out one of them"
        )
    if os.path.splitext(args.plot.lower())[1] not in PICTURES:
        raise UsageError(
            f"argument --plot: no picture can be saved as {args.plot!r}",
            f"give it a name that ends in {', '.join(PICTURES)}",
        )
    from lindy.files.atomic import check_writable
    from lindy.files.output_guard import PICTURE

    check_writable(args.plot, PICTURE)


def draw(progress: Progress, path: str, note: Notes) -> None:
    """Draw the accuracy batch by batch."""
    from lindy.plots import accuracy_by_row, save

    share, interval = progress.accuracy
    save(
        accuracy_by_row(
            progress.ends, progress.windows, progress.cumulative, (share, *interval), measure=progress.measure
        ),
        path,
    )
    note(f"wrote {path}")


def summary(args: argparse.Namespace, model: Any, done: Update, drift: Drift | None) -> dict[str, Any]:
    """Return what was done, as JSON can hold it."""
    from lindy.estimators.learners import learner_name

    return {
        "model": args.output,
        "learner": learner_name(model.learner_),
        "how": done.how,
        "said": done.said,
        "examples before": done.n_before,
        "examples new": done.n_new,
        "new features": done.new_features,
        "new classes": [str(label) for label in done.new_classes],
        "classes": {str(c): n for c, n in zip(model.classes_, model.class_counts_.tolist(), strict=True)},
        "features": int(model.vectorizer_.n_columns),
        "certificate": model.training_.get("certificate"),
        "forget": args.forget,
        "progressive": None if done.progress is None else done.progress.to_dict(),
        "drift": None if drift is None else drift.to_dict(),
        "bytes": os.stat(args.output).st_size,
    }


def tell(record: dict[str, Any], done: Update, drift: Drift | None, note: Notes) -> None:
    """Say what was done, and what should be known."""
    for line in done.said:
        note(line)
    if proof := record["certificate"]:
        kept = "within" if proof["reached"] else "NOT within"
        note(
            f"certificate: at most {proof['relative gap']:.1e} above the optimum, {kept} {proof['tolerance']:.0e}"
        )
    if drift is not None:
        for line in drift.warnings:
            note(f"warning: {line}")
        if drift.warnings and drift.words:
            changed = ", ".join(f"{word} ({'more' if z > 0 else 'less'})" for word, z in drift.words)
            note(f"words that changed most: {changed}")
    new = f", {record['new features']:,} new features"
    new += f", new classes: {', '.join(record['new classes'])}" if record["new classes"] else ""
    note(
        f"updated {record['learner']} of {done.n_before:,} rows with {done.n_new:,} more{new}\n"
        f"saved {record['model']} ({size(record['bytes'])}) after {record['seconds']:.2f} s"
    )


def render(progress: Progress) -> str:
    """Return the accuracy batch by batch as a table."""
    share, (low, high) = progress.accuracy
    begins = [0, *progress.ends.tolist()[:-1]]
    rows = [["rows", progress.measure, "so far"]]
    for begin, end, window, total in zip(
        begins, progress.ends, progress.windows, progress.cumulative, strict=True
    ):
        rows.append([f"{begin + 1:,}-{end:,}", f"{window:.3f}", f"{total:.3f}"])
    how = (
        "predicted before they were learned"
        if progress.learned
        else "predicted by the old model, which cannot go on"
    )
    return (
        f"{progress.measure} of new rows {how}: {share:.4f} ({low:.4f} to {high:.4f}, {len(progress.right):,} rows)\n"
        f"{table(rows)}\n"
    )
