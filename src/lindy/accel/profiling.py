"""The profile of accelerated calls: which ran in lindy, which in scikit-learn, and why."""

from __future__ import annotations

import json
import os
import sys
import threading
from typing import NamedTuple, TextIO

PROFILE = "LINDY_ACCEL_PROFILE"  # names the folder where worker processes leave what they have called


class Call(NamedTuple):
    """Calls of one kind: what was called, where it ran, why not in lindy, how often, how long, lindy's traceback."""

    name: str
    where: str
    reason: str = ""
    times: int = 1
    seconds: float = 0.0
    fault: str = ""


class Profile:
    """The calls so far, of this process and of its workers; printed as a table."""

    def __init__(self, calls: list[Call]) -> None:
        self.calls = calls

    @property
    def faults(self) -> list[Call]:
        """Calls in which lindy failed and scikit-learn answered; ``fault`` is the traceback."""
        return [call for call in self.calls if call.fault]

    def __str__(self) -> str:
        if not self.calls:
            return "lindy.accel: no call of scikit-learn that could be accelerated"
        lines = [f"{'call':<36} {'ran in':<13} {'calls':>6} {'seconds':>9}  why not in lindy"]
        lines += [
            f"{call.name:<36} {call.where:<13} {call.times:>6} {call.seconds:>9.3f}  {call.reason}"
            for call in sorted(self.calls, key=lambda call: -call.seconds)
        ]
        lines += [
            f"\nlindy failed in {call.name}, and scikit-learn answered:\n{call.fault}" for call in self.faults
        ]
        return "\n".join(lines)

    __repr__ = __str__


class _Recorder:
    """Adds up the calls of this process, and writes them for the parent where there is one."""

    def __init__(self) -> None:
        self.totals: dict[tuple[str, str, str, str], tuple[int, float]] = {}
        self.lock = threading.Lock()
        self.owner = os.getpid()

    def add(self, call: Call) -> None:
        key = (call.name, call.where, call.reason, call.fault)
        with self.lock:
            count, seconds = self.totals.get(key, (0, 0.0))
            self.totals[key] = (count + call.times, seconds + call.seconds)
        folder = os.environ.get(PROFILE)
        if folder and not folder.endswith(f"-{os.getpid()}"):
            with open(os.path.join(folder, f"{os.getpid()}.jsonl"), "a", encoding="utf-8") as file:
                file.write(json.dumps(call) + "\n")

    def calls(self) -> list[Call]:
        with self.lock:
            return [
                Call(name, where, reason, count, seconds, fault)
                for (name, where, reason, fault), (count, seconds) in self.totals.items()
            ]

    def clear(self) -> None:
        with self.lock:
            self.totals.clear()


_OWN = _Recorder()
record = _OWN.add


def _of_workers() -> list[Call]:
    folder = os.environ.get(PROFILE, "")
    if not folder.endswith(f"-{os.getpid()}"):
        return []
    calls = []
    for entry in sorted(os.listdir(folder)):
        with open(os.path.join(folder, entry), encoding="utf-8") as file:
            calls += [Call(*json.loads(line)) for line in file]
    return calls


def profile(*, clear: bool = False) -> Profile:
    """Return which calls ran where so far; with ``clear``, count from 0 again.

    Calls in worker processes are among them if ``install(profile_workers=True)`` or ``--profile`` asked for them.
    """
    summed = _Recorder()
    for call in _OWN.calls() + _of_workers():
        key = (call.name, call.where, call.reason, call.fault)
        count, seconds = summed.totals.get(key, (0, 0.0))
        summed.totals[key] = (count + call.times, seconds + call.seconds)
    if clear:
        _OWN.clear()
    return Profile(summed.calls())


def keep_for_workers() -> None:
    """Make the folder in which worker processes leave their calls; it is removed when this process ends."""
    if PROFILE in os.environ:
        return
    import atexit
    import shutil
    import tempfile

    folder = tempfile.mkdtemp(prefix="lindy-accel-", suffix=f"-{os.getpid()}")
    os.environ[PROFILE] = folder
    atexit.register(shutil.rmtree, folder, ignore_errors=True)


def print_profile(stream: TextIO | None = None) -> None:
    """Print the profile, on standard error unless said otherwise."""
    print(profile(), file=stream or sys.stderr)
