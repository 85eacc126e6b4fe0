"""Processes that were started in unusual ways, or are stopped early."""

from __future__ import annotations

import contextlib
import io
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

import pytest

from lindy.cli import end_at_once
from lindy.cli.app import run
from tests.cli.conftest import Command, lindy_process


def shell(line: str, *words: object) -> subprocess.CompletedProcess[str]:
    """Run a line of the shell, in which $lindy is the command and $1, $2, … are the words."""
    return subprocess.run(
        ["sh", "-c", f'lindy="{sys.executable} -m lindy"; {line}', "sh", *map(str, words)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.mark.parametrize(
    ("line", "code", "says"),
    [
        ('$lindy predict "$2" - <&-', 1, "standard input: the file is empty"),
        ('$lindy predict "$2" "$1" >&-', 1, "standard output is closed"),
        ('$lindy evaluate "$2" "$1" --json >&-', 1, "standard output is closed"),
        ("$lindy --version >&-", 1, "standard output is closed"),
        ('$lindy predict "$2" missing.csv 2>&-', 1, ""),
        ('$lindy train "$1" -o "$2" --learner naive-bayes >&- 2>&-', 0, ""),
        ('$lindy predict "$2" "$1" >/dev/full', 1, "No space left"),
        ('$lindy predict "$2" - </dev/zero', 1, "standard input: is a device"),
        ("$lindy audit - </dev/urandom", 1, "standard input: is a device"),
    ],
)
def test_closed_and_full_streams(line: str, code: int, says: str, table: Path, model: Path) -> None:
    outcome = shell(line, table, model)
    assert outcome.returncode == code, outcome.stderr
    assert says in outcome.stderr
    assert "Traceback" not in outcome.stderr


@pytest.mark.parametrize("device", ["/dev/zero", "/dev/full", "/dev/urandom"])
@pytest.mark.parametrize(
    "words",
    [
        "train DEVICE -o M.lindy",
        "predict MODEL DEVICE",
        "predict DEVICE TABLE",
        "audit DEVICE",
        "split DEVICE",
        "tune TABLE --journal DEVICE",
        "train TABLE -o M.lindy --learner lexicon --param words={'bad':'DEVICE'}",
    ],
)
def test_devices_without_an_end_are_refused(
    words: str, device: str, table: Path, model: Path, lindy: Command
) -> None:
    places = {"DEVICE": device, "TABLE": str(table), "MODEL": str(model), "M.lindy": str(table.parent / "m")}
    for name, path in places.items():
        words = words.replace(name, path)
    outcome = lindy(*words.split())
    assert outcome.code == 1
    assert device in outcome.err
    assert " a device, " in outcome.err


def test_ctrl_c_ends_the_wait_for_a_pipe_that_nobody_writes_to(tmp_path: Path) -> None:
    pipe = tmp_path / "rows.csv"
    os.mkfifo(pipe)
    command = [sys.executable, "-c", BEGUN, "audit", str(pipe)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(0.5)  # until it waits; any other moment must end the same
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=120)
    assert process.returncode == 130
    assert err == "error: interrupted; nothing was written\n"


@pytest.mark.parametrize("option", ["--threads", "--seed"])
@pytest.mark.parametrize("value", ["99999999999999999999", "-1", "9" * 5000, "1.5", "", "²"])
def test_numbers_that_cannot_be(option: str, value: str, table: Path, tmp_path: Path, lindy: Command) -> None:
    outcome = lindy("train", table, "-o", tmp_path / "m.lindy", f"{option}={value}")
    assert outcome.code == 2
    assert f"argument {option}: " in outcome.err
    assert len(outcome.err) < 300


def test_more_threads_than_anybody_has_are_fewer(table: Path, tmp_path: Path, lindy: Command) -> None:
    words = ("train", table, "--learner", "svm", "-o")
    assert lindy(*words, tmp_path / "a.lindy", "--threads", 2**31 - 1).code == 0
    assert lindy(*words, tmp_path / "b.lindy", "--threads", 1).code == 0
    assert (tmp_path / "a.lindy").read_bytes() == (tmp_path / "b.lindy").read_bytes()


def test_folders_whose_names_are_not_utf8(tmp_path: Path) -> None:
    folder = os.fsencode(tmp_path / "texts")
    for name, text in ((b"caf\xe9", b"warm and wise"), (b"bad", b"dull and long")):
        os.makedirs(folder + b"/" + name)
        Path(os.fsdecode(folder + b"/" + name + b"/\xff.txt")).write_bytes(text)
    model = tmp_path / "m.lindy"
    trained = lindy_process("train", os.fsdecode(folder), "-o", model, "--learner", "naive-bayes")
    assert trained.code == 0, trained.err
    predicted = lindy_process("predict", model, os.fsdecode(folder), "--keep", "file")
    assert predicted.code == 0, predicted.err
    assert r"caf\xe9" in predicted.out
    assert r"\xff.txt" in predicted.out


BEGUN = (
    "import signal, sys, lindy.cli; signal.signal(signal.SIGINT, lindy.cli.end_at_once); print('begun', flush=True);"
    " sys.exit(lindy.cli.main())"
)


def test_ctrl_c_at_any_moment_of_the_command(table: Path, tmp_path: Path) -> None:
    """Python's own start is left out: an interrupt there is answered before any of our code is loaded."""
    model = tmp_path / "m.lindy"
    moments = random.Random(0)
    for _ in range(12):
        process = subprocess.Popen(
            [sys.executable, "-c", BEGUN, "train", str(table), "-o", str(model)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(moments.uniform(0, 0.8))
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=120)
        assert "Traceback" not in err
        assert "PLEASE READ" not in err, "NumPy's import, which was interrupted, is not what is wrong"
        assert process.returncode in (130, 0), "neither told nor done before"
        assert (process.returncode == 130) == ("error: interrupted; " in err)
    assert [entry.name for entry in tmp_path.iterdir() if entry.name.startswith(".lindy")] == []


WHILE_SIGNAL_IS_IMPORTED = """
import os, sys
for name in ("signal", "enum"):
    sys.modules.pop(name, None)

class Interrupt:
    def find_spec(self, name, path, target=None):
        if name == "enum":
            class Named:
                def __set_name__(self, owner, name):
                    os.kill(os.getpid(), 2)
                    for _ in range(1000):
                        pass
            if sys.argv[1] == "enumeration":
                class Made:
                    named = Named()
            os.kill(os.getpid(), 2)

sys.meta_path.insert(0, Interrupt())
import lindy.cli
sys.exit(lindy.cli.main())
"""


@pytest.mark.parametrize("moment", ["import", "enumeration"])
def test_ctrl_c_before_there_is_a_handler(moment: str) -> None:
    """Of an interrupt in the making of an enumeration Python 3.11 makes another exception."""
    done = subprocess.run(
        [sys.executable, "-c", WHILE_SIGNAL_IS_IMPORTED, moment], capture_output=True, text=True, check=False
    )
    assert done.stderr == "error: interrupted; nothing was written\n"
    assert done.returncode == 130


class Interrupting(io.StringIO):
    """A terminal at which somebody presses Ctrl-C whenever some word appears, as often as it appears."""

    def __init__(self, word: str) -> None:
        super().__init__()
        self.word = word

    def write(self, text: str) -> int:
        written = super().write(text)
        if self.word in text:
            signal.raise_signal(signal.SIGINT)
        return written


@pytest.mark.parametrize(
    ("word", "says"), [("saved", "m.lindy had been written"), ("from column", "nothing was written")]
)
def test_an_interrupted_command_says_what_it_had_written(
    word: str, says: str, table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = tmp_path / "m.lindy"
    terminal = Interrupting(word)
    monkeypatch.setattr(sys, "stderr", terminal)
    assert run(["train", str(table), "-o", str(model)]) == 130
    assert terminal.getvalue().endswith(f"{says}\n")
    assert model.exists() == (word == "saved")


def test_ctrl_c_again_while_the_first_is_answered(
    table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At the end of a process nothing is left to be stopped."""
    terminal = Interrupting("interrupted")
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr("lindy.cli.app.parser", interrupted)
    before = signal.signal(signal.SIGINT, end_at_once)
    try:
        assert run(["train", str(table), "-o", str(tmp_path / "m.lindy")]) == 130
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)


def interrupted(commands: object) -> object:
    raise KeyboardInterrupt(commands)


class Dropping:
    """A destructor in which somebody presses Ctrl-C: Python drops the exception."""

    def __del__(self) -> None:
        signal.raise_signal(signal.SIGINT)


def dropped() -> None:
    Dropping()


def caught() -> None:
    with contextlib.suppress(BaseException):
        signal.raise_signal(signal.SIGINT)


@pytest.mark.parametrize("lose", [dropped, caught])
def test_an_interrupt_that_a_library_swallows_comes_again(
    lose: Callable[[], None], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def never_ends(commands: object) -> NoReturn:
        lose()
        while True:
            time.sleep(60)

    monkeypatch.setattr("lindy.cli.app.parser", never_ends)
    before = signal.getsignal(signal.SIGALRM), sys.unraisablehook
    assert run(["train"]) == 130
    assert capsys.readouterr().err == "error: interrupted; nothing was written\n"
    assert (signal.getsignal(signal.SIGALRM), sys.unraisablehook) == before
