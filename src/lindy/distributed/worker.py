"""A process of the engine ``processes``: a `PartitionWorker` that is asked through its standard input, until that ends.

Messages have their length before them. The first has the sources of the partitions, pickled; then two are a question.
"""

from __future__ import annotations

import pickle
import signal
import struct
import sys
from typing import IO

from lindy.distributed.partition_workers import PartitionWorker

LENGTH = struct.Struct("<Q")


def send(stream: IO[bytes], *messages: bytes) -> None:
    """Write messages."""
    for message in messages:
        stream.write(LENGTH.pack(len(message)))
        stream.write(message)
    stream.flush()


def receive(stream: IO[bytes]) -> bytes | None:
    """Read a message; None if there are no more."""
    head = stream.read(LENGTH.size)
    if len(head) < LENGTH.size:
        return None
    body = stream.read(LENGTH.unpack(head)[0])
    return body if len(body) == LENGTH.unpack(head)[0] else None


def main() -> None:
    """Work."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for who started it, and ends its workers
    read, write = sys.stdin.buffer, sys.stdout.buffer
    sys.stdout = sys.stderr  # whatever prints must not stand between messages
    sources = receive(read)
    if sources is None:
        return
    worker = PartitionWorker(pickle.loads(sources))
    while (message := receive(read)) is not None and (own := receive(read)) is not None:
        send(write, worker.answer(message, own))


if __name__ == "__main__":
    main()
