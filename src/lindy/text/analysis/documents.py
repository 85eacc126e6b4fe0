"""Texts of any origin as batches for the native core: never copied if they are Arrow columns or Python strings.

Callables and regular expressions of the user's count at Python's speed (`count_terms`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any

import numpy as np

from lindy import _native
from lindy.core.column import TextColumn
from lindy.core.csr import is_sparse
from lindy.core.feature_rows import FeatureRows
from lindy.core.image_column import are_images
from lindy.core.labels import is_missing
from lindy.errors import MISSING, DataError
from lindy.text.native_rows import Rows

BATCH_BYTES = 8 << 20  # what one native call reads at most, so that Ctrl-C is noticed soon
_CHUNK = 16384  # documents taken at once from an iterator


class NotTextError(DataError, AttributeError, TypeError):
    """A document that is neither text nor bytes; scikit-learn has either of the builtin types here."""


def refuse_single_string(raw_documents: Any) -> None:
    """Raise for a lone string, whose characters would be taken as documents."""
    if isinstance(raw_documents, str):
        raise ValueError(
            "Iterable over raw text documents expected, string object received. For one text, give a list: [text]."
        )


def refuse_other_than_documents(raw_documents: Any) -> None:
    """Raise for a lone string and for a sparse matrix."""
    refuse_single_string(raw_documents)
    if is_sparse(raw_documents):  # SciPy crashes on the way to the rows of a malformed one
        raise ValueError(
            f"Expected texts, got a {type(raw_documents).__name__}: rows of numbers go to a learner as they are,"
            " without a vectorizer"
        )


def refuse_table(raw_documents: Any) -> None:
    """Raise for a table where one column is wanted."""
    if is_table(raw_documents):
        raise ValueError(
            f"Expected one column of texts, got a {type(raw_documents).__name__}; select the column, for example"
            " table['text']."
        )


def batches(
    raw_documents: Any, decode: Callable[[Any], Any], *, content: bool = True, size: int | None = None
) -> Iterator[_native.Texts]:
    """Yield the documents in batches of ``size`` bytes; ``decode`` makes strings of what is not text yet.

    Without ``content`` everything goes through ``decode``: strings are then names of files.

    Raises
    ------
    ValueError
        For a lone string, a missing document (with its position), feature rows or a table with several columns.
    """
    size = size or BATCH_BYTES
    if type(raw_documents) is list and content:
        yield from _list_batches(raw_documents, 0, decode, size)
        return
    refuse_other_than_documents(raw_documents)
    refuse_table(raw_documents)
    if isinstance(raw_documents, FeatureRows):
        raise ValueError(
            "Expected texts, got features with values (of an svmlight, Vowpal Wabbit or .review file); lindy.features"
            " has BagVectorizer for them."
        )
    if are_images(raw_documents):
        raise ValueError(
            "Expected texts, got images; lindy.images has PixelFeatures and ShapeFeatures for them."
        )
    if isinstance(raw_documents, TextColumn) and content:
        yield from _column_batches(raw_documents, size)
    elif is_arrow(raw_documents) and content:
        yield from _arrow_batches(raw_documents, decode, size)
    else:
        position = 0
        for found in _lists(raw_documents):
            items = (
                found if content else [as_text(item, position + i, decode) for i, item in enumerate(found)]
            )
            yield from _list_batches(items, position, decode, size)
            position += len(items)


def is_table(raw_documents: Any) -> bool:
    """Whether this is a data frame or an Arrow table rather than one column."""
    return hasattr(raw_documents, "columns") and not isinstance(raw_documents, np.ndarray)


def is_arrow(raw_documents: Any) -> bool:
    """Whether this is a column with Arrow's C interface (pandas keeps plain Python strings in object columns)."""
    if getattr(raw_documents, "dtype", None) == np.dtype(object):
        return False
    return hasattr(raw_documents, "__arrow_c_array__") or hasattr(raw_documents, "__arrow_c_stream__")


def _lists(raw_documents: Iterable[Any]) -> Iterator[list[Any]]:
    if isinstance(raw_documents, list):
        yield raw_documents
    elif hasattr(raw_documents, "tolist") and getattr(raw_documents, "ndim", 1) > 0:
        yield raw_documents.tolist()
    else:
        iterator = iter(raw_documents)
        while items := list(islice(iterator, _CHUNK)):
            yield items


def _list_batches(
    items: list[Any], position: int, decode: Callable[[Any], Any], size: int
) -> Iterator[_native.Texts]:
    begin = 0
    while begin < len(items):
        texts = _native.Texts(position + begin)
        begin += texts.take_strings(items, begin, size)
        if begin < len(items) and not isinstance(items[begin], str):
            items = [
                *items[:begin],
                *(as_text(item, position + i, decode) for i, item in enumerate(items[begin:], begin)),
            ]
        if len(texts):
            yield texts


def as_text(item: Any, position: int, decode: Callable[[Any], Any]) -> str:
    """Return one document as a string, or say where it stands and what it is."""
    try:
        text = decode(item)
    except ValueError as error:
        raise located(error, item, position) from None
    if isinstance(text, str):
        return text
    raise _not_text(text, position)


def located(error: Exception, document: Any, position: int) -> Exception:
    """Return an error of the same kind that says which document it is about; others get a note."""
    if isinstance(error, UnicodeDecodeError):
        reason = f"{error.reason} (document {position})"
        return UnicodeDecodeError(error.encoding, error.object, error.start, error.end, reason)
    if isinstance(document, float) and np.isnan(document) and isinstance(error, ValueError):
        return DataError(f"document {position}: {error}", MISSING)
    if isinstance(error, AttributeError | TypeError) and not isinstance(document, str | bytes):
        return _not_text(document, position, f": {error}")
    if type(error) is DataError:
        return DataError(f"document {position}: {error}", error.hint)
    error.add_note(f"in document {position}")
    return error


def _not_text(document: Any, position: int, why: str = "") -> NotTextError:
    name = type(document).__name__
    hint = MISSING if is_missing(document) else "Make them texts: [str(text) for text in texts]."
    return NotTextError(f"document {position} is {name}, expected str or bytes{why}", hint)


def _column_batches(column: TextColumn, size: int) -> Iterator[_native.Texts]:
    buffers, begin = [None, column.offsets, column.data], 0
    while begin < len(column):
        texts = _native.Texts(begin)
        begin += texts.take_arrow(buffers, True, begin, len(column) - begin, size)
        yield texts


def _arrow_batches(
    column: Any, decode: Callable[[Any], Any], size: int, position: int = 0
) -> Iterator[_native.Texts]:
    import pyarrow as pa

    if isinstance(column, pa.Array):
        chunks = [column]
    else:
        if not isinstance(column, pa.ChunkedArray):
            column = pa.chunked_array(column if hasattr(column, "__arrow_c_stream__") else [pa.array(column)])
        chunks = column.chunks
    take = _taker(column.type)
    texts = _native.Texts(position)
    for chunk in chunks:
        if chunk.null_count:
            raise _null_error(chunk, position)
        if take is None:
            yield from _other_batches(chunk, position, decode, size)
            position += len(chunk)
            continue
        buffers, first, stop = chunk.buffers(), chunk.offset, chunk.offset + len(chunk)
        while first < stop:
            first += take(texts, buffers, first, stop - first, size)
            if texts.n_bytes >= size:
                yield texts
                texts = _native.Texts(position + first - chunk.offset)
        position += len(chunk)
    if len(texts):
        yield texts


def _null_error(chunk: Any, position: int) -> DataError:
    missing = position + int(np.flatnonzero(chunk.is_null().to_numpy(zero_copy_only=False))[0])
    return DataError(f"document {missing} is null, expected text", MISSING)


def _taker(kind: Any) -> Callable[[_native.Texts, list[Any], int, int, int], int] | None:
    """Return what adds rows of arrays of this type to a batch, until it is full; None if they are not texts."""
    import pyarrow as pa

    large = pa.types.is_large_string(kind)
    if large or pa.types.is_string(kind):
        return lambda texts, buffers, *rows: texts.take_arrow(buffers, large, *rows)
    return _native.Texts.take_views if pa.types.is_string_view(kind) else None


def _other_batches(
    chunk: Any, position: int, decode: Callable[[Any], Any], size: int
) -> Iterator[_native.Texts]:
    """Yield the batches of a chunk that is a dictionary, or whose values are not texts yet."""
    import pyarrow as pa

    if not pa.types.is_dictionary(chunk.type):
        yield from _list_batches(chunk.to_pylist(), position, decode, size)
        return
    values = chunk.dictionary
    if pa.types.is_string_view(values.type):  # of which Arrow itself cannot take some
        values = values.cast(pa.large_string())
    yield from _arrow_batches(values.take(chunk.indices), decode, size, position)


def python_documents(raw_documents: Any) -> Iterable[Any]:
    """Return the documents as Python objects."""
    if is_arrow(raw_documents) and hasattr(raw_documents, "to_pylist"):
        return raw_documents.to_pylist()  # type: ignore[no-any-return]
    return raw_documents  # type: ignore[no-any-return]


def analyzed(analyze: Callable[[Any], Iterable[Any]], raw_documents: Any) -> Iterator[list[Any]]:
    """Yield the terms of each document; an error says which document it is about."""
    for position, document in enumerate(python_documents(raw_documents)):
        try:
            terms = list(analyze(document))
        except Exception as error:
            new = located(error, document, position)
            if new is error:
                raise
            raise new from error
        yield terms


def count_terms(
    analyze: Callable[[Any], Iterable[Any]],
    raw_documents: Any,
    *,
    known: dict[Any, int] | None = None,
    binary: bool,
) -> tuple[dict[Any, int], Rows]:
    """Return the terms, numbered as first seen or as ``known``, and their counts; rows sorted by these numbers."""
    numbers: dict[Any, int] = {} if known is None else known
    indptr, indices, counts = [0], [], []
    for terms in analyzed(analyze, raw_documents):
        row: dict[int, int] = {}
        for term in terms:
            number = numbers.setdefault(term, len(numbers)) if known is None else numbers.get(term)
            if number is not None:
                row[number] = row.get(number, 0) + 1
        for number in sorted(row):
            indices.append(number)
            counts.append(1 if binary else row[number])
        indptr.append(len(indices))
    return numbers, (np.array(indptr, np.int64), np.array(indices, np.int32), np.array(counts, np.int64))
