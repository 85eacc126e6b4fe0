"""Values that are written as Python writes them."""

from __future__ import annotations

import ast
from typing import Any


def literal(text: str) -> Any:
    """Return the number, string or list that a text writes; the text itself if it writes none."""
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, RecursionError, MemoryError):  # the last two if it is nested too deeply
        return text
