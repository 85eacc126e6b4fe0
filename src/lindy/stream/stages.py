"""Stages of work whose results are files: they grow part by part, and a journal says which parts are complete.

    stage = workspace.stage("count", key)
    for part in stage.parts: ...                 # what an earlier run has completed
    stage.append("rows", array); stage.commit(rows=100)
    stage.finish()

A process that is killed leaves bytes behind the last complete part; the next one cuts them off and goes on. A line of
the journal has the lengths of all files, the CRC of what the part has added to each, and its own CRC at the end.
"""

from __future__ import annotations

import json
import os
import shutil
from contextlib import suppress
from typing import IO, Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from lindy import _native
from lindy.stream.mapped_arrays import explained, mapped_array

JOURNAL = "journal"
_BLOCK = 1 << 24


class Stage:
    """The files of a stage in its folder.

    Attributes
    ----------
    parts : list of dict
        What ``commit`` was told of each complete part, in their order.
    facts : dict or None
        What ``finish`` was told; None as long as the stage is not complete.
    """

    def __init__(self, folder: str, key: str) -> None:
        self.folder, self._key = folder, key
        self.parts: list[dict[str, Any]] = []
        self.facts: dict[str, Any] | None = None
        self._ends: dict[str, int] = {}
        self._crcs: dict[str, int] = {}  # of what was appended since the last commit
        self._files: dict[str, IO[bytes]] = {}
        lines = self._read_journal(key)
        if lines:
            self._take_over(lines)
        else:
            self._make_folder()
        self._journal = open(os.path.join(folder, JOURNAL), "ab")  # noqa: SIM115
        if not lines:
            self._note({"key": key})

    def begin_anew(self) -> None:
        """Remove what an earlier run has completed."""
        self.close()
        self.parts, self.facts, self._ends, self._crcs = [], None, {}, {}
        self._make_folder()
        self._journal = open(os.path.join(self.folder, JOURNAL), "ab")  # noqa: SIM115
        self._note({"key": self._key})

    def append(self, name: str, array: NDArray[Any] | bytes) -> None:
        """Add the bytes of an array to the end of a file."""
        if name not in self._files:
            path = os.path.join(self.folder, name)
            self._files[name] = open(path, "r+b" if os.path.exists(path) else "w+b")  # noqa: SIM115
            self._files[name].seek(self._ends.setdefault(name, 0))
        data: Any = (
            array if isinstance(array, bytes) else np.ascontiguousarray(array).reshape(-1).view(np.uint8)
        )
        self._crcs[name] = _native.crc32(data, self._crcs.get(name, 0))
        try:
            self._files[name].write(data)
            self._files[name].flush()
        except OSError as error:
            raise explained(error, self.folder) from None
        self._ends[name] += len(data)

    def commit(self, **facts: Any) -> None:
        """Note that everything that was appended is a complete part."""
        self._note({"part": facts, "ends": self._ends, "crcs": self._crcs})
        self.parts.append(facts)
        self._crcs = {}

    def finish(self, **facts: Any) -> None:
        """Note that the stage is complete."""
        self._note({"facts": facts})
        self.facts = facts
        self.close()

    def close(self) -> None:
        """Close the files; maps of them stay."""
        for file in (*self._files.values(), self._journal):
            with suppress(OSError):  # what could not be written: ``append`` and ``_note`` have said so
                file.close()
        self._files = {}

    def array(self, name: str, dtype: DTypeLike) -> NDArray[Any]:
        """Return what was appended to a file as an array in the mapped file."""
        size = self._ends.get(name, 0) // np.dtype(dtype).itemsize
        if size == 0:
            return np.empty(0, dtype)
        with open(os.path.join(self.folder, name), "r+b") as file:
            return mapped_array(file.fileno(), size, dtype)

    def _make_folder(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)
        os.makedirs(self.folder)

    def _note(self, entry: dict[str, Any]) -> None:
        line = json.dumps(entry).encode()
        try:
            self._journal.write(b"%s %08x\n" % (line, _native.crc32(line)))
            self._journal.flush()
        except OSError as error:
            raise explained(error, self.folder) from None

    def _read_journal(self, key: str) -> list[dict[str, Any]]:
        """Return the sound lines of an earlier run, up to the first that is not; none if its work was another."""
        try:
            with open(os.path.join(self.folder, JOURNAL), "rb") as file:
                written = file.read().split(b"\n")
        except OSError:
            return []
        lines: list[dict[str, Any]] = []
        for line in written[:-1]:
            entry, _, crc = line.rpartition(b" ")
            if crc != b"%08x" % _native.crc32(entry):
                break
            lines.append(json.loads(entry))
        return lines if lines and lines[0] == {"key": key} else []

    def _take_over(self, lines: list[dict[str, Any]]) -> None:
        """Go on behind the last part whose bytes are those that were written."""
        before: dict[str, int] = {}
        sound = 1
        for line in lines[1:]:
            if "facts" not in line:
                ends = line["ends"]
                if any(
                    self._crc(name, before.get(name, 0), ends[name]) != crc
                    for name, crc in line["crcs"].items()
                ):
                    break
                before = line["ends"]
                self.parts.append(line["part"])
            else:
                self.facts = line["facts"]
            sound += 1
        self._ends = dict(before)
        for name, end in before.items():
            os.truncate(os.path.join(self.folder, name), end)
        path = os.path.join(self.folder, JOURNAL)
        with open(path, "rb") as file:
            length = sum(len(file.readline()) for _ in range(sound))
        os.truncate(path, length)

    def _crc(self, name: str, begin: int, end: int) -> int | None:
        """Return the CRC of some bytes of a file; None if they are not there."""
        crc = 0
        try:
            with open(os.path.join(self.folder, name), "rb") as file:
                file.seek(begin)
                while begin < end:
                    data = file.read(min(_BLOCK, end - begin))
                    if not data:
                        return None
                    crc = _native.crc32(data, crc)
                    begin += len(data)
        except OSError:
            return None
        return crc
