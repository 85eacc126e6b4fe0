"""Forgeries of model files that know their structure: the layout and the checksum are right, the contents are not.

A forgery takes a sound model and changes a few things in it: values of the header (types, ranges, sizes, depth), names
of fields, arrays (dtype, shape, length, order, single numbers), and whole parts, which it takes from another model.
"""

from __future__ import annotations

import copy
import random
import zlib
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from lindy.modelfile import layout

Header = dict[str, Any]
Arrays = dict[str, Any]


class Model(NamedTuple):
    """What a sound model file holds, and examples that the model takes."""

    name: str
    header: Header
    arrays: Arrays
    examples: Any


def _deep(depth: int, dictionary: bool = False) -> Any:
    tree: Any = []
    for _ in range(depth):
        tree = {"kind": tree} if dictionary else [tree]
    return tree


VALUES = [
    *(0, 1, -1, 2, 7, 255, 2**14, 2**28, 2**31, 2**53 + 1, 2**63, -(2**63), 2**64, 10**30, 10**400),
    *(0.0, -0.0, 0.5, -1.5, 1e-300, 5e-324, 1e38, 1e308, -1e308, True, False, None),
    *(
        "",
        "x",
        "nan",
        "1",
        "\0",
        "a" * 5000,
        "(a+)+$",
        "é\u0301",
        "__class__",
        "os.system",
        "count",
        "precomputed",
    ),
    *([], {}, [1, 2, 3], [[1, 2]], {"a": 1}, {"pairs": [[1, 2]]}, {"pairs": 3}, {"pairs": [[[], 1]]}, [None]),
    *(_deep(50), _deep(900), _deep(50, dictionary=True), _deep(300, dictionary=True), [0] * 10_000),
]
NUMBERS = [0, 1, -1, 2, 3, 127, 255, 2**15, 2**31 - 1, 2**31, -(2**31), 2**53, 2**62, 2**63 - 1, -(2**63)]
FLOATS = [0.0, -0.0, 1.0, -1.0, 0.5, 1e-300, 5e-324, 1e-38, 1e30, 1e38, 3e38, -3e38, 1e300, -1e300, 1.7e308]
NOT_FINITE = [np.nan, np.inf, -np.inf]


def contents(header: Header, arrays: Arrays) -> bytes:
    """Return the file of a header and arrays in the one right form, whatever they say."""
    entries = layout.in_file_order(
        layout.Entry(name, layout.DTYPE_NAMES[array.dtype], array.shape) for name, array in arrays.items()
    )
    head = layout.encode_head(layout.header_text(header), entries)
    data = b"".join(np.ascontiguousarray(arrays[entry.name]).tobytes() for entry in entries)
    return layout.with_crc(head, b"%08x" % zlib.crc32(data, zlib.crc32(head))) + data


def places(tree: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield where values stand; of long lists the first three and the last."""
    if path:
        yield path
    if isinstance(tree, dict):
        for key in tree:
            yield from places(tree[key], (*path, key))
    elif isinstance(tree, list):
        for position in sorted({*range(len(tree))[:3], *range(len(tree))[-1:]}):
            yield from places(tree[position], (*path, position))


def _holder(tree: Any, path: tuple[Any, ...]) -> Any:
    for key in path[:-1]:
        tree = tree[key]
    return tree


def _near(value: Any, rng: random.Random) -> Any:
    """Return another value of about the same type."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return rng.choice([value + 1, value - 1, -value, value * 2, value * 10**6, float(value), str(value)])
    if isinstance(value, str):
        return rng.choice([value + "x", value[:-1], value.upper(), value * 300, [value], ""])
    if isinstance(value, list):
        return rng.choice([value[:-1], value + value, value[::-1], value[:1] * len(value), [value], {}])
    if isinstance(value, dict):
        pairs = list(value.items())
        return rng.choice([dict(pairs[:-1]), {**value, "further": 1}, [value], pairs and pairs[0][1]])
    return rng.choice(VALUES)


def _edit_header(header: Header, arrays: Arrays, other: Model, rng: random.Random) -> str:
    path = rng.choice(list(places(header)))
    holder, key = _holder(header, path), path[-1]
    way = rng.randrange(6)
    if way <= 1:
        holder[key] = copy.deepcopy(rng.choice(VALUES))
    elif way == 2:
        holder[key] = _near(holder[key], rng)
    elif way == 3:
        del holder[key]
    elif way == 4 and isinstance(holder, dict):
        fields = sorted({str(place[-1]) for place in places(other.header)})
        holder[rng.choice([key + "_", key.upper(), *fields])] = holder.pop(key)
    else:
        theirs = rng.choice(list(places(other.header)))
        holder[key] = copy.deepcopy(_holder(other.header, theirs)[theirs[-1]])
    return f"header {path} way {way}"


def _edit_number(header: Header, arrays: Arrays, other: Model, rng: random.Random) -> str:
    name = rng.choice([name for name in arrays if arrays[name].size] or [""])
    if not name:
        return _edit_header(header, arrays, other, rng)
    array = np.array(arrays[name])
    flat = array.reshape(-1)
    position = rng.randrange(flat.size)
    if rng.random() < 0.3:  # an entry twice: words, columns, places
        length = rng.randrange(1, flat.size + 1)
        begin = rng.randrange(flat.size - length + 1)
        piece = flat[begin : begin + length].copy()
        flat[position : position + length] = piece[: flat.size - position]
    elif array.dtype.kind == "f":
        with np.errstate(over="ignore"):
            flat[position] = rng.choice(NOT_FINITE if rng.random() < 0.1 else FLOATS)
    else:
        limits = np.iinfo(array.dtype)
        flat[position] = min(max(rng.choice(NUMBERS), int(limits.min)), int(limits.max))
    arrays[name] = array
    return f"number {position} of {name}"


def _edit_array(header: Header, arrays: Arrays, other: Model, rng: random.Random) -> str:
    if not arrays:
        return _edit_header(header, arrays, other, rng)
    name = rng.choice(list(arrays))
    array = arrays[name]
    ways: list[Callable[[], Any]] = [
        lambda: array[:-1],
        lambda: array[:0],
        lambda: np.concatenate([array, array]),
        lambda: np.repeat(array, rng.choice([2, 100]), axis=-1),
        lambda: array[::-1],
        lambda: np.sort(array, axis=None).reshape(array.shape),
        lambda: array.reshape(-1),
        lambda: array.reshape(1, *array.shape)[:, :, None][0] if array.ndim < 7 else array,
        lambda: array.T,
        lambda: array.astype(rng.choice(list(layout.DTYPES.values()))),
        lambda: array.reshape(-1).view(np.uint8),
        lambda: np.full_like(array, rng.choice(FLOATS[:8] if array.dtype.kind == "f" else [0, 1, 100])),
        lambda: np.zeros((0,) * max(array.ndim, 1), array.dtype),
        lambda: np.array(array.reshape(-1)[0]) if array.size else array,
        lambda: rng.choice(list(other.arrays.values()) or [array]),
        lambda: rng.choice(list(arrays.values())),
    ]
    way = rng.randrange(len(ways) + 2)
    if way < len(ways):
        with np.errstate(all="ignore"):
            arrays[name] = ways[way]()
    elif way == len(ways):
        del arrays[name]
    else:
        names = [name + "x", "learner.", "vectorizer.0", name.upper(), *other.arrays]
        arrays[rng.choice(names)] = arrays.pop(name)
    return f"array {name} way {way}"


def _swap_part(header: Header, arrays: Arrays, other: Model, rng: random.Random) -> str:
    part = rng.choice(["vectorizer", "learner", "calibration", "classes", "class_counts", "rule", "arrays"])
    only_arrays = part == "arrays"
    if only_arrays:
        part = rng.choice(["vectorizer", "learner", "calibration"])
    else:
        header.pop(part, None)
        if part in other.header:
            header[part] = copy.deepcopy(other.header[part])
    if rng.random() < 0.8:
        for name in [name for name in arrays if name.startswith(f"{part}.")]:
            del arrays[name]
        arrays |= {name: array for name, array in other.arrays.items() if name.startswith(f"{part}.")}
    return f"{'arrays: ' * only_arrays}{part} of {other.name}"


EDITS = (_edit_header, _edit_header, _edit_number, _edit_array, _swap_part)


def forge(pool: list[Model], rng: random.Random) -> tuple[str, bytes, Any, Any]:
    """Return what was done, the contents of a file, the classes that it names, and examples for the model."""
    model, other = rng.choice(pool), rng.choice(pool)
    while True:
        header, arrays = copy.deepcopy(model.header), dict(model.arrays)
        edits = [rng.choice(EDITS) for _ in range(rng.choice((1, 1, 1, 2, 3)))]
        try:
            done = [edit(header, arrays, other, rng) for edit in edits]
            made = contents(header, arrays)
        except (IndexError, KeyError, TypeError, ValueError, RecursionError):
            continue  # an edit undid what the next one needs, or the format has no room for it
        examples = (
            other.examples if any(what.startswith("vectorizer of") for what in done) else model.examples
        )
        return f"{model.name}: {'; '.join(done)}", made, header.get("classes"), examples
