"""``lindy split``: a table cut into parts to train, tune and test with."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from lindy.cli.io.chunked_reading import ExampleChunks
from lindy.cli.io.console import Notes, opened, print_json, table, usable
from lindy.cli.io.reading import read, wanted_columns, wanted_mail
from lindy.cli.options.input_kinds import input_of
from lindy.cli.options.row_options import add_division
from lindy.cli.options.shared import (
    add_columns,
    add_force,
    add_inputs,
    add_seed,
    add_threads_quiet_json,
    numbers_by_label,
    shown,
)
from lindy.cli.parsing import UsageError, example_commands
from lindy.data.chunks.file_guard import changed
from lindy.errors import DataError
from lindy.files.output_guard import TABLE

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lindy.data import SplitPolicy, Table, TextData
    from lindy.data.chunks.disk_array import DiskArray

DEFAULT = {"train": 0.8, "dev": 0.1, "test": 0.1}


def add_to(commands: Any) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "split",
        epilog=example_commands(
            "lindy split reviews.csv", "lindy split reviews.csv --parts train=0.8,test=0.2 --together"
        ),
        help="cut a table into train, dev and test",
        description="Cut a table into parts, each written as CSV beside it (features with values in the format of their"
        " file): reviews.csv becomes reviews-train.csv, reviews-dev.csv and reviews-test.csv. Classes keep their shares"
        " in every part; the same seed gives the same parts. Texts that are in two parts are counted.",
    )
    add_inputs(parser, "table with texts and labels")
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
    import numpy as np

    from lindy.data.splits.split import leaks_of_parts

    args.takes_several = True
    source = ExampleChunks(None, args, note)
    with note.progress("reading"):
        rows = survey(source, args)
    dealt = rows.dealt(args)
    part = dealt.astype(np.min_scalar_type(-len(args.parts)))  # there may be very many rows
    sizes = [int((part == number).sum()) for number in range(len(args.parts))]
    for name, size in zip(args.parts, sizes, strict=True):
        if not size:
            raise DataError(
                f"{shown(args.data)}: no row is left for the part {name!r} ({len(part):,} rows)",
                "give it a larger share, or use fewer parts",
            )
    leaks = leaks_of_parts(rows.keys, part, list(args.parts))
    if rows.are_texts and not args.force:
        keep_others(args, rows)
    del rows, dealt
    with note.progress("writing"):
        paths = write_parts(args, source, part)
    report: dict[str, Any] = {
        "parts": {
            name: {"file": str(paths[name]), "rows": size}
            for name, size in zip(args.parts, sizes, strict=True)
        },
        "leaks": {f"{earlier} → {later}": n for (earlier, later), n in leaks.items()},
    }
    if left_out := len(part) - sum(sizes):
        report["left out"] = left_out
        what = "texts" if args.together else "groups"
        note(f"left out {left_out:,} rows: their {what} are in several parts of the time")
    if args.json:
        print_json(report)
        return
    listed = [
        [name, f"{size:,} texts", str(paths[name])] for name, size in zip(args.parts, sizes, strict=True)
    ]
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


class Surveyed(NamedTuple):
    """The keys of all rows, by which they are split: on disk, whatever the length of a text."""

    y: Any
    keys: DiskArray
    division: SplitPolicy
    are_texts: bool

    def dealt(self, args: argparse.Namespace) -> NDArray[Any]:
        """Return the part of each row; −1 if it can be in none."""
        from lindy.data.columns.keys import in_order_of_appearance
        from lindy.data.splits.split_policy import SplitPolicy, shares_of

        division = self.division
        with usable(shown(args.data)):
            if args.together:
                same = in_order_of_appearance(self.keys.read(0, len(self.keys)))
                division = SplitPolicy(same, division.moments).checked(f"{shown(args.data)}: ")
            return division.parts(self.y, shares_of(args.parts), args.seed)


def survey(source: ExampleChunks, args: argparse.Namespace) -> Surveyed:
    """Go over a table once: labels, texts, groups and times of its rows, as numbers."""
    import numpy as np

    from lindy.data.chunks.disk_array import DiskArray
    from lindy.data.columns.keys import folded, text_keys
    from lindy.data.columns.metadata_columns import DivisionParts

    roles = DivisionParts(args.group, args.time)
    numbers, keys, are_texts = DiskArray(np.int32), DiskArray(np.uint64), True
    for examples, own in source:
        are_texts = examples.inputs.has_words
        numbers.add(own)
        keys.add(text_keys(map(folded, examples.inputs.written.to_pylist())))
        roles.add(examples.table)
    names = source.names or []
    first: dict[str, int] = {}
    codes = np.array([first.setdefault(name, len(first)) for name in names], np.int32)
    is_used = np.zeros(len(codes), bool)
    for block in numbers.blocks():
        is_used[codes[block]] = True
    in_turn = (np.cumsum(is_used) - 1)[codes].astype(np.min_scalar_type(-len(codes)))
    coded = np.empty(len(numbers), in_turn.dtype)
    end = 0
    for block in numbers.blocks():
        coded[end : end + len(block)] = in_turn[block]
        end += len(block)
    y: Any = coded
    if source.separator is not None:
        from lindy.core.targets import ManyLabels

        used = [name for name, code in first.items() if is_used[code]]
        y = ManyLabels.of_joined(used, source.separator).take(coded)
    return Surveyed(y, keys, roles.division(shown(args.data)), are_texts)


def part_paths(args: argparse.Namespace) -> dict[str, Path]:
    """Return where the parts of a table of texts go."""
    first = args.data[0] if isinstance(args.data, list) else args.data
    stem = "table" if first == "-" else Path(first).name.split(".")[0]
    folder = args.folder if args.folder is not None else Path(first).parent
    return {name: folder / f"{stem}-{name}.csv" for name in args.parts}


def keep_others(args: argparse.Namespace, rows: Surveyed) -> None:
    """Raise if a table that has the name of a part holds texts which are not in the one that is cut."""
    from lindy.errors import OutputError

    for path in part_paths(args).values():
        if path.is_file() and holds_others(path, args, rows.keys):
            raise OutputError(
                f"{path}: there is another table of this name, and not all its texts are in {shown(args.data)}",
                "Name another folder with --folder, or replace it with --force.",
            )


def holds_others(path: Path, args: argparse.Namespace, known: DiskArray) -> bool:
    """Whether a table, which is read part by part, holds other texts than those whose keys are known."""
    import numpy as np

    from lindy.data import read_chunks
    from lindy.data.columns.keys import folded, text_keys
    from lindy.errors import LindyError
    from lindy.files.output_guard import protecting

    keys = [np.zeros(0, np.uint64)]
    with protecting():  # what is read here may be replaced
        try:
            for part in read_chunks(path):
                try:
                    own = read(part, args, wanted_columns(args), wanted_mail(args))
                except LindyError:  # it has other columns
                    return True
                keys.append(text_keys(map(folded, own.inputs.written.to_pylist())))
        except (LindyError, OSError):  # files of another kind are kept by who writes
            return False
    wanted = np.unique(np.concatenate(keys))
    found = np.zeros(len(wanted) + 1, bool)  # the last stands for keys that are larger than all
    for block in known.blocks():
        places = np.searchsorted(wanted, block)
        found[places[wanted.take(places, mode="clip") == block]] = True
    return not found[:-1].all()


def write_parts(args: argparse.Namespace, source: ExampleChunks, part: NDArray[Any]) -> dict[str, Path]:
    """Write the rows of each part: all columns as CSV, feature rows in their own format, images as npz."""
    import csv
    from contextlib import ExitStack

    import numpy as np

    from lindy.files.atomic import make_folder

    paths = part_paths(args)
    folder = next(iter(paths.values())).parent
    make_folder(folder)
    names, columns, done = source.names or [], [], 0
    with ExitStack() as files:
        writers: list[Any] = []
        for examples, numbers in source:
            table = examples.table
            if not examples.inputs.has_words:
                return _write_whole(examples, paths, part)
            if not writers:
                columns = table.column_names
                for path in paths.values():
                    writer = csv.writer(files.enter_context(opened(str(path), TABLE)), lineterminator="\n")
                    writer.writerow(columns)
                    writers.append(writer)
            _check_columns(table, columns)
            values = {name: table.column(name) for name in columns if name != examples.columns.label}
            own = part[done : done + len(numbers)]
            if len(own) != len(numbers):
                raise changed(table.name)
            for number, writer in enumerate(writers):
                rows = np.flatnonzero(own == number)
                cells = [
                    [names[k] for k in numbers[rows].tolist()]
                    if name == examples.columns.label
                    else values[name].take(rows).to_pylist()
                    for name in columns
                ]
                writer.writerows(zip(*cells, strict=True))
            done += len(numbers)
        if done != len(part):
            raise changed(shown(args.data))
    return paths


def _check_columns(table: Table, columns: list[str]) -> None:
    """Refuse a table whose columns are not those of the first one."""
    if set(table.column_names) != set(columns):
        other = ", ".join(map(repr, sorted(set(table.column_names) ^ set(columns))))
        raise DataError(
            f"{table.name}: other columns than the first table: only one of them has {other}",
            "Tables that are read together need the same columns.",
        )


def _write_whole(data: TextData, tables: dict[str, Path], part: NDArray[Any]) -> dict[str, Path]:
    """Write feature rows in their own format, and images as npz, each under the name that a table would have."""
    import numpy as np

    paths, own = {}, input_of(data.table)
    for number, (name, path) in enumerate(tables.items()):
        paths[name] = path.with_suffix(f".{own.suffix(data.table)}")
        own.write(data, np.flatnonzero(part == number), str(paths[name]))
    return paths
