"""A worker of the engine ``processes``: does what it is told through its standard input, until that ends.

Messages are pickled, with their length before them: the version of lindy, what to do ("begin" with sources, "derive",
"run", or "total"), the move, its arguments, and the numbers of the partitions with what only they get.
"""

from __future__ import annotations

import pickle
import signal
import struct
import sys
from typing import IO, Any

from lindy.distributed.engine import attempt, merged

LENGTH = struct.Struct("<Q")


def send(stream: IO[bytes], message: bytes) -> None:
    """Write a message."""
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
    held: dict[int, Any] = {}
    while (message := receive(read)) is not None:
        version, how, move, arguments, partitions = pickle.loads(message)
        answer: Any = None
        if how == "begin":
            for number, own in partitions:
                held[number] = attempt(version, move, own, arguments)
        elif how == "derive":
            for number, _ in partitions:
                held[number] = attempt(version, move, held[number], arguments)
        else:
            done = [attempt(version, move, held[number], (*arguments, *own)) for number, own in partitions]
            answer = merged(done) if how == "total" else done
        send(write, pickle.dumps(answer, protocol=5))


if __name__ == "__main__":
    main()
