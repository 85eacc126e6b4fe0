"""Where a text's folded form stands in the text itself.

Lower case and stripped accents may lengthen or shorten a text ("İ" becomes two characters, a combining mark none).
How many characters one becomes does not depend on its neighbours, so the way back is a sum of these lengths.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lindy.text.analysis.token_pattern import TokenPattern

Index = NDArray[np.int64]


def code_points(text: str) -> NDArray[np.uint32]:
    """Return the characters of a text as numbers."""
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)


def numbered(points: NDArray[np.uint32]) -> tuple[NDArray[np.uint32], Index]:
    """Return the different code points and which of them each one is."""
    seen = np.zeros(int(points.max(initial=0)) + 1, np.int64)
    seen[points] = 1
    return np.flatnonzero(seen).astype(np.uint32), (np.cumsum(seen) - 1)[points]


def is_space(text: str) -> NDArray[np.bool_]:
    """Return which characters of a text are white space."""
    points, which = numbered(code_points(text))
    spaces: NDArray[np.bool_] = np.array([chr(point).isspace() for point in points.tolist()], bool)[which]
    return spaces


def origins(text: str, folded: str, fold: Callable[[str], str]) -> Index | None:
    """Return, for each character of the folded text, the place in the text it came from; None if it cannot be known."""
    if len(text) == len(folded) and text.isascii():
        return np.arange(len(text))
    points, which = numbered(code_points(text))
    lengths = np.array([len(fold(chr(point))) for point in points.tolist()], np.int64)
    places = np.repeat(np.arange(len(text)), lengths[which])
    return places if len(places) == len(folded) else None


_WHITE_SPACES = re.compile(r"\s\s+")


def joined_spaces(text: str) -> tuple[str, Index]:
    """Return the text with runs of white space as one space, and the place each of its characters came from."""
    kept = np.ones(len(text), bool)
    for run in _WHITE_SPACES.finditer(text):
        kept[run.start() + 1 : run.end()] = False
    return _WHITE_SPACES.sub(" ", text), np.flatnonzero(kept)


def token_spans(tokenize: Any, text: str) -> tuple[list[str], Index] | None:
    """Return the tokens of a folded text and their begins and ends; None if a tokenizer makes its own."""
    if isinstance(tokenize, TokenPattern):
        group, matches = tokenize.groups, tokenize.matches(text)
        tokens = [match[group] or "" for match in matches]
        spans = [match.span(group) if match[group] else match.span() for match in matches]
    else:
        tokens, spans, at = list(tokenize(text)), [], 0
        for token in tokens:
            begin = text.find(token, at) if isinstance(token, str) else -1
            if begin < 0:
                return None
            at = begin + len(token)
            spans.append((begin, at))
    return tokens, np.array(spans, np.int64).reshape(-1, 2)
