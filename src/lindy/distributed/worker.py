"""A worker of the engine ``processes``: does what it is told through its standard input, until that ends.

Messages are pickled, with their length before them: (number of the task, partition, move, arguments, whether to hold the
result). An answer is (whether it was done, result or exception).
"""

from __future__ import annotations

import pickle
import struct
import sys
from typing import Any, BinaryIO

from lindy.distributed.engine import merged, perform

LENGTH = struct.Struct("<Q")


def send(stream: BinaryIO, message: bytes) -> None:
    """Write a message."""
    stream.write(LENGTH.pack(len(message)))
    stream.write(message)
    stream.flush()


def receive(stream: BinaryIO) -> bytes | None:
    """Read a message; None if there are no more."""
    head = stream.read(LENGTH.size)
    if len(head) < LENGTH.size:
        return None
    body = stream.read(LENGTH.unpack(head)[0])
    return body if len(body) == LENGTH.unpack(head)[0] else None


def main() -> None:
    """Work."""
    read, write = sys.stdin.buffer, sys.stdout.buffer
    sys.stdout = sys.stderr  # whatever prints must not stand between messages
    held: dict[int, Any] = {}
    while (message := receive(read)) is not None:
        version, how, move, arguments, partitions = pickle.loads(message)
        try:
            answer: Any = None
            if how == "begin":
                for number, own in partitions:
                    held[number] = perform(version, move, own, arguments)
            elif how == "derive":
                for number, _ in partitions:
                    held[number] = perform(version, move, held[number], arguments)
            else:
                done = [
                    perform(version, move, held[number], (*arguments, *own)) for number, own in partitions
                ]
                answer = merged(done) if how == "total" else done
            reply = (True, answer)
        except Exception as error:  # goes to who asked, as it is
            reply = (False, error)
        send(write, pickle.dumps(reply, protocol=5))


if __name__ == "__main__":
    main()
