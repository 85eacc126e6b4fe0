"""What the joint learners share: one weight vector, scores, predictions."""

from __future__ import annotations

from typing import Any

import numpy as np

from lindy.base import Estimator
from lindy.joint.candidates import Array, Candidates


class JointModel(Estimator):
    """ŷ = argmax over the candidates of w·f(x, y).

    Attributes
    ----------
    w_ : one weight per column of f
    """

    w_: Array
    n_jobs: int | None

    def decision_function(self, data: Candidates) -> Array:
        """Return w·f(x, y) of every candidate row."""
        self._check_fitted()
        if data.rows.n_columns != len(self.w_):
            raise ValueError(f"the candidates have {data.rows.n_columns} features, the model {len(self.w_)}")
        return data.scores(self.w_, self.n_jobs)

    def predict(self, data: Candidates) -> list[Any]:
        """Return the candidate with the highest score of each example."""
        return [data.labels[row] for row in data.best(self.decision_function(data)).tolist()]

    def score(self, data: Candidates) -> float:
        """Return the share of examples whose right candidate wins."""
        return float(np.mean(data.best(self.decision_function(data)) == data.right))
