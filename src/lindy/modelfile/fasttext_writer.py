"""Models in fastText's format (``.bin``, ``.ftz``), version 12: the way back of ``fasttext_models``.

    magic, version · settings · words and labels with their counts, kept buckets · input matrix · output matrix

Only models that came from such a file fit it: it has one matrix of vectors for words and hashed n-grams, whose mean a
second matrix takes to the scores. What answers need is written as it was read; counts of words, and settings of the
training that answers do not need, are not kept by lindy, and written as 0 or as fastText's usual ones.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator
from typing import Any

import numpy as np

from lindy.errors import DataError
from lindy.files.atomic import atomic_write
from lindy.files.output_guard import MODEL

VERSION = 12
_MAGIC = 793712314
_LOSSES = {"hs": 1, "ns": 2, "softmax": 3, "ova": 4}
_SUPERVISED = 3
_WINDOW, _EPOCHS, _LEAST_COUNT, _NEGATIVES, _RATE_UPDATES, _SAMPLING = (
    5,
    5,
    1,
    5,
    100,
    1e-4,
)  # fastText's usual


def write_fasttext(path: str | os.PathLike[str], model: Any) -> None:
    """Write a fitted `TextClassifier` as a model of fastText; DataError, with the reason, if it does not fit."""
    require_fitting(model)
    with atomic_write(path, kind=MODEL) as file:
        for piece in _pieces(model):
            file.write(piece)


def require_fitting(model: Any) -> None:
    """Raise DataError, with the reason, unless fastText's format can hold the model exactly."""
    from lindy.linear.fasttext_classifier import FasttextClassifier
    from lindy.text.fasttext_vectorizer import FasttextVectorizer

    keep = "keep it as a .lindy file"
    if not isinstance(model.learner_, FasttextClassifier) or not isinstance(
        model.vectorizer_, FasttextVectorizer
    ):
        raise DataError(
            f"the model does not fit fastText's format: it was learned by lindy ({model.recipe_}), and the format holds"
            " mean vectors of words and hashed n-grams only: no weights of tf-idf, no lower-casing, no intercept",
            f"{keep}, or write a page or a module for other programs: 'lindy export'",
        )
    if model.calibrator_ is not None or model.rule_ is not None:
        what = "probabilities are calibrated" if model.calibrator_ is not None else "labels have thresholds"
        raise DataError(
            f"the model does not fit fastText's format: its {what}, for which the format has no place",
            f"{keep}, or convert the model that was calibrated",
        )


def _pieces(model: Any) -> Iterator[bytes]:
    """Yield the file, piece by piece."""
    vectorizer, learner = model.vectorizer_, model.learner_
    words, matrices = vectorizer._arrays, learner._arrays
    _, dim, *parts = matrices["shape"].tolist()
    settings = (
        *(dim, _WINDOW, _EPOCHS, _LEAST_COUNT, _NEGATIVES, vectorizer.word_ngrams, _LOSSES[learner.loss]),
        *(_SUPERVISED, vectorizer.bucket, vectorizer.min_n, vectorizer.max_n, _RATE_UPDATES),
    )
    yield struct.pack("<ii12id", _MAGIC, VERSION, *settings, _SAMPLING)
    ends, counts = words["ends"].tolist(), matrices["counts"].tolist()
    n_words, kept = vectorizer.n_words, words.get("kept")
    n_kept = -1 if kept is None else len(kept)
    yield struct.pack("<iiiqq", len(ends), n_words, len(ends) - n_words, 0, n_kept)
    entries, begin = words["entries"].tobytes(), 0
    for k, end in enumerate(ends):
        is_label = k >= n_words
        yield entries[begin:end] + struct.pack("<xqb", counts[k - n_words] if is_label else 0, is_label)
        begin = end
    if kept is not None:
        yield np.stack([kept, words["kept_rows"]], axis=1).astype("<i4").tobytes()
    quantised = [bool(part) for part in parts]
    yield struct.pack("<?", quantised[0])
    yield from _matrix(matrices, "input", (vectorizer.n_columns, dim), parts[0])
    yield struct.pack("<?", quantised[1])
    yield from _matrix(matrices, "output", (len(counts), dim), parts[1])


def _matrix(arrays: Any, name: str, shape: tuple[int, int], part: int) -> Iterator[bytes]:
    """Yield a matrix, quantised in parts of so many numbers if there are parts."""
    if not part:
        yield struct.pack("<qq", *shape)
        yield _data(arrays[name])
        return
    codes, norms = arrays[f"{name}_codes"], arrays.get(f"{name}_norms")
    yield struct.pack("<?qqi", norms is not None, *shape, len(codes))
    yield _data(codes)
    yield from _quantiser(shape[1], part, arrays[f"{name}_centroids"])
    if norms is not None:
        yield _data(arrays[f"{name}_norm_codes"])
        yield from _quantiser(1, 1, norms)


def _quantiser(dim: int, part: int, centroids: Any) -> Iterator[bytes]:
    n_parts = -(-dim // part)
    yield struct.pack("<iiii", dim, n_parts, part, dim - (n_parts - 1) * part)
    yield _data(centroids)


def _data(array: Any) -> Any:
    """Return the bytes of an array."""
    return np.ascontiguousarray(array).reshape(-1).view(np.uint8).data
