"""What a classifier has to beat: the most frequent label, chance, word lists, word votes, least squares."""

from __future__ import annotations

from lindy.baselines.constant import MajorityClass, RandomClass
from lindy.baselines.least_squares import LeastSquares
from lindy.baselines.lexicon import Lexicon
from lindy.baselines.votes import WordLists, WordVotes

__all__ = ["LeastSquares", "Lexicon", "MajorityClass", "RandomClass", "WordLists", "WordVotes"]
