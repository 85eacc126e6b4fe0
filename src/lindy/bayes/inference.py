"""Bayes' rule, from the joint to the posterior in log space; and smoothing, from counts to log P(w | y).

    P(y | x) = P(x, y) / Σ_y' P(x, y')

A row that no class could have produced (log P(x, y) = −∞ for every y) says nothing about its label: its
posterior is the prior.

Smoothing is Laplace-k (k = 0: maximum likelihood) or linear interpolation. Its functions take the counts n_yw of some
words (words × classes) and what is known of all words.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lindy.core import numerics
from lindy.core.csr import Csr
from lindy.core.numerics import log
from lindy.estimators.base import Classifier, one_row
from lindy.estimators.parameters import as_numbers, must

Log = NDArray[np.float64]
Prior = Any  # None, "uniform", probabilities in the order of classes_, or a dict by label
Array = NDArray[np.float64]


def log_prior(prior: Prior, classes: NDArray[Any], class_count: NDArray[np.float64]) -> Log:
    """Return log P(y): the classes' shares, 1/K each, or the given probabilities."""
    K = len(classes)
    check_prior("class_prior", prior)
    if prior is None:
        share = class_count / class_count.sum()
    elif isinstance(prior, str):
        share = np.full(K, 1.0 / K)
    elif isinstance(prior, dict):
        if set(prior) != set(classes.tolist()):
            raise ValueError(
                f"class_prior must give a probability for each of {classes.tolist()}; got {list(prior)}"
            )
        share = as_numbers("class_prior", [prior[label] for label in classes.tolist()])
    else:
        share = as_numbers("class_prior", prior)
    if share.shape != (K,):
        raise ValueError(f"class_prior must have one probability per class, {K}; got shape {share.shape}")
    if not (share >= 0).all() or abs(share.sum() - 1.0) > 1e-8:
        raise ValueError(f"class_prior must hold non-negative probabilities that sum to 1; got {share}")
    with np.errstate(divide="ignore"):
        logarithm: Log = numerics.log(share)
    return logarithm


check_prior = must(
    "be None, 'uniform' or probabilities", lambda prior: not isinstance(prior, str) or prior == "uniform"
)


@dataclass(frozen=True, slots=True)
class Inference:
    """The three steps of inference: P(y, f) for each label, P(f), and P(y | f)."""

    joint: NDArray[np.float64]
    evidence: float
    posterior: NDArray[np.float64]


def infer(prior: ArrayLike, observed: Iterable[ArrayLike]) -> Inference:
    """Return P(y, f₁ … f_n) = P(y)·Π_i P(f_i | y), its sum over y, and the quotient.

    ``observed`` has one table P(f_i | y) over the labels for each feature that was looked at. A feature that was
    not looked at is left out: summed over all its values, its factor is 1.
    """
    share = np.asarray(prior, np.float64)
    with np.errstate(divide="ignore"):
        score = numerics.log(share)
        for table in observed:
            score = score + numerics.log(np.asarray(table, np.float64))
    top = score.max()
    if np.isneginf(top):
        return Inference(np.zeros_like(share), 0.0, share)
    odds = numerics.exp(score - top)
    return Inference(numerics.exp(score), float(numerics.exp(top) * odds.sum()), odds / odds.sum())


class GenerativeClassifier(Classifier):
    """Predictions from log P(x, y), which learners provide as ``joint_log_proba``; ``log_prior_`` is log P(y)."""

    log_prior_: Log
    scores_are_log_odds = True

    def joint_log_proba(self, X: Any) -> Log:
        """Return log P(x, y), rows × classes."""
        raise NotImplementedError

    def _joint_addends(self, row: Csr) -> tuple[Log, Log]:
        """Take log P(x, y) of one row apart: what each stored value adds, and the rest."""
        raise NotImplementedError

    def contributions(self, X: Any) -> tuple[Log, Log]:
        """Take log P(x, y) of one row apart: what each stored value adds, and the bias.

        Where no class could have produced the row, the prior alone decides, and the values add nothing.
        """
        self._check_fitted()
        added, bias = self._joint_addends(one_row(self._rows(X)))
        if np.isneginf(bias + added.sum(axis=0)).all():
            return np.zeros_like(added), self.log_prior_
        return added, bias

    def evidence(self, X: Any) -> Log:
        """Return log P(x) = log Σ_y P(x, y) of each row."""
        joint = self.joint_log_proba(X)
        top = np.maximum(joint.max(axis=1), np.finfo(float).min)
        with np.errstate(divide="ignore"):
            total: Log = top + numerics.log(numerics.exp(joint - top[:, None]).sum(axis=1))
        return total

    def _possible(self, X: Any) -> Log:
        """Return the joint, with the prior in the rows that are impossible under every class."""
        joint = self.joint_log_proba(X)
        impossible = np.isneginf(joint.max(axis=1))
        joint[impossible] = self.log_prior_
        return joint

    def decision_function(self, X: Any) -> Log:
        """Return log P(x, y) per class; for two classes log P(x, y₁) − log P(x, y₀)."""
        joint = self._possible(X)
        return joint[:, 1] - joint[:, 0] if joint.shape[1] == 2 else joint

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the most probable label of each row."""
        joint = self._possible(X)
        labels: NDArray[Any] = self.classes_[joint.argmax(axis=1)]
        return labels

    def predict_log_proba(self, X: Any) -> Log:
        """Return log P(y | x), rows × classes."""
        joint = self._possible(X)
        joint -= numerics.log_sum_exp(joint)[:, None]
        return joint

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return P(y | x), rows × classes; every row sums to 1."""
        return numerics.softmax(self._possible(X))


def class_totals(counts: Csr) -> Array:
    """Return Σ_w n_yw, the tokens of each class."""
    total = np.bincount(counts.indices, counts.values, counts.n_columns).astype(np.float64)
    if not np.isfinite(total).all():
        raise ValueError("the counts are too large to be added up; divide X by a constant")
    return total


def laplace(n: Array, total: Array, k: float | Array, k_total: float) -> Array:
    """Log P(w | y) = log (n_yw + k_w) − log (Σ_w' n_yw' + Σ_w' k_w')."""
    whole = total + k_total
    logs = log(n + k)
    logs -= log(np.where(whole > 0, whole, 1.0))
    return logs


def interpolated(n: Array, total: Array, a: float, overall: Array | None = None) -> Array:
    """Log P(w | y) = log (a·n_yw / Σ_w' n_yw' + (1 − a)·n_w / Σ_w' n_w'); ``overall`` is n_w / Σ_w' n_w', if known."""
    own = n / np.where(total > 0, total, 1.0)
    if overall is None:
        overall = n.sum(axis=1, keepdims=True) / max(total.sum(), np.finfo(float).tiny)
    return log(a * own + (1.0 - a) * overall)
