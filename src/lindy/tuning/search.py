"""Hyperparameter search over recipes: grid search (``GridSearchCV``), random search, halving; on a dev part or folds.

    grid      every recipe of the space
    random    so many of them, drawn without replacement
    halving   all recipes on 1/9 of the training rows, the best third of them on 1/3, the best third of those on all
              (Karnin, Koren & Somekh 2013; Jamieson & Talwalkar 2016)

Texts are counted once per kind of term; recipes that differ in C alone are one warm-started path. The search can stop
at any time (a time budget, Ctrl-C) and knows the best recipe so far; a journal lets it go on later.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lindy.core.inputs import as_inputs
from lindy.core.targets import OneLabel, Targets, as_targets
from lindy.core.weights import check_weight, present_rows
from lindy.data.chunks.source import Source
from lindy.data.columns.fingerprints import fingerprint
from lindy.data.splits.split import split
from lindy.data.splits.split_policy import Split, SplitPolicy
from lindy.errors import DataError
from lindy.evaluation.criterion import ACCURACY, Criterion
from lindy.evaluation.label_criterion import criterion_for
from lindy.files.atomic import atomic_write
from lindy.tuning.automatic import Choice, rare_limit
from lindy.tuning.held_out import Codes, HeldOut, Task
from lindy.tuning.recipe import Recipe, Space, searched_learners

STRATEGIES = ("halving", "grid", "random")
ETA = 3
RUNGS = 3
_FORMAT = "lindy tuning journal 1"


@dataclass(frozen=True, slots=True)
class Result:
    """A recipe and its figure, the accuracy or another metric, on ``trials`` splits; later rungs had more rows.

    ``gain`` is the figure where more is better: minus the log loss, otherwise the figure itself.
    """

    recipe: Recipe
    gain: float
    trials: int
    rung: int

    @property
    def accuracy(self) -> float:
        """The figure as it is called when no metric was asked for."""
        return self.gain


@dataclass(frozen=True, slots=True)
class Tuning:
    """Results, best first, and whether the search came to its end ("done", "budget" or "interrupted")."""

    results: list[Result]
    ended: str
    rungs: int = 1
    criterion: Criterion = ACCURACY

    @property
    def best(self) -> Result:
        """The recipe with the best figure among those that learned from the most rows."""
        return self.results[0]

    def figure(self, result: Result) -> float:
        """Return a result's accuracy, or its value of the metric that was asked for."""
        return self.criterion.figure(np.array([result.gain]))

    @property
    def choice(self) -> Choice:
        """The best recipe with the line that explains it, as ``TextClassifier(recipe=…)`` takes it."""
        figure = self.figure(self.best)
        right = f"{self.criterion.title} {figure:.4f} on held-out texts"
        if self.criterion.is_accuracy:
            right = f"{figure:.4f} of held-out texts right"
        return Choice(self.best.recipe, [f"best of {len(self.results)} recipes: {right}"])

    def share(self, result: Result) -> float:
        """Return from which share of the training rows a result's recipe learned."""
        return float(ETA ** (result.rung - self.rungs + 1))


Progress = Callable[[int, int, Result | None], object]


class Search:
    """One search: its splits, its journal and what is left to do.

    Parameters
    ----------
    texts, y : texts, or what else ``lindy.core.inputs`` has, and targets or class numbers
    space : Space
    strategy : "halving", "grid" or "random"
    k : int
        Folds of the cross-validation; 1 holds out a dev part of ``dev`` (a share, or the rows themselves).
    n_random : int
        How many recipes "random" draws.
    journal : path or None
    random_state : int
    **task
        What all recipes have in common, as of ``lindy.tuning.held_out.Task``: columns, options, extra, sample_weight,
        criterion, division and n_jobs.
    """

    def __init__(
        self,
        texts: Any,
        y: Targets | Codes,
        *,
        space: Space | None = None,
        strategy: str = "halving",
        k: int = 1,
        dev: float | NDArray[np.int64] = 0.2,
        n_random: int = 40,
        journal: str | os.PathLike[str] | None = None,
        random_state: int = 0,
        **task: Any,
    ) -> None:
        if strategy not in STRATEGIES:
            raise ValueError(f"strategy must be one of {list(STRATEGIES)}; got {strategy!r}")
        own = Task(as_inputs(texts), OneLabel.of(y), **task)
        self.recipes = (space or Space(learners=searched_learners(own.y, 9))).recipes()
        if strategy == "random":
            drawn = np.random.default_rng(random_state or 0).permutation(len(self.recipes))[:n_random]
            self.recipes = [self.recipes[i] for i in sorted(drawn.tolist())]
        if not self.recipes:
            raise ValueError("the space holds no recipe")
        self.rungs = RUNGS if strategy == "halving" else 1
        whole = _splits(own, k, dev, random_state)
        self.k = len(whole)
        splits = [
            (_share(train, own.y, ETA ** (rung - self.rungs + 1), random_state), test)
            for rung in range(self.rungs)
            for train, test in whole
        ]
        self.criterion = own.criterion
        self.bench = HeldOut(own, splits)
        settings = {
            "data": fingerprint(own.inputs, list(own.y.labels)),
            "strategy": strategy,
            "held_out": [fingerprint([str(i) for i in test.tolist()]) for _, test in whole],
            "seed": random_state,
        }
        if not own.criterion.is_accuracy:
            settings["metric"] = str(own.criterion.metric)
        settings |= _also(own)
        self.journal = Journal(journal, settings)

    def run(
        self,
        *,
        budget: float | None = None,
        progress: Progress = lambda *_: None,
        interrupted: Callable[[], object] = lambda: None,
    ) -> Tuning:
        """Search until the end, the budget's (in seconds) or Ctrl-C; at least one path is tried.

        ``interrupted`` is called when Ctrl-C has ended the search, which keeps what it has found: whoever raises
        interrupts more than once must not raise this one again.
        """
        deadline = None if budget is None else time.monotonic() + budget
        ended = "done"
        try:
            for rung in range(self.rungs):
                if not self._rung(rung, deadline, progress):
                    ended = "budget"
                    break
        except KeyboardInterrupt:
            if not self.journal.results:
                raise
            interrupted()
            ended = "interrupted"
        return Tuning(self.results(), ended, self.rungs, self.criterion)

    def _rung(self, rung: int, deadline: float | None, progress: Progress) -> bool:
        """Try the survivors on the splits of a rung; False when time was up before its end."""
        families = _families(self._survivors(rung))
        total, done = len(families) * self.k, 0
        for number in range(rung * self.k, (rung + 1) * self.k):
            for family in families:
                left = [recipe for recipe in family if not self.journal.known(_key(recipe), number)]
                if left and deadline is not None and self.journal.results and time.monotonic() >= deadline:
                    return False
                self._try(left, number)
                done += 1
                progress(done + rung * total, total * self.rungs, next(iter(self.results()), None))
        return True

    def _try(self, family: list[Recipe], number: int) -> None:
        if not family:
            return
        truth = self.bench.truth(number)
        held = self.bench.splits[number][1]
        division, weight = self.bench.task.division.take(held), self.bench.task.row_weight_of(held)
        features, learner = family[0].features, family[0].learner
        keys = {json.dumps(dict(recipe.params)): _key(recipe) for recipe in family}
        gains = {}
        for params, scores in self.bench.scores(features, learner, [r.params for r in family], number):
            gained = self.criterion.gains(scores, truth, division, weight)
            gains[keys[json.dumps(dict(params))]] = float(gained.mean())
        self.journal.note(gains, number)

    def _survivors(self, rung: int) -> list[Recipe]:
        """Return the best third of each earlier rung, in the order of the space."""
        alive = self.recipes
        for earlier in range(rung):
            ranked = sorted(alive, key=lambda recipe: -self._mean(recipe, earlier)[0])
            kept = {_key(recipe) for recipe in ranked[: max(len(alive) // ETA, 1)]}
            alive = [recipe for recipe in alive if _key(recipe) in kept]
        return alive

    def _mean(self, recipe: Recipe, rung: int) -> tuple[float, int]:
        own = self.journal.results.get(_key(recipe), {})
        found = [own[number] for number in range(rung * self.k, (rung + 1) * self.k) if number in own]
        return (float(np.mean(found)), len(found)) if found else (-np.inf, 0)

    def results(self) -> list[Result]:
        """Return what is known so far, best first; a later rung counts more than the figure."""
        found = []
        for recipe in self.recipes:
            for rung in reversed(range(self.rungs)):
                gain, trials = self._mean(recipe, rung)
                if trials:
                    found.append(Result(recipe, gain, trials, rung))
                    break
        return sorted(found, key=lambda result: (-result.rung, -result.gain))


def _key(recipe: Recipe) -> str:
    return json.dumps(recipe.to_dict(), sort_keys=True)


def _families(recipes: list[Recipe]) -> list[list[Recipe]]:
    """Group recipes with the same features and learner: their rows are made once."""
    families: dict[Any, list[Recipe]] = {}
    for recipe in recipes:
        families.setdefault((recipe.features, recipe.learner), []).append(recipe)
    return list(families.values())


def _also(task: Task) -> dict[str, Any]:
    """Return what else results depend on, where it is not as usual; which rows are held out is noted anyway."""
    options = {name: value for name, value in task.options.items() if value not in (None, 1)}
    noted: dict[str, Any] = {"options": options} if options else {}
    if task.extra:
        noted["extra"] = [vectorizer.describe() for vectorizer in task.extra]
    if task.sample_weight is not None:
        noted["weights"] = fingerprint([repr(weight) for weight in task.sample_weight.tolist()])
    return noted


def _splits(task: Task, k: int, dev: float | NDArray[np.int64], random_state: int) -> list[Split]:
    y, division = task.y, task.division
    if k > 1:
        splits = division.splits(y, k, random_state)
        if not splits:
            raise division.undivided(len(y))
        return splits
    if isinstance(dev, np.ndarray):
        train = division.cleared(np.setdiff1d(np.arange(len(y)), dev), dev)
        if len(y.take(train).seen().names) < 2:
            raise division.undivided(len(y))
        return [(train, dev)]
    return [division.hold_out(y, dev, random_state)]


def _share(rows: NDArray[np.int64], y: Targets, share: float, random_state: int) -> NDArray[np.int64]:
    """Return a stratified part of the rows."""
    if share >= 1:
        return rows
    return rows[split(y.take(rows), {"part": share, "rest": 1 - share}, random_state=random_state)["part"]]


def tune(
    texts: Any,
    labels: Any,
    *,
    budget: float | None = None,
    progress: Progress = lambda *_: None,
    interrupted: Callable[[], object] = lambda: None,
    metric: str = "accuracy",
    sample_weight: Any = None,
    groups: Any = None,
    time: Any = None,
    **options: Any,
) -> Tuning:
    """Search for the best recipe by a metric; ``options`` are those of :class:`Search`, the others of its ``run``.

    ``metric``, ``sample_weight``, ``groups`` and ``time`` are as of ``TextClassifier`` and its ``fit``. As it does, the
    search leaves out terms of a single text where there are more than 8 MB of texts.
    """
    own, inputs = as_targets(labels, several=True), as_inputs(texts)
    division, weight = SplitPolicy.of(len(own), groups, time), check_weight(sample_weight, len(own))
    if (rows := present_rows(weight)) is not None and weight is not None:
        inputs, own = inputs.take(rows), own.take(rows).seen()
        weight, division = weight[rows], division.take(rows)
        if isinstance(dev := options.get("dev"), np.ndarray):
            options["dev"] = np.searchsorted(rows, dev[np.isin(dev, rows)])
    if own.row_codes is not None and len(own.names) < 2:
        raise ValueError("tuning needs examples of at least two classes")
    options["criterion"] = criterion_for(metric, own, weight)
    options |= {"division": division, "sample_weight": weight, "row_weight": weight}
    limits = dict(options.get("options", {}))
    options["options"] = limits | {"min_df": rare_limit(inputs, limits.get("min_df", 1), weight)}
    return Search(inputs, own.numbered(), **options).run(
        budget=budget, progress=progress, interrupted=interrupted
    )


class Journal:
    """Accuracies by recipe and split; the whole file is replaced atomically after every path.

    Parameters
    ----------
    path : str, path or None
        None keeps the results in memory only.
    settings : dict
        What the results depend on (data, split, seed); a file with other settings is refused.
    """

    def __init__(self, path: str | os.PathLike[str] | None, settings: Mapping[str, Any]) -> None:
        self.path = None if path is None else Path(path)
        self.settings = json.loads(json.dumps(dict(settings)))
        self.results: dict[str, dict[int, float]] = {}
        if self.path is not None and self.path.exists():
            self._read(self.path)

    def _read(self, path: Path) -> None:
        try:
            content = json.loads(Source(path).read())
            form, settings, results = content["format"], content["settings"], content["results"]
            found = {
                str(key): {int(split): float(accuracy) for split, accuracy in own.items()}
                for key, own in results.items()
            }
        except DataError:  # it cannot be read
            raise
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise DataError(
                f"{path}: not a tuning journal ({error})", "name another file, or remove it"
            ) from error
        if form != _FORMAT or settings != self.settings:
            raise DataError(
                f"{path}: the journal belongs to other data or to a search with other settings",
                "name another file, or remove it to begin anew",
            )
        self.results = found

    def known(self, key: str, split: int) -> bool:
        """Whether a recipe has been tried on a split."""
        return split in self.results.get(key, {})

    def note(self, accuracies: Mapping[str, float], split: int) -> None:
        """Add results of one split and write the file."""
        for key, accuracy in accuracies.items():
            self.results.setdefault(key, {})[split] = accuracy
        if self.path is not None:
            content = {"format": _FORMAT, "settings": self.settings, "results": self.results}
            with atomic_write(self.path, text=True) as file:
                json.dump(content, file, ensure_ascii=False, indent=0)
