"""Counting with the user's own callables and regular expressions: correct for everything, at Python's speed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from lindy.text.analysis.documents import is_arrow, located
from lindy.text.native_rows import Rows


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
