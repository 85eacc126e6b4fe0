"""``lindy split``: a table cut into parts to train, tune and test with."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lindy.cli.bags import write_part
from lindy.cli.options import (
    UsageError,
    add_columns,
    add_force,
    add_seed,
    add_threads_quiet_json,
    numbers_by_label,
)
from lindy.cli.output import Notes, opened, print_json, table, usable
from lindy.cli.reading import read_labelled
from lindy.cli.row_options import add_division, division_of
from lindy.errors import DataError
from lindy.overwriting import TABLE

if TYPE_CHECKING:
    from numpy.typing import NDArray

SUFFIX = {"svmlight": "svm", "vw": "vw", "review": "review"}
DEFAULT = {"train": 0.8, "dev": 0.1, "test": 0.1}


def add_to(commands: Any) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "split",
        help="cut a table into train, dev and test",
        description="Cut a table into parts, each written as CSV beside it (features with values in the format of their"
        " file): reviews.csv becomes reviews-train.csv, reviews-dev.csv and reviews-test.csv. Classes keep their shares"
        " in every part; the same seed gives the same parts. Texts that are in two parts are counted.",
    )
    parser.add_argument("data", help="table with texts and labels")
    parser.add_argument(
        "--parts",
        type=parts,
        metavar="NAME=SHARE,…",
        default=DEFAULT,
        help="names and shares; default: train=0.8,dev=0.1,test=0.1",
    )
    add_division(
        parser,
        "rows with the same value stay together",
        "the first part gets the earliest rows, the last part the latest",
    )
    parser.add_argument(
        "--together",
        action="store_true",
        help="keep equal texts together, so that none leaks into another part",
    )
    parser.add_argument(
        "--folder", type=Path, metavar="FOLDER", help="where to write; default: beside the table"
    )
    add_seed(parser, "what the parts are drawn with")
    add_columns(parser, label=True)
    add_force(parser)
    add_threads_quiet_json(parser)
    parser.set_defaults(run=split)


def split(args: argparse.Namespace) -> None:
    """Read, cut, write, count the leaks."""
    note = Notes(args.quiet)
    if args.group and args.together:
        raise UsageError("--group and --together exclude each other", "choose one of them")
    if args.data == "-" and args.folder is None:
        raise UsageError("the parts need a folder when the table comes from stdin", "add --folder .")
    from lindy.column import take_rows
    from lindy.data import count_leaks
    from lindy.data import split as cut
    from lindy.data.distinct import distinct
    from lindy.data.records import row_texts

    data = read_labelled(args, note)
    texts = row_texts(data.texts)
    division = division_of(args, data)
    groups = _same_text(texts) if args.together else division.groups
    labels: Any = data.labels
    with usable(args.data):
        chosen = cut(
            distinct(labels)[1], args.parts, groups=groups, time=division.moments, random_state=args.seed
        )
    if empty := [name for name, rows in chosen.items() if not len(rows)]:
        raise DataError(
            f"{args.data}: no row is left for the part {empty[0]!r} ({len(labels):,} rows)",
            "give it a larger share, or use fewer parts",
        )
    leaks = count_leaks({name: take_rows(texts, rows).to_pylist() for name, rows in chosen.items()})
    paths = {name: _write(args, data, name, rows) for name, rows in chosen.items()}
    report: dict[str, Any] = {
        "parts": {name: {"file": str(paths[name]), "rows": len(rows)} for name, rows in chosen.items()},
        "leaks": {f"{earlier} → {later}": n for (earlier, later), n in leaks.items()},
    }
    if left_out := len(labels) - sum(map(len, chosen.values())):
        report["left out"] = left_out
        what = "texts" if args.together else "groups"
        note(f"left out {left_out:,} rows: their {what} are in several parts of the time")
    if args.json:
        print_json(report)
        return
    listed = [[name, f"{len(rows):,} texts", str(paths[name])] for name, rows in chosen.items()]
    sys.stdout.write(table(listed, left=3) + "\n")
    if found := [f"{n:,} {pair}" for pair, n in report["leaks"].items() if n]:
        note(
            f"warning: texts that are in two parts: {'; '.join(found)} (--together keeps equal texts in one part)"
        )


def parts(text: str) -> dict[str, float]:
    """Return {"train": 0.9, "test": 0.1} for ``train=0.9,test=0.1``."""
    shares = numbers_by_label(text)
    sound = all(
        name.replace("-", "").replace("_", "").isalnum() and 0 < share < float("inf")
        for name, share in shares.items()
    )
    if len(shares) < 2 or not sound:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not NAME=SHARE,… with at least two names and shares above 0"
        )
    return shares


def _same_text(texts: Any) -> NDArray[Any]:
    import numpy as np

    keys: dict[str, int] = {}
    return np.array(
        [keys.setdefault(" ".join(text.casefold().split()), len(keys)) for text in texts.to_pylist()]
    )


def _write(args: argparse.Namespace, data: Any, name: str, rows: NDArray[Any]) -> Path:
    """Write all columns of the given rows as CSV, bags in the format that they are in, and images as npz."""
    import csv

    from lindy.column import take_rows

    stem = "table" if args.data == "-" else Path(args.data).name.split(".")[0]
    folder = args.folder if args.folder is not None else Path(args.data).parent
    folder.mkdir(parents=True, exist_ok=True)
    if data.table.has_bags:
        path = folder / f"{stem}-{name}.{SUFFIX[data.table.source['features']]}"
        write_part(data, rows, str(path))
        return path
    if data.table.has_images:
        from lindy.images.table import write_npz

        path = folder / f"{stem}-{name}.npz"
        write_npz(path, data.texts.take(rows), take_rows(data.labels, rows).to_pylist())
        return path
    path = folder / f"{stem}-{name}.csv"
    columns = [data.table.column(column).take(rows).to_pylist() for column in data.table.column_names]
    with opened(str(path), TABLE) as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(data.table.column_names)
        writer.writerows(zip(*columns, strict=True))
    return path
