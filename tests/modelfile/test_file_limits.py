"""The documented limits of a model file, at the last allowed and the first forbidden size, written and read."""

from __future__ import annotations

import sys
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lindy.errors import ModelFileError
from lindy.modelfile import layout, read_model, write_model

LARGEST_HEAD = 4_194_304  # 4 MiB


def written_without_checks(path: Path, header: dict[str, Any], arrays: dict[str, Any]) -> None:
    """Write a file whose only fault can be its size."""
    entries = layout.in_file_order(
        layout.Entry(name, layout.DTYPE_NAMES[array.dtype], array.shape) for name, array in arrays.items()
    )
    head = layout.encode_head(layout.header_text(header), entries)
    data = b"".join(arrays[entry.name].tobytes() for entry in entries)
    path.write_bytes(layout.with_crc(head, b"%08x" % zlib.crc32(head + data)) + data)


def header_of(size: int) -> dict[str, Any]:
    """Return a header with which the head takes ``size`` bytes."""
    empty = len(layout.encode_head(layout.header_text({"x": ""}), []).rstrip())
    return {"x": "a" * (size - empty)}


@pytest.mark.parametrize(
    ("header", "arrays"),
    [
        (header_of(LARGEST_HEAD), {}),
        ({}, {f"a{i}": np.zeros(1, np.uint8) for i in range(1000)}),
        ({}, {"a": np.zeros((1,) * 8)}),
        ({}, {"a": np.zeros((0, (1 << 59) - 1))}),
    ],
    ids=["head", "arrays", "dimensions", "items"],
)
def test_the_largest_is_written_and_read(header: Any, arrays: Any, tmp_path: Path) -> None:
    path = tmp_path / "m.lindy"
    write_model(path, header, arrays)
    found = read_model(path)
    assert found.header == header
    assert {name: array.shape for name, array in found.arrays.items()} == {
        name: array.shape for name, array in arrays.items()
    }


@pytest.mark.parametrize(
    ("header", "arrays", "refused", "damaged"),
    [
        (header_of(LARGEST_HEAD + 1), {}, "header takes 4194368 bytes", "its head is longer"),
        (
            {},
            {f"a{i}": np.zeros(1, np.uint8) for i in range(1001)},
            "can hold 1000 arrays; got 1001",
            "more than 1000 arrays",
        ),
        ({}, {"a": np.zeros((1,) * 9)}, "has 9 dimensions; at most 8", "'a' has no valid shape"),
    ],
    ids=["head", "arrays", "dimensions"],
)
def test_one_more_is_neither_written_nor_read(
    header: Any, arrays: Any, refused: str, damaged: str, tmp_path: Path
) -> None:
    path = tmp_path / "m.lindy"
    with pytest.raises(ValueError, match=refused):
        write_model(path, header, arrays)
    assert not path.exists()
    written_without_checks(path, header, arrays)
    with pytest.raises(ModelFileError, match=damaged):
        read_model(path)


def test_an_empty_array_of_too_many_items_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "m.lindy"
    entries = [layout.Entry("a", "F64", (0, 1 << 59))]
    head = layout.encode_head("{}", entries)
    path.write_bytes(layout.with_crc(head, b"%08x" % zlib.crc32(head)))
    with pytest.raises(ModelFileError, match="'a' is too large"):
        read_model(path)


@pytest.mark.parametrize("sign", [1, -1])
def test_numbers_of_the_header_are_those_that_a_float_can_hold(sign: int, tmp_path: Path) -> None:
    path = tmp_path / "model.lindy"
    largest = sign * int(sys.float_info.max)
    write_model(path, {"n": [largest]}, {})
    assert read_model(path).header == {"n": [largest]}
    with pytest.raises(ValueError, match="too large"):
        write_model(path, {"n": [largest + sign]}, {})
    written_without_checks(path, {"n": [largest + sign]}, {})
    with pytest.raises(ModelFileError, match="too large"):
        read_model(path)


@pytest.mark.parametrize(
    "described",
    [
        [],
        None,
        {"dtype": "F32", "shape": [True]},
        {"dtype": "F32", "shape": [-1]},
        {"dtype": "F32", "shape": [2.0]},
    ],
    ids=str,
)
def test_an_array_is_described_by_a_dtype_and_whole_numbers(described: Any) -> None:
    with pytest.raises(layout.LayoutError, match="array 'W'"):
        layout._entry("W", described)
    assert layout._entry("W", {"dtype": "F32", "shape": [0, 3]}).shape == (0, 3)


def test_a_file_of_another_length_than_its_head_says_is_damaged(tmp_path: Path) -> None:
    path = tmp_path / "model"
    write_model(path, {}, {"W": np.ones(3)})
    whole = path.read_bytes()
    for contents in (whole[:-1], whole + b"x"):
        path.write_bytes(contents)
        with pytest.raises(
            ModelFileError, match=f"it has {len(contents)} bytes and should have {len(whole)}"
        ):
            read_model(path)
