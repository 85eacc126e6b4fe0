"""The tables a teacher shows: P(w | y) sorted, odds ratios, and how a document's score adds up (Amato)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lindy.bayes.inference import infer
from lindy.bayes.multinomial import MultinomialNaiveBayes
from lindy.core import numerics


def _class_number(model: MultinomialNaiveBayes, label: Any) -> int:
    found = np.flatnonzero(model.classes_ == label)
    if len(found) != 1:
        raise ValueError(f"{label!r} is not among the classes {model.classes_.tolist()}")
    return int(found[0])


def _ranked(names: Sequence[str], values: NDArray[np.float64], top: int | None) -> list[tuple[str, float]]:
    if len(names) != len(values):
        raise ValueError(f"{len(names)} names for {len(values)} features")
    order = np.argsort(-values, kind="stable")[:top]
    return [(names[j], float(values[j])) for j in order]


def word_probabilities(
    model: MultinomialNaiveBayes, names: Sequence[str], label: Any, top: int | None = 10
) -> list[tuple[str, float]]:
    """Return the words most probable in a class, with P(w | y)."""
    return _ranked(names, numerics.exp(model.feature_log_prob_[_class_number(model, label)]), top)


def odds_ratios(
    model: MultinomialNaiveBayes, names: Sequence[str], label: Any, other: Any, top: int | None = 10
) -> list[tuple[str, float]]:
    """Return the words that speak most for ``label`` against ``other``, with P(w | label) / P(w | other).

    Without smoothing the ratio of a word that ``other`` never saw is infinite; words that neither saw are left out.
    """
    log_p = model.feature_log_prob_
    ours, theirs = log_p[_class_number(model, label)], log_p[_class_number(model, other)]
    seen = np.flatnonzero(~(np.isneginf(ours) & np.isneginf(theirs)))
    return _ranked([names[int(j)] for j in seen], numerics.exp(ours[seen] - theirs[seen]), top)


@dataclass(frozen=True, slots=True)
class Step:
    """One word: P(w | y) for each label, and log P(y) + Σ log P(w' | y) over the words so far."""

    word: str
    probability: tuple[float, ...]
    total: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class RunningTotals:
    """How the score of a document adds up, word by word; ``str`` gives a table."""

    labels: tuple[Any, ...]
    steps: tuple[Step, ...]
    posterior: tuple[float, ...]

    def __str__(self) -> str:
        wide = max(len(step.word) for step in self.steps)
        heads = [f"P(w|{label})" for label in self.labels] + [f"total {label}" for label in self.labels]
        lines = [" ".join([" " * wide, *(f"{head:>12}" for head in heads)])]
        for step in self.steps:
            cells = [f"{p:12.5f}" for p in step.probability] + [f"{t:12.1f}" for t in step.total]
            lines.append(" ".join([f"{step.word:<{wide}}", *cells]))
        shares = ", ".join(f"P({y} | x) = {p:.1%}" for y, p in zip(self.labels, self.posterior, strict=True))
        return "\n".join([*lines, shares])


def running_totals(
    labels: Sequence[Any], prior: ArrayLike, words: Iterable[tuple[str, ArrayLike]]
) -> RunningTotals:
    """Return the running totals of words with known P(w | y), beginning with the prior."""
    share = np.asarray(prior, np.float64)
    tables = [(word, np.asarray(p, np.float64)) for word, p in words]
    steps, total = [], np.zeros(len(share))
    with np.errstate(divide="ignore"):
        for word, p in [("(prior)", share), *tables]:
            total = total + numerics.log(p)
            steps.append(Step(word, tuple(p.tolist()), tuple(total.tolist())))
    posterior = infer(share, [p for _, p in tables]).posterior
    return RunningTotals(tuple(labels), tuple(steps), tuple(posterior.tolist()))


def document_totals(
    model: MultinomialNaiveBayes, names: Sequence[str], words: Iterable[str]
) -> RunningTotals:
    """Return the running totals of a document under a model; words that it does not know are left out.

    Of a length that the model has a distribution of, P(L | y) is given beside that of the class it fits best.
    """
    number = {name: j for j, name in enumerate(names)}
    if len(number) != model.n_features_in_:
        raise ValueError(f"{len(number)} different names for {model.n_features_in_} features")
    log_p = model.feature_log_prob_
    places = [number[word] for word in words if word in number]
    known = [(names[j], numerics.exp(log_p[:, j])) for j in places]
    length = model._length_part(np.bincount(places, minlength=len(names))[None, :].astype(np.float64))
    if length is not None:
        known.insert(0, ("(length)", numerics.exp(length - length.max())))
    return running_totals(model.classes_.tolist(), numerics.exp(model.log_prior_), known)
