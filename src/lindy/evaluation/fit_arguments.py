"""Arguments of a learner's ``fit`` beside rows and labels: weights, and how rows may be held out."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lindy.core.targets import Targets
from lindy.data.splits.split_policy import FREE, SplitPolicy


def fit_arguments(
    learner: Any, y: Targets, weight: NDArray[np.float64] | None, division: SplitPolicy = FREE
) -> dict[str, Any]:
    """Return further arguments for ``learner.fit`` of rows with these targets.

    A learner that would hold rows out to know when to stop, though groups or times let none be held out, is told to
    learn for its usual number of epochs instead.

    Raises
    ------
    ValueError
        If the learner cannot use them.
    """
    known = inspect.signature(learner.fit).parameters
    given: dict[str, Any] = {}
    if weight is not None:
        if "sample_weight" not in known:
            raise ValueError(
                f"{learner.class_name} cannot weigh examples: leave out sample_weight, or the weights in the lines of a"
                " Vowpal Wabbit file"
            )
        given["sample_weight"] = weight
    if division.is_free or not _holds_out(learner):
        return given
    if "groups" not in known:
        raise ValueError(
            f"{learner.class_name} draws the rows that it holds out itself, whatever their group or time: leave out"
            " held_out, or stop perceptron or mira early"
        )
    if not division.can_hold_out(y, learner.held_out):
        learner.set_params(held_out=0.0, epochs=None)
        return given
    return given | {"groups": division}


def _holds_out(learner: Any) -> bool:
    options = learner.get_params(deep=False)
    inner = options.get("solver_options") or {}
    return bool(options.get("held_out") or inner.get("held_out"))
