"""What Dask itself takes for a round in which nothing is computed: in tasks, and by actors.

Two workers get an array of 75,000 doubles, and one or two come back: W and gradients of the rows of
`benchmarks.distributed`.
"""

from __future__ import annotations

import argparse
import pickle
import time
from collections.abc import Callable
from typing import Any

import numpy as np

COLUMNS = 75_000


class Answering:
    """An actor that answers with as many bytes as it gets."""

    def answer(self, message: bytes) -> bytes:
        """Return the message."""
        return message


def _same(array: Any) -> Any:
    return array + 0.0


def _sum(arrays: list[Any]) -> Any:
    return arrays[0] + arrays[1]


def messages(args: argparse.Namespace) -> dict[str, list[float]]:
    """Measure the parts of a round in tasks, and a round by actors, directly and by way of the scheduler."""
    import distributed

    from lindy.distributed.clusters import dask_client

    W, found = np.random.default_rng(0).random((COLUMNS, 1)), {}
    client, end = dask_client(None, 2)
    try:
        places = list(client.nthreads())
        sent = client.scatter(W, broadcast=True, hash=False)
        done = [client.submit(_same, sent, workers=[place], pure=False) for place in places]
        distributed.wait(done, 60)
        actors = [
            client.submit(Answering, actor=True, workers=[place]).result(timeout=60) for place in places
        ]

        def tasks() -> None:
            distributed.wait([client.submit(_same, sent, workers=[p], pure=False) for p in places], 60)

        def calls() -> None:
            message = pickle.dumps(W, protocol=5)
            for asked in [actor.answer(message) for actor in actors]:
                pickle.loads(asked.result(timeout=60))

        steps: dict[str, tuple[bool, Callable[[], Any]]] = {
            "W to the workers": (False, lambda: client.scatter(W, broadcast=True, hash=False)),
            "two tasks": (False, tasks),
            "a task that merges": (
                False,
                lambda: distributed.wait([client.submit(_sum, done, pure=False)], 60),
            ),
            "its result": (False, lambda: client.gather([done[0]])),
            "actors, by way of the scheduler": (False, calls),
            "actors, directly": (True, calls),
        }
        for name, (directly, do) in steps.items():
            client.direct_to_workers = directly
            found[name] = _median(do, 3 * args.rounds)
            print(f"{name}: {found[name][0]:.1f} ms, {found[name][1]:.1f} ms of processors", flush=True)
    finally:
        end()
    return found


def _median(do: Callable[[], Any], times: int) -> list[float]:
    """Return the milliseconds that something takes by the clock, and of processors here, where the scheduler is too."""
    taken = []
    for _ in range(times):
        wall, cpu = time.perf_counter(), time.process_time()
        do()
        taken.append((time.perf_counter() - wall, time.process_time() - cpu))
    return [float(one) for one in 1e3 * np.median(taken, axis=0)]
