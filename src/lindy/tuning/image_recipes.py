"""Recipes for images: pixels that are on, and the shape that they make.

Rows are of ones, so that ‖x‖² is the number of pixels that are on; with its mean M, the values of C are multiples of
1/M, as for feature rows.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from lindy.core.image_column import ImageColumn
from lindy.tuning.feature_row_recipes import GivenFeatures
from lindy.tuning.input_recipes import InputRecipes
from lindy.tuning.recipe import Recipe

if TYPE_CHECKING:
    from lindy.tuning.pipeline_spec import PipelineSpec
    from lindy.tuning.space import Space

_SAMPLE = 1000  # images by which the mean number of pixels is estimated


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
    """The recipes for images."""

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
