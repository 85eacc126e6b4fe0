"""What is written is what is read, in one form of bytes only."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis.extra import numpy as hnp
from safetensors.numpy import load_file

from lindy.errors import OutputError
from lindy.files.output_guard import protecting
from lindy.modelfile import read_model, write_model
from lindy.modelfile.files import _mapped

DTYPES = ["f8", "f4", "i8", "i4", "u8", "u4", "u1"]
HEADER = {
    "learner": "naive-bayes",
    "classes": ["nein", "ja ✓", "<script>"],
    "alpha": 1e-3,
    "deep": {"b": [None, True]},
}

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)


@st.composite
def finite_arrays(draw):
    """Arrays of every dtype, of 0 to 4 dimensions, also empty, big-endian, strided and Fortran-ordered ones."""
    dtype = np.dtype(draw(st.sampled_from("<>")) + draw(st.sampled_from(DTYPES)))
    shape = draw(hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=4))
    elements = {"allow_nan": False, "allow_infinity": False} if dtype.kind == "f" else None
    array = draw(hnp.arrays(dtype, shape, elements=elements))
    change = draw(st.sampled_from(["none", "transposed", "strided"]))
    if change == "transposed":
        return array.T
    return array[::2] if change == "strided" and array.ndim else array


@settings(deadline=None, max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    header=st.dictionaries(texts.filter(lambda key: key != "non_finite"), json_values, max_size=4),
    arrays=st.dictionaries(texts.filter(lambda name: name != "__metadata__"), finite_arrays(), max_size=4),
)
def test_read_gives_what_was_written(tmp_path, header, arrays):
    path = tmp_path / "model.lindy"
    try:
        json.dumps(header, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:
        with pytest.raises(UnicodeEncodeError):
            write_model(path, header, arrays)
        return
    write_model(path, header, arrays)
    for mapped in (True, False):
        model = read_model(path, mapped=mapped)
        assert model.header == header
        assert model.size == path.stat().st_size
        assert set(model.arrays) == set(arrays)
        for name, array in arrays.items():
            got = model.arrays[name]
            assert got.dtype == array.dtype.newbyteorder("<")
            assert got.shape == array.shape
            assert got.tobytes() == np.asarray(array, got.dtype, order="C").tobytes()
            assert not got.flags.writeable
            assert got.flags.aligned
            assert got.flags.c_contiguous
    assert_opened_by_safetensors(path, arrays)


def assert_opened_by_safetensors(path, arrays):
    theirs = load_file(path)
    assert set(theirs) == set(arrays)
    for name, array in arrays.items():
        assert theirs[name].dtype == array.dtype.newbyteorder("=")
        np.testing.assert_array_equal(theirs[name], array)


def example() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(3)
    return {
        "W": rng.normal(size=(50, 3)).astype(np.float32),
        "b": rng.normal(size=3),
        "offsets": np.arange(51),
        "words": rng.integers(97, 122, 317, dtype=np.uint8),
        "df": rng.integers(0, 99, 50, dtype=np.int32),
    }


def test_bytes_do_not_depend_on_the_order_of_names_or_keys(tmp_path):
    arrays = example()
    write_model(tmp_path / "a", HEADER, arrays)
    write_model(tmp_path / "b", dict(reversed(HEADER.items())), dict(reversed(arrays.items())))
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_bytes_do_not_depend_on_the_hash_seed(tmp_path):
    script = (
        "import sys; sys.path.insert(0, sys.argv[2]); import test_round_trip as t;"
        "from lindy.modelfile import write_model; write_model(sys.argv[1], t.HEADER, t.example())"
    )
    digests = set()
    for seed in ("0", "1", "12345"):
        path = tmp_path / seed
        environment = os.environ | {"PYTHONHASHSEED": seed}
        here = str(Path(__file__).parent)
        subprocess.run([sys.executable, "-c", script, str(path), here], env=environment, check=True)
        digests.add(hashlib.sha256(path.read_bytes()).hexdigest())
    assert len(digests) == 1


def test_writing_what_was_read_gives_the_same_bytes(tmp_path):
    write_model(tmp_path / "a", HEADER, example())
    model = read_model(tmp_path / "a")
    write_model(tmp_path / "b", model.header, model.arrays)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_every_array_is_aligned_to_its_items(tmp_path):
    arrays = {f"{dtype}{n}": np.ones(n, dtype) for dtype in DTYPES for n in (1, 3, 5)}
    write_model(tmp_path / "model", {}, arrays)
    for array in read_model(tmp_path / "model").arrays.values():
        assert array.ctypes.data % array.itemsize == 0


@pytest.mark.parametrize("mapped", [True, False])
def test_arrays_cannot_be_written_to(tmp_path, mapped):
    write_model(tmp_path / "model", {}, example())
    weights = read_model(tmp_path / "model", mapped=mapped).arrays["W"]
    with pytest.raises(ValueError, match="read-only"):
        weights[0, 0] = 1
    with pytest.raises(ValueError, match="WRITEABLE"):
        weights.flags.writeable = True


def test_arrays_stay_valid_when_the_file_is_replaced_and_removed(tmp_path):
    path = tmp_path / "model"
    write_model(path, {}, {"W": np.full(100_000, 1.0)})
    old = read_model(path).arrays["W"]
    write_model(path, {}, {"W": np.full(7, 2.0)})
    assert read_model(path).arrays["W"].tolist() == [2.0] * 7
    path.unlink()
    assert (old == 1.0).all()


def test_a_copy_does_not_notice_a_file_overwritten_in_place(tmp_path):
    path = tmp_path / "model"
    write_model(path, {}, {"W": np.full(100_000, 1.0)})
    copied = read_model(path, mapped=False).arrays["W"]
    path.write_bytes(b"gone")
    assert (copied == 1.0).all()


def test_a_copy_is_the_whole_file_where_reading_moves_in_it(tmp_path, monkeypatch):
    monkeypatch.delattr(os, "pread")  # as on Windows
    write_model(tmp_path / "model", HEADER, example())
    model = read_model(tmp_path / "model", mapped=False)
    assert model.header == HEADER
    assert {name: array.tolist() for name, array in model.arrays.items()} == {
        name: array.tolist() for name, array in example().items()
    }


def test_minus_infinity_passes_only_where_it_is_declared(tmp_path):
    arrays = {"W": np.array([0.5, -np.inf, -2.0]), "empty": np.zeros(0)}
    with pytest.raises(ValueError, match=r"'W' holds -inf at position 1"):
        write_model(tmp_path / "model", {}, arrays)
    write_model(tmp_path / "model", {"non_finite": ["W", "empty"]}, arrays)
    assert read_model(tmp_path / "model").arrays["W"].tolist() == arrays["W"].tolist()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("value", [np.nan, np.inf])
@pytest.mark.parametrize("header", [{}, {"non_finite": ["W"]}])
def test_nan_and_infinity_are_never_written(tmp_path, dtype, value, header):
    with pytest.raises(ValueError, match="'W' holds"):
        write_model(
            tmp_path / "model", header, {"W": np.array([1, -np.inf if header else 2, value, 4], dtype)}
        )
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("declared", ["W", ["V"], [1], {"W": 1}, None])
def test_non_finite_must_name_arrays(tmp_path, declared):
    with pytest.raises(ValueError, match="non_finite"):
        write_model(tmp_path / "model", {"non_finite": declared}, {"W": np.ones(2)})


@pytest.mark.parametrize(
    "header",
    [{"a": (1, 2)}, {1: "a"}, {"a": np.int64(3)}, {"a": {1, 2}}, {"a": b"bytes"}, [1], None, {"a": object()}],
)
def test_headers_that_json_would_change_are_refused(tmp_path, header):
    with pytest.raises(TypeError):
        write_model(tmp_path / "model", header, {})
    assert not list(tmp_path.iterdir())


def nested(depth: int) -> dict:
    header: dict = {}
    for _ in range(depth):
        header = {"a": header}
    return header


def circular() -> dict:
    header: dict = {}
    header["self"] = header
    return header


@pytest.mark.parametrize(
    "header",
    [
        {"a": float("nan")},
        {"a": float("inf")},
        {"a": "\ud800"},
        nested(100_000),
        circular(),
        {"a": "x" * 5_000_000},
    ],
)
def test_headers_that_json_cannot_hold_are_refused(tmp_path, header):
    with pytest.raises(ValueError):  # noqa: PT011
        write_model(tmp_path / "model", header, {})
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "array",
    [
        np.array(["a"]),
        np.array([None]),
        np.array([1j]),
        np.array([1], np.float16),
        np.array([True]),
        np.array([1], "M8[s]"),
        np.zeros(1, [("a", "f4")]),
        np.array([1], np.longdouble),
        np.array([1], np.int16),
    ],
)
def test_other_dtypes_are_refused(tmp_path, array):
    with pytest.raises(TypeError, match="a model file can hold"):
        write_model(tmp_path / "model", {}, {"W": array})


@pytest.mark.parametrize("name", ["__metadata__", 3, None, "\ud800"])
def test_names_that_cannot_be_stored_are_refused(tmp_path, name):
    with pytest.raises(ValueError):  # noqa: PT011
        write_model(tmp_path / "model", {}, {name: np.ones(1)})


def test_more_than_eight_dimensions_are_refused(tmp_path):
    with pytest.raises(ValueError, match="at most 8"):
        write_model(tmp_path / "model", {}, {"W": np.ones((1,) * 9)})


def test_more_than_a_thousand_arrays_are_refused(tmp_path):
    with pytest.raises(ValueError, match="1000 arrays"):
        write_model(tmp_path / "model", {}, {f"{n}": np.ones(1) for n in range(1001)})
    write_model(tmp_path / "model", {}, {f"{n}": np.ones(1) for n in range(1000)})
    assert len(read_model(tmp_path / "model").arrays) == 1000


@pytest.mark.parametrize("position", [0, 1, 2])
def test_a_number_that_is_none_is_found_wherever_it_is(tmp_path, position):
    numbers = np.zeros(3)
    numbers[position] = np.nan
    with pytest.raises(ValueError, match=f"array 'W' holds nan at position {position}"):
        write_model(tmp_path / "model", {}, {"W": numbers})


def test_a_model_that_is_read_is_not_written_over(tmp_path):
    write_model(tmp_path / "model", {}, {})
    with protecting():
        read_model(tmp_path / "model")
        with pytest.raises(OutputError):
            write_model(tmp_path / "model", {}, {})


def test_a_file_that_becomes_shorter_while_it_is_read_is_an_error_of_the_file(tmp_path):
    (tmp_path / "model").write_bytes(b"short")
    with (tmp_path / "model").open("rb") as file, pytest.raises(OSError, match="length"):
        _mapped(file.fileno(), 1 << 20)
