"""Bayes' rule: from the joint to the posterior, in log space.

    P(y | x) = P(x, y) / Σ_y' P(x, y')

A row that no class could have produced (log P(x, y) = −∞ for every y) says nothing about its label: its
posterior is the prior.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lindy.base import Classifier

Log = NDArray[np.float64]
Prior = Any  # "empirical", "uniform", probabilities in the order of classes_, or a dict by label


def log_prior(prior: Prior, classes: NDArray[Any], class_count: NDArray[np.float64]) -> Log:
    """Return log P(y): the classes' shares, 1/K each, or the given probabilities."""
    K = len(classes)
    if isinstance(prior, str):
        check_prior(prior)
        share = class_count / class_count.sum() if prior == "empirical" else np.full(K, 1.0 / K)
    elif isinstance(prior, dict):
        if set(prior) != set(classes.tolist()):
            raise ValueError(
                f"prior must give a probability for each of {classes.tolist()}; got {list(prior)}"
            )
        share = np.array([float(prior[label]) for label in classes.tolist()])
    else:
        share = np.asarray(prior, np.float64)
    if share.shape != (K,):
        raise ValueError(f"prior must have one probability per class, {K}; got shape {share.shape}")
    if not (share >= 0).all() or abs(share.sum() - 1.0) > 1e-8:
        raise ValueError(f"prior must hold non-negative probabilities that sum to 1; got {share}")
    with np.errstate(divide="ignore"):
        logarithm: Log = np.log(share)
    return logarithm


def check_prior(prior: Prior) -> None:
    """Refuse an unknown word for the prior."""
    if isinstance(prior, str) and prior not in ("empirical", "uniform"):
        raise ValueError(f"prior must be 'empirical', 'uniform' or probabilities; got {prior!r}")


class GenerativeClassifier(Classifier):
    """Predictions from log P(x, y), which learners provide as ``joint_log_proba``; ``b_`` is log P(y)."""

    b_: Log

    def joint_log_proba(self, X: Any) -> Log:
        """Return log P(x, y), rows × classes."""
        raise NotImplementedError

    def evidence(self, X: Any) -> Log:
        """Return log P(x) = log Σ_y P(x, y) of each row."""
        joint = self.joint_log_proba(X)
        top = np.maximum(joint.max(axis=1), np.finfo(float).min)
        with np.errstate(divide="ignore"):
            total: Log = top + np.log(np.exp(joint - top[:, None]).sum(axis=1))
        return total

    def _possible(self, X: Any) -> Log:
        """Return the joint, with the prior in the rows that are impossible under every class."""
        joint = self.joint_log_proba(X)
        impossible = np.isneginf(joint.max(axis=1))
        joint[impossible] = self.b_
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
        joint -= joint.max(axis=1, keepdims=True)
        joint -= np.log(np.exp(joint).sum(axis=1, keepdims=True))
        return joint

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return P(y | x), rows × classes; every row sums to 1."""
        joint = self._possible(X)
        joint -= joint.max(axis=1, keepdims=True)
        np.exp(joint, out=joint)
        joint /= joint.sum(axis=1, keepdims=True)
        return joint
