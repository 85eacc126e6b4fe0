"""What systems do differently: each way of doing it does the same."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from lindy.files import system


@pytest.mark.parametrize("has_places", [True, False])
def test_bytes_are_read_and_written_at_a_place(monkeypatch, tmp_path, has_places):
    if not has_places:
        monkeypatch.delattr(os, "pread")
        monkeypatch.delattr(os, "pwrite")
    path = tmp_path / "file"
    number = os.open(path, os.O_RDWR | os.O_CREAT | system.BYTES)
    try:
        assert system.write_at(number, b"later\r\n", 6) == 7
        assert system.write_at(number, memoryview(b"first "), 0) == 6
        assert system.read_at(number, 5, 6) == b"later"
        assert system.read_at(number, 100, 6) == b"later\r\n"
        assert system.read_at(number, 5, 13) == b""
    finally:
        os.close(number)
    assert path.read_bytes() == b"first later\r\n"


def test_a_file_is_locked_by_one_at_a_time(tmp_path):
    path = tmp_path / "file"
    with open(path, "wb") as first, open(path, "wb") as second:
        assert system.lock(first.fileno())
        assert system.lock(first.fileno(), wait=True)
        assert not system.lock(second.fileno())
        first.close()
        assert system.lock(second.fileno())


def test_a_file_system_without_locks_is_no_other_process(tmp_path, monkeypatch):
    if system.fcntl is None:
        pytest.skip("Windows locks on every drive")

    def none(_number, _how):
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr(system.fcntl, "flock", none)
    with open(tmp_path / "file", "wb") as file:
        assert system.lock(file.fileno()) is None
        assert system.lock(file.fileno(), wait=True) is None


def test_what_is_in_use_is_removed_when_the_process_ends(tmp_path):
    script = Path(__file__).with_name("without_posix.py")
    program = f"""
import runpy, shutil
from functools import partial
runpy.run_path({str(script)!r})["take_away"]()
from lindy.files import system
assert not system.IS_POSIX
held = open("kept/file", "wb")
system.remove_unused("kept", partial(shutil.rmtree, "kept"))
assert os.path.exists("kept/file"), "it was removed while it was open"
del held
"""
    (tmp_path / "kept").mkdir()
    done = subprocess.run(
        [sys.executable, "-P", "-c", "import os" + program],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert list(tmp_path.iterdir()) == []


def test_errors_of_removing_pass_where_nobody_has_to_wait(tmp_path):
    def refused() -> None:
        raise PermissionError(13, "no")

    with pytest.raises(PermissionError):
        system.remove_unused(str(tmp_path), refused)
