"""A folder per class: what becomes a text, what cannot be read or written, and what is left behind."""

from __future__ import annotations

import os
import resource
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from lindy.data import read_table
from lindy.data.columns.table import Table
from lindy.data.write.convert import write_table
from lindy.errors import DataError, LindyError, OutputError


def table_of(*pairs: tuple[str, str]) -> Table:
    return Table.of("made", {"text": [text for text, _ in pairs], "label": [label for _, label in pairs]})


def files(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): path.read_text() for path in folder.rglob("*") if not path.is_dir()
    }


@contextmanager
def limited(what: int, most: int) -> Iterator[None]:
    """Allow this process no more than that."""
    soft, hard = resource.getrlimit(what)
    resource.setrlimit(what, (most, hard))
    try:
        yield
    finally:
        resource.setrlimit(what, (soft, hard))


def test_files_are_named_by_the_number_of_the_row(tmp_path: Path) -> None:
    write_table(table_of(*((f"text {i}", "ab"[i % 2]) for i in range(10))), tmp_path / "out", "folder")
    assert sorted(files(tmp_path / "out")) == sorted(f"{'ba'[i % 2]}/{i:02}.txt" for i in range(1, 11))
    assert (tmp_path / "out" / "a" / "01.txt").read_text() == "text 0"
    assert [path.name for path in tmp_path.iterdir()] == ["out"], "nothing else is left"


def test_a_written_folder_has_the_rights_of_any_new_one(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        (tmp_path / "any").mkdir()
        write_table(table_of(("x", "a")), tmp_path / "out", "folder")
        assert os.umask(before) == 0o027
    finally:
        os.umask(before)
    for path in ("out", "out/a"):
        assert stat.S_IMODE((tmp_path / path).stat().st_mode) == stat.S_IMODE(
            (tmp_path / "any").stat().st_mode
        )


def test_an_empty_folder_is_filled_and_a_file_stays(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    write_table(table_of(("x", "a")), tmp_path / "empty", "folder")
    assert files(tmp_path / "empty") == {"a/1.txt": "x"}
    (tmp_path / "file").write_text("precious")
    with pytest.raises(OutputError, match="already exists"):
        write_table(table_of(("x", "a")), tmp_path / "file", "folder")
    assert (tmp_path / "file").read_text() == "precious"


def test_texts_without_labels_have_no_folder_to_go_to(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="made: there are no labels to name the folders after") as caught:
        write_table(Table.of("made", {"text": ["x"]}), tmp_path / "out", "folder")
    assert "`label=`" in str(caught.value.hint)
    assert list(tmp_path.iterdir()) == []


EVERYWHERE = {"a": True, "very good": True, "é" * 127 + "x": True, "é" * 128: False}
EVERYWHERE |= dict.fromkeys((".", ".hidden", "a/b", "a\\b", "a\0b"), False)
NOT_ON_WINDOWS = ("a:b", "a?", "a|b", "a.", "a ", "a\x01b", "a\x1fb", "a\nb")


@pytest.mark.parametrize("label", [*EVERYWHERE, *NOT_ON_WINDOWS], ids=ascii)
@pytest.mark.parametrize("posix", [True, False], ids=["POSIX", "Windows"])
def test_labels_that_can_name_a_folder(
    label: str, posix: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lindy.data.formats.folder.IS_POSIX", posix)
    write = lambda: write_table(table_of(("x", label)), tmp_path / "out", "folder")  # noqa: E731
    if EVERYWHERE.get(label, posix):
        write()
        assert files(tmp_path / "out") == {f"{label}/1.txt": "x"}
    else:
        with pytest.raises(DataError, match=r"row 1: the label .* cannot be the name of a folder"):
            write()
        assert list(tmp_path.iterdir()) == []


def test_nothing_is_left_when_a_text_cannot_be_written(tmp_path: Path) -> None:
    table = table_of(("short", "a"), ("long " * 50_000, "b"))
    with (
        limited(resource.RLIMIT_FSIZE, 100_000),
        pytest.raises(OutputError, match=f"cannot write {tmp_path / 'out'}: File too large") as caught,
    ):
        write_table(table, tmp_path / "out", "folder")
    assert caught.value.hint == "Nothing was written."
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def reviews(tmp_path: Path) -> Path:
    for name, text in (("good/1", "caf\xe9"), ("good/2", "fine"), ("bad/1", "\n\n\ndull")):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(text.encode("latin-1"))
    return tmp_path


def test_an_encoding_is_that_of_every_file(reviews: Path) -> None:
    with pytest.raises(DataError, match=r"good/1, line 1: byte 0xe9"):
        read_table(reviews)
    table = read_table(reviews, encoding="latin-1")
    assert table.column("text").to_pylist() == ["\n\n\ndull", "café", "fine"]
    assert read_table(reviews, encoding="auto").remarks == (f"{reviews}/good/1: read as cp1252",)


def test_a_file_is_a_row_and_not_longer_than_one_may_be(reviews: Path) -> None:
    assert read_table(reviews, encoding="latin-1", longest_row=7).num_rows == 3
    with pytest.raises(DataError, match=r"bad/1, line 1: the row is longer than 6 bytes") as caught:
        read_table(reviews, encoding="latin-1", longest_row=6)
    assert "Every file is one text." in str(caught.value.hint)


def test_a_folder_that_cannot_be_listed_is_named(reviews: Path) -> None:
    read_table(reviews, encoding="latin-1")  # what reading imports needs files, too
    with limited(resource.RLIMIT_NOFILE, 0), pytest.raises(LindyError) as caught:
        read_table(reviews, encoding="latin-1")
    assert str(caught.value) == f"{reviews}: cannot be read: Too many open files"
    assert caught.value.hint
