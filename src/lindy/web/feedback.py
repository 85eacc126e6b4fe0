"""Corrections, appended to a CSV file that ``lindy train`` reads.

A row is written with one call under a lock, so that several workers can share the file, and is on disk when the client
hears so. Texts stay exactly as they were sent, because models will be trained on them: to look at the file in a
spreadsheet, ``lindy convert --spreadsheet-safe`` makes a copy in which no cell is a formula.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterable
from typing import Any

from lindy.errors import DataError, OutputError
from lindy.system import BYTES, lock, read_at
from lindy.web.messages import FeedbackRequest
from lindy.web.predicting import input_of, record_for
from lindy.web.problems import Problem
from lindy.web.shelf import Served

_MOST = 1 << 30  # bytes of the file: clients must not fill the disk
_LONGEST_HEADER = 1 << 20
_SPECIAL = re.compile('[",\r\n]')
_BESIDE = ("predicted", "model", "time")


class Feedback:
    """A file of corrections: the label, the columns of the models, and what was predicted, by which model and when.

    Parameters
    ----------
    path : str
        A new file, or one with these columns.
    models : the models that are served
    """

    def __init__(self, path: str, models: Iterable[Served]) -> None:
        self.path = path
        own = [name for served in models for name in _columns(served)]
        self._header = ["label", *dict.fromkeys(name for name in own if name != "label"), *_BESIDE]
        self._check()

    def _check(self) -> None:
        """Refuse a file that cannot be appended to, or that has other columns; a new one is made with the first row."""
        folder = os.path.dirname(self.path) or "."
        if not os.path.exists(self.path) and os.access(folder, os.W_OK):
            return
        try:
            with open(self.path, "r+b") as file:
                first = file.readline(_LONGEST_HEADER)
        except OSError as error:
            raise OutputError(f"cannot write to {self.path}: {error.strerror}", "check --feedback") from error
        if first and _line(self._header) != first.replace(b"\r\n", b"\n"):
            raise DataError(
                f"{self.path}: has other columns than the corrections of these models:"
                f" expected {', '.join(self._header)}",
                "give another file with --feedback",
            )

    def __call__(self, served: Served, request: FeedbackRequest) -> None:
        """Append a correction."""
        given = input_of(request)
        if isinstance(given, str) != (served.takes in ("texts", "mail")):
            raise Problem(400, "wrong-inputs", f"the model {served.name!r} takes {served.takes}")
        if served.takes == "features":
            raise Problem(
                400, "wrong-inputs", "corrections of features with values cannot be kept in a CSV file"
            )
        if not request.label.strip():
            raise Problem(400, "wrong-value", "the label is blank; send the right one")
        values: dict[str, Any] = (
            {_text_column(served): given} if isinstance(given, str) else record_for(served, given)
        )
        predicted = request.predicted if isinstance(request.predicted, str) else ""
        values |= {
            "label": request.label,
            "predicted": predicted,
            "model": served.name,
            "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        }
        self._append(_line(["" if (v := values.get(name)) is None else v for name in self._header]))

    def _append(self, row: bytes) -> None:
        try:
            number = os.open(self.path, os.O_RDWR | os.O_APPEND | os.O_CREAT | BYTES, 0o644)
            try:
                lock(number, wait=True)
                size = os.fstat(number).st_size
                if size + len(row) > _MOST:
                    raise Problem(
                        503, "feedback-full", "the file of corrections is full; tell who runs the service"
                    )
                before = b"" if size else _line(self._header)
                if (
                    size and read_at(number, 1, size - 1) != b"\n"
                ):  # somebody's editor took the last line break
                    before = b"\n"
                data = before + row
                if os.write(number, data) != len(data):
                    os.ftruncate(number, size)
                    raise OSError("the disk is full")
                os.fsync(number)
            finally:
                os.close(number)
        except OSError as error:
            raise Problem(
                503, "feedback-failed", f"the correction could not be stored: {error.strerror or error}"
            ) from error


def _columns(served: Served) -> list[str]:
    if served.columns is None:
        return [_text_column(served)]
    return [name for names in served.columns.values() for name in names]


def _text_column(served: Served) -> str:
    return served.classifier.columns_.get("text") or "text"


def _line(values: Iterable[Any]) -> bytes:
    """Return a row of CSV; unlike Python's writer, it puts a lone carriage return between quotes as well."""
    return (",".join(map(_field, map(str, values))) + "\n").encode()


def _field(text: str) -> str:
    return '"' + text.replace('"', '""') + '"' if _SPECIAL.search(text) else text
