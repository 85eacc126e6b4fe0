"""Packs the contents of a page or a module, a header with arrays, as one text, and all of the JavaScript as one file.

    base64(zlib(length of the header, header in JSON, arrays))

An array in the header is ``{"$": [type, where it begins among the arrays, how many entries]}``. Browsers and Node
inflate zlib themselves. Base64 takes a third more, and every editor, mail program and browser leaves it as it is.
"""

from __future__ import annotations

import base64
import json
import re
import struct
import zlib
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lindy.errors import ExportError

Header = dict[str, Any]
_TYPES = ("u1", "u2", "u4", "i4", "f4", "f8")
_ALIGNED = 8  # bytes, as arrays of 64 bits have to be
SOURCES = Path(__file__).with_name("js")
_IMPORT = re.compile(r'^import (\{[^}]*\}) from "\./([a-z]+)\.mjs";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|class|const) (\w+))", re.MULTILINE)


def pack(header: Header) -> str:
    """Return a header with arrays, and bytes that are UTF-8, as base64."""
    arrays: list[bytes] = []
    at = 0

    def placed(kind: str, data: bytes, length: int) -> Header:
        nonlocal at
        begin, padded = at, _padded(data)
        arrays.append(padded)
        at += len(padded)
        return {"$": [kind, begin, length]}

    def described(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: described(own) for name, own in value.items()}
        if isinstance(value, list | tuple):
            return [described(own) for own in value]
        if isinstance(value, bytes):
            return placed("text", value, len(value))
        if not isinstance(value, np.ndarray):
            return value
        little = np.ascontiguousarray(value, value.dtype.newbyteorder("<"))
        if little.dtype.str[1:] not in _TYPES:
            raise TypeError(f"arrays of {value.dtype} are not packed")
        return placed(little.dtype.str[1:], little.tobytes(), little.size)

    start = json.dumps(described(header), separators=(",", ":"), allow_nan=False).encode("ascii")
    whole = _padded(struct.pack("<I", len(start)) + start) + b"".join(arrays)
    return base64.b64encode(zlib.compress(whole, 9)).decode("ascii")


def _padded(data: bytes) -> bytes:
    return data + bytes(-len(data) % _ALIGNED)


def numbers(values: NDArray[Any]) -> Any:
    """Return numbers as a table of the different ones and the number of each in it, where that is smaller.

    So it is for inverse document frequencies, of which there are few, and for weights of eight bits.
    """
    values = np.ascontiguousarray(values).reshape(-1)
    bits = values.view(np.dtype(f"u{values.itemsize}"))  # −0 is not 0
    table, codes = np.unique(bits, return_inverse=True)
    narrow = np.min_scalar_type(max(len(table) - 1, 0))
    if narrow.itemsize > 2:
        return values
    coded = {"table": table.view(values.dtype), "codes": codes.reshape(-1).astype(narrow)}
    return coded if _deflated(*coded.values()) < _deflated(values) else values


def strings(terms: list[str]) -> Header:
    """Return strings as one text and the lengths of each in code units.

    Terms in the order of the alphabet begin like those before them, and only what is different is written. In the order
    in which training texts had them, the text of all of them is nearly that of the training texts, and zlib finds more.
    """
    same = [_common(a, b) for a, b in pairwise(["", *terms])] if terms == sorted(terms) else [0] * len(terms)
    suffixes = [term[n:] for n, term in zip(same, terms, strict=True)]
    try:
        text = "".join(suffixes).encode("utf-8")
    except UnicodeEncodeError:
        raise ExportError(
            "the model's words have halves of characters (lone surrogates), which no file can hold",
            "train it on texts that are valid Unicode",
        ) from None
    shared = [_units(term[:n]) for n, term in zip(same, terms, strict=True)]
    return {
        "text": text,
        "shared": _narrow(shared) if any(shared) else None,
        "own": _narrow([_units(suffix) for suffix in suffixes]),
    }


def _common(a: str, b: str) -> int:
    """Return how many characters two strings begin with alike."""
    for i, (x, y) in enumerate(zip(a, b, strict=False)):
        if x != y:
            return i
    return min(len(a), len(b))


def _units(text: str) -> int:
    """Return how many code units of UTF-16 a string has."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le")) // 2


def _narrow(values: list[int]) -> NDArray[Any]:
    array = np.array(values, np.uint32)
    return array.astype(np.min_scalar_type(int(array.max(initial=0))))


def _deflated(*parts: Any) -> int:
    """Return the size of arrays after compression."""
    return sum(len(zlib.compress(part, 6)) for part in parts)


@cache
def bundled(name: str) -> str:
    """Return a module of ``js/`` with everything that it imports; what it exports itself stays exported.

    What a module exports becomes an object of its name, from which others take what they import:

        const numerics = (() => { …; return { exp, log }; })();
    """
    *needed, _ = _needed(name)
    return "\n".join([*map(_scoped, needed), _linked(name)])


def _needed(name: str, found: tuple[str, ...] = ()) -> tuple[str, ...]:
    """Return the names of the modules that one needs, each after those that it needs itself."""
    if name in found:
        return found
    for _, other in _IMPORT.findall(_source(name)):
        found = _needed(other, found)
    return (*found, name)


def _scoped(name: str) -> str:
    exported = ", ".join(_EXPORT.findall(_source(name)))
    return f"const {name}Module = (() => {{\n{_EXPORT.sub('', _linked(name))}\nreturn {{ {exported} }};\n}})();\n"


def _linked(name: str) -> str:
    return _IMPORT.sub(r"const \1 = \2Module;\n", _source(name))


def _source(name: str) -> str:
    return (SOURCES / f"{name}.mjs").read_text(encoding="utf-8")
