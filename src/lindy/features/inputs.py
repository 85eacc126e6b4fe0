"""Converts what users give as examples into the form that a vectorizer takes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from lindy.core.feature_rows import are_feature_rows
from lindy.core.image_column import are_images, as_images
from lindy.text.analysis.documents import refuse_other_than_documents, refuse_table


def as_examples(X: Any, vectorizer: Any, columns: Any) -> Any:
    """Return texts as they are, the wanted columns of a table as an Arrow table, and other examples as columns.

    Dictionaries become `FeatureRows`, and images an `ImageColumn`, where the vectorizer takes them (or is None).
    """
    if columns is not None:
        from lindy.features.table_vectorizer import of_columns

        return of_columns(columns).table_of(X)
    if are_images(X) if vectorizer is None else vectorizer.takes_pictures:
        return as_images(X)
    if are_feature_rows(X) and vectorizer.takes_bags:
        from lindy.features.row_vectorizer import as_feature_rows

        return as_feature_rows(X)
    refuse_other_than_documents(X)
    refuse_table(X)
    return X


def one_example(example: Any, vectorizer: Any, columns: Any) -> Any:
    """Return a single text, row of a table, dictionary or image as the vectorizer takes it; else TypeError."""
    if vectorizer.takes_pictures:
        image = np.asarray(example)
        if image.ndim != 2:
            raise TypeError(
                f"one image is explained at a time; expected rows × columns of pixels, got {np.shape(example)}"
            )
        return as_images([image])[0]
    what, kind = ("text", str) if columns is None else ("row", Mapping)
    if vectorizer.takes_dicts:
        what, kind = "feature row" if vectorizer.takes_bags else "dictionary", Mapping
    if not isinstance(example, kind):
        raise TypeError(
            f"one {what} is explained at a time; expected a {kind.__name__}, got {type(example).__name__}"
        )
    if what == "feature row":
        from lindy.features.row_vectorizer import as_feature_rows

        return as_feature_rows([example])[0]
    return example
