"""How the command line speaks: notes, errors, numbers and progress."""

from __future__ import annotations

import io
import json
import os
import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import IO, Any

from lindy.cli.parsing import UsageError
from lindy.data.formats.registry import SUFFIXES, TABLES
from lindy.errors import DataError, LindyError
from lindy.files.output_guard import PAGE
from lindy.progress import listening, shares, terminal_bar
from lindy.sanitize import aligned, sanitize, standard_output

clean = sanitize  # text from files cannot drive the terminal


_ARGUMENT = re.compile(r"`([a-z_]+)=(['\"]?)([^`]*?)\2`")
_RENAMED = {
    "folder": "cache",
    "merge": "merge-labels",
    "part": "sheet",
    "source_format": "from",
    "target_format": "to",
}


def as_options(message: str) -> str:
    """Return a message in which the arguments that the library names between backticks are options.

    >>> as_options("Name it with `label=`, or add `format='lines'` or `keep_rows=True`.")
    'Name it with --label, or add --format lines or --keep-rows.'
    """

    def option(found: re.Match[str]) -> str:
        name, value = found[1], found[3]
        value = f"'{value}'" if set(value) & set("|;&") else value  # which a shell would take for its own
        said = f"--{_RENAMED.get(name, name).replace('_', '-')}"
        return f"{said} {value}" if value not in ("", "True") else said

    return _ARGUMENT.sub(option, message)


def fail(message: str, hint: str | None) -> None:
    """Write ``error:`` and, where there is one, ``hint:`` to stderr, each on one line that a person can read."""
    sys.stderr.write(f"error: {_one_line(message)}\n")
    if hint:
        sys.stderr.write(f"hint:  {_one_line(hint)}\n")


def _one_line(message: str, most: int = 900) -> str:
    """Return a message with line breaks visible, and without the middle of what is as long as a file's contents."""
    if len(message) > most:
        message = f"{message[: most - 200]} … {message[-200:]}"
    return clean(as_options(message))


class Notes:
    """Remarks for the person at the terminal, on stderr; silent with ``--quiet``."""

    def __init__(self, quiet: bool) -> None:
        self.quiet = quiet

    def __call__(self, message: str) -> None:
        """Write a remark of one or more lines."""
        if not self.quiet:
            sys.stderr.write("".join(f"{clean(line)}\n" for line in as_options(message).split("\n")))

    def remarks(self, remarks: Iterable[str]) -> None:
        """Write what a reader or writer has to tell."""
        for remark in remarks:
            self(f"note: {remark}")

    @contextmanager
    def progress(self, what: str, total: float | None = None) -> Iterator[Any]:
        """Show a bar once the work has taken a second; yields a function to call with what was done, and news.

        Nothing is shown when stderr is not a terminal. Without a total the bar only says that work goes on.
        """
        if self.quiet or not sys.stderr.isatty():
            yield lambda _done, _news="": None
            return
        with terminal_bar(what, total) as advance:
            yield advance

    @contextmanager
    def hearing(self, what: str) -> Iterator[None]:
        """Show such a bar of work that tells its progress (``lindy.progress``)."""
        if self.quiet or not sys.stderr.isatty():
            yield
            return
        with self.progress(what, 1.0) as advance, listening(shares(advance)):
            yield


def print_json(record: Any) -> None:
    """Write plain values as one line of JSON to stdout."""
    out = standard_output()
    out.write((json.dumps(record, ensure_ascii=False) + "\n").encode("utf-8", "backslashreplace"))
    out.flush()


@contextmanager
def opened(output: str, kind: str) -> Iterator[IO[str]]:
    """Open stdout for ``-``, otherwise a file of that kind that appears only when it is complete."""
    if output == "-":
        text = io.TextIOWrapper(standard_output(), encoding="utf-8", newline="", write_through=True)
        yield text
        text.flush()
        text.detach()
        return
    from lindy.files.atomic import atomic_write

    with atomic_write(output, text=True, kind=kind) as file:
        yield file


def table_format(path: str, option: str = "--output", *, stdout: str = "csv") -> str:
    """Return the format in which a table of results is written, by the name of its file."""
    suffix = os.path.splitext(path.lower())[1]
    kind = SUFFIXES.get(suffix, stdout if not suffix else "")
    if kind not in TABLES:
        more = ", or name the format with --to" if option == "--output" else ""
        raise UsageError(
            f"argument {option}: no table of results can be written as {suffix!r}",
            f"give it a name that ends in {', '.join(f'.{name}' for name in TABLES)}{more}",
        )
    return kind


def write_page(target: str, page: str, note: Notes) -> None:
    """Write a page to a file or to stdout, and say so."""
    with opened(target, PAGE) as out:
        out.write(page)
    if target != "-":
        note(f"wrote {target}")


@contextmanager
def usable(data: str, hint: str = "check its texts, its labels and the options") -> Iterator[None]:
    """Say which table it was when its texts or labels cannot be used."""
    try:
        yield
    except LindyError as error:
        if isinstance(error, DataError) and data not in str(error):
            raise DataError(f"{data}: {error}", error.hint) from error
        raise
    except (ValueError, TypeError) as error:
        raise DataError(f"{data}: {error}", hint) from error


def table(rows: list[list[str]], left: int = 1) -> str:
    """Return rows as aligned columns; the first ``left`` columns are aligned left, the others right."""
    return aligned(rows, range(left))
