"""Small models: the features that matter most, weights learned anew on them, a file of a given size.

    importance of feature j    Σ_i x_ij² · Σ_k (w_jk − mean_k w_jk)²: by how much scores change without it
    weights                    those of the same learner over the features that are kept, in eight bits
    loss                       the accuracy of the whole model less that of the small one

Where there are texts to learn from, and no others to judge by, a fifth of them is held out: the whole model and the
small one are both learned from the others, so that neither has seen what it is judged by. The small model that is
returned is then learned from all texts, over as many features.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lindy.core.csr import Csr
from lindy.errors import DataError
from lindy.estimators.learners import make_learner, set_threads
from lindy.estimators.serialization import training_summary
from lindy.evaluation.calibration.calibrators import METHODS
from lindy.evaluation.crossfit import fit_arguments
from lindy.linear.linear_model import LinearClassifier
from lindy.modelfile.files import file_size
from lindy.modelfile.packing import rounded
from lindy.modelfile.small import Loss, Small, lost
from lindy.modelfile.text_classifiers import pack
from lindy.progress import step
from lindy.tuning.calibration_step import CalibrationStep
from lindy.tuning.pipeline_fit import held_out_scoring, learned
from lindy.tuning.pipeline_spec import MOST_DENSE, TrainingData
from lindy.updating.reduced_features import reduced

SIZE = 1_000_000
"""Bytes of a small model's file at most, where nothing else is asked for."""

_HELD_OUT = 0.2
_CLOSE = 0.97  # the share of a size that is good enough
_TRIES = 4  # to come close to a size
_BISECTIONS = 4


def shrink(
    model: Any,
    X: Any = None,
    y: Any = None,
    *,
    size: int | None = None,
    loss: float | None = None,
    test: tuple[Any, Any] | None = None,
) -> Any:
    """Return a small model made of a fitted one; ``TextClassifier.shrink`` has the parameters."""
    if size is not None and loss is not None:
        raise ValueError("size and loss are two ways to say how many features are kept: leave one out")
    if loss is not None and y is None and test is None and model.kept_ is None:
        raise DataError(
            "what a small model loses is measured on labelled texts, and there are none",
            "give the texts of the training, or others as `test=`",
        )
    material = _material(_checked(model), X, y)
    with step(0.0, 0.1, "ranking features"):
        parts = _Shrinking(model, material)
    judge = _judge(model, parts, test)
    if loss is not None and judge is not None:
        with step(0.1, 0.8, "looking for the fewest features"):
            n = _fewest(parts.n_terms, lambda n: judge(n).points <= loss)
        made = parts.made(n)
    else:
        with step(0.1, 0.8, "looking for as many features as fit"):
            n, made = parts.of_size(SIZE if size is None else size)
    with step(0.8, 1.0, "judging"):
        made.small_ = Small(model.vectorizer_.n_columns, None if judge is None else judge(n))
    return made


def _checked(model: Any) -> Any:
    """Return a model that can be made small; a DataError says why another cannot."""
    learner = model.learner_
    if model.small_ is not None:
        raise DataError("the model is a small one already", "shrink the model that it was made of")
    if not isinstance(learner, LinearClassifier) or not model.vectorizer_.n_columns:
        raise DataError(
            f"a model of {learner.class_name} has no weights of features that could be left out",
            "train a linear one, such as svm, maxent or perceptron",
        )
    if model.vectorizer_.n_columns * len(model.classes_) > MOST_DENSE:
        raise DataError(
            f"the model has {model.vectorizer_.n_columns:,} features and {len(model.classes_):,} classes, too many"
            " weights to choose from",
            "train it with fewer features first (`max_features=`, `min_df=`)",
        )
    return model


def _material(model: Any, X: Any, y: Any) -> TrainingData | None:
    """Return the examples to learn from, whose labels must be those of the model: those given, or that it has kept."""
    weight = None
    if y is None and model.kept_ is not None:
        kept = model.kept_
        X, y, weight = kept.examples(), kept.targets(model.classes_), kept.weight
    if y is None:
        return None
    material: TrainingData = model._training_data(X, y, weight, None, None)
    names = [sorted(map(str, own.tolist())) for own in (material.labels.names, model.classes_)]
    if names[0] != names[1]:
        odd = sorted(set(names[0]) ^ set(names[1]))
        raise DataError(
            f"the texts have other labels than the model, such as {odd[0]!r}",
            "give all texts that the model was trained on, or test texts as `test=`",
        )
    return material


class _Shrinking:
    """The features of a model by their importance, and the models of the most important ones."""

    def __init__(self, model: Any, material: TrainingData | None) -> None:
        self.model, self.material = model, material
        self.rows: Csr | None = (
            None if material is None else model.vectorizer_.transform_csr(material.inputs.values)
        )
        self.W = model.learner_.W_.astype(np.float64)
        n = len(self.W)
        self.fixed = reduced(model.vectorizer_, np.zeros(n, bool))[1]  # columns that are no terms, for one
        terms = np.ones(n, bool)
        terms[self.fixed] = False
        ranked = np.argsort(-self._importance(), kind="stable")
        self.order = ranked[terms[ranked]]

    @property
    def n_terms(self) -> int:
        """How many features can be left out."""
        return len(self.order)

    def _importance(self) -> NDArray[np.float64]:
        W = self.W
        if W.shape[1] > 1 and not self.model.several_labels:
            W = W - W.mean(axis=1, keepdims=True)  # what is added to all scores changes nothing
        importance: NDArray[np.float64] = np.square(W).sum(axis=1)
        if self.rows is None:
            return importance
        x = self.rows.values.astype(np.float64)
        return importance * np.bincount(self.rows.indices, x * x, len(W))

    def _outline(self, n: int) -> Any:
        """Return the model of the n most important features with the weights that they have in the whole model."""
        kept = np.zeros(len(self.W), bool)
        kept[self.fixed] = True
        kept[self.order[:n]] = True
        made, learner = copy(self.model), self.model.learner_
        made.vectorizer_, columns = reduced(self.model.vectorizer_, kept, rounding=True)
        made.learner_ = learner.with_weights(rounded(self.W[columns].astype(learner.W_.dtype)))
        made.kept_, made.keep_rows = None, False
        if self.material is None:  # those were of the whole model
            made.outcomes_ = made.true_probabilities_ = None
        return made

    def made(self, n: int) -> Any:
        """Return the model of the n most important features."""
        return self._learned(self._outline(n), calibrated=True)

    def _learned(self, made: Any, *, calibrated: bool) -> Any:
        """Return an outline with weights that are learned anew, if there is something to learn from."""
        if self.material is None:
            return made
        rows = made.vectorizer_.transform_csr(self.material.inputs.values)
        if calibrated:
            return fitted_again(made, rows, self.material)
        learner, material = _unfitted(made), self.material
        given = fit_arguments(learner, material.labels, material.weight, material.division)
        made.learner_ = _in_eight_bits(learner.fit(rows, material.labels, **given))
        return made

    def of_size(self, size: int) -> tuple[int, Any]:
        """Return how many features fit into a file of so many bytes, and their model."""
        least = _bytes_of(self._outline(0))
        if least > size:
            raise DataError(
                f"a file of this model has at least {least:,} bytes, and {size:,} are asked for",
                "ask for more, or train a model of fewer classes or columns",
            )

        def nearer(n: int, n_bytes: int) -> int:
            return min(self.n_terms, int(n * (size - least) / max(n_bytes - least, 1)))

        def close(n: int, *, anew: bool) -> int:
            for _ in range(_TRIES):
                made = self._outline(n)
                n_bytes = _bytes_of(self._learned(made, calibrated=False) if anew else made)
                if n_bytes <= size and (n == self.n_terms or n_bytes >= _CLOSE * size):
                    break
                n = nearer(n, n_bytes)
            return n

        n = close(self.n_terms, anew=False)
        n = n if self.material is None else close(n, anew=True)  # whose weights take other room
        made = self.made(n)
        while n and (n_bytes := _bytes_of(made)) > size:
            n = min(nearer(n, n_bytes), n - 1)
            made = self.made(n)
        return n, made


def fitted_again(model: Any, rows: Csr, material: TrainingData) -> Any:
    """Return a model with its learner fitted anew to rows of its vectorizer, in eight bits, calibrated as it was."""
    learner = _unfitted(model)
    method = "none" if model.calibrator_ is None else model.calibrator_.method
    judge = CalibrationStep(method if method in (*METHODS, "none") else "auto", learner, material, None)
    scoring = partial(held_out_scoring, model.vectorizer_, learner, rows, material)
    judged = learned(learner, rows, material, lambda: judge(scoring()))
    made = copy(model)
    made.learner_ = _in_eight_bits(learner)
    made.calibrator_, made.rule_, made.outcomes_ = judged.calibrator, judged.rule, judged.outcomes
    made.true_probabilities_ = judged.true_probabilities
    made.concerns_, made.training_ = judged.concerns, training_summary(learner)
    made.classes_ = material.labels.names
    return made


def _unfitted(model: Any) -> Any:
    learner: Any = make_learner(model.learner_)
    set_threads(learner, model.n_jobs)
    return learner


def _in_eight_bits(learner: Any) -> Any:
    return learner.with_weights(rounded(learner.W_))


def _judge(model: Any, parts: _Shrinking, test: tuple[Any, Any] | None) -> Callable[[int], Loss] | None:
    """Return what measures the loss of a model of so many features; None where there are no texts to do it with."""
    material = parts.material
    if test is not None:
        return lambda n: lost(model, parts.made(n), *test)
    if material is None or parts.rows is None:
        return None
    learned_from, held_out = material.division.hold_out(material.labels, _HELD_OUT)
    some = _part(material, learned_from)
    whole = fitted_again(model, parts.rows.take(learned_from), some)
    own = _Shrinking(whole, some)
    texts, labels = material.inputs.take(held_out).values, material.labels.take(held_out).labels
    return lambda n: lost(whole, own.made(n), texts, labels)


def _part(material: TrainingData, rows: NDArray[np.int64]) -> TrainingData:
    """Return some of the examples."""
    weight, row_weight = (
        None if own is None else own[rows] for own in (material.weight, material.row_weight)
    )
    return TrainingData(
        material.inputs.take(rows),
        material.labels.take(rows).seen(),
        weight,
        material.division.take(rows),
        material.criterion,
        row_weight,
    )


def _fewest(most: int, is_enough: Callable[[int], bool]) -> int:
    """Return about the fewest features that are enough; all of them if no fewer are."""
    enough, too_few = most, 0
    while enough > 1 and not too_few:
        if is_enough(enough // 2):
            enough //= 2
        else:
            too_few = enough // 2
    for _ in range(_BISECTIONS):
        middle = (enough + too_few) // 2
        if middle <= too_few:
            break
        if is_enough(middle):
            enough = middle
        else:
            too_few = middle
    return enough


def _bytes_of(model: Any) -> int:
    """Return how large the file of a model is as a small one."""
    made = copy(model)
    made.small_ = Small(
        1 << 40, Loss(1 << 40, 1 / 3, 1 / 3, 1 << 40)
    )  # whatever will be found has fewer digits
    return file_size(*pack(made))
