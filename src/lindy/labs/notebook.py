"""A script as a Jupyter notebook: with the solutions, or with room for the student's own."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from lindy.labs.script import Cell, Script

ROOM = "# your solution"


def notebook(script: Script, *, solutions: bool) -> str:
    """Return the notebook of a script as JSON (nbformat 4.5).

    What is given, imports, data and tables, is there in either case. A hint is a cell of its own, folded.
    """
    pairs = [("markdown", f"# {script.title}\n\n{script.introduction}")]
    pairs += [pair for cell in script.cells for pair in _cells(cell, solutions=solutions)]
    return json.dumps(
        {
            "cells": [_cell(number, kind, text) for number, (kind, text) in enumerate(pairs)],
            "metadata": {
                "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
                "language_info": {"name": "python"},
            },
            "nbformat": 4,
            "nbformat_minor": 5,
        },
        ensure_ascii=False,
        indent=1,
    )


def _cells(cell: Cell, *, solutions: bool) -> Iterator[tuple[str, str]]:
    """Yield kind and text of the notebook's cells for one of the script."""
    if not cell.prose:
        yield "code", cell.text if solutions or cell.given else room(cell)
        return
    yield "markdown", cell.question
    for hint in cell.hints:
        yield "markdown", f"<details><summary>Hint</summary>\n\n{hint}\n\n</details>"


def room(cell: Cell) -> str:
    """Return room for a student's own solution, with the checks that the solution calls."""
    checks = [line for line in cell.text.splitlines() if line.startswith("check.")]
    return "\n".join([ROOM, *(["", *checks] if checks else [])])


def _cell(number: int, kind: str, text: str) -> dict[str, Any]:
    cell: dict[str, Any] = {"cell_type": kind, "id": f"cell-{number}", "metadata": {}}
    if kind == "code":
        cell |= {"execution_count": None, "outputs": []}
    return cell | {"source": text.splitlines(keepends=True)}
