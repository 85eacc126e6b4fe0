"""Maximum entropy classification, also known as logistic regression.

    P(y | x) = exp(o_y) / Σ_k exp(o_k),   o = xᵀW + b
    min  ½‖W‖² − C·Σ_i weight_i·log P(y_i | x_i)             (divided by C·Σ weight: mean loss + ½·l2·‖W‖²)

Among all distributions whose expected feature counts agree with the data's, this one has the greatest entropy.
"""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from lindy.core import numerics
from lindy.estimators.learners import LearnerSpec, WeightSums
from lindy.estimators.parameters import named, with_parameters
from lindy.linear.convex import ConvexClassifier

MULTICLASS = {"multinomial": "log", "one-vs-rest": "log_ovr"}
_LARGE = 1e6


@with_parameters
class MaxEnt(ConvexClassifier):
    """Logistic regression, multinomial or one-vs-rest, solved to a proven optimum.

    Parameters
    ----------
    multiclass : "multinomial" or "one-vs-rest"
        One distribution over all classes, or one logistic model per class. For two classes both are the same model;
        only ``lam`` counts two weight vectors in the first and one in the second.
    solver : str
        An optimiser by name, or "auto" for the fastest that can prove its answer: "dual" for the L2 penalty,
        "proximal-newton" for L1 and the elastic net, "lbfgs" for none; for tables of few columns "newton" (L2, none).

    Attributes
    ----------
    certificate_, history_, n_iter_, solver_ : see ConvexClassifier
    """

    spec: ClassVar = LearnerSpec(
        "maxent",
        "MaxEnt",
        strengths={"C": (0.01, 100.0)},
        usual=("compare", "tune", "plot"),
        weight_bytes=8,
    )

    multiclass: Annotated[str, named(MULTICLASS)] = "multinomial"

    def weight_sums(self) -> WeightSums:
        """Return the weights and the bias."""
        return self._as_sums("maxent", oneVsRest=self.multiclass == "one-vs-rest")

    scores_are_log_odds = True
    _reads_zeros = True

    @property
    def has_log_odds(self) -> bool:  # type: ignore[override]
        """Whether the softmax of the scores is P(y | x), which it is not with a problem for every class."""
        return self.multiclass != "one-vs-rest"

    def _loss(self) -> str:
        return MULTICLASS[self.multiclass]

    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Return log P(y | x), rows × classes."""
        scores = self.decision_function(X).astype(np.float64)
        if scores.ndim == 1:
            return -numerics.softplus(np.column_stack([scores, -scores]))
        if self.multiclass == "one-vs-rest":
            scores = -numerics.softplus(-scores)
        top = scores.max(axis=1, keepdims=True)
        scores -= np.where(np.abs(top) > _LARGE, top, 0.0)  # in a number beyond that, log Σ would get lost
        normalised: NDArray[np.float64] = scores - numerics.log_sum_exp(scores)[:, None]
        return normalised

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return P(y | x), rows × classes; every row sums to 1.

        One-vs-rest: the classes' own probabilities, divided by their sum.
        """
        return numerics.exp(self.predict_log_proba(X))
