"""One text per line."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lindy.data import read_table
from lindy.errors import DataError

LINE = st.text(st.characters(codec="utf-8", exclude_characters="\n\r\0"), max_size=20)


@given(st.lists(LINE, min_size=1, max_size=10), st.sampled_from(["\n", "\r\n"]), st.booleans())
def test_every_line_is_a_row(
    tmp_path_factory: pytest.TempPathFactory, lines: list[str], end: str, last: bool
) -> None:
    path = tmp_path_factory.mktemp("lines") / "texts.txt"
    text = end.join(lines) + (end if last or lines[-1] == "" else "")
    path.write_bytes(text.encode())
    table = read_table(path)
    expected = list(lines)
    expected[0] = expected[0].removeprefix("\ufeff")
    assert table.column("text").to_pylist() == expected
    assert table.line(len(lines) - 1) == len(lines)


def test_bad_bytes_are_refused_with_their_line(tmp_path: Path) -> None:
    path = tmp_path / "bad.txt"
    path.write_bytes(b"fine\n\xff\n")
    with pytest.raises(DataError, match=r"line 2.*UTF-8"):
        read_table(path)


def test_an_empty_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "empty.txt"
    path.touch()
    with pytest.raises(DataError, match="empty"):
        read_table(path)
