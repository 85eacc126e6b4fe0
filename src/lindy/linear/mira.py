"""MIRA, the margin-infused relaxed algorithm, and its passive-aggressive relatives.

After each example the weights change as little as makes them right on it (LxMLS, Alg. 3; Crammer et al., 2006):

    min_W  ½‖W − W_t‖² + C·ξ    s.t.  w·f(x,y) ≥ w·f(x,ŷ) + ρ(ŷ,y) − ξ,  ξ ≥ 0

whose solution is a step  τ (f(x,y) − f(x,ŷ))  with ℓ = w·f(x,ŷ) − w·f(x,y) + ρ(ŷ,y), D = ‖f(x,y) − f(x,ŷ)‖² and

    PA: τ = ℓ/D        PA-I: τ = min(C, ℓ/D)        PA-II (slack ξ²): τ = ℓ/(D + 1/(2C)).

Here ŷ is the label whose loss ℓ is largest; in the lecture's Algorithm 3 it is the predicted one
(``constraints="predicted"``), and McDonald has a constraint for each of the k best labels (``"k-best"``) or for all of
them. Features stand in one block per class, so D = 2‖x‖² (Amato's 2f·f). Two classes are stored as w = w₁ − w₀, which
moves by 2τ: with D = ‖x‖² and the cap 2C (``Loss.cap_of``) the decisions are those of two weight vectors.
"""

from __future__ import annotations

from typing import Annotated, ClassVar

from numpy.typing import ArrayLike

from lindy.estimators.learners import LearnerSpec
from lindy.estimators.parameters import check_number, check_real, listed, with_parameters
from lindy.linear.losses import cost_matrix, get_loss
from lindy.linear.online import OnlineClassifier
from lindy.linear.optimizers.online_state import AGGRESSIONS, Rule, one_of

LOSS = "multiclass_hinge"


@with_parameters
class Mira(OnlineClassifier):
    """MIRA with a cap C, a cost function ρ, and one constraint, the worst, those of the k best labels, or all.

    Parameters
    ----------
    C : float
        How far one example may move the weight vector of a class (PA-I: the largest τ; PA-II: 1/(2C) is added to D);
        infinity is no cap. Two classes have two weight vectors, as in the lectures: W is their difference.
    lam : float or None
        The λ of the lecture, instead of C: C = 1/λ.
    variant : "PA", "PA-I" or "PA-II"
        No cap, a cap, a soft cap.
    constraints : "max-loss", "predicted", "k-best" or "all"
        Correct against the label that violates its margin ρ most, also when the prediction is right (Crammer et al.,
        2006); against the predicted label, only when it is wrong (Algorithm 3 to the letter); against the wrong ones
        among the k labels with the highest scores, or against all wrong labels, at once (McDonald's forms, the
        quadratic problem solved exactly). The best 1 is "predicted".
    k : int
        How many labels "k-best" looks at; the other constraints have no k.
    cost : None, "zero-one", "distance" or array (classes, classes)
        ρ[predicted, true], not negative and 0 on the diagonal: 0/1, the distance of the class numbers, or as given.
    average : bool or "before"
        Return the mean of the weights after every step (True) or before it ("before": Algorithm 3 to the letter, which
        leaves out the last step), or the last weights (False).
    """

    spec: ClassVar = LearnerSpec(
        "mira",
        "MIRA",
        strengths={"C": (0.01, 100.0)},
        usual=("compare", "plot"),
        weight_bytes=8,
    )

    C: float = 1.0
    lam: float | None = None
    variant: str = "PA-I"
    constraints: str = "max-loss"
    k: int = 5
    cost: str | ArrayLike | None = None
    average: Annotated[bool | str, listed(True, False, "before")] = True

    def _check_parameters(self) -> None:
        super()._check_parameters()
        one_of("variant", self.variant, AGGRESSIONS)
        if isinstance(self.cost, str) or self.cost is None:
            self._rule(2)

    @property
    def idle_options(self) -> frozenset[str]:
        """C beside lam, both where steps have no cap, and k unless the constraints are the k best."""
        idle = {"C", "lam"} if self.variant == "PA" else {"C"} if self.lam is not None else set()
        return super().idle_options | idle | (set() if self.constraints == "k-best" else {"k"})

    @property
    def _own_rule(self) -> bool:
        return self.constraints != "max-loss" or self.cost is not None

    def _rule(self, n_classes: int) -> Rule:
        if self.lam is not None:
            check_number("lam", self.lam, above=0)
        check_real("C", self.C)
        C = float(self.C) if self.lam is None else 1 / float(self.lam)
        return Rule(
            LOSS,
            step="passive-aggressive",
            aggression=self.variant,
            constraints=self.constraints,
            k=self.k,
            C=get_loss(LOSS).cap_of(C, n_classes),
            cost=cost_matrix(self.cost, n_classes),
            batch=self.batch_size,
            average=bool(self.average),
            average_before=self.average == "before",
            bias=self.fit_intercept,
            dtype=self.dtype,
        )
