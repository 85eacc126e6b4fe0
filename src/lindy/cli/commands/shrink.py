"""``lindy shrink``: a small file made of a model."""

from __future__ import annotations

import argparse
import os
import time
from typing import TYPE_CHECKING, Any

from lindy.cli.io.console import Notes, print_json
from lindy.cli.io.reading import read_for
from lindy.cli.options.shared import above_0, add_columns, add_force, add_threads_quiet_json, file_size
from lindy.cli.parsing import UsageError, example_commands, refuse_reading
from lindy.sanitize import size

if TYPE_CHECKING:
    from lindy.data import TextData
    from lindy.textclassifier import TextClassifier

_ABOUT = """\
Make a model small: the features that change its scores most, weights in eight bits, terms and weights coded. The file
is one of a model as any other; it can predict, explain, be served and exported, but not be updated.

With --texts, the table that the model was trained on, the weights are learned anew, and a fifth of the table is held
out to say what the small model loses against the whole one; --test measures that on another table."""


def add_to(commands: Any) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "shrink",
        epilog=example_commands(
            "lindy shrink reviews.lindy -o small.lindy --texts reviews.csv",
            "lindy shrink reviews.lindy -o small.lindy --size 100kB --test test.csv",
            "lindy shrink reviews.lindy -o small.lindy --loss 0.3 --texts reviews.csv",
        ),
        help="make a small file of a model",
        description=_ABOUT,
    )
    parser.add_argument("model", help="model file")
    parser.add_argument("--output", "-o", metavar="FILE", required=True, help="model file to write")
    parser.add_argument(
        "--size",
        type=file_size,
        metavar="SIZE",
        help="bytes of the file at most, such as 500kB or 1MB (a million), which is the default",
    )
    parser.add_argument(
        "--loss",
        type=above_0,
        metavar="POINTS",
        help="instead of a size: the fewest features that lose at most so many points of accuracy",
    )
    parser.add_argument(
        "--texts",
        metavar="TABLE",
        help="labelled table that the model was trained on; default: the rows that it keeps, if it does",
    )
    parser.add_argument("--test", metavar="TABLE", help="labelled table to measure the loss on")
    add_columns(parser, label=True)
    add_force(parser)
    add_threads_quiet_json(parser)
    parser.set_defaults(run=shrink)


def shrink(args: argparse.Namespace) -> None:
    """Load, choose, learn anew, judge, save."""
    note, began = Notes(args.quiet), time.perf_counter()
    check(args)
    from lindy.files.atomic import check_writable
    from lindy.files.output_guard import MODEL, note_input
    from lindy.textclassifier import load

    note_input(args.model)
    check_writable(args.output, MODEL)
    model = load(args.model, n_jobs=args.threads)
    if args.loss is not None and args.texts is None and args.test is None and model.kept_ is None:
        raise UsageError(
            "argument --loss: it is measured on labelled texts",
            "add --texts TABLE, what the model was trained on, or --test TABLE",
        )
    before = os.stat(args.model).st_size
    texts, test = (_read(model, args, note, table) for table in (args.texts, args.test))
    if args.texts and model.seen_.get("training") and "training" not in model.roles_of_examples(texts):
        note(
            f"warning: the model was not trained on {args.texts}: it learns its weights from it nevertheless"
        )
    if test is not None and (roles := model.roles_of_examples(test)):
        note(
            f"warning: {args.test} was used for {' and '.join(roles)}: the loss on texts that the model has not seen"
            " may be another"
        )
    with note.hearing("shrinking"):
        small = model.shrink(
            *(() if texts is None else (texts.texts, texts.labels)),
            size=args.size,
            loss=args.loss,
            test=None if test is None else (test.texts, test.labels.to_pylist()),
        )
    small.save(args.output)
    record = summary(small, args.output) | {"bytes_before": before}
    record["seconds"] = round(time.perf_counter() - began, 3)
    note(f"{describe(record)} instead of {size(before)}) after {record['seconds']:.2f} s")
    if args.json:
        print_json(record)


def check(args: argparse.Namespace) -> None:
    """Raise before any work if options contradict each other."""
    if args.size is not None and args.loss is not None:
        raise UsageError(
            "argument --loss: --size says how many features are kept, too", "leave out one of them"
        )
    if args.texts is None and args.test is None:
        refuse_reading(args)


def _read(model: TextClassifier, args: argparse.Namespace, note: Notes, table: str | None) -> Any:
    """Return the examples of a table; None for none."""
    found: TextData | None = None if table is None else read_for(model, args, note, data=table)
    return found


def summary(small: TextClassifier, target: str) -> dict[str, Any]:
    """Return what is said about a small model that was saved."""
    made = small.small_
    if made is None:
        raise ValueError("the model is not a small one")
    loss = made.loss
    return {
        "model": target,
        "features": int(small.vectorizer_.n_columns),
        "features_before": made.features,
        "loss": None if loss is None else {name: getattr(loss, name) for name in loss.__slots__},
        "said": "no texts to measure the loss on: add --texts or --test" if loss is None else str(loss),
        "bytes": os.stat(target).st_size,
    }


def describe(record: dict[str, Any]) -> str:
    """Return the lines that say what has become of a model, up to the size of its file."""
    return (
        f"{record['features']:,} of {record['features_before']:,} features are left; {record['said']}\n"
        f"saved {record['model']} ({size(record['bytes'])}"
    )
