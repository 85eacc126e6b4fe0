"""From examples to candidate rows: f(x, y) as a function, and the block map g(x) ⊗ e_y."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from numbers import Real
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lindy.core.csr import Csr, as_csr
from lindy.core.labels import portable_names
from lindy.core.targets import as_targets
from lindy.errors import DataError, not_fitted
from lindy.estimators.parameters import check_flags
from lindy.joint.joint_model import Array, Candidates

State = tuple[dict[str, Any], dict[str, NDArray[Any]]]  # a dict for JSON, and arrays
Features = Mapping[str, Any] | Iterable[str]
CandidatesOf = Sequence[Any] | Callable[[Any], Sequence[Any]]


class JointMap:
    """f(x, y) by a Python function of an example and a candidate.

    Parameters
    ----------
    function : callable (x, y) → dict of numbers, or list of names
        The features of candidate y for example x by name; a name in a list counts 1 each time.
    candidates : list, or callable x → list
        The labels of all examples, or what the candidates of an example are.

    Attributes
    ----------
    feature_names_ : names of the columns, in their order

    Examples
    --------
    >>> from lindy.joint import JointMap, JointPerceptron
    >>> def f(x, y):
    ...     return [f"{word} & {y}" for word in x.split()] + [f"ends in {y[-1]}"]
    >>> maps = JointMap(f, candidates=["sport", "politics"])
    >>> train = maps.fit_transform(["a late goal", "a close vote"], ["sport", "politics"])
    >>> model = JointPerceptron().fit(train)
    >>> model.predict(maps.transform(["the vote"]))
    ['politics']
    """

    def __init__(
        self,
        function: Callable[[Any, Any], Features],
        *,
        candidates: CandidatesOf,
    ) -> None:
        self.function = function
        self.candidates = candidates

    def fit_transform(self, examples: Iterable[Any], gold: Iterable[Any]) -> Candidates:
        """Learn the names of the features and return the rows of all candidates."""
        groups = self._groups(examples, self.candidates)
        names = sorted({name for group in groups for _, own in group for name in own})
        self.feature_names_ = names
        return self._rows(groups, list(gold))

    def transform(
        self,
        examples: Iterable[Any],
        gold: Iterable[Any] | None = None,
        *,
        candidates: CandidatesOf | None = None,
    ) -> Candidates:
        """Return the rows of all candidates; features that were not there in ``fit_transform`` are left out.

        ``candidates`` may be others than those of the training.
        """
        if not hasattr(self, "feature_names_"):
            raise not_fitted(self)
        groups = self._groups(examples, self.candidates if candidates is None else candidates)
        return self._rows(groups, None if gold is None else list(gold))

    def to_state(self) -> State:
        """Raise TypeError: a model file holds no code, and f(x, y) is a function."""
        name = getattr(self.function, "__name__", type(self.function).__name__)
        raise TypeError(
            f"f(x, y) is the Python function {name!r}, which cannot be saved: a model file holds no code. Describe the"
            " features with ProductMap, or keep the learner's w_ and the map's feature_names_ yourself"
        )

    def _groups(
        self, examples: Iterable[Any], candidates: CandidatesOf
    ) -> list[list[tuple[Any, dict[str, float]]]]:
        """Return the candidates of each example with their features."""
        groups = []
        for i, x in enumerate(examples):
            own = candidates(x) if callable(candidates) else candidates
            groups.append([(y, self._features(x, y, i)) for y in own])
        if not groups:
            raise DataError("there are no examples", "give at least one")
        return groups

    def _features(self, x: Any, y: Any, i: int) -> dict[str, float]:
        try:
            found = self.function(x, y)
        except Exception as error:
            name = getattr(self.function, "__name__", "the function")
            raise DataError(
                f"{name} failed for example {i} with candidate {y!r}: {type(error).__name__}: {error}",
                "try it on that pair alone",
            ) from error
        features: dict[str, float] = {}
        if isinstance(found, Mapping):
            for name, value in found.items():
                features[_name(name, i, y)] = _number(value, name, i, y)
        elif isinstance(found, str) or not isinstance(found, Iterable):
            raise DataError(
                f"f(x, y) of example {i} with candidate {y!r} is {found!r}",
                "return a dict of numbers by name, or a list of names",
            )
        else:
            for name in found:
                features[name] = features.get(_name(name, i, y), 0.0) + 1.0
        return features

    def _rows(self, groups: list[list[tuple[Any, dict[str, float]]]], gold: list[Any] | None) -> Candidates:
        if gold is not None and len(gold) != len(groups):
            raise ValueError(f"there are {len(groups)} examples but {len(gold)} labels")
        column = {name: j for j, name in enumerate(self.feature_names_)}
        indptr, indices, values, labels = [0], [], [], []
        for group in groups:
            for y, own in group:
                entries = sorted((column[name], value) for name, value in own.items() if name in column)
                indices += [j for j, _ in entries]
                values += [value for _, value in entries]
                indptr.append(len(indices))
                labels.append(y)
        rows = Csr(
            np.array(indptr, np.int64), np.array(indices, np.int32), np.array(values, np.float64), len(column)
        )
        starts = np.concatenate([[0], np.cumsum([len(group) for group in groups])]).astype(np.int64)
        places = None if gold is None else label_places(starts, labels, gold)
        return Candidates(as_csr(rows), starts, labels, places)


def _name(name: Any, i: int, y: Any) -> str:
    if not isinstance(name, str):
        raise DataError(
            f"f(x, y) of example {i} with candidate {y!r} has a feature called {name!r}", "names are strings"
        )
    return name


def _number(value: Any, name: str, i: int, y: Any) -> float:
    if not isinstance(value, Real | np.bool_) or not math.isfinite(value):
        raise DataError(
            f"feature {name!r} of example {i} with candidate {y!r} is {value!r}", "values are finite numbers"
        )
    return float(value)


def label_places(starts: NDArray[np.int64], labels: list[Any], gold: list[Any]) -> NDArray[np.int64]:
    """Return the row of each example's right candidate."""
    places = []
    for i, ((begin, end), label) in enumerate(zip(pairwise(starts.tolist()), gold, strict=True)):
        own = labels[begin:end]
        if own.count(label) != 1:
            how = "is not among" if label not in own else "occurs more than once among"
            raise DataError(
                f"example {i}: its label {label!r} {how} its {len(own)} candidates",
                "every example needs its right candidate exactly once; leave out examples without one",
            )
        places.append(begin + own.index(label))
    return np.array(places, np.int64)


class BlockMap:
    """f(x, y) = g(x) ⊗ e_y: for each label a block of columns, which holds g(x) in the rows of that label.

    Parameters
    ----------
    bias : bool
        Whether g(x) ends with a 1, the bias of the label.

    Attributes
    ----------
    classes_ : the labels, in the order of their blocks
    n_features_ : columns of g(x), without the bias
    """

    kind = "block"

    def __init__(self, *, bias: bool = True) -> None:
        self.bias = bias

    def fit(self, X: Any, y: ArrayLike) -> Self:
        """Learn the labels and the number of columns."""
        check_flags(self, "bias")
        csr = as_csr(X)
        self.classes_ = as_targets(y, csr.shape[0], as_given=True).names
        self.n_features_ = csr.n_columns
        return self

    def fit_transform(self, X: Any, y: ArrayLike) -> Candidates:
        """Learn the labels, and return one candidate row per label and example."""
        return self.fit(X, y).transform(X, y)

    def transform(self, X: Any, y: ArrayLike | None = None) -> Candidates:
        """Return one candidate row per label and example."""
        if not hasattr(self, "classes_"):
            raise not_fitted(self)
        g = as_csr(X)
        if g.n_columns != self.n_features_:
            raise ValueError(f"X has {g.n_columns} columns, but the blocks have {self.n_features_}")
        n, K = g.shape[0], len(self.classes_)
        rows = product_rows(g, [np.array([k]) for k in range(K)], K, bias=self.bias)
        gold = None
        if y is not None:
            gold = K * np.arange(n) + as_targets(y, n, names=self.classes_, as_given=True).codes
        labels = self.classes_.tolist() * n
        return Candidates(rows, K * np.arange(n + 1, dtype=np.int64), labels, gold)

    @property
    def n_columns(self) -> int:
        """How many columns f(x, y) has."""
        return len(self.classes_) * (self.n_features_ + self.bias)

    def to_state(self) -> State:
        """Return everything that ``transform`` needs: a dict for JSON and no arrays."""
        if not hasattr(self, "classes_"):
            raise not_fitted(self)
        own = {"bias": bool(self.bias), "classes": self.classes_.tolist(), "n_features": self.n_features_}
        return {"kind": self.kind, **own}, {}

    @classmethod
    def from_state(cls, config: Mapping[str, Any], arrays: Mapping[str, Any]) -> Self:
        """Return the map of a ``to_state``; anything unsound is a ``ValueError``."""
        bias, width = config.get("bias"), config.get("n_features")
        if type(bias) is not bool or type(width) is not int or not 1 <= width < 2**31 or arrays:
            raise ValueError("the saved block map needs a bias and a number of features")
        made = cls(bias=bias)
        made.classes_, made.n_features_ = portable_names(list(config["classes"])), width
        return made

    def unstack(self, w: Array) -> tuple[Array, Array]:
        """Return a weight vector as W (features × labels) and b (labels,)."""
        blocks = w.reshape(len(self.classes_), -1).T
        return (blocks[:-1], blocks[-1]) if self.bias else (blocks, np.zeros(len(self.classes_)))


def product_rows(g: Csr, attributes: Sequence[NDArray[Any]], n_attributes: int, *, bias: bool) -> Csr:
    """Return the rows g(x) ⊗ a(y) of every x and then every y.

    ``attributes`` are the numbers of each y's attributes, in ascending order; g(x) ends with a 1 where there is a bias.
    """
    g = _sorted_columns(g)
    g = _with_ones(g) if bias else g
    if n_attributes * g.n_columns > np.iinfo(np.int32).max:
        raise DataError(
            f"{n_attributes:,} blocks of {g.n_columns:,} columns are more than a matrix may have, 2,147,483,647",
            "Leave out rare features, or let them fall into fewer columns by their hashes.",
        )
    n, sizes = g.shape[0], np.diff(g.indptr)
    own = np.concatenate([np.zeros(0, np.int64), *attributes]).astype(np.int64)
    lengths = np.outer(sizes, [len(numbers) for numbers in attributes]).reshape(-1)
    indptr = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    entry = np.repeat(g.indptr[:-1], sizes * len(own)) + _places_within(sizes, len(own))
    block = np.repeat(np.tile(own, n), np.repeat(sizes, len(own)))
    indices = (g.indices[entry] + block * g.n_columns).astype(np.int32)
    return as_csr(Csr(indptr, indices, g.values[entry], n_attributes * g.n_columns))


def _sorted_columns(X: Csr) -> Csr:
    """Return X with increasing columns in every row."""
    row = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
    order = np.lexsort((X.indices, row))
    return Csr(X.indptr, X.indices[order], X.values[order], X.n_columns)


def _with_ones(X: Csr) -> Csr:
    """Return X with a last column of ones."""
    ends = X.indptr[1:]
    indices = np.insert(X.indices, ends, X.n_columns)
    values = np.insert(X.values, ends, 1)
    return Csr(X.indptr + np.arange(len(X.indptr)), indices.astype(np.int32), values, X.n_columns + 1)


def _places_within(sizes: NDArray[np.int64], K: int) -> NDArray[np.int64]:
    """Return 0 … size−1, K times over, for each size in turn."""
    repeated = np.repeat(sizes, K)
    ends = np.cumsum(repeated)
    places: NDArray[np.int64] = np.arange(ends[-1] if len(ends) else 0) - np.repeat(ends - repeated, repeated)
    return places
