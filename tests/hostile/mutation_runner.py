"""Runs tests on one mutant after the other, each in a fork of a process that has imported everything but lindy.

Reads lines of JSON: the file of the linked package that is replaced (see ``instrumented``), its source, the tests,
those that are likeliest to notice first, each with the seconds that it may take. Answers each with "killed" (a test
failed, or hung), and the test that failed, or with "survived".
"""

from __future__ import annotations

import gc
import importlib.util
import json
import math
import os
import resource
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path

import hypothesis  # noqa: F401
import numpy as np  # noqa: F401
import pandas as pd  # noqa: F401
import pyarrow as pa  # noqa: F401
import pytest
import xdist.plugin  # noqa: F401

os.environ["SCIPY_ARRAY_API"] = "1"  # as in conftest.py, which comes too late for what is imported here
import sklearn.datasets
import sklearn.feature_extraction
import sklearn.linear_model  # noqa: F401

STARTING = 20  # seconds until the first test begins
FIRST = 8  # tests that run before the others are even collected: most mutants do not need those
IDLE = 30  # seconds almost without a use of the processor: it waits for ever
ALMOST = 20  # ticks in that time, which a thread that looks again and again does not use
WAITING = 10  # times the limit by the clock, for tests that wait for ever on a machine that has other work


class Report:
    """Tells through a pipe which test fails, and ends the process if one takes longer than it may."""

    def __init__(self, tests: dict[str, float], pipe: int) -> None:
        self.tests, self.pipe = tests, pipe

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """Limit the time of the processor until the next test begins."""
        limit_time(self.tests[nodeid.split("[", maxsplit=1)[0]])

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Write the name of a test that fails, without its parameters."""
        if report.failed:
            os.write(self.pipe, report.nodeid.split("[", maxsplit=1)[0].encode())


def limit_time(seconds: float) -> None:
    """End this process when it has used the processor for so many seconds more."""
    most = time.process_time() + seconds
    resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(most), resource.RLIM_INFINITY))


def run(tests: dict[str, float], pipe: int) -> int:
    """Run tests in this process until one fails; return pytest's exit code."""
    silence = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silence, 1)
    os.dup2(silence, 2)
    unused = ("randomly", "cacheprovider", "faulthandler", "anyio", "faker", "hypothesispytest")
    warnings = ["-W", "ignore::pytest.PytestAssertRewriteWarning"]  # of Hypothesis, which is imported already
    options = ["-x", "-q", "-n0", *warnings, *(word for name in unused for word in ("-p", f"no:{name}"))]
    return int(pytest.main([*options, *tests], plugins=[Report(tests, pipe)]))


def judge(tests: dict[str, float]) -> str:
    """Run tests in a fork, each for so many seconds of the processor; return what became of the mutant."""
    reading, writing = os.pipe()
    try:
        os.set_blocking(reading, False)
        outcome = _judge(tests, writing)
        with suppress(BlockingIOError):  # no test failed, or it was a hang
            outcome += " " + os.read(reading, 1000).decode()
        return outcome
    finally:
        os.close(reading)
        os.close(writing)


def _judge(tests: dict[str, float], pipe: int) -> str:
    child = os.fork()
    if child == 0:
        os.setpgid(0, 0)  # its own processes end with it
        limit_time(STARTING)
        try:
            os._exit(run(tests, pipe))
        finally:
            os._exit(99)
    end = time.monotonic() + WAITING * (STARTING + sum(tests.values()))
    used, since = 0.0, time.monotonic()
    while True:  # the child is asked before the clock: this process may have been stopped for a while
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return "survived" if os.WIFEXITED(status) and os.WEXITSTATUS(status) == 0 else "killed"
        if (now := _processor_time(child)) > used + ALMOST:
            used, since = now, time.monotonic()
        if time.monotonic() > end or time.monotonic() > since + IDLE:
            break
        time.sleep(0.02)
    os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return "killed"


def _processor_time(child: int) -> float:
    """Return how much of the processor a child has used, in ticks."""
    fields = Path(f"/proc/{child}/stat").read_text().rpartition(")")[2].split()
    return float(fields[11]) + float(fields[12])


def main() -> None:
    assert "lindy" not in sys.modules
    gc.freeze()  # pytest collects garbage when it ends: not among all that is imported here
    for line in sys.stdin:
        task = json.loads(line)
        link = Path(task["file"])
        source = link.resolve()
        bytecode = Path(importlib.util.cache_from_source(str(link)))
        bytecode.unlink(missing_ok=True)
        link.unlink()
        link.write_text(task["source"], encoding="utf-8")
        try:
            tests = list(task["tests"].items())
            answer = judge(dict(tests[:FIRST]))
            if answer == "survived" and tests[FIRST:]:
                answer = judge(dict(tests[FIRST:]))
        finally:
            link.unlink()
            link.symlink_to(source)
            bytecode.unlink(missing_ok=True)
        sys.stdout.write(answer + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
