"""Numbers that are kept on disk: as an array would keep them, in one file however many objects there are."""

from __future__ import annotations

import os

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lindy.data.chunks import disk_array
from lindy.data.chunks.disk_array import PIECE, DiskArray
from lindy.errors import OutputError


@pytest.fixture(params=[0, 3])
def few_in_memory(request, monkeypatch):
    """Let so many pieces be in memory, those of the process be new."""
    monkeypatch.setattr(disk_array, "IN_MEMORY", request.param)
    monkeypatch.setattr(disk_array._Pieces, "shared", disk_array._Pieces())


@settings(deadline=None, max_examples=25)
@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 3 * PIECE)), max_size=8), st.integers(1, PIECE))
def test_it_holds_what_an_array_would(parts, size):
    kinds = (np.dtype(np.uint8), np.dtype(np.float64), np.dtype([("score", np.float64), ("hit", np.uint8)]))
    kept = [DiskArray(kind) for kind in kinds]
    expected: list[list[np.ndarray]] = [[np.empty(0, kind)] for kind in kinds]
    draw = np.random.default_rng(size)
    for which, n_bytes in parts:
        kind = kinds[which]
        n = n_bytes // kind.itemsize
        values = np.frombuffer(draw.integers(100, size=n * kind.itemsize, dtype=np.uint8).tobytes(), kind)
        kept[which].add(values)
        expected[which].append(values)
    for own, arrays in zip(kept, expected, strict=True):
        whole = np.concatenate(arrays)
        assert len(own) == len(whole)
        assert own.read(0, len(whole)).tobytes() == whole.tobytes()
        begin, end = len(whole) // 3, len(whole) // 2
        assert own.read(begin, end).tobytes() == whole[begin:end].tobytes()
        assert b"".join(block.tobytes() for block in own.blocks(size)) == whole.tobytes()


@pytest.mark.usefixtures("few_in_memory")
def test_places_are_written_in_any_order_and_pieces_used_again():
    values = np.arange(5 * PIECE // 8, dtype=np.int64)
    for _ in range(3):
        own = DiskArray(np.int64)
        for begin in (len(values) // 2, 0):
            end = len(values) if begin else len(values) // 2
            own.write(values[begin:end], begin)
        np.testing.assert_array_equal(own.read(0, len(values)), values)
        del own
    assert next(disk_array._Pieces.shared._next) <= 6  # five, or six where the last one was still held


@pytest.mark.usefixtures("few_in_memory")
@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="the system does not list open files")
def test_a_thousand_objects_need_one_file():
    before = len(os.listdir("/proc/self/fd"))
    kept = [DiskArray(np.int32) for _ in range(1100)]
    for number, own in enumerate(kept):
        own.add(np.full(100, number))
    assert len(os.listdir("/proc/self/fd")) <= before + 1
    assert [int(own.read(99, 100)[0]) for own in kept] == list(range(1100))


@pytest.mark.usefixtures("few_in_memory")
def test_a_folder_that_cannot_be_written_is_said(monkeypatch, tmp_path):
    monkeypatch.setattr(disk_array.tempfile, "tempdir", str(tmp_path / "nowhere"))
    own = DiskArray(np.float64)
    with pytest.raises(OutputError, match="a temporary file cannot be written"):
        own.add(np.zeros(5 * PIECE))


@pytest.mark.usefixtures("few_in_memory")
@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded")
def test_a_child_process_does_not_write_into_the_file_of_its_parent():
    mine = DiskArray(np.int64)
    mine.add(np.arange(PIECE))
    child = os.fork()
    if child == 0:
        own = DiskArray(np.int64)
        own.add(np.full(2 * PIECE, -1))
        os._exit(0 if (own.read(0, 2 * PIECE) == -1).all() else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    np.testing.assert_array_equal(mine.read(0, PIECE), np.arange(PIECE))
