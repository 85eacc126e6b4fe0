"""Recipes for feature rows: there are no words to cut, so only weighting, learner and strength are chosen.

Rows as they are given may be of any size, and what C means depends on it: with the mean M of ‖x‖², the values of C are
multiples of 1/M (which is also SVMlight's default), so that they mean the same as for rows of length 1.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from lindy.core.feature_rows import FeatureRows
from lindy.estimators.learners import InputKind, learner_class
from lindy.features.row_vectorizer import check_counts
from lindy.text.weighting.weighting_registry import SEARCHED, WEIGHTINGS, check_weighting
from lindy.tuning.recipe import Features, Recipe


@dataclass(frozen=True, slots=True)
class GivenFeatures(Features):
    """Features as they are given, or with their counts weighted; C is a multiple of ``unit``."""

    words: tuple[int, int] | None = None
    chars: tuple[int, int] | None = None
    weighting: str = "counts"
    unit: float = 1.0

    def __post_init__(self) -> None:
        check_weighting(self.weighting)

    @property
    def parts(self) -> list[tuple[str, tuple[int, int]]]:
        """One kind of columns."""
        return [("given", (1, 1))]

    def __str__(self) -> str:
        return (
            "features as given"
            if self.weighting == "counts"
            else f"features, {WEIGHTINGS[self.weighting].title}"
        )


def given_features(features: FeatureRows, weighting: str = "counts") -> GivenFeatures:
    """Return the features, with the unit of C where their rows are not scaled to length 1."""
    if weighting != "counts":
        return GivenFeatures(weighting=weighting)
    mean = float(np.square(features.rows.values, dtype=np.float64).sum()) / max(len(features), 1)
    return GivenFeatures(unit=float(f"{1 / mean:.2g}") if 0 < mean < np.inf else 1.0)


def feature_row_candidates(features: FeatureRows, weighting: str = "auto") -> list[Recipe]:
    """Return the recipes to choose among, for values of the kind that the feature rows have."""
    if weighting != "auto":
        check_counts([features], weighting)
    given = given_features(features)
    u = given.unit
    as_they_are = [
        Recipe(given, "svm", {"C": 2 * u}),
        Recipe(given, "maxent", {"C": 10 * u}),
    ]
    if weighting == "counts" or not features.are_counts:
        return as_they_are
    weighted = SEARCHED if weighting == "auto" else (weighting,)
    first = [
        Recipe(GivenFeatures(weighting=own), learner, params)
        for own in weighted
        for learner, params in (("nb-svm", {"C": 1.0}), ("svm", {"C": 2.0}))
    ]
    if weighting != "auto":
        return first
    return [*first, *as_they_are, Recipe(given, "naive-bayes", {"alpha": 0.3})]


def usable_learners(names: list[str], features: FeatureRows) -> tuple[list[str], list[str]]:
    """Return the learners that can learn from feature rows with such values, and those that cannot."""
    negative = bool((features.rows.values < 0).any())
    input_kind = {name: learner_class(name).spec.input_kind for name in names}
    cannot = [
        name
        for name in names
        if not input_kind[name].has_columns or (negative and not input_kind[name].takes_any_numbers)
    ]
    return [name for name in names if name not in cannot], cannot


def check_feature_row_options(about_texts: Mapping[str, Any], learner: Any, features: FeatureRows) -> None:
    """Refuse options that are about texts, and measured values for a learner of categories."""
    if learner.input_kind is InputKind.CATEGORIES and not features.are_counts:
        raise ValueError(
            f"{type(learner).__name__} takes categories, which are whole numbers from 0, but some values are others:"
            " choose another learner"
        )
    for name, given in about_texts.items():
        if given:
            raise ValueError(
                f"{name} applies to texts, but the examples are features with values: leave it out"
            )
    if not learner.input_kind.has_columns:
        raise ValueError(
            f"{type(learner).__name__} with this kernel compares texts, but the examples are features with values:"
            " choose another kernel"
        )
