"""The checksum of model files is zlib's, at every instruction-set level, wherever the bytes are cut."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import zlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.instruction_sets import printed_at_every_level

from lindy import _native

LENGTHS = [*range(200), 255, 256, 257, 1000, 4096, 100_003]


@given(data=st.binary(max_size=300), before=st.integers(0, 2**32 - 1))
def test_it_is_zlibs(data: bytes, before: int) -> None:
    assert _native.crc32(data, before) == zlib.crc32(data, before)


def test_every_length_and_every_place() -> None:
    data = random.Random(5).randbytes(100_100)
    for length in LENGTHS:
        for begin in (0, 1, 7, 64):
            piece = memoryview(data)[begin : begin + length]
            assert _native.crc32(piece) == zlib.crc32(piece)


def test_pieces_are_the_whole() -> None:
    data = np.arange(5000, dtype=np.uint8)
    whole = _native.crc32(data.data)
    for cut in (0, 1, 63, 64, 65, 4999, 5000):
        assert _native.crc32(data[cut:].data, _native.crc32(data[:cut].data)) == whole


def test_what_has_no_bytes_is_refused() -> None:
    with pytest.raises(TypeError):
        _native.crc32("text")
    with pytest.raises((BufferError, ValueError)):
        _native.crc32(np.zeros((4, 4))[:, ::2])


def test_every_level_agrees() -> None:
    script = (
        "import random; from lindy import _native; data = random.Random(5).randbytes(9000);"
        "print([_native.crc32(data[:n], n) for n in (0, 15, 16, 63, 64, 65, 200, 8999)])"
    )
    data = random.Random(5).randbytes(9000)
    expected = [zlib.crc32(data[:n], n) for n in (0, 15, 16, 63, 64, 65, 200, 8999)]
    assert printed_at_every_level(script) == {f"{expected}\n"}


def test_model_files_take_zlibs_where_the_instructions_are_missing() -> None:
    script = (
        "import zlib; from lindy import _native; from lindy.modelfile import files;"
        "print((files._crc32 is zlib.crc32) != _native.crc32_folds())"
    )
    assert printed_at_every_level(script) == {"True\n"}
    baseline = os.environ | {"LINDY_ISA": "baseline"}
    code = "from lindy import _native; print(_native.crc32_folds())"
    done = subprocess.run(
        [sys.executable, "-c", code], env=baseline, capture_output=True, text=True, check=True
    )
    assert done.stdout == "False\n"
