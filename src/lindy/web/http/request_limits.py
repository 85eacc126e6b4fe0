"""Limits of one client's requests to the service: sizes, counts and times."""

from __future__ import annotations

from dataclasses import dataclass

TEXTS = 10_000
"""Texts or records of one request; the OpenAPI document says so too. A table has no such limit."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of a service.

    Attributes
    ----------
    body : int
        Bytes of a request that is read as a whole: room for a text of 10 MB.
    table : int
        Bytes of a table, which is read and answered piece by piece.
    whole, unpacked : int
        Bytes of a table that must be read as a whole (a workbook, Parquet, a packed file), as it is sent and unpacked.
    held : int
        Bytes that one worker keeps of all requests that have not been answered: addresses, headers and bodies. Where
        there are more, the largest request that is still being sent is refused (503).
    explained : int
        Characters of a text that is explained: every word of it is in the answer.
    header_bytes, headers : int
        Bytes of the address and the headers of a request, and how many headers it may have.
    header_seconds, body_seconds : float
        How long the headers and the body of a request may take; a table may pause for so long.
    keep_alive : int
        Seconds that a connection stays open without a request.
    connections : int
        Connections of one worker. When one more comes, the one that has waited longest to send a request is closed.
    requests : int
        Requests that one worker answers at the same time; more are told to come back (503).
    tables : int
        Tables of one client that a worker answers at the same time (429).
    shutdown_seconds : int
        How long the last requests may take when the service ends.
    """

    body: int = 16 << 20
    table: int = 4 << 30
    whole: int = 32 << 20
    unpacked: int = 32 << 20
    held: int = 128 << 20
    explained: int = 100_000
    header_bytes: int = 32 << 10
    headers: int = 100
    header_seconds: float = 10.0
    body_seconds: float = 30.0
    keep_alive: int = 60
    connections: int = 4096
    requests: int = 512
    tables: int = 4
    shutdown_seconds: int = 30
