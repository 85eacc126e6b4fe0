"""Model files with a checksum that agrees and contents that should not: what an attacker can write."""

from __future__ import annotations

import json
import struct
import zlib
from typing import Any

DIGITS = 8 + len('{"__metadata__":{"format":"lindy","version":"2","crc32":"')


def tree(header: Any = "{}", **arrays: Any) -> dict[str, Any]:
    """Return the head of a file that holds ``header`` and these array descriptions."""
    return {
        "__metadata__": {"format": "lindy", "version": "2", "crc32": "00000000", "header": header},
        **arrays,
    }


def array(dtype: Any, shape: Any, begin: Any, end: Any) -> dict[str, Any]:
    return {"dtype": dtype, "shape": shape, "data_offsets": [begin, end]}


def forged(head: dict[str, Any] | str | bytes, data: bytes = b"", length: int | None = None) -> bytes:
    """Return a file with this head, padded, and a checksum that agrees."""
    if isinstance(head, dict):
        head = json.dumps(head, ensure_ascii=False, separators=(",", ":"))
    raw = head.encode() if isinstance(head, str) else head
    raw += b" " * (-(8 + len(raw)) % 64)
    return signed(struct.pack("<Q", len(raw) if length is None else length) + raw + data)


def signed(contents: bytes) -> bytes:
    """Return the contents with the right digits in the place of the checksum."""
    blank = contents[:DIGITS] + b"00000000" + contents[DIGITS + 8 :]
    return blank[:DIGITS] + b"%08x" % zlib.crc32(blank) + blank[DIGITS + 8 :]
