"""The state of an online learner: its rule, its weights and the sums of their average."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lindy import _native
from lindy.core.csr import Float
from lindy.core.rows import Rows
from lindy.estimators.parameters import check_flags, check_real, check_whole
from lindy.linear.losses import get_loss

_SLACK = 4  # the kernels read weights four at a time
_STEPS = ("gradient", "adagrad", "passive-aggressive")
_SCHEDULES = ("constant", "power", "pegasos", "auto")
AGGRESSIONS = ("PA", "PA-I", "PA-II")
CONSTRAINTS = ("predicted", "max-loss", "k-best", "all")


@dataclass(frozen=True, slots=True)
class Rule:
    """Loss × step rule × averaging: which online learner this is.

    ============================ ==================================================================
    ``step="gradient"``          W ← (1 − η_t·l2)·W + η_t·x gᵀ, with −g a subgradient of the loss and
                                 η_t = eta0 (``schedule="constant"``), eta0·t^−power (``"power"``),
                                 1/(l2·t) (``"pegasos"``), or the least of eta0/√(1 + t/1000) and 1/(l2·t),
                                 falling to 0 at t = horizon, if that is known (``"auto"``); there an
                                 unpenalised bias has the steps bias_eta0/√t
    ``step="adagrad"``           each weight has the step eta0 / √(Σ of its squared gradients)
    ``step="passive-aggressive"``  the smallest change that corrects the example (MIRA); ``C`` caps it
    ============================ ==================================================================

    Of rows with several ``labels`` every label is one output, told apart from its absence ("one-vs-rest"), or ranked
    ("ranking") with one output more, the last: a virtual label, above which the labels of a row belong.
    """

    loss: str
    step: str = "gradient"
    schedule: str = "constant"
    eta0: float = 1.0
    power: float = 1.0
    bias_eta0: float = 1.0
    horizon: float = 0.0
    l2: float = 0.0
    l1: float = 0.0
    cumulative: bool = True
    aggression: str = "PA-I"
    constraints: str = "predicted"
    k: int = 1
    C: float = 1.0
    projection: bool = False
    batch: int = 1
    average: bool = True
    average_before: bool = False
    bias: bool = True
    penalize_bias: bool = False
    dtype: str = "float32"
    labels: str | None = None
    cost: NDArray[np.float64] | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        one_of("step", self.step, _STEPS)
        one_of("schedule", self.schedule, _SCHEDULES)
        one_of("aggression", self.aggression, AGGRESSIONS)
        one_of("constraints", self.constraints, CONSTRAINTS)
        one_of("dtype", self.dtype, ("float32", "float64"))
        for name in ("eta0", "power", "l2", "l1", "C"):
            check_real(name, getattr(self, name))
        check_whole("batch", self.batch, 1)
        check_whole("k", self.k, 1, 2**31)
        check_flags(self, "bias", "penalize_bias", "projection", "average", "average_before")
        _require(np.isfinite(self.eta0) and self.eta0 > 0, "eta0", "positive", self)
        _require(self.C > 0, "C", "positive", self)
        for name in ("l2", "l1", "power"):
            _require(
                np.isfinite(getattr(self, name)) and getattr(self, name) >= 0, name, "not negative", self
            )
        if self.schedule == "pegasos" and self.l2 <= 0:
            raise ValueError("the schedule 1/(l2·t) of Pegasos needs an L2 penalty above 0")
        if self.average and self.l1 > 0:
            raise ValueError("averaged weights are not sparse: use average=False with an L1 penalty")
        if self.projection and (self.l2 <= 0 or self.l1 > 0):
            raise ValueError("the projection needs an L2 penalty above 0 and no L1 penalty")
        given = self.step == "gradient" and self.schedule in ("constant", "power")
        if given and self.eta0 * self.l2 >= 1:
            raise ValueError(
                f"eta0·l2 must be below 1, or every step reverses the signs of the weights; got {self.eta0}·{self.l2}:"
                " take a smaller eta0, or none, which derives the steps from the data"
            )

    def radius(self, n_classes: int) -> float:
        """Return the radius of a ball around 0 that holds the optimum: √(ρ_max/l2) for hinges, else √(2·loss(0)/l2)."""
        if not self.projection:
            return 0.0
        loss = get_loss(self.loss)
        highest = 1.0 if self.cost is None else float(self.cost.max())
        return float(np.sqrt((2 * loss.at_zero(n_classes) if loss.smooth else highest) / self.l2))

    def native(self, n_classes: int) -> _native.OnlineRule:
        """Return the rule in the form that the kernels take."""
        rule = _native.OnlineRule(self.loss, self.step, self.schedule, self.aggression, self.constraints)
        for name in ("eta0", "bias_eta0", "power", "horizon", "l2", "l1", "C", "batch", "k"):
            setattr(rule, name, getattr(self, name))
        for name in ("average_before", "cumulative", "bias", "penalize_bias"):
            setattr(rule, name, bool(getattr(self, name)))  # NumPy's too
        rule.radius = self.radius(n_classes)
        rule.ranks_labels = self.labels == "ranking"
        return rule


def one_of(name: str, value: object, choices: tuple[str, ...]) -> None:
    """Raise ValueError unless an option is one of its names."""
    if not isinstance(value, str) or value not in choices:
        raise ValueError(f"{name} must be one of {list(choices)}; got {value!r}")


def _require(holds: bool, name: str, what: str, rule: Rule) -> None:
    if not holds:
        raise ValueError(f"{name} must be {what}; got {getattr(rule, name)!r}")


_OUTPUTS = (
    "bias",
    "bias_sum",
    "bias_G",
    "scale",
    "averaged_scale",
    "squares",
)  # as state_view in native/bind has them
_CLOCK = ("time", "averaged", "penalty")


def _output(name: str) -> property:
    """Return the property of a number per output, a row of the array that the kernels take."""
    row = _OUTPUTS.index(name)
    return property(lambda state: state.outputs[row])


def _clock(name: str) -> property:
    """Return the property of a sum over visits: all, those averaged, penalties that have fallen due."""
    place = _CLOCK.index(name)
    return property(
        lambda state: float(state.clock[place]),
        lambda state, value: state.clock.__setitem__(place, value),
    )


class State:
    """The weights in the middle of a run; ``weights`` reads them as the model they stand for.

    ``W`` holds them in units of a scale per output (so that a decay costs O(outputs)), ``U`` the sums of the
    average, or instead of it ``row_sums`` has the factors of the rows that it is made of; see
    ``native/linear/online/online.hpp``.
    """

    def __init__(self, rule: Rule, n_features: int, n_classes: int) -> None:
        self.rule = rule
        self.n_features = n_features
        self.n_classes = n_classes
        K = 1 if n_classes <= 2 and not rule.labels else n_classes
        self.W: Float = self._matrix(K)
        self.U: Float | None = None
        self.row_sums: tuple[Rows, NDArray[np.int32], NDArray[np.float64]] | None = None
        penalised_lazily = rule.l1 > 0 or (rule.step == "adagrad" and rule.l2 > 0)
        self.G: Float | None = None
        if rule.step == "adagrad" or (rule.l1 > 0 and rule.cumulative):
            self.G = self._matrix(K)
        self.last = np.zeros(n_features) if penalised_lazily else None
        self.outputs = np.zeros((len(_OUTPUTS), K))
        self.scale[:] = 1.0
        self.clock = np.zeros(len(_CLOCK))

    def _matrix(self, K: int) -> Float:
        return np.zeros(self.n_features * K + _SLACK, self.rule.dtype)

    def _shaped(self, flat: Float) -> Float:
        K = self.outputs.shape[1]
        return flat[: self.n_features * K].reshape(self.n_features, K)

    @property
    def raw(self) -> Float:
        """W before its scale, features × outputs."""
        return self._shaped(self.W)

    bias, bias_sum = _output("bias"), _output("bias_sum")
    scale, averaged_scale, squares = _output("scale"), _output("averaged_scale"), _output("squares")
    time, averaged, penalty = _clock("time"), _clock("averaged"), _clock("penalty")

    @property
    def arrays(self) -> dict[str, Any]:
        """The arrays that every kernel takes, by name."""
        return {name: getattr(self, name) for name in ("W", "U", "G", "last", "outputs", "clock")}

    def start(self, W: Float, b: Float, time: float = 0.0) -> None:
        """Begin from given weights; with ``time`` they count in the average as that many visits."""
        self._shaped(self.W)[:] = W
        self.bias[:] = b
        self.squares[:] = np.square(W, dtype=np.float64).sum(axis=0)
        self.time = time
        if self.rule.average:
            self.averaged = time
            self.averaged_scale[:] = time
            self.bias_sum[:] = time * np.asarray(b)

    def stay(self, visits: float) -> None:
        """Count so many further visits that change nothing: the average gets the present weights for each."""
        self.time += visits
        if self.rule.average:
            self.averaged += visits
            self.averaged_scale[:] += visits * self.scale
            self.bias_sum[:] += visits * self.bias

    def prepare_average(self, X: Rows, rows: NDArray[np.int32], *, once: bool = False) -> None:
        """Choose in what form the sums of the average are kept while rows of X are visited.

        One factor per row and output where that is less than a second matrix and no penalty changes the weights
        beside the steps (the scale of Pegasos, 1/t, does no harm: A/scale = t·log t stays near the number of visits);
        ``collect`` has to follow before rows of another X are visited. A second matrix for rows that are visited
        ``once``, in their order: they may come in blocks that nobody keeps, see ``online_blocks``.
        """
        if not self.rule.average:
            return
        K = self.outputs.shape[1]
        scaled_evenly = self.rule.schedule == "pegasos" and not self.rule.projection
        plain = (self.rule.l2 == 0 or scaled_evenly) and self.rule.step != "adagrad"
        if plain and not once and len(rows) * K * 8 <= self.W.nbytes:
            self.row_sums = X, rows, np.zeros((X.shape[0], K))
        else:
            self.sum_in_matrix()

    def sum_in_matrix(self) -> None:
        """Keep the sums of the average in a second matrix."""
        if self.rule.average and self.U is None:
            self.U = self._matrix(self.outputs.shape[1])

    def collect(self) -> None:
        """Turn the rows' factors into ``U``, so that the rows are no longer needed."""
        if self.row_sums is None:
            return
        if self.U is None:
            self.U = self._matrix(self.outputs.shape[1])
        self._add_rows(1.0, self.U)
        self.row_sums = None

    def _add_rows(self, factor: float, out: Float) -> None:
        if self.row_sums is not None:
            X, rows, sums = self.row_sums
            _native.online_collect(X, sums, rows, factor, out)

    def settle(self) -> None:
        """Apply the penalties that have fallen due since a feature was last seen."""
        if self.last is not None and self.n_classes > 1:  # a single class has learned nothing yet
            rule = self.rule.native(self.n_classes)
            _native.online_settle(self.n_features, self.n_classes, rule, **self.arrays)

    def weights(self, *, final: bool = False) -> tuple[Float, Float]:
        """Return the averaged or present W (features × outputs) and b; ``final`` gives up the state to save memory."""
        self.settle()
        averaged = self.rule.average and self.averaged > 0
        out = self.W if final else np.empty_like(self.W)
        total = self.averaged if averaged else 1.0
        factor = self.averaged_scale / total if averaged else self.scale
        _native.online_weights(self.n_features, self.W, self.U if averaged else None, factor, total, out)
        if averaged:
            self._add_rows(-1.0 / total, out)
        b = self.bias_sum / total if averaged else self.bias
        return self._shaped(out), b.astype(self.rule.dtype)

    def present(self) -> tuple[Float, Float]:
        """Return the weights of this moment, not averaged."""
        self.settle()
        scale = self.scale.astype(self.rule.dtype)
        return self._shaped(self.W) * scale, self.bias.astype(self.rule.dtype)

    def grown(self, n_features: int, positions: NDArray[np.intp], n_classes: int) -> State:
        """Return this state with more features and classes; ``positions`` says where the old classes are now."""
        bigger = State(replace(self.rule, cost=self.rule.cost), n_features, n_classes)
        bigger.clock[:] = self.clock
        if self.U is not None:
            bigger.U = bigger._matrix(bigger.outputs.shape[1])
        if bigger.last is not None and self.last is not None:
            bigger.last[:] = self.penalty
            bigger.last[: self.n_features] = self.last
        for old, new in ((self.W, bigger.W), (self.U, bigger.U), (self.G, bigger.G)):
            if old is not None and new is not None:
                spread = self._spread(self._shaped(old), positions, n_classes, signed=old is not self.G)
                bigger._shaped(new)[: self.n_features] = spread
        for row, name in enumerate(_OUTPUTS):
            old_row, signed = self.outputs[row : row + 1], name in ("bias", "bias_sum")
            bigger.outputs[row] = self._spread(old_row, positions, n_classes, signed=signed)
        new_classes = np.setdiff1d(np.arange(bigger.outputs.shape[1]), positions)
        if n_classes > 2:  # the new outputs were 0 all along: they share the clocks of the old ones
            bigger.scale[new_classes] = self.scale[0]
            bigger.averaged_scale[new_classes] = self.averaged_scale[0]
        bigger.squares[:] = np.square(bigger._shaped(bigger.W), dtype=np.float64).sum(axis=0)
        return bigger

    def _spread(
        self, old: NDArray[Any], positions: NDArray[np.intp], n_classes: int, *, signed: bool
    ) -> NDArray[Any]:
        """Return the columns of the old outputs at their new places.

        One output w of two classes becomes ∓w/2 where outputs compete (the difference of their scores stays
        the same), and ∓w where each is its own problem.
        """
        if n_classes <= 2 or (self.n_classes == n_classes):
            return old
        wide = np.zeros((old.shape[0], n_classes), old.dtype)
        if self.n_classes > 2:
            wide[:, positions] = old
        elif self.n_classes == 2:
            half = 0.5 if get_loss(self.rule.loss).joint else 1.0
            wide[:, positions[0]] = old[:, 0] * (-half if signed else 1.0)
            wide[:, positions[1]] = old[:, 0] * (half if signed else 1.0)
        else:  # one class so far: nothing was learned, only the clocks ran
            wide[:, positions[0]] = 0.0 if signed else old[:, 0]
        return wide
