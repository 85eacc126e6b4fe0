"""The engine of one machine: worker processes that hold partitions in their memory.

Worker k of n has the partitions k, k + n, k + 2n, … A worker that is gone is replaced by a new one, which reads and
derives its partitions again.
"""

from __future__ import annotations

import pickle
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

from lindy.base import thread_count
from lindy.distributed.engine import Engine, EngineError, merged, opened, own_version
from lindy.distributed.worker import receive, send

TRIES = 3  # workers that may be lost one after the other in the same round


class Processes(Engine):
    """Worker processes on this machine.

    Parameters
    ----------
    begin : str
        The move that makes a partition of its source, such as ``"read_part"``.
    sources : sequence
        What each partition is made of, such as the name of a file.
    arguments : tuple
        Further arguments of that move.
    workers : int or None
        How many processes; None means one per core, at most one per partition.
    """

    def __init__(
        self, begin: str, sources: Sequence[Any], arguments: tuple[Any, ...] = (), workers: int | None = None
    ):
        self.n_partitions = len(sources)
        n = max(1, min(workers or thread_count(None), self.n_partitions))
        self._sources = sources
        self._own = [range(k, self.n_partitions, n) for k in range(n)]
        self._history: list[tuple[str, str, tuple[Any, ...]]] = []
        self._workers = [_start() for _ in range(n)]
        self._pool = ThreadPoolExecutor(n)
        self._closing = False
        try:
            self._everywhere("begin", begin, arguments)
            self._history.append(("begin", begin, arguments))
            self.run("name_of")
        except BaseException:  # nobody else could end the processes
            self.close()
            raise

    @property
    def pids(self) -> list[int]:
        """The numbers of the processes."""
        return [worker.pid for worker in self._workers]

    def derive(self, move: str, *arguments: Any) -> None:
        """Replace what every partition holds by the result of a move."""
        self._everywhere("derive", move, arguments)
        self._history.append(("derive", move, arguments))

    def run(self, move: str, *arguments: Any, each: Sequence[Any] | None = None) -> list[Any]:
        """Return the results of a move in the order of the partitions."""
        answers = self._everywhere("run", move, arguments, each)
        n = len(self._own)
        return [opened(answers[number % n][number // n]) for number in range(self.n_partitions)]

    def total(self, move: str, *arguments: Any) -> Any:
        """Return the merged results of a move; every worker merges its own."""
        return opened(merged(self._everywhere("total", move, arguments)))

    def _everywhere(
        self, how: str, move: str, arguments: tuple[Any, ...], each: Sequence[Any] | None = None
    ) -> list[Any]:
        jobs = [self._pool.submit(self._ask, k, how, move, arguments, each) for k in range(len(self._own))]
        return [job.result() for job in jobs]

    def _ask(
        self, k: int, how: str, move: str, arguments: tuple[Any, ...], each: Sequence[Any] | None
    ) -> Any:
        """Let worker k do something for its partitions."""
        for _ in range(TRIES):
            try:
                return self._exchange(k, how, move, arguments, each)
            except (BrokenPipeError, EOFError):
                if self._closing:
                    raise
                self._end(k)
                self._workers[k] = _start()
                try:
                    for step in self._history:
                        self._exchange(k, *step, None)
                except (BrokenPipeError, EOFError):
                    continue
        raise EngineError(
            f"worker process {k} ended {TRIES} times in the same round",
            "it may need more memory: use fewer workers, or more and smaller partitions",
        )

    def _exchange(
        self, k: int, how: str, move: str, arguments: tuple[Any, ...], each: Sequence[Any] | None
    ) -> Any:
        own: list[tuple[int, Any]] = [
            (number, () if each is None else (each[number],)) for number in self._own[k]
        ]
        if how == "begin":
            own = [(number, self._sources[number]) for number in self._own[k]]
        worker = self._workers[k]
        assert worker.stdin is not None
        assert worker.stdout is not None
        send(worker.stdin, pickle.dumps((own_version(), how, move, arguments, own), protocol=5))
        reply = receive(worker.stdout)
        if reply is None:
            raise EOFError
        return pickle.loads(reply)

    def _end(self, k: int) -> None:
        worker = self._workers[k]
        worker.kill()
        worker.wait()
        for stream in (worker.stdin, worker.stdout):
            with suppress(BrokenPipeError):  # what was not written yet, nobody reads
                stream.close()  # type: ignore[union-attr]

    def let_go(self) -> None:
        """End the processes, also in the middle of a round, of which nobody waits for the end."""
        self._closing = True
        for worker in self._workers:
            worker.kill()
        self._pool.shutdown(cancel_futures=True)
        for k in range(len(self._workers)):
            self._end(k)


def _start() -> subprocess.Popen[bytes]:
    # -P: modules of the folder in which somebody trains are none of lindy's
    command = [sys.executable, "-P", "-m", "lindy.distributed.worker"]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
