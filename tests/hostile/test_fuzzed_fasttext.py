"""Models of fastText, damaged and forged: a sample of what ``tests.hostile.fuzz_fasttext`` does."""

from __future__ import annotations

import resource
from pathlib import Path

import numpy as np
import pytest
from tests.hostile.fuzz_fasttext import fuzz

from lindy import _native


def test_damaged_and_forged_models_are_refused_or_answer(tmp_path: Path) -> None:
    outcomes = fuzz(tmp_path, 1500, 1)
    assert outcomes["refused"] > 500
    assert outcomes["answered"] > 200


def test_a_pruned_model_takes_the_memory_of_what_it_has_kept() -> None:
    """Whatever it says of the buckets that it had before; kept ones are found all the same."""
    entries, ends = np.frombuffer(b"fine", np.uint8), np.array([4])
    bucket = 2**31 - 2
    texts = _native.Texts(0)
    assert texts.take_strings(["fine dull", "wise"], 0, 1 << 62) == 2
    whole = _native.FasttextDictionary(entries, ends, 1, bucket, 3, 4, 1, None, None, False)
    indptr, columns = whole.columns(texts, 1)
    kept = np.unique(columns[columns > 0] - 1)[::2].astype(np.int32)
    rows = np.arange(len(kept), dtype=np.int32)[::-1].copy()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    pruned = _native.FasttextDictionary(entries, ends, 1, bucket, 3, 4, 1, kept, rows, False)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 50 << 10
    row_of = dict(zip(kept.tolist(), rows.tolist(), strict=True))
    wanted = [0 if c == 0 else 1 + row_of[c - 1] for c in columns.tolist() if c == 0 or c - 1 in row_of]
    assert pruned.columns(texts, 1)[1].tolist() == wanted
    assert len(columns) > len(wanted) > 3
    assert indptr.tolist()[0] == 0


def test_a_quantised_output_may_not_unpack_to_far_more_than_the_file() -> None:
    """With a code for a thousand numbers, a small file would take gigabytes."""
    dim, n_labels = 1 << 12, 1 << 13
    codes, centroids = np.zeros(n_labels, np.uint8), np.zeros(dim * 1024, np.uint8)
    output = _native.FasttextMatrix(n_labels, dim, dim, codes, centroids)
    model = _native.FasttextMatrix(1, dim, np.zeros(4 * dim, np.uint8))
    counts, places = np.ones(n_labels, np.int64), np.arange(n_labels, dtype=np.int32)
    with pytest.raises(ValueError, match="far more memory than its codes"):
        _native.FasttextModel(model, output, False, counts, places)
