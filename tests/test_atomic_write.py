"""A file is replaced as a whole or not at all."""

from __future__ import annotations

import errno
import os
import resource
import stat
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import pytest

from lindy.errors import LindyError, OutputError
from lindy.files.atomic import atomic_write


@pytest.fixture
def umask():
    old = os.umask(0o027)
    yield
    os.umask(old)


def names(folder):
    return sorted(entry.name for entry in folder.iterdir())


def test_the_old_contents_stay_until_the_block_ends(tmp_path):
    path = tmp_path / "out"
    path.write_bytes(b"old")
    with atomic_write(path) as file:
        file.write(b"new")
        file.flush()
        assert path.read_bytes() == b"old"
    assert path.read_bytes() == b"new"
    assert names(tmp_path) == ["out"]


def write_half(path, kind):
    with atomic_write(path) as file:
        file.write(b"half")
        raise kind


@pytest.mark.parametrize("kind", [RuntimeError, KeyboardInterrupt, SystemExit, GeneratorExit])
@pytest.mark.parametrize("before", [None, b"old"])
def test_any_exception_leaves_what_was_there(tmp_path, kind, before):
    path = tmp_path / "out"
    if before is not None:
        path.write_bytes(before)
    with pytest.raises(kind):
        write_half(path, kind)
    assert names(tmp_path) == ([] if before is None else ["out"])
    assert before is None or path.read_bytes() == before


def test_text_is_utf_8_with_newlines_as_given(tmp_path):
    with atomic_write(tmp_path / "out", text=True) as file:
        file.write("süß\r\n\n")
    assert (tmp_path / "out").read_bytes() == "süß\r\n\n".encode()


def test_a_library_may_close_the_file(tmp_path):
    with atomic_write(tmp_path / "out") as file:
        file.write(b"done")
        file.close()
    assert (tmp_path / "out").read_bytes() == b"done"


def test_a_new_file_gets_the_umask_and_an_old_one_keeps_its_bits(tmp_path, umask):
    path = tmp_path / "out"
    with atomic_write(path) as file:
        file.write(b"1")
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    path.chmod(0o604)
    with atomic_write(path) as file:
        file.write(b"2")
    assert stat.S_IMODE(path.stat().st_mode) == 0o604


def test_a_relative_name_is_written_in_the_working_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with atomic_write("out") as file:
        file.write(b"1")
    assert names(tmp_path) == ["out"]


def test_a_symbolic_link_stays_and_its_target_is_replaced(tmp_path):
    (tmp_path / "real").mkdir()
    target = tmp_path / "real" / "model"
    target.write_bytes(b"old")
    link = tmp_path / "link"
    link.symlink_to(target)
    with atomic_write(link) as file:
        file.write(b"new")
    assert link.is_symlink()
    assert target.read_bytes() == b"new"
    assert names(tmp_path / "real") == ["model"]


def test_a_dangling_link_creates_its_target(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "later")
    with atomic_write(tmp_path / "link") as file:
        file.write(b"new")
    assert (tmp_path / "later").read_bytes() == b"new"
    assert (tmp_path / "link").is_symlink()


def test_pipes_and_devices_are_written_to_directly(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    got = []
    reader = threading.Thread(target=lambda: got.append((tmp_path / "pipe").read_bytes()))
    reader.start()
    with atomic_write(tmp_path / "pipe") as file:
        file.write(b"through")
    reader.join()
    assert got == [b"through"]
    with atomic_write("/dev/null") as file:
        file.write(b"away")
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)


def refusal(path) -> OutputError:
    with pytest.raises(OutputError) as caught, atomic_write(path) as file:
        file.write(b"x")
    assert isinstance(caught.value, LindyError)
    assert isinstance(caught.value, OSError)
    assert caught.value.hint
    return caught.value


def test_refusals_name_the_reason_and_a_remedy(tmp_path):
    (tmp_path / "file").write_bytes(b"x")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    error = refusal(tmp_path / "missing" / "out")
    assert str(error) == f"cannot write {tmp_path}/missing/out: the folder {tmp_path}/missing does not exist"
    assert error.hint == f"Create it first: mkdir -p {tmp_path}/missing"
    assert error.errno == errno.ENOENT
    assert "is a folder" in str(refusal(tmp_path))
    assert "is not a folder" in str(refusal(tmp_path / "file" / "out"))
    assert "leads to itself" in str(refusal(tmp_path / "loop"))
    assert "too long" in str(refusal(tmp_path / ("x" * 300)))
    assert "does not name a file" in str(refusal(""))
    assert "does not name a file" in str(refusal(f"{tmp_path}/new/"))
    assert names(tmp_path) == ["file", "loop"]


def test_the_longest_file_name_is_possible(tmp_path):
    with atomic_write(tmp_path / ("x" * 255)) as file:
        file.write(b"x")
    assert names(tmp_path) == ["x" * 255]


AS_NOBODY = """
import os, sys
from lindy.errors import OutputError
from lindy.files.atomic import atomic_write
if os.getuid() == 0:
    os.setgid(65534)
    os.setuid(65534)
try:
    with atomic_write(sys.argv[1]) as file:
        file.write(b"new")
except OutputError as error:
    print(error)
"""


def as_nobody(path) -> str:
    done = subprocess.run(
        [sys.executable, "-c", AS_NOBODY, str(path)], capture_output=True, text=True, check=True
    )
    return done.stdout


@pytest.fixture
def public_folder():
    """A folder that everybody can enter; those above tmp_path are the owner's alone."""
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        yield Path(folder)


def test_permissions_are_respected(public_folder):
    closed = public_folder / "closed"
    closed.mkdir()
    closed.chmod(0o555)
    assert "no permission to write in" in as_nobody(closed / "out")
    opened = public_folder / "opened"
    opened.mkdir()
    opened.chmod(0o777)
    protected = opened / "protected"
    protected.write_bytes(b"old")
    protected.chmod(0o444)
    assert "is write-protected" in as_nobody(protected)
    assert protected.read_bytes() == b"old"
    assert as_nobody(opened / "out") == ""
    assert (opened / "out").read_bytes() == b"new"
    assert names(opened) == ["out", "protected"]


@pytest.fixture
def small_files_only():
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, hard))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.parametrize("text", [False, True])
def test_a_full_disk_leaves_the_old_file(tmp_path, small_files_only, text):
    path = tmp_path / "out"
    path.write_bytes(b"old")
    with (
        pytest.raises(OutputError, match="larger than is allowed") as caught,
        atomic_write(path, text=text) as file,
    ):
        file.write("x" * 200_000 if text else b"x" * 200_000)
    assert "as it was before" in caught.value.hint
    assert path.read_bytes() == b"old"
    assert names(tmp_path) == ["out"]


def test_a_full_device_is_reported():
    with pytest.raises(OutputError, match="no space left"), atomic_write("/dev/full") as file:
        file.write(b"x")


def test_the_callers_own_errors_pass_unchanged(tmp_path):
    with pytest.raises(FileNotFoundError) as caught, atomic_write(tmp_path / "out") as file:
        file.write((tmp_path / "input").read_bytes())
    assert not isinstance(caught.value, OutputError)
    assert names(tmp_path) == []


def test_nothing_is_opened_before_the_block(tmp_path):
    atomic_write(tmp_path / "out")
    assert names(tmp_path) == []


def test_file_and_folder_are_synced_around_the_rename(tmp_path, monkeypatch):
    calls = []
    sync, replace = os.fsync, os.replace
    kind = {True: "folder", False: "file"}
    monkeypatch.setattr(
        os, "fsync", lambda fd: (calls.append(kind[stat.S_ISDIR(os.fstat(fd).st_mode)]), sync(fd))
    )
    monkeypatch.setattr(os, "replace", lambda *names: (calls.append("rename"), replace(*names)))
    with atomic_write(tmp_path / "out") as file:
        file.write(b"x")
    assert calls == ["file", "rename", "folder"]


def test_what_a_killed_writer_left_is_removed_by_the_next(tmp_path: Path) -> None:
    path = tmp_path / "model"
    code = (
        "import os, sys; from lindy.files.atomic import atomic_write\n"
        "with atomic_write(sys.argv[1]) as file:\n    file.write(b'half'); os.kill(os.getpid(), 9)"
    )
    for name in ("model", "other"):
        subprocess.run([sys.executable, "-c", code, str(tmp_path / name)], check=False)
    assert len(list(tmp_path.iterdir())) == 2
    with atomic_write(path) as first:
        first.write(b"first")
        with atomic_write(path) as second:  # whose writer finds the one of the first in use
            second.write(b"second")
    assert path.read_bytes() == b"first"
    left = [entry.name for entry in tmp_path.iterdir()]
    assert len(left) == 2, "what was left of another name stays"


def test_a_killed_writer_leaves_nothing_that_stays_at_whatever_call_it_is_killed(tmp_path: Path) -> None:
    path = tmp_path / "model"
    code = (
        "import os, sys; from lindy.files.atomic import atomic_write\n"
        "import fcntl; name = sys.argv[2]; module = fcntl if name == 'flock' else os; real = getattr(module, name)\n"
        "def killed(*words, **named):\n"
        "    if name in ('flock', 'write', 'fsync'): os.kill(os.getpid(), 9)\n"
        "    real(*words, **named); os.kill(os.getpid(), 9)\n"
        "setattr(module, name, killed)\n"
        "with atomic_write(sys.argv[1]) as file:\n    file.write(b'half')"
    )
    for call in ("flock", "open", "listdir", "write", "fsync"):
        done = subprocess.run([sys.executable, "-c", code, str(path), call], check=False)
        assert done.returncode == -9, call
        assert len(names(tmp_path)) == 1, call
        with atomic_write(path) as file:
            file.write(b"whole")
        assert names(tmp_path) == ["model"], call
        path.unlink()


def test_a_file_that_is_complete_cannot_be_taken_for_left_over(tmp_path, monkeypatch):
    """Another writer of the same name comes just before the rename."""
    path, replace, others = tmp_path / "out", os.replace, []

    def late(source, target):
        if not others:
            others.append(target)
            with atomic_write(path) as file:
                file.write(b"other")
        replace(source, target)

    monkeypatch.setattr(os, "replace", late)
    with atomic_write(path) as file:
        file.write(b"first")
    assert path.read_bytes() == b"first"
    assert names(tmp_path) == ["out"]
