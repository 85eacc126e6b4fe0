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
from tests.hostile.oddities.svmlight_lines import BAD, GOOD

from lindy.core.csr import Csr
from lindy.data import read_svmlight, write_svmlight
from lindy.errors import DataError


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


@pytest.mark.parametrize(
    ("zero_based", "first", "beyond"),
    [(True, "0:1 2:5", "3:1"), (False, "1:1 3:5", "4:1"), ("auto", "1:1 3:5", "4:1")],
)
def test_columns_within_the_number_of_features(
    zero_based: Any, first: str, beyond: str, tmp_path: Path
) -> None:
    path = tmp_path / "x.svm"
    path.write_text(f"1 {first}\n")
    data = read_svmlight(path, n_features=3, zero_based=zero_based)
    assert data.X.to_dense().tolist() == [[1, 0, 5]]
    path.write_text(f"1 {first}\n1 {beyond}\n")
    with pytest.raises(DataError, match=f"line 2: '{beyond}': the index is larger than {int(beyond[0]) - 1}"):
        read_svmlight(path, n_features=3, zero_based=zero_based)


def test_a_file_that_counts_from_one_may_be_said_to_count_from_zero(tmp_path: Path) -> None:
    path = tmp_path / "x.svm"
    path.write_text("1 1:2 2:3\n")
    for zero_based, expected in ((True, [[0, 2, 3]]), (False, [[2, 3]]), ("auto", [[2, 3]])):
        assert read_svmlight(path, zero_based=zero_based).X.to_dense().tolist() == expected


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


def test_columns_are_written_from_zero_or_one(tmp_path: Path) -> None:
    path, rows = tmp_path / "x.svm", [[0.5, 0, 3], [0, 2, 0]]
    write_svmlight(path, rows, [1, -1])
    assert path.read_text() == "1 1:0.5 3:3\n-1 2:2\n"
    write_svmlight(path, rows, [1, -1], zero_based=True, names=["a", "b", "c"])
    assert (
        path.read_text() == "# column 0 is 'a'\n# column 1 is 'b'\n# column 2 is 'c'\n1 0:0.5 2:3\n-1 1:2\n"
    )
    assert read_svmlight(path).X.to_dense().tolist() == rows


def test_an_open_file_is_written_and_left_open() -> None:
    file = io.StringIO()
    write_svmlight(file, [[1.0]], ["a"])
    write_svmlight(file, [[2.0]], ["5"])
    assert file.getvalue() == "# label 0 is 'a'\n0 1:1\n5 1:2\n"


def test_pairs_are_written_in_the_order_of_the_columns(tmp_path: Path) -> None:
    rows = Csr(np.array([0, 3]), np.array([7, 0, 4], np.int32), np.array([1.0, 2.0, 3.0]), 8)
    write_svmlight(tmp_path / "x.svm", rows, ["1"])
    assert (tmp_path / "x.svm").read_text() == "1 1:2 5:3 8:1\n"


@pytest.mark.parametrize("label", ["nan", "-inf", "1_0", "0x1", "one", "", "1,2"])
def test_labels_that_other_readers_would_not_take_are_numbered(label: str, tmp_path: Path) -> None:
    write_svmlight(tmp_path / "x.svm", [[1.0], [2.0]], ["7", label])
    numbers = sorted(["7", label])
    assert (tmp_path / "x.svm").read_text().splitlines() == [
        *(f"# label {i} is {name!r}" for i, name in enumerate(numbers)),
        f"{numbers.index('7')} 1:1",
        f"{numbers.index(label)} 1:2",
    ]
    write_svmlight(tmp_path / "x.svm", [[1.0], [2.0]], ["7", "-1e3"])
    assert (tmp_path / "x.svm").read_text() == "7 1:1\n-1e3 1:2\n"
