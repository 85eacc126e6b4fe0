"""What the tests of large tables share."""

from __future__ import annotations

import pytest
from tests.stream.stream_helpers import shrink

from lindy.cli.io import large


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make every table a large one: parts of some kilobytes instead of megabytes."""
    monkeypatch.setattr(large, "PER_BYTE", 10**9)
    shrink(monkeypatch, 5000)
