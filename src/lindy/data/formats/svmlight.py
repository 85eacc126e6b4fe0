"""svmlight lines, ``label [qid:number] index:value … # comment``, to sparse rows and back.

Several labels are ``1,5,7``, none nothing, as in files of the extreme classification repository, whose first line has
the numbers of rows, columns and labels.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, TextIO

import numpy as np
from numpy.typing import NDArray

from lindy import _native
from lindy.core.csr import Csr, as_csr
from lindy.core.feature_rows import number
from lindy.data.chunks.source import BLOCK, UTF8_BOM, Source
from lindy.data.formats.feature_lines import parsed_number
from lindy.errors import DataError
from lindy.estimators.base import thread_count
from lindy.files.atomic import atomic_write
from lindy.files.output_guard import TABLE

if TYPE_CHECKING:
    from typing import Literal

_LAST = np.iinfo(np.int32).max - 1

_SIZES = re.compile(rb"\A[0-9]+ [0-9]+ [0-9]+[ \t\r]*(?=\n)")
_UNLABELLED = re.compile(rb"^[ \t]*(?=[0-9]+:)", re.MULTILINE)
_JOINED = re.compile(rb"^[0-9]+(?:,[0-9]+)+[ \t]", re.MULTILINE)

_FAULTS = {
    "no_label": ("{word!r} where the label should be", "Expected a line such as '1 3:0.5 7:2'."),
    "no_colon": ("{word!r} is not index:value", "Expected a line such as '1 3:0.5 7:2'."),
    "bad_index": ("{word!r}: the index is not a whole number from {first} on", "{base}"),
    "large_index": ("{word!r}: the index is larger than {last}", "{room}"),
    "bad_value": ("{word!r}: the value is not a number", "Write numbers such as 2, 0.5 or 1e-3."),
    "not_finite": ("{word!r}: the value is not finite", "Remove the pair or the line."),
    "not_increasing": (
        "{word!r}: the indices of a line must increase",
        "Sort the pairs of each line by index and keep each index once.",
    ),
    "bad_query": ("{word!r} is not qid: and a whole number", "Expected a line such as '1 qid:4 3:0.5'."),
    "no_query": (
        "some lines have a qid and others have none",
        "Give every line a qid, or none.",
    ),
    "zero_byte": ("a NUL byte, expected text", "It is a binary file, or in another encoding."),
}


@dataclass(frozen=True, slots=True)
class NumericData:
    """Sparse rows and their labels.

    Attributes
    ----------
    X : Csr
        The rows; every learner takes it as it is.
    labels : array of str
        Each label as it was written: ``+1`` stays ``+1``.
    queries : array of int or None
        The ``qid`` of each row, if the file has them.
    """

    X: Csr
    labels: NDArray[np.object_]
    queries: NDArray[np.int64] | None

    @property
    def y(self) -> NDArray[np.float64]:
        """The labels as numbers; ValueError if one is none."""
        return np.array([float(label) for label in self.labels])


class _Block(NamedTuple):
    """Lines of a file, as the core has parsed them; ``codes`` are the numbers of the labels among ``words``."""

    indptr: NDArray[np.int64]
    indices: NDArray[np.int32]
    values: NDArray[Any]
    codes: NDArray[np.int32]
    words: list[bytes]
    queries: NDArray[np.int64]
    lines: int


def read_svmlight(
    path: str | os.PathLike[str] | Source,
    *,
    n_features: int | None = None,
    zero_based: bool | Literal["auto"] = "auto",
    dtype: Any = np.float64,
    threads: int | None = None,
    block_bytes: int = 16 * BLOCK,
    several: bool = False,
) -> NumericData:
    """Read sparse rows.

    Parameters
    ----------
    path : str or path
        A file, or ``-`` for standard input; gzip and zstd are recognised.
    n_features : int, optional
        Number of columns; without it, the largest index tells.
    zero_based : bool or "auto"
        Whether the first column is written as 0. "auto": it is if an index 0 occurs.
    dtype : float32 or float64
        Type of the values.
    threads : int, optional
        None means all cores. The result is the same.
    block_bytes : int
        How much is parsed at a time, by several threads. The result is the same.
    several : bool
        Whether lines may have no label, which becomes ",", and the first one three numbers of rows, columns and labels.

    Raises
    ------
    DataError
        Naming the line, for anything that is not such a file.

    Examples
    --------
    >>> from lindy.data import read_svmlight
    >>> data = read_svmlight("train.svm")  # doctest: +SKIP
    """
    source = path if isinstance(path, Source) else Source(path)
    first = 1 if zero_based is False else 0
    last = _LAST if n_features is None else n_features - 1 + (zero_based is not True)
    read = _native.svmlight_rows_f32 if np.dtype(dtype) == np.float32 else _native.svmlight_rows_f64
    blocks: list[_Block] = []
    line, queries = 0, None
    for text in _blocks(source, block_bytes):
        if several:
            text = _UNLABELLED.sub(b", ", text if line else _SIZES.sub(b"#", text))  # noqa: PLW2901
        found: Any = read(text, first, last, queries, thread_count(threads))
        if isinstance(found[0], str):
            raise _fault(source, found, line, first, last)
        block = _Block(*found)
        blocks.append(block)
        line += block.lines
        queries = bool(len(block.queries)) if len(block.indptr) > 1 else queries
    if not any(len(block.codes) for block in blocks):
        raise source.no_rows("there is no row", "Expected lines such as '1 3:0.5 7:2'.")
    try:
        labels = [np.array([word.decode() for word in block.words], object)[block.codes] for block in blocks]
    except UnicodeDecodeError:
        source.check_bytes(source.read())  # names the line
        raise
    rows = _numbered(source, blocks, n_features, zero_based)
    numbers = np.concatenate([block.queries for block in blocks])
    return NumericData(rows, np.concatenate(labels), numbers if len(numbers) else None)


def has_several(source: Source) -> bool:
    """Whether the first lines have several labels, or tell the numbers of rows, columns and labels."""
    start = source.open().read(BLOCK).removeprefix(UTF8_BOM)
    return bool(_SIZES.match(start) or _JOINED.search(start))


def _blocks(source: Source, n_bytes: int) -> Iterator[bytes]:
    """Yield the text in blocks that end with a line."""
    stream = source.open()
    rest = stream.read(len(UTF8_BOM))
    source.check_text(rest)
    rest = rest.removeprefix(UTF8_BOM)
    while data := stream.read(n_bytes):
        cut = data.rfind(b"\n") + 1
        if cut:
            yield rest + data[:cut]
            rest = data[cut:]
        else:
            rest += data
    if rest:
        yield rest


def _fault(source: Source, found: Any, before: int, first: int, last: int) -> DataError:
    kind, line, word = found
    what, hint = _FAULTS[kind]
    names = {
        "word": word.decode(errors="replace"),
        "first": first,
        "last": last,
        "base": "The first column is 1; pass zero_based=True if the file counts from 0."
        if first
        else "Count from 0 or 1.",
        "room": "Check the line, or leave the number of features open."
        if last < _LAST
        else "Check the line.",
    }
    return source.error(what.format(**names), hint.format(**names), before + line)


def _numbered(source: Source, blocks: list[_Block], n_features: int | None, zero_based: Any) -> Csr:
    """Return the rows of all blocks, whose columns are counted from 0."""
    lengths = np.concatenate([[0], *(np.diff(block.indptr) for block in blocks)])
    indices = np.concatenate([block.indices for block in blocks])
    from_zero = not indices.all() if zero_based == "auto" else zero_based
    if not from_zero:
        indices -= 1
    highest = int(indices.max(initial=-1))
    if n_features is not None and highest >= n_features:
        raise source.error(
            f"column {highest + (not from_zero)} is used, but there are {n_features} features",
            "Give the number of features in the file, or leave out n_features.",
        )
    columns = highest + 1 if n_features is None else n_features
    values = np.concatenate([block.values for block in blocks])
    return Csr(np.cumsum(lengths, dtype=np.int64), indices, values, columns)


def write_svmlight(
    path: str | os.PathLike[str] | TextIO,
    X: Any,
    labels: Iterable[Any],
    *,
    queries: Iterable[int] | None = None,
    zero_based: bool = False,
    names: Iterable[str] | None = None,
) -> None:
    """Write sparse rows; an existing file is replaced only when the new one is complete. An open file is taken, too.

    A label may be a list of several. Labels that are no numbers become 0, 1, … in their sorted order, told by comment
    lines at the top, for other readers of the format take nothing else; ``names`` writes the columns' names there, too.
    """
    csr = as_csr(X)
    words = [label if isinstance(label, list) else [str(label)] for label in labels]
    rows = csr.shape[0]
    if len(words) != rows:
        raise ValueError(f"there are {rows} rows but {len(words)} labels")
    numbers = None if queries is None else [int(query) for query in queries]
    shift = 0 if zero_based else 1
    with (
        atomic_write(path, text=True, kind=TABLE)
        if isinstance(path, str | os.PathLike)
        else nullcontext(path) as file
    ):
        if any(parsed_number(word) is None for own in words for word in own):
            classes = {word: str(i) for i, word in enumerate(sorted({word for own in words for word in own}))}
            file.writelines(f"# label {number} is {word!r}\n" for word, number in classes.items())
            words = [[classes[word] for word in own] for own in words]
        if names is not None:
            file.writelines(f"# column {i + shift} is {name!r}\n" for i, name in enumerate(names))
        for i, own in enumerate(words):
            begin, end = csr.indptr[i], csr.indptr[i + 1]
            order = begin + np.argsort(csr.indices[begin:end], kind="stable")
            columns, values = (csr.indices[order] + shift).tolist(), map(number, csr.values[order].tolist())
            query = f" qid:{numbers[i]}" if numbers is not None else ""
            word = ",".join(own) if own or columns else ","  # a blank line would be no row
            file.write(word + query + "".join(map(" {}:{}".format, columns, values)) + "\n")
