r"""A script taken apart: its docstring, and cells of prose and code.

``# %% [markdown]`` begins a cell of prose in comments, ``# %% given`` code that is handed out with the exercise (its
data and tables), ``# %%`` the code of a solution. What comes before the first cell, the imports, is given, too. In
prose, a paragraph that begins with ``Hint:`` helps without telling, and one that begins with ``Correction:`` says where
a lecture is wrong. Formulas are LaTeX between dollar signs, with the number of the lecture's equation as ``\tag``.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from pathlib import Path

PROSE_MARK = "# %% [markdown]"
GIVEN_MARK = "# %% given"
MARK = "# %%"
HINT = "Hint: "


@dataclass(frozen=True, slots=True)
class Cell:
    """Prose or code, the line of the file on which it begins, and whether the code is handed out with the exercise."""

    prose: bool
    text: str
    line: int
    given: bool = False

    @property
    def question(self) -> str:
        """The prose without its hints."""
        return "\n\n".join(text for text in paragraphs(self.text) if not text.startswith(HINT))

    @property
    def hints(self) -> list[str]:
        """The hints of the prose, without the word."""
        return [text.removeprefix(HINT) for text in paragraphs(self.text) if text.startswith(HINT)]


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
    cells = [_code(lines[docstring : starts[0] if starts else len(lines)], docstring + 1, given=True)]
    for begin, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        mark, body = lines[begin], lines[begin + 1 : end]
        if mark.startswith(PROSE_MARK):
            cells.append(_prose(body, begin + 2))
        else:
            cells.append(_code(body, begin + 2, given=mark.startswith(GIVEN_MARK)))
    kept = tuple(cell for cell in cells if cell.text)
    return Script(path, title.rstrip("."), introduction.strip(), kept)


def _prose(lines: list[str], line: int) -> Cell:
    return Cell(True, "\n".join(re.sub("^# ?", "", text) for text in lines).strip("\n"), line)


def _code(lines: list[str], line: int, *, given: bool) -> Cell:
    while lines and not lines[0].strip():
        lines, line = lines[1:], line + 1
    return Cell(False, "\n".join(lines).rstrip(), line, given)


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
