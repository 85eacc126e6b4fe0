"""Options that have no effect beside others are refused: whoever gives one expects something of it."""

from __future__ import annotations

import argparse
from collections.abc import Iterable

from lindy.cli.parsing import UsageError

READING = (
    "text", "numeric", "category", "label", "strict", "merge_labels", "label_bins", "format", "encoding", "sheet",
    "header_row", "longest_row", "skip_bad", "text_is", "contacts", "headers",
)  # fmt: skip
"""The options that say how a table is read."""


def refuse(args: argparse.Namespace, names: Iterable[str], why: str, hint: str = "leave it out") -> None:
    """Raise if one of some options was given: if it is not what it is by default."""
    for name in names:
        option, usual = args.usual.get(name, (name, None))
        if getattr(args, name, usual) != usual:
            raise UsageError(f"argument {option}: {why}", hint)


def refuse_reading(args: argparse.Namespace) -> None:
    """Raise if something says how the table of ``--test`` is read, where there is none."""
    if not args.test:
        refuse(args, READING, "it says how the table of --test is read, and there is none")
