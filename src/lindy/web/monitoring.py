"""Monitoring of the service: metrics in Prometheus' format, and a line of JSON for every request.

The counts of all workers are in memory that they share, each in rows of its own, so that whichever worker is asked
knows about all of them.
"""

from __future__ import annotations

import json
import mmap
import os
import sys
import time
from bisect import bisect_left
from collections.abc import Callable, Iterable

from lindy._native import resident_bytes
from lindy.web.http.guards import client_of
from lindy.web.http.requests import Request, Response
from lindy.web.http.routes import Route
from lindy.web.messages import PredictReply
from lindy.web.model_registry import LoadedModel

_STATUSES = (200, 304, 400, 401, 403, 404, 405, 408, 413, 415, 421, 429, 500, 503)
_SECONDS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 10.0)
_ROUTES, _MODELS = 64, 64  # more share the last row
_OF_ROUTE = (
    len(_STATUSES) + len(_SECONDS) + 2
)  # and the slower ones, and the sum of all times in microseconds
_OF_MODEL = 3
_OF_WORKER = _ROUTES * _OF_ROUTE + _MODELS * _OF_MODEL
_NOWHERE = "(none)"  # the address of a request for which there is none
_LONGEST = 200  # characters of an address in the log
_KIND = b"text/plain; version=0.0.4; charset=utf-8"


class Monitor:
    """Counts requests, their times, and texts.

    Parameters
    ----------
    workers : int
        How many processes share the counts.
    access_log : bool
        Whether every request is written to standard output. Texts in the address are not.
    """

    def __init__(self, workers: int = 1, *, access_log: bool = False) -> None:
        self.workers, self.worker, self._log = workers, 0, access_log
        self._cells = memoryview(mmap.mmap(-1, workers * _OF_WORKER * 8)).cast("Q")
        self._paths: dict[str, int] = {}
        self._models: dict[str, int] = {}
        self._served: Callable[[], Iterable[LoadedModel]] = tuple
        self._started = time.time()

    def begin(
        self, routes: Iterable[Route], models: Iterable[str], served: Callable[[], Iterable[LoadedModel]]
    ) -> None:
        """Give routes and models their rows; before workers part. ``served`` returns the models of the moment."""
        self._served = served
        self._paths = {path: i for i, path in enumerate([_NOWHERE, *dict.fromkeys(r.path for r in routes)])}
        self._models = {name: i for i, name in enumerate(models)}

    def watch(self, request: Request, route: Route | None, status: int, seconds: float) -> None:
        """Count a request that was answered."""
        row = min(self._paths[_NOWHERE if route is None else route.path], _ROUTES - 1)
        first = self.worker * _OF_WORKER + row * _OF_ROUTE
        cells = self._cells
        cells[first + (_STATUSES.index(status) if status != 200 else 0)] += 1
        cells[first + len(_STATUSES) + bisect_left(_SECONDS, seconds)] += 1
        cells[first + _OF_ROUTE - 1] += int(seconds * 1e6)
        if self._log:
            self._write(request, status, seconds)

    def count(self, reply: PredictReply) -> None:
        """Count the texts that a model was asked about, those it rejected, and those of which it knew nothing."""
        row = min(self._models.get(reply.model, _MODELS - 1), _MODELS - 1)
        first = self.worker * _OF_WORKER + _ROUTES * _OF_ROUTE + row * _OF_MODEL
        self._cells[first] += len(reply.results)
        for result in reply.results:
            if result.rejected:
                self._cells[first + 1] += 1
            if result.known == 0:
                self._cells[first + 2] += 1

    def _write(self, request: Request, status: int, seconds: float) -> None:
        line = {
            "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
            "client": client_of(request),
            "method": request.method[:20],
            "path": request.path[:_LONGEST],
            "status": status,
            "ms": round(seconds * 1e3, 3),
            "worker": self.worker + 1,
        }
        os.write(sys.stdout.fileno(), (json.dumps(line) + "\n").encode())

    async def respond(self, _request: Request) -> Response:
        """Return the figures of all workers."""
        lines = [*self._requests(), *self._texts(), *self._versions(), *self._process()]
        text = "".join(f"{line}\n" for line in lines)
        return Response(200, ((b"content-type", _KIND), (b"cache-control", b"no-store")), text.encode())

    def _sum(self, place: int) -> int:
        return sum(self._cells[worker * _OF_WORKER + place] for worker in range(self.workers))

    def _requests(self) -> Iterable[str]:
        counts, times = [], []
        for path, row in self._paths.items():
            first, route = row * _OF_ROUTE, f'route="{path}"'
            for k, status in enumerate(_STATUSES):
                if n := self._sum(first + k):
                    counts.append(f'lindy_requests_total{{{route},status="{status}"}} {n}')
            total = 0
            for k, bound in enumerate([*map(str, _SECONDS), "+Inf"]):
                total += self._sum(first + len(_STATUSES) + k)
                times.append(f'lindy_request_seconds_bucket{{{route},le="{bound}"}} {total}')
            times.append(f"lindy_request_seconds_sum{{{route}}} {self._sum(first + _OF_ROUTE - 1) / 1e6}")
            times.append(f"lindy_request_seconds_count{{{route}}} {total}")
            if not total:
                del times[-len(_SECONDS) - 3 :]
        yield from _family("lindy_requests_total", "counter", "Requests that were answered.", counts)
        yield from _family("lindy_request_seconds", "histogram", "How long answers took.", times)

    def _texts(self) -> Iterable[str]:
        about = (
            ("lindy_texts_total", "Texts that were predicted."),
            ("lindy_rejected_total", "Texts whose label was not sure enough."),
            ("lindy_unknown_total", "Texts of which the model knew no feature."),
        )
        for k, (name, meaning) in enumerate(about):
            base = _ROUTES * _OF_ROUTE + k
            lines = [
                f'{name}{{model="{_escaped(model)}"}} {self._sum(base + row * _OF_MODEL)}'
                for model, row in self._models.items()
            ]
            yield from _family(name, "counter", meaning, lines)

    def _versions(self) -> Iterable[str]:
        lines = [
            f'lindy_model_info{{model="{_escaped(served.name)}",version="{served.version}",'
            f'trained_at="{served.trained_at}",file="{_escaped(os.path.basename(served.path))}"}} 1'
            for served in self._served()
        ]
        meaning = "The models of the worker that was asked: which file each is, always 1."
        yield from _family("lindy_model_info", "gauge", meaning, lines)

    def _process(self) -> Iterable[str]:
        figures = (
            ("lindy_workers", "gauge", "Processes that answer.", self.workers),
            ("process_start_time_seconds", "gauge", "When the service started.", round(self._started, 3)),
            (
                "process_resident_memory_bytes",
                "gauge",
                "Memory of the worker that was asked.",
                resident_bytes(),
            ),
            (
                "process_cpu_seconds_total",
                "counter",
                "Processor time of the worker that was asked.",
                round(time.process_time(), 3),
            ),
        )
        for name, kind, meaning, value in figures:
            yield from _family(name, kind, meaning, [f"{name} {value}"])


def _family(name: str, kind: str, meaning: str, lines: list[str]) -> Iterable[str]:
    return (f"# HELP {name} {meaning}", f"# TYPE {name} {kind}", *lines) if lines else ()


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
