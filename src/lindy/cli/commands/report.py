"""``lindy report``: one page about a model."""

from __future__ import annotations

import argparse
import hashlib
import shlex
import sys
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lindy.cli.io.console import Notes, write_page
from lindy.cli.io.reading import read_for
from lindy.cli.options.row_options import add_division, division_of, present, weights_of
from lindy.cli.options.shared import add_columns, add_force, add_id, add_seed, add_threads_quiet_json, shown
from lindy.cli.parsing import UsageError, example_commands

if TYPE_CHECKING:
    from lindy.data import TextData
    from lindy.textclassifier import TextClassifier


def add_to(commands: Any) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "report",
        epilog=example_commands("lindy report reviews.lindy test.csv -o report.html"),
        help="write a page about a model: metrics, figures, words, mistakes",
        description=(
            "Test a model on a labelled table that it has not seen and write one self-contained HTML page: what was"
            " trained on what, metrics with intervals, confusion, calibration, learning curve, the features of each"
            " class, and the most confident mistakes, explained."
        ),
    )
    parser.add_argument("model", help="model file")
    parser.add_argument("data", help="table with texts and labels to test on; '-' is stdin")
    parser.add_argument(
        "--train", metavar="TABLE", help="the table it was trained on, for the learning curve"
    )
    parser.add_argument(
        "--output",
        "-o",
        metavar="FILE",
        help="page to write; default: the model's name with .html; '-' is stdout",
    )
    parser.add_argument("--title", help="title of the page; default: the model's name")
    add_division(parser)
    add_seed(parser, "seed of the learning curve's split")
    add_columns(parser, label=True)
    add_id(parser)
    add_force(parser)
    add_threads_quiet_json(parser, json=None)
    parser.set_defaults(run=report)


def report(args: argparse.Namespace) -> None:
    """Load, test, write."""
    note = Notes(args.quiet)
    target = args.output or f"{Path(args.model).stem}.html"
    check_report(target)
    for option, name in (("--group", args.group), ("--time", args.time)):
        if name is not None and not args.train:
            raise UsageError(f"argument {option}: it has no effect without --train", "add --train TABLE")
    from lindy.data.columns.row_ids import RowNames
    from lindy.report import report as make
    from lindy.textclassifier import load

    classifier = load(args.model, n_jobs=args.threads)
    test = read_for(classifier, args, note)
    named: dict[str, Any] = {"rows": RowNames(test.table, args.id).of}
    if args.train:
        examples = read_for(classifier, args, Notes(quiet=True), data=args.train)
        named["train"] = (examples.texts, examples.labels)
        named["train_rows"] = RowNames(examples.table, args.id).of
        named["division"] = division_of(args, examples)
    words = ["lindy", "report", args.model, args.data]
    words += ["--train", args.train] if args.train else []
    words += ["--group", args.group] if args.group else []
    words += ["--time", args.time] if args.time else []
    words += ["--seed", str(args.seed)] if args.seed else []
    with note.progress("reporting"):
        page = make(
            classifier,
            test.texts,
            test.labels,
            **named,
            title=args.title or f"Report on {Path(args.model).name}",
            facts=described({"model": args.model, "tested on": args.data, "trained on": args.train}),
            commands=shlex.join([*words, "-o", target]),
            random_state=args.seed,
        )
    write_page(target, page, note)


def check_report(target: str) -> None:
    """Raise before any work if a report cannot be made or written."""
    from lindy.files.atomic import check_writable
    from lindy.files.output_guard import PAGE
    from lindy.plots.style import require_matplotlib

    require_matplotlib()
    if target != "-":
        check_writable(Path(target), PAGE)


def report_training(model: TextClassifier, examples: TextData, args: argparse.Namespace) -> None:
    """Write the report of ``lindy train``: on a test table, or on a held-out fifth by a copy that has not seen it."""
    note = Notes(args.quiet)
    import numpy as np

    from lindy.core.column import pick
    from lindy.core.targets import as_targets
    from lindy.data.columns.row_ids import RowNames
    from lindy.errors import RareClassWarning
    from lindy.report import report as make
    from lindy.report.measure import unfitted

    examples = present(args, examples)
    names = RowNames(examples.table, args.id)
    facts = described({"trained on": shown(args.data), "tested on": args.test})
    division = division_of(args, examples)
    if args.test:
        test = read_for(
            model,
            args,
            Notes(quiet=True),
            data=args.test,
            text=None,
            numeric=None,
            category=None,
            weight=None,
        )
        tested, texts, labels = model, test.texts, test.labels
        train = (examples.texts, examples.labels)
        rows, train_rows = RowNames(test.table, args.id), names
    else:
        order = np.random.default_rng(args.seed).permutation(len(examples.texts))
        held, kept = order[: len(order) // 5], order[len(order) // 5 :]
        if not division.is_free:
            kept, held = division.hold_out(as_targets(examples.labels, several=True), 0.2, args.seed)
        texts, labels = pick(examples.texts, held), pick(examples.labels, held)
        train = (pick(examples.texts, kept), pick(examples.labels, kept))
        rows, train_rows = names.take(held), names.take(kept)
        facts["tested on"] = (
            f"{len(held):,} of its {len(order):,} examples, by a copy that learned from the others;"
            " the saved model learned from all"
        )
        tested = unfitted(model)
        with note.hearing("testing"), warnings.catch_warnings():
            warnings.simplefilter("ignore", RareClassWarning)  # the saved model has said so
            weight = weights_of(args, examples)
            own = None if weight is None else weight[kept]
            tested.fit(*train, own, source=model.columns_, groups=division.take(kept))
        division = division.take(kept)
        tested.recipe_ = model.recipe_
    with note.progress("reporting"):
        page = make(
            tested,
            texts,
            labels,
            train=train,
            rows=rows.of,
            train_rows=train_rows.of,
            title=f"Report on {Path(args.output or shown(args.data)).name}",
            facts=facts,
            commands=shlex.join(["lindy", *sys.argv[1:]]) if sys.argv[1:2] == ["train"] else "",
            random_state=args.seed,
            division=division,
        )
    write_page(args.report, page, note)


def described(files: dict[str, str | None]) -> dict[str, str]:
    """Return the files by what they are, each with the beginning of its SHA-256."""
    facts = {}
    for role, name in files.items():
        if name and name != "-" and Path(name).is_file():
            with open(name, "rb") as file:
                digest = hashlib.file_digest(file, "sha256").hexdigest()
            facts[role] = f"{Path(name).name} (SHA-256 {digest[:16]}…)"
        elif name:
            facts[role] = "stdin" if name == "-" else Path(name).name
    return facts
