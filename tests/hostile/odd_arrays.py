"""What a method may be given as X, y and sample_weight, and what has to happen: every kind declares its outcome.

A kind is refused, with a ValueError or TypeError that says something, or it gives the same as its clean form. ``KINDS``
has them all by the argument that they stand for; a new one is tried on every estimator and method without more.
"""

from __future__ import annotations

import decimal
import fractions
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import scipy.sparse as sp
from tests.hostile.malformed import (
    DENSE,
    HUGE,
    INDICES,
    INDPTR,
    MALFORMED_CSR,
    ODD_CSR,
    OTHER_FORMATS,
    having,
    int32,
    unaligned,
)

Y = ["a", "b", "a"]
WEIGHT = [1.0, 2.0, 0.5]
ONES = (DENSE > 0).astype(float)


@dataclass(frozen=True)
class Kind:
    """An oddity: how to make it, and what it has to be equal to; None if it has to be refused."""

    name: str
    make: Callable[[], Any]
    clean: Any = None

    @property
    def stored(self) -> bool:
        """Whether it stores zeros."""
        return self.name in ("sparse: stored zeros", "sparse: duplicates that cancel")

    def __str__(self) -> str:
        return self.name


def with_cell(value: Any, dtype: Any = np.float64, row: int = 2, column: int = 3) -> Any:
    """Return the matrix with another value in one cell."""
    X = DENSE.astype(dtype)
    X[row, column] = value
    return X


def mapped(array: Any) -> Any:
    """Return the array as a file that is mapped into memory, read-only."""
    with tempfile.TemporaryDirectory() as folder:
        np.save(Path(folder) / "X.npy", array)
        return np.load(Path(folder) / "X.npy", mmap_mode="r")


def read_only(array: Any) -> Any:
    """Return a copy that cannot be written."""
    array = np.array(array)
    array.flags.writeable = False
    return array


class Liar:
    """Says that it is an array, and is none."""

    shape, dtype, ndim = (3, 4), np.dtype(float), 2

    def __init__(self, answer: Any) -> None:
        self.answer = answer

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer

    def __len__(self) -> int:
        return 2**40


def frame(**columns: Any) -> pd.DataFrame:
    """Return the matrix as a DataFrame with some columns replaced; without their names, as clean matrices have none."""
    table = pd.DataFrame({k: DENSE[:, k] for k in range(4)})
    for name, values in columns.items():
        table[int(name[1:])] = values
    return table


REFUSED_X: dict[str, Callable[[], Any]] = {
    **{
        f"dense: {word} at {place}": lambda value=value, place=place: with_cell(
            value, row=place[0], column=place[1]
        )
        for word, value in (("NaN", np.nan), ("inf", np.inf), ("-inf", -np.inf))
        for place in ((0, 0), (1, 2), (2, 3))
    },
    **{
        f"{dtype} NaN": lambda dtype=dtype: with_cell(np.nan, dtype)
        for dtype in ("f2", "f4", "longdouble", "O")
    },
    "sparse: NaN": lambda: sp.csr_matrix(with_cell(np.nan)),
    "sparse: inf": lambda: sp.csc_matrix(with_cell(np.inf)),
    "sparse: inf by a sum of duplicates": lambda: sp.coo_matrix(
        ([1e308, 1e308], ([0, 0], [1, 1])), shape=(3, 4)
    ),
    "0 rows": lambda: DENSE[:0],
    "0 columns": lambda: DENSE[:, :0],
    "0 rows and columns": lambda: np.zeros((0, 0)),
    "sparse: 0 rows": lambda: sp.csr_matrix((0, 4)),
    "sparse: 0 columns": lambda: sp.csr_matrix((3, 0)),
    "0 dimensions": lambda: np.array(3.0),
    "1 dimension": lambda: DENSE[0],
    "1 dimension, sparse": lambda: sp.coo_array(DENSE[0]),
    "3 dimensions": lambda: DENSE[None],
    "32 dimensions": lambda: DENSE.reshape(3, 4, *[1] * 30),
    "complex": lambda: DENSE + 0j,
    "complex objects": lambda: with_cell(1j, object),
    "words": lambda: DENSE.astype(str),
    "bytes": lambda: DENSE.astype("S4"),
    "NumPy's new strings": lambda: DENSE.astype(np.dtypes.StringDType()),
    "words among objects": lambda: with_cell("six", object),
    "dates": lambda: DENSE.astype("M8[s]"),
    "time spans": lambda: DENSE.astype("m8[s]"),
    "dates among objects": lambda: with_cell(np.datetime64("2020-01-01"), object),
    "records": lambda: np.zeros((3, 4), [("a", "f8")]),
    "None among objects": lambda: with_cell(None, object),
    "lists among objects": lambda: with_cell([6], object),
    "matrices among objects": lambda: with_cell(DENSE, object),
    "dicts among objects": lambda: with_cell({}, object),
    "whole numbers beyond float64": lambda: with_cell(10**400, object),
    "fractions beyond float64": lambda: with_cell(fractions.Fraction(10**400), object),
    "long doubles beyond float64": lambda: with_cell(np.longdouble("1e4000"), np.longdouble),
    "masked cells": lambda: np.ma.masked_equal(DENSE, 3),
    "all cells masked": lambda: np.ma.masked_all((3, 4)),
    "ragged lists": lambda: [[1, 2, 3, 4], [1, 2], [3]],
    "list of nothing": list,
    "list of empty lists": lambda: [[], [], []],
    "list of words": lambda: ["good", "bad", "good"],
    "list of dicts": lambda: [{"a": 1}, {"b": 2}, {}],
    "list of sparse rows": lambda: [sp.csr_matrix(row[None]) for row in DENSE],
    "deep lists": lambda: eval("[" * 40 + "1" + "]" * 40),
    "a generator": lambda: (row for row in DENSE),
    "a dict": lambda: {0: DENSE},
    "a set": lambda: {1.0, 2.0},
    "None": lambda: None,
    "a word": lambda: "three rows of four",
    "a number": lambda: 3.0,
    "a function": lambda: len,
    "a class": lambda: np.ndarray,
    "an object": object,
    "an array that raises": lambda: Liar(ValueError("not today")),
    "an array of another shape than it says": lambda: Liar(np.zeros(7)),
    "a frame of words": lambda: frame(_2=["x", "y", "z"]),
    "a frame with NaN": lambda: frame(_1=[1.0, np.nan, 2.0]),
    "a frame with NA": lambda: frame(_1=pd.array([1, pd.NA, 2], "Int64")),
    "a frame with None": lambda: frame(_1=[1.0, None, 2.0]).astype(object),
    "a frame with dates": lambda: frame(_1=pd.to_datetime(["2020-01-01"] * 3)),
    "a frame with categories": lambda: frame(_1=pd.Categorical(["x", "y", "x"])),
    "a frame with complex numbers": lambda: frame(_1=[1j, 2, 3]),
    "a frame of no rows": lambda: frame()[:0],
    "a frame of no columns": lambda: pd.DataFrame(index=range(3)),
    "a Series": lambda: pd.Series(DENSE[:, 0]),
    "a polars frame with null": lambda: pl.DataFrame({"a": [1.0, None, 2.0], "b": [1.0, 2.0, 3.0]}),
    "a polars frame of words": lambda: pl.DataFrame({"a": ["x", "y", "z"]}),
    "an Arrow table with null": lambda: pa.table({"a": [1.0, None, 2.0]}),
    "bytes and bytearrays": lambda: bytearray(DENSE.tobytes()),
}
TAKEN_X: dict[str, tuple[Callable[[], Any], Any]] = {
    "Fortran order": (lambda: np.asfortranarray(DENSE), DENSE),
    "read-only": (lambda: read_only(DENSE), DENSE),
    "every second row and column": (lambda: np.kron(DENSE, np.ones((2, 2)))[::2, ::2], DENSE),
    "backwards": (lambda: DENSE[::-1, ::-1].copy()[::-1, ::-1], DENSE),
    "mapped from a file": (lambda: mapped(DENSE), DENSE),
    "unaligned": (lambda: unaligned(DENSE.ravel()).reshape(DENSE.shape), DENSE),
    "masked array without masked cells": (lambda: np.ma.array(DENSE), DENSE),
    "np.matrix": (lambda: np.asmatrix(DENSE), DENSE),
    **{
        f"dtype {dtype}": (lambda dtype=dtype: DENSE.astype(dtype), DENSE)
        for dtype in (
            ">f8",
            ">f4",
            "<f2",
            ">f2",
            "f4",
            "i1",
            "u1",
            ">i2",
            "i4",
            ">u8",
            "u8",
            "longdouble",
            "O",
        )
    },
    "dtype bool": (lambda: DENSE > 0, ONES),
    "lists": (DENSE.tolist, DENSE),
    "tuples of arrays": (lambda: tuple(DENSE), DENSE),
    "fractions and decimals": (
        lambda: np.array(
            [[fractions.Fraction(int(x)) if x > 2 else decimal.Decimal(x) for x in row] for row in DENSE]
        ),
        DENSE,
    ),
    "negative zeros": (lambda: np.where(DENSE == 0, -0.0, DENSE), DENSE),
    "an object with __array__": (lambda: Liar(DENSE), DENSE),
    "a frame": (frame, DENSE),
    "a frame of mixed numbers": (
        lambda: frame(_0=np.array([1, 0, 4], "i2"), _1=np.array([0, 3, 0], "f4")),
        DENSE,
    ),
    "a frame of nullable numbers": (lambda: frame().astype("Int64"), DENSE),
    "a frame of sparse columns": (lambda: pd.DataFrame.sparse.from_spmatrix(sp.csr_matrix(DENSE)), DENSE),
    "sparse: stored zeros": (
        lambda: sp.csr_matrix(
            (np.append([1.0, 0, 2, 3], [4.0, 0, 5, 6]), int32(0, 1, 2, 1, 0, 1, 2, 3), int32(0, 3, 4, 8)),
            shape=(3, 4),
        ),
        DENSE,
    ),
    "sparse: duplicates that add up": (
        lambda: sp.coo_matrix(
            (
                np.append(DENSE[DENSE > 0] - 1, np.ones(6)),
                (np.tile(np.nonzero(DENSE)[0], 2), np.tile(np.nonzero(DENSE)[1], 2)),
            ),
            shape=(3, 4),
        ),
        DENSE,
    ),
    "sparse: duplicates that cancel": (
        lambda: sp.coo_matrix(
            (
                np.append(DENSE[DENSE > 0], [7.0, -7.0]),
                (np.append(np.nonzero(DENSE)[0], [1, 1]), np.append(np.nonzero(DENSE)[1], [0, 0])),
            ),
            shape=(3, 4),
        ),
        DENSE,
    ),
    "sparse: 64-bit indices": (
        lambda: having(indices=INDICES.astype("i8"), indptr=INDPTR.astype("i8")),
        DENSE,
    ),
    "sparse: float16 values": (lambda: having(data=np.array([1, 2, 3, 4, 5, 6], "f2")), DENSE),
    "sparse: read-only": (
        lambda: having(
            indices=read_only(INDICES), indptr=read_only(INDPTR), data=read_only(np.arange(1.0, 7))
        ),
        DENSE,
    ),
    "sparse: mapped from a file": (
        lambda: having(indices=mapped(INDICES), indptr=mapped(INDPTR), data=mapped(np.arange(1.0, 7))),
        DENSE,
    ),
    **{
        f"sparse: {form}": (lambda form=form: sp.csr_array(DENSE).asformat(form), DENSE)
        for form in ("csr", "csc", "coo", "bsr", "dia", "lil", "dok")
    },
}
WIDTHS: dict[str, Callable[[], Any]] = {
    "one column too few": lambda: DENSE[:, :3],
    "one column too many": lambda: np.hstack([DENSE, DENSE[:, :1]]),
    "sparse: one column too few": lambda: sp.csr_matrix(DENSE[:, :3]),
    "sparse: 2³¹ − 1 columns": lambda: sp.csr_matrix(
        (np.ones(1), (int32(0), int32(HUGE - 1))), shape=(3, HUGE)
    ),
}
"""Refused by methods of a fitted model only; ``fit`` takes them as they are."""

REFUSED_Y: dict[str, Callable[[], Any]] = {
    "one too few": lambda: Y[:2],
    "one too many": lambda: [*Y, "a"],
    "none": list,
    "a scalar": lambda: 1,
    "a word": lambda: "aba",
    "NaN": lambda: [0.0, 1.0, np.nan],
    "infinity": lambda: [0.0, 1.0, np.inf],
    "NaN among objects": lambda: np.array(["a", "b", np.nan], object),
    "None among words": lambda: ["a", None, "b"],
    "NA of pandas": lambda: pd.Series(["a", "b", None], dtype="string"),
    "not a time": lambda: np.array(["2020", "2021", "NaT"], "M8[Y]"),
    "nullable numbers with NA": lambda: pd.array([0, 1, pd.NA], "Int64"),
    "masked": lambda: np.ma.array([0, 1, 0], mask=[0, 0, 1]),
    "two columns": lambda: [[0, 1], [1, 0], [0, 1]],
    "three dimensions": lambda: np.zeros((3, 1, 1)),
    "ragged": lambda: [["a"], ["b", "c"], []],
    "lists as labels": lambda: np.array([["a"], ["b", "c"], ["a"], None], object)[:3],
    "dicts as labels": lambda: [{}, {}, {}],
    "a sparse column": lambda: sp.csr_matrix([[1], [0], [1]]),
    "complex": lambda: [0j, 1j, 0j],
    "continuous": lambda: [0.1, 0.7, 0.3],
    "words and numbers": lambda: np.array(["a", 1, "a"], object),
    "records": lambda: np.zeros(3, [("a", "f8")]),
    "a dict": lambda: {0: "a", 1: "b", 2: "a"},
    "a set": lambda: {"a", "b", "c"},
    "a generator": lambda: iter(Y),
    "an array that raises": lambda: Liar(ValueError("not today")),
}
TAKEN_Y: dict[str, tuple[Callable[[], Any], Any]] = {
    "a tuple": (lambda: tuple(Y), Y),
    "an object array": (lambda: np.array(Y, object), Y),
    "a column": (lambda: np.array(Y)[:, None], Y),
    "a Series": (lambda: pd.Series(Y, index=[7, 7, 7]), Y),
    "a Series of categories": (lambda: pd.Series(Y, dtype="category"), Y),
    "a polars Series": (lambda: pl.Series(Y), Y),
    "an Arrow column": (lambda: pa.array(Y), Y),
    "read-only": (lambda: read_only(Y), Y),
    "strided": (lambda: np.repeat(Y, 2)[::2], Y),
    "big-endian words": (lambda: np.array(Y).astype(">U1"), Y),
    "big-endian numbers": (lambda: np.array([0, 1, 0], ">i4"), [0, 1, 0]),
    "unsigned numbers": (lambda: np.array([0, 1, 0], "u1"), [0, 1, 0]),
    "whole floats": (lambda: np.array([0.0, 1.0, 0.0]), [0, 1, 0]),
    "numbers beyond 2⁵³": (lambda: np.array([2**53, 2**53 + 1, 2**53]), [2**53, 2**53 + 1, 2**53]),
    "masked array without masked labels": (lambda: np.ma.array([0, 1, 0]), [0, 1, 0]),
    "truth values": (lambda: [False, True, False], np.array([False, True, False])),
}
REFUSED_WEIGHT: dict[str, Callable[[], Any]] = {
    "one too few": lambda: WEIGHT[:2],
    "one too many": lambda: [*WEIGHT, 1.0],
    "none": list,
    "negative": lambda: [1.0, -2.0, 0.5],
    "barely negative": lambda: [1.0, -5e-324, 0.5],
    "NaN": lambda: [1.0, np.nan, 0.5],
    "infinity": lambda: [1.0, np.inf, 0.5],
    "all zero": lambda: [0.0, 0.0, 0.0],
    "beyond float64": lambda: [1, 10**400, 1],
    "a sum beyond float64": lambda: [1.7e308, 1.7e308, 1.7e308],
    "two dimensions": lambda: [WEIGHT, WEIGHT, WEIGHT],
    "words": lambda: ["heavy", "light", "heavy"],
    "complex": lambda: [1j, 1, 1],
    "dates": lambda: np.zeros(3, "M8[s]"),
    "None": lambda: [1.0, None, 2.0],
    "masked": lambda: np.ma.array(WEIGHT, mask=[0, 0, 1]),
    "a dict": lambda: {"a": 1.0},
    "a negative number": lambda: -1.0,
}
TAKEN_WEIGHT: dict[str, tuple[Callable[[], Any], Any]] = {
    "an array": (lambda: np.array(WEIGHT), WEIGHT),
    "a Series": (lambda: pd.Series(WEIGHT, index=[5, 5, 5]), WEIGHT),
    "strided": (lambda: np.repeat(WEIGHT, 2)[::2], WEIGHT),
    "big-endian": (lambda: np.array(WEIGHT, ">f4"), WEIGHT),
    "read-only": (lambda: read_only(WEIGHT), WEIGHT),
    "unaligned": (lambda: unaligned(np.array(WEIGHT)), WEIGHT),
    "objects": (lambda: np.array(WEIGHT, object), WEIGHT),
    "whole numbers": (lambda: np.array([1, 2, 1]), [1.0, 2.0, 1.0]),
    "truth values": (lambda: [True, True, True], [1.0, 1.0, 1.0]),
    "one for all": (lambda: 2.0, [2.0, 2.0, 2.0]),
}


def _kinds(
    refused: dict[str, Callable[[], Any]], taken: dict[str, tuple[Callable[[], Any], Any]]
) -> list[Kind]:
    return [
        *(Kind(name, make) for name, make in refused.items()),
        *(Kind(name, make, clean) for name, (make, clean) in taken.items()),
    ]


def _constants(matrices: dict[str, Any], prefix: str) -> dict[str, Callable[[], Any]]:
    return {prefix + name: lambda matrix=matrix: matrix for name, matrix in matrices.items()}


KINDS: dict[str, list[Kind]] = {
    "X": _kinds(
        _constants(MALFORMED_CSR, "CSR ") | _constants(OTHER_FORMATS, "") | REFUSED_X,
        {name: (make, DENSE) for name, make in _constants(ODD_CSR, "CSR, sound: ").items()} | TAKEN_X,
    ),
    "width": _kinds(WIDTHS, {}),
    "y": _kinds(REFUSED_Y, TAKEN_Y),
    "sample_weight": _kinds(REFUSED_WEIGHT, TAKEN_WEIGHT),
}
