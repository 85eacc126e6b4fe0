"""``lindy convert``: a table in another format."""

from __future__ import annotations

import argparse
from typing import Any

from lindy.cli.io.console import Notes, as_options, print_json
from lindy.cli.io.reading import holds_images
from lindy.cli.options.shared import (
    add_encoding,
    add_force,
    add_label,
    add_spreadsheet_safe,
    add_threads_quiet_json,
    check_spreadsheet_safe,
    reading,
    shown,
)
from lindy.cli.parsing import Once, example_commands
from lindy.data.formats.registry import FORMATS, WRITABLE, listed_formats
from lindy.errors import DataError

_ABOUT = f"""\
Write a table in another format. The formats are told by the names of the files:

{listed_formats()}

.gz and .zst are unpacked and packed; '-' is stdin or stdout."""


def add_to(commands: Any) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "convert",
        epilog=example_commands(
            "lindy convert reviews.csv reviews.jsonl", "lindy convert reviews.xlsx reviews.csv.gz"
        ),
        help="write a table in another format",
        description=_ABOUT,
    )
    parser.add_argument("source", nargs="+", help="table, or folders, one for each class; '-' is stdin")
    parser.add_argument("target", help="file or new folder to write; '-' is stdout")
    parser.add_argument(
        "--from",
        "--format",
        dest="source_format",
        choices=FORMATS,
        metavar="NAME",
        help=f"format of the source: {', '.join(FORMATS)}",
    )
    parser.add_argument(
        "--to",
        dest="target_format",
        choices=WRITABLE,
        metavar="NAME",
        help="format to write: the same, but not mail",
    )
    reading(parser).add_argument(
        "--text", metavar="COLUMN", action=Once, help="with the texts; default: found by name or content"
    )
    add_label(parser)
    parser.add_argument(
        "--columns",
        metavar="FILE",
        help="number the columns of an svmlight file as in this one, which was converted earlier, so that a test"
        " set gets the columns of its training set",
    )
    add_encoding(parser)
    add_spreadsheet_safe(parser)
    add_force(parser)
    add_threads_quiet_json(parser)
    parser.set_defaults(run=convert)


def convert(args: argparse.Namespace) -> None:
    """Read, write."""
    note = Notes(args.quiet)
    from lindy.data.write.convert import convert as run
    from lindy.data.write.convert import writable_format

    check_spreadsheet_safe(args, writable_format(args.target, args.target_format, "target_format"))

    if args.source_format is None and holds_images(args.source):
        raise DataError(
            f"{shown(args.source)}: holds images, which cannot be converted", "Give a table of texts."
        )
    with note.progress("converting"):
        done = run(
            args.source,
            args.target,
            args.source_format,
            args.target_format,
            text=args.text,
            label=args.label,
            label_separator=args.label_separator,
            columns=args.columns,
            threads=args.threads,
            encoding=args.encoding,
            header_row=args.header_row,
            sheet=args.sheet,
            longest_row=args.longest_row,
            skip_bad=args.skip_bad,
            spreadsheet_safe=args.spreadsheet_safe,
        )
    note.remarks(done.remarks)
    target = "stdout" if args.target == "-" else args.target
    note(f"wrote {done.rows:,} rows to {target} ({done.target_format})")
    if args.json and args.target != "-":
        record = {
            "file": args.target,
            "rows": done.rows,
            "from": done.source_format,
            "to": done.target_format,
        }
        print_json(record | {"remarks": [as_options(remark) for remark in done.remarks]})
