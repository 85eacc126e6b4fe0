"""Streams in the hands of Arrow, whose threads must have let go of them before the interpreter ends."""

from __future__ import annotations

import io
import time
import weakref
from collections.abc import Callable
from typing import Any

import pyarrow as pa

from lindy.data.source import Stream

_PATIENCE = 5.0  # seconds that Arrow gets to put a stream down


class _Loan(io.RawIOBase):
    """A stream in Arrow's hands; its end tells that Arrow has let go."""

    def __init__(self, stream: Stream) -> None:
        self._stream = stream

    def read(self, size: int = -1) -> bytes:
        return self._stream.read(size)

    def readable(self) -> bool:
        return True


def lend(stream: Stream, reader: Callable[[Any], Any]) -> Any:
    """Return what ``reader`` makes of the stream as an Arrow file, once no thread of Arrow's holds it any more.

    A thread that lets go of a Python object only after the interpreter has ended takes the whole process down.
    """
    loan = _Loan(stream)
    held = weakref.ref(loan)
    result, failure = None, None
    try:
        result = reader(pa.PythonFile(loan, mode="r"))
    except pa.ArrowException as error:
        failure = error.with_traceback(None)  # its frames hold the file
    del loan
    patience = time.monotonic() + _PATIENCE
    while held() is not None and time.monotonic() < patience:
        time.sleep(0.0005)
    if failure is not None:
        raise failure
    pa.default_memory_pool().release_unused()  # the parser's blocks, which its allocator would keep
    return result
