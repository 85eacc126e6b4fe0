"""Choosing recipes on held-out texts: the automatic recipe, and searches over representation, learner and strength."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lindy.lazy import lazy_names

if TYPE_CHECKING:
    from lindy.tuning.recipe import Features, Recipe
    from lindy.tuning.search import Search, Tuning, tune
    from lindy.tuning.space import Space

__all__ = ["Features", "Recipe", "Search", "Space", "Tuning", "tune"]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "recipe": "Features Recipe",
        "search": "Search Tuning tune",
        "space": "Space",
    },
)
