"""One process of Node for all tests of exported models."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.web.exported import Node


@pytest.fixture(scope="session")
def node() -> Iterator[Node]:
    """Return a process that answers for exported models."""
    opened = Node()
    yield opened
    opened.close()
