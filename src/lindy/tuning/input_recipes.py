"""Which recipes there are for a kind of input, and which options of ``TextClassifier`` mean something for it."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

import lindy.text
from lindy.core.inputs import Inputs
from lindy.estimators.learners import InputKind
from lindy.features.inputs import KINDS
from lindy.text.vocabulary.terms import term_vectorizer, words_beside
from lindy.tuning.recipe import Recipe

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from lindy.tuning.pipeline_spec import PipelineSpec
    from lindy.tuning.recipe import Space

_WORD = r"(?u)\b\w+\b"  # a word of a list
_MODULES = {
    "texts": "input_recipes:TextRecipes",
    "records": "input_recipes:TextRecipes",
    "features": "feature_row_recipes:FeatureRowRecipes",
    "images": "feature_row_recipes:ImageRecipes",
}


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
