"""The solver's problems of several labels: those of a block of labels are solved together, each with a proof."""

from __future__ import annotations

from contextvars import copy_context
from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lindy.core.targets import ManyLabels
from lindy.estimators.base import Examples, thread_count
from lindy.estimators.output_weights import OutputWeights
from lindy.linear.losses import get_loss
from lindy.linear.problem import Certificate, Solution
from lindy.progress import step

if TYPE_CHECKING:
    from lindy.linear.convex import ConvexClassifier

BLOCK = 128
"""Labels whose weights are found in one pass over a row: those of a block are about equally frequent."""

_TOGETHER = 256  # rows of W that are put together at once: they stay in the cache


class GoingOn(NamedTuple):
    """How a fit of several labels goes on from another one: that one's solutions, and whether it proves its own."""

    start: tuple[Solution, ...] = ()
    prove: bool = True


def solve_in_blocks(
    learner: ConvexClassifier, data: Examples, n_jobs: int | None, going_on: GoingOn | None = None
) -> OutputWeights:
    """Return the weights of all labels, found for a block of them at a time, each with a proof.

    Labels are taken by their frequency, so that those of a block need about as many passes. With ``going_on`` the
    solutions are kept, as long as their dual variables take no more memory than the weights.
    """
    targets = data.y
    assert isinstance(targets, ManyLabels)
    learner._check_parameters()
    learner = copy(learner)
    learner.classes_ = np.arange(2)  # every label is told apart from its absence
    loss = get_loss(learner._loss()).per_output
    if not loss:
        raise ValueError(
            f"loss={learner._loss()!r} lets labels compete, of which a text has one: choose another loss"
        )
    order = np.argsort(-data.y.counts, kind="stable")
    blocks = [np.sort(order[first : first + BLOCK]) for first in range(0, len(order), BLOCK)]
    start, prove = GoingOn() if going_on is None else going_on

    def solve(number: int) -> Solution:
        own = targets.only(blocks[number])
        problem = replace(
            learner._problem(data), loss=loss, y=own if len(own.names) > 1 else own.one_vs_rest(0)
        )
        with step(
            number / len(blocks), (number + 1) / len(blocks), f"labels {number + 1} of {len(blocks)} blocks"
        ):
            begun = start[number] if len(start) == len(blocks) else None
            return learner._solve(problem, begun, prove=prove).without_rows()

    threads = min(thread_count(n_jobs), len(blocks))
    if threads == 1:
        parts = [solve(number) for number in range(len(blocks))]
    else:
        from concurrent.futures import ThreadPoolExecutor

        contexts = [copy_context() for _ in blocks]  # so that threads know who listens
        with ThreadPoolExecutor(threads) as pool:
            parts = list(pool.map(lambda number: contexts[number].run(solve, number), range(len(blocks))))
    keeps = going_on is not None and data.X.shape[0] <= data.X.n_columns
    return _joined(parts, blocks)._replace(solutions=tuple(map(_small, parts)) if keeps else ())


def _small(solution: Solution) -> Solution:
    """Return a solution without its weights, which follow from the dual variables."""
    return replace(solution, W=solution.W[:0].copy())


def _joined(parts: list[Solution], blocks: list[NDArray[np.intp]]) -> OutputWeights:
    total = Certificate.of_all([part.certificate for part in parts])
    place = np.argsort(np.concatenate(blocks))
    dtype = np.result_type(*(part.W for part in parts))
    b = np.concatenate([part.b for part in parts])[place].astype(dtype, copy=False)
    gaps = None if total is None else np.concatenate([_gaps_of(part) for part in parts])[place]
    if len(parts) == 1:  # its labels are in their order
        return OutputWeights(parts[0].W, b, total, gaps)
    W = np.empty((len(parts[0].W), len(b)), dtype)
    for first in range(0, len(W), _TOGETHER):
        some = slice(first, first + _TOGETHER)
        W[some] = np.concatenate([part.W[some] for part in parts], axis=1)[:, place]
    return OutputWeights(W, b, total, gaps)


def _gaps_of(part: Solution) -> NDArray[np.float64]:
    """Return the gap of each label: its own, or that of all, of which no term is negative."""
    assert part.certificate is not None
    gaps: NDArray[np.float64] = part.details.get("output gaps", np.full(len(part.b), part.certificate.gap))
    return gaps
