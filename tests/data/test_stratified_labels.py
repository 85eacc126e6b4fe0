"""Rows of several labels are given away as iterative stratification is defined, however many labels there are."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from lindy.core.targets import ManyLabels
from lindy.data.splits.stratify import by_labels


def by_definition(y: ManyLabels, share: np.ndarray, seed: int) -> list[int]:
    """Return the part of each row: the label with the fewest rows left first, looked for among all labels."""
    n, order = len(y), np.random.default_rng(seed).permutation(len(y))
    strata = [set(y.codes[y.indptr[i] : y.indptr[i + 1]].tolist()) or {len(y.names)} for i in range(n)]
    counts = [sum(k in own for own in strata) for k in range(len(y.names) + 1)]
    lacks, room, part = np.outer(counts, share), n * share, [-1] * n
    while -1 in part:
        left = [sum(k in strata[i] for i in range(n) if part[i] < 0) for k in range(len(counts))]
        rarest = min((k for k in range(len(counts)) if left[k]), key=lambda k: left[k])
        for i in (i for i in order.tolist() if rarest in strata[i] and part[i] < 0):
            best = max(range(len(share)), key=lambda p: (lacks[rarest, p], room[p]))
            part[i] = best
            room[best] -= 1
            lacks[sorted(strata[i]), best] -= 1
    return part


@given(
    st.lists(st.sets(st.sampled_from("abcdef"), max_size=3), min_size=1, max_size=25).filter(any),
    st.sampled_from([[0.5, 0.5], [0.7, 0.2, 0.1], [0.25] * 4]),
    st.integers(0, 99),
)
def test_parts_are_those_of_the_definition(lists: list[set[str]], share: list[float], seed: int) -> None:
    y = ManyLabels.of_lists(lists)
    assert by_labels(y, np.array(share), seed).tolist() == by_definition(y, np.array(share), seed)
