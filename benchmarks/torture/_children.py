"""Calls that may crash or hang, made one after the other in a child process, which is replaced when one does."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

Verdict = str
PATIENCE = 10  # times the limit by the clock, for a machine that is busy with others
_TICKS = os.sysconf("SC_CLK_TCK")


def verdicts(
    calls: Sequence[Callable[[], Verdict]], limit: float, most_hangs: int | None = None
) -> Iterator[Verdict]:
    """Yield what each call returned, or that it crashed, or that it took more than ``limit`` seconds of the processor.

    After ``most_hangs`` calls that hang the rest is not made.
    """
    begin, hangs = 0, 0
    while begin < len(calls):
        child = _Child(calls, begin)
        try:
            for verdict in child.answers(limit):
                begin += 1
                hangs += verdict == "hang"
                yield verdict
                if most_hangs is not None and hangs >= most_hangs:
                    return
        finally:  # also when nobody asks for the rest
            child.end()


class _Child:
    """A fork of this process that makes the calls from some number on, and sends what each returns."""

    def __init__(self, calls: Sequence[Callable[[], Verdict]], begin: int) -> None:
        self.left = len(calls) - begin
        self.mine, theirs = multiprocessing.Pipe(duplex=False)
        sys.stdout.flush()
        self.pid = os.fork()
        if self.pid == 0:
            _serve(calls[begin:], theirs)
        theirs.close()
        self.ended = False

    def answers(self, limit: float) -> Iterator[Verdict]:
        """Yield the answers, up to the first crash or hang."""
        for _ in range(self.left):
            answer = self._next(limit)
            yield answer
            if self.ended:
                return

    def _next(self, limit: float) -> Verdict:
        spent, waited = self._seconds(), 0.0
        while not self.mine.poll(0.25):
            waited += 0.25
            if self._seconds() - spent > limit or waited > PATIENCE * limit:
                self.end()
                return "hang"
        try:
            return str(self.mine.recv())
        except EOFError:
            return f"crash ({self.end()})"

    def _seconds(self) -> float:
        """How much of the processor it has used."""
        with suppress(OSError):
            fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
            return (int(fields[11]) + int(fields[12])) / _TICKS
        return 0.0

    def end(self) -> str:
        """Kill it, if it lives, and return what it died of."""
        if self.ended:
            return ""
        self.ended = True
        with suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)
        _, status = os.waitpid(self.pid, 0)
        self.mine.close()
        return signal.Signals(os.WTERMSIG(status)).name if os.WIFSIGNALED(status) else "exit"


def _serve(calls: Sequence[Callable[[], Verdict]], answers: Any) -> None:
    quiet = os.open(os.devnull, os.O_WRONLY)
    os.dup2(quiet, 1)
    os.dup2(quiet, 2)
    try:
        for call in calls:
            answers.send(call())
        answers.close()
        signal.pause()  # until the answers are read
    finally:
        os._exit(1)
