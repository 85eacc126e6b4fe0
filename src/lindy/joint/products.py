"""f(x, y) = g(x) ⊗ a(y): every feature of x together with every attribute of y, without a function of the user.

What was learned about an attribute helps all labels that have it: the attributes of a label may be its kind, its parent
in a taxonomy, the words of its name, and the label itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from lindy.core.labels import check_labels, distinct_labels, portable_names
from lindy.errors import DataError, not_fitted
from lindy.joint.joint_maps import State, label_places, product_rows
from lindy.joint.joint_model import Candidates
from lindy.text.vectorizer_registry import vectorizer_from_state


class ProductMap:
    """Features of x by a vectorizer, times the attributes of y.

    Parameters
    ----------
    vectorizer : vectorizer of ``lindy.text``, ``lindy.features`` or ``lindy.images``
        g(x).
    attributes : dict from label to list of str, or None
        The attributes of each label, also of labels that are candidates only later. None gives every label itself as
        its only attribute, which makes block features.
    bias : bool
        Whether g(x) ends with a 1, so that attributes have weights of their own.

    Attributes
    ----------
    classes_ : the labels of the training, which are the candidates where no others are given
    attributes_ : names of the attributes, in the order of their blocks of columns
    vectorizer_ : fitted

    Examples
    --------
    >>> from lindy.joint import JointPerceptron, ProductMap
    >>> from lindy.text import CountVectorizer
    >>> kinds = {"robin": ["bird"], "heron": ["bird"], "pike": ["fish"], "carp": ["fish"]}
    >>> maps = ProductMap(CountVectorizer(), attributes=kinds)
    >>> model = JointPerceptron().fit(maps.fit_transform(["it flies high", "it swims deep"], ["robin", "pike"]))
    >>> model.predict(maps.transform(["flies away"], candidates=["heron", "carp"]))  # labels that were never seen
    ['heron']
    """

    kind = "product"

    def __init__(
        self, vectorizer: Any, *, attributes: Mapping[Any, Sequence[str]] | None = None, bias: bool = True
    ) -> None:
        self.vectorizer = vectorizer
        self.attributes = attributes
        self.bias = bias

    def fit_transform(self, X: Any, y: Any) -> Candidates:
        """Learn the features of x and the labels, and return one candidate row per label and example."""
        labels = check_labels(y, len(X))
        if not len(X):
            raise DataError("there are no examples", "give at least one")
        self.vectorizer_ = self.vectorizer.fresh()
        rows = self.vectorizer_.fit_csr(X, y=np.unique(labels.astype(str), return_inverse=True)[1])
        self._named(distinct_labels(labels), self.attributes)
        return self._candidates(rows, labels, None)

    def transform(self, X: Any, y: Any = None, *, candidates: Sequence[Any] | None = None) -> Candidates:
        """Return one candidate row per label and example; ``candidates`` may be others than those of the training."""
        if not hasattr(self, "classes_"):
            raise not_fitted(self)
        return self._candidates(self.vectorizer_.transform_csr(X), y, candidates)

    def _named(self, classes: NDArray[Any], attributes: Mapping[Any, Sequence[str]] | None) -> None:
        own = {label: [str(label)] for label in classes.tolist()} if attributes is None else attributes
        self._attributes: dict[Any, list[str]] = {}
        for label, names in own.items():
            if isinstance(names, str) or not all(isinstance(name, str) for name in names) or not len(names):
                raise ValueError(
                    f"the attributes of {label!r} must be a list of at least one str; got {names!r}"
                )
            self._attributes[label] = sorted(set(names))
        self.classes_ = classes
        self.attributes_ = sorted({name for names in self._attributes.values() for name in names})
        self._numbers(classes.tolist())

    def _numbers(self, labels: Sequence[Any]) -> list[NDArray[np.int64]]:
        """Return the numbers of the attributes of each label."""
        if unknown := [label for label in labels if label not in self._attributes]:
            raise ValueError(f"the label {unknown[0]!r} has no attributes: give them in attributes")
        place = {name: a for a, name in enumerate(self.attributes_)}
        return [np.array([place[name] for name in self._attributes[label]], np.int64) for label in labels]

    def _candidates(self, rows: Any, y: Any, candidates: Sequence[Any] | None) -> Candidates:
        labels = self.classes_.tolist() if candidates is None else list(candidates)
        n, K = rows.shape[0], len(labels)
        if not K:
            raise DataError("there are no candidates", "give at least one label")
        made = product_rows(rows, self._numbers(labels), len(self.attributes_), bias=self.bias)
        starts = K * np.arange(n + 1, dtype=np.int64)
        gold = None if y is None else label_places(starts, labels * n, check_labels(y, n).tolist())
        return Candidates(made, starts, labels * n, gold)

    @property
    def n_columns(self) -> int:
        """How many columns f(x, y) has."""
        return len(self.attributes_) * (int(self.vectorizer_.n_columns) + bool(self.bias))

    @property
    def feature_names_(self) -> list[str]:
        """Names of the columns, in their order: feature & attribute."""
        features = [*self.vectorizer_.get_feature_names_out().tolist(), *(["(bias)"] if self.bias else [])]
        return [f"{feature} & {attribute}" for attribute in self.attributes_ for feature in features]

    def to_state(self) -> State:
        """Return everything that ``transform`` needs: a dict for JSON and arrays."""
        if not hasattr(self, "classes_"):
            raise not_fitted(self)
        if not self.vectorizer_.kind:
            raise TypeError(f"{self.vectorizer_.class_name} is not a vectorizer of lindy and cannot be saved")
        vectorizer, arrays = self.vectorizer_.to_state()
        return {
            "kind": self.kind,
            "bias": bool(self.bias),
            "classes": self.classes_.tolist(),
            "attributes": [[label, names] for label, names in self._attributes.items()],
            "vectorizer": vectorizer,
        }, arrays

    @classmethod
    def from_state(cls, config: Mapping[str, Any], arrays: Mapping[str, Any]) -> Self:
        """Return the map of a ``to_state``; anything unsound is a ``ValueError``."""
        pairs: Any = config.get("attributes")
        bias = config.get("bias")
        sound = isinstance(pairs, list) and all(
            isinstance(pair, list)
            and len(pair) == 2
            and isinstance(pair[0], str | int)
            and isinstance(pair[1], list)
            for pair in pairs
        )
        if not sound or type(bias) is not bool:
            raise ValueError("the saved map needs a bias and lists of attributes by label")
        vectorizer = vectorizer_from_state(config.get("vectorizer", {}), dict(arrays))
        attributes = dict(pairs)
        if len(attributes) != len(pairs):
            raise ValueError("the saved map has attributes of a label twice")
        made = cls(vectorizer.fresh(), attributes=attributes, bias=bias)
        made.vectorizer_ = vectorizer
        made._named(portable_names(list(config["classes"])), attributes)
        return made
