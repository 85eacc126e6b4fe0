"""Settings of the whole test run."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Generator
from pathlib import Path

import hypothesis
import pytest

# before SciPy is imported anywhere: scikit-learn's array API check needs it, and no check is skipped
os.environ["SCIPY_ARRAY_API"] = "1"

# labs and benchmarks would read real corpora there; what tests say holds for the samples
os.environ.pop("LINDY_DATA", None)

# the same examples in every run: a failure is found by whoever causes it
hypothesis.settings.register_profile("lindy", derandomize=True, deadline=None)
hypothesis.settings.load_profile("lindy")

# a run in the background ignores Ctrl-C and would hand that down to the processes that tests interrupt
signal.signal(signal.SIGINT, signal.default_int_handler)

# the programs that tests marked with needs_system may name, and the Debian packages that hold them
PACKAGES = dict(
    line.split() for line in Path(__file__).with_name("system-packages.txt").read_text().splitlines()
)


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Leave a test out where a program that it is marked to need is missing."""
    for program in [name for marker in item.iter_markers("needs_system") for name in marker.args]:
        package = PACKAGES[program]
        if shutil.which(program) is None:
            pytest.skip(f"{program} is missing: apt-get install {package}")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """In CI, where the variable CI is set, a test that is left out fails."""
    report = yield
    if report.skipped and not hasattr(report, "wasxfail") and os.environ.get("CI"):
        report.outcome = "failed"
        where = report.longrepr
        reason = where[2] if isinstance(where, tuple) else where
        report.longrepr = f"left out, which CI does not allow: {reason}"
    return report
