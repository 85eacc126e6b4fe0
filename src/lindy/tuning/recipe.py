"""A recipe (how texts become numbers, and which learner makes a model of them), and the space of those to search."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from lindy.core.targets import Targets
from lindy.estimators.learners import REGISTRY, InputKind, learner_class, make_learner, usual_learners
from lindy.text.vocabulary import terms
from lindy.text.vocabulary.terms import parts_of
from lindy.text.weighting.weighting_registry import SEARCHED, WEIGHTINGS, check_weighting, terms_in_words


@dataclass(frozen=True, slots=True)
class Features:
    """The features of a text: n-grams of words and punctuation, of characters within words, or both.

    With ``subwords``, the merges by which words are cut, the n-grams are of their pieces. Word vectors beside the terms
    have ``vectors`` times their length; at 0 they are left out.
    """

    words: tuple[int, int] | None = (1, 2)
    chars: tuple[int, int] | None = None
    weighting: str = "tfidf"
    subwords: int | None = None
    vectors: float = 1.0

    def __post_init__(self) -> None:
        if not parts_of(self.words, self.chars):
            raise ValueError("a recipe needs words, characters or both")
        check_weighting(self.weighting)

    @property
    def parts(self) -> list[tuple[str, tuple[int, int]]]:
        """The kinds of terms and their lengths."""
        return parts_of(self.words, self.chars, self.subwords)

    def vectorizer(self, n_jobs: int | None = None, **options: Any) -> Any:
        """Return the unfitted vectorizer."""
        made = [
            (kind, part_vectorizer(kind, lengths, self.weighting, n_jobs, **options))
            for kind, lengths in self.parts
        ]
        return terms.side_by_side(made)

    def __str__(self) -> str:
        analyzers = {"words": "word", "subwords": "bpe", "chars": "char_wb"}
        parts = " and ".join(terms_in_words(analyzers[kind], lengths) for kind, lengths in self.parts)
        return f"{parts}, {WEIGHTINGS[self.weighting].title}"


class NoTexts(Features):
    """The features of a table without texts: its numbers and categories."""

    __slots__ = ()

    @property
    def parts(self) -> list[tuple[str, tuple[int, int]]]:
        """No terms."""
        return []

    def vectorizer(self, n_jobs: int | None = None, **options: Any) -> Any:  # noqa: ARG002
        """Return None: there is nothing to make into terms."""
        return

    def __str__(self) -> str:
        return "numbers and categories"


def part_vectorizer(
    kind: str, lengths: tuple[int, int], weighting: str, n_jobs: int | None, **options: Any
) -> Any:
    """Return the unfitted vectorizer of one kind of terms, of features that are given, or of images."""
    if kind == "given":
        from lindy.features import BagVectorizer

        return BagVectorizer(weighting=weighting, n_jobs=n_jobs, **options)
    if kind in ("pixels", "shapes"):
        from lindy.images import PixelFeatures, ShapeFeatures

        return PixelFeatures() if kind == "pixels" else ShapeFeatures(n_jobs=n_jobs)
    return terms.part_vectorizer(kind, lengths, weighting, punctuation=True, n_jobs=n_jobs, **options)


@dataclass(frozen=True, slots=True)
class Recipe:
    """Features, a learner by name, and its options."""

    features: Features = field(default_factory=Features)
    learner: str = "nb-svm"
    params: Mapping[str, Any] = field(default_factory=dict)

    def make_learner(self) -> Any:
        """Return the unfitted learner."""
        return make_learner(self.learner, **self.params)

    def to_dict(self) -> dict[str, Any]:
        """Return the recipe as JSON can hold it."""
        features = self.features
        return {
            "words": None if features.words is None else list(features.words),
            "chars": None if features.chars is None else list(features.chars),
            "weighting": features.weighting,
            "learner": self.learner,
            "params": dict(self.params),
        }

    def __str__(self) -> str:
        return self.described()

    def described(self, extra: Iterable[Any] = ()) -> str:
        """Return the recipe in a line, with the vectorizers whose features stand beside its own."""
        beside = at_length(extra, self.features.vectors)
        features = " and ".join([str(self.features), *(own.describe() for own in beside)])
        return f"{features}; {learner_in_words(self.make_learner())}"


def are_vectors(vectorizer: Any) -> bool:
    """Whether the rows of a vectorizer are word vectors, whose length is a matter of choice."""
    return getattr(vectorizer, "kind", "") == "static embedding"


def at_length(extra: Iterable[Any], factor: float) -> list[Any]:
    """Return further vectorizers, those of word vectors with so many times their length; at 0 they are left out."""
    return [
        own.scaled(factor) if are_vectors(own) and factor != 1 else own
        for own in extra
        if factor or not are_vectors(own)
    ]


def without_texts(recipes: Iterable[Recipe]) -> list[Recipe]:
    """Return recipes for a table without texts, one for each learner."""
    by_learner: dict[str, Recipe] = {}
    for recipe in recipes:
        by_learner.setdefault(recipe.learner, replace(recipe, features=NoTexts()))
    return list(by_learner.values())


def for_several(recipes: Iterable[Recipe]) -> list[Recipe]:
    """Return those recipes that learn all labels of a text together, by the same rows; with words alone, too.

    Where there is none, their features are learned by SVM.
    """
    recipes = [own for recipe in recipes for own in (recipe, *_words_alone(recipe))]
    found = [own for own in recipes if own.make_learner().solves_together]
    found = found or [Recipe(own.features, "svm", {"C": 1.0, "tol": 1e-3}) for own in recipes]
    return [own for i, own in enumerate(found) if own not in found[:i]]


def _words_alone(recipe: Recipe) -> list[Recipe]:
    """Return the recipe without its characters, where they stand beside words."""
    features = recipe.features
    both = features.words is not None and features.chars is not None
    return [replace(recipe, features=replace(features, chars=None))] if both else []


_UNSAID = ("n_jobs", "random_state", "tol")


def _short(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def describe(vectorizer: Any, learner: Any) -> str:
    """Return in a line what a model without a chosen recipe is made of."""
    return f"{vectorizer.describe()}; {learner_in_words(learner)}"


def learner_in_words(learner: Any) -> str:
    """Return a learner as people say it, with its strength and the simple options that are not its defaults.

    Options that have no effect beside the others are left out.
    """
    declared = learner.spec
    if declared.name not in REGISTRY:
        return str(learner.class_name)
    if (single := getattr(learner, "learner", None)) is not None:
        is_tree = learner.finds_top and not learner.exact
        return f"{'label tree of' if is_tree else 'one-vs-rest'} {learner_in_words(single)}"
    usual = inspect.signature(type(learner)).parameters
    idle = learner.idle_options
    strength = next(iter(declared.strengths), None)
    options = ", ".join(
        f"{name}={_short(value)}"
        for name, value in learner.get_params(deep=False).items()
        if isinstance(value, str | float | int | None)
        and name not in idle
        and (name == strength or (name not in _UNSAID and value != usual[name].default))
    )
    return f"{declared.title} ({options})" if options else str(declared.title)


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


def searched_learners(y: Targets, points: int) -> dict[str, Sequence[Mapping[str, Any]]]:
    """Return the learners that a search tries, with their options: of several labels, those that learn all together."""
    names = usual_learners("tune")
    if y.row_codes is None:
        names = [name for name in names if make_learner(name).solves_together]
    return {name: strengths(name, points) for name in names}


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
