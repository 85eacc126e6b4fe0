"""Splits and folds: shares, strata, groups, time; leaks; fingerprints."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from lindy import DataError
from lindy.core.targets import as_targets
from lindy.data import SplitPolicy, count_leaks, fingerprint, folds, split
from lindy.data.chunks.disk_array import DiskArray
from lindy.data.columns.keys import folded, text_keys
from lindy.data.splits import split as splits
from lindy.data.splits import stratify
from lindy.data.splits.stratify import NEVER
from lindy.textbook.stratification import iterative_stratification

SHARES = {"train": 0.7, "dev": 0.1, "test": 0.15, "blind": 0.05}
LABELS = st.lists(st.sampled_from("aaaabbc"), min_size=4, max_size=120)


def parts_of(parts: dict[str, Any], n: int) -> list[str]:
    owner = [""] * n
    for name, rows in parts.items():
        assert (np.diff(rows) > 0).all()
        for row in rows:
            assert owner[row] == ""
            owner[row] = name
    assert all(owner)
    return owner


@given(LABELS, st.integers(0, 5))
def test_every_class_has_its_share_in_every_part(labels: list[str], seed: int) -> None:
    parts = split(labels, SHARES, random_state=seed)
    owner = parts_of(parts, len(labels))
    for name, share in SHARES.items():
        assert abs(len(parts[name]) - share * len(labels)) < 1 + len(set(labels))
        for label in set(labels):
            wanted = share * labels.count(label)
            have = sum(o == name and v == label for o, v in zip(owner, labels, strict=True))
            assert abs(have - wanted) <= 1 + 1e-9 or name == "train"
    assert {labels[row] for row in parts["train"]} == set(labels)
    assert owner == parts_of(split(labels, SHARES, random_state=seed), len(labels))


def test_another_seed_gives_other_parts() -> None:
    labels = ["a", "b"] * 50
    assert (
        split(labels, SHARES, random_state=1)["test"].tolist()
        != split(labels, SHARES, random_state=2)["test"].tolist()
    )


@given(st.lists(st.tuples(st.integers(0, 9), st.sampled_from("ab")), min_size=5, max_size=80))
def test_groups_stay_together(rows: list[tuple[int, str]]) -> None:
    groups, labels = [g for g, _ in rows], [label for _, label in rows]
    assume(len(set(groups)) > 1)  # a single group is refused
    owner = parts_of(split(labels, {"train": 0.8, "test": 0.2}, groups=groups), len(rows))
    assert len({(g, o) for g, o in zip(groups, owner, strict=True)}) == len(set(groups))
    fold = folds(labels, 3, groups=groups)
    assert len(set(zip(groups, fold.tolist(), strict=True))) == len(set(groups))


def test_groups_of_equal_size_are_shared_out_by_class() -> None:
    groups = np.repeat(np.arange(100), 5)
    labels = np.repeat(np.arange(100) % 2, 5)
    parts = split(labels, {"train": 0.8, "test": 0.2}, groups=groups)
    assert len(parts["test"]) == 100
    assert labels[parts["test"]].mean() == 0.5


@given(st.lists(st.integers(0, 15), min_size=3, max_size=60))
def test_time_goes_forward_and_a_moment_is_not_cut(times: list[int]) -> None:
    assume(len(set(times)) > 1)  # a single moment is refused
    parts = split(None, {"train": 0.6, "dev": 0.2, "test": 0.2}, n_rows=len(times), time=times)
    parts_of(parts, len(times))
    t = np.array(times)
    for earlier, later in (("train", "dev"), ("dev", "test"), ("train", "test")):
        if len(parts[earlier]) and len(parts[later]):
            assert t[parts[earlier]].max() < t[parts[later]].min()


def test_distinct_times_are_cut_at_the_shares() -> None:
    days = [f"2024-01-{day:02}" for day in range(1, 21)][::-1]
    parts = split(None, {"train": 0.5, "dev": 0.25, "test": 0.25}, n_rows=20, time=days)
    assert [len(rows) for rows in parts.values()] == [10, 5, 5]
    assert parts["train"].tolist() == list(range(10, 20))


@given(LABELS, st.integers(2, 4))
def test_folds_are_even_in_size_and_class(labels: list[str], k: int) -> None:
    fold = folds(labels, k)
    kept = [v for v in labels if labels.count(v) > 1]
    assert (fold == NEVER).sum() == len(labels) - len(kept)
    sizes = [int((fold == number).sum()) for number in range(k)]
    assert max(sizes) - min(sizes) <= 1
    for label in set(kept):
        counts = [int(((fold == number) & (np.array(labels) == label)).sum()) for number in range(k)]
        assert max(counts) - min(counts) <= 1
        assert all(count < labels.count(label) for count in counts)


def test_arguments_that_cannot_be_are_refused() -> None:
    for shares in ({"train": 1.0}, {"train": 1.0, "test": 0.0}, {"train": 1.0, "test": float("nan")}):
        with pytest.raises(ValueError, match="at least two parts"):
            split(["a", "b"], shares)
    with pytest.raises(DataError, match="all 2 rows have the same group"):
        split(["a", "b"], SHARES, groups=["x", "x"])
    with pytest.raises(DataError, match="all 2 rows have the same time"):
        split(["a", "b"], SHARES, time=["2024-01-01", "2024-01-01"])
    with pytest.raises(ValueError, match="one value per row"):
        split(["a", "b"], SHARES, groups=["x"])
    with pytest.raises(ValueError, match="n_rows"):
        split(None, SHARES)
    with pytest.raises(ValueError, match="folds of 2 rows"):
        folds(["a", "b"], 1)


def test_leaks_are_counted_whatever_the_case_and_the_spaces() -> None:
    leaks = count_leaks(
        {"train": ["Hello  World", "a"], "dev": ["hello world", "b"], "test": ["A", "b", "B ", "c"]}
    )
    assert leaks == {("train", "dev"): 1, ("train", "test"): 1, ("dev", "test"): 2}


def test_a_fingerprint_is_of_the_examples_not_of_their_container() -> None:
    texts, labels = ["one", "", "zwölf"], ["a", "b", "a"]
    mark = fingerprint(texts, labels)
    assert len(mark) == 32
    assert fingerprint(pa.array(texts), pa.array(labels)) == mark
    assert (
        fingerprint(pa.chunked_array([texts[:1], [], texts[1:]]), pa.array(labels, pa.large_string())) == mark
    )
    assert fingerprint(pa.array(["x", *texts]).slice(1), pa.array(labels).dictionary_encode()) == mark
    assert fingerprint(["on", "e", "zwölf"], labels) != mark
    assert fingerprint(texts[::-1], labels[::-1]) != mark
    assert fingerprint(texts, ["a", "b", "b"]) != mark
    assert fingerprint(texts) != mark


def test_leaks_of_rows_on_disk_are_those_of_texts():
    draw = np.random.default_rng(0)
    texts = np.array([f"Text {number}" for number in draw.integers(30, size=100)])
    part = draw.integers(-1, 3, size=100).astype(np.int8)
    keys = DiskArray(np.uint64)
    keys.add(text_keys(map(folded, texts.tolist())))
    names = ["train", "dev", "test"]
    expected = count_leaks({name: texts[part == number] for number, name in enumerate(names)})
    assert splits.leaks_of_parts(keys, part, names, block=7) == expected
    assert sum(expected.values()) > 0


@given(codes=st.lists(st.integers(0, 5), min_size=1, max_size=60), seed=st.integers(0, 5))
def test_few_classes_are_dealt_as_many_are(codes, seed):
    numbers = np.array(codes, np.int32)
    few = stratify.shuffled_by_class(numbers, seed)
    many = stratify.shuffled_by_class(numbers, seed, few=0)
    np.testing.assert_array_equal(few, many)


@given(
    st.lists(st.frozensets(st.integers(0, 4), max_size=4), min_size=1, max_size=40),
    st.sampled_from([[0.5, 0.5], [0.8, 0.2], [0.6, 0.2, 0.2]]),
    st.integers(0, 3),
)
def test_parts_of_several_labels_are_the_textbooks(
    rows: list[frozenset[int]], share: list[float], seed: int
) -> None:
    y = as_targets([set(own) for own in rows], several=True)
    Y = np.column_stack([y.signs(k) > 0 for k in range(y.n_outputs)] or [np.zeros((len(rows), 0), bool)])
    order = np.random.default_rng(seed).permutation(len(rows))
    expected = iterative_stratification(Y, np.array(share), order)
    names = [f"part {j}" for j in range(len(share))]
    found = split([set(own) for own in rows], dict(zip(names, share, strict=True)), random_state=seed)
    for number, name in enumerate(names):
        assert found[name].tolist() == np.flatnonzero(expected == number).tolist()


def test_folds_of_many_rows_with_several_labels_have_their_share_of_each() -> None:
    rng = np.random.default_rng(0)
    Y = rng.random((20_000, 30)) < np.geomspace(0.0005, 0.2, 30)
    fold = folds(Y.astype(int), 5)
    sizes = np.bincount(fold)
    assert abs(sizes - 4000).max() < 100
    for label in Y.T:
        counts = np.bincount(fold[label], minlength=5)
        assert np.ptp(counts) <= 1 + 0.15 * counts.mean(), "the rarest are dealt first"
    assert (fold == folds(Y.astype(int), 5)).all()
    assert (fold != folds(Y.astype(int), 5, random_state=1)).any()


def test_groups_and_times_of_several_labels() -> None:
    rng = np.random.default_rng(0)
    labels = [set(own) for own in (rng.random((300, 4)) < 0.3).astype(int) * np.arange(1, 5)]
    groups = rng.integers(0, 40, 300)
    parts = split(labels, {"train": 0.7, "test": 0.3}, groups=groups)
    assert not set(groups[parts["train"]]) & set(groups[parts["test"]])
    y = as_targets(labels, several=True)
    share = y.take(parts["test"]).counts / y.counts
    np.testing.assert_allclose(share, 0.3, atol=0.1)
    later = split(labels, {"train": 0.7, "test": 0.3}, groups=groups, time=np.arange(300))
    assert not set(groups[later["train"]]) & set(groups[later["test"]])
    for train, held in SplitPolicy.of(300, groups).splits(y, 3):
        assert not set(groups[train]) & set(groups[held])
