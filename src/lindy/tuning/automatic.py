"""The automatic recipe: the best of some candidates on held-out texts, its strength tuned, trained on all texts.

    1. Large data are sampled (stratified); folds are held out until their rows are many enough.
    2. Every candidate learns without a fold and predicts it. Better is what the task's criterion says
       (``lindy.evaluation.criterion``), usually accuracy.
    3. The first candidate is the one that does best over many corpora. Another one takes its place only if it is better
       by more than one standard error of the paired difference; one that is behind after some folds takes no part in
       the next. The same rule decides about C (or the smoothing).

Two predictions of n texts that differ in being right on D of them have a paired difference with the standard error
√D / n; that of other figures follows from the gains of the rows. Nothing depends on the clock: the same data give the
same recipe on every machine.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lindy.core.csr import Csr
from lindy.core.inputs import Inputs
from lindy.core.targets import Targets
from lindy.data.splits.split import split
from lindy.data.splits.split_policy import Split
from lindy.estimators.learners import learner_class
from lindy.evaluation.criterion import Criterion
from lindy.evaluation.crossfit import OutOfFold
from lindy.linear.convex import ConvexClassifier
from lindy.progress import step
from lindy.text.vectorizer import Vectorizer
from lindy.tuning.candidates import CANDIDATES, FIXED, MANY_BYTES
from lindy.tuning.held_out import HeldOut, Scores, Task
from lindy.tuning.recipe import Recipe
from lindy.tuning.shared_rows import SharedRows

OF_SEVERAL = (0.25, 0.5, 2.0)
"""The strengths C that are tried for several labels per text, each of which few texts have."""

_NONE = np.empty(0, bool)


@dataclass(frozen=True, slots=True)
class Limits:
    """How much a search may cost. Work is bytes × classes.

    Attributes
    ----------
    whole, size : int
        Bytes of text up to which the search looks at all texts, and those of the sample that it looks at beyond.
    folds, enough : int
        Folds at the most, and how many held-out texts are enough to decide.
    fewest : int
        Fewer examples are not divided: the first candidate is taken.
    fold_work : int
        So much work allows one fold, half of it two, and so on.
    class_work : int
        Beyond this work of all the data, learners with a problem of its own for each class are left out.
    """

    whole: int = MANY_BYTES
    size: int = 4_000_000
    folds: int = 5
    enough: int = 2_000
    fewest: int = 30
    fold_work: int = 200_000_000
    class_work: int = 4_000_000_000


#: what a thorough search may cost: all texts of some books, and every fold of them
THOROUGH = Limits(whole=40_000_000, size=40_000_000, enough=1_000_000, fold_work=4_000_000_000)


@dataclass(slots=True, eq=False)
class Record:
    """The predictions of a candidate so far, fold by fold; ``gains``: for accuracy, whether each row was right."""

    recipe: Recipe
    scores: list[Scores]
    gains: NDArray[Any]

    @property
    def value(self) -> float:
        """The mean gain: for accuracy the share of held-out texts that were right."""
        return float(self.gains.mean())

    def lead(self, other: Record) -> float:
        """How much better than another, in standard errors of the paired difference on the folds of both."""
        n = min(len(self.gains), len(other.gains))
        if self.gains.dtype == bool:
            difference = self.gains[:n].astype(np.int64) - other.gains[:n]
            differ = np.count_nonzero(difference)
            return float(difference.sum() / np.sqrt(differ)) if differ else 0.0
        gains = self.gains[:n] - other.gains[:n]
        spread = float(gains.std())
        return float(gains.mean() / spread * np.sqrt(n)) if spread else 0.0


@dataclass(frozen=True, slots=True)
class Choice:
    """A recipe, why it was taken, and what the search leaves to the model of all texts, if all took part.

    Attributes
    ----------
    held_out : OutOfFold or None
        The scores of held-out texts, for a calibrator.
    fitted : (vectorizer, rows) or None
        The recipe's, of all texts.
    start : ConvexClassifier or None
        A model of the same rows from which the learner may begin.
    """

    recipe: Recipe
    why: list[str] = field(default_factory=list)
    held_out: OutOfFold | None = None
    fitted: tuple[Vectorizer, Csr] | None = None
    start: ConvexClassifier | None = None


def choose(task: Task, candidates: Sequence[Recipe] = CANDIDATES, limits: Limits | None = None) -> Choice:
    """Return the recipe that does best on held-out texts; the first of the candidates unless another is better."""
    limits = limits or Limits()
    size, n_classes = task.inputs.n_bytes, len(task.y.names)
    if size * n_classes > limits.class_work:
        candidates = [r for r in candidates if not learner_class(r.learner).spec.per_class] or candidates
    rows = _sample(size, task.y, limits.size if size > limits.whole else size)
    own = task.take(rows)
    if len(rows) < limits.fewest or own.y.counts.max() < 2 or len(candidates) == 0:
        first = candidates[0] if candidates else FIXED
        return Choice(first, [f"{_too_few(own.y, len(task.y), limits.fewest)}: {first}"])
    work = own.inputs.n_bytes * n_classes
    splits = _splits(own, work, limits)
    if not splits:
        return Choice(candidates[0], [f"no example can be held out to compare recipes: {candidates[0]}"])
    bench = SharedRows(own, splits, features=[recipe.features for recipe in candidates])
    with step(0.0, 0.8):
        records = score_all(bench, candidates)
    winner = best(records)
    bench.keep_only(winner.recipe)
    with step(0.8, 1.0):
        tuned = strengthen(bench, winner)
    choice = Choice(tuned.recipe, _why(tuned, records, own, len(task.y)))
    if len(rows) < len(task.y):  # scores of a model of a sample would be too small for one of all texts
        return choice
    scores, places = np.concatenate(tuned.scores), np.concatenate([test for _, test in splits])
    held_out = OutOfFold(places, scores[:, 0] if scores.shape[1] < len(task.y.names) else scores)
    features, learner = tuned.recipe.features, tuned.recipe.learner
    if not bench.shares(features, learner):
        return replace(choice, held_out=held_out)
    bench.keep_only(tuned.recipe)
    return replace(
        choice,
        held_out=held_out,
        fitted=bench.fitted(features),
        start=bench.solved(tuned.recipe),
    )


def _too_few(y: Targets, n_texts: int, fewest: int) -> str:
    """Return why recipes cannot be compared by these of all examples."""
    if len(y) >= fewest and y.counts.max() < 2:
        return "every class has a single example, so recipes cannot be compared"
    of = "" if len(y) == n_texts else f" of {n_texts:,}, as the texts are long"
    return f"too few examples to compare recipes ({len(y)}{of})"


def score_all(bench: HeldOut, candidates: Iterable[Recipe]) -> list[Record]:
    """Return the records of all candidates; those behind the first take no part in the next fold."""
    records = [Record(recipe, [], _NONE) for recipe in candidates]
    live = list(records)
    n_splits = len(bench.splits)
    for number in range(n_splits):
        for place, record in enumerate(live):
            recipe, done = record.recipe, number + place / len(live)
            name = f"recipe {place + 1} of {len(live)}, part {number + 1} of {n_splits}"
            with step(done / n_splits, (done + 1 / len(live)) / n_splits, name, str(recipe)):
                ((_, scores),) = bench.scores(recipe.features, recipe.learner, [recipe.params], number)
            _note(record, scores, bench, number)
        live = hopeful(live)
    return records


def hopeful(live: list[Record]) -> list[Record]:
    """Return the first record and those that are not behind it."""
    return [record for record in live if record is live[0] or record.lead(live[0]) >= 0]


def best(records: Sequence[Record]) -> Record:
    """Return the first record unless others are ahead of it by a standard error; then the best of those."""
    complete = [r for r in records if len(r.scores) == max(len(r.scores) for r in records)]
    first = complete[0]
    ahead = [record for record in complete if record.lead(first) > 1]
    return max(ahead, key=lambda record: record.value, default=first)


def strengthen(bench: HeldOut, winner: Record) -> Record:
    """Return the winner's record with the best C or smoothing; its own is kept unless another is better."""
    recipe = winner.recipe
    declared = learner_class(recipe.learner).spec
    option = next(iter(declared.strengths), "")
    unit = getattr(recipe.features, "unit", 1.0) if option == "C" else 1.0
    several = option == "C" and bench.task.criterion.several
    values = OF_SEVERAL if several else declared.automatic
    grid: list[Mapping[str, Any]] = [{**recipe.params, option: value * unit} for value in values]
    grid = [params for params in grid if params != recipe.params]
    records = [winner]
    records += [Record(replace(recipe, params=params), [], _NONE) for params in grid]
    live = list(records)
    for number in range(len(bench.splits)):
        name = f"strength, part {number + 1} of {len(bench.splits)}"
        grid = [record.recipe.params for record in live[1:]]
        with step(number / len(bench.splits), (number + 1) / len(bench.splits), name, str(recipe)):
            for params, scores in bench.scores(recipe.features, recipe.learner, grid, number):
                latest = live[1 + grid.index(params)]
                _note(latest, scores, bench, number)
                if (
                    number == len(bench.splits) - 1
                ):  # of those that are beaten, the next one begins from the latest
                    bench.keep_only(recipe, latest.recipe, best(records).recipe)
        live = hopeful(live)
    return best(records)


def _note(record: Record, scores: Scores, bench: HeldOut, number: int) -> None:
    """Add the scores of a split; accuracy goes on from the splits before, other figures are of all splits at once."""
    record.scores.append(scores)
    criterion, task = bench.task.criterion, bench.task
    if criterion.plain and task.row_weight is None:
        record.gains = np.concatenate([record.gains, criterion.gains(scores, bench.truth(number))])
        return
    rows = np.concatenate([held for _, held in bench.splits[: number + 1]])
    division, weight = task.division.take(rows), task.row_weight_of(rows)
    record.gains = criterion.gains(np.concatenate(record.scores), task.y.take(rows), division, weight)


def _sample(size: int, y: Targets, most: int) -> NDArray[np.int64]:
    """Return the rows that the search looks at: all, or a stratified sample of large data."""
    share = most / max(size, 1)
    return np.arange(len(y)) if share >= 1 else split(y, {"search": share, "rest": 1 - share})["search"]


def _splits(task: Task, work: int, limits: Limits) -> list[Split]:
    """Return folds to hold out, no more than are needed to decide and than the work allows."""
    splits = task.division.splits(task.y, limits.folds)
    sizes = np.cumsum([len(held) for _, held in splits])
    enough = int(np.searchsorted(sizes, limits.enough)) + 1
    return splits[: min(enough, max(limits.fold_work // max(work, 1), 1))]


def rare_limit(
    inputs: Inputs,
    asked: int | float = 1,
    weight: NDArray[np.float64] | None = None,
    most: int | None = None,
) -> int | float:
    """Return in how many texts a term must be: as asked, or in two where nothing was asked and the texts are many.

    Of texts that count less than one, two say nothing about how rare a term is.
    """
    if asked != 1 or not inputs.has_words or (weight is not None and (weight < 1).any()):
        return asked
    return 2 if inputs.n_bytes > (MANY_BYTES if most is None else most) else 1


def _why(tuned: Record, records: Sequence[Record], own: Task, n_texts: int) -> list[str]:
    """Return some lines: what was compared, what won, what came next, and whether that is worth anything."""
    y, criterion = own.y, own.criterion
    held_out, sampled = len(tuned.gains), len(y) < n_texts
    kind = tuned.recipe.features, tuned.recipe.learner
    others = [r for r in records if (r.recipe.features, r.recipe.learner) != kind]
    rival = max(others, key=lambda record: record.value, default=None)
    of = f" of a sample of {len(y):,}" if sampled else ""
    by = "" if criterion.is_accuracy else f" by {criterion.title}"
    what = "rows" if hasattr(tuned.recipe.features, "unit") else "texts"
    lines = [
        f"compared {len(records)} recipes on {held_out:,} held-out {what}{of}{by}",
        f"taken: {tuned.recipe.described(own.extra)}: {criterion.says(tuned.gains)}",
    ]
    if rival is not None:
        common = criterion.shown(criterion.constant(y, own.row_weight))
        lines.append(
            f"next: {rival.recipe.described(own.extra)}: {criterion.shown(criterion.figure(rival.gains))}"
            f"{_seen_less(rival, records, criterion)}; always the most common class: {common}"
        )
    if criterion.plain and tuned.value <= criterion.constant(y, own.row_weight):
        lines.append(
            "no recipe is right more often than the most common class alone: check the texts and labels, or give more"
            " examples"
        )
    return lines


def _seen_less(rival: Record, records: Sequence[Record], criterion: Criterion) -> str:
    """Return of how many texts the figure of a recipe is that was behind and left out, and what the first one had."""
    n = len(rival.gains)
    if n == len(records[0].gains):
        return ""
    first = (
        f", the first recipe {criterion.shown(criterion.figure(records[0].gains[:n]))}"
        if criterion.plain and records[0].gains.dtype == bool
        else ""
    )
    return f" (left out after {n:,}{first})"
