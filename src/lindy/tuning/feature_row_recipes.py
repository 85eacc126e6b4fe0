"""Recipes for feature rows and images: there are no words to cut, so only weighting, learner and strength are chosen.

Rows as they are given may be of any size, and what C means depends on it: with the mean M of ‖x‖², the values of C are
multiples of 1/M (which is also SVMlight's default), so that they mean the same as for rows of length 1.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from lindy.core.feature_rows import FeatureRows
from lindy.core.image_column import ImageColumn
from lindy.estimators.learners import InputKind, learner_class
from lindy.features.row_vectorizer import check_counts
from lindy.text.weighting.weighting_registry import SEARCHED, WEIGHTINGS, check_weighting
from lindy.tuning.input_recipes import InputRecipes
from lindy.tuning.recipe import Features, Recipe, part_vectorizer

if TYPE_CHECKING:
    from lindy.tuning.pipeline_spec import PipelineSpec
    from lindy.tuning.recipe import Space


_SAMPLE = 1000  # images by which the mean number of pixels is estimated


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


class FeatureRowRecipes(InputRecipes):
    """The recipes for feature rows, by the kind of values that they have."""

    inputs: FeatureRows

    def given(self) -> GivenFeatures:
        """Return the features as they are, with the unit of C for rows that are not scaled to length 1."""
        mean = float(np.square(self.inputs.rows.values, dtype=np.float64).sum()) / max(len(self.inputs), 1)
        return GivenFeatures(unit=float(f"{1 / mean:.2g}") if 0 < mean < np.inf else 1.0)

    def candidates(self, spec: PipelineSpec) -> list[Recipe]:
        """Return the recipes for a weighting, or for those that such values can have."""
        weighting = spec.weighting
        if weighting != "auto":
            check_counts([self.inputs], weighting)
        given = self.given()
        u = given.unit
        as_they_are = [
            Recipe(given, "svm", {"C": 2 * u}),
            Recipe(given, "maxent", {"C": 10 * u}),
        ]
        if weighting == "counts" or not self.inputs.are_counts:
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

    def vectorizer(self, spec: PipelineSpec, learner: Any, classes: Any) -> Any:  # noqa: ARG002
        """Return the vectorizer of the values as they are, unless a weighting was asked for."""
        weighting = "counts" if spec.weighting == "auto" else spec.weighting
        return part_vectorizer("given", (1, 1), weighting, spec.n_jobs, **spec.asked_limits)

    def check(self, spec: PipelineSpec, learner: Any) -> None:
        """Refuse options that are about texts, and measured values for a learner of categories."""
        name = type(learner).__name__
        if learner.input_kind is InputKind.CATEGORIES and not self.inputs.are_counts:
            raise ValueError(
                f"{name} takes categories, which are whole numbers from 0, but some values are others:"
                " choose another learner"
            )
        self.refuse({name: getattr(spec, name) for name in ("ngrams", "subwords", "oov", "extra")})
        if not learner.input_kind.has_columns:
            raise ValueError(
                f"{name} with this kernel compares texts, but the examples are features with values:"
                " choose another kernel"
            )

    def space(self, space: Space, weightings: Any) -> Space:
        """Return the space of the given features, with weightings that such values can have."""
        weightings = weightings or (("counts", *SEARCHED) if self.inputs.are_counts else ("counts",))
        for weighting in weightings:
            check_counts([self.inputs], weighting)
        return replace(space, features=(self.given(),), weightings=weightings)

    def usable(self, learners: list[str]) -> list[str]:
        """Leave out learners of texts, and of counts where values are negative."""
        negative = bool((self.inputs.rows.values < 0).any())
        kinds = {name: learner_class(name).spec.input_kind for name in learners}
        return [
            name
            for name, kind in kinds.items()
            if kind.learns_columns and (kind.takes_any_numbers or not negative)
        ]


@dataclass(frozen=True, slots=True)
class ImageFeatures(GivenFeatures):
    """Pixels, and shapes beside them; C is a multiple of ``unit``."""

    shapes: bool = True

    @property
    def parts(self) -> list[tuple[str, tuple[int, int]]]:
        """The kinds of columns."""
        return [(kind, (1, 1)) for kind in ("pixels", "shapes")[: 1 + self.shapes]]

    def vectorizer(self, n_jobs: int | None = None, **options: Any) -> Any:  # noqa: ARG002
        """Return the unfitted vectorizer."""
        from lindy.images.image_features import PixelFeatures, pixels_and_shapes

        return pixels_and_shapes(n_jobs) if self.shapes else PixelFeatures()

    def __str__(self) -> str:
        return "pixels and shapes" if self.shapes else "pixels"


class ImageRecipes(InputRecipes):
    """The recipes for images.

    Rows are of ones, so that ‖x‖² is the number of pixels that are on; with its mean M, the values of C are multiples
    of 1/M, as for feature rows.
    """

    inputs: ImageColumn

    def features(self) -> tuple[ImageFeatures, ImageFeatures]:
        """Return pixels with shapes and pixels alone, with the unit of C for such images."""
        from lindy.images import PixelFeatures

        rows = PixelFeatures().fit_csr(self.inputs[:_SAMPLE])
        on = len(rows.indices) / rows.shape[0]
        unit = float(f"{1 / max(on, 1):.2g}")
        return ImageFeatures(unit=unit), ImageFeatures(unit=unit, shapes=False)

    def candidates(self, spec: PipelineSpec) -> list[Recipe]:  # noqa: ARG002
        """Return the recipes, which no option changes."""
        both, pixels = self.features()
        u = both.unit
        return [
            Recipe(both, "svm", {"C": 2 * u}),
            Recipe(both, "maxent", {"C": 10 * u}),
            Recipe(pixels, "svm", {"C": 2 * u}),
            Recipe(both, "bernoulli-naive-bayes", {}),
        ]

    def vectorizer(self, spec: PipelineSpec, learner: Any, classes: Any) -> Any:  # noqa: ARG002
        """Return the vectorizer of pixels and shapes."""
        return ImageFeatures().vectorizer(spec.n_jobs)

    def check(self, spec: PipelineSpec, learner: Any) -> None:
        """Refuse options that are about texts, and learners of texts."""
        self.refuse(spec.about_texts())
        for other in spec.extra:
            if other.takes != self.inputs.kind:
                raise ValueError(
                    f"{type(other).__name__} in extra makes features of texts, not of images: leave it out"
                )
        if not learner.input_kind.learns_columns:
            raise ValueError(
                f"{type(learner).__name__} takes texts, but the examples are images: choose another learner"
            )

    def space(self, space: Space, weightings: Any) -> Space:  # noqa: ARG002
        """Return the space of pixels and shapes, which have no weightings."""
        return replace(space, features=self.features(), weightings=("counts",))
