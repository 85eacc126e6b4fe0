"""What examples print, found by running them when the documentation is built; nothing of it is kept in the sources.

Blocks of a page run one after the other in one new folder: ``python`` blocks share their names, and every ``$`` line
of a ``console`` block is run by bash. What they print is shown below them. An example that fails ends the build.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

BLOCK = re.compile(r"^```(python|console)\n(.*?)^```\n", re.MULTILINE | re.DOTALL)


class ExampleError(Exception):
    """An example of a page that failed."""


def run_examples(text: str, name: str, folder: Path) -> list[str]:
    """Run the examples of a page in a folder; return each of them with what it printed."""
    names: dict[str, Any] = {"__name__": "__main__"}
    found = []
    with contextlib.chdir(folder):
        for block in BLOCK.finditer(text):
            kind, code = block.groups()
            try:
                shown = _python(block[0], code, names) if kind == "python" else _console(code)
            except Exception as error:
                raise ExampleError(f"{name}: an example failed: {error!r}\n{code}") from error
            found.append(shown)
    return found


def _python(source: str, code: str, names: dict[str, Any]) -> str:
    """Run Python; return the block, and another one with what it printed."""
    heard = io.StringIO()
    with contextlib.redirect_stdout(heard):
        exec(compile(code, "example", "exec"), names)
    printed = heard.getvalue().strip("\n")
    return f"{source}\n```{{code-block}} text\n:class: printed\n{printed}\n```\n" if printed else source


def _console(code: str) -> str:
    """Run the commands; return the block with what each of them printed below it."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
    environment = {**os.environ, "PATH": path, "COLUMNS": "100", "NO_COLOR": "1"}
    lines = []
    for command in commands(code):
        done = subprocess.run(
            ["bash", "-c", command],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            encoding="utf-8",
            env=environment,
            check=False,
        )
        if done.returncode or re.search(
            "^error: ", done.stdout, re.MULTILINE
        ):  # also of a command before a |
            raise ValueError(f"exit {done.returncode} of {command}: {done.stdout}")
        lines += [f"$ {command}", *done.stdout.rstrip("\n").split("\n"), ""]
    return "```{code-block} console\n" + "\n".join(lines).replace("\n\n\n", "\n\n").rstrip("\n") + "\n```\n"


def commands(code: str) -> list[str]:
    """Return the commands of a console block, each with its further lines."""
    found: list[str] = []
    for line in code.splitlines():
        if line.startswith("$ "):
            found.append(line[2:])
        elif found and found[-1].endswith("\\"):
            found[-1] += f"\n{line}"
        elif line.strip():
            raise ValueError(f"a line of a console block is no command: {line!r}")
    return found


def show_examples(_app: Any, page: str, source: list[str]) -> None:
    """Put what the examples of a page print below them."""
    if not BLOCK.search(source[0]):
        return
    with tempfile.TemporaryDirectory() as folder:
        shown = iter(run_examples(source[0], page, Path(folder)))
    source[0] = BLOCK.sub(lambda _: next(shown), source[0])


def setup(app: Any) -> dict[str, bool]:
    """Run the examples of a page when it is read."""
    app.connect("source-read", show_examples)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
