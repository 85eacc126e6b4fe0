"""An answer that is made faster than its client takes it: kept in a file, so that memory stays the same.

Many clients, browsers among them, send all of a table before they read the first row of the answer. Who waited for them
to read, before reading on, would wait for ever.
"""

from __future__ import annotations

import asyncio
import tempfile
import threading
from collections.abc import AsyncIterator

from lindy.files.system import read_at, write_at

_PIECE = 1 << 18


class Spool:
    """Bytes from one thread to the loop, in their order; a file keeps those that have not been sent yet."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop, self._news = loop, asyncio.Event()
        self._file = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115  # closed by who takes the last of it
        self._lock = threading.Lock()
        self._written = self._sent = self._total = 0
        self._ended = False
        self._error: Exception | None = None

    def write(self, data: bytes) -> int:
        """Add bytes; called by the thread."""
        with self._lock:
            done = 0
            while done < len(data):
                done += write_at(self._file.fileno(), data[done:], self._written + done)
            self._written += done
            self._total += done
        self._tell()
        return len(data)

    def end(self, error: Exception | None = None) -> None:
        """Say that nothing more will come, or why; called by the thread."""
        self._error, self._ended = error, True
        self._tell()

    def _tell(self) -> None:
        self._loop.call_soon_threadsafe(self._news.set)

    async def begun(self, enough: int | None) -> None:
        """Wait for so many bytes or the end, None for the end; raises the error that came before."""
        while not self._ended and (enough is None or self._total < enough):
            self._news.clear()
            await self._news.wait()
        if self._error is not None:
            self._close()
            raise self._error

    async def pieces(self) -> AsyncIterator[bytes]:
        """Yield the bytes as they come; raises the error at the place where the answer ends."""
        try:
            while True:
                ended = self._ended  # before looking: what was written before the end is there
                if piece := self._next():
                    yield piece
                elif ended:
                    break
                else:
                    self._news.clear()
                    if self._written == self._sent and not self._ended:
                        await self._news.wait()
            if self._error is not None:
                raise self._error
        finally:
            self._close()

    def _close(self) -> None:
        with self._lock:  # the thread may be writing, and the number of the file soon be that of another
            self._file.close()

    def _next(self) -> bytes:
        with self._lock:
            piece = read_at(self._file.fileno(), min(_PIECE, self._written - self._sent), self._sent)
            self._sent += len(piece)
            if self._sent == self._written and self._sent:
                self._file.truncate(0)
                self._written = self._sent = 0
        return piece
