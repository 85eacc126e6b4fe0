"""Runs invocations in this process, one after the other, and prints what happened to each as a line of JSON.

    python -m tests.hostile.run_commands FOLDER < words.json

A process of its own, so that one which kills it or hangs is one outcome among the others.
"""

from __future__ import annotations

import io
import json
import os
import resource
import shutil
import sys
import traceback
from pathlib import Path
from typing import Any

from tests.hostile.limits import limit_cpu

MEMORY = 4 << 30
CPU_SECONDS = 100


def snapshot(folder: str) -> dict[str, tuple[int, int, int]]:
    """Return size, time and mode of every file and folder."""
    found = {}
    for path, folders, files in os.walk(folder):
        for name in (*folders, *files):
            status = os.lstat(os.path.join(path, name))
            size = 0 if name in folders else status.st_size
            found[os.path.relpath(os.path.join(path, name), folder)] = (
                size,
                0 if name in folders else status.st_mtime_ns,
                status.st_mode,
            )
    return found


def captured(words: list[str]) -> dict[str, Any]:
    """Run one command with streams as a terminal's, but for being one."""
    from lindy.cli import main

    before = sys.stdin, sys.stdout, sys.stderr
    out, err = io.BytesIO(), io.BytesIO()
    sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: SIM115
    streams = (
        io.TextIOWrapper(out, encoding="utf-8"),
        io.TextIOWrapper(err, encoding="utf-8", errors="backslashreplace"),
    )
    sys.stdout, sys.stderr = streams
    code, escaped = None, ""
    try:
        sys.argv = ["lindy", *words]
        code = main()
    except BaseException as error:
        escaped = "".join(traceback.format_exception(error)[-4:])[-1500:]
    finally:
        for stream in streams:
            try:
                stream.flush()
            except ValueError as error:
                escaped = escaped or repr(error)
        sys.stdin.close()
        sys.stdin, sys.stdout, sys.stderr = before
    text = (stream.getvalue().decode("utf-8", "backslashreplace") for stream in (out, err))
    return {
        "code": code,
        "escaped": escaped,
        **dict(zip(("out", "err"), (t[-20_000:] for t in text), strict=True)),
    }


def run_all() -> None:
    """Run them all."""
    template = Path(sys.argv[1]).resolve()
    work = template.with_name(template.name + "-work")
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    real = os.dup(1)
    os.dup2(2, 1)  # nothing but results on standard output
    results = os.fdopen(real, "w", encoding="utf-8")
    original: dict[str, tuple[int, int, int]] = {}
    for words in json.load(sys.stdin):
        if not original:
            shutil.rmtree(work, ignore_errors=True)
            shutil.copytree(template, work, symlinks=True)
            original = snapshot(str(work))
        os.chdir(work)
        limit_cpu(CPU_SECONDS)
        outcome = captured(words)
        now = snapshot(str(work))
        outcome["changed"] = sorted(name for name in {*now, *original} if now.get(name) != original.get(name))
        if outcome["changed"]:
            original = {}
            os.chdir(template)
        results.write(json.dumps(outcome) + "\n")
        results.flush()


if __name__ == "__main__":
    run_all()
