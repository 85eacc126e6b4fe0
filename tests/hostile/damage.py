"""Damage that disks and networks do to a file: it ends early, or a bit of it is another."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator

import lindy
from lindy.errors import ModelFileError

Damage = Callable[[int, bytes, int], Iterator[None]]


def truncations(file: int, contents: bytes, step: int = 1) -> Iterator[None]:
    """Make a file every beginning of the contents, or each so-manieth, the longest first."""
    for length in range((len(contents) - 1) // step * step, -1, -step):
        os.truncate(file, length)
        yield


def flips(file: int, contents: bytes, step: int = 1) -> Iterator[None]:
    """Flip every bit of a file of these contents, or each so-manieth, one after the other."""
    for bit in range(0, 8 * len(contents), step):
        place = bit // 8
        os.pwrite(file, bytes([contents[place] ^ 1 << bit % 8]), place)
        yield
        os.pwrite(file, contents[place : place + 1], place)


def accepted(damage: Damage, contents: bytes, outcomes: Counter[str], step: int = 1) -> list[int]:
    """Return the numbers of the damaged model files that lindy loads; any exception but ModelFileError is raised.

    The file is in memory and is changed in its place, as a million times on a disk would take hours.
    """
    file = os.memfd_create("damaged")
    try:
        os.pwrite(file, contents, 0)
        path, loaded = f"/proc/self/fd/{file}", []
        for number, _ in enumerate(damage(file, contents, step)):
            try:
                lindy.load(path, n_jobs=1)
            except ModelFileError:
                outcomes["refused"] += 1
            else:
                outcomes["loaded"] += 1
                loaded.append(number)
        return loaded
    finally:
        os.close(file)
