"""How much memory there is. Commands ask before they begin to read, so nothing else is imported here."""

from __future__ import annotations

from lindy import _native


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
