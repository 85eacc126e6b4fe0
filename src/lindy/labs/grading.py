"""Grades notebooks: runs their cells in a process of their own, and lists what the checks in them found.

``python -m lindy.labs.grading NOTEBOOK`` is that process; its last line is a JSON list. Cells run as they stand in the
notebook; one that fails is told, and the next ones run all the same. The code in a notebook can do what its user can:
grade what you would also open.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from lindy.errors import DataError

TIME_LIMIT = 600
"""Seconds that a notebook may take."""
_CHECK = re.compile(r"\bcheck\.([a-z_]+)\(")
_MARK = "lindy-grades "


@dataclass(frozen=True, slots=True)
class Grade:
    """The result of one check of a notebook: "passed", "failed" or "not run", and why."""

    check: str
    result: str
    message: str


def grade(path: Path, seconds: int = TIME_LIMIT) -> list[Grade]:
    """Run a notebook and return what its checks found, each once, in the order in which they stand in it.

    Raises
    ------
    DataError
        If the file is no notebook, or holds no check.
    """
    path = path.resolve()
    cells = code_cells(path)
    asked = list(dict.fromkeys(name for cell in cells for name in _CHECK.findall(cell)))
    if not asked:
        raise DataError(
            f"{path}: no cell calls a check",
            "checks look like check.perceptron(my_update), after: from lindy.labs import check",
        )
    command = [sys.executable, "-m", "lindy.labs.grading", str(path)]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=seconds, check=False, cwd=path.parent
        )
    except subprocess.TimeoutExpired:
        return [Grade(name, "not run", f"the notebook took longer than {seconds} s") for name in asked]
    told = [line for line in done.stdout.splitlines() if line.startswith(_MARK)]
    if not told:
        last = (done.stderr.strip().splitlines() or ["it ended without a word"])[-1]
        return [Grade(name, "not run", f"the notebook ended early: {last}") for name in asked]
    found, errors = json.loads(told[-1].removeprefix(_MARK))
    last = {own["check"]: own for own in found}  # of several tries the last counts
    grades = []
    for name in asked:
        if name in last:
            own = last[name]
            grades.append(Grade(name, "passed" if own["passed"] else "failed", own["message"]))
        else:
            numbers = [str(i) for i, cell in enumerate(cells, start=1) if name in _CHECK.findall(cell)]
            why = next((errors[number] for number in numbers if number in errors), "its cell did not call it")
            grades.append(Grade(name, "not run", why))
    return grades


def code_cells(path: Path) -> list[str]:
    """Return the source of the code cells of a notebook."""
    try:
        notebook = json.loads(path.read_text(encoding="utf-8"))
        cells = notebook["cells"]
        return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    except FileNotFoundError:
        raise DataError(f"{path}: there is no such file", "give a notebook (.ipynb)") from None
    except (ValueError, KeyError, TypeError) as error:
        raise DataError(f"{path}: not a Jupyter notebook ({error})", "give a notebook (.ipynb)") from None


def _run_cells(path: Path) -> None:
    """Run the cells one after the other, then print what the checks found."""
    import os
    import traceback

    os.environ.setdefault("MPLBACKEND", "agg")
    from lindy.labs import check

    space: dict[str, Any] = {"__name__": "__main__"}
    errors = {}
    for number, cell in enumerate(code_cells(path), start=1):
        # magics and shell lines are Jupyter's, not Python's
        source = "\n".join(line for line in cell.splitlines() if not re.match(r"\s*[%!]", line))
        try:
            exec(compile(source, f"cell {number}", "exec"), space)
        except (
            Exception,
            SystemExit,
        ) as error:  # a student's cell may fail in any way; the others still count
            errors[number] = f"cell {number}: {traceback.format_exception_only(error)[-1].strip()}"
    sys.stdout.write(f"\n{_MARK}{json.dumps([[asdict(own) for own in check.results()], errors])}\n")


if __name__ == "__main__":
    _run_cells(Path(sys.argv[1]))
