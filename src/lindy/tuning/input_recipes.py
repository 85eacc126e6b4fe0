"""Which recipes there are for a kind of input, and which options of ``TextClassifier`` mean something for it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

import lindy.text
from lindy.core.feature_rows import FeatureRows
from lindy.core.image_column import ImageColumn
from lindy.core.inputs import Inputs
from lindy.estimators.learners import InputKind, learner_class
from lindy.features.inputs import KINDS
from lindy.features.row_vectorizer import check_counts
from lindy.text.vocabulary.terms import term_vectorizer, words_beside
from lindy.text.weighting.weighting_registry import SEARCHED, WEIGHTINGS, check_weighting
from lindy.tuning.recipe import Features, Recipe, part_vectorizer

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lindy.tuning.pipeline_spec import PipelineSpec
    from lindy.tuning.space import Space


_WORD = r"(?u)\b\w+\b"  # a word of a list
_MODULES = {
    "texts": "input_recipes:TextRecipes",
    "records": "input_recipes:TextRecipes",
    "features": "feature_row_recipes:FeatureRowRecipes",
    "images": "image_recipes:ImageRecipes",
}
_SAMPLE = 1000  # images by which the mean number of pixels is estimated


class InputRecipes:
    """The recipes for inputs of one kind."""

    def __init__(self, inputs: Any) -> None:
        self.inputs = inputs

    def candidates(self, spec: PipelineSpec) -> list[Recipe]:
        """Return the recipes to choose among, within what the options leave open."""
        raise NotImplementedError

    def fixed(self, spec: PipelineSpec) -> Recipe:
        """Return the recipe that is taken without a search."""
        return self.candidates(spec)[0]

    def vectorizer(self, spec: PipelineSpec, learner: Any, classes: NDArray[np.object_]) -> Any:
        """Return the unfitted vectorizer for a learner that was named."""
        raise NotImplementedError

    def check(self, spec: PipelineSpec, learner: Any) -> None:
        """Refuse options and learners that have no meaning."""

    def refuse(self, options: dict[str, Any]) -> None:
        """Refuse options of texts that were given."""
        for name, given in options.items():
            if given:
                holds = KINDS[self.inputs.kind].holds
                raise ValueError(f"{name} applies to texts, but the examples are {holds}: leave it out")

    def space(self, space: Space, weightings: Any) -> Space:
        """Return what a search tries, with the weightings that were asked for."""
        raise NotImplementedError

    def usable(self, learners: list[str]) -> list[str]:
        """Return those of some learners that can learn from such values."""
        return learners


class TextRecipes(InputRecipes):
    """The recipes for texts, and for records, whose columns of texts have the same features."""

    def candidates(self, spec: PipelineSpec) -> list[Recipe]:
        """Return the recipes for texts of this size and script."""
        from lindy.tuning.candidates import candidates_for, char_lengths

        texts, names = self.inputs.values, (spec.columns or {}).get("text", ())
        lengths = char_lengths([texts] if spec.columns is None else [texts[name] for name in names])
        size, thorough = self.inputs.n_bytes, spec.thorough
        return candidates_for(
            spec.words, spec.weighting, spec.chars, lengths, n_bytes=size, thorough=thorough
        )

    def fixed(self, spec: PipelineSpec) -> Recipe:
        """Return the recipe of ``fast``, whatever the texts."""
        from lindy.tuning.candidates import fixed_recipe

        return fixed_recipe(spec.words, spec.chars, spec.weighting)

    def vectorizer(self, spec: PipelineSpec, learner: Any, classes: NDArray[np.object_]) -> Any:
        """Return the vectorizer of terms, or of whole texts or listed words where the learner wants these."""
        if not learner.input_kind.has_columns:
            return lindy.text.SequenceVectorizer()
        if learner.input_kind is InputKind.WORDS:
            return lindy.text.CountVectorizer(
                vocabulary=learner.listed_words(classes), token_pattern=_WORD, n_jobs=spec.n_jobs
            )
        weighting = learner.input_kind.weighting if spec.weighting == "auto" else spec.weighting
        words = words_beside(spec.words, spec.chars)
        return term_vectorizer(words, spec.chars, weighting, **spec.asked_limits, n_jobs=spec.n_jobs)

    def space(self, space: Space, weightings: Any) -> Space:  # noqa: ARG002
        """Return the space as it is."""
        return space


def recipes_for(inputs: Inputs) -> InputRecipes:
    """Return the recipes for inputs of their kind; imports only those."""
    module, _, name = _MODULES[inputs.kind].partition(":")
    found: type[InputRecipes] = getattr(import_module(f"lindy.tuning.{module}"), name)
    return found(inputs)


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
    """The recipes for feature rows, by the kind of values that they have.

    Rows as they are given may be of any size, and what C means depends on it: with the mean M of ‖x‖², the values of
    C are multiples of 1/M (which is also SVMlight's default), so that they mean the same as for rows of length 1.
    """

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
