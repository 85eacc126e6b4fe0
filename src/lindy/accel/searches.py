"""GridSearchCV and RandomizedSearchCV: candidates that have the same texts are evaluated one after the other.

A search fits its pipeline for every candidate and fold. Most candidates of a fold differ only in the classifier, so
that their vectorizers read the same texts in the same way; evaluated together, they read them once.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from lindy.accel.profiling import Call, record
from lindy.accel.table import UnsupportedError

Task = tuple[Any, tuple[Any, ...], dict[str, Any]]  # as joblib has them: function, arguments, named arguments

_OF_THREAD = threading.local()


class _Reading(NamedTuple):
    """A call whose answer is kept: what it depends on, and the answer."""

    what: Any
    params: dict[str, Any]
    texts: Any
    answer: Any


def read_once(what: Any, params: dict[str, Any], texts: Any, read: Callable[[], Any]) -> Any:
    """Return the answer of a call, or that of an equal call before it, where candidates are evaluated together."""
    readings: list[_Reading] | None = getattr(_OF_THREAD, "readings", None)
    if readings is None:
        return read()
    for reading in readings:
        if reading.what == what and same_params(reading.params, params) and _equal(reading.texts, texts):
            return reading.answer
    readings.append(_Reading(what, params, texts, read()))
    return readings[-1].answer


def shares_readings() -> bool:
    """Whether candidates are evaluated together now, so that somebody else may get the same answer."""
    return getattr(_OF_THREAD, "readings", None) is not None


def same_params(first: dict[str, Any], second: dict[str, Any]) -> bool:
    """Whether two estimators of a class have the same parameters; arrays are compared entry by entry."""
    return all(value is second[name] or bool(np.all(value == second[name])) for name, value in first.items())


def _equal(first: Any, second: Any) -> bool:
    return first is second or (len(first) == len(second) and list(first) == list(second))


def evaluate_together(tasks: Sequence[Task]) -> list[Any]:
    """Run tasks one after the other, with what their vectorizers read kept until the last."""
    from sklearn.base import clone

    import lindy.accel

    before, _OF_THREAD.readings = getattr(_OF_THREAD, "readings", None), []
    try:
        with lindy.accel.enabled():  # of worker processes, too
            # each fits a clone, which is gone with it: what was fitted here would be there until the last
            return [task.function(clone(args[0]), *args[1:], **named) for task, args, named in tasks]
    finally:
        _OF_THREAD.readings = before


def parallel(*args: Any, **kwargs: Any) -> Any:
    """Return joblib's Parallel as scikit-learn has it, which evaluates candidates together."""
    from joblib import effective_n_jobs
    from sklearn.utils.parallel import Parallel, delayed

    class SearchParallel(Parallel):  # type: ignore[misc]
        """Groups the tasks by their texts, and gives the answers in the order of the tasks."""

        def __call__(self, iterable: Iterable[Task]) -> Any:
            tasks, start = list(iterable), time.perf_counter()
            try:
                groups = _groups(tasks, effective_n_jobs(self.n_jobs))
            except UnsupportedError as error:
                record(Call("GridSearchCV, grouping", "scikit-learn", str(error)))
                return super().__call__(tasks)
            together = delayed(evaluate_together)
            parts = super().__call__(together([tasks[i] for i in own]) for own in groups)
            answers = {
                i: answer
                for own, part in zip(groups, parts, strict=True)
                for i, answer in zip(own, part, strict=True)
            }
            record(Call("GridSearchCV, grouping", "lindy", "", 1, time.perf_counter() - start))
            return [answers[i] for i in range(len(tasks))]

    return SearchParallel(*args, **kwargs)


def _groups(tasks: Sequence[Task], n_jobs: int) -> list[list[int]]:
    """Return the numbers of the tasks that read the same texts in the same way."""
    from sklearn.pipeline import Pipeline

    groups: dict[Any, list[int]] = {}
    for i, (_, args, named) in enumerate(tasks):
        pipeline, parameters = args[0], named.get("parameters") or {}
        if type(pipeline) is not Pipeline:
            raise UnsupportedError("the estimator is not a pipeline")
        if named.get("verbose", 0) > 1:
            raise UnsupportedError("verbose: scikit-learn prints candidate by candidate")
        last = pipeline.steps[-1][0]
        read = [(name, repr(value)) for name, value in sorted(parameters.items()) if not _is_of(name, last)]
        groups.setdefault((id(named["train"]), id(named["test"]), *read), []).append(i)
    if len(groups) == len(tasks):
        raise UnsupportedError("no two candidates have the same texts")
    parts = -(-n_jobs // len(groups))  # of each group, so that no processor is idle
    return [own[part::parts] for own in groups.values() for part in range(min(parts, len(own)))]


def _is_of(name: str, step: str) -> bool:
    return name == step or name.startswith(f"{step}__")
