"""Streams that Arrow reads are released before anything else goes on."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from lindy.data.chunks.source import Source, Stream
from lindy.data.formats.arrow_stream import lend


@pytest.fixture
def stream(tmp_path: Path) -> Stream:
    (tmp_path / "a.txt").write_text("fine")
    return Stream(Source(tmp_path / "a.txt"))


def test_what_the_reader_makes_of_the_bytes(stream: Stream) -> None:
    assert lend(stream, lambda file: file.read(100)) == b"fine"


def test_a_thread_that_holds_the_stream_is_waited_for(stream: Stream) -> None:
    released = threading.Event()

    def hold(kept: list[Any]) -> None:
        time.sleep(0.05)  # any time in which the reader returns
        released.set()
        kept.clear()

    def reader(file: Any) -> str:
        threading.Thread(target=hold, args=[[file]]).start()
        return "read"

    assert lend(stream, reader, longest_wait=600) == "read"
    assert released.is_set()


def test_a_stream_that_is_never_released_is_not_waited_for_without_end(stream: Stream) -> None:
    kept = []
    assert lend(stream, kept.append, longest_wait=0.01) is None
    assert len(kept) == 1


def test_an_error_of_the_reader_is_raised(stream: Stream) -> None:
    wrong = pa.ArrowInvalid("no table")

    def reader(_file: Any) -> None:
        raise wrong

    with pytest.raises(pa.ArrowInvalid) as caught:
        lend(stream, reader)
    assert caught.value is wrong
