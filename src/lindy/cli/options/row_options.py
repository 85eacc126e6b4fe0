"""Options that name columns which are no features: ``--group`` and ``--time`` of rows, and their ``--weight``."""

from __future__ import annotations

import argparse
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from lindy.cli.parsing import Group, Once, Parser

if TYPE_CHECKING:
    from lindy.data import SplitPolicy, Table, TextData

_ROLES = ("group", "time", "weight")


def add_division(
    parser: Parser | Group,
    group: str = "rows with the same value are never both learned from and held out",
    time: str = "no row is held out that is earlier than one that is learned from: the latest ones are",
) -> None:
    """Add ``--group`` and ``--time``."""
    parser.add_argument(
        "--group",
        metavar="COLUMN",
        action=Once,
        help=f"column with the customer, conversation or author of a row: {group}",
    )
    parser.add_argument(
        "--time",
        metavar="COLUMN",
        action=Once,
        help=f"column with the time of a row, as 2024-05-31, 2024-05-31T12:00 or a number: {time}",
    )


def add_weight(parser: Parser | Group, more: str = "") -> None:
    """Add ``--weight``."""
    parser.add_argument(
        "--weight",
        metavar="COLUMN",
        action=Once,
        help=f"column with the weight of a row: 2 is two rows, and 0 leaves it out{more}",
    )


def row_columns(args: argparse.Namespace) -> list[str]:
    """Return the columns that were named so, which are not looked at when texts and labels are searched for."""
    given = (getattr(args, role, None) for role in _ROLES)
    return [name for name in given if name is not None]


def without_row_columns(table: Table, args: argparse.Namespace) -> Table:
    """Return a table in which such columns are not found, unless they are named for something else or needed.

    Raises
    ------
    DataError
        If a column is not there.
    """
    names = row_columns(args)
    for name in names:
        if name not in table.column_names:
            raise table.no_such_column(name)
    used = [args.label, *(args.text or ()), *(args.numeric or ()), *(args.category or ())]
    left = [name for name in table.column_names if name not in names or name in used]
    return replace(table, column_names=left) if len(left) > 1 else table


def with_weight(table: Table, args: argparse.Namespace) -> Table:
    """Return a table with a remark on its rows of weight 0, which whoever learns leaves out, if there are any."""
    name = getattr(args, "weight", None)
    if name is None or name not in table.column_names:
        return table
    from lindy.data.columns.metadata_columns import weights_in

    n_left_out = int((weights_in(table, name) == 0).sum())
    if not n_left_out:
        return table
    said = f"{table.name}: left out {n_left_out:,} of {table.num_rows:,} rows, whose weight {name!r} is 0"
    return replace(table, remarks=(*table.remarks, said))


def present(args: argparse.Namespace, examples: TextData) -> TextData:
    """Return the examples that are there: all but those of weight 0, where a column of weights was named."""
    from lindy.core.column import pick
    from lindy.core.weights import present_rows

    if args.weight is None or (rows := present_rows(weights_of(args, examples))) is None:
        return examples
    labels = None if examples.labels is None else pick(examples.labels, rows)
    return replace(examples, texts=pick(examples.texts, rows), labels=labels, table=examples.table.take(rows))


def division_of(args: argparse.Namespace, examples: TextData, more: TextData | None = None) -> SplitPolicy:
    """Return how the examples, and those of a second table below them, may be divided."""
    from lindy.data.columns.metadata_columns import division_of

    tables = [examples.table] if more is None else [examples.table, more.table]
    return division_of(tables, args.group, args.time)


def weights_of(args: argparse.Namespace, examples: TextData, more: TextData | None = None) -> Any:
    """Return the weights of the examples, 1 for those of a second table; None where no column of them was named."""
    if args.weight is None:
        return None
    import numpy as np

    from lindy.data.columns.metadata_columns import weights_in

    own = weights_in(examples.table, args.weight)
    return own if more is None else np.append(own, np.ones(more.table.num_rows))
