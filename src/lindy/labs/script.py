"""A script taken apart: its docstring, and cells of prose and code.

``# %% [markdown]`` begins a cell of prose in comments, ``# %%`` one of code. In prose, a paragraph that begins with
``Hint:`` helps without telling, and one that begins with ``Correction:`` says where a lecture is wrong.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from pathlib import Path

PROSE_MARK = "# %% [markdown]"
MARK = "# %%"


@dataclass(frozen=True, slots=True)
class Cell:
    """Prose or code, and the line of the file on which it begins."""

    prose: bool
    text: str
    line: int


@dataclass(frozen=True, slots=True)
class Script:
    """A script: what it is called, what it says of itself, and its cells."""

    path: Path
    title: str
    introduction: str
    cells: tuple[Cell, ...]


def read_script(path: Path) -> Script:
    """Take a script apart."""
    source = path.read_text(encoding="utf-8")
    title, _, introduction = (ast.get_docstring(ast.parse(source)) or path.stem).partition("\n")
    lines = source.splitlines()
    starts = [i for i, line in enumerate(lines) if line.startswith(MARK)]
    docstring = ast.parse(source).body[0].end_lineno or 0
    cells = [_code(lines[docstring : starts[0] if starts else len(lines)], docstring + 1)]
    for begin, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        make = _prose if lines[begin].startswith(PROSE_MARK) else _code
        cells.append(make(lines[begin + 1 : end], begin + 2))
    kept = tuple(cell for cell in cells if cell.text)
    return Script(path, title.rstrip("."), introduction.strip(), kept)


def _prose(lines: list[str], line: int) -> Cell:
    return Cell(True, "\n".join(re.sub("^# ?", "", text) for text in lines).strip("\n"), line)


def _code(lines: list[str], line: int) -> Cell:
    while lines and not lines[0].strip():
        lines, line = lines[1:], line + 1
    return Cell(False, "\n".join(lines).rstrip(), line)


def paragraphs(prose: str) -> list[str]:
    """Return the paragraphs of a cell of prose; fenced blocks stay whole."""
    found: list[str] = []
    fenced = False
    for part in re.split(r"\n{2,}", prose):
        if fenced:
            found[-1] += f"\n\n{part}"
        else:
            found.append(part)
        fenced ^= part.count("```") % 2 == 1
    return found
