"""Cells that a spreadsheet takes for text: formulas in labels and texts, such as ``=cmd|…``, are not run.

Excel, LibreOffice and Google Sheets take a cell of a CSV file that begins with ``= + - @``, a tab or a line break for a
formula, quoted or not (OWASP, CSV injection). With an apostrophe in front it is text. Plain numbers such as -1.5 are
harmless and stay as they are.
"""

from __future__ import annotations

import re

_FORMULA = re.compile("[=+\\-@\t\r\n＝＋－＠]")  # wide ones become narrow ones in some
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?", re.ASCII | re.IGNORECASE)


def as_text(cell: str) -> str:
    """Return a cell with an apostrophe in front of what a spreadsheet would run."""
    return f"'{cell}" if _FORMULA.match(cell) and not _NUMBER.fullmatch(cell) else cell


def as_it_was(cell: str) -> str:
    """Return what ``as_text`` was given."""
    return cell[1:] if cell.startswith("'") and as_text(cell[1:]) == cell else cell
