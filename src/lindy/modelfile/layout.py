"""The layout of a model file: a safetensors file of which there is exactly one form for every contents.

::

    8 bytes      little-endian length of the head that follows
    head         {"__metadata__":{"format":"lindy","version":"2","crc32":"0a1b2c3d","header":"…"},
                  "W":{"dtype":"F32","shape":[3,2],"data_offsets":[0,24]}, …}
                 as JSON without white space, padded with spaces so that the arrays start at a multiple of 64
    arrays       little-endian, row-major, without gaps, to the end of the file

Arrays with larger items come first, then by name, so that each is aligned to its items. ``header`` is itself JSON,
with sorted keys. The CRC-32 is that of the whole file with the eight digits written as zeros.

Version 1 has the same layout; in version 2 a vectorizer's terms may be a tree of words, which a reader of version 1
would not know.
"""

from __future__ import annotations

import json
import math
import struct
import sys
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

VERSION = 3
PLAIN = 2  # without packed arrays
MAGIC = b'{"__metadata__":{"format":"lindy","version":"'
CRC_AT = 8 + len(MAGIC) + len(f'{VERSION}","crc32":"')
NO_CRC = b"00000000"

# Bounds the time and memory that a hostile head can cost before it is refused.
MAX_HEAD = 4 << 20
MAX_ARRAYS = 1000
MAX_DIMENSIONS = 8
ALIGNMENT = 64

DTYPES: dict[str, np.dtype[Any]] = {
    "F64": np.dtype("<f8"),
    "I64": np.dtype("<i8"),
    "U64": np.dtype("<u8"),
    "F32": np.dtype("<f4"),
    "I32": np.dtype("<i4"),
    "U32": np.dtype("<u4"),
    "U8": np.dtype("u1"),
}
DTYPE_NAMES = {dtype: name for name, dtype in DTYPES.items()}


class LayoutError(ValueError):
    """A head that does not have the one allowed form."""


class Entry(NamedTuple):
    """One array: its name, the name of its dtype and its shape."""

    name: str
    dtype: str
    shape: tuple[int, ...]

    @property
    def nbytes(self) -> int:
        """Bytes of the array."""
        return math.prod(self.shape) * DTYPES[self.dtype].itemsize


def in_file_order(entries: Iterable[Entry]) -> list[Entry]:
    """Return the arrays as they follow each other in the file."""
    return sorted(entries, key=lambda entry: (-DTYPES[entry.dtype].itemsize, entry.name))


def header_text(header: dict[str, Any]) -> str:
    """Return the one JSON text of ``header``."""
    return _dumps(header, sort_keys=True)


def encode_head(header: str, entries: list[Entry], version: int = PLAIN) -> bytes:
    """Return the length, the head (its CRC zeros) and its padding; ``entries`` are in file order."""
    tree: dict[str, Any] = {
        "__metadata__": {
            "format": "lindy",
            "version": str(version),
            "crc32": NO_CRC.decode(),
            "header": header,
        }
    }
    offset = 0
    for name, dtype, shape in entries:
        end = offset + Entry(name, dtype, shape).nbytes
        tree[name] = {"dtype": dtype, "shape": list(shape), "data_offsets": [offset, end]}
        offset = end
    text = _dumps(tree).encode("utf-8")
    text += b" " * (-(8 + len(text)) % ALIGNMENT)
    return struct.pack("<Q", len(text)) + text


def decode_head(raw: bytes, version: int) -> tuple[dict[str, Any], list[Entry]]:
    """Return the header and the arrays of a head of this version, given with its length.

    After the types are checked, whatever else could be wrong (offsets, order, duplicates, white space, spelling of
    numbers) shows in one comparison: the parsed contents, encoded again, must give the same bytes.

    Raises
    ------
    LayoutError
        For everything that ``encode_head`` does not write.
    """
    try:
        tree = json.loads(raw[8:].decode("utf-8"))
        text, entries = _checked(tree)
        header = parsed_header(text)
        _require(isinstance(header, dict), "its header is not a JSON object")
        _require(max(version, PLAIN) == version_of(header), "its version is not that of its arrays")
        canonical = encode_head(header_text(header), in_file_order(entries), version)
    except LayoutError:
        raise
    except (ValueError, RecursionError) as error:
        raise LayoutError(f"its head is not the expected JSON ({error})") from None
    _require(canonical == with_crc(raw, NO_CRC), "its head is not in the canonical form")
    return header, entries


def version_of(header: dict[str, Any]) -> int:
    """Return the version that a file with this header is written in: the latest only for packed arrays."""
    return VERSION if "packed" in header else PLAIN


def with_crc(head: bytes, crc: bytes) -> bytes:
    """Return the head with these eight digits."""
    return head[:CRC_AT] + crc + head[CRC_AT + len(crc) :]


def parsed_header(text: str) -> Any:
    """Return what the header's JSON says; LayoutError for whole numbers that no float can hold, as options become."""
    return json.loads(text, parse_int=_whole_number)


def _whole_number(digits: str) -> int:
    number = int(digits)
    _require(abs(number) <= sys.float_info.max, "its header has a number that is too large")
    return number


def _checked(tree: dict[str, Any]) -> tuple[str, list[Entry]]:
    metadata = tree.pop("__metadata__", None)
    _require(isinstance(metadata, dict), "its head has no metadata")
    header = metadata.get("header")
    _require(isinstance(header, str), "its metadata has no header")
    _require(len(tree) <= MAX_ARRAYS, f"it has more than {MAX_ARRAYS} arrays")
    return header, [_entry(name, value) for name, value in tree.items()]


def _entry(name: str, value: Any) -> Entry:
    _require(isinstance(value, dict), f"array {name!r} is not described")
    dtype, shape = value.get("dtype"), value.get("shape")
    _require(isinstance(dtype, str) and dtype in DTYPES, f"array {name!r} has an unknown dtype")
    _require(
        isinstance(shape, list)
        and len(shape) <= MAX_DIMENSIONS
        and all(type(n) is int and n >= 0 for n in shape),
        f"array {name!r} has no valid shape",
    )
    # NumPy multiplies the dimensions even when one of them is zero
    _require(math.prod(max(n, 1) for n in shape) < 1 << 59, f"array {name!r} is too large")
    return Entry(name, dtype, tuple(shape))


def _dumps(value: Any, sort_keys: bool = False) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"), sort_keys=sort_keys)


def _require(holds: bool, message: str) -> None:
    if not holds:
        raise LayoutError(message)
