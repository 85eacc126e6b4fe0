"""The model of labels that are missing and wrong: what it estimates, and that its probabilities come true."""

from __future__ import annotations

import numpy as np
import pytest

from lindy.core.csr import Csr
from lindy.core.numerics import sigmoid
from lindy.core.targets import ManyLabels
from lindy.evaluation.audit.label_audit import LabelSetJudge, label_pairs
from lindy.evaluation.audit.pair_noise import FEW, fit_pair_noise
from lindy.linear import SVM

ROWS, LABELS = 4000, 8


def noisy_pairs(missing: float, wrong: float) -> tuple[np.ndarray, np.ndarray, ManyLabels]:
    """Return scores, a matrix of what rows should have, and what they have after the noise of the model."""
    draw = np.random.default_rng(0)
    common = np.linspace(-3.0, -0.5, LABELS)
    should = draw.random((ROWS, LABELS)) < sigmoid(common)
    scores = np.where(should, 1.0, -1.0) + 0.7 * draw.standard_normal(should.shape)
    share = should.mean(axis=0)
    added = draw.random(should.shape) < wrong * (share + share.mean()) / 2
    has = np.where(should, draw.random(should.shape) >= missing, added)
    return scores, should, ManyLabels.of_indicator(has.astype(int), [f"label {k}" for k in range(LABELS)])


@pytest.mark.parametrize(("missing", "wrong"), [(0.2, 0.0), (0.0, 0.15), (0.1, 0.1)])
def test_shares_are_estimated_and_probabilities_come_true(missing: float, wrong: float) -> None:
    scores, should, labels = noisy_pairs(missing, wrong)
    noise = fit_pair_noise(scores, labels)
    assert abs(noise.missing - missing) < 0.05
    assert abs(noise.wrong - wrong) < 0.05
    doubtful, expected = noise.judge(scores, labels, 0.0)
    assert len(doubtful.rows) == ROWS * LABELS
    for lacks, total in zip((True, False), expected.tolist(), strict=True):
        own = doubtful.lacks == lacks
        is_so = should[doubtful.rows, doubtful.codes][own] == lacks
        said = doubtful.probability[own]
        assert total == pytest.approx(said.sum())
        for low in (0.1, 0.5, 0.9):
            bin_ = (said >= low) & (said < low + 0.3)
            n = bin_.sum()
            if n >= 50:
                assert abs(is_so[bin_].mean() - said[bin_].mean()) < 0.1 + 2 / np.sqrt(n)


def test_a_label_of_few_rows_is_never_called_wrong() -> None:
    scores, _, labels = noisy_pairs(0.0, 0.1)
    few = np.flatnonzero(labels.indicator()[:, 0])[FEW - 1 :]
    has = labels.indicator()
    has[few, 0] = 0
    own = ManyLabels.of_indicator(has)
    doubtful, _ = fit_pair_noise(scores, own).judge(scores, own, 0.01)
    assert len(doubtful.codes[~doubtful.lacks])
    assert 0 not in doubtful.codes[~doubtful.lacks]


def test_pairs_are_judged_alike_however_many_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    scores, _, labels = noisy_pairs(0.1, 0.1)
    noise = fit_pair_noise(scores, labels)
    whole, _ = noise.judge(scores, labels, 0.2)
    parts = [
        noise.judge(scores[i : i + 700], labels.take(np.arange(i, min(i + 700, ROWS))), 0.2)[0]
        for i in range(0, ROWS, 700)
    ]
    assert np.array_equal(whole.probability, np.concatenate([part.probability for part in parts]))
    assert np.array_equal(whole.codes, np.concatenate([part.codes for part in parts]))


def test_labels_that_are_hardly_two() -> None:
    lists = [["corn", "grain"]] * 12 + [["grain"]] * 20 + [["tea", "green"]] * 15 + [["Apples"], ["apple"]]
    pairs = {(pair.kind, pair.first, pair.second): pair for pair in label_pairs(ManyLabels.of_lists(lists))}
    assert set(pairs) == {
        ("implies", "corn", "grain"),
        ("always together", "green", "tea"),
        ("same spelling", "Apples", "apple"),
    }
    assert pairs["implies", "corn", "grain"].both == 12
    assert pairs["always together", "green", "tea"].similarity == 1.0
    weights = np.zeros((3, 6))
    names = sorted({label for own in lists for label in own})
    weights[:, names.index("corn")] = weights[:, names.index("tea")] = [1.0, 2.0, 0.0]
    alike = [pair for pair in label_pairs(ManyLabels.of_lists(lists), weights) if pair.kind == "like weights"]
    assert [(pair.first, pair.second) for pair in alike] == [("corn", "tea")]
    assert alike[0].similarity == pytest.approx(1.0)


def topics(rows: int) -> tuple[Csr, list[set[str]]]:
    draw = np.random.default_rng(1)
    names = ["a", "b", "c"]
    lists = [{name for name in names if draw.random() < 0.4} for _ in range(rows)]
    columns = [
        sorted(
            {10 * names.index(name) + int(j) for name in sorted(own) for j in draw.integers(0, 10, 4)}
            | {30 + i % 5}
        )
        for i, own in enumerate(lists)
    ]
    indptr = np.cumsum([0, *map(len, columns)]).astype(np.int64)
    indices = np.concatenate(columns).astype(np.int32)
    return Csr(indptr, indices, np.ones(len(indices), np.float32), 35), lists


def test_planted_errors_are_found_in_a_sample_and_in_the_rows_beside_it() -> None:
    values, given = topics(600)
    # rows whose words say a label that they lack, and labels that their words do not say
    lacking = {(i, min(own)) for i, own in list(enumerate(given))[::97] if own}
    wrong = {(i, min({"a", "b", "c"} - own)) for i, own in list(enumerate(given))[50::97] if len(own) < 3}
    for row, label in lacking:
        given[row] -= {label}
    for row, label in wrong:
        given[row] |= {label}
    labels = ManyLabels.of_lists(given)
    half = np.arange(0, 600, 2)
    for sample, chunks in (
        (np.arange(600), []),
        (half, [values.take(np.arange(i, i + 200)) for i in (0, 200, 400)]),
    ):
        judge = LabelSetJudge(SVM(), values.take(sample), labels.take(sample), sample)
        judge.judge_others(chunks, labels)
        for lacks, planted in ((True, lacking), (False, wrong)):
            rows, codes, p = judge.worth_listing(lacks=lacks)
            found = set(zip(rows.tolist(), labels.names[codes].tolist(), strict=True))
            assert len(found - planted) <= 2
            assert len(found & planted) >= 0.5 * len(planted)
            assert (np.diff(p) <= 0).all()
