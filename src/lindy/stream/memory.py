"""How much memory there is. Commands ask before they begin to read, so nothing else is imported here."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NamedTuple

from lindy import _native

LEAST = 128 << 20
"""Bytes of memory below which nothing can be done."""


def machine_memory() -> int | None:
    """Return how many bytes are available to this process; None where the system does not tell."""
    found = []
    try:
        with open("/proc/meminfo", "rb") as file:
            lines = dict(line.split(b":", 1) for line in file)
        found.append(int(lines[b"MemAvailable"].split()[0]) << 10)
    except (OSError, KeyError, ValueError):
        return _native.available_bytes() or None
    try:  # a container may have less than its machine
        with (
            open("/sys/fs/cgroup/memory.max", "rb") as limit,
            open("/sys/fs/cgroup/memory.current", "rb") as used,
            open("/sys/fs/cgroup/memory.stat", "rb") as parts,
        ):
            cached = dict(line.split() for line in parts).get(
                b"inactive_file", 0
            )  # given back when it is needed
            found.append(int(limit.read()) - int(used.read()) + int(cached))
    except (OSError, ValueError):
        pass
    return max(min(found), 0)


def default_memory() -> int:
    """Return the memory that work may take where nobody has said: half of what the machine has left."""
    return (machine_memory() or 4 << 30) // 2


class Allowance(NamedTuple):
    """How many bytes this process may take in all, and who says so."""

    memory: int
    said: str


_allowance: ContextVar[Allowance | None] = ContextVar("allowance", default=None)


@contextmanager
def allowed(memory: int | None, said: str = "may be taken") -> Iterator[None]:
    """Let work that asks before it begins take so much memory; None is half of what the machine has left."""
    token = _allowance.set(Allowance(max(default_memory() if memory is None else memory, LEAST), said))
    try:
        yield
    finally:
        _allowance.reset(token)


def left_to_take() -> Allowance:
    """Return how many bytes may be taken beside those that this process has; without ``allowed``, all that are free.

    They are at least half of all: of what it has, it may give some back, such as pages of files.
    """
    if (allowance := _allowance.get()) is None:
        return Allowance(machine_memory() or 1 << 62, "are free")
    taken = min(_native.resident_bytes(), allowance.memory // 2)
    return allowance._replace(memory=allowance.memory - taken)
