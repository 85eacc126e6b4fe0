"""Every truncation and every flipped bit of a small model is noticed."""

from __future__ import annotations

import numpy as np
import pytest

from lindy.errors import ModelFileError
from lindy.modelfile import read_model, write_model


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    path = tmp_path_factory.mktemp("damaged") / "model"
    header = {"classes": ["ja", "nein"], "alpha": 0.1, "non_finite": ["b"]}
    arrays = {
        "W": np.array([[0.1, -2], [3, 1e-40]], np.float32),
        "b": np.array([-np.inf, 0.5]),
        "offsets": np.array([0, 4, 7]),
        "words": np.frombuffer(b"goodbad", np.uint8),
    }
    write_model(path, header, arrays)
    return path


def refused(path, contents: bytes) -> bool:
    """Whether reading these bytes raises ModelFileError with a hint; any other exception is the test's failure."""
    path.unlink(missing_ok=True)  # truncating it instead would make the file system write it out, every time
    path.write_bytes(contents)
    try:
        read_model(path)
    except ModelFileError as error:
        return bool(error.hint)
    return False


def test_the_model_itself_is_sound(model):
    assert set(read_model(model).arrays) == {"W", "b", "offsets", "words"}


def test_every_truncation_is_refused(model, tmp_path):
    whole = model.read_bytes()
    assert all(refused(tmp_path / "cut", whole[:length]) for length in range(len(whole)))


def test_every_flipped_bit_is_refused(model, tmp_path):
    whole = model.read_bytes()
    accepted = []
    for position in range(len(whole)):
        for bit in range(8):
            flipped = bytearray(whole)
            flipped[position] ^= 1 << bit
            if not refused(tmp_path / "flipped", bytes(flipped)):
                accepted.append((position, bit))
    assert accepted == []


def test_every_byte_removed_or_doubled_is_refused(model, tmp_path):
    whole = model.read_bytes()
    for position in range(len(whole)):
        assert refused(tmp_path / "shorter", whole[:position] + whole[position + 1 :])
        assert refused(
            tmp_path / "longer", whole[:position] + whole[position : position + 1] + whole[position:]
        )


@pytest.mark.parametrize("extra", [b"\0", b"\n", b" " * 64, b"\0" * 4096])
def test_trailing_and_leading_bytes_are_refused(model, tmp_path, extra):
    assert refused(tmp_path / "longer", model.read_bytes() + extra)
    assert refused(tmp_path / "shifted", extra + model.read_bytes())
    assert refused(tmp_path / "twice", model.read_bytes() * 2)


def test_zeroed_blocks_are_refused(model, tmp_path):
    whole = model.read_bytes()
    for start in range(0, len(whole), 16):
        block = whole[start : start + 16]
        if any(block):
            assert refused(tmp_path / "zeroed", whole[:start] + bytes(len(block)) + whole[start + 16 :])
