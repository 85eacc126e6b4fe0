"""Out-of-core inputs, larger than memory: which they are, the cache that they go to, how work on them is resumed."""

from __future__ import annotations

import argparse
import os
from bisect import bisect_right
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self

from lindy.cli.io.console import Notes
from lindy.cli.io.reading import chunks_of, wanted_columns
from lindy.cli.options.row_options import row_columns, without_row_columns
from lindy.cli.options.shared import byte_size
from lindy.cli.parsing import Group, Parser
from lindy.sanitize import size

if TYPE_CHECKING:
    from lindy.data import Table
    from lindy.data.chunks.spill import Inputs
    from lindy.stream.workspace import Workspace

PER_BYTE = 4
"""Bytes of memory that training takes for each byte of texts (words 1-2, tf-idf, SVM: 3.3), and for reading them."""

BASE = 60 << 20
"""Bytes of the process itself."""

RARE, GROWING = 3, 64 << 20
"""How many times as much again words take in short texts with many rare ones, and the size of texts up to which the
number of different words grows as fast as these."""

CHARACTERS, SHORT = 17, 4_000_000
"""How many times as much again n-grams of characters take, and the size of texts beyond which they are not more."""

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


@contextmanager
def within_memory(args: argparse.Namespace, large: Large | None) -> Iterator[None]:
    """Work on an input, in files if it is a large one, with no more memory than was asked for."""
    from lindy.stream.memory import allowed

    said = "may be taken" if args.memory is None else "are allowed by --memory"
    with large or nullcontext(), allowed(args.memory, said):
        yield


@dataclass(frozen=True, slots=True)
class Need:
    """Memory that training takes, by the bytes of its tables, at the most."""

    characters: bool
    hashed: bool

    @classmethod
    def of(cls, args: argparse.Namespace) -> Self:
        """Return that of the options."""
        searched = args.learner == "auto" and not args.fast and args.ngrams is None
        hashed = args.hash is not None
        return cls(not hashed and (args.chars is not None or searched), hashed)

    def terms(self, n_bytes: int) -> int:
        """Return the bytes of different words and n-grams."""
        words = 0 if self.hashed else RARE * min(n_bytes, GROWING)
        return PER_BYTE * (words + (CHARACTERS * min(n_bytes, SHORT) if self.characters else 0))

    def in_memory(self, n_bytes: int) -> int:
        """Return the bytes that are taken where everything is in memory."""
        return PER_BYTE * n_bytes + self.terms(n_bytes)

    def most(self, memory: int) -> int:
        """Return how many bytes of tables have room in memory, beside the process itself."""
        room = max(memory - BASE, memory // 2)
        return bisect_right(range(memory + 1), room, key=self.in_memory) - 1

    def in_files(self, n_bytes: int) -> int:
        """Return the bytes that are taken where the rows are in files."""
        return BASE + self.terms(n_bytes)


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
        if (chunks := chunks_of(args, mail, size=PART)) is None:
            return None
        from lindy.data.formats.registry import SUFFIXES
        from lindy.stream.memory import default_memory

        memory = args.memory or default_memory()
        sizes = [os.path.getsize(path) if os.path.isfile(path) else 0 for path in paths]
        plain = all(
            os.path.splitext(path.lower())[1] in SUFFIXES and not path.endswith(".parquet") for path in paths
        )
        if plain and "-" not in paths and sum(sizes) <= Need.of(args).most(memory) and not args.resume:
            return None
        from lindy.data.chunks.spill import Inputs

        return cls(args, Inputs(chunks), target, note)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: object) -> None:
        self._stack.close()
        if self.workspace is None:
            return
        from lindy.errors import LindyError, OutputError
        from lindy.stream.mapped_arrays import NoRoomError

        has_ended = isinstance(error, LindyError) and not isinstance(error, NoRoomError | OutputError)
        if error is None or has_ended or self.inputs.half_read:
            self.workspace.remove()
            if error is not None and not has_ended and not isinstance(error, NoRoomError):
                self.note("note: standard input was not read to its end: give it again from its beginning")
        elif not isinstance(error, NoRoomError):  # which says so itself
            self.note(f"note: what was done is kept in {self.folder}: the same command with --resume goes on")

    def read(self) -> Table:
        """Read the input: into memory if there is room for it, otherwise into files."""
        from lindy.data.columns.preparation import READING, noted

        return noted(self._read(), **{name: getattr(self.args, name) for name in READING})

    def _read(self) -> Table:
        from lindy.data.columns.table import joined
        from lindy.stream.memory import default_memory
        from lindy.stream.workspace import LEAST, Workspace

        args, need = self.args, Need.of(self.args)
        most = need.most(args.memory or default_memory())
        with self.note.hearing("reading"):
            known = self.inputs.size > most or args.resume
            if not known and (parts := self.inputs.gathered(most)) is not None:
                table = joined(parts)
                return replace(table, remarks=(*table.remarks, *self.inputs.chunks.left_out))
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
            if (counted := need.in_files(self.inputs.size)) > max(self.workspace.memory, 2 * BASE):
                self.note(
                    f"note: up to {size(counted)} of memory are taken to count words, if most of them are rare, and"
                    f" {size(self.workspace.memory)} may be: --hash 1048576 counts none"
                )
            self._stack.enter_context(self.workspace)
            self._stack.enter_context(self.workspace.in_use())
            return self._spilled(self.workspace)

    def _spilled(self, workspace: Workspace) -> Table:
        from lindy.data.chunks.spill import spilled
        from lindy.data.columns.choose import SAMPLE, Columns, find_columns

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
