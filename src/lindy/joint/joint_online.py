"""Perceptron and MIRA over joint features (LxMLS, Alg. 2 and 3; Crammer et al., 2006).

For every example in turn, with ŷ the candidate of the highest score and y the right one:

    w ← w + τ·(f(x, y) − f(x, ŷ))

where the perceptron takes τ = η after a mistake, and MIRA the step that makes up for the loss ℓ = w·f(x,ŷ) − w·f(x,y)
+ ρ(ŷ, y): ℓ/D (PA), min(C, ℓ/D) (PA-I) or ℓ/(D + 1/(2C)) (PA-II), with D = ‖f(x,y) − f(x,ŷ)‖². Against several
candidates at once (McDonald) the smallest change of w that meets all their constraints is found; candidates whose
features are the right one's have none, because no weights tell them apart.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from lindy import _native
from lindy.estimators.parameters import check_epochs, check_number, check_whole, with_parameters
from lindy.joint.joint_model import Array, Candidates, Cost, JointModel, check_candidates
from lindy.linear.optimizers.online_state import AGGRESSIONS, CONSTRAINTS, one_of
from lindy.linear.optimizers.training_schedule import generator

_EXAMPLES_PER_CALL = 10_000  # between two chances for Ctrl-C


@with_parameters
class OnlineJointModel(JointModel):
    """A joint model that learns example by example.

    Parameters
    ----------
    average : bool
        Return the mean of the weights after every step.
    epochs : int
        Passes over the examples.
    shuffle : bool
        Visit the examples of each pass in a new random order.
    random_state : int, None, numpy Generator or RandomState
        Seed of the order; None is 0.

    Attributes
    ----------
    w_ : weights, averaged over every step or those of the last one
    mistakes_ : wrong predictions in each epoch, before the update
    """

    average: bool = True
    epochs: int = 10
    shuffle: bool = True
    random_state: Any = None

    def _rule(self) -> dict[str, Any]:
        raise NotImplementedError

    def _costs(self, data: Candidates) -> Array:
        return data.costs(None)

    def fit(self, data: Candidates) -> Self:
        """Learn from candidates whose right ones are known; a perceptron ends after an epoch without a mistake."""
        check_candidates(data)
        rule, costs = self._rule(), self._costs(data)
        check_epochs(self.epochs)
        w = np.zeros(data.rows.n_columns)
        late, step, rng = np.zeros_like(w), 0, generator(self.random_state)
        self.mistakes_: list[int] = []
        for _ in range(self.epochs):
            order = rng.permutation(len(data)) if self.shuffle else np.arange(len(data))
            mistakes = 0
            for begin in range(0, len(order), _EXAMPLES_PER_CALL):
                part: NDArray[np.int64] = order[begin : begin + _EXAMPLES_PER_CALL]
                wrong, impossible = _native.joint_online(
                    data.rows, data.starts, data.right, costs, part, **rule, w=w, late=late, step=step
                )
                if impossible >= 0:
                    raise ValueError(
                        f"no weights meet all constraints of example {impossible}: take variant='PA-I' or 'PA-II'"
                        " with a finite C, or constraints='predicted'"
                    )
                mistakes, step = mistakes + wrong, step + len(part)
            self.mistakes_.append(mistakes)
            if mistakes == 0 and not rule["passive_aggressive"]:
                step = self.epochs * len(data)  # separated: the epochs that are left would change nothing
                break
        if not np.isfinite(w).all():
            raise ValueError("the weights overflowed: take smaller steps (eta, C) or scale the features")
        self.w_ = w - late / step if self.average else w
        return self


@with_parameters
class JointPerceptron(OnlineJointModel):
    """The perceptron over joint features.

    Parameters
    ----------
    eta0 : float
        The step size η, taken after a mistake.
    """

    eta0: float = 1.0

    def _rule(self) -> dict[str, Any]:
        if not self.eta0 > 0:
            raise ValueError(f"eta0 must be positive; got {self.eta0!r}")
        one = {"variant": "PA", "constraints": "predicted", "k": 1}
        return {"passive_aggressive": False, "eta": self.eta0, "C": 1.0, **one}


@with_parameters
class JointMira(OnlineJointModel):
    """MIRA over joint features.

    Parameters
    ----------
    C : float
        How far one example may move the weights.
    lam : float or None
        The λ of the lecture; if given, C = 1/λ.
    variant : "PA", "PA-I" or "PA-II"
    constraints : "predicted", "max-loss", "k-best" or "all"
        Correct against the prediction when it is wrong; against the candidate that violates its margin most; or
        against the wrong ones of the k candidates with the highest scores, or all of them, at once (McDonald).
    k : int
        How many candidates "k-best" looks at; the other constraints have no k.
    cost : None or callable (candidate, right candidate) → number
        ρ; None is 0/1.
    """

    C: float = 1.0
    lam: float | None = None
    variant: str = "PA-I"
    constraints: str = "predicted"
    k: int = 5
    cost: Cost | None = None

    def _costs(self, data: Candidates) -> Array:
        return data.costs(self.cost)

    def _rule(self) -> dict[str, Any]:
        if not self.C > 0:
            raise ValueError(f"C must be positive; got {self.C!r}")
        if self.lam is not None:
            check_number("lam", self.lam, above=0)
        one_of("variant", self.variant, AGGRESSIONS)
        one_of("constraints", self.constraints, CONSTRAINTS)
        check_whole("k", self.k, 1)
        return {
            "passive_aggressive": True,
            "eta": 1.0,
            "C": self.C if self.lam is None else 1 / self.lam,
            "variant": self.variant,
            "constraints": self.constraints,
            "k": self.k,
        }
