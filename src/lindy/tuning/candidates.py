"""The recipes that compete where nothing else is asked for, the one to beat first.

Words and characters are side by side in one linear model, each with length 1. What was compared to find them, always on
held-out parts of training files: words alone, longer terms, other lengths of characters, characters across words, case,
shapes, marks at the ends of a text, a length of its own for every n, other weightings and losses, log-count ratios that
are shrunk by their standard errors, sums of separate models, the mean of both SVMs. Over many corpora, none in
the place of the first was better by more than chance.
"""

from __future__ import annotations

from dataclasses import replace

from lindy.tuning.recipe import Features, Recipe
from lindy.tuning.scripts import ALPHABETS, CharLengths

WORDS = Features((1, 2))
#: a gap of a thousandth changes no more predictions than another order of the texts would
_PARAMS = {"C": 1.0, "tol": 1e-3}
#: what ``fast`` takes without a search
FIXED = Recipe(WORDS, "nb-svm", _PARAMS)
#: from so many bytes on, terms of a single text are left out: half of all terms, which decide next to nothing
MANY_BYTES = 8_000_000


def fixed_recipe(ngrams: tuple[int, int] | None, chars: tuple[int, int] | None, weighting: str) -> Recipe:
    """Return what is taken without a search, with the terms and the weighting that were asked for."""
    features = Features(ngrams, chars) if ngrams or chars else WORDS
    weighted = features if weighting == "auto" else replace(features, weighting=weighting)
    return replace(FIXED, features=weighted)


def _usual(lengths: CharLengths, n_bytes: int = 0) -> list[Recipe]:
    """Return the candidates for texts of a script.

    Many texts in an alphabet are left to words: characters would take most of the time and add next to nothing, but
    a small sample could not tell.
    """
    both = Features((1, 2), lengths.beside(n_bytes))
    kinds = [both] if lengths == ALPHABETS else [both, Features(None, lengths.alone)]
    return [Recipe(features, learner, _PARAMS) for features in kinds for learner in ("nb-svm", "svm")]


def _thorough(lengths: CharLengths, n_bytes: int) -> list[Recipe]:
    """Return the usual candidates and those that win here and there."""
    both = Features((1, 2), lengths.beside(n_bytes) or lengths.steps[-1][1])
    kinds = [both, WORDS, Features((1, 3)), Features(None, lengths.alone)]
    more = [Recipe(features, learner, _PARAMS) for features in kinds for learner in ("nb-svm", "svm")]
    bm25, counts = replace(WORDS, weighting="bm25"), replace(WORDS, weighting="counts")
    more += [Recipe(bm25, "svm", _PARAMS), Recipe(counts, "naive-bayes", {"alpha": 0.3})]
    return [*_usual(lengths, n_bytes), *more]


CANDIDATES = tuple(_usual(ALPHABETS))


def candidates_for(
    ngrams: tuple[int, int] | None,
    weighting: str,
    chars: tuple[int, int] | None = None,
    lengths: CharLengths = ALPHABETS,
    *,
    n_bytes: int = 0,
    thorough: bool = False,
) -> list[Recipe]:
    """Return the candidates within given n-grams and a given weighting, where these are not left open.

    ``lengths`` are those of characters where they are left open (``lindy.tuning.scripts``), for texts of ``n_bytes``.
    """
    candidates = (_thorough if thorough else _usual)(lengths, n_bytes)
    if ngrams is not None or chars is not None:
        features = [Features(ngrams, chars, recipe.features.weighting) for recipe in candidates]
        candidates = [
            replace(recipe, features=own)
            for recipe, own in zip(candidates, features, strict=True)
            if recipe.features.words or chars
        ]
    if weighting != "auto":
        candidates = [replace(r, features=replace(r.features, weighting=weighting)) for r in candidates]
    return [recipe for i, recipe in enumerate(candidates) if recipe not in candidates[:i]]
