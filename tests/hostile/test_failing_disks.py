"""Whatever the disk refuses, the old file stays, nothing is left over, and one line says which file and why.

`make torture` lets every call of every command fail, for every reason.
"""

from __future__ import annotations

import argparse
import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.hostile.disks import OUTPUTS, SLOW, Faults, prepared, problems

from lindy.cli.app import COMMANDS, parser
from lindy.errors import OutputError
from lindy.files.atomic import atomic_write


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("disk")
    prepared(folder)
    return folder


@pytest.mark.parametrize("name", [name for name in OUTPUTS if name not in SLOW])
def test_failures_leave_the_old_file(name: str, folder: Path) -> None:
    runs, wrong = problems(name, folder, every=16)
    assert wrong == []
    assert runs > 1


def test_every_output_of_the_command_line_is_here() -> None:
    commands = next(
        action.choices for action in parser()._actions if isinstance(action, argparse._SubParsersAction)
    )
    written = {
        "--output",
        "--report",
        "--mistakes",
        "--html",
        "--journal",
        "--folder",
        "--js",
        "--plot",
        "--weights",
    }
    found = {
        f"{name} {option}"
        for name, command in commands.items()
        for action in command._actions
        for option in written & set(action.option_strings)
    }
    assert {" ".join(name.split()[:2]) for name in OUTPUTS if name.split()[1].startswith("--")} == found
    # serve writes corrections only, see tests/web/test_service_feedback.py, and drift nothing
    assert {name.split()[0] for name in OUTPUTS} == set(COMMANDS) - {"serve", "drift"}


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EIO, errno.EDQUOT, errno.EROFS, errno.EACCES])
@pytest.mark.parametrize("text", [False, True])
def test_every_call_of_a_write_may_fail(tmp_path: Path, number: int, text: bool) -> None:
    path = tmp_path / "out"
    new = "new" * 10_000
    at = 0
    while True:
        path.write_text("old")
        faults = Faults(at, number)
        error = None
        try:
            with faults.active(), atomic_write(path, text=text) as file:
                file.write(new if text else new.encode())
        except OutputError as raised:
            error = raised
        if error is not None:
            assert str(path) in str(error)
            assert error.errno == number
            assert error.hint
        kept = error is not None and "is written" not in str(error)
        assert path.read_text() == ("old" if kept else new)
        assert [entry.name for entry in tmp_path.iterdir()] == ["out"]
        at += 1
        if at > len(faults.calls):
            break
    assert at > 7  # open, rename, chmod, write, sync, close, replace, sync


def test_a_temporary_file_that_cannot_be_removed_does_not_hide_the_reason(tmp_path, monkeypatch) -> None:
    def refuse(path: str) -> None:
        raise OSError(errno.EROFS, "Read-only file system")

    monkeypatch.setattr(os, "unlink", refuse)
    with Faults(3, errno.EIO).active(), pytest.raises(OutputError, match="Input/output error"):
        write(tmp_path / "out")


def write(path: Path) -> None:
    with atomic_write(path) as file:
        file.write(b"new")


def test_a_folder_that_cannot_be_listed_can_be_written_to(tmp_path, monkeypatch) -> None:
    def refuse(path: str) -> list[str]:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(os, "listdir", refuse)
    write(tmp_path / "out")
    assert (tmp_path / "out").read_bytes() == b"new"


@pytest.mark.parametrize("words", [["--version"], ["--help"], ["train", "--help"], ["lab"]], ids=" ".join)
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_full_standard_output_is_named(words: list[str], unbuffered: str) -> None:
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "lindy.cli", *words],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
            env={**os.environ, "PYTHONUNBUFFERED": unbuffered},
        )
    assert done.returncode == 1
    assert done.stderr == "error: cannot write to standard output: No space left on device\n"
