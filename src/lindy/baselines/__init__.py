"""Baselines, which a classifier has to beat: the most frequent label, chance, word lists, votes, least squares."""

from lindy.lazy import lazy_imports

with lazy_imports(globals()):
    from lindy.baselines.constant import MajorityClass as MajorityClass
    from lindy.baselines.constant import RandomClass as RandomClass
    from lindy.baselines.least_squares import LeastSquares as LeastSquares
    from lindy.baselines.lexicon import Lexicon as Lexicon
    from lindy.baselines.votes import WordLists as WordLists
    from lindy.baselines.votes import WordVotes as WordVotes
