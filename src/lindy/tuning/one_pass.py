"""Learning from hashed texts in one pass: rows are made block by block, learned from in their order and forgotten.

    texts ─▶ blocks of BLOCK bytes ─▶ hashed by several threads ─▶ in their order ─▶ the learner

While the learner visits one block, the threads hash those that follow. The model is that of all rows in memory.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from lindy.core.targets import Targets
from lindy.estimators.base import thread_count
from lindy.linear.online import OnlineClassifier
from lindy.linear.optimizers.online_blocks import Block
from lindy.text.hashing import HashingVectorizer

BLOCK = 1 << 19
"""Bytes of a block of texts: its rows stay in the cache, and their memory is that of the blocks before."""

Item = TypeVar("Item")
Made = TypeVar("Made")


def learned_in_one_pass(
    vectorizer: Any, learner: Any, texts: Any, labels: Targets, weight: NDArray[np.float64] | None
) -> bool:
    """Fit both, if the vectorizer learns nothing and the learner visits every row once; returns whether that was so."""
    if not (isinstance(vectorizer, HashingVectorizer) and isinstance(learner, OnlineClassifier)):
        return False
    if not learner.visits_in_order or learner.batch_size != 1:
        return False
    vectorizer.partial_fit([])
    if (rows_of := vectorizer.batch_hasher()) is None:
        return False
    batches = vectorizer.text_batches(texts, BLOCK)
    blocks = in_order(lambda batch: Block.of(rows_of(batch)), batches, thread_count(vectorizer.n_jobs))
    return learner.fit_blocks(blocks, vectorizer.n_columns, labels, weight)


def in_order(work: Callable[[Item], Made], items: Iterable[Item], threads: int) -> Iterator[Made]:
    """Yield what ``work`` makes of each item, in the order of the items; so many threads work ahead.

    Who leaves before the end does not wait for them: what they have begun, they end, and then stop.
    """
    pool = ThreadPoolExecutor(threads)
    begun: deque[Future[Made]] = deque()
    try:
        for item in items:
            begun.append(pool.submit(work, item))
            if len(begun) > 2 * threads:
                yield begun.popleft().result()
        while begun:
            yield begun.popleft().result()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
