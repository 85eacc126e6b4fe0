"""Every vectorizer that a model file may hold keeps to the protocol of ``lindy.text.vectorizer``."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from tests.vectorizers import LABELS, MADE, TEXTS

from lindy import text
from lindy.core.csr import Csr, as_csr
from lindy.text.vectorizer_registry import vectorizer_class, vectorizer_kinds


def numbers(rows: Csr) -> Any:
    """Return rows as a dense array; sequences, which have too many columns for that, as their symbols."""
    return rows.to_dense() if rows.n_columns < 10_000 else rows.values


def test_every_kind_is_here_and_declares_its_name() -> None:
    assert sorted(MADE) == vectorizer_kinds()
    for kind in vectorizer_kinds():
        assert vectorizer_class(kind).kind == kind
        assert isinstance(MADE[kind][0], vectorizer_class(kind))


@pytest.mark.parametrize("kind", MADE)
def test_rows_names_and_state(kind: str) -> None:
    given, examples = MADE[kind]
    vectorizer = given.fresh()
    assert vectorizer is not given
    assert repr(vectorizer) == repr(given)
    rows = as_csr(vectorizer.fit_csr(examples, y=LABELS))
    assert rows.values.dtype == np.float32
    np.testing.assert_array_equal(numbers(vectorizer.transform_csr(examples)), numbers(rows))
    if kind != "sequences":  # whose columns are places, without names
        assert rows.n_columns == vectorizer.n_columns
        names = vectorizer.get_feature_names_out().tolist()
        assert vectorizer.names_of(np.arange(rows.n_columns)[::-1]) == names[::-1]
    config, arrays = vectorizer.to_state()
    assert config["kind"] == kind
    loaded = text.vectorizer_from_state(json.loads(json.dumps(config)), arrays)
    np.testing.assert_array_equal(numbers(loaded.transform_csr(examples)), numbers(rows))
    assert loaded.describe() == vectorizer.describe()
    assert loaded.n_columns == vectorizer.n_columns


@pytest.mark.parametrize("kind", MADE)
def test_columns_of_a_text_are_found_in_it(kind: str) -> None:
    vectorizer, examples = MADE[kind][0].fresh(), MADE[kind][1]
    vectorizer.fit(examples, LABELS)
    if examples is not TEXTS or kind == "sequences":
        return
    row = vectorizer.transform_csr(["very good"]).without_zeros()
    for found in vectorizer.occurrences("very good", row.indices):
        assert len(found.feature) == 0 or found.feature.max() < len(row.indices)
        assert (found.spans[:, 1] <= len("very good")).all()
    assert set(vectorizer.features_of("good")) <= set(range(vectorizer.n_columns))


@pytest.mark.parametrize("kind", MADE)
def test_learning_in_parts_is_declared(kind: str) -> None:
    vectorizer, examples = MADE[kind][0].fresh(), MADE[kind][1]
    if vectorizer.learns_in_parts:
        whole = vectorizer.fresh().fit(examples).transform_csr(examples)
        vectorizer.partial_fit(examples[:2]).partial_fit(examples[2:])
        np.testing.assert_array_equal(numbers(vectorizer.transform_csr(examples)), numbers(whole))
    else:
        with pytest.raises((AttributeError, NotImplementedError, TypeError)):
            vectorizer.partial_fit(examples)


def test_only_what_is_registered_can_be_rebuilt() -> None:
    with pytest.raises(ValueError, match=r"unknown kind of vectorizer 'os\.system'"):
        text.vectorizer_from_state({"kind": "os.system"}, {})
