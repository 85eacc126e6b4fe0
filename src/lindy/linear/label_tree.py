"""Label trees: thousands of labels, of which a text asks only the branches that it may belong to.

    P(label | x) = Π_{nodes on the way to it} P(node | parent, x)

Similar labels are put together by balanced k-means of their mean features, and each node tells its children apart by
linear models that are solved together. A text opens the ``beam`` most probable nodes of each level: its cost grows with
the logarithm of the number of labels. (Prabhu et al., Parabel, 2018; Khandagale et al., Bonsai, 2020.)
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Annotated, Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lindy import _native
from lindy.core.targets import ManyLabels, as_lists
from lindy.core.weights import check_weight
from lindy.errors import invalid_parameter
from lindy.estimators.base import Classifier, Examples, one_row, require_finite, thread_count
from lindy.estimators.learners import LearnerSpec
from lindy.estimators.parameters import GAP, fitted, must, whole, with_parameters
from lindy.estimators.serialization import (
    Arrays,
    check_arrays,
    check_classes,
    own_arrays,
    pack_parameters,
)
from lindy.linear.convex import ConvexClassifier
from lindy.linear.losses import get_loss
from lindy.linear.problem import Certificate
from lindy.linear.tree_nodes import STATE, Tree, grow

Array = NDArray[np.float64]

MANY = 1000
"""Labels from which on a tree is chosen where nothing is said about it."""

UNREACHED = -100.0
"""The log odds of a label that a search did not reach."""

_DTYPES = {"starts": "i8", "chunks": "i8", "ends": "i8", "features": "i4", "labels": "i4", "outputs": "u1"}


@with_parameters
class LabelTree(Classifier):
    """One or any number of thousands of labels per row, by a tree of linear models.

    Parameters
    ----------
    learner : classifier
        Unfitted, of the nodes: SVM or MaxEnt.
    trees : int
        Trees whose probabilities are averaged: three are more precise than one and cost three times as much.
    branches : int
        Children of a node at most.
    beam : int
        Nodes that a text opens on each level.
    exact : bool
        One-vs-rest instead: every label is told apart from all rows without it, and a row asks all of them. The weights
        are sparse all the same; ``beam`` says nothing then.
    dropped : float
        Share of the length of an output's weights that its smallest ones, which are dropped, have at most.
    tol : float
        Relative gap at which the fit of a node stops, if the learner's own is not larger.
    random_state : int
        Seed of the clusters; each further tree takes the next number.
    n_jobs : int or None
        Threads; None means all cores. The result does not depend on it.

    Attributes
    ----------
    classes_ : the labels, sorted
    trees_ : list of Tree
    certificate_ : what was proved about all nodes together, where the learner proves it
    dropped_ : float, the largest length of what was dropped of the weights on the way to a label: it changes no sum of
        scores by more than that times the length of the row

    Examples
    --------
    >>> from lindy.linear import SVM, LabelTree
    >>> model = LabelTree(learner=SVM()).fit([[1, 0], [0, 1], [1, 1]], [{"a"}, {"b"}, {"a", "b"}])
    >>> labels, probabilities = model.top([[1, 0]], 1)
    >>> labels
    array([[0]], dtype=int32)
    """

    learner: Any
    trees: Annotated[int, whole(1, 10)] = 1
    branches: Annotated[int, whole(2, 256)] = 128
    beam: Annotated[int, whole(1)] = 10
    exact: bool = False
    dropped: Annotated[float, must("be at least 0 and less than 1", lambda value: 0 <= value < 1)] = 0.1
    tol: Annotated[float, GAP] = 0.01
    random_state: Annotated[int, whole(0)] = 0
    n_jobs: int | None = None

    trees_: list[Tree] = fitted()
    certificate_: Certificate | None = fitted()
    several_: bool = fitted()
    calibration_: tuple[float, float] = fitted()
    sums_to_one: ClassVar[bool] = False
    finds_top: ClassVar[bool] = True
    learns_labels: ClassVar[bool] = True

    @property
    def spec(self) -> LearnerSpec:  # type: ignore[override]
        """The declaration of the learner, whose strengths are options of the learner itself."""
        return self.learner.spec._replace(strengths={}, not_sums="a label tree multiplies probabilities")  # type: ignore[no-any-return]

    @property
    def fixed(self) -> str:
        """Why it cannot learn from further rows."""
        return "its labels were divided by all rows, and its nodes keep no solution to go on from"

    @property
    def saved_kind(self) -> type:
        """The class of the learner, by whose name a model file knows it."""
        return type(self.learner)

    @property
    def input_kind(self) -> Any:
        """The rows that the learner is made for."""
        return self.learner.input_kind

    @property
    def weight_bytes(self) -> int:
        """Bytes that a fit takes for every weight of a node."""
        return int(self.learner.weight_bytes)

    @property
    def class_name(self) -> str:
        """The name of the learner, as sentences call it."""
        return f"{'one-vs-rest' if self.exact else 'label tree of'} {self.learner.class_name}"

    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Self:
        """Learn the labels of rows: one each, lists or sets of them, or a matrix that is 1 where a row has a label."""
        self._check_parameters()
        vars(self).pop("_native", None)
        if not isinstance(self.learner, ConvexClassifier):
            raise invalid_parameter(
                f"learner must minimise a loss of each label, as SVM() and MaxEnt() do; got {self.learner!r}"
            )
        self.learner._check_parameters()
        data = Examples.of(self._rows(X, reset=True), y, sample_weight, several=True)
        if not len(data.y.names):
            raise ValueError("no row has a label: there is nothing to learn")
        self.classes_, self.several_ = data.y.names, isinstance(data.y, ManyLabels)
        node = self.learner.rough(self.tol)
        options: dict[str, Any] = {
            "branches": self.branches,
            "dropped": self.dropped,
            "exact": self.exact,
            "n_jobs": self.n_jobs,
        }
        grown = [grow(node, data, seed=self.random_state + t, **options) for t in range(self.trees)]
        self._keep([tree for tree, _ in grown])
        require_finite(self, *(part for tree in self.trees_ for part in (tree.bias, tree.values)))
        self.certificate_ = Certificate.of_all([proof for _, proof in grown])
        return self

    def _keep(self, trees: list[Tree]) -> None:
        vars(self).pop("_native", None)
        self.trees_, self.calibration_ = trees, (1.0, 0.0)

    @cached_property
    def _native(self) -> list[Any]:
        return [tree.native(self.n_features_in_, len(self.classes_)) for tree in self.trees_]

    def top(self, X: Any, k: int = 10) -> tuple[NDArray[np.int32], Array]:
        """Return the numbers and the probabilities of the k most probable labels of each row, rows × k.

        Where a row reaches fewer labels, the last numbers are −1 and their probabilities 0.
        """
        self._check_fitted()
        rows = self._rows(X)
        shape = rows.shape[0], min(int(k), len(self.classes_))
        labels, p = np.empty(shape, np.int32), np.empty(shape)
        loss = get_loss(self.learner._loss()).per_output
        _native.search_trees(
            rows,
            trees=self._native,
            loss=loss,
            beam=max(tree.n_nodes for tree in self.trees_) if self.exact else self.beam,
            labels=labels,
            probabilities=p,
            threads=thread_count(self.n_jobs),
        )
        return labels, np.where(labels >= 0, self._calibrated(p), 0.0)

    def _calibrated(self, p: Array) -> Array:
        """Return σ(slope·log odds + offset)."""
        from lindy.core import numerics

        slope, offset = self.calibration_
        if (slope, offset) == (1.0, 0.0):
            return p
        return numerics.sigmoid(slope * _log_odds(p) + offset)

    @property
    def has_probabilities(self) -> bool:
        """Yes."""
        return True

    def predict_proba(self, X: Any) -> Array:
        """Return P(label | x), rows × labels, 0 for labels that are not reached; ``top`` takes less memory.

        They are those of each label by itself: also where a row has one label, they do not sum to 1.
        """
        labels, p = self.top(X, len(self.classes_))
        dense = np.zeros(p.shape)
        rows, places = np.nonzero(labels >= 0)
        dense[rows, labels[rows, places]] = p[rows, places]
        return dense

    def decision_function(self, X: Any) -> Array:
        """Return the log odds of the labels, rows × labels."""
        return _log_odds(self.predict_proba(X))

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the most probable label of each row; of several, 1 for each that is more probable than not."""
        if self.several_:
            return (self.predict_proba(X) > 0.5).astype(np.int64)
        found: NDArray[Any] = self.classes_[self.top(X, 1)[0][:, 0]]
        return found

    def score(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> float:
        """Return the (weighted) share of rows whose most probable label is theirs, or one of theirs: precision at 1."""
        rows = self._rows(X)
        first = self.top(rows, 1)[0][:, 0]
        own = as_lists(Examples.of(rows, y, None, several=True).y.among(self.classes_))
        given = ManyLabels(own.names, first, np.arange(len(first) + 1))
        right = np.isin(np.arange(len(first)), _rows_in_common(own, given))
        return float(np.average(right, weights=check_weight(sample_weight, len(right))))

    def contributions(self, X: Any) -> tuple[Array, Array]:
        """Take the scores of one row apart: what each value adds to the nodes on the way to a label, summed up."""
        self._check_fitted()
        row = one_row(self._rows(X))
        added, bias = np.zeros((len(row.indices), len(self.classes_))), np.zeros(len(self.classes_))
        for tree in self.trees_:
            weights = tree.weights_of(row.indices)
            for outputs in tree.paths():
                added += weights[:, outputs]
                bias += tree.bias[outputs]
        return added * row.values.astype(np.float64)[:, None] / len(self.trees_), bias / len(self.trees_)

    @property
    def dropped_(self) -> float:
        """The largest length of what was dropped of the weights on the way to a label."""
        lengths = [np.array([tree.dropped[own] for own in tree.paths()]).sum(axis=0) for tree in self.trees_]
        return max(float(own.max()) for own in lengths)

    def to_state(self) -> tuple[dict[str, Any], Arrays]:
        """Return the parameters, those of the learner among them, and the arrays."""
        self._check_fitted()
        parameters, arrays = pack_parameters(self.learner.get_params(deep=False))
        own = {
            name: value
            for name, value in self.get_params(deep=False).items()
            if name not in ("learner", "n_jobs")
        }
        parameters["tree"] = {"pairs": [[name, value] for name, value in own.items()]}
        for t, tree in enumerate(self.trees_):
            arrays |= {f"tree{t}.{name}": array for name, array in tree.pack().items()}
        arrays["tree.calibration"] = np.array(self.calibration_)
        return parameters, arrays

    @classmethod
    def of_state(
        cls,
        kind: Any,
        params: Mapping[str, Any],
        arrays: Mapping[str, Any],
        classes: ArrayLike,
        *,
        several: bool,
        n_features: int,
    ) -> Self:
        """Return the model of learners of a kind whose ``to_state`` this was; raises ValueError for anything else."""
        given = dict(params)
        options = {str(name): value for name, value in given.pop("tree")["pairs"]}
        own = own_arrays(arrays)
        parameters = {name: array for name, array in arrays.items() if name not in own}
        model = cls(learner=kind._with_stored_parameters(given, parameters), **options)
        model._check_parameters()
        model.classes_, model.several_, model.n_features_in_ = check_classes(classes), several, n_features
        slope, offset = (float(number) for number in own.pop("tree.calibration"))
        if not (0 < slope < np.inf and np.isfinite(offset)):
            raise ValueError("the calibration of a label tree must be a slope above 0 and an offset")
        model._keep([_tree_of(own, t, len(model.classes_)) for t in range(model.trees)])
        if own:
            raise ValueError(f"arrays that no tree has: {sorted(own)}")
        model.calibration_, model.certificate_ = (slope, offset), None
        assert model._native  # checks the trees
        return model


def _tree_of(arrays: Arrays, number: int, n_labels: int) -> Tree:
    """Take the arrays of one tree, which must have their types and fit together."""
    prefix = f"tree{number}."
    own = {name.removeprefix(prefix): arrays.pop(name) for name in list(arrays) if name.startswith(prefix)}
    check_arrays(own, STATE, n_labels)
    for name, array in own.items():
        if array.dtype != np.dtype(_DTYPES.get(name, "f4")):
            raise ValueError(f"array {prefix}{name} must not be of type {array.dtype}")
    return Tree(**own)


def _log_odds(p: Array) -> Array:
    """Return log p/(1 − p), no lower than ``UNREACHED``."""
    from lindy.core import numerics

    tiny = np.finfo(np.float64).tiny
    odds = numerics.log(np.maximum(p, tiny)) - numerics.log(np.maximum(1 - p, np.finfo(np.float32).eps / 2))
    return np.maximum(odds, UNREACHED)


def _rows_in_common(first: ManyLabels, second: ManyLabels) -> NDArray[Any]:
    """Return the rows that have a label in both."""
    one, other, rows = first.compared(second)
    both: NDArray[Any] = rows[(one >= 0) & (one == other)]
    return both
