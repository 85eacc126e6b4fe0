"""fastText's supervised model (Joulin, Grave, Bojanowski and Mikolov 2017): a linear model of low rank.

    h = Σ_j x_j·a_j        the mean of the vectors of a text's features
    s_k = h·o_k            the score of label k: a sum over features, x_j·(a_j·o_k)

    softmax                        P(k) = e^s_k / Σ e^s + ε
    one-vs-all, negative sampling  P(k) = σ(s_k) + ε, σ from a table of 512 steps between −8 and 8
    hierarchical softmax           P(k) = Π (σ(±s_j) + ε) over the turns j on the way to k in the labels' Huffman tree

with ε = 10⁻⁵, as fastText has it, but never above 1 unless ``strict``. It is read from files and not learned.
Vectors are stored as they are or quantised; ``native/fasttext/`` has the arithmetic.
"""

from __future__ import annotations

from functools import cached_property
from typing import Annotated, Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lindy import _native
from lindy.core.csr import Csr
from lindy.errors import DataError
from lindy.estimators.base import Classifier, one_row, require_finite_scores, thread_count
from lindy.estimators.learners import InputKind, LearnerSpec
from lindy.estimators.parameters import fitted, one_of, with_parameters
from lindy.estimators.serialization import Arrays
from lindy.text.fasttext_vectorizer import FasttextVectorizer

LINKS = {"softmax": "softmax", "hs": "exponential", "ns": "sigmoid", "ova": "sigmoid"}
"""How scores become probabilities, by the name that fastText has for the loss."""


@with_parameters
class FasttextClassifier(Classifier):
    """A supervised model of fastText, as its file has it.

    Parameters
    ----------
    loss : {'softmax', 'hs', 'ns', 'ova'}
        What it was trained with, which says how scores become probabilities.
    strict : bool
        Whether probabilities may be above 1 by what fastText adds to them, as there.
    n_jobs : int or None
        Threads; None means all cores. The result does not depend on it.
    """

    loss: Annotated[str, one_of(*LINKS)] = "softmax"
    strict: bool = False
    n_jobs: int | None = None

    sums_to_one = False
    _arrays: Arrays = fitted()
    spec: ClassVar[LearnerSpec] = LearnerSpec(
        "fasttext",
        "fastText's linear model of low rank",
        input_kind=InputKind.WEIGHTS,
        fixed="it is read from fastText's files: train a model of lindy on the same __label__ lines",
        not_sums="its weights are products of two matrices",
    )

    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Any:  # noqa: ARG002
        """Refuse to learn: its weights are those of a file."""
        raise DataError(
            "models of fastText are read, not learned",
            "train with svm or maxent, which learn from the same lines",
        )

    def decision_function(self, X: Any) -> NDArray[np.float32]:
        """Return the scores, rows × labels; of a hierarchical softmax, log P."""
        self._check_fitted()
        scores: NDArray[np.float32] = self._model.of_rows(self._single(X), thread_count(self.n_jobs))
        require_finite_scores(scores)
        return scores

    def _single(self, X: Any) -> Csr:
        rows = self._rows(X)
        return rows if rows.values.dtype == np.float32 else rows.with_values(rows.values.astype(np.float32))

    def text_scores(self, vectorizer: Any) -> FasttextScores | None:
        """Return what scores texts in one native call."""
        return FasttextScores(self, vectorizer) if isinstance(vectorizer, FasttextVectorizer) else None

    def probabilities_and_best(self, scores: NDArray[Any]) -> tuple[NDArray[np.float32], NDArray[np.intp]]:
        """Return P(label) as fastText has it, and the best label: of equal ones, the last in the order of the file."""
        p = np.array(scores, np.float32, order="C")
        of_file = np.argsort(self._arrays["places"]).astype(np.int32)
        best = _native.fasttext_probabilities(
            p, LINKS[self.loss], of_file, self.strict, thread_count(self.n_jobs)
        )
        return p, best

    def predict_proba(self, X: Any) -> NDArray[np.float32]:
        """Return P(label), rows × labels; of independent labels and by ε they do not sum to 1."""
        return self.probabilities_and_best(self.decision_function(X))[0]

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the label of each row."""
        labels: NDArray[Any] = self.classes_[self.probabilities_and_best(self.decision_function(X))[1]]
        return labels

    def contributions(self, X: Any) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Take the scores of one row apart: x_j·(a_j·o_k) of each feature.

        Of a hierarchical softmax, what features add to the scores of the turns; the bias is what is lost in their
        logarithms.
        """
        row = one_row(self._single(X))
        added = row.values.astype(np.float64)[:, None] * self.weights_of(row.indices)
        lost = np.zeros(added.shape[1])
        if self.loss == "hs":
            lost = self.decision_function(row)[0] - added.sum(axis=0)
        return added, lost

    def weights_of(self, features: NDArray[np.integer[Any]]) -> NDArray[np.float64]:
        """Return what features add to each score, features × labels."""
        weights: NDArray[np.float64] = self._model.weights(features.astype(np.int64)).astype(np.float64)
        return weights

    def _pack(self) -> Arrays:
        packed = {name: _as_numbers(name, array) for name, array in self._arrays.items()}
        for name, array in packed.items():
            if array.dtype == np.float32 and _native.first_non_finite(array) >= 0:
                raise DataError(
                    f"the {name.partition('_')[0]} of the fastText model holds values that are no numbers",
                    "its file is damaged or forged: copy or download it again",
                )
        return packed

    def _unpack(self, arrays: Arrays) -> None:
        if arrays["shape"].dtype != np.int64 or arrays["shape"].shape != (4,):
            raise ValueError("the shape of a fastText model is four whole numbers")
        self.n_features_in_ = int(arrays["shape"][0])
        self._arrays = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
        self._model  # noqa: B018  # checks the matrices

    @cached_property
    def _model(self) -> _native.FasttextModel:
        n_features, dim, input_part, output_part = self._arrays["shape"].tolist()
        return _native.FasttextModel(
            self._matrix("input", n_features, dim, input_part),
            self._matrix("output", len(self.classes_), dim, output_part),
            self.loss == "hs",
            self._arrays["counts"],
            self._arrays["places"],
        )

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_model"}

    def _matrix(self, name: str, n_rows: int, dim: int, part: int) -> _native.FasttextMatrix:
        """Return a matrix, quantised by parts of so many numbers if there are parts."""
        own = {
            key.removeprefix(f"{name}_"): _as_bytes(array)
            for key, array in self._arrays.items()
            if key.partition("_")[0] == name
        }
        if set(own) not in ({name}, {"codes", "centroids"}, {"codes", "centroids", "norm_codes", "norms"}):
            raise ValueError(f"the {name} of a fastText model is one matrix, or codes and centroids")
        if not part:
            return _native.FasttextMatrix(n_rows, dim, own[name])
        return _native.FasttextMatrix(n_rows, dim, part, **own)


def _as_bytes(array: NDArray[Any]) -> NDArray[np.uint8]:
    """Return numbers as bytes, which in fastText's own files lie anywhere."""
    return array.reshape(-1).view(np.uint8)


def _as_numbers(name: str, array: NDArray[Any]) -> NDArray[Any]:
    """Return an array of a state in the type of its numbers."""
    is_float = name in ("input", "output") or name.endswith(("_centroids", "_norms"))
    return np.frombuffer(array.tobytes(), np.float32) if is_float and array.dtype == np.uint8 else array


class FasttextScores:
    """The scores of texts by a fastText model, in one native call; an answer of ``FasttextClassifier.text_scores``."""

    def __init__(self, learner: FasttextClassifier, vectorizer: FasttextVectorizer) -> None:
        self._learner, self._vectorizer = learner, vectorizer

    def batch(self, texts: _native.Texts, threads: int) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
        """Return the scores of texts, and how many features each has."""
        return self._learner._model.scores(self._vectorizer.dictionary, texts, threads)

    def __call__(self, items: list[Any]) -> tuple[NDArray[np.float32], NDArray[np.int64]] | None:
        """Return the same of a list; None if it holds something else than strings."""
        texts = _native.Texts(0)
        return self.batch(texts, 1) if texts.take_strings(items, 0, 1 << 62) == len(items) else None

    def rows(self, items: list[Any]) -> None:
        """Return None: rows are made by the vectorizer."""

    def answer(self, items: list[Any], calibration: Any) -> None:
        """Return None: answers follow from ``batch``."""
