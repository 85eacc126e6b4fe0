"""The space of a search: features × learners × their options."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from lindy.estimators.learners import InputKind, learner_class, usual_learners
from lindy.text.weighting.weighting_registry import SEARCHED
from lindy.tuning.recipe import Features, Recipe

FEATURES = {
    "words 1": Features((1, 1)),
    "words 1-2": Features((1, 2)),
    "words 1-3": Features((1, 3)),
    "words+chars": Features((1, 2), (4, 4)),
    "chars": Features(None, (2, 5)),
}


def strengths(learner: str, points: int) -> list[dict[str, Any]]:
    """Return options from strong to weak regularisation, as the learner declares them."""
    found: list[dict[str, Any]] = []
    for option, given in learner_class(learner).spec.strengths.items():
        values = list(given)
        if isinstance(given, tuple):
            values = [float(f"{value:.3g}") for value in np.geomspace(given[0], given[1], points)]
        found += [{option: value} for value in values]
    return found or [{}]


@dataclass(frozen=True, slots=True)
class Space:
    """All combinations; learners that want counts get them, all others the weightings."""

    features: Sequence[Features] = tuple(FEATURES.values())
    weightings: Sequence[str] = SEARCHED
    learners: Mapping[str, Sequence[Mapping[str, Any]]] = field(
        default_factory=lambda: {name: strengths(name, 9) for name in usual_learners("tune")}
    )

    def recipes(self) -> list[Recipe]:
        """Return every recipe once, those of one path next to each other."""
        found: dict[str, Recipe] = {}
        for features in self.features:
            for learner, grid in self.learners.items():
                input_kind = learner_class(learner).spec.input_kind
                if input_kind is InputKind.WORDS:
                    raise ValueError(f"{learner} uses its own word lists, so there are no features to search")
                weightings = self.weightings if input_kind.takes_any_numbers else ["counts"]
                for weighting in weightings:
                    own = replace(features, weighting=weighting)
                    for params in grid:
                        recipe = Recipe(own, learner, dict(params))
                        found.setdefault(repr(recipe), recipe)
        return list(found.values())
