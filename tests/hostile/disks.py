"""Failing disks: every output of the command line, and a layer below Python's files that lets the n-th call fail.

    python -m tests.hostile.disks [NAME …]

Whatever call fails (opening, writing, syncing, renaming, closing …) and for whatever reason, the command ends with exit
code 1 and one line that names the file and the reason, the old file is as it was, and no temporary file is left.
"""

from __future__ import annotations

import argparse
import builtins
import contextlib
import errno
import io
import os
import shutil
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest import mock

from lindy.cli.app import run

ERRORS = (errno.ENOSPC, errno.EIO, errno.EDQUOT, errno.EROFS, errno.EACCES)
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT
CALLS = ("write", "fsync", "replace", "rename", "fchmod", "mkdir", "close")
TABLE = "text,label\n" + 3 * (
    "a wonderful warm book,good\nwonderful and wise,good\na dull long book,bad\ndull and empty,bad\n"
)

Words = Callable[[Path], list[object]]


def _train(*more: object) -> Words:
    return lambda folder: ["train", folder / "table.csv", "--learner", "naive-bayes", *more]


def _predict(suffix: str) -> Words:
    return lambda folder: ["predict", folder / "model", folder / "table.csv", "-o", folder / f"out{suffix}"]


def _convert(suffix: str) -> Words:
    return lambda folder: ["convert", folder / "table.csv", folder / f"out{suffix}"]


# name → the words of a command that reads table.csv and model, and writes out… (train --report and tune: new… as well)
OUTPUTS: dict[str, Words] = {
    "train --output": lambda folder: [*_train()(folder), "-o", folder / "out"],
    "train --report": lambda folder: [
        *_train()(folder), "-o", folder / "new", "--test", folder / "table.csv", "--report", folder / "out",
    ],
    **{f"predict --output {suffix}": _predict(suffix) for suffix in (".csv", ".tsv", ".jsonl", ".parquet", ".xlsx")},
    "evaluate --mistakes": lambda folder: [
        "evaluate", folder / "model", folder / "wrong.csv", "--mistakes", folder / "out.csv",
    ],
    "update --output": lambda folder: [
        "update", folder / "model", folder / "table.csv", "--batches", "2", "-o", folder / "out",
    ],
    "update --plot": lambda folder: [
        "update", folder / "model", folder / "table.csv", "-o", folder / "new", "--plot", folder / "out.png",
    ],
    "merge --output": lambda folder: ["merge", folder / "model", folder / "model", "-o", folder / "out"],
    "compare --report": lambda folder: [
        "compare", folder / "table.csv", "--learner", "naive-bayes", "--learner", "majority",
        "--report", folder / "out",
    ],
    "tune --output": lambda folder: [
        "tune", folder / "table.csv", "--learner", "naive-bayes", "--folds", "2", "--trials", "2", "-o", folder / "out",
    ],
    "tune --journal": lambda folder: [
        "tune", folder / "table.csv", "--learner", "naive-bayes", "--folds", "2", "--trials", "2",
        "-o", folder / "new", "--journal", folder / "out",
    ],
    "audit --output": lambda folder: ["audit", folder / "table.csv", "-o", folder / "out.csv"],
    "split --folder": lambda folder: ["split", folder / "table.csv", "--folder", folder / "out"],
    **{
        f"convert {suffix}": _convert(suffix)
        for suffix in
        (".csv", ".tsv", ".jsonl", ".parquet", ".xlsx", ".txt", ".ft", ".vw", ".review", ".svm", ".csv.gz")
    },
    "convert folder": lambda folder: [*_convert("")(folder), "--to", "folder"],
    "calibrate --output": lambda folder: ["calibrate", folder / "model", folder / "wrong.csv", "-o", folder / "out"],
    "embed --output": lambda folder: [
        "embed", folder / "table.csv", "-o", folder / "out.safetensors", "--dimensions", "2", "--min-df", "1",
    ],
    "shrink --output": lambda folder: ["shrink", folder / "linear", "-o", folder / "out", "--size", "1MB"],
    "convert-model file": lambda folder: ["convert-model", folder / "model", folder / "out"],
    "export page": lambda folder: ["export", folder / "model", folder / "out.html"],
    "export --js": lambda folder: ["export", folder / "model", "--js", folder / "out.mjs"],
    "explain --html": lambda folder: ["explain", folder / "model", "a wise book", "--html", folder / "out"],
    "inspect --weights": lambda folder: ["inspect", folder / "model", "--weights", folder / "out.csv"],
    **{
        f"plot --output {suffix}": lambda folder, suffix=suffix: [
            "plot", "confusion", folder / "model", folder / "table.csv", "-o", folder / f"out{suffix}",
        ]
        for suffix in (".png", ".svg", ".pdf")
    },
    "report --output": lambda folder: ["report", folder / "model", folder / "table.csv", "-o", folder / "out"],
    "lab --output": lambda folder: ["lab", "1", "--part", "features", "-o", folder / "out"],
    "demo --output": lambda folder: ["demo", "-o", folder / "out"],
}  # fmt: skip
INPUTS = ("table.csv", "wrong.csv", "model", "linear")
FRESH = ("convert folder",)  # which never replaces anything
SLOW = (  # a second or more each
    *("train --report", "compare --report", "tune --output", "tune --journal", "report --output"),
    *("update --plot", "plot --output .svg", "plot --output .pdf", "lab --output", "demo --output"),
)


class Faults:
    """Counts the calls that write while it is active, and lets one of them fail."""

    def __init__(self, fail_at: int = -1, number: int = errno.EIO) -> None:
        self.fail_at, self.number = fail_at, number
        self.calls: list[str] = []

    def _hit(self, what: str) -> None:
        self.calls.append(what)
        if len(self.calls) - 1 == self.fail_at:
            raise OSError(self.number, os.strerror(self.number))

    @contextlib.contextmanager
    def active(self) -> Iterator[None]:
        """Fail within this block."""
        faults, real_os_open = self, os.open
        real = {name: getattr(os, name) for name in CALLS}
        opened: set[int] = set()

        def os_open(path: Any, flags: int, *rest: Any, **named: Any) -> int:
            if flags & WRITING:
                faults._hit("open")
            fd = real_os_open(path, flags, *rest, **named)
            if flags & WRITING:
                opened.add(fd)
            return fd

        def failing(name: str) -> Callable[..., Any]:
            def call(*words: Any, **named: Any) -> Any:
                if name == "close":
                    done = real[name](*words, **named)  # a close that fails has closed the file
                    if words[0] in opened:
                        opened.discard(words[0])
                        faults._hit(name)
                    return done
                if name != "write" or words[0] > 2:
                    faults._hit(name)
                return real[name](*words, **named)

            return call

        class FaultyFile(io.FileIO):
            def write(self, data: Any) -> int:
                return os.write(self.fileno(), data)

        real_open = builtins.open

        def open_file(file: Any, mode: str = "r", *rest: Any, **named: Any) -> Any:
            if isinstance(file, int) or not set(mode) & set("wax") or "opener" in named:
                return real_open(file, mode, *rest, **named)
            faults._hit("open")
            binary = io.BufferedWriter(FaultyFile(file, mode.replace("b", "").replace("t", "")))
            return binary if "b" in mode else io.TextIOWrapper(binary, encoding=named.get("encoding"))

        with contextlib.ExitStack() as stack:
            for name in CALLS:
                stack.enter_context(mock.patch.object(os, name, failing(name)))
            stack.enter_context(mock.patch.object(os, "open", os_open))
            stack.enter_context(mock.patch.object(builtins, "open", open_file))
            stack.enter_context(mock.patch.object(io, "open", open_file))
            yield


def prepared(folder: Path) -> None:
    """Write the inputs of all commands into a folder."""
    (folder / "table.csv").write_text(TABLE, encoding="utf-8")
    swapped = TABLE.replace("good", "x").replace("bad", "good").replace("x", "bad")
    (folder / "wrong.csv").write_text(swapped, encoding="utf-8")
    for name, learner in (("model", "naive-bayes"), ("linear", "perceptron")):
        if not (folder / name).exists():
            code, said = called(["train", folder / "table.csv", "--learner", learner, "-o", folder / name])
            assert code == 0, said


def called(words: list[object]) -> tuple[int, str]:
    """Run a command in this process; return its exit code and what it said on stderr."""
    out, err = io.TextIOWrapper(io.BytesIO(), write_through=True), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        code = run([str(word) for word in words])
    return code, err.getvalue()


def outputs_in(folder: Path) -> dict[str, bytes]:
    """Return the contents of all files that commands wrote there."""
    found = sorted(path for path in folder.rglob("*") if path.is_file())
    return {
        str(p.relative_to(folder)): p.read_bytes() for p in found if str(p.relative_to(folder)) not in INPUTS
    }


def restore(folder: Path, contents: dict[str, bytes]) -> None:
    """Make the outputs in a folder those that they were."""
    for path in list(folder.iterdir()):
        if path.name not in INPUTS:
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    for name, data in contents.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)


def problems(
    name: str, folder: Path, errors: tuple[int, ...] = ERRORS, every: int = 1
) -> tuple[int, list[str]]:
    """Let every call of a command fail for every reason; return how many runs that were, and what was wrong.

    With ``every`` only each so-manieth failure is tried.
    """
    words = OUTPUTS[name](folder)
    restore(folder, {})
    code, said = called(words)
    assert code == 0, f"{name}: {said}"
    old = outputs_in(folder)
    assert old, name
    counting = Faults()
    restore(folder, {} if name in FRESH else old)
    with counting.active():
        code, said = called(words)
    assert code == 0, f"{name}: {said}"
    wrong, runs = [], 0
    tried = [(at, number) for at in range(len(counting.calls)) for number in errors]
    for at, number in tried[::every]:
        restore(folder, {} if name in FRESH else old)
        faults = Faults(at, number)
        with faults.active():
            code, said = called(words)
        runs += 1
        what = _complaint(code, said, old, outputs_in(folder), folder, name in FRESH)
        if what:
            where = f"{name}, {errno.errorcode[number]} at call {at} ({counting.calls[at]})"
            wrong.append(f"{where}: {what}")
    return runs, wrong


def _complaint(
    code: int, said: str, old: dict[str, bytes], now: dict[str, bytes], folder: Path, fresh: bool
) -> str:
    """Return what a command did wrong, "" for nothing."""
    left = [path.name for path in folder.rglob(".lindy-*")]
    errors = [line for line in said.splitlines() if line.startswith("error:")]
    named = (str(folder), "temporary files of a workbook in")
    unnamed = not any(name in line for name in named for line in errors)
    torn = "" if fresh and not now else _replaced(old, now)
    if left or "Traceback" in said or torn:
        return f"left {left}, {torn or 'nothing torn'}; said {said!r}"
    if code == 0:
        return f"exit code 0 with errors {errors}" if errors else ""
    if code != 1 or len(errors) != 1 or unnamed or len(errors[0]) < len(f"error: {folder}") + 10:
        return f"exit code {code}, said {said!r}"
    return ""


def _replaced(old: dict[str, bytes], now: dict[str, bytes]) -> str:
    """Return which outputs are neither as before nor complete; commands write the same bytes again."""
    torn = [name for name in old if len(now.get(name, b"")) < 0.9 * len(old[name])]
    return f"neither the old nor the new contents: {torn}" if torn else ""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="outputs; default: all")
    parser.add_argument("--every", type=int, default=1, help="try only each so-manieth failure")
    options = parser.parse_args()
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        prepared(Path(folder))
        for name in options.names or OUTPUTS:
            runs, wrong = problems(name, Path(folder), every=options.every)
            sys.stdout.write(f"{name}: {runs} failures, {len(wrong)} wrong\n")
            sys.stdout.write("".join(f"  {line}\n" for line in wrong))
            failed = failed or bool(wrong)
    sys.exit(failed)


if __name__ == "__main__":
    main()
