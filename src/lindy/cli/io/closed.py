"""Standard output of a process that was started without one."""

from __future__ import annotations

import errno
import io
from typing import Any, NoReturn


class _Closed(io.RawIOBase):
    name = "standard output"

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> NoReturn:  # noqa: ARG002
        raise OSError(errno.EBADF, "standard output is closed")


def closed_output() -> io.TextIOWrapper:
    """Return a stream that says so when something is written to it."""
    return io.TextIOWrapper(_Closed(), encoding="utf-8", write_through=True)
