"""Makes `Inputs` of the kind that a model takes out of a user's examples, and says what models ask about a kind."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from lindy.core import inputs as core
from lindy.core.feature_rows import are_feature_rows
from lindy.core.image_column import are_images, as_images
from lindy.core.inputs import Inputs, Records
from lindy.text.analysis.documents import refuse_other_than_documents, refuse_single_string, refuse_table


class InputForm:
    """Texts: what they are called (``holds``, one of them ``example``), made of, and turned into."""

    holds: ClassVar[str] = "texts"
    example: ClassVar[str] = "text"
    example_type: ClassVar[type] = str

    def inputs(self, X: Any, columns: Any) -> Inputs:  # noqa: ARG002
        """Return the examples of a user; whatever is of another kind is an error."""
        refuse_other_than_documents(X)
        refuse_table(X)
        return core.as_inputs(X)

    def one(self, example: Any) -> Any:
        """Return a single example as a vectorizer takes it; TypeError if it is something else."""
        if not isinstance(example, self.example_type):
            raise TypeError(
                f"one {self.example} is explained at a time; expected a {self.example_type.__name__},"
                f" got {type(example).__name__}"
            )
        return example

    def shown(self, example: Any, vectorizer: Any) -> Any:  # noqa: ARG002
        """Return a single example as people are shown it, and the vectorizer looks for its features in it."""
        return example

    def vectorizer(self, words: Any, n_jobs: int | None, **limits: Any) -> Any:  # noqa: ARG002
        """Return the vectorizer of rows without weights; ``words`` is that of texts."""
        return words

    def usual_weighting(self, inputs: Any) -> dict[str, Any]:  # noqa: ARG002
        """Return the option of `vectorizer` for the weighting that suits the values."""
        return {}

    def check_weighting(self, weighting: str, *inputs: Any) -> None:
        """Refuse values that a weighting cannot take."""


class _Records(InputForm):
    holds, example, example_type = "records", "row", Mapping

    def inputs(self, X: Any, columns: Any) -> Inputs:
        from lindy.features.table_vectorizer import of_columns

        return Records(of_columns(columns).table_of(X))

    def shown(self, example: Any, vectorizer: Any) -> Any:
        from lindy.features.table_input import RowText

        return RowText.of(dict(example), vectorizer.text_columns)


class _Dictionaries(InputForm):
    holds, example, example_type = "dictionaries of features", "dictionary", Mapping

    def shown(self, example: Any, vectorizer: Any) -> Any:
        from lindy.features.dicts import DictText

        return DictText.of(dict(example), vectorizer.text_columns)


class _FeatureRows(_Dictionaries):
    holds, example = "features with values", "feature row"

    def inputs(self, X: Any, columns: Any) -> Inputs:  # noqa: ARG002
        from lindy.features.row_vectorizer import as_feature_rows

        if not are_feature_rows(X):
            refuse_single_string(X)
            refuse_table(X)
        return as_feature_rows(X)

    def one(self, example: Any) -> Any:
        return self.inputs([super().one(example)], None).values[0]

    def vectorizer(self, words: Any, n_jobs: int | None, **limits: Any) -> Any:  # noqa: ARG002
        from lindy.features.row_vectorizer import BagVectorizer

        return BagVectorizer(**limits, n_jobs=n_jobs)

    def usual_weighting(self, inputs: Any) -> dict[str, Any]:
        return {"weighting": "tfidf" if inputs.are_counts else "counts"}

    def check_weighting(self, weighting: str, *inputs: Any) -> None:
        from lindy.features.row_vectorizer import check_counts

        check_counts(inputs, weighting)


class _Images(InputForm):
    holds, example = "images", "image"

    def inputs(self, X: Any, columns: Any) -> Inputs:  # noqa: ARG002
        return as_images(X)

    def one(self, example: Any) -> Any:
        image = np.asarray(example)
        if image.ndim != 2:
            raise TypeError(
                f"one image is explained at a time; expected rows × columns of pixels, got {np.shape(example)}"
            )
        return as_images([image])[0]

    def shown(self, example: Any, vectorizer: Any) -> Any:  # noqa: ARG002
        return ""

    def vectorizer(self, words: Any, n_jobs: int | None, **limits: Any) -> Any:  # noqa: ARG002
        from lindy.images.image_features import pixels_and_shapes

        return pixels_and_shapes(n_jobs)


KINDS: dict[str, InputForm] = {
    "texts": InputForm(),
    "records": _Records(),
    "dictionaries": _Dictionaries(),
    "features": _FeatureRows(),
    "images": _Images(),
}
"""The kinds of input by what vectorizers call them (``takes``), and all but dictionaries by ``Inputs.kind``."""


def as_inputs(X: Any, vectorizer: Any, columns: Any = None) -> Inputs:
    """Return the examples of a user as a model takes them: by its columns, by its vectorizer, or else as they look."""
    X = X.values if isinstance(X, Inputs) else X
    if columns is not None:
        return KINDS["records"].inputs(X, columns)
    if vectorizer is not None:
        return KINDS[vectorizer.takes].inputs(X, None)
    return KINDS["images" if are_images(X) else "features" if are_feature_rows(X) else "texts"].inputs(
        X, None
    )
