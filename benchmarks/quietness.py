"""Whether the machine does nothing else: what is measured beside other work is not worth keeping.

    python -m benchmarks.quietness

Two looks of about a second each. First this process sleeps and sees in /proc/stat which share of the processors others
use (and, on a virtual machine, which share the host takes away: "steal"). Then it runs a loop of fixed work several
times: a loop that takes longer than the processor time it is charged was interrupted, and one that is charged more than
the fastest since the machine started (kept in the temporary folder) has a slower clock or a shared core. Where the
system has no /proc/stat, the load average stands for the first look.
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

BUSY = 0.10  # of one processor, used by others or taken by the host: a core of many must not be used up
SLOWER = 0.25  # share by which the loop may take longer than its processor time, or than the fastest known
WORK = 400_000
ROUNDS = 7


@dataclass(frozen=True)
class State:
    """What was seen: processors in use by others, processors taken by the host, the loop, and what is wrong."""

    others: float
    stolen: float
    loop_ms: float
    interrupted: float  # wall time of the loop over its processor time, minus 1
    slowed: float  # processor time of the loop over the least known, minus 1
    wrong: list[str] = field(default_factory=list)

    @property
    def quiet(self) -> bool:
        """Whether nothing is wrong."""
        return not self.wrong

    def as_json(self) -> dict[str, Any]:
        """Return the figures for a record."""
        return {
            name: round(value, 4) if isinstance(value, float) else value
            for name, value in asdict(self).items()
        }


def _ticks() -> tuple[float, float] | None:
    """Return the seconds in which all processors together were used, and those that the host took."""
    stat = Path("/proc/stat")
    if not stat.exists():
        return None
    user, nice, system, _, _, irq, soft, steal = map(int, stat.read_text().split("\n", 1)[0].split()[1:9])
    tick = os.sysconf("SC_CLK_TCK")
    return (user + nice + system + irq + soft) / tick, steal / tick


def others_at_work(seconds: float = 1.0) -> tuple[float, float]:
    """Return how many processors others use while this process sleeps, and how many the host takes."""
    before, begin = _ticks(), time.perf_counter()
    time.sleep(seconds)
    after, elapsed = _ticks(), time.perf_counter() - begin
    if before is None or after is None:
        return os.getloadavg()[0], 0.0
    return (after[0] - before[0]) / elapsed, (after[1] - before[1]) / elapsed


def _loop() -> tuple[float, float]:
    """Return the wall and processor seconds of the fixed work."""
    begin, cpu = time.perf_counter(), time.thread_time()
    total = 0
    for i in range(WORK):
        total += i & 7
    assert total > 0
    return time.perf_counter() - begin, time.thread_time() - cpu


def fastest_known(seconds: float) -> float:
    """Return the least processor seconds of the loop on this Python since the machine started, this time included."""
    boot = Path("/proc/sys/kernel/random/boot_id")
    start = boot.read_text().strip() if boot.exists() else "unknown"
    kept = Path(tempfile.gettempdir()) / f"lindy-bench-loop-{start}-{sys.hexversion:x}-{os.getuid()}"
    known = float(kept.read_text()) if kept.exists() else seconds
    if seconds <= known:
        kept.write_text(repr(seconds))
    return min(known, seconds)


def look() -> State:
    """Look at the machine for some two seconds."""
    others, stolen = others_at_work()
    loops = [_loop() for _ in range(ROUNDS)]
    wall = statistics.median(loop[0] for loop in loops)
    cpu = statistics.median(loop[1] for loop in loops)
    best = fastest_known(min(loop[1] for loop in loops))
    interrupted, slowed = wall / cpu - 1, cpu / best - 1
    wrong = []
    if others > BUSY:
        wrong.append(f"others use {others:.2f} processors")
    if stolen > BUSY:
        wrong.append(f"the host takes {stolen:.2f} processors")
    if interrupted > SLOWER:
        wrong.append(f"a loop takes {interrupted:.0%} longer than its processor time")
    if slowed > SLOWER:
        wrong.append(
            f"a loop takes {slowed:.0%} more processor time than before: a slower clock, or a shared core"
        )
    return State(others, stolen, 1e3 * wall, interrupted, slowed, wrong)


def wait(patience: float) -> State:
    """Look again until the machine is quiet or so many seconds have passed; return the last look."""
    begin = time.perf_counter()
    while not (state := look()).quiet and time.perf_counter() - begin < patience:
        time.sleep(3)
    return state


if __name__ == "__main__":
    seen = look()
    print("quiet" if seen.quiet else "busy: " + "; ".join(seen.wrong))
    print(seen.as_json())
    raise SystemExit(0 if seen.quiet else 1)
