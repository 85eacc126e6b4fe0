"""The tables of characters that a model's texts are folded and cut with, as runs of equal entries.

They are those of the core, and so of the Python that it was built for. A browser has its own, of another version of
Unicode, and would cut some texts in another way.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lindy import _native

_GONE = 2**31 - 1
ACCENTS = {None: 0, "unicode": 1, "ascii": 2}


class Characters:
    """The tables that some vectorizers need, each once."""

    def __init__(self) -> None:
        self._foldings: list[tuple[bool, str | None]] = []
        self._shapes = False

    def folding(self, *, lower: bool, accents: str | None) -> int:
        """Return the number of a way to fold texts."""
        wanted = (lower, accents or None)
        if wanted not in self._foldings:
            self._foldings.append(wanted)
        return self._foldings.index(wanted)

    def need_shapes(self) -> None:
        """Ask for the table of capitals, small letters and digits."""
        self._shapes = True

    def packed(self) -> dict[str, Any]:
        """Return the tables for the header of a model."""
        kinds, contexts, shapes = _native.character_kinds()
        sigma = [lower and accents != "ascii" for lower, accents in self._foldings]
        return {
            "kinds": _runs(kinds),
            "contexts": _runs(contexts) if any(sigma) else None,
            "shapes": _runs(shapes) if self._shapes else None,
            "foldings": [
                {**_folding(lower, ACCENTS[accents]), "sigma": own}
                for (lower, accents), own in zip(self._foldings, sigma, strict=True)
            ],
        }


def _runs(entries: NDArray[Any]) -> dict[str, NDArray[Any]]:
    """Return how many equal entries follow one another, and what they are."""
    begins = np.flatnonzero(np.concatenate([[True], entries[1:] != entries[:-1]]))
    lengths = np.diff(np.append(begins, len(entries))).astype(np.uint32)
    return {"lengths": lengths, "values": entries[begins]}


@cache
def _folding(lower: bool, accents: int) -> dict[str, Any]:
    """Return what is added to code points that become one, and what others become: code point, how many, these.

    Of ASCII only, nearly all characters become nothing, which is a number of its own.
    """
    counts, successors = _native.fold_successors(lower, accents)
    ends = np.cumsum(counts, dtype=np.int64)
    points = np.arange(len(counts))
    single = counts == 1
    moved = np.zeros(len(counts), np.int32)
    moved[single] = successors[ends[single] - 1].astype(np.int64) - points[single]
    moved[counts == 0] = _GONE
    sequences: list[int] = []
    for c in np.flatnonzero(counts > 1).tolist():
        own = successors[ends[c] - counts[c] : ends[c]].tolist()
        sequences += [c, len(own), *own]
    return {"moved": _runs(moved), "sequences": np.array(sequences, np.uint32)}
