"""Counting with the user's own callables and regular expressions: correct for everything, at Python's speed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lindy.text.documents import is_arrow, refuse_single_string

if TYPE_CHECKING:
    from lindy.text.count import CountVectorizer

Rows = tuple[NDArray[np.int64], NDArray[np.int32], NDArray[Any]]


def count_in_python(
    vectorizer: CountVectorizer, raw_documents: Any, dtype: np.dtype[Any], known: dict[Any, int] | None = None
) -> tuple[dict[Any, int], Rows]:
    """Return the terms with their columns and the counts (indptr, indices, values).

    Without ``known`` terms they are learned: numbered as first seen, limited, then put in alphabetic order; the entries
    of a row stay in the order in which their terms were first seen, as scikit-learn leaves them.
    """
    refuse_single_string(raw_documents)
    analyze = vectorizer.build_analyzer()
    documents = (
        raw_documents.to_pylist()
        if is_arrow(raw_documents) and hasattr(raw_documents, "to_pylist")
        else raw_documents
    )
    numbers: dict[Any, int] = {} if known is None else known
    indptr, indices, counts = [0], [], []
    for document in documents:
        row: dict[int, int] = {}
        for term in analyze(document):
            number = numbers.setdefault(term, len(numbers)) if known is None else numbers.get(term)
            if number is not None:
                row[number] = row.get(number, 0) + 1
        for number in sorted(row):
            indices.append(number)
            counts.append(1 if vectorizer.binary else row[number])
        indptr.append(len(indices))
    starts, columns = np.array(indptr, np.int64), np.array(indices, np.int32)
    values = np.array(counts, dtype)
    if known is not None:
        return known, (starts, columns, values)
    if not numbers:
        raise ValueError("empty vocabulary; perhaps the documents only contain stop words")
    return _limited(vectorizer, numbers, starts, columns, values)


def _limited(
    vectorizer: CountVectorizer,
    numbers: dict[Any, int],
    starts: NDArray[np.int64],
    columns: NDArray[np.int32],
    values: NDArray[Any],
) -> tuple[dict[Any, int], Rows]:
    from lindy.text.count import most_frequent

    low, high = vectorizer.document_limits(len(starts) - 1)
    documents = np.bincount(columns, minlength=len(numbers))
    keep = (documents >= low) & (documents <= high)
    chosen = [term for term in sorted(numbers) if keep[numbers[term]]]
    if vectorizer.max_features is not None:
        totals = np.bincount(columns, values, len(numbers)).astype(np.int64)
        mask = most_frequent(
            totals[[numbers[term] for term in chosen]], vectorizer.max_features, np.dtype(vectorizer.dtype)
        )
        if mask is not None:
            chosen = [term for term, kept in zip(chosen, mask, strict=True) if kept]
    if not chosen:
        raise ValueError("After pruning, no terms remain. Try a lower min_df or a higher max_df.")
    new = np.full(len(numbers), -1, np.int32)
    new[[numbers[term] for term in chosen]] = np.arange(len(chosen), dtype=np.int32)
    kept = new[columns] >= 0
    ends = np.concatenate([[0], np.cumsum(kept)])[starts]
    return {term: i for i, term in enumerate(chosen)}, (ends, new[columns][kept], values[kept])
