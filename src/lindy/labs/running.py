"""Running a script cell by cell."""

from __future__ import annotations

import ast
import contextlib
import io
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lindy.labs.script import Cell, Script
from lindy.labs.stage import Figure, staged


@dataclass(frozen=True, slots=True)
class Played:
    """A cell, what it printed (empty if it was printed at once), the figures it wrote, and what it said of them."""

    cell: Cell
    text: str = ""
    figures: tuple[Figure, ...] = ()
    remarks: tuple[str, ...] = ()


def play(script: Script, output: Path, data: Path | None = None, *, capture: bool) -> Iterator[Played]:
    """Run the cells of a script one after the other, as Python would run the file.

    With ``capture`` what they print is kept, otherwise it goes to stdout at once. Cells of prose come back as they
    are, so that whoever prints them does so in the order of the script.
    """
    names: dict[str, Any] = {"__name__": "__main__", "__file__": str(script.path)}
    for cell in script.cells:
        if cell.prose:
            yield Played(cell)
            continue
        with staged(output, data) as stage:
            text = _run(cell, script.path, names, capture=capture)
        yield Played(cell, text, tuple(stage.figures), tuple(stage.remarks))


def _run(cell: Cell, path: Path, names: dict[str, Any], *, capture: bool) -> str:
    tree = ast.increment_lineno(ast.parse(cell.text), cell.line - 1)  # tracebacks show the line of the file
    code = compile(tree, str(path), "exec")
    heard = io.StringIO()
    with contextlib.redirect_stdout(heard) if capture else contextlib.nullcontext():
        exec(code, names)
    if not capture:
        sys.stdout.flush()
    return heard.getvalue()
