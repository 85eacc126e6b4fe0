"""Makes `Inputs` of the kind that a model takes out of a user's examples, and says what models ask about a kind.

Tables come as Arrow tables, data frames, dictionaries of columns or lists of dictionaries.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from lindy.core import inputs as core
from lindy.core.csr import is_sparse
from lindy.core.feature_rows import are_feature_rows
from lindy.core.image_column import are_images, as_images
from lindy.core.inputs import Inputs, Records
from lindy.errors import DataError
from lindy.text.analysis.documents import refuse_other_than_documents, refuse_single_string, refuse_table


class InputForm:
    """Texts: what they are called (``holds``, one of them ``example``), made of, and turned into."""

    holds: ClassVar[str] = "texts"
    example: ClassVar[str] = "text"
    example_type: ClassVar[type] = str
    sent_as: ClassVar[str | None] = "text"
    """How requests to the service call one of them; None where they have no form for it."""
    in_tables: ClassVar[bool] = True
    """Whether the rows of a table are such examples."""

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
    sent_as = "record"

    def inputs(self, X: Any, columns: Any) -> Inputs:
        from lindy.features.table_vectorizer import of_columns

        return Records(of_columns(columns).table_of(X))

    def shown(self, example: Any, vectorizer: Any) -> Any:
        return RowText.of(dict(example), vectorizer.text_columns)


class _Dictionaries(InputForm):
    holds, example, example_type = "dictionaries of features", "dictionary", Mapping
    sent_as: ClassVar[str | None] = None
    in_tables = False

    def shown(self, example: Any, vectorizer: Any) -> Any:
        from lindy.features.dicts import DictText

        return DictText.of(dict(example), vectorizer.text_columns)


class _FeatureRows(_Dictionaries):
    holds, example = "features with values", "feature row"
    sent_as = "record"

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
    sent_as, in_tables = None, False

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


def as_example(example: Any, vectorizer: Any) -> Any:
    """Return a single example of a user as a model's vectorizer takes it; TypeError if it is something else."""
    return KINDS[vectorizer.takes].one(example)


def shown_example(example: Any, vectorizer: Any) -> str | RowText:
    """Return a single example as people are shown it, and the vectorizer looks for its features in it."""
    shown: str | RowText = KINDS[vectorizer.takes].shown(example, vectorizer)
    return shown


def shown_text(shown: str | RowText) -> str:
    """Return the text of what `shown_example` returns."""
    return shown.text if isinstance(shown, RowText) else shown


def without_places(shown: str | RowText, spans: NDArray[np.int64]) -> Any:
    """Return an example without some places of its text, in ascending order."""
    if isinstance(shown, RowText):
        return shown.without(spans)
    edges = [0, *spans.reshape(-1).tolist(), len(shown)]
    return "".join(shown[begin:end] for begin, end in zip(edges[::2], edges[1::2], strict=True))


def as_table(X: Any) -> Any:
    """Return a table as an Arrow table; a dictionary that holds no columns is a row."""
    import pyarrow as pa

    if isinstance(X, pa.Table):
        return X
    try:
        if isinstance(X, Mapping):
            lists = [hasattr(value, "__len__") and not isinstance(value, str) for value in X.values()]
            return pa.table(dict(X)) if any(lists) else pa.Table.from_pylist([dict(X)])
        if hasattr(X, "__arrow_c_stream__") and hasattr(X, "columns"):
            return pa.table(X)
        if hasattr(X, "columns"):
            return pa.Table.from_pandas(X, preserve_index=False)
        rows = None if is_sparse(X) else list(X)  # SciPy crashes on the way to the rows of a malformed matrix
        if rows is not None and all(isinstance(row, Mapping) for row in rows):
            return _from_rows(rows)
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError) as error:
        raise DataError(
            f"the table cannot be read: {error}", "Every column needs values of one kind."
        ) from error
    raise DataError(
        f"expected a table, got {type(X).__name__}",
        "Give an Arrow table, a data frame, a dictionary of columns, or a list of dictionaries.",
    )


def _from_rows(rows: list[Mapping[str, Any]]) -> Any:
    """Return rows as a table that has every name that one of them has."""
    import pyarrow as pa

    names = dict.fromkeys(name for row in rows for name in row)
    return pa.table({name: pa.array([row.get(name) for row in rows]) for name in names})


@dataclass(frozen=True)
class RowText:
    """The texts of one row, one under the other with their columns' names before them, as explanations show them."""

    row: Mapping[str, Any]
    text: str
    places: dict[str, tuple[int, int]]

    @classmethod
    def of(cls, row: Mapping[str, Any], columns: list[str]) -> RowText:
        """Return the texts of some columns."""
        text, places = "", {}
        for name in columns:
            text += f"{name}: "
            value = row.get(name)
            own = "" if value is None else str(value)
            places[name] = (len(text), len(text) + len(own))
            text += f"{own}\n"
        return cls(row, text, places)

    def without(self, spans: NDArray[np.int64]) -> dict[str, Any]:
        """Return the row without some places of its texts."""
        row = dict(self.row)
        for name, (begin, end) in self.places.items():
            own = spans[(spans[:, 0] >= begin) & (spans[:, 1] <= end)]
            edges = [begin, *own.reshape(-1).tolist(), end]
            pairs = zip(edges[::2], edges[1::2], strict=True)
            row[name] = "".join(self.text[a:b] for a, b in pairs)
        return row
