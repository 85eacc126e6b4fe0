"""Corrections, appended to a CSV file that ``lindy train`` reads.

A row is written with one call under a lock, so that several workers can share the file, and is on disk when the client
hears so. Under the same lock the header is compared, whoever made the file, and a last line that a crash cut short is
moved to a file beside it. Texts stay exactly as they were sent, because models will be trained on them: to look at the
file in a spreadsheet, ``lindy convert --spreadsheet-safe`` makes a copy in which no cell is a formula.
"""

from __future__ import annotations

import os
import re
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from lindy import _native
from lindy.data.columns.several_labels import MARKS
from lindy.data.formats.csv_header import records
from lindy.errors import DataError, OutputError
from lindy.files.system import BYTES, lock, read_at
from lindy.web.http.problems import Problem
from lindy.web.messages import FeedbackRequest
from lindy.web.model_registry import LoadedModel
from lindy.web.predicting import input_of, record_for

_MOST = 1 << 30  # bytes of the file: clients must not fill the disk
_BLOCK = 1 << 20  # bytes that are read at once
_SPECIAL = re.compile('[",\r\n]')
_PREFIX = "lindy_"
SEPARATOR = MARKS[0]
"""The mark between several labels of a text."""
_OWN = ("label", "predicted", "model", "model_version", "time")


class Feedback:
    """A file of corrections: the label, the columns of the models, and what was predicted, by which model and when.

    The service's own columns begin with ``lindy_``, and with more underscores where a column of a model begins so.

    Parameters
    ----------
    path : str
        A new file, or one with these columns.
    models : the models that are served
    new_labels : bool
        Whether a correction may have a label that its model does not know.
    """

    def __init__(self, path: str, models: Iterable[LoadedModel], *, new_labels: bool = False) -> None:
        self.path, self.new_labels = path, new_labels
        columns = list(dict.fromkeys(name for served in models for name in _columns(served)))
        prefix = _PREFIX
        while any(name.startswith(prefix) for name in columns):
            prefix += "_"
        self._own = {name: prefix + name for name in _OWN}
        label, *others = self._own.values()
        self._header = [label, *columns, *others]
        self._within = threading.Lock()
        self._known = _Known(0, 0, 0)
        self._check()

    def _check(self) -> None:
        """Refuse a file that cannot be appended to, or that has other columns; a new one is made with the first row."""
        folder = os.path.dirname(self.path) or "."
        if not os.path.exists(self.path) and os.access(folder, os.W_OK):
            return
        try:
            with open(self.path, "r+b") as file:
                first = file.read(len(_line(self._header)) + 1)
        except OSError as error:
            raise OutputError(f"cannot write to {self.path}: {error.strerror}", "check --feedback") from error
        if first and self._header_end(first) is None:
            raise DataError(
                f"{self.path}: has other columns than the corrections of these models:"
                f" expected {', '.join(self._header)}",
                "give another file with --feedback",
            )

    def _header_end(self, start: bytes) -> int | None:
        """Return where the rows begin behind our header; 0 if it has no line break yet, None if it is another one."""
        names = _line(self._header)[:-1]
        if start == names:
            return 0
        ends = (
            len(names + line_break) for line_break in (b"\n", b"\r\n") if start.startswith(names + line_break)
        )
        return next(ends, None)

    def __call__(self, served: LoadedModel, request: FeedbackRequest) -> None:
        """Append a correction."""
        given = input_of(request)
        served.check_input(given)
        served.check_tables(f"corrections of {served.form.holds} cannot be kept in a CSV file")
        label = self._checked(served, request.label)
        values: dict[str, Any] = (
            {served.text_column: given} if isinstance(given, str) else record_for(served, given)
        )
        own = {
            "label": label,
            "predicted": _cell(request.predicted) if isinstance(request.predicted, str | list) else "",
            "model": served.name,
            "model_version": served.version,
            "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        }
        values |= {self._own[name]: value for name, value in own.items()}
        self._append(_line(["" if (v := values.get(name)) is None else v for name in self._header]))

    def _checked(self, served: LoadedModel, label: str | list[str]) -> str:
        """Return the right label, or several of them in one cell; a problem for what the model cannot learn from."""
        if isinstance(label, list) != (served.thresholds is not None):
            expected = "one label" if isinstance(label, list) else "a list of labels"
            raise Problem(
                400, "wrong-value", f"the model {served.name!r} learns from {expected} of each text"
            )
        labels = label if isinstance(label, list) else [label]
        for own in labels:
            if not own.strip():
                raise Problem(400, "wrong-value", "the label is blank; send the right one")
            if not self.new_labels:
                served.known_label(own)
            if isinstance(label, list) and SEPARATOR in own:
                raise Problem(
                    400,
                    "wrong-value",
                    f"{own[:100]!r} contains {SEPARATOR!r}, which stands between labels there",
                )
        return _cell(label)

    def _append(self, row: bytes) -> None:
        try:
            with self._within, _locked(self.path) as number:
                size = os.fstat(number).st_size
                if size + len(row) > _MOST:
                    raise Problem(
                        503, "feedback-full", "the file of corrections is full; tell who runs the service"
                    )
                before = self._ending(number, size) if size else _line(self._header)
                size = os.fstat(number).st_size
                data = before + row
                if os.write(number, data) != len(data):
                    os.ftruncate(number, size)
                    raise OSError("the disk is full")
                os.fsync(number)
                self._known = _Known.of(number)
        except OSError as error:
            raise Problem(
                503, "feedback-failed", f"the correction could not be stored: {error.strerror or error}"
            ) from error

    def _ending(self, number: int, size: int) -> bytes:
        """Return what must stand before the next row, having looked at the header and at the last line."""
        begin = self._header_end(read_at(number, len(_line(self._header)) + 1, 0))
        if begin is None:
            raise Problem(
                503,
                "feedback-failed",
                "the file of corrections has other columns than this service writes: it was replaced, or another"
                " service writes to it; tell who runs the service",
            )
        if begin == 0:  # somebody's editor took the line break of the header
            return b"\n"
        known, now = self._known, _Known.of(number)
        if known.is_beginning_of(now):
            begin = known.size
        sound = _sound_bytes(number, begin, size, len(self._header))
        if sound < size:
            _set_aside(number, sound, size, f"{self.path}.torn")
            size = sound
        return b"" if read_at(number, 1, size - 1) == b"\n" else b"\n"


class _Known(NamedTuple):
    """A file up to whose end every row is complete."""

    disk: int
    number: int
    size: int

    @classmethod
    def of(cls, number: int) -> _Known:
        status = os.fstat(number)
        return cls(status.st_dev, status.st_ino, status.st_size)

    def is_beginning_of(self, other: _Known) -> bool:
        return self[:2] == other[:2] and 0 < self.size <= other.size


@contextmanager
def _locked(path: str) -> Iterator[int]:
    """Open a file, which is made if there is none, and lock it: the one that has the name when the lock is there."""
    while True:
        number = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | BYTES, 0o644)
        try:
            lock(number, wait=True)
            if _has_name(number, path):
                yield number
                return
        finally:
            os.close(number)


def _has_name(number: int, path: str) -> bool:
    try:
        return os.path.samestat(os.fstat(number), os.stat(path))
    except FileNotFoundError:
        return False


def _sound_bytes(number: int, begin: int, end: int, n_fields: int) -> int:
    """Return up to where a file is whole rows: its end, or the beginning of a last row that breaks off.

    A row that is wrong but complete, as an editor may leave one, is not ours to move: ``lindy train`` names its line.
    """
    parser = _native.DelimitedParser(",", [False] * n_fields, 0, _MOST)
    place = begin
    while place < end and (data := read_at(number, min(_BLOCK, end - place), place)):
        place += len(data)
        if not parser.feed(data):
            break
    if parser.finish():
        return end
    sound = begin + int(parser.n_bytes)
    tail = read_at(number, end - sound, sound)
    last = next(records(tail, ",", 0, 1), None)
    is_torn = (
        last is not None and last.end == len(tail) and (last.open_line is not None or tail[-1:] != b"\n")
    )
    return sound if is_torn else end


def _set_aside(number: int, begin: int, end: int, path: str) -> None:
    """Move the last bytes of a file to the end of another."""
    torn = read_at(number, end - begin, begin)
    with open(path, "ab") as other:
        other.write(torn if torn.endswith(b"\n") else torn + b"\n")
        other.flush()
        os.fsync(other.fileno())
    os.ftruncate(number, begin)


def _cell(label: str | list[str]) -> str:
    """Return a label, or several of them, as they stand in a cell."""
    return SEPARATOR.join(dict.fromkeys(label)) if isinstance(label, list) else label


def _columns(served: LoadedModel) -> list[str]:
    if served.columns is None:
        return [served.text_column]
    return [name for names in served.columns.values() for name in names]


def _line(values: Iterable[Any]) -> bytes:
    """Return a row of CSV; unlike Python's writer, it puts a lone carriage return between quotes as well."""
    return (",".join(map(_field, map(str, values))) + "\n").encode()


def _field(text: str) -> str:
    return '"' + text.replace('"', '""') + '"' if _SPECIAL.search(text) else text
