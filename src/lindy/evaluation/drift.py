"""Whether new examples differ from earlier ones, in what, and what a model is worth on them, without their labels.

    look different      a classifier that tells old from new is fitted on one half of both and tried on the other; the
                        p-value is that of its area under the ROC curve among random assignments of old and new to the
                        tried half (a classifier two-sample test, Lopez-Paz and Oquab 2017); both halves take turns
    features            (log odds of having it, new − old) / √(1/counts …), with 1/2 added to every count
    label shares        maximum likelihood under label shift: p(y | x) ∝ p(y | x)·q_y/π_y, q = their mean, repeated
                        (Saerens, Latinne and Decaestecker 2002)
    expected accuracy   the mean of these probabilities of the predicted labels

The last two take calibrated probabilities at their word, and assume that texts of each label look as before.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lindy.evaluation.metrics.intervals import Interval, Z

if TYPE_CHECKING:
    from lindy.core.csr import Csr
    from lindy.core.inputs import Inputs

MOST = 5000
"""Examples of each side that are compared; of more, a random sample."""
FEWEST = 10
_PERMUTATIONS = 1999
_STEPS, _CLOSE = 500, 1e-6
_RESAMPLES, _FEW_STEPS = 40, 40  # which begin where the examples themselves have ended

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class FeatureShift:
    """A feature that new examples have more or less often: the shares that have it, and how sure the difference is."""

    feature: str
    old: float
    new: float
    z: float


@dataclass(frozen=True, slots=True)
class Difference:
    """Whether two samples look different.

    Attributes
    ----------
    p_value : how often samples of one population are told apart as well
    auc : area under the ROC curve of a classifier of old and new, on examples that it has not seen; 0.5 is chance
    features : the features that changed the most, the most certain first
    """

    p_value: float
    auc: float
    features: list[FeatureShift]


@dataclass(frozen=True, slots=True)
class LabelShares:
    """The shares of labels among new examples, and the accuracy that follows from the probabilities.

    Attributes
    ----------
    old : array (labels,), the shares in training
    predicted : array (labels,), the shares of what the model answers
    new : array (labels,), the shares after the correction
    accuracy, interval : what is expected of the model's answers, and between what it lies with 95 % confidence
    """

    old: Array
    predicted: Array
    new: Array
    accuracy: float
    interval: Interval


def difference(model: Any, old: Inputs, new: Inputs, *, top: int = 20, seed: int = 0) -> Difference:
    """Return whether new inputs look different from old ones, by the features that the model's vectorizer makes."""
    rng = np.random.default_rng(seed)
    sides = [_sample(side, rng) for side in (old, new)]
    inputs = type(sides[0]).joined(sides)
    is_new = np.repeat([0, 1], [len(side) for side in sides])
    vectorizer = model.vectorizer_
    if vectorizer.learns and not vectorizer.uses_labels:  # new words count, too
        vectorizer = vectorizer.fresh()
        X = vectorizer.fit_csr(inputs.values)
    else:
        X = vectorizer.transform_csr(inputs.values)
    p_value, auc = _told_apart(X, is_new, rng)
    return Difference(p_value, auc, _shifted(vectorizer, X, is_new, top))


def _sample(inputs: Inputs, rng: np.random.Generator) -> Inputs:
    if len(inputs) <= MOST:
        return inputs
    return inputs.take(np.sort(rng.permutation(len(inputs))[:MOST]))


def _told_apart(X: Csr, is_new: NDArray[np.intp], rng: np.random.Generator) -> tuple[float, float]:
    """Return the p-value of the better of two halves, doubled, and the mean area under their ROC curves."""
    from lindy.linear.svm import SVM

    order = rng.permutation(len(is_new))
    order = order[
        np.argsort(is_new[order], kind="stable")
    ]  # every second of each side, so that both are halved
    halves = [np.sort(order[0::2]), np.sort(order[1::2])]
    areas, p_values = [], []
    for learned, tried in (halves, halves[::-1]):
        model = SVM(class_weight="balanced").fit(X.take(learned), is_new[learned])
        ranks = _ranks(np.asarray(model.decision_function(X.take(tried)), np.float64))
        own = is_new[tried]
        area = _areas(ranks, own[None, :])[0]
        shuffled = rng.permuted(np.broadcast_to(own, (_PERMUTATIONS, len(own))), axis=1)
        p_values.append((1 + int((_areas(ranks, shuffled) >= area).sum())) / (1 + _PERMUTATIONS))
        areas.append(area)
    return min(1.0, 2 * min(p_values)), float(np.mean(areas))


def _ranks(scores: Array) -> Array:
    """Return the rank of each score, from 1; equal ones have the mean of theirs."""
    values, place, counts = np.unique(scores, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    means: Array = (ends - (counts - 1) / 2)[place.reshape(-1)]
    return means if len(values) else scores


def _areas(ranks: Array, is_new: NDArray[Any]) -> Array:
    """Return the area under the ROC curve of ranks for each row of assignments."""
    n = is_new.sum(axis=1)
    above = (is_new * ranks).sum(axis=1) - n * (n + 1) / 2
    areas: Array = above / np.maximum(n * (is_new.shape[1] - n), 1)
    return areas


def _shifted(vectorizer: Any, X: Csr, is_new: NDArray[np.intp], top: int) -> list[FeatureShift]:
    """Return the features whose share of examples changed the most, in units of its standard error.

    Of several kinds of terms these are the first, words before characters; and only what would be rare by chance among
    so many (Bonferroni's correction) is listed.
    """
    first_kind = vectorizer.parts[0][1]
    X = X.keep_columns(np.arange(first_kind.n_columns))
    n_new = int(is_new.sum())
    n_old, of_row = len(is_new) - n_new, np.repeat(is_new, np.diff(X.indptr))
    old, new = (np.bincount(X.indices[of_row == side], minlength=X.n_columns) for side in (0, 1))
    counts = [own + 0.5 for own in (new, n_new - new, old, n_old - old)]
    odds = np.log(counts[0] / counts[1]) - np.log(counts[2] / counts[3])
    z = odds / np.sqrt(sum(1 / own for own in counts))
    first = np.argsort(-np.abs(z), kind="stable")[:top]
    first = first[np.abs(z[first]) > NormalDist().inv_cdf(1 - 0.025 / max(X.n_columns, 1))]
    names = first_kind.names_of(first)
    return [
        FeatureShift(str(name), old[c] / n_old, new[c] / n_new, float(z[c]))
        for name, c in zip(names, first.tolist(), strict=True)
    ]


def label_shares(
    p: Array, answers: NDArray[np.integer[Any]], shares: Array, held_out: tuple[float, float]
) -> LabelShares:
    """Return what calibrated probabilities say of new examples.

    Parameters
    ----------
    p : array (examples, labels)
    answers : array (examples,), the numbers of the predicted labels
    shares : array (labels,), those of the training
    held_out : the accuracy on examples held out in training, and how many they were: how well p is known
    """
    n, K = p.shape
    old = np.maximum(shares, 1e-12)
    old = old / old.sum()
    q, right = _corrected(p, answers, old, old, _STEPS)
    rng = np.random.default_rng(0)
    again = [
        _corrected(p[rows], answers[rows], old, q, _FEW_STEPS)[1].mean()
        for rows in rng.integers(0, n, (_RESAMPLES, n))
    ]
    accuracy, known = held_out
    known = known / float(
        (q * q / old).sum()
    )  # rare labels that are frequent now are known from few examples
    error = np.var(again) + (right * (1 - right)).sum() / n**2 + accuracy * (1 - accuracy) / max(known, 1)
    mean, half = float(right.mean()), Z * float(np.sqrt(error))
    predicted = np.bincount(answers, minlength=K) / n
    return LabelShares(shares, predicted, q, mean, (max(0.0, mean - half), min(1.0, mean + half)))


def _corrected(
    p: Array, answers: NDArray[np.integer[Any]], old: Array, q: Array, steps: int
) -> tuple[Array, Array]:
    """Return the shares of labels that make the examples likeliest, and how probably each answer is then right."""
    for _ in range(steps):
        adjusted = p * (q / old)
        adjusted /= np.maximum(adjusted.sum(axis=1, keepdims=True), 1e-300)
        before, q = q, (adjusted.sum(axis=0) + old) / (len(p) + 1)  # as if one example were as in training
        if np.abs(q - before).max() < _CLOSE:
            break
    return q, adjusted[np.arange(len(p)), answers]
