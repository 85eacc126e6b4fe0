"""``JointClassifier``: joint features f(x, y) and a learner of their weights in one, which can be saved."""

from __future__ import annotations

import copy
import os
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lindy.errors import DataError, ModelFileError
from lindy.estimators.estimator import Estimator, labels_missing
from lindy.estimators.serialization import training_facts
from lindy.joint import BlockMap, Candidates, JointMap, ProductMap
from lindy.joint.joint_model import JointModel
from lindy.modelfile import read_model, write_model
from lindy.modelfile.joint_classifiers import KIND, pack, training_of, unpack


class JointClassifier(Estimator):
    """ŷ = argmax over the candidates of w·f(x, y).

    Parameters
    ----------
    learner : JointPerceptron, JointMira, JointMaxEnt or JointSVM
        Unfitted, of ``lindy.joint``.
    features : ProductMap, BlockMap or JointMap
        f(x, y). Models with a `JointMap`, whose f is a Python function, cannot be saved.

    Attributes
    ----------
    learner_, features_ : fitted
    training_ : rounds, and mistakes or what was proved

    Examples
    --------
    >>> from lindy import JointClassifier
    >>> from lindy.joint import JointMaxEnt, ProductMap
    >>> from lindy.text import CountVectorizer
    >>> kinds = {"robin": ["bird"], "heron": ["bird"], "pike": ["fish"]}
    >>> model = JointClassifier(JointMaxEnt(), ProductMap(CountVectorizer(), attributes=kinds))
    >>> model = model.fit(["it flies high", "it swims deep"], ["robin", "pike"])
    >>> model.predict(["flies away"], candidates=["heron", "pike"])
    ['heron']
    """

    learner_: JointModel
    features_: Any
    training_: dict[str, Any]

    def __init__(self, learner: Any, features: Any) -> None:
        self.learner = learner
        self.features = features

    def fit(self, X: Any, y: Any) -> Self:
        """Learn from examples and their right candidates."""
        if y is None:
            raise labels_missing(self)
        if not isinstance(self.learner, JointModel):
            raise TypeError(
                "learner must be JointPerceptron, JointMira, JointMaxEnt or JointSVM of lindy.joint; got"
                f" {type(self.learner).__name__}"
            )
        if not isinstance(self.features, BlockMap | JointMap | ProductMap):
            raise TypeError(
                "features must be a ProductMap, BlockMap or JointMap of lindy.joint; got"
                f" {type(self.features).__name__}"
            )
        features = copy.copy(self.features)
        data = features.fit_transform(X, y)
        classes = getattr(features, "classes_", None)
        if classes is not None and len(classes) == 1:
            raise DataError(
                f"there is only one class: all {len(data)} examples have the same label, {classes.tolist()[0]!r}",
                "a classifier needs examples of at least two classes",
            )
        learner: Any = type(self.learner)(**self.learner.get_params(deep=False))
        self.learner_ = learner.fit(data)
        self.features_ = features
        self.training_ = training_of(self.learner_)
        return self

    def candidates(self, X: Any, candidates: Sequence[Any] | None = None) -> Candidates:
        """Return the rows f(x, y) of all candidates, which may be others than those of the training."""
        self._check_fitted()
        if candidates is None:
            return self._transform(X)
        if isinstance(self.features_, BlockMap):
            raise ValueError(
                "block features have weights only for the labels of the training: leave out candidates"
            )
        return self._transform(X, candidates=candidates)

    def _transform(self, X: Any, **options: Any) -> Candidates:
        data: Candidates = self.features_.transform(X, **options)
        return data

    def predict(self, X: Any, *, candidates: Sequence[Any] | None = None) -> list[Any]:
        """Return the candidate with the highest score of each example."""
        data = self.candidates(X, candidates)
        return self.learner_.predict(data)

    def decision_function(self, X: Any, *, candidates: Sequence[Any] | None = None) -> list[dict[Any, float]]:
        """Return the score of every candidate, for each example."""
        data = self.candidates(X, candidates)
        return _by_candidate(data, self.learner_.decision_function(data))

    def predict_proba(self, X: Any, *, candidates: Sequence[Any] | None = None) -> list[dict[Any, float]]:
        """Return P(y | x) of every candidate, for each example; only of JointMaxEnt."""
        self._check_fitted()
        probabilities = getattr(self.learner_, "predict_proba", None)
        if probabilities is None:
            raise AttributeError(f"{type(self.learner_).__name__} has no probabilities; JointMaxEnt does")
        data = self.candidates(X, candidates)
        return _by_candidate(data, probabilities(data))

    def score(self, X: Any, y: ArrayLike) -> float:
        """Return the share of examples that get their label right."""
        return float(np.mean([a == b for a, b in zip(self.predict(X), np.asarray(y).tolist(), strict=True)]))

    def weights(self, top: int = 20) -> list[tuple[str, float]]:
        """Return the features with the largest weights, whatever their sign, by name."""
        self._check_fitted()
        w, features = self.learner_.w_, self.features_
        order = np.argsort(-np.abs(w), kind="stable")[:top].tolist()
        names = getattr(features, "feature_names_", None)
        if names is None:
            width = features.n_features_ + features.bias
            names = [
                f"{'(bias)' if j == features.n_features_ else j} & {label}"
                for label in features.classes_.tolist()
                for j in range(width)
            ]
        return [(names[j], float(w[j])) for j in order]

    def _facts(self) -> dict[str, str]:
        return {
            "learner": str(self.learner_),
            "features": f"{len(self.learner_.w_):,}",
            **training_facts(self.training_),
        }

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to one file; an existing file is replaced only when the new one is complete.

        A cost ρ that is a function is not kept, since only ``fit`` needs it.

        Raises
        ------
        TypeError
            If f(x, y) is a Python function (`JointMap`): a model file holds no code.
        """
        self._check_fitted()
        write_model(path, *pack(self))

    @classmethod
    def load(cls, path: str | os.PathLike[str], *, n_jobs: int | None = None) -> JointClassifier:
        """Read a model written by :meth:`save`. The file is data, never code: loading runs nothing in it."""
        file, model = read_model(path), cls(None, None)
        if file.header.get("kind") == "text classifier":
            raise ModelFileError(f"{os.fspath(path)}: holds a text classifier", "load it with lindy.load")
        try:
            unpack(model, file.header, file.arrays, n_jobs)
        except Exception as error:  # whatever a forged file makes fail, it is the file that is wrong
            raise ModelFileError(
                f"{os.fspath(path)}: not a {KIND} that this version understands"
                f" ({type(error).__name__}: {str(error)[:200]})",
                "train the model again, or use the version of lindy that wrote it",
            ) from error
        return model


def _by_candidate(data: Candidates, values: NDArray[np.float64]) -> list[dict[Any, float]]:
    """Return the values of the rows of each example, by candidate."""
    plain = values.tolist()
    return [
        dict(zip(data.labels[begin:end], plain[begin:end], strict=True))
        for begin, end in pairwise(data.starts.tolist())
    ]
