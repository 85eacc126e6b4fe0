"""Streams that Arrow reads: its threads must have released them before the interpreter ends."""

from __future__ import annotations

import io
import time
import weakref
from collections.abc import Callable
from typing import Any

import pyarrow as pa

from lindy.data.chunks.source import Stream


class _Lent(io.RawIOBase):
    """A stream that Arrow reads; it is deleted when no thread of Arrow's uses it any more."""

    def __init__(self, stream: Stream) -> None:
        self._stream = stream

    def read(self, size: int = -1) -> bytes:
        return self._stream.read(size)

    def readable(self) -> bool:
        return True


def lend(stream: Stream, reader: Callable[[Any], Any], *, longest_wait: float = 5.0) -> Any:
    """Return what ``reader`` makes of the stream as an Arrow file, once no thread of Arrow's holds it any more.

    A thread that releases a Python object after the interpreter has ended crashes the process, so it is waited for, but
    not longer than so many seconds.
    """
    lent = _Lent(stream)
    held = weakref.ref(lent)
    result, failure = None, None
    try:
        result = reader(pa.PythonFile(lent, mode="r"))
    except pa.ArrowException as error:
        failure = error.with_traceback(None)  # its frames hold the file
    del lent
    deadline = time.monotonic() + longest_wait
    while held() is not None and time.monotonic() < deadline:
        time.sleep(0.0005)
    if failure is not None:
        raise failure
    pa.default_memory_pool().release_unused()  # the parser's blocks, which its allocator would keep
    return result
