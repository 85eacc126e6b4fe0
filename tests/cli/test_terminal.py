"""Data cannot drive the terminal, whichever command shows it; to a pipe or a file it goes as it is."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest

HOSTILE = "\x1b[2J\x9b31m\u202eevil\x07"
OWN = re.compile(rb"\x1b\[[0-9;]*m")  # colours, which lindy itself shows


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("hostile")
    rows = [f"a {HOSTILE} wonderful book {i},{HOSTILE}\na dull book {i},b" for i in range(8)]
    (folder / "t.csv").write_text("text,label\n" + "\n".join(rows) + "\n")
    for label in (HOSTILE.replace("\x07", ""), "b"):
        (folder / "texts" / label).mkdir(parents=True)
        for i in range(4):
            (folder / "texts" / label / f"{HOSTILE}{i}.txt").write_text(f"a {label} book {i}")
    command = [sys.executable, "-m", "lindy", "train", "t.csv", "-o", "m.lindy", "--learner", "svm", "-q"]
    subprocess.run(command, cwd=folder, check=True)
    return folder


def on_a_terminal(folder: Path, *words: str) -> bytes:
    """Return what a command sends to a terminal that is its stdout and stderr."""
    master, slave = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "lindy", *words],
        cwd=folder,
        stdin=slave,
        stdout=slave,
        stderr=slave,
        env=os.environ | {"TERM": "dumb"},  # no progress bars, which move the cursor
    )
    os.close(slave)
    shown = b""
    while True:
        try:
            piece = os.read(master, 1 << 16)
        except OSError:  # Linux says so when the other end is closed
            break
        if not piece:
            break
        shown += piece
    os.close(master)
    assert process.wait() in (0, 1), shown
    return shown


@pytest.mark.parametrize(
    "line",
    [
        "predict m.lindy t.csv",
        "predict m.lindy t.csv --proba --to jsonl",
        "predict m.lindy texts --keep all",
        "evaluate m.lindy t.csv",
        "evaluate m.lindy t.csv --json",
        "inspect m.lindy",
        "inspect m.lindy --json",
        "explain m.lindy TEXT",
        "audit t.csv",
        "audit t.csv --json",
        "split t.csv --parts train=0.5,test=0.5",
        "split texts --parts train=0.5,test=0.5",
        "convert t.csv - --to csv",
        "convert texts - --to jsonl",
        "compare t.csv --learner naive-bayes --learner svm",
        "train t.csv -o other.lindy --label HOSTILE",
        "train HOSTILE -o other.lindy",
    ],
)
def test_no_command_passes_on_what_drives_a_terminal(line: str, folder: Path) -> None:
    words = [
        {"TEXT": f"a wonderful {HOSTILE} book", "HOSTILE": HOSTILE}.get(word, word) for word in line.split()
    ]
    shown = OWN.sub(b"", on_a_terminal(folder, *words))
    for byte in (b"\x1b", b"\x07", "\x9b".encode(), "\u202e".encode()):
        assert byte not in shown, shown
    shows_none = line.startswith(("compare", "split"))
    assert shows_none or b"evil" in shown, "the data was shown"


def test_a_pipe_gets_the_data_as_it_is(folder: Path) -> None:
    command = [sys.executable, "-m", "lindy", "predict", "m.lindy", "t.csv", "-q"]
    out = subprocess.run(command, cwd=folder, capture_output=True, check=True).stdout
    assert HOSTILE.encode() in out
