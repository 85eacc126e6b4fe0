"""The naive Bayes SVM: a linear SVM whose penalty is smaller for words that naive Bayes finds informative.

Naive Bayes over binary counts gives the column j for class k against the rest the log-count ratio r_jk
(``lindy.text.weighting.log_count_ratio``). With s_jk = floor + |r_jk| and z_k² = mean_i ‖s_k ∘ x_i‖², each class solves

    min  ½‖(z_k / s_k) ∘ w_k‖² + C·Σ_i weight_i·max(0, 1 − y_ik·(w_k·x_i + b_k))²

which is the SVM with squared hinge over the rows s_k ∘ x_i / z_k: a word that says much about a class may have a
large weight cheaply. The division by z_k keeps the meaning of C, whatever the ratios. The answer is an ordinary
linear model of the rows as they are. The idea is that of Wang & Manning (Baselines and Bigrams, 2012); floor > 0 is
the share of the plain SVM in it, which takes the place of their interpolation.
"""

from __future__ import annotations

from contextvars import copy_context
from dataclasses import dataclass, replace
from typing import Annotated, ClassVar

import numpy as np
from numpy.typing import NDArray

from lindy import _native
from lindy.core.csr import Csr, Float
from lindy.core.rows import Rows
from lindy.estimators.base import Examples, thread_count
from lindy.estimators.learners import LearnerSpec
from lindy.estimators.parameters import finite, must, with_parameters
from lindy.linear.centering import centred
from lindy.linear.convex import ConvexClassifier
from lindy.linear.optimizers import SOLVERS, choose, few_columns
from lindy.linear.problem import Certificate, Options, Problem, Scales, Solution
from lindy.progress import step
from lindy.stream import room

_LATEST = "scales by log-count ratios"
"""Under which rows keep the scales that were made of them last."""


@with_parameters
class NaiveBayesSVM(ConvexClassifier):
    """Linear SVM whose columns are scaled by log-count ratios, for every class by its own.

    Parameters
    ----------
    alpha : float
        How many rows of every class, and of the rest, are taken to have held every column.
    floor : float
        What is added to ``|r|``: 0 is naive Bayes scaling alone, the larger the nearer to a plain SVM.

    Attributes
    ----------
    certificate_, history_, n_iter_ : see ConvexClassifier; objectives and gaps are summed over the classes
    """

    spec: ClassVar = LearnerSpec(
        "nb-svm",
        "SVM with log-count ratios",
        strengths={"C": (0.01, 100.0)},
        automatic=(0.25, 1.0),
        usual=("compare", "tune"),
        per_class=True,
        weight_bytes=12,
    )

    penalty: ClassVar[str] = "l2"  # type: ignore[misc]
    l1_ratio: ClassVar[float] = 0.0  # type: ignore[misc]
    solver: ClassVar[str] = "auto"  # type: ignore[misc]
    solver_options: ClassVar[None] = None  # type: ignore[misc]

    alpha: Annotated[float, finite(above=0)] = 0.5
    floor: Annotated[float, must("be a finite number of at least 0", lambda value: 0 <= value < np.inf)] = 1.0

    def _loss(self) -> str:
        return "squared_hinge"

    def _solve(self, problem: Problem, start: Solution | None, *, prove: bool = True) -> Solution:
        chosen = choose(
            "auto", problem.loss, "l2", few=few_columns(problem)
        )  # every class has the same columns
        self.solver_ = chosen.name
        if chosen.name == "dual" and problem.n_outputs > 1:
            return self._solve_together(problem, self._options(start, prove=prove))
        scales, _ = self._scales(problem)
        outputs = range(problem.n_outputs)
        starts = [start] * len(outputs)
        if start is not None and "parts" in start.details:
            starts = start.details["parts"]
        threads = min(thread_count(self.n_jobs), len(outputs))

        def one(k: int) -> Solution:
            n_jobs = self.n_jobs if len(outputs) == 1 else 1
            options = replace(self._options(starts[k], prove=prove), n_jobs=n_jobs)
            own = self._one_against_rest(problem, scales[:, k], k, n_jobs)
            with step(k / len(outputs), (k + 1) / len(outputs), _class_said(k, len(outputs))):
                return chosen.run(own, options).without_rows()  # the scaled rows are made anew for every fit

        if threads == 1:
            parts = [one(k) for k in outputs]
        else:
            from concurrent.futures import ThreadPoolExecutor

            pool = ThreadPoolExecutor(threads)
            try:
                contexts = [copy_context() for _ in outputs]  # so that threads know who listens
                parts = list(pool.map(lambda k: contexts[k].run(one, k), outputs))
            finally:  # an interrupted fit does not begin further classes
                pool.shutdown(cancel_futures=True)
        return _joined(parts, scales)

    def _solve_together(self, problem: Problem, options: Options) -> Solution:
        """Solve for all classes at once by the dual solver, whose updates scale the columns: no row is copied."""
        near, key = centred(problem), self._key(problem)
        X = problem.X if near is None else near.rows_as(problem.X.values.dtype)
        scales = problem.X.found.pop(_LATEST, None)
        if scales is None or key is None or scales.key != key:
            scales = None  # before others are made
            scales = Scales.of(*self._scales(problem, X), key)
        if key is not None and not options.prove:  # a search asks for another C of the same rows
            problem.X.found[_LATEST] = scales
        own, solve = replace(problem, X=X, scales=scales), SOLVERS["dual"].load()
        if near is not None:
            with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
                return near.solution(solve(own, near.start(options)))
        found = solve(own, options)
        return found.without_rows() if options.prove else found  # a proved fit is the last

    def _key(self, problem: Problem) -> ScalesKey | None:
        """Return what the scales of given rows depend on; None for several labels and weights other than 0 and 1."""
        if problem.y.label_ends is not None:
            return None
        which = np.ones(len(problem.y), bool) if problem.weight is None else problem.weight > 0
        if problem.weight is not None and not (problem.weight[which] == 1).all():
            return None
        return ScalesKey(problem.y.codes, which, float(self.alpha), float(self.floor))

    def _scales(self, problem: Problem, rows: Rows | None = None) -> tuple[Float, NDArray[np.float64]]:
        """Return s_jk / z_k, columns × outputs, and the lengths of the rows by them, rows × outputs.

        With ``rows``, which are those of the problem with some columns moved, the lengths are theirs.
        """
        X, threads, key = problem.X, thread_count(self.n_jobs), self._key(problem)
        if key is None:
            from lindy.text.weighting.log_count_ratio import log_count_ratio  # which only these need

            ratio = log_count_ratio(Examples(X, problem.y, problem.weight), self.alpha, threads)
        else:
            ratio = np.empty((X.n_columns, problem.n_outputs), X.values.dtype)
            counted = np.where(key.which, problem.y.codes, -1).astype(np.int32)
            _native.log_count_ratio(X, counted, len(problem.y.names), self.alpha, ratio, threads)
        lengths = np.empty((X.shape[0], ratio.shape[1]))
        _native.scaled_norms(X, ratio, self.floor, lengths, threads)
        with np.errstate(over="ignore"):
            z = np.sqrt(np.average(np.square(lengths), axis=0, weights=problem.weight))
        z[~(np.isfinite(z) & (z > 0))] = 1.0
        np.abs(ratio, out=ratio)
        ratio += self.floor
        with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
            ratio /= z.astype(ratio.dtype)
        if not np.isfinite(ratio.max(initial=0.0)):
            raise ValueError(
                "the values of X are too large or too small for the log-count ratios: scale the columns of X"
            )
        lengths /= z
        if rows is not None and rows is not X:
            _native.scaled_norms(rows, ratio, 0.0, lengths, threads)
        return ratio, lengths

    @staticmethod
    def _one_against_rest(problem: Problem, scale: Float, k: int, n_jobs: int | None) -> Problem:
        """Return the problem of class k, with its columns scaled."""
        X, column = problem.X, np.ascontiguousarray(scale)
        values = room(len(X.values), X.values.dtype)
        X.scale_columns(column, None, values, threads=thread_count(n_jobs))
        return replace(problem, X=Csr(X.indptr, X.indices, values, X.n_columns), y=problem.y.one_vs_rest(k))

    def _penalised_weights(self, problem: Problem) -> NDArray[np.float64]:
        """Return w / s: the scales are those of the rows given, so that other rows have another objective."""
        scales = np.maximum(self._scales(problem)[0], np.finfo(np.float32).tiny)
        return self.W_.astype(np.float64) / scales


@dataclass(frozen=True, slots=True, eq=False)
class ScalesKey:
    """The key of the scales of given rows: the classes, ``which`` rows count, and the learner's parameters."""

    y: NDArray[np.int32]
    which: NDArray[np.bool_]
    alpha: float
    floor: float

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ScalesKey) and (
            (self.alpha, self.floor) == (other.alpha, other.floor)
            and np.array_equal(self.which, other.which)
            and np.array_equal(self.y, other.y)
        )

    __hash__ = None  # type: ignore[assignment]


def _class_said(k: int, n_outputs: int) -> str:
    return f"class {k + 1:,} of {n_outputs:,}" if n_outputs > 1 else ""


def _joined(parts: list[Solution], scales: Float) -> Solution:
    """Return the solutions of the classes as one, over the rows as they are."""
    W = np.empty_like(scales)
    for k, part in enumerate(parts):
        np.multiply(part.W[:, 0], scales[:, k], out=W[:, k], casting="same_kind")
    b = np.array([part.b[0] for part in parts], W.dtype)
    proof = Certificate.of_all([part.certificate for part in parts])
    longest = max(parts, key=lambda part: part.n_iter)
    details = {"parts": parts} if len(parts) > 1 else parts[0].details
    return Solution(W, b, longest.n_iter, longest.history, proof, details)
