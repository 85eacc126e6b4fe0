"""svmlight: what every odd line becomes, and that scikit-learn reads and writes the same rows."""

from __future__ import annotations

import gzip
import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import dump_svmlight_file, load_svmlight_file

from lindy.data import read_svmlight, write_svmlight
from lindy.errors import DataError

# text → (label, {index as written: value}) per row
GOOD: dict[str, tuple[bytes, list[tuple[str, dict[int, float]]]]] = {
    "plain": (b"1 1:2 3:4\n", [("1", {1: 2, 3: 4})]),
    "two rows": (b"1 1:2\n-1 2:3\n", [("1", {1: 2}), ("-1", {2: 3})]),
    "no newline at the end": (b"1 1:2", [("1", {1: 2})]),
    "plus before the label": (b"+1 1:2\n", [("+1", {1: 2})]),
    "leading zero of a label": (b"01 1:2\n", [("01", {1: 2})]),
    "fraction as label": (b"0.5 1:2\n", [("0.5", {1: 2})]),
    "word as label": (b"spam 1:2\n", [("spam", {1: 2})]),
    "several labels": (b"1,3 1:2\n", [("1,3", {1: 2})]),
    "label in another script": ("да 1:2\n".encode(), [("да", {1: 2})]),
    "row without pairs": (b"1\n2 1:1\n", [("1", {}), ("2", {1: 1})]),
    "row without pairs, space": (b"1 \n", [("1", {})]),
    "carriage return": (b"1 1:2\r\n2 1:3\r\n", [("1", {1: 2}), ("2", {1: 3})]),
    "tabs": (b"1\t1:2\t2:3\n", [("1", {1: 2, 2: 3})]),
    "many spaces": (b"  1   1:2    2:3  \n", [("1", {1: 2, 2: 3})]),
    "comment": (b"1 1:2 # and so on 5:6\n", [("1", {1: 2})]),
    "comment without a space": (b"1 1:2# 5:6\n", [("1", {1: 2})]),
    "comment at a label": (b"1# 5:6\n", [("1", {})]),
    "comment line": (b"# heading\n1 1:2\n", [("1", {1: 2})]),
    "blank lines": (b"\n\n1 1:2\n   \n2 1:3\n\n", [("1", {1: 2}), ("2", {1: 3})]),
    "byte order mark": (b"\xef\xbb\xbf1 1:2\n", [("1", {1: 2})]),
    "fraction": (b"1 1:0.25\n", [("1", {1: 0.25})]),
    "begins with a point": (b"1 1:.5\n", [("1", {1: 0.5})]),
    "ends with a point": (b"1 1:5.\n", [("1", {1: 5.0})]),
    "exponent": (b"1 1:1e3 2:2E-2 3:1e+2\n", [("1", {1: 1000, 2: 0.02, 3: 100})]),
    "negative": (b"1 1:-2\n", [("1", {1: -2})]),
    "plus before a value": (b"1 1:+2.5\n", [("1", {1: 2.5})]),
    "zero stored": (b"1 1:0 2:1\n", [("1", {1: 0, 2: 1})]),
    "many digits": (b"1 1:0.1000000000000000055511151231257827\n", [("1", {1: 0.1})]),
    "largest number": (b"1 1:1.7976931348623157e308\n", [("1", {1: 1.7976931348623157e308})]),
    "smallest number": (b"1 1:5e-324\n", [("1", {1: 5e-324})]),
    "too near to zero": (b"1 1:1e-400\n", [("1", {1: 0.0})]),
    "leading zeros of an index": (b"1 007:2\n", [("1", {7: 2})]),
    "largest index": (b"1 2147483646:2\n", [("1", {2147483646: 2})]),
    "two digits": (b"1 1:12\n", [("1", {1: 12})]),
    "digit at the end of the text": (b"1 1:7", [("1", {1: 7})]),
    "form feed": (b"1 1:7\x0c2:3\n", [("1", {1: 7, 2: 3})]),
    "long row": (
        b"1 " + b" ".join(b"%d:1" % i for i in range(1, 5001)),
        [("1", dict.fromkeys(range(1, 5001), 1.0))],
    ),
}

# text → (line, part of the message)
BAD: dict[str, tuple[bytes, int | None, str]] = {
    "empty": (b"", None, "empty"),
    "only comments": (b"# a\n# b\n", None, "no row"),
    "only blank lines": (b"\n\n", None, "no row"),
    "no label": (b"1 1:2\n1:2 2:3\n", 2, "'1:2' where the label should be"),
    "no colon": (b"1 1:2\n\n1 5\n", 3, "'5' is not index:value"),
    "no value": (b"1 1:\n", 1, "'1:': the value is not a number"),
    "no index": (b"1 :2\n", 1, "':2': the index"),
    "negative index": (b"1 -1:2\n", 1, "'-1:2': the index"),
    "index with a plus": (b"1 +1:2\n", 1, "'+1:2': the index"),
    "fractional index": (b"1 1.5:2\n", 1, "'1.5:2': the index"),
    "word as index": (b"1 word:2\n", 1, "'word:2': the index"),
    "huge index": (b"1 99999999999:2\n", 1, "larger than 2147483646"),
    "index beyond 64 bits": (b"1 99999999999999999999999999:2\n", 1, "larger than 2147483646"),
    "one too large": (b"1 2147483647:2\n", 1, "larger than 2147483646"),
    "word as value": (b"1 1:x\n", 1, "'1:x': the value is not a number"),
    "value with a tail": (b"1 1:2x\n", 1, "'1:2x': the value is not a number"),
    "two colons": (b"1 1:2:3\n", 1, "'1:2:3': the value is not a number"),
    "two signs": (b"1 1:+-2\n", 1, "'1:+-2': the value is not a number"),
    "decimal comma": (b"1 1:2,5\n", 1, "'1:2,5': the value is not a number"),
    "hexadecimal": (b"1 1:0x10\n", 1, "'1:0x10': the value is not a number"),
    "space after the colon": (b"1 1: 2\n", 1, "'1:': the value is not a number"),
    "NaN": (b"1 1:2\n1 1:nan\n", 2, "'1:nan': the value is not finite"),
    "infinity": (b"1 1:inf\n", 1, "not finite"),
    "negative infinity": (b"1 1:-Infinity\n", 1, "not finite"),
    "too large": (b"1 1:1e400\n", 1, "not finite"),
    "column twice": (b"1 1:2 1:3\n", 1, "'1:3': the indices of a line must increase"),
    "unsorted": (b"1 2:2 1:3\n", 1, "'1:3': the indices of a line must increase"),
    "bad query": (b"1 qid:x 1:2\n", 1, "'qid:x' is not qid:"),
    "query with a tail": (b"1 qid:3a 1:2\n", 1, "'qid:3a' is not qid:"),
    "query missing": (b"1 qid:1 1:2\n1 1:2\n", 2, "others have none"),
    "query late": (b"1 1:2\n1 qid:1 1:2\n", 2, "others have none"),
    "NUL in a label": (b"a\0b 1:2\n", 1, "NUL"),
    "NUL in a pair": (b"1 1\0:2\n", 1, "NUL"),
    "UTF-16": ("1 1:2\n".encode("utf-16"), None, "UTF-16"),
    "label not UTF-8": (b"1 1:2\nf\xfcr 1:2\n", 2, "not valid UTF-8"),
}


def rows_of(data: Any, shift: int) -> list[tuple[str, dict[int, float]]]:
    X = data.X
    return [
        (
            label,
            {
                int(j) + shift: float(v)
                for j, v in zip(
                    X.indices[X.indptr[i] : X.indptr[i + 1]],
                    X.values[X.indptr[i] : X.indptr[i + 1]],
                    strict=True,
                )
            },
        )
        for i, label in enumerate(data.labels)
    ]


@pytest.mark.parametrize("name", GOOD)
def test_odd_but_good(name: str, tmp_path: Path) -> None:
    text, expected = GOOD[name]
    path = tmp_path / "x.svm"
    path.write_bytes(text)
    assert rows_of(read_svmlight(path), 1) == expected


@pytest.mark.parametrize("name", BAD)
def test_bad(name: str, tmp_path: Path) -> None:
    text, line, message = BAD[name]
    path = tmp_path / "x.svm"
    path.write_bytes(text)
    with pytest.raises(DataError) as caught:
        read_svmlight(path)
    assert message in str(caught.value)
    assert str(path) in str(caught.value)
    assert (f"line {line}:" in str(caught.value)) == (line is not None)
    assert caught.value.hint


def test_zero_based(tmp_path: Path) -> None:
    path = tmp_path / "x.svm"
    path.write_bytes(b"1 0:2 3:4\n2 1:1\n")
    assert read_svmlight(path).X.shape == (2, 4)
    assert read_svmlight(path, zero_based=True).X.to_dense().tolist() == [[2, 0, 0, 4], [0, 1, 0, 0]]
    with pytest.raises(DataError, match="from 1 on"):
        read_svmlight(path, zero_based=False)


def test_number_of_features(tmp_path: Path) -> None:
    path = tmp_path / "x.svm"
    path.write_bytes(b"1 1:2 3:4\n")
    assert read_svmlight(path, n_features=5).X.shape == (1, 5)
    with pytest.raises(DataError, match=r"line 1: '3:4': the index is larger than 2"):
        read_svmlight(path, n_features=2)
    path.write_bytes(b"1 1:2 2:4\n1 0:1\n")  # only the second line tells that columns are counted from 0
    with pytest.raises(DataError, match="column 2 is used, but there are 2 features"):
        read_svmlight(path, n_features=2)


def test_queries_and_numbers(tmp_path: Path) -> None:
    path = tmp_path / "x.svm"
    path.write_bytes(b"1 qid:7 1:2\n-0.5 qid:8\n")
    data = read_svmlight(path)
    assert data.queries is not None
    assert data.queries.tolist() == [7, 8]
    assert data.y.tolist() == [1, -0.5]


def test_compressed_and_wide(tmp_path: Path) -> None:
    path = tmp_path / "x.svm.gz"
    path.write_bytes(gzip.compress(b"1 1:0.1\n" * 100))
    data = read_svmlight(path, dtype=np.float32)
    assert data.X.values.dtype == np.float32
    assert data.X.values.tolist() == [np.float32(0.1)] * 100
    path.write_bytes(gzip.compress(b"1 1:1e200\n"))
    with pytest.raises(DataError, match="not finite"):
        read_svmlight(path, dtype=np.float32)


def test_line_numbers_and_rows_across_pieces(tmp_path: Path) -> None:
    """Pieces of 1 MiB are parsed by different threads; the answer and the line of an error are those of one."""
    path = tmp_path / "x.svm"
    row = b"1 " + b" ".join(b"%d:%d" % (i, i % 13) for i in range(1, 2001)) + b"\n"
    path.write_bytes(row * 400)
    one, two = read_svmlight(path, threads=1), read_svmlight(path, threads=2)
    assert one.X.shape == (400, 2000)
    assert all(np.array_equal(a, b) for a, b in zip(one.X.arrays, two.X.arrays, strict=True))
    path.write_bytes(row * 300 + b"# here\n1 2:x\n" + row * 100)
    with pytest.raises(DataError, match="line 302"):
        read_svmlight(path, threads=2)
    path.write_bytes(row * 300 + b"\n1 qid:2 2:1\n" + row * 100)
    with pytest.raises(DataError, match="qid"):
        read_svmlight(path, threads=2)


ROWS = st.lists(
    st.tuples(
        st.integers(-3, 3),
        st.dictionaries(st.integers(0, 30), st.floats(-1e300, 1e300), max_size=6),
    ),
    min_size=1,
    max_size=8,
)


@given(ROWS)
def test_same_as_scikit_learn(rows: list[tuple[int, dict[int, float]]]) -> None:
    dense = np.zeros((len(rows), 31))
    for i, (_, pairs) in enumerate(rows):
        dense[i, list(pairs)] = list(pairs.values())
    labels = [label for label, _ in rows]
    written = io.BytesIO()
    dump_svmlight_file(dense, labels, written, zero_based=False)
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.svm"
        path.write_bytes(written.getvalue())
        ours = read_svmlight(path, n_features=31, zero_based=False)
        theirs, y = load_svmlight_file(str(path), n_features=31, zero_based=False)
        assert np.array_equal(ours.X.to_dense(), theirs.toarray())
        assert np.array_equal(ours.y, y)
        again = Path(folder) / "y.svm"
        write_svmlight(again, dense, labels)
        back, y = load_svmlight_file(str(again), n_features=31, zero_based=False)
        assert np.array_equal(back.toarray(), dense)
        assert np.array_equal(y, labels)


def test_written_labels_and_names(tmp_path: Path) -> None:
    path = tmp_path / "x.svm"
    write_svmlight(path, [[0.5, 0], [0, 2]], ["spam", "ham"], names=["free", "hello\nworld"], queries=[4, 5])
    assert path.read_text().splitlines() == [
        "# label 0 is 'ham'",
        "# label 1 is 'spam'",
        "# column 1 is 'free'",
        "# column 2 is 'hello\\nworld'",
        "1 qid:4 1:0.5",
        "0 qid:5 2:2",
    ]
    with pytest.raises(ValueError, match="2 rows but 1 labels"):
        write_svmlight(path, [[1.0], [2.0]], ["a"])
    assert path.read_text().startswith("# label")
