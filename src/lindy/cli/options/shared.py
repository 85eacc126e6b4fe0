"""The options that several commands share, declared once, and the types of their values."""

from __future__ import annotations

import argparse
import os
from typing import Any

from lindy.cli.parsing import Group, Once, Parser, UsageError, not_empty
from lindy.data.formats.registry import FORMATS, MERGES, SPREADSHEETS


def as_number(text: str) -> float:
    """Return a number, NaN for text that is none: no comparison with it holds."""
    try:
        return float(text)
    except ValueError:
        return float("nan")


_LARGEST = 2**31 - 1


def at_least(least: int, most: int = _LARGEST) -> Any:
    """Return a type for whole numbers from ``least`` to ``most``."""

    def number(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            value = least - 1
        if not least <= value <= most:
            upwards = "on" if value < least else f"to {most:,}"
            raise argparse.ArgumentTypeError(f"{text[:40]!r} is not a whole number from {least} {upwards}")
        return value

    return number


_UNITS = {"": 0, "B": 0, "KB": 1, "MB": 2, "GB": 3}


def byte_size(text: str, kilo: int = 1024) -> int:
    """Return a number of bytes, such as 5000 or 500MB."""
    number = text.upper().rstrip("KMGB")
    unit = text.upper().removeprefix(number)
    if not (number.isascii() and number.isdigit() and len(number) < 15 and int(number) and unit in _UNITS):
        raise argparse.ArgumentTypeError(f"{text[:40]!r} is not a size in bytes, such as 5000, 500MB or 2GB")
    size: int = int(number) * kilo ** _UNITS[unit]
    return size


def file_size(text: str) -> int:
    """Return a number of bytes of a file, such as 5000, 500kB or 1MB, which is a million."""
    return byte_size(text, 1000)


def above_0(text: str) -> float:
    """Return a finite number above 0."""
    value = as_number(text)
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number above 0")
    return value


def between_0_and_1(text: str) -> float:
    """Return a share or probability, 0 excluded."""
    value = as_number(text)
    if not 0 < value <= 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number above 0 and up to 1")
    return value


def numbers_by_label(text: str) -> dict[str, float]:
    """Return {"spam": 5.0, "ham": 1.0} for ``spam=5,ham=1``; NaN where there is no number."""
    pairs = (pair.rpartition("=") for pair in text.split(","))
    return {label: as_number(number) for label, _, number in pairs}


def label_bins(text: str) -> Any:
    """Return the bins of scores that become labels."""
    from lindy.data.columns.label_bins import LabelBins

    try:
        return LabelBins.of(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def word_lists(text: str) -> dict[str, str]:
    """Return {"spam": "spam.txt"} for ``spam=spam.txt``."""
    lists = dict(pair.partition("=")[::2] for pair in text.split(","))
    if not all(label and path for label, path in lists.items()):
        raise argparse.ArgumentTypeError(f"{text!r} is not LABEL=FILE,…")
    return lists


class _OneOrSeveral(argparse.Action):
    """One input as it is, several as a list; a pattern such as ``part-*.csv`` is all files that it fits."""

    def __call__(self, _parser: Any, namespace: argparse.Namespace, values: Any, _option: Any = None) -> None:
        found = [path for value in values for path in matching(value)]
        setattr(namespace, self.dest, found[0] if len(found) == 1 else found)


def matching(path: str) -> list[str]:
    """Return the files that a pattern fits, by name; a path that is there, or that no file fits, as it is."""
    if not set(path) & set("*?[") or os.path.lexists(path):
        return [path]
    import glob

    return sorted(glob.glob(path, recursive=True)) or [path]


def add_inputs(parser: Parser, about: str) -> None:
    """Add ``data``: a path, or several, which are tables with the same columns, or folders of the classes."""
    several = (
        "; several tables with the same columns, or a pattern such as 'part-*.csv', are read as one; or several"
        " folders, one for each class"
    )
    parser.add_argument("data", nargs="+", action=_OneOrSeveral, metavar="data", help=about + several)


def shown(data: str | list[str]) -> str:
    """Return the inputs as a message names them."""
    return data if isinstance(data, str) else ", ".join(data)


def reading(parser: Parser) -> Group:
    """Return the group of the options that say how a table is read."""
    return parser.shared_group("how a table is read", 2)


def add_columns(parser: Parser, *, label: bool) -> None:
    """Add ``--text``, ``--numeric``, ``--category``, ``--label``, ``--format`` and what says how mail is read."""
    group = reading(parser)
    for option, about in (
        ("--text", "with the texts; default: found by name or content; repeatable"),
        ("--numeric", "with numbers, which is one feature; repeatable"),
        ("--category", "with categories, each value a feature; repeatable"),
    ):
        group.add_argument(option, metavar="COLUMN", action="append", help=about)
    if label:
        add_label(parser)
        group.add_argument(
            "--strict",
            action=argparse.BooleanOptionalAction,
            help="refuse blank labels; default: leave their rows out, or what the model was trained with",
        )
        group.add_argument(
            "--label-bins",
            type=label_bins,
            metavar="LOW-HIGH:LABEL,…",
            help="labels made of numeric scores, such as 1-2:neg,4-5:pos; rows between are left out",
        )
        group.add_argument(
            "--merge-labels",
            choices=MERGES,
            help="spellings that are one label: that differ in spaces at the ends and Unicode form, also in case, or"
            " none; default: spaces, or what the model was trained with",
        )
    group.add_argument(
        "--format",
        choices=FORMATS,
        metavar="NAME",
        help=f"{', '.join(FORMATS)} (see 'lindy convert --help'); default: by the file's name",
    )
    add_encoding(parser)
    _add_mail(parser)


def add_label(parser: Parser, more: str = "; default: found by name or content") -> None:
    """Add ``--label`` and ``--label-separator``."""
    group = reading(parser)
    group.add_argument(
        "--label",
        "--labels",
        metavar="COLUMN",
        action=Once,
        help=f"with the labels{more}; a,b,c or 'tag_*': a column of 0 and 1 for each label",
    )
    group.add_argument(
        "--label-separator",
        metavar="SEP",
        action=Once,
        help="what stands between several labels in a cell, such as '|'; none keeps them whole",
    )


def add_id(parser: Parser | Group) -> None:
    """Add ``--id``."""
    parser.add_argument(
        "--id",
        metavar="COLUMN",
        action=Once,
        help="column whose value names a row, beside its number (1 is the first row below the header) and its line",
    )


def add_encoding(parser: Parser) -> None:
    """Add ``--encoding``, ``--sheet``, ``--header-row``, ``--longest-row`` and ``--skip-bad``."""
    group = reading(parser)
    group.add_argument(
        "--encoding",
        metavar="NAME",
        help="such as cp1252, or auto, which guesses; default: UTF-8, or UTF-16 with its mark",
    )
    group.add_argument("--sheet", metavar="NAME", help="of an Excel workbook; default: the first")
    group.add_argument(
        "--header-row",
        type=at_least(1),
        metavar="N",
        help="row of a workbook, or line of a CSV file, with the column names; default: the first, below titles",
    )
    group.add_argument(
        "--longest-row",
        type=byte_size,
        metavar="SIZE",
        help="refuse a table with a longer row, such as 500MB or 2GB; default: 128MB",
    )
    group.add_argument(
        "--skip-bad",
        type=at_least(0),
        metavar="N",
        default=0,
        help="leave out and list up to N rows that cannot be read; default: 0",
    )


def _add_mail(parser: Parser) -> None:
    group = parser.shared_group("how mail is read", 3)
    group.add_argument(
        "--text-is",
        choices=("plain", "mail"),
        help="mail: texts of a table are raw messages; default: plain, or as the model learned",
    )
    group.add_argument(
        "--contacts",
        metavar="FILE",
        type=not_empty,
        help="addresses of known senders, in a text file of any kind",
    )
    group.add_argument(
        "--headers",
        metavar="NAME,…",
        help="whose words are features; default: from, to, reply-to, x-mailer, …, received",
    )


def add_seed(parser: Parser | Group, about: str) -> None:
    """Add ``--seed``."""
    parser.add_argument("--seed", type=at_least(0, 2**32 - 1), default=0, help=f"{about}; default: 0")


def general(parser: Parser) -> Group:
    """Return the group of the options that most commands have."""
    return parser.shared_group("in general", 1)


def add_force(parser: Parser) -> None:
    """Add ``--force``, for commands that write files."""
    general(parser).add_argument(
        "--force",
        action="store_true",
        help="replace an output file of another kind, too; never a file that is read",
    )


def add_spreadsheet_safe(parser: Parser, more: str = "") -> None:
    """Add ``--spreadsheet-safe``, for commands that write tables."""
    parser.add_argument(
        "--spreadsheet-safe",
        action="store_true",
        help="write an apostrophe in front of labels and texts that a spreadsheet would run as formulas, those that"
        f" begin with = + - @, a tab or a line break; for CSV, TSV and Excel; default: texts as they are{more}",
    )


def check_spreadsheet_safe(args: argparse.Namespace, kind: str | None) -> None:
    """Refuse ``--spreadsheet-safe`` for a format that no spreadsheet opens, and where no table is written."""
    if args.spreadsheet_safe and kind not in SPREADSHEETS:
        what = "no table is written" if kind is None else f"the output is {kind}, which has no formulas"
        raise UsageError(
            f"argument --spreadsheet-safe: {what}",
            f"leave it out, or write one of: {', '.join(SPREADSHEETS)}",
        )


def add_threads_quiet_json(parser: Parser, json: str | None = "print the result as JSON on stdout") -> None:
    """Add ``--threads``, ``--quiet`` and, with the help ``json``, ``--json``."""
    group = general(parser)
    group.add_argument(
        "--threads",
        type=at_least(1),
        metavar="N",
        help="default: all cores; never changes the result",
    )
    group.add_argument(
        "--quiet", "-q", action="store_true", help="no remarks and no progress bar, only errors"
    )
    if json is not None:
        group.add_argument("--json", action="store_true", help=json)
