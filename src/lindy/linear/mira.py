"""MIRA, the margin-infused relaxed algorithm, and its passive-aggressive relatives.

After each example the weights change as little as makes them right on it (LxMLS, Alg. 3; Crammer et al., 2006):

    min_W  ½‖W − W_t‖² + C·ξ    s.t.  w·f(x,y) ≥ w·f(x,ŷ) + ρ(ŷ,y) − ξ,  ξ ≥ 0

whose solution is a step  τ (f(x,y) − f(x,ŷ))  with ℓ = w·f(x,ŷ) − w·f(x,y) + ρ(ŷ,y), D = ‖f(x,y) − f(x,ŷ)‖² and

    PA: τ = ℓ/D        PA-I: τ = min(C, ℓ/D)        PA-II (slack ξ²): τ = ℓ/(D + 1/(2C)).

Here ŷ is the label whose loss ℓ is largest; in the lecture's Algorithm 3 it is the predicted one
(``constraints="predicted"``). Features stand in one block per class, so D = 2‖x‖²; two classes share one column w
(f(x,±1) = ±x/2), so D = ‖x‖².
"""

from __future__ import annotations

from typing import ClassVar

from numpy.typing import ArrayLike

from lindy.learners import Declaration
from lindy.linear.costs import cost_matrix
from lindy.linear.losses import get_loss
from lindy.linear.online import OnlineClassifier, check_average
from lindy.linear.optimizers.online_state import AGGRESSIONS, Rule, one_of
from lindy.parameters import check_number, with_parameters

LOSS = "multiclass_hinge"


@with_parameters
class Mira(OnlineClassifier):
    """MIRA with a cap C, a cost function ρ, and one, the worst or all constraints.

    Parameters
    ----------
    C : float
        How far one example may move the weights (PA-I: the largest τ; PA-II: 1/(2C) is added to D).
    lam : float or None
        The λ of the lecture, instead of C: C = 1/λ, and for two classes 2/λ, because the lecture has two weight vectors
        there, each of which moves by τ, and W holds their difference.
    variant : "PA", "PA-I" or "PA-II"
        No cap, a cap, a soft cap.
    constraints : "max-loss", "predicted" or "all"
        Correct against the label that violates its margin ρ most, also when the prediction is right (Crammer et al.,
        2006); against the predicted label, only when it is wrong (Algorithm 3 to the letter); or against all wrong
        labels at once (McDonald's form, the quadratic problem solved exactly).
    cost : None, "zero-one", "distance" or array (classes, classes)
        ρ[predicted, true], not negative and 0 on the diagonal: 0/1, the distance of the class numbers, or as given.
    average : bool or "before"
        Return the mean of the weights after every step (True) or before it ("before": Algorithm 3 to the letter, which
        leaves out the last step), or the last weights (False).
    """

    declaration: ClassVar = Declaration(
        "mira",
        "MIRA",
        offers=frozenset({"addends", "streaming"}),
        updates="goes on",
        strengths={"C": (0.01, 100.0)},
        usual=("compare", "plot"),
    )

    C: float = 1.0
    lam: float | None = None
    variant: str = "PA-I"
    constraints: str = "max-loss"
    cost: str | ArrayLike | None = None
    average: bool | str = True

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_average(self.average, "before")
        one_of("variant", self.variant, AGGRESSIONS)
        if isinstance(self.cost, str) or self.cost is None:
            self._rule(2)

    @property
    def idle_options(self) -> frozenset[str]:
        """C beside lam, and both where steps have no cap."""
        idle = {"C", "lam"} if self.variant == "PA" else {"C"} if self.lam is not None else set()
        return super().idle_options | idle

    def _rule(self, n_classes: int) -> Rule:
        if self.lam is not None:
            check_number("lam", self.lam, above=0)
        return Rule(
            LOSS,
            step="passive-aggressive",
            aggression=self.variant,
            constraints=self.constraints,
            C=self.C if self.lam is None else 1 / get_loss(LOSS).l2_of(float(self.lam), n_classes),
            cost=cost_matrix(self.cost, n_classes),
            batch=self.batch_size,
            average=bool(self.average),
            average_before=self.average == "before",
            bias=self.fit_intercept,
            dtype=self.dtype,
        )
