"""svmlight files that are read in several blocks, and what is said about lines of theirs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from lindy.data import read_svmlight
from lindy.errors import DataError

LINES = [
    "\ufeff# a comment that fills a block of its own, and more than that",
    "good qid:1 1:0.5 3:2",
    "bad qid:1",
    "",
    "good qid:2 2:-1.25 7:1e3 # why",
    "ugly qid:9 7:4",
    "# the end",
]


def test_the_size_of_blocks_does_not_matter(tmp_path: Path) -> None:
    path = tmp_path / "rows.svm"
    for lines in (LINES, [line.replace("qid:", "# qid:") for line in LINES]):
        for end in ("", "\n"):
            path.write_text("\n".join(lines) + end)
            for dtype in (np.float32, np.float64):
                whole = read_svmlight(path, dtype=dtype)
                assert whole.labels.tolist() == ["good", "bad", "good", "ugly"]
                assert whole.X.values.dtype == dtype
                for size in (1, 7, 20, 64):
                    parts = read_svmlight(path, dtype=dtype, block_bytes=size)
                    assert parts.X.shape == whole.X.shape
                    assert parts.X.indptr.tolist() == whole.X.indptr.tolist()
                    assert parts.X.indices.tolist() == whole.X.indices.tolist()
                    assert parts.X.values.tolist() == whole.X.values.tolist()
                    assert parts.labels.tolist() == whole.labels.tolist()
                    assert (parts.queries is None) == (whole.queries is None)
                    if whole.queries is not None:
                        assert parts.queries is not None
                        assert parts.queries.tolist() == whole.queries.tolist() == [1, 1, 2, 9]


@pytest.mark.parametrize(
    ("fault", "said"),
    [("good qid:3 1:x", "x"), ("good 1:1", "qid"), ("good qid:3 3:1 2:1", "2")],
    ids=["no number", "no query", "descending"],
)
def test_the_line_of_a_fault_is_that_of_the_file(fault: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "rows.svm"
    path.write_text("\n".join([*LINES, fault, "bad qid:4 1:1"]) + "\n")
    for size in (7, 64, 1 << 24):
        with pytest.raises(DataError, match=f"line {len(LINES) + 1}") as error:
            read_svmlight(path, block_bytes=size)
        assert said in str(error.value)


def test_labels_that_are_no_text_are_named_with_their_line(tmp_path: Path) -> None:
    path = tmp_path / "rows.svm"
    path.write_bytes(b"good 1:1\n\xff\xfe 1:1\n")
    with pytest.raises(DataError, match="line 2"):
        read_svmlight(path)


@pytest.mark.parametrize("text", ["", "\n\n", "# nothing\n", "\ufeff", "\ufeff\n"])
def test_a_file_without_rows_is_refused(text: str, tmp_path: Path) -> None:
    path = tmp_path / "rows.svm"
    path.write_text(text)
    with pytest.raises(DataError):
        read_svmlight(path)


def test_rows_without_features_have_no_columns(tmp_path: Path) -> None:
    path = tmp_path / "rows.svm"
    path.write_text("good\nbad\n")
    for zero_based in ("auto", True, False):
        assert read_svmlight(path, zero_based=zero_based).X.shape == (2, 0)
    assert read_svmlight(path, n_features=3).X.shape == (2, 3)


def test_hints_fit_how_columns_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "rows.svm"
    path.write_text("good 0:1\n")
    with pytest.raises(DataError) as error:
        read_svmlight(path, zero_based=False)
    assert "pass zero_based=True" in str(error.value.hint)
    path.write_text("good -1:1\n")
    with pytest.raises(DataError) as error:
        read_svmlight(path, zero_based=True)
    assert "zero_based=True" not in str(error.value.hint)
    path.write_text(f"good {2**31 - 1}:1\n")
    with pytest.raises(DataError) as error:
        read_svmlight(path)
    assert "leave the number of features open" not in str(error.value.hint)
    path.write_text("good 5:1\n")
    with pytest.raises(DataError) as error:
        read_svmlight(path, n_features=4)
    assert "leave the number of features open" in str(error.value.hint)
