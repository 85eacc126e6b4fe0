"""Choosing recipes on held-out texts: the automatic recipe, and searches over representation, learner and strength."""

from lindy.lazy import lazy_imports

with lazy_imports(globals()):
    from lindy.tuning.recipe import Features as Features
    from lindy.tuning.recipe import Recipe as Recipe
    from lindy.tuning.recipe import Space as Space
    from lindy.tuning.search import Search as Search
    from lindy.tuning.search import Tuning as Tuning
    from lindy.tuning.search import tune as tune
