"""Gzip data is unpacked as by Python's module, however it is read; its beginning also where the rest is not sound."""

from __future__ import annotations

import gzip
import io
import random
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lindy.data.chunks.gunzip import Gunzip


@given(
    st.lists(st.binary(max_size=300), min_size=1, max_size=4),
    st.integers(0, 700),
    st.integers(1, 200),
    st.booleans(),
)
def test_members_and_padding(members: list[bytes], zeros: int, size: int, between: bool) -> None:
    gap = b"\0" * zeros
    packed = (gap if between else b"").join(gzip.compress(own) for own in members) + gap
    whole = b"".join(members)
    assert gzip.decompress(packed) == whole
    assert Gunzip(io.BytesIO(packed)).read() == whole
    stream, found = Gunzip(io.BytesIO(packed)), []
    while piece := stream.read(size):
        found.append(piece)
    assert b"".join(found) == whole
    assert all(len(piece) == size for piece in found[:-1])


def test_the_beginning_of_what_is_truncated_or_damaged_can_be_read() -> None:
    data = random.Random(0).randbytes(300_000)
    packed = gzip.compress(data)
    cut = Gunzip(io.BytesIO(packed[:200_000]))
    assert cut.read(150_000) == data[:150_000]
    with pytest.raises(EOFError, match="Truncated"):
        cut.read()
    damaged = Gunzip(io.BytesIO(packed[:-8] + b"\1" * 8))
    assert damaged.read(200_000) == data[:200_000]
    with pytest.raises(zlib.error):
        damaged.read()
    behind = Gunzip(io.BytesIO(packed + b"rubbish"))
    assert behind.read(len(data)) == data
    with pytest.raises(zlib.error):
        behind.read(1)
