"""Calibration: from scores to probabilities that come true.

Of all texts that get probability 0.8, about eight in ten should have that label. A calibrator learns the step from a
learner's scores s to such probabilities p on examples the learner has not seen:

    sigmoid       p₁ = σ(a·s + c)                     for more classes σ(a_k·m_k + c_k), scaled to sum to 1 (Platt 1999)
    temperature   p = softmax(s / T)                  one number; never changes the label (Guo et al. 2017)
    vector        p = softmax(a ∘ s + c)              two numbers per class; for two classes the same as sigmoid
    isotonic      p₁ = g(s), g any rising function    for more classes g_k(m_k), scaled to sum to 1; the steps are found
                                                      by pooling adjacent violators (Zadrozny & Elkan 2002), and rise

Here m_k = s_k − max_{j≠k} s_j is the lead of class k, and s is centred in each row, because only differences of scores
mean something: naive Bayes adds the probability of the text to all of them.

All are fitted by maximum likelihood with Platt's targets: an example of class y counts as a share of
(n_y + 1)/(n_y + 2) of one, so that scores which separate the classes perfectly still give finite numbers.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lindy import _native
from lindy.core import numerics
from lindy.core.targets import OneLabel, Targets
from lindy.data.splits.split_policy import FREE, SplitPolicy
from lindy.evaluation.calibration.likelihood import Array, fit_logistic, fit_softmax, fit_temperature
from lindy.evaluation.calibration.rising_curves import rising_curve

METHODS = ("sigmoid", "temperature", "vector", "isotonic")

_FOLDS = 3
_ROWS_FOR_ISOTONIC = 1000
_CLASSES_FOR_VECTOR = 50
_NOTHING = np.zeros(0)
_HUGE = 1e100  # in the place of ±∞ where a score is used; differences and multiples of it are still numbers


class Calibrator:
    """Scores in, probabilities out; ``fit_calibrator`` makes one.

    Scores are what ``decision_function`` returns: (rows,) for two classes, otherwise (rows, classes). Of two
    classes with a score each, the difference is taken.
    """

    method: ClassVar[str]
    arrays: dict[str, Array]
    _in_core: _native.Calibration | None = None

    def __init__(self, arrays: Mapping[str, Array]) -> None:
        self.arrays = {name: np.asarray(array, np.float64) for name, array in arrays.items()}

    @classmethod
    def _fit(cls, scores: Array, target: Array, weight: Array) -> Self:
        """Fit to scores (rows, classes or 1), Platt's targets (rows, classes) and the rows' weights."""
        raise NotImplementedError

    def _check(self, n_classes: int) -> None:
        """Raise ValueError unless the arrays are a calibrator of ``n_classes`` classes."""
        raise NotImplementedError

    def _numbers(self) -> tuple[Array, Array, Array]:
        """Return what the core calls slope, shift and starts."""
        return self.arrays["slope"], self.arrays["shift"], _NOTHING

    def __call__(self, scores: ArrayLike) -> Array:
        """Return the probabilities, rows × classes, of scores."""
        return self.probabilities_and_best(scores)[0]

    def probabilities_and_best(self, scores: ArrayLike) -> tuple[Array, NDArray[np.intp]]:
        """Return the probabilities, and the class of the highest; of two equal ones, that of the higher score."""
        rows = np.asarray(scores)
        if rows.ndim == 1:
            rows = rows.reshape(-1, 1)
        if rows.ndim != 2:
            raise ValueError(f"scores must be numbers, (rows,) or (rows, classes); got shape {rows.shape}")
        if rows.shape[1] == 2:
            rows = rows[:, 1:].astype(np.float64) - rows[:, :1]
        if rows.dtype.char not in "fd" or not rows.flags.c_contiguous:
            rows = np.ascontiguousarray(rows, np.float64)
        found: tuple[Array, NDArray[np.intp]] = self.native(rows.shape[1])(rows)
        return found

    def threshold(self, scores: ArrayLike) -> Array:
        """Return the probabilities of one score for each label, as a rule has them for its thresholds."""
        p: Array = self(np.asarray(scores, np.float64)[None, :])[0]
        return p

    def native(self, n_scores: int) -> Any:
        """Return the calibrator as the core has it, of so many scores per row."""
        if self._in_core is None or self._in_core.n_scores != n_scores:
            self._in_core = _native.Calibration.make(self.method, n_scores, *self._numbers())
        return self._in_core

    def __getstate__(self) -> dict[str, Any]:
        return {"arrays": self.arrays}

    def to_state(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """Return what a model file keeps."""
        return {"method": self.method}, self.arrays


class Sigmoid(Calibrator):
    """σ(a·s + c); with more than two classes one per class, scaled to sum to 1."""

    method = "sigmoid"

    @classmethod
    def _fit(cls, scores: Array, target: Array, weight: Array) -> Self:
        columns = target[:, 1:] if scores.shape[1] == 1 else target
        pairs = [fit_logistic(s, t, weight) for s, t in zip(_leads(scores).T, columns.T, strict=True)]
        return cls({"slope": np.array([a for a, _ in pairs]), "shift": np.array([c for _, c in pairs])})

    def _check(self, n_classes: int) -> None:
        n = 1 if n_classes == 2 else n_classes
        check_shapes(self.arrays, {"slope": (n,), "shift": (n,)})


class Temperature(Calibrator):
    """softmax(s / T); for two classes σ(s / T)."""

    method = "temperature"

    @classmethod
    def _fit(cls, scores: Array, target: Array, weight: Array) -> Self:
        return cls({"temperature": np.array([1 / fit_temperature(_logits(scores), target, weight)])})

    def _numbers(self) -> tuple[Array, Array, Array]:
        return self.arrays["temperature"], _NOTHING, _NOTHING

    def _check(self, n_classes: int) -> None:  # noqa: ARG002
        check_shapes(self.arrays, {"temperature": (1,)})
        if not self.arrays["temperature"][0] > 1 / _HUGE:
            raise ValueError("the temperature of a calibrator must be positive")


class Vector(Calibrator):
    """softmax(a ∘ s + c)."""

    method = "vector"

    @classmethod
    def _fit(cls, scores: Array, target: Array, weight: Array) -> Self:
        if scores.shape[1] == 1:
            a, c = fit_logistic(scores[:, 0], target[:, 1], weight)
            return cls({"slope": np.array([0.0, a]), "shift": np.array([0.0, c])})
        slope, shift = fit_softmax(_logits(scores), target, weight)
        return cls({"slope": slope, "shift": shift})

    def _check(self, n_classes: int) -> None:
        check_shapes(self.arrays, {"slope": (n_classes,), "shift": (n_classes,)})


class Isotonic(Calibrator):
    """A rising function, linear within and between the steps that were found (``rising_curves``).

    No step is surer than 1 in n + 2 rows allows, which K − 1 other classes share. ``starts`` says where the knots of
    each class begin (two classes have one function).
    """

    method = "isotonic"

    @classmethod
    def _fit(cls, scores: Array, target: Array, weight: Array) -> Self:
        columns = target[:, 1:] if scores.shape[1] == 1 else target
        limit = 1 / (len(scores) + 2)
        least = limit / max(scores.shape[1] - 1, 1)
        curves = [
            rising_curve(s, t > 0.5, weight, least, 1 - limit)
            for s, t in zip(_leads(scores).T, columns.T, strict=True)
        ]
        return cls(
            {
                "starts": np.cumsum([0, *(len(knots) for knots, _ in curves)]).astype(np.float64),
                "knots": np.concatenate([knots for knots, _ in curves]),
                "heights": np.concatenate([heights for _, heights in curves]),
            }
        )

    def _numbers(self) -> tuple[Array, Array, Array]:
        return self.arrays["knots"], self.arrays["heights"], self.arrays["starts"]

    def _check(self, n_classes: int) -> None:
        curves = 1 if n_classes == 2 else n_classes
        n = len(self.arrays.get("knots", ()))
        check_shapes(self.arrays, {"starts": (curves + 1,), "knots": (n,), "heights": (n,)})
        starts, knots, heights = (self.arrays[name] for name in ("starts", "knots", "heights"))
        if starts[0] != 0 or starts[-1] != n or not (np.diff(starts) >= 1).all() or (starts % 1 != 0).any():
            raise ValueError("the starts of an isotonic calibrator contradict its knots")
        inner = np.ones(n, bool)
        inner[starts[:-1].astype(np.int64)] = False
        if not ((heights > 0) & (heights < 1)).all() or (np.diff(knots, prepend=0.0)[inner] <= 0).any():
            raise ValueError("an isotonic calibrator must rise over ascending knots")


_KINDS: dict[str, type[Calibrator]] = {kind.method: kind for kind in (Sigmoid, Temperature, Vector, Isotonic)}


def fit_calibrator(
    scores: ArrayLike,
    y: Targets | ArrayLike,
    n_classes: int | None = None,
    method: str = "auto",
    *,
    weight: ArrayLike | None = None,
    division: SplitPolicy = FREE,
) -> Calibrator:
    """Fit a calibrator to scores of examples the learner has not seen.

    Parameters
    ----------
    scores : array (rows,) for two classes, otherwise (rows, classes)
    y : targets, or array (rows,), the number of each row's class
    n_classes : int or None
        How many classes there are, if y does not say it.
    method : "auto" or one of ``METHODS``
        "auto" tries, in three folds of the given rows, temperature, then sigmoid for two classes or vector for up to
        50, then isotonic from 1,000 rows on. It goes on to the next where that lowers the log loss by more than one
        standard error: temperature never changes a label, and the others only do where it pays.
    weight : array (rows,) or None
        Positive weights; those that the learner was fitted with, so that both speak of the same shares of the classes.
    division : SplitPolicy
        How "auto" may divide the rows: with groups, or by time.
    """
    s, y = (
        _columns(scores),
        OneLabel.of(y) if n_classes is None else OneLabel(np.arange(n_classes), np.array(y)),
    )
    K = len(y.names)
    if K < 2 or s.shape != (len(y), y.n_outputs):
        raise ValueError(
            f"scores must have one column for two classes, otherwise one per class ({K}); got {s.shape}"
        )
    if not len(y):
        raise ValueError("there are no rows to calibrate on")
    w = np.ones(len(y)) if weight is None else np.asarray(weight, np.float64)
    if w.shape != (len(y),) or not (w > 0).all():
        raise ValueError(f"there must be one positive weight per row; got shape {w.shape}")
    if method == "auto":
        method = _best_method(s, y, w, division)
    if method not in _KINDS:
        raise ValueError(f"method must be 'auto' or one of {list(METHODS)}; got {method!r}")
    return _KINDS[method]._fit(_finite(s), platt_targets(y), w)


def calibrator_from_state(params: Mapping[str, Any], arrays: Mapping[str, Any], n_classes: int) -> Calibrator:
    """Return the calibrator whose ``to_state`` this was; raises ValueError for anything else."""
    method = params.get("method")
    if method not in _KINDS:
        raise ValueError(f"no calibration is called {method!r}")
    calibrator = _KINDS[str(method)](arrays)
    calibrator._check(n_classes)
    return calibrator


def platt_targets(y: Targets) -> Array:
    """Return (n_y + 1)/(n_y + 2) for the class of each row; what is left to 1 goes to the others in equal parts."""
    missing, K = 1 / (y.counts[y.codes] + 2), len(y.names)
    target = np.repeat(missing[:, None] / (K - 1), K, axis=1)
    target[np.arange(len(y)), y.codes] = 1 - missing
    return target


def log_losses(probabilities: Array, codes: NDArray[Any]) -> Array:
    """Return −log p of the true class of each row; p is taken to be at least 2⁻⁵²."""
    p = probabilities[np.arange(len(codes)), codes]
    losses: Array = -numerics.log(np.maximum(p, np.finfo(float).eps))
    return losses


def _best_method(scores: Array, y: Targets, weight: Array, division: SplitPolicy) -> str:
    n_classes = len(y.names)
    tried = ["temperature"]
    if n_classes <= _CLASSES_FOR_VECTOR:
        tried.append("sigmoid" if n_classes == 2 else "vector")
    if len(y) >= _ROWS_FOR_ISOTONIC:
        tried.append("isotonic")
    if len(y) < 10 * n_classes:
        return "temperature"
    splits = division.splits(y, _FOLDS)
    if not splits:
        return "temperature"
    judged = np.arange(len(y)) if division.is_free else np.concatenate([held for _, held in splits])
    share = weight / weight.mean()
    losses = {}
    for method in tried:
        p = np.full((len(y), n_classes), 1 / n_classes)
        for kept, held_out in splits:
            calibrator = fit_calibrator(scores[kept], y.take(kept), None, method, weight=weight[kept])
            p[held_out] = calibrator(scores[held_out])
        losses[method] = (share * log_losses(p, y.codes))[judged]
    best = tried[0]
    for method in tried[1:]:
        gain = losses[best] - losses[method]
        if gain.mean() > gain.std() / np.sqrt(len(gain)):
            best = method
    return best


def centred_logits(scores: ArrayLike) -> Array:
    """Return scores, as ``decision_function`` gives them, as finite numbers with a column per class."""
    return _logits(_finite(_columns(scores)))


def scores_of(probabilities: Array) -> Array:
    """Return scores, as ``decision_function`` gives them, whose softmax are these probabilities (rows, classes)."""
    logs = numerics.log(np.maximum(probabilities, np.finfo(float).eps))
    return logs[:, 1] - logs[:, 0] if logs.shape[1] == 2 else logs


def _columns(scores: ArrayLike) -> Array:
    s = np.asarray(scores, np.float64)
    if s.ndim not in (1, 2) or np.isnan(s).any():
        raise ValueError(f"scores must be numbers, (rows,) or (rows, classes); got shape {s.shape}")
    return s[:, None] if s.ndim == 1 else s


def _finite(scores: Array) -> Array:
    """Put the largest finite size in the place of ±∞ (impossible classes of unsmoothed naive Bayes)."""
    finite = np.isfinite(scores)
    if finite.all():
        return scores
    largest = float(np.abs(scores[finite]).max(initial=1.0))
    return np.clip(scores, -largest, largest)


def _moderate(scores: Array) -> Array:
    """Return the scores between ±_HUGE; two functions of NumPy take half the time of its ``clip`` for one row."""
    moderate: Array = np.minimum(np.maximum(scores, -_HUGE), _HUGE)
    return moderate


def _logits(scores: Array) -> Array:
    """Return one score per class, with mean 0 in each row; 0 and s for two classes, whose margin is s."""
    s = _moderate(scores)
    if s.shape[1] == 1:
        return np.concatenate([np.zeros_like(s), s], axis=1)
    centred: Array = s - s.mean(axis=1, keepdims=True)
    return centred


def _leads(scores: Array) -> Array:
    """Return by how much each class leads the best other one; the margin itself for two classes."""
    s = _moderate(scores)
    if s.shape[1] == 1:
        return s
    second, first = np.partition(s, -2, axis=1)[:, -2:].T
    ahead = s == first[:, None]
    leads: Array = s - np.where(ahead, second[:, None], first[:, None])
    return leads


def check_shapes(arrays: Mapping[str, Array], shapes: Mapping[str, tuple[int, ...]]) -> None:
    """Raise ValueError unless a calibrator has arrays of these shapes, of moderate numbers."""
    found = {name: array.shape for name, array in arrays.items()}
    if found != dict(shapes) or not all((np.abs(array) <= _HUGE).all() for array in arrays.values()):
        raise ValueError(
            f"a calibrator needs arrays of moderate numbers, of shapes {dict(shapes)}; got {found}"
        )
