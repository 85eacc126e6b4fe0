"""What a search looks through: features × learners × their options."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from lindy.learners import learner_class
from lindy.tuning.recipe import Features, Recipe

FEATURES = {
    "words 1": Features((1, 1)),
    "words 1-2": Features((1, 2)),
    "words 1-3": Features((1, 3)),
    "words+chars": Features((1, 2), (4, 4)),
    "chars": Features(None, (2, 5)),
}
WEIGHTINGS = ("tfidf", "bm25")
LEARNERS = ("nb-svm", "svm", "maxent", "naive-bayes")


def strengths(learner: str, points: int) -> list[dict[str, Any]]:
    """Return options from strong to weak regularisation: C, or naive Bayes's k and its interpolation with all words."""
    if learner == "naive-bayes":
        k = [{"alpha": float(f"{value:.3g}")} for value in np.geomspace(0.001, 10, points)]
        return k + [{"interpolation": a} for a in (0.5, 0.7, 0.9, 0.99)]
    known = learner_class(learner)().get_params()
    if "C" not in known:
        return [{}]
    return [{"C": float(f"{value:.3g}")} for value in np.geomspace(0.01, 100, points)]


@dataclass(frozen=True, slots=True)
class Space:
    """All combinations; learners of counts (naive Bayes) get counts, all others the weightings."""

    features: Sequence[Features] = tuple(FEATURES.values())
    weightings: Sequence[str] = WEIGHTINGS
    learners: Mapping[str, Sequence[Mapping[str, Any]]] = field(
        default_factory=lambda: {name: strengths(name, 9) for name in LEARNERS}
    )

    def recipes(self) -> list[Recipe]:
        """Return every recipe once, those of one path next to each other."""
        found: dict[str, Recipe] = {}
        for features in self.features:
            for learner, grid in self.learners.items():
                weightings = ["counts"] if learner == "naive-bayes" else self.weightings
                for weighting in weightings:
                    own = Features(features.words, features.chars, weighting)
                    for params in grid:
                        recipe = Recipe(own, learner, dict(params))
                        found.setdefault(repr(recipe), recipe)
        return list(found.values())
