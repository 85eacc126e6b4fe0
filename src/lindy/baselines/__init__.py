"""Baselines, which a classifier has to beat: the most frequent label, chance, word lists, votes, least squares."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lindy.lazy import lazy_names

if TYPE_CHECKING:
    from lindy.baselines.constant import MajorityClass, RandomClass
    from lindy.baselines.least_squares import LeastSquares
    from lindy.baselines.lexicon import Lexicon
    from lindy.baselines.votes import WordLists, WordVotes

__all__ = ["LeastSquares", "Lexicon", "MajorityClass", "RandomClass", "WordLists", "WordVotes"]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "constant": "MajorityClass RandomClass",
        "least_squares": "LeastSquares",
        "lexicon": "Lexicon",
        "votes": "WordLists WordVotes",
    },
)
