"""The base of the joint learners: one weight vector, scores, predictions."""

from __future__ import annotations

from typing import Any

import numpy as np

from lindy.estimators.base import Estimator
from lindy.estimators.parameters import fitted, with_parameters
from lindy.joint.joint_candidates import Array, Candidates, check_candidates


@with_parameters
class JointModel(Estimator):
    """ŷ = argmax over the candidates of w·f(x, y).

    Parameters
    ----------
    n_jobs : int or None
        Threads for scores; None means all cores.

    Attributes
    ----------
    w_ : one weight per column of f
    """

    n_jobs: int | None = None

    w_: Array = fitted()

    def decision_function(self, data: Candidates) -> Array:
        """Return w·f(x, y) of every candidate row."""
        self._check_fitted()
        check_candidates(data)
        if data.rows.n_columns != len(self.w_):
            raise ValueError(f"the candidates have {data.rows.n_columns} features, the model {len(self.w_)}")
        return data.scores(self.w_, self.n_jobs)

    def predict(self, data: Candidates) -> list[Any]:
        """Return the candidate with the highest score of each example."""
        scores = self.decision_function(data)
        return [data.labels[row] for row in data.best(scores).tolist()]

    def score(self, data: Candidates) -> float:
        """Return the share of examples whose right candidate wins."""
        scores = self.decision_function(data)
        return float(np.mean(data.best(scores) == data.right))
