"""Recipes for images: pixels that are on, and the shape that they make.

Rows are of ones, so that ‖x‖² is the number of pixels that are on; with its mean M, the values of C are multiples of
1/M, as for feature rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from lindy.core.image_column import ImageColumn
from lindy.tuning.recipe import Features, Recipe

_SAMPLE = 1000  # images by which the mean number of pixels is estimated


@dataclass(frozen=True, slots=True)
class ImageFeatures(Features):
    """Pixels, and shapes beside them; C is a multiple of ``unit``."""

    words: tuple[int, int] | None = None
    chars: tuple[int, int] | None = None
    weighting: str = "counts"
    unit: float = 1.0
    shapes: bool = True

    def __post_init__(self) -> None:
        """Nothing can be wrong with them."""

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


def image_features(images: ImageColumn) -> tuple[ImageFeatures, ImageFeatures]:
    """Return pixels with shapes and pixels alone, with the unit of C for such images."""
    from lindy.images import PixelFeatures

    rows = PixelFeatures().fit_csr(images[:_SAMPLE])
    on = len(rows.indices) / rows.shape[0]
    unit = float(f"{1 / max(on, 1):.2g}")
    return ImageFeatures(unit=unit), ImageFeatures(unit=unit, shapes=False)


def image_candidates(images: ImageColumn) -> list[Recipe]:
    """Return the recipes to choose among."""
    both, pixels = image_features(images)
    u = both.unit
    return [
        Recipe(both, "svm", {"C": 2 * u}),
        Recipe(both, "maxent", {"C": 10 * u}),
        Recipe(pixels, "svm", {"C": 2 * u}),
        Recipe(both, "bernoulli-naive-bayes", {}),
    ]


def check_image_options(options: dict[str, Any], extra: Any, learner: Any) -> None:
    """Refuse options that are about texts, and learners of texts."""
    for name, given in options.items():
        if given:
            raise ValueError(f"{name} applies to texts, but the examples are images: leave it out")
    for other in extra:
        if not other.takes_pictures:
            raise ValueError(
                f"{type(other).__name__} in extra makes features of texts, not of images: leave it out"
            )
    if not learner.input_kind.learns_columns:
        raise ValueError(
            f"{type(learner).__name__} takes texts, but the examples are images: choose another learner"
        )
