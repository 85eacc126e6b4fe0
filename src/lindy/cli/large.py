"""Inputs that are larger than memory: which they are, the cache that they go to, and how work on them is resumed."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

from lindy.cli.options import byte_size
from lindy.cli.output import Notes
from lindy.cli.parsing import Group, Parser
from lindy.cli.reading import part_options, wanted_columns
from lindy.cli.row_options import row_columns, without_row_columns

if TYPE_CHECKING:
    from lindy.data import Table
    from lindy.data.spill import Inputs
    from lindy.stream.workspace import Workspace

PER_BYTE = 4
"""Bytes of memory that training takes for each byte of texts (words 1-2, tf-idf, SVM: 3.3), and for reading them."""


PART = 1 << 22
"""Bytes of a table that are read at once, whatever the memory: an interrupted reading goes on at such a part."""

_NOT_WORK = {
    "cache",
    "force",
    "json",
    "memory",
    "output",
    "quiet",
    "report",
    "resume",
    "run",
    "test",
    "threads",
}
"""Options that do not change what is done."""


def add_memory(parser: Parser | Group) -> None:
    """Add ``--memory``, ``--cache`` and ``--resume``."""
    parser.add_argument(
        "--memory",
        type=byte_size,
        metavar="SIZE",
        help="how much memory to take, such as 600MB or 2GB; larger inputs are worked on in files, with the same"
        " result; default: half of what the machine has left",
    )
    parser.add_argument(
        "--cache",
        metavar="FOLDER",
        help="where these files are; default: beside the output, and removed at the end",
    )
    parser.add_argument(
        "--resume",
        action="store_true",
        help="go on where the same command was interrupted; the result is the same as without the interruption (with"
        " --on, up to its last digits)",
    )


class Large:
    """The input of a command that may be larger than memory; a context in which large arrays are in files."""

    def __init__(self, args: argparse.Namespace, inputs: Inputs, target: str, note: Notes) -> None:
        self.args, self.inputs, self.note = args, inputs, note
        self.folder = args.cache or f"{target}.cache"
        self.workspace: Workspace | None = None
        self._stack = ExitStack()

    @classmethod
    def of(cls, args: argparse.Namespace, mail: Any, target: str, note: Notes) -> Self | None:
        """Return the input if it may be too large for memory; None if it is not, or is of a kind that is read whole."""
        paths = args.data if isinstance(args.data, list) else [args.data]
        if (options := part_options(args, mail)) is None:
            return None
        from lindy.data.formats import SUFFIXES
        from lindy.stream.memory import default_memory

        memory = args.memory or default_memory()
        sizes = [os.path.getsize(path) if os.path.isfile(path) else 0 for path in paths]
        plain = all(
            os.path.splitext(path.lower())[1] in SUFFIXES and not path.endswith(".parquet") for path in paths
        )
        if plain and "-" not in paths and PER_BYTE * sum(sizes) <= memory and not args.resume:
            return None
        from lindy.data.parts import ahead, table_parts
        from lindy.data.spill import Inputs

        def begin(path: str, after: tuple[int, ...] | None = None) -> Iterator[Table]:
            parts = table_parts(path, size=PART, after=after, **options)
            return parts if path == "-" else ahead(parts)

        bad = options["bad"]
        return cls(args, Inputs(paths, begin, lambda: bad.remarks if bad else ()), target, note)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: object) -> None:
        self._stack.close()
        if self.workspace is None:
            return
        from lindy.errors import LindyError, OutputError
        from lindy.stream.maps import NoRoomError

        has_ended = isinstance(error, LindyError) and not isinstance(error, NoRoomError | OutputError)
        if error is None or has_ended or self.inputs.half_read:
            self.workspace.remove()
            if error is not None and not has_ended and not isinstance(error, NoRoomError):
                self.note("note: standard input was not read to its end: give it again from its beginning")
        elif not isinstance(error, NoRoomError):  # which says so itself
            self.note(f"note: what was done is kept in {self.folder}: the same command with --resume goes on")

    def read(self) -> Table:
        """Read the input: into memory if there is room for it, otherwise into files."""
        from lindy.data.preparation import READING, noted

        return noted(self._read(), **{name: getattr(self.args, name) for name in READING})

    def _read(self) -> Table:
        from lindy.data.table import joined
        from lindy.stream.memory import default_memory
        from lindy.stream.workspace import LEAST, Workspace

        args, most = self.args, (self.args.memory or default_memory()) // PER_BYTE
        with self.note.hearing("reading"):
            known = self.inputs.size > most or args.resume
            if not known and (parts := self.inputs.gathered(most)) is not None:
                table = joined(parts)
                return replace(table, remarks=(*table.remarks, *self.inputs.left_out()))
            from lindy import __version__

            key = {name: repr(value) for name, value in vars(args).items() if name not in _NOT_WORK}
            key |= {
                f"the file {path}": repr(state)
                for path, state in zip(self.inputs.paths, self.inputs.states, strict=True)
            }
            key |= {"the version of lindy": __version__}
            self.workspace = Workspace(self.folder, args.memory, key=key, resume=args.resume)
            if self.workspace.cleared:
                self.note(
                    f"note: {self.folder} held the work of a command that was interrupted, which is removed now:"
                    " --resume would have gone on with it"
                )
            if args.memory is not None and args.memory < LEAST:
                self.note(
                    f"note: --memory {args.memory:,} bytes: {LEAST >> 20} MB are taken, the least that it works with"
                )
            self._stack.enter_context(self.workspace)
            self._stack.enter_context(self.workspace.in_use())
            return self._spilled(self.workspace)

    def _spilled(self, workspace: Workspace) -> Table:
        from lindy.data.columns import SAMPLE, Columns, find_columns
        from lindy.data.spill import spilled

        args = self.args

        def wanted(part: Table) -> tuple[list[str], list[str]]:
            if wanted_columns(args):
                return part.column_names, []
            looked_at = self.inputs.beginning(part, SAMPLE, workspace.memory // PER_BYTE)
            found = find_columns(without_row_columns(looked_at, args), (args.text or [None])[0], args.label)
            others = [*row_columns(args), *([args.id] if args.id in part.column_names else [])]
            return [found.text, str(found.label), *others], [found.text, str(found.label), found.why]

        table, about = spilled(self.inputs, workspace, wanted, {})
        if "-" in self.inputs.paths and self.inputs.unread:
            self.note("note: standard input is not read: its rows are those of the work that was interrupted")
        return replace(table, find=lambda *_: Columns(*about)) if about else table
