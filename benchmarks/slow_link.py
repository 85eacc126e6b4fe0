"""A link that is slower than loopback: a proxy that delays what passes and limits its rate."""

from __future__ import annotations

import asyncio
import threading
import time
from types import TracebackType

PIECE = 1 << 16


class SlowLink:
    """Forwards connections on loopback to a port, each direction with a delay (s) and a bandwidth (bytes/s)."""

    def __init__(self, port: int, delay: float = 0.0, bandwidth: float = float("inf")) -> None:
        self.target, self.delay, self.bandwidth = port, delay, bandwidth
        self.port, self.passed = 0, 0
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> SlowLink:
        self._thread.start()
        self._ready.wait()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        server = self._loop.run_until_complete(asyncio.start_server(self._accept, "127.0.0.1", 0))
        self.port = server.sockets[0].getsockname()[1]
        self._ready.set()
        self._loop.run_forever()

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        other_reader, other_writer = await asyncio.open_connection("127.0.0.1", self.target)
        await asyncio.gather(self._forward(reader, other_writer), self._forward(other_reader, writer))

    async def _forward(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Pass bytes on when they would have arrived: one after the other at the rate, then the delay."""
        queue: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue()

        async def deliver() -> None:
            while (item := await queue.get())[1]:
                await asyncio.sleep(max(item[0] - time.perf_counter(), 0.0))
                writer.write(item[1])
                await writer.drain()
            writer.close()

        delivering = asyncio.create_task(deliver())
        free = time.perf_counter()
        while data := await reader.read(PIECE):
            self.passed += len(data)
            free = max(free, time.perf_counter()) + len(data) / self.bandwidth
            await queue.put((free + self.delay, data))
        await queue.put((0.0, b""))
        await delivering
