"""Checkpoints of work that goes round by round: the whole state of it in a file, which the next checkpoint replaces.

    saved = checkpoint("dual", key)                  # of the workspace that is in use
    if found := saved.load(): facts, arrays = found  # where an earlier run was
    while ...:
        if saved.is_due: saved.save(facts, arrays)

The file begins with a line of JSON (key, facts, name, type, shape and CRC of each array) and its CRC; the bytes of the
arrays follow. It is written beside the one before and then takes its place, so that one of them is always whole.
"""

from __future__ import annotations

import json
import math
import os
import time
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lindy import _native
from lindy.stream import current
from lindy.stream.mapped_arrays import explained

EVERY = 10.0
"""Seconds between checkpoints, at least."""
SHARE = 20
"""So many times as long as a checkpoint took is worked before the next one."""

Arrays = Mapping[str, NDArray[Any]]


def checkpoint(name: str, key: dict[str, Any]) -> Checkpoint:
    """Return where work that goes round by round keeps its state; nowhere if no workspace is in use."""
    workspace = current()
    return Checkpoint(None, key) if workspace is None else workspace.checkpoint(name, key)


class Checkpoint:
    """The file of one piece of work; without a folder nothing is kept."""

    def __init__(self, folder: str | None, key: dict[str, Any]) -> None:
        self._folder, self._key = folder, json.loads(json.dumps(key))
        self._next = math.inf if folder is None else time.monotonic() + EVERY
        self.is_used = False
        """Whether a state was kept."""

    @property
    def is_due(self) -> bool:
        """Whether it is time for the next one."""
        return time.monotonic() >= self._next

    def save(self, facts: dict[str, Any], arrays: Arrays) -> None:
        """Keep a state: what JSON can hold, and arrays."""
        if self._folder is None:
            return
        began = time.monotonic()
        given = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
        about = [
            [name, array.dtype.str, array.shape, _native.crc32(_bytes(array))]
            for name, array in given.items()
        ]
        head = json.dumps({"key": self._key, "facts": facts, "arrays": about}).encode()
        path = os.path.join(self._folder, "state")
        try:
            os.makedirs(self._folder, exist_ok=True)
            with open(f"{path}.new", "wb") as file:
                file.write(b"%s %08x\n" % (head, _native.crc32(head)))
                for array in given.values():
                    file.write(_bytes(array))
            os.replace(f"{path}.new", path)
        except OSError as error:
            raise explained(error, self._folder) from None
        self.is_used = True
        ended = time.monotonic()
        self._next = ended + max(EVERY, SHARE * (ended - began))

    def load(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]] | None:
        """Return the state that an earlier run has kept; None if there is none, or not a sound one of this work."""
        if self._folder is None:
            return None
        try:
            with open(os.path.join(self._folder, "state"), "rb") as file:
                head, _, crc = file.readline().rstrip(b"\n").rpartition(b" ")
                if crc != b"%08x" % _native.crc32(head):
                    return None
                entry = json.loads(head)
                if entry["key"] != self._key:
                    return None
                arrays = {}
                for name, dtype, shape, own in entry["arrays"]:
                    array = np.empty(shape, dtype)
                    if file.readinto(_bytes(array)) != array.nbytes or _native.crc32(_bytes(array)) != own:
                        return None
                    arrays[name] = array
        except OSError:
            return None
        self.is_used = True
        return entry["facts"], arrays


def _bytes(array: NDArray[Any]) -> Any:
    return array.reshape(-1).view(np.uint8)
