"""The folder in which work on more data than memory is done, and what of it may be used again."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any, Self

from numpy.typing import DTypeLike, NDArray

from lindy.errors import DataError
from lindy.files.system import lock, remove_unused
from lindy.stream import in_use
from lindy.stream.checkpoints import Checkpoint
from lindy.stream.mapped_arrays import Growing, Keeper, new_array
from lindy.stream.memory import LEAST as LEAST_MEMORY
from lindy.stream.memory import default_memory
from lindy.stream.stages import Stage

FORMAT = 1
"""The format of the files: another one is not read."""
MARK = "lindy-cache.json"
LEAST = LEAST_MEMORY
"""Bytes of memory below which nothing can be done."""
LEAST_PART = 1 << 20
"""Bytes of text that are always counted at once."""

_SHARE = 0.6  # of the memory, at which the keeper begins to give back: on a busy machine its turn comes late


class Workspace:
    """A folder of files, and how much memory the process may have.

    Parameters
    ----------
    folder : str
        Made if it is not there. One that is there must be such a folder; nobody else may be using it.
    memory : int or None
        Bytes; None means half of what the machine has left.
    key : dict
        What the work is about: the input, options, versions. Work of another key is not resumed.
    resume : bool
        Go on with what an earlier run has left in the folder; otherwise that is removed.
    """

    def __init__(
        self,
        folder: str,
        memory: int | None = None,
        *,
        key: dict[str, Any] | None = None,
        resume: bool = False,
    ) -> None:
        self.folder = folder
        self.memory = max(default_memory() if memory is None else memory, LEAST)
        self.part = min(max(self.memory >> 5, LEAST_PART), 64 << 20)
        """Bytes of text that are counted at once; what they are counted in takes some ten times as much."""
        self.keeper = Keeper(int(_SHARE * self.memory))
        self.resumed = False
        self.cleared = False
        """Whether the folder held the work of an earlier run, which was removed."""
        self.text_bytes = 0
        """How many bytes all texts have, where that is known: for what is told while they are read."""
        self._n_stages = 0
        self._stages: list[Stage] = []
        self._begin({"format": FORMAT, "key": key or {}, "part": self.part}, resume)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Stop keeping memory down; the folder stays."""
        self.keeper.stop()
        for stage in self._stages:
            stage.close()
        self._lock.close()

    def remove(self) -> None:
        """Remove what is in the folder, and the folder if nothing else is in it."""
        self.close()
        remove_unused(self.folder, partial(_remove, self.folder))

    @contextmanager
    def in_use(self) -> Iterator[Self]:
        """Let what is done meanwhile put its large arrays here."""
        token = in_use.set(self)
        try:
            yield self
        finally:
            in_use.reset(token)

    def array(self, size: int, dtype: DTypeLike) -> NDArray[Any]:
        """Return an array in a file, which is gone with it."""
        return new_array(self.folder, size, dtype)

    def growing(self, dtype: DTypeLike) -> Growing:
        """Return such an array that is written from its beginning to its end."""
        return Growing(self.folder, dtype)

    def stage(self, name: str, key: dict[str, Any]) -> Stage:
        """Return the next stage of the work; of an earlier run it is the one that was asked for in the same place."""
        self._n_stages += 1
        path = os.path.join(self.folder, f"{self._n_stages:03}-{name}")
        self._stages.append(Stage(path, json.dumps(key, sort_keys=True)))
        return self._stages[-1]

    def checkpoint(self, name: str, key: dict[str, Any]) -> Checkpoint:
        """Return where the next stage of the work, which goes round by round, keeps its state."""
        self._n_stages += 1
        return Checkpoint(os.path.join(self.folder, f"{self._n_stages:03}-{name}"), key)

    def _begin(self, mark: dict[str, Any], resume: bool) -> None:
        path = os.path.join(self.folder, MARK)
        if os.path.exists(self.folder) and not os.path.isdir(self.folder):
            raise DataError(f"{self.folder}: is a file, expected a folder", "Name a folder with `folder=`.")
        found = _read_mark(path)
        if found is None:
            if os.path.isdir(self.folder) and os.listdir(self.folder):
                raise DataError(
                    f"{self.folder}: the folder is not empty, and not a cache of lindy",
                    "Name another one with `folder=`.",
                )
            os.makedirs(self.folder, exist_ok=True)
        elif resume:
            _check_mark(self.folder, found, mark)
            self.resumed, self.part = True, int(found["part"])
        self._lock = _locked(path, self.folder)
        if not self.resumed:
            self.cleared = _clear(self.folder, but=MARK)
            self._lock.truncate(0)
            self._lock.write(json.dumps(mark, sort_keys=True))
            self._lock.flush()


def _read_mark(path: str) -> dict[str, Any] | None:
    """Return what stands in the mark of a folder; None if there is none, {} if it cannot be read."""
    try:
        with open(path, encoding="utf-8") as file:
            found = json.load(file)
    except FileNotFoundError:
        return None
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _check_mark(folder: str, found: dict[str, Any], wanted: dict[str, Any]) -> None:
    """Refuse to go on with work on another input, or of another version."""
    sound = isinstance(found.get("key"), dict) and isinstance(found.get("part"), int)
    if found.get("format") != wanted["format"] or not sound:
        raise DataError(
            f"{folder}: a cache of another version of lindy, which cannot be resumed",
            "Leave out `resume=` to begin anew.",
        )
    mine, theirs = json.loads(json.dumps(wanted["key"])), found["key"]
    for name in [*mine, *theirs]:
        if mine.get(name) != theirs.get(name):
            was, now = (values.get(name, "not there") for values in (theirs, mine))
            raise DataError(
                f"{folder}: the work that was interrupted is another one: {name} was {was}, and is now {now}",
                "Leave out `resume=` to begin anew, or give the options of before.",
            )


def _locked(path: str, folder: str) -> Any:
    """Return the open mark, locked as long as it is open."""
    file = open(path, "a+", encoding="utf-8")  # noqa: SIM115
    if not (locked := lock(file.fileno())):
        file.close()
        if locked is None:
            if not os.path.getsize(path):  # made here
                _remove(folder)
            raise DataError(
                f"{folder}: this file system has no locks, which keep other processes out of the cache",
                "Name a folder on a disk of this machine with `folder=`.",
            )
        raise DataError(
            f"{folder}: another process is using this cache",
            "Wait for it, or name another folder with `folder=`.",
        )
    return file


def _remove(folder: str) -> None:
    _clear(folder)
    with suppress(OSError):  # the user's own files are in it
        os.rmdir(folder)


def _clear(folder: str, but: str | None = None) -> bool:
    """Remove what lindy has made in a folder; returns whether stages of work were among it."""
    had_stages = False
    for name in os.listdir(folder):
        path = os.path.join(folder, name)
        if name == MARK and name != but:
            os.unlink(path)
        elif name[:3].isdigit() and name[3:4] == "-" and os.path.isdir(path):
            shutil.rmtree(path)
            had_stages = True
    return had_stages
