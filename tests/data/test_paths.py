"""What a path leads to: files, pipes, devices, folders, nothing."""

from __future__ import annotations

import io
import os
from pathlib import Path

import pytest

from lindy.data.chunks.paths import check_end, is_regular
from lindy.errors import DataError


@pytest.mark.parametrize("device", ["/dev/zero", "/dev/full", "/dev/urandom"])
def test_a_device_without_an_end_is_refused(device: str) -> None:
    with open(device, "rb") as file, pytest.raises(DataError, match=r"^given: is a device") as caught:
        check_end(file, "given")
    assert "write what you want of it to a file" in str(caught.value.hint)


def test_what_has_an_end_is_taken(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("text\n")
    master, terminal = os.openpty()
    reading, writing = os.pipe()
    try:
        for number in (terminal, reading):
            with os.fdopen(number, "rb", buffering=0) as file:
                check_end(file, "given")
    finally:
        os.close(master)
        os.close(writing)
    with open(os.devnull, "rb") as nothing, open(tmp_path / "a.csv", "rb") as table:
        check_end(nothing, "given")
        check_end(table, "given")
    check_end(io.BytesIO(b"in memory"), "given")


def test_only_files_are_regular(tmp_path: Path) -> None:
    (tmp_path / "a.csv").touch()
    os.mkfifo(tmp_path / "pipe")
    assert is_regular(str(tmp_path / "a.csv"))
    assert not is_regular(str(tmp_path / "pipe"))


def error_of(path: Path | str) -> tuple[str, str]:
    with pytest.raises(DataError) as caught:
        is_regular(str(path))
    return str(caught.value), str(caught.value.hint)


def test_three_near_names_are_suggested(tmp_path: Path) -> None:
    for name in ("tickets1.csv", "tickets2.csv", "tickets3.csv", "tickets4.csv", "other"):
        (tmp_path / name).touch()
    message, hint = error_of(tmp_path / "tickets.csv")
    assert message == f"{tmp_path / 'tickets.csv'}: no such file"
    assert len({word.rstrip("?") for word in hint.split() if "tickets" in word}) == 3
    assert hint.startswith(f"Did you mean {tmp_path}/tickets")
    assert hint.count(" or ") == 2


def test_nothing_near(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "other").touch()
    assert error_of(tmp_path / "tickets.csv")[1] == f"The folder is {tmp_path}."
    monkeypatch.chdir(tmp_path)
    assert error_of("tickets.csv")[1] == f"The folder is {tmp_path}."


@pytest.mark.parametrize("pattern", ["*.csv", "tickets-?.csv", "tickets-[12].csv"])
def test_a_pattern_that_nothing_fits(pattern: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "tickets-3.csv").touch()
    for path in (str(tmp_path / pattern), pattern):
        monkeypatch.chdir(tmp_path)
        said = f"{path}: no such file, and none that fits it as a pattern"
        assert error_of(path) == (said, f"The folder is {tmp_path}.")


def test_a_folder_names_a_file_in_it(tmp_path: Path) -> None:
    (tmp_path / "a folder").mkdir()
    (tmp_path / "b.csv").touch()
    (tmp_path / "c.csv").touch()
    said = f"{tmp_path}: is a folder, expected a file"
    assert error_of(tmp_path) == (said, f"Name a file in it, such as {tmp_path / 'b.csv'}.")
    assert error_of(tmp_path / "a folder")[1] == "Name a file."


def test_what_the_system_refuses_is_said_in_its_words(tmp_path: Path) -> None:
    (tmp_path / "a.csv").touch()
    below = tmp_path / "a.csv" / "b.csv"
    assert error_of(below)[0] == f"{below}: cannot be read: Not a directory"
    assert error_of("a\0b") == (
        "a\0b: cannot be read: embedded null byte",
        "Check the path and the permissions of the file.",
    )
