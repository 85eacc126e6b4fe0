"""From examples to the fitted parts of a ``TextClassifier``: recipe, features, learner, probabilities and rule."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lindy.core.csr import Csr
from lindy.core.targets import OneLabel, Targets
from lindy.core.weights import class_weights
from lindy.estimators.base import thread_count
from lindy.estimators.learners import InputKind
from lindy.evaluation.crossfit import Weighted, fit_arguments, out_of_fold, refitted
from lindy.linear.label_blocks import BLOCK
from lindy.linear.label_tree import LabelTree
from lindy.progress import step
from lindy.stream import current
from lindy.text.tfidf import TfidfVectorizer
from lindy.text.vectorizer import weight_option
from lindy.tuning.calibration_step import CalibrationStep, Judged, Scoring
from lindy.tuning.held_out import check_memory
from lindy.tuning.pipeline_spec import PipelineSpec, TrainingData, check_dense, give_words
from lindy.tuning.tree_step import explained, judged_tree

if TYPE_CHECKING:
    from lindy.tuning.automatic import Choice


class Fitted(NamedTuple):
    """The fitted parts, and what the automatic recipe found, if it was asked."""

    vectorizer: Any
    learner: Any
    choice: Choice | None
    judged: Judged


def fit_parts(plan: PipelineSpec, material: TrainingData, calibration: str) -> Fitted:
    """Choose, learn from all examples, and judge by held-out ones."""
    texts, labels = material.inputs.values, material.labels
    chosen = plan.search_share(material.inputs)
    with step(0.0, chosen):
        vectorizer, learner, choice = plan.parts(material)
    judge = CalibrationStep(calibration, learner, material, choice)
    if not (judge.holds_out or vectorizer.learns):
        from lindy.tuning.one_pass import learned_in_one_pass

        with step(0.0, 1.0, f"{learner.class_name} on all texts"):
            if learned_in_one_pass(vectorizer, learner, texts, labels, material.weight):
                return Fitted(vectorizer, learner, None, judge(None))
    left = 1 - chosen
    with step(chosen, chosen + 0.2 * left, "words of all texts"):
        # in the order in which words are seen: sorts nothing, and frequent words are side by side
        prepared = None if choice is None else choice.fitted
        given = {"order": "seen", "y": labels.row_codes} | weight_option(material.row_weight)
        rows = vectorizer.fit_csr(texts, **given) if prepared is None else prepared[1]
    check_dense(learner, *rows.shape)
    if prepared is None:  # otherwise the search has asked
        at_once = None if labels.label_ends is None else BLOCK * thread_count(plan.n_jobs)
        n_outputs = len(labels.names)
        if isinstance(learner, LabelTree):  # which solves for the children of a node
            n_outputs, at_once = min(n_outputs, learner.branches), learner.branches
        if learner.weight_bytes or judge.holds_out:  # counting takes memory for what is there
            check_memory(learner, rows.shape, n_outputs, plan.asked, at_once=at_once)
    if learner.input_kind is InputKind.WORDS:
        names = vectorizer.get_feature_names_out().tolist()
        give_words(learner, names, rows.values, labels.names)
    with step(chosen + 0.2 * left, 1.0), _meanwhile(vectorizer.prepare, plan.n_jobs):

        def judging() -> Judged:
            if isinstance(learner, LabelTree):
                return judged_tree(learner, rows, material, calibration, explained(learner, plan.tree))
            return judge(held_out_scoring(vectorizer, learner, rows, material))

        start = None if choice is None else choice.start
        judged = learned(learner, rows, material, judging, start=start)
    return Fitted(vectorizer, learner, choice, judged)


def learned(
    learner: Any, rows: Csr, material: TrainingData, judge: Callable[[], Judged], *, start: Any = None
) -> Judged:
    """Let the learner learn all rows, beginning with a solution if there is one, and return what judges it then."""
    labels = material.labels
    with step(0.0, 0.5, f"{learner.class_name} on all texts"):
        given = fit_arguments(learner, labels, material.weight, material.division)
        if learner.keeps_solution:  # from which held-out rows are taken
            learner.fit_from(start, rows, labels, **given)
        else:
            learner.fit(rows, labels, **given)
    with step(0.5, 1.0):
        judged = judge()
    if learner.keeps_solution:
        learner.drop_solution()
    return judged


@contextmanager
def _meanwhile(work: Callable[[], None], n_jobs: int | None) -> Iterator[None]:
    """Do some work in a thread of its own while others go on, where there may be more than one and memory is enough."""
    if thread_count(n_jobs) == 1 or current() is not None:
        yield  # work that is not done here is done when it is needed
        return
    failed: list[BaseException] = []

    def run() -> None:
        try:
            work()
        except BaseException as error:
            failed.append(error)

    thread = threading.Thread(target=run)
    with suppress(RuntimeError):  # where the system has no more threads, it is done later, too
        thread.start()
    try:
        yield
    finally:
        if thread.ident is not None:  # it has begun
            thread.join()
    if failed:
        raise failed[0]


def held_out_scoring(vectorizer: Any, learner: Any, rows: Csr, material: TrainingData) -> Scoring:
    """Return what scores held-out examples by copies of the learner.

    A vectorizer that looks at labels is fitted anew without them; with groups or times so is any that learns.
    """
    anew = vectorizer.uses_labels or (vectorizer.learns and not material.division.is_free)
    data: Any = rows
    prepare = None
    if anew:
        data, prepare = Weighted(material.inputs, material.row_weight), refitted(vectorizer)
    return partial(
        out_of_fold,
        learner,
        data,
        material.labels,
        sample_weight=material.weight,
        division=material.division,
        prepare=prepare,
        ends=None if anew else _ends_of_unit_rows(vectorizer),
    )


def _ends_of_unit_rows(vectorizer: Any) -> NDArray[np.int64] | None:
    """Return where the columns of each kind of terms end, if new texts get length 1 within each from known terms."""
    parts = [part for _, part in vectorizer.parts] if hasattr(vectorizer, "parts") else []

    def learns_terms(part: Any) -> bool:
        return isinstance(part, TfidfVectorizer) and part.vocabulary is None and part.oov is None

    unit = bool(parts) and all(learns_terms(part) and part.norm == "l2" for part in parts)
    return np.cumsum([part.n_columns for part in parts], dtype=np.int64) if unit else None


def weights_of(
    class_weight: Any, weight: NDArray[np.float64] | None, labels: Targets
) -> tuple[NDArray[np.float64] | None, NDArray[np.float64] | None]:
    """Return the weights of the examples times those of their classes, and the latter, if there are any."""
    if class_weight is None:
        return weight, None
    ones = np.ones(len(labels)) if weight is None else weight
    mass = np.maximum(np.bincount(labels.codes, ones), np.finfo(float).tiny)
    numbers = np.arange(len(mass), dtype=np.int32)
    weighed: Any = class_weights(class_weight, OneLabel(labels.names, numbers), mass)
    per_class = weighed / mass
    return ones * per_class[labels.codes], per_class
