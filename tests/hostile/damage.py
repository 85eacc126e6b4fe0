"""Damage that disks and networks do to a file: it ends early, or a bit of it is another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import lindy
from lindy.errors import ModelFileError


def truncations(contents: bytes, step: int = 1) -> Iterator[bytes]:
    """Yield every beginning of the contents, or each so-manieth."""
    for length in range(0, len(contents), step):
        yield contents[:length]


def flips(contents: bytes, step: int = 1) -> Iterator[bytes]:
    """Yield the contents with every bit flipped, or each so-manieth."""
    for bit in range(0, 8 * len(contents), step):
        flipped = bytearray(contents)
        flipped[bit // 8] ^= 1 << bit % 8
        yield bytes(flipped)


def accepted(path: Path, damaged: Iterator[bytes], outcomes: Counter[str]) -> list[int]:
    """Return the numbers of the damaged model files that lindy loads; any exception but ModelFileError is raised."""
    loaded = []
    for number, contents in enumerate(damaged):
        path.unlink(
            missing_ok=True
        )  # truncating it instead would make the file system write it out, every time
        path.write_bytes(contents)
        try:
            lindy.load(path, n_jobs=1)
        except ModelFileError:
            outcomes["refused"] += 1
        else:
            outcomes["loaded"] += 1
            loaded.append(number)
    return loaded
