"""``lindy convert-model``: a model file in another format."""

from __future__ import annotations

import argparse
import os
from typing import Any

from lindy.cli.io.console import Notes, print_json
from lindy.cli.options.fasttext_flags import add_strict, load_strictly
from lindy.cli.options.shared import add_force, add_threads_quiet_json
from lindy.cli.parsing import example_commands
from lindy.sanitize import size

FASTTEXT = (".bin", ".ftz")
_ABOUT = """\
Write a model in another format, with the same answers. The new file's name says which:

  .bin .ftz   fastText's, for models that came from there; of others the reason is told why they do not fit
  .lindy      lindy's, in its present version: every byte is checked when it is read, nothing in it is run, and
              several processes share its memory; from fastText's files, or from .lindy files of earlier versions"""


def add_to(commands: Any) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "convert-model",
        epilog=example_commands(
            "lindy convert-model lid.176.ftz languages.lindy", "lindy convert-model languages.lindy model.bin"
        ),
        help="write a model in another format: fastText's, lindy's",
        description=_ABOUT,
    )
    parser.add_argument("model", help="model file")
    parser.add_argument("target", help="model file to write: .lindy, .bin or .ftz")
    add_strict(parser)
    add_force(parser)
    add_threads_quiet_json(parser)
    parser.set_defaults(run=convert_model)


def convert_model(args: argparse.Namespace) -> None:
    """Load, write."""
    note = Notes(args.quiet)
    from lindy.estimators.learners import learner_name
    from lindy.files.atomic import check_writable
    from lindy.files.output_guard import MODEL, note_input

    note_input(args.model)
    check_writable(args.target, MODEL)
    model = load_strictly(args)
    is_fasttext = args.target.lower().endswith(FASTTEXT)
    if is_fasttext:
        model.save_fasttext(args.target)
    else:
        model.save(args.target)
    record = {
        "model": args.target,
        "format": "fasttext" if is_fasttext else "lindy",
        "learner": learner_name(model.learner_),
        "classes": len(model.classes_),
        "bytes": os.stat(args.target).st_size,
    }
    of = "fastText's format" if is_fasttext else "lindy's format"
    note(
        f"saved {args.target} in {of}: {record['learner']}, {record['classes']:,} classes ({size(record['bytes'])})"
    )
    if is_fasttext:
        note("note: answers are the same; counts of words and settings of the training are not kept")
    if args.json:
        print_json(record)
