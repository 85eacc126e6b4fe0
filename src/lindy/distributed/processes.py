"""The engine of one machine: worker processes that keep partitions in their memory.

Worker k of n has the partitions k, k + n, k + 2n, … A worker that is gone is replaced by a new one.
"""

from __future__ import annotations

import pickle
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from lindy.distributed.partition_workers import Question, WorkerEngine
from lindy.distributed.worker import receive, send
from lindy.estimators.base import thread_count


class Processes(WorkerEngine):
    """Worker processes on this machine.

    Parameters
    ----------
    begin : str
        The task that makes a partition of its source, such as ``"read_part"``.
    sources : sequence
        What each partition is made of, such as the name of a file.
    arguments : tuple
        Further arguments of that task.
    workers : int or None
        How many processes; None means one per core, at most one per partition.
    """

    def __init__(
        self, begin: str, sources: Sequence[Any], arguments: tuple[Any, ...] = (), workers: int | None = None
    ):
        self._most = workers or thread_count(None)
        self._started: list[subprocess.Popen[bytes]] = []
        super().__init__(begin, sources, arguments)

    @property
    def pids(self) -> list[int]:
        """The numbers of the processes."""
        return [worker.pid for worker in self._started]

    def settle(self, numbers: Sequence[int]) -> list[tuple[Any, list[int]]]:
        """Begin processes for some partitions, in the place of those that are gone."""
        n = max(1, min(self._most - len(self._started), len(numbers)))
        new = [(self._start(), list(numbers[k::n])) for k in range(n)]
        for worker, own in new:  # all are starting meanwhile
            self._tell(worker, pickle.dumps({number: self.sources[number] for number in own}, protocol=5))
        return new

    def ask(self, questions: Sequence[Question]) -> list[bytes | None]:
        """Let processes answer: all work while the first is listened to."""
        told = [self._tell(worker, message, own) for worker, message, own in questions]
        return [
            self._hear(worker) if heard else None
            for (worker, _, _), heard in zip(questions, told, strict=True)
        ]

    def let_go(self) -> None:
        """End the processes, also in the middle of a round, of which nobody waits for the end."""
        for worker in list(self._started):
            self._end(worker)

    def _start(self) -> subprocess.Popen[bytes]:
        # -P: modules of the folder in which somebody trains are none of lindy's
        command = [sys.executable, "-P", "-m", "lindy.distributed.worker"]
        worker = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._started.append(worker)
        return worker

    def _tell(self, worker: subprocess.Popen[bytes], *messages: bytes) -> bool:
        """Send messages; whether the process takes them."""
        assert worker.stdin is not None
        try:
            send(worker.stdin, *messages)
        except (BrokenPipeError, ValueError):  # ValueError: it was ended before
            self._end(worker)
            return False
        return True

    def _hear(self, worker: subprocess.Popen[bytes]) -> bytes | None:
        assert worker.stdout is not None
        reply = receive(worker.stdout)
        if reply is None:
            self._end(worker)
        return reply

    def _end(self, worker: subprocess.Popen[bytes]) -> None:
        worker.kill()
        worker.wait()
        self._started = [other for other in self._started if other is not worker]
        for stream in (worker.stdin, worker.stdout):
            with suppress(BrokenPipeError):  # what was not written yet, nobody reads
                stream.close()  # type: ignore[union-attr]
