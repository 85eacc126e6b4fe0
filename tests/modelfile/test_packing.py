"""Packed arrays of small model files: they come back, the textbook has the same bytes, forged ones are refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lindy import _native
from lindy.modelfile.packing import pack_arrays, rounded, unpack_arrays
from lindy.text.vocabulary.encoding import encode_terms
from lindy.textbook import small_files as textbook

BYTES = st.one_of(st.binary(max_size=300), st.lists(st.sampled_from([0, 1, 7]), max_size=600).map(bytes))
WORDS = st.text(st.sampled_from("ab ü\0"), max_size=6)


def code_of(data: bytes) -> Any:
    return _native.encode_bytes(np.frombuffer(data, np.uint8))


@given(data=BYTES)
@example(data=bytes(5000))
@example(data=bytes(range(256)) * 3)
def test_coded_bytes_are_those_of_the_textbook_and_come_back(data: bytes) -> None:
    code = code_of(data)
    assert code.tobytes() == textbook.encode(textbook.of_bytes(data))
    assert textbook.decode_bytes(code.tobytes(), len(data)) == data
    assert _native.decode_bytes(code, len(data)).tobytes() == data
    assert len(code) * textbook.PER_BYTE >= len(data)


@given(terms=st.lists(WORDS, max_size=60))
@example(terms=["", "x" * 254, "x" * 255, "x" * 700, "x" * 700 + "y"])
def test_coded_terms_are_those_of_the_textbook_and_come_back(terms: list[str]) -> None:
    for some in (sorted(set(terms)), terms):  # in any order, though the alphabet's is the shortest
        data, offsets = encode_terms(some)
        code = _native.encode_terms(data, offsets)
        assert code.tobytes() == textbook.encode_terms([term.encode() for term in some])
        text, ends = _native.decode_terms(code, len(some))
        assert (text.tobytes(), ends.tolist()) == (data.tobytes(), offsets.tolist())


def test_a_sorted_vocabulary_takes_a_fraction_of_its_bytes() -> None:
    terms = sorted(f"{stem}{end}" for stem in ("read", "write", "talk") for end in range(1000))
    data, offsets = encode_terms(terms)
    assert len(_native.encode_terms(data, offsets)) < len(data) / 5


@given(code=st.binary(max_size=60), n=st.integers(0, 2000))
def test_whatever_is_decoded_is_bounded_and_is_what_encodes_to_it(code: bytes, n: int) -> None:
    forged = np.frombuffer(code, np.uint8)
    try:
        made = _native.decode_bytes(forged, n)
    except _native.CodeError:
        pass
    else:
        assert len(made) == n <= textbook.PER_BYTE * len(code)
    try:
        text, ends = _native.decode_terms(forged, n)
    except _native.CodeError:
        return
    assert len(ends) == n + 1
    assert len(text) <= textbook.TEXT_PER_BYTE * len(code)


def test_codes_that_are_cut_lengthened_or_changed_are_not_those_of_the_same_bytes() -> None:
    data = b"the same words, the same bytes; " * 8
    code = code_of(data)
    for other in (code[:-1], np.append(code, np.uint8(0)), np.append(code, np.uint8(1)), code[:0]):
        with pytest.raises(_native.CodeError):
            _native.decode_bytes(np.ascontiguousarray(other), len(data))
    with pytest.raises(_native.CodeError, match="more than"):
        _native.decode_bytes(code, 1 << 60)


WEIGHTS = st.integers(1, 3).flatmap(
    lambda K: st.lists(
        st.lists(st.floats(-1e6, 1e6, width=32), min_size=K, max_size=K), min_size=1, max_size=30
    ).map(np.array)
)


@given(W=WEIGHTS, dtype=st.sampled_from([np.float32, np.float64]))
@example(W=np.zeros((3, 2)), dtype=np.float32)
@example(W=np.array([[1e-3], [127.0], [-126.6]]), dtype=np.float32)
def test_eight_bits_are_those_of_the_textbook_and_rounding_again_changes_nothing(W: Any, dtype: Any) -> None:
    W = W.astype(dtype)
    W[np.abs(W) < 1e-20] = 0  # steps that are normal numbers
    small = rounded(W)
    assert small.dtype == dtype
    np.testing.assert_array_equal(small, textbook.rounded_weights(W.astype(np.float64)).astype(dtype))
    np.testing.assert_array_equal(rounded(small), small)
    step = np.abs(W).max(axis=0) / 127 * (1 + 2.0**-14)
    assert (np.abs(small.astype(np.float64) - W) <= step * 0.5000001).all()


def example_arrays() -> dict[str, Any]:
    rng = np.random.default_rng(0)
    terms, offsets = encode_terms(sorted({f"w{i}" for i in rng.integers(0, 9999, 300).tolist()}))
    n = len(offsets) - 1
    W = rounded(rng.normal(size=(n, 3)).astype(np.float32))
    idf = rng.choice(np.linspace(1, 9, 64), n).astype(np.float32)
    bias = rng.normal(size=3)
    return {
        "vectorizer.terms": terms,
        "vectorizer.offsets": offsets,
        "vectorizer.idf": idf,
        "learner.W": W,
        "learner.b": bias,
        "held_out.cells": rng.poisson(0.1, (40, 4)).astype(np.int32),
        "held_out.none": np.zeros((0, 3), np.int64),
    }


def test_arrays_come_back_in_fewer_bytes() -> None:
    arrays = example_arrays()
    forms, stored = pack_arrays(arrays)
    assert set(forms) == {"vectorizer.terms", "vectorizer.idf", "learner.W", "held_out.cells"}
    assert sum(a.nbytes for a in stored.values()) < sum(a.nbytes for a in arrays.values()) / 3
    again = unpack_arrays(forms, stored)
    assert again.keys() == arrays.keys()
    for name, array in arrays.items():
        assert again[name].dtype == array.dtype
        np.testing.assert_array_equal(again[name], array)


def test_weights_that_are_not_in_steps_and_numbers_of_many_values_stay() -> None:
    rng = np.random.default_rng(0)
    arrays = {"learner.W": rng.normal(size=(300, 2)), "idf": rng.normal(size=300)}
    forms, stored = pack_arrays(arrays)
    assert forms == {}
    assert stored == arrays


@pytest.mark.parametrize(
    "change",
    [
        {"learner.W": None},
        {"learner.W": {"steps": [5, 3]}},
        {"learner.W": {"steps": [-1, 3]}},
        {"learner.W": {"steps": [1 << 50, 3]}},
        {"learner.W": {"steps": [True, 3]}},
        {"learner.W": {"steps": 3}},
        {"learner.W": {"levels": 100}},
        {"learner.W": {"zip": 100}},
        {"held_out.cells": {"whole": []}},
        {"held_out.cells": {"whole": [4]}},
        {"held_out.cells": {"whole": ["I32", 41, 4]}},
        {"held_out.cells": {"whole": ["I32", 0, 4]}},
        {"learner.W": {"steps": [1, 3], "levels": 3}},
        {"learner.b": {"levels": 3}},
        {"nothing": {"levels": 3}},
        {"vectorizer.idf": {"levels": 1}},
        {"vectorizer.idf": {"levels": "1"}},
        {"vectorizer.terms": {"terms": 1 << 39}},
        {"vectorizer.terms": {"terms": 2}},
    ],
)
def test_forged_forms_are_refused(change: dict[str, Any]) -> None:
    forms, stored = pack_arrays(example_arrays())
    with pytest.raises(ValueError, match=r"packed|ends?|bytes|shares|length"):
        unpack_arrays(forms | change, stored)


@pytest.mark.parametrize(
    ("name", "array"),
    [
        ("learner.W.steps", None),
        ("learner.W.steps", np.ones(2, np.float32)),
        ("learner.W.steps", np.ones(3, np.int64)),
        ("vectorizer.idf.levels", np.ones(2, np.float32)),
        ("learner.W", np.zeros((3, 3), np.float32)),
    ],
)
def test_forged_tables_are_refused(name: str, array: Any) -> None:
    forms, stored = pack_arrays(example_arrays())
    stored = {key: own for key, own in stored.items() if key != name} | (
        {} if array is None else {name: array}
    )
    with pytest.raises(ValueError, match="packed"):
        unpack_arrays(forms, stored)
    with pytest.raises(ValueError, match="by name"):
        unpack_arrays([], stored)
