"""The automatic recipe: entrants compete on held-out texts, the winner's strength is tuned, all texts train it.

    1. Large data are sampled (stratified); folds are held out until their rows are many enough.
    2. Every entrant learns without a fold and predicts it. Where that is much work, the worse half leaves after each
       fold; the first entrant only when it is behind by more than two standard errors of the paired difference.
    3. The first entrant is the one that does best over many corpora. Another one takes its place only if it is better
       by more than one standard error of the paired difference; the same rule decides about C (or the smoothing).

Two predictions of n texts that differ in being right on D of them have a paired difference with the standard error
√D / n. Nothing depends on the clock: the same data give the same recipe on every machine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lindy.column import TextColumn, is_column
from lindy.data.splits import folds, split
from lindy.evaluation.crossfit import OutOfFold
from lindy.tuning.held_out import Codes, HeldOut, Scores, predicted, take
from lindy.tuning.recipe import Features, Recipe

#: how much text the search looks at, in bytes, and how many held-out texts are enough to decide
SEARCH_BYTES = 6_000_000
ENOUGH = 4_000
FOLDS = 5
#: fewer examples than this are not divided: the first entrant is taken
FEWEST = 30

#: bytes × classes: below, no entrant leaves early; beyond, fewer folds are held out; beyond, no nb-svm competes
SMALL_WORK = 20_000_000
FOLD_WORK = 200_000_000
CLASS_WORK = 4_000_000_000
#: from so many bytes on, terms of a single text are left out: half of all terms, which decide next to nothing
MANY_BYTES = 8_000_000

WORDS, LONGER, BOTH = Features((1, 2)), Features((1, 3)), Features((1, 2), (4, 4))
STRENGTHS: Mapping[str, Sequence[Mapping[str, Any]]] = {
    "nb-svm": [{"C": C} for C in (0.25, 1.0, 4.0)],
    "svm": [{"C": C} for C in (0.5, 2.0, 8.0)],
    "naive-bayes": [{"alpha": k} for k in (0.03, 0.1, 0.3, 1.0)],
}
ENTRANTS = (
    Recipe(BOTH, "nb-svm", {"C": 1.0}),
    Recipe(WORDS, "nb-svm", {"C": 1.0}),
    Recipe(LONGER, "nb-svm", {"C": 1.0}),
    Recipe(BOTH, "svm", {"C": 2.0}),
    Recipe(WORDS, "svm", {"C": 2.0}),
    Recipe(replace(WORDS, weighting="bm25"), "svm", {"C": 1.0}),
    Recipe(Features(None, (3, 5)), "svm", {"C": 2.0}),
    Recipe(replace(WORDS, weighting="counts"), "naive-bayes", {"alpha": 0.3}),
)
#: what ``fast`` takes without a search
FIXED = Recipe(WORDS, "nb-svm", {"C": 1.0})


@dataclass(slots=True, eq=False)
class Record:
    """What an entrant predicted so far, fold by fold."""

    recipe: Recipe
    scores: list[Scores]
    right: NDArray[np.bool_]

    @property
    def accuracy(self) -> float:
        """The share of held-out texts that were right."""
        return float(self.right.mean())

    @property
    def standard_error(self) -> float:
        """Of the accuracy."""
        return float(np.sqrt(self.accuracy * (1 - self.accuracy) / len(self.right)))

    def lead(self, other: Record) -> float:
        """How much better than another, in standard errors of the paired difference."""
        n = len(other.right)
        difference = self.right[:n].astype(np.int64) - other.right
        differ = np.count_nonzero(difference)
        return float(difference.sum() / np.sqrt(differ)) if differ else 0.0


@dataclass(frozen=True, slots=True)
class Choice:
    """A recipe, why it was taken, and its scores of held-out texts for a calibrator, if all texts took part."""

    recipe: Recipe
    why: list[str] = field(default_factory=list)
    held_out: OutOfFold | None = None

    def described(self, extra: Sequence[Any] = ()) -> str:
        """Return the recipe in a line, and which features stand beside its own."""
        return f"{self.recipe}" + (f"; with {' and '.join(own.describe() for own in extra)}" if extra else "")


def entrants_for(ngrams: tuple[int, int] | None, weighting: str) -> list[Recipe]:
    """Return the entrants within given n-grams of words and a given weighting, where these are not left open."""
    entrants = list(ENTRANTS)
    if ngrams is not None:
        features = [(r, Features(ngrams, None, r.features.weighting)) for r in entrants if r.features.words]
        entrants = [replace(recipe, features=own) for recipe, own in features]
    if weighting != "auto":
        entrants = [replace(r, features=replace(r.features, weighting=weighting)) for r in entrants]
    return [recipe for i, recipe in enumerate(entrants) if recipe not in entrants[:i]]


def choose(
    texts: Any,
    y: Codes,
    *,
    entrants: Sequence[Recipe] = ENTRANTS,
    options: Mapping[str, Any] | None = None,
    extra: Sequence[Any] = (),
    columns: Mapping[str, Sequence[str]] | None = None,
    sample_weight: NDArray[np.float64] | None = None,
    random_state: int = 0,
    n_jobs: int | None = None,
    progress: Callable[[str], object] = lambda _what: None,
) -> Choice:
    """Return the recipe that does best on held-out texts.

    Parameters
    ----------
    texts, y : texts (with a length) and class numbers
    entrants : list of Recipe
        The first one is taken unless another is better.
    options : dict
        Options of every vectorizer (min_df, max_features).
    extra : list of vectorizers
        Whose features stand beside those of every recipe.
    columns : dict or None
        With an Arrow table in the place of texts, what its columns are: "text", "numeric" and "category".
    sample_weight : array (texts,) or None
        How much each text counts when recipes learn; in their comparison every held-out text counts the same.
    random_state : int
        Seed of the folds.
    progress : callable
        Called with a word about every step.
    """
    size = n_bytes(texts)
    if size * len(np.bincount(y)) > CLASS_WORK:
        entrants = [recipe for recipe in entrants if recipe.learner != "nb-svm"] or entrants
    rows = _sample(size, y, random_state)
    own = y[rows]
    if len(rows) < FEWEST or np.bincount(own).max() < 2 or len(entrants) == 0:
        first = entrants[0] if entrants else FIXED
        return Choice(first, [f"too few examples to compare recipes ({len(rows)}): {first}"])
    fold = folds(own, FOLDS, random_state=random_state)
    work = min(size, SEARCH_BYTES) * len(np.bincount(y))
    tests = _enough_folds(fold, work)
    splits = [(np.flatnonzero(fold != number), np.flatnonzero(fold == number)) for number in tests]
    bench = HeldOut(
        take(texts, rows),
        own,
        splits,
        options=options,
        extra=extra,
        columns=columns,
        sample_weight=None if sample_weight is None else sample_weight[rows],
        n_jobs=n_jobs,
    )
    records = compete(bench, entrants, progress, halve=work > SMALL_WORK)
    winner = best(records)
    tuned = strengthen(bench, winner, progress)
    held_out = None
    if len(rows) == len(y):  # scores of a model of a sample would be too small for one of all texts
        scores = np.concatenate(tuned.scores)
        places = np.concatenate([test for _, test in splits])
        held_out = OutOfFold(places, scores[:, 0] if scores.shape[1] == 1 else scores)
    return Choice(tuned.recipe, _why(tuned, records, own, len(y)), held_out)


def compete(
    bench: HeldOut, entrants: Iterable[Recipe], progress: Callable[[str], object], *, halve: bool
) -> list[Record]:
    """Return the records of all entrants; with ``halve`` the worse half takes no part in the next fold."""
    records = [Record(recipe, [], np.empty(0, bool)) for recipe in entrants]
    live = list(records)
    for number in range(len(bench.splits)):
        for record in live:
            recipe = record.recipe
            progress(str(recipe))
            ((_, scores),) = bench.scores(recipe.features, recipe.learner, [recipe.params], number)
            _note(record, scores, bench.truth(number))
        live = _upper_half(live) if halve else live
    return records


def _upper_half(live: list[Record]) -> list[Record]:
    """Return the better half, at least two, and the first one unless it is clearly behind; in the old order."""
    ranked = sorted(live, key=lambda record: -record.accuracy)
    stay = ranked[: max(len(live) // 2, 2)]
    return [r for r in live if r in stay or (r is live[0] and ranked[0].lead(r) <= 2)]


def best(records: Sequence[Record]) -> Record:
    """Return the first record unless others are ahead of it by a standard error; then the best of those."""
    complete = [r for r in records if len(r.right) == max(len(r.right) for r in records)]
    first = complete[0]
    ahead = [record for record in complete if record.lead(first) > 1]
    return max(ahead, key=lambda record: record.accuracy, default=first)


def strengthen(bench: HeldOut, winner: Record, progress: Callable[[str], object]) -> Record:
    """Return the winner's record with the best C or smoothing; its own is kept unless another is better."""
    strengths = STRENGTHS.get(winner.recipe.learner, [])
    grid: list[Mapping[str, Any]] = [{**winner.recipe.params, **params} for params in strengths]
    grid = [params for params in grid if params != winner.recipe.params]
    records = [winner]
    records += [Record(replace(winner.recipe, params=params), [], np.empty(0, bool)) for params in grid]
    for number in range(len(bench.splits)):
        progress(f"{winner.recipe.features}: strength")
        recipe = winner.recipe
        for params, scores in bench.scores(recipe.features, recipe.learner, grid, number):
            _note(records[1 + grid.index(params)], scores, bench.truth(number))
    return best(records)


def _note(record: Record, scores: Scores, truth: Codes) -> None:
    record.scores.append(scores)
    record.right = np.concatenate([record.right, predicted(scores) == truth])


def _sample(size: int, y: Codes, random_state: int) -> NDArray[np.int64]:
    """Return the rows that the search looks at: all, or a stratified sample of large data."""
    share = SEARCH_BYTES / max(size, 1)
    if share >= 1:
        return np.arange(len(y))
    return split(y, {"search": share, "rest": 1 - share}, random_state=random_state)["search"]


def _enough_folds(fold: NDArray[np.int32], work: int) -> list[int]:
    sizes = np.cumsum(np.bincount(fold[fold >= 0]))
    enough = int(np.searchsorted(sizes, ENOUGH)) + 1
    return list(range(min(enough, len(sizes), max(FOLD_WORK // max(work, 1), 1))))


def rare_limit(size: int) -> int:
    """Return in how many texts a term must be, for texts of so many bytes."""
    return 2 if size > MANY_BYTES else 1


def n_bytes(texts: Any) -> int:
    """Return about how many bytes the texts have; a column as many as the same in Arrow's plain strings."""
    if isinstance(texts, TextColumn):
        return int(texts.offsets[-1] - texts.offsets[0]) + 4 * len(texts)
    if is_column(texts):
        return int(texts.nbytes)
    return sum(len(text) for text in texts if isinstance(text, str | bytes))


def _why(tuned: Record, records: Sequence[Record], y: Codes, n_texts: int) -> list[str]:
    """Return three lines: what was compared, what won, and what came next."""
    held_out, sampled = len(tuned.right), len(y) < n_texts
    others = [
        r
        for r in records
        if (r.recipe.features, r.recipe.learner) != (tuned.recipe.features, tuned.recipe.learner)
    ]
    rival = max(others, key=lambda record: record.accuracy, default=None)
    common = np.bincount(y).max() / len(y)
    of = f" of a sample of {len(y):,}" if sampled else ""
    lines = [
        f"compared {len(records)} recipes on {held_out:,} held-out texts{of}",
        f"taken: {tuned.recipe}: {_percent(tuned.accuracy)} right (± {100 * tuned.standard_error:.1f})",
    ]
    if rival is not None:
        lines.append(
            f"next: {rival.recipe}: {_percent(rival.accuracy)}; always the most common class: {_percent(common)}"
        )
    return lines


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"
