"""A script as a Jupyter notebook: with the solutions, or with room for the student's own."""

from __future__ import annotations

import json
from typing import Any

from lindy.labs.script import Cell, Script, paragraphs

ROOM = "# your solution"


def notebook(script: Script, *, solutions: bool) -> str:
    """Return the notebook of a script as JSON (nbformat 4.5).

    The first cell of code, imports and data, is there in either case.
    """
    cells = [_cell(0, "markdown", f"# {script.title}\n\n{script.introduction}")]
    begun = False
    for number, cell in enumerate(script.cells, start=1):
        if cell.prose:
            cells.append(_cell(number, "markdown", _markdown(cell)))
        else:
            shown = solutions or not begun
            cells.append(_cell(number, "code", cell.text if shown else ROOM))
            begun = True
    return json.dumps(
        {
            "cells": cells,
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


def _cell(number: int, kind: str, text: str) -> dict[str, Any]:
    cell: dict[str, Any] = {"cell_type": kind, "id": f"cell-{number}", "metadata": {}}
    if kind == "code":
        cell |= {"execution_count": None, "outputs": []}
    return cell | {"source": text.splitlines(keepends=True)}


def _markdown(cell: Cell) -> str:
    """Return prose with its hints folded, so that they are read when they are wanted."""
    return "\n\n".join(
        f"<details><summary>Hint</summary>\n\n{text.removeprefix('Hint: ')}\n\n</details>"
        if text.startswith("Hint: ")
        else text
        for text in paragraphs(cell.text)
    )
