"""The uncompressed bytes of gzip data: of its members one after the other, without zeros behind them.

Zeros are what tapes and block devices leave behind a file; gzip itself passes over them, Arrow does not. No more is
unpacked than was asked for, so that the beginning of data that is truncated, or still to come, can be read.
"""

from __future__ import annotations

import zlib
from typing import Any

_CHUNK = 1 << 16  # bytes that are unpacked at a time
_WITH_HEADER = 31  # window bits: gzip's header and check sum, with the largest window


class Gunzip:
    """A file of the unpacked bytes of ``raw``, which has ``read``; raises EOFError and ``zlib.error``."""

    def __init__(self, raw: Any) -> None:
        self._raw = raw
        self._packed = b""
        self._member: Any = None  # which is being unpacked
        self._is_first = True

    def read(self, size: int = -1) -> bytes:
        """Return the next ``size`` bytes, all if −1; fewer, or none, at the end."""
        pieces, left = [], size
        while left and (piece := self._next(left)):
            pieces.append(piece)
            left -= len(piece) if size >= 0 else 0
        return b"".join(pieces)

    def _next(self, most: int) -> bytes:
        """Return some bytes, at most so many unless that is −1; none at the end."""
        while True:
            if self._member is None and not self._begin():
                return b""
            piece: bytes = self._member.decompress(self._packed, max(most, 0))
            self._packed = self._member.unconsumed_tail
            if self._member.eof:
                self._packed, self._member = self._member.unused_data, None
            if piece:
                return piece
            if self._member is not None and not self._packed and not self._more():
                raise EOFError("Truncated: the last member has no end")

    def _begin(self) -> bool:
        """Begin with the next member; False at the end, behind any zeros."""
        while not (self._packed if self._is_first else self._packed.strip(b"\0")):
            if not self._more():
                return False
        self._packed = self._packed if self._is_first else self._packed.lstrip(b"\0")
        self._member, self._is_first = zlib.decompressobj(_WITH_HEADER), False
        return True

    def _more(self) -> bool:
        self._packed = self._raw.read(_CHUNK)
        return bool(self._packed)

    def close(self) -> None:
        """Close the file of the packed bytes."""
        self._raw.close()
