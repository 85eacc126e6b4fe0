"""Tells coverage.py which test runs, as a plugin of pytest: ``-p tests.hostile.contexts``.

Its own option for that takes the name of the function, which for all tests with ``@given`` is one of Hypothesis.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from coverage import Coverage


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """Name the test, without its parameters, while it runs; what fixtures run has no name."""
    running = Coverage.current()
    assert running is not None
    running.switch_context(item.nodeid.split("[", maxsplit=1)[0])
    try:
        return (yield)
    finally:
        running.switch_context("")
