"""Feature rows as rows: every feature that occurs is a column, with its value as it is or weighted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Integral
from typing import TYPE_CHECKING, Annotated, Any, Self

import numpy as np
from numpy.typing import DTypeLike, NDArray

from lindy.core.csr import Csr, as_csr, is_sparse
from lindy.core.feature_rows import FeatureRows, number
from lindy.core.weights import total_weight
from lindy.errors import DataError
from lindy.estimators.parameters import NONE, SHARE, at_least, fitted, fixed, one_of, with_parameters
from lindy.features.dicts import DictVectorizer, read_names
from lindy.text.vectorizer import Columns, State, Vectorizer
from lindy.text.vectorizer_state import below_prefix, with_prefix
from lindy.text.vocabulary.feature_selection import Selection
from lindy.text.vocabulary.term_limits import reaches
from lindy.text.weighting.row_weights import column_totals, document_frequency
from lindy.text.weighting.weighting_registry import (
    WEIGHTINGS,
    kind_in_words,
    weighted_vectorizer,
    weighting_transformer,
)

if TYPE_CHECKING:
    from lindy.text.analysis.occurrences import Occurrences


def as_feature_rows(X: Any) -> FeatureRows:
    """Return examples as feature rows: those of a reader as they are, dictionaries, or the rows of a sparse matrix.

    Strings in dictionaries become features as in `DictVectorizer`; columns of a matrix are called x0, x1, ….
    """
    if isinstance(X, FeatureRows):
        return X
    if isinstance(X, Csr) or is_sparse(X):
        rows = as_csr(X)
        return FeatureRows(rows, [f"x{j}" for j in range(rows.n_columns)])
    if isinstance(X, Mapping):
        X = [X]
    examples = X if isinstance(X, list) else list(X)
    wrong = next((i for i, row in enumerate(examples) if not isinstance(row, Mapping)), None)
    if wrong is not None:
        raise DataError(
            f"example {wrong} is {type(examples[wrong]).__name__}, expected a dictionary of features and their values",
            "The model was made of features with values: give such dictionaries, what lindy.data reads from an"
            " svmlight, Vowpal Wabbit or .review file, or a sparse matrix.",
        )
    if not examples:
        return FeatureRows(Csr(np.zeros(1, np.int64), np.zeros(0, np.int32), np.zeros(0), 0), [])
    reader = DictVectorizer(sort=False)
    indptr, indices, values = reader._learn(examples, np.float64, sort=False, sort_sets=True)[0].take(None)
    return FeatureRows(
        Csr(indptr, indices, values, len(reader.feature_names_)),
        [str(name) for name in reader.feature_names_],
    )


@with_parameters
class BagVectorizer(DictVectorizer):
    """Convert feature rows to a matrix: a column for every feature, its values as they are, or weighted.

    It takes what ``lindy.data`` reads from svmlight, Vowpal Wabbit and ``.review`` files, lists of dictionaries, and
    sparse matrices. Features that were not there in ``fit`` are ignored.

    Parameters
    ----------
    weighting : str
        "counts" leaves values as they are; other weightings, as of ``TextClassifier``, need whole numbers.
    min_df : int or float
        Features of fewer examples (a number, or a share of all) are left out.
    min_count : int
        Features whose values sum to less over all examples are left out; values must be counts then.
    max_features : int or None
        Keep only so many of those that the most examples have.
    select : str or None
        How many features to keep at most, and by which score, such as "chi2:10000"; see ``lindy.SelectFeatures``.
    n_jobs : int or None
        Threads; None means all cores. The result does not depend on it.

    Attributes
    ----------
    vocabulary_ : dict from name to column
    feature_names_ : list of names in the order of the columns
    numbers_ : array of int or None
        The columns' numbers in an svmlight file whose comments have their names.

    Examples
    --------
    >>> from lindy.features import BagVectorizer
    >>> BagVectorizer().fit_transform([{"fine": 2, "book": 1}, {"dull": 0.5}]).toarray()
    array([[1. , 0. , 2. ],
           [0. , 0.5, 0. ]], dtype=float32)
    """

    kind = "bags"
    cannot_grow = "takes its features from all examples at once: train again on both files"
    takes = "features"
    dtype: DTypeLike = fixed(default=np.float64)
    separator: str = fixed(default="=")
    sparse: bool = fixed(default=True)
    sort: bool = fixed(default=True)
    weighting: Annotated[str, one_of(*WEIGHTINGS)] = "counts"
    min_df: Annotated[int | float, at_least(1), SHARE] = 1
    min_count: Annotated[int, at_least(1)] = 1
    max_features: Annotated[int | None, at_least(1), NONE] = None
    select: str | None = None
    n_jobs: int | None = None
    numbers_: NDArray[np.int32] | None = fitted()
    _weights: Any = fitted()
    _places: Any = fitted()
    _type: Any = fitted()

    fit = Vectorizer.fit
    fit_transform = Vectorizer.fit_transform
    transform = Vectorizer.transform

    @property
    def uses_labels(self) -> bool:  # type: ignore[override]
        """Whether the weighting or the selection looks at the labels."""
        by_labels = self.select is not None and Selection.of(self.select).uses_labels
        return by_labels or weighted_vectorizer(self.weighting).uses_labels

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in super().__getstate__().items() if name != "_places"}

    def fit_csr(
        self, X: Any, *, order: str = "alphabet", y: Any = None, weight: NDArray[np.float64] | None = None
    ) -> Csr:
        """Learn the features and return their rows, with columns by the alphabet or as they were first seen.

        Values that float32 cannot hold exactly make rows of float64, then and later.
        """
        features = as_feature_rows(X)
        selection = None if self.select is None else Selection.of(self.select)
        kept = self._kept(features, weight)
        if selection is not None:
            kept = kept[selection.columns(features.rows.keep_columns(kept), y, weight)]
        if order == "alphabet":
            kept = np.array(sorted(kept.tolist(), key=features.names.__getitem__), np.int64)
        names = features.names
        self._learned([names[j] for j in kept.tolist()])
        numbering = features.numbering
        self.numbers_ = None if numbering is None or not numbering.named else numbering.columns[kept]
        place = np.full(len(names), -1, np.int32)
        place[kept] = np.arange(len(kept), dtype=np.int32)
        self._places = (names, place)
        with np.errstate(over="ignore"):
            exact = bool((features.rows.values == features.rows.values.astype(np.float32)).all())
        self._type = np.dtype(np.float32 if exact else np.float64)
        rows = self._own_rows(features)
        self._weights = weighting_transformer(self.weighting, self.n_jobs)
        if self._weights is None:
            return rows
        self._weights.fit(rows, y, weight)
        return self._weights.transform_csr(rows)  # type: ignore[no-any-return]

    def transform_csr(self, X: Any) -> Csr:
        """Return the rows of further examples."""
        self._check_fitted()
        rows = self._own_rows(as_feature_rows(X))
        return rows if self._weights is None else self._weights.transform_csr(rows)

    def _learned(self, names: list[str]) -> None:
        vars(self).pop("_vocabulary", None)
        vars(self).pop("_table", None)
        self.feature_names_ = names

    def _kept(self, features: FeatureRows, weight: NDArray[np.float64] | None) -> NDArray[np.int64]:
        """Return the columns that occur often enough."""
        if not len(features):
            raise ValueError("there are no examples")
        holding = document_frequency(features.rows, weight)
        n = total_weight(weight, len(features))
        fewest = self.min_df if isinstance(self.min_df, Integral) else self.min_df * n
        often = reaches(holding, float(fewest))
        if self.min_count > 1:
            check_counts([features], "min_count")
            often &= column_totals(features.rows, weight) >= self.min_count
        kept = np.flatnonzero(often)
        if self.max_features is not None and len(kept) > self.max_features:
            kept = np.sort(kept[np.argsort(-holding[kept], kind="stable")[: self.max_features]])
        if not len(kept):
            asked = f"no feature is in {self.min_df:g} examples"
            asked += f" and occurs {self.min_count:,} times" if self.min_count > 1 else ""
            what = asked if holding.any() else "no example has a feature"
            raise ValueError(f"{what}: there is nothing to learn from")
        return kept

    def _own_rows(self, features: FeatureRows) -> Csr:
        """Return the rows of the known features."""
        rows = features.rows
        check_counts([features], self.weighting)
        place = self._place(features)
        if len(place) == len(self.feature_names_) and np.array_equal(place, np.arange(len(place))):
            moved = rows
        else:
            moved = rows.move_columns(place, len(self.feature_names_))
        with np.errstate(over="ignore"):  # an infinity is refused by the learner, with its place
            values = moved.values.astype(self._type, copy=False)
        return Csr(moved.indptr, moved.indices, values, moved.n_columns)

    def _place(self, features: FeatureRows) -> NDArray[np.int32]:
        """Return the column of each feature of feature rows; −1 for those that are not known."""
        names, place = vars(self).get("_places") or (None, np.zeros(0, np.int32))
        if names is not features.names:
            known: dict[Any, int] = self.vocabulary_
            asked: Any = features.names
            if self.numbers_ is not None and features.numbering is not None and not features.numbering.named:
                known = {int(j): column for column, j in enumerate(self.numbers_)}
                asked = features.numbering.columns.tolist()
            place = np.array([known.get(name, -1) for name in asked], np.int32)
            self._places = (features.names, place)
        return place

    def unknown(self, X: Any) -> list[str]:
        """Return the features of examples that were not there in ``fit``, or were left out."""
        self._check_fitted()
        features = as_feature_rows(X)
        return [features.names[j] for j in np.flatnonzero(self._place(features) < 0).tolist()]

    def occurrences(self, text: Any, columns: Columns) -> list[Occurrences]:
        """Return where the features are in a feature row as it is written."""
        from lindy.text.analysis.occurrences import Occurrences

        spans = np.array(list(text.places.values()), np.int64).reshape(-1, 2)
        number_of = {column: i for i, column in enumerate(columns.tolist())}
        own = [self.vocabulary_.get(name, -1) for name in text.places]
        feature = np.array([number_of.get(column, -1) for column in own], np.int64)
        unit = np.flatnonzero(feature >= 0)
        unknown = np.flatnonzero(np.array(own, np.int64) < 0)
        word = np.arange(len(spans))
        return [Occurrences(spans, word, feature[unit], np.ones(len(unit)), unit, unit + 1, {}, unknown)]

    def describe(self) -> str:
        """Return in a few words what the columns are."""
        return (
            "features as given"
            if self.weighting == "counts"
            else f"features, {WEIGHTINGS[self.weighting].title}"
        )

    def to_state(self) -> State:
        """Return everything that ``transform_csr`` needs: a dict for JSON and arrays."""
        config, arrays = super().to_state()
        options = {name: getattr(self, name) for name in ("weighting", "min_df", "max_features")}
        config = {"kind": config["kind"], **options, "dtype": self._type.name}
        if self.numbers_ is not None:
            arrays["numbers"] = self.numbers_
        if self._weights is None:
            return config, arrays
        weights, own = self._weights.to_state()
        return config | {"weights": weights}, arrays | with_prefix("weights.", own)

    @classmethod
    def from_state(cls, config: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> Self:
        """Return the vectorizer of a ``to_state``; anything unsound is a ``ValueError``."""
        made = cls(**{name: config[name] for name in ("weighting", "min_df", "max_features")})
        made._check_parameters()
        made._learned(read_names(arrays))
        if config["dtype"] not in ("float32", "float64"):
            raise ValueError("the saved vectorizer has an invalid type of values")
        made._type = np.dtype(config["dtype"])
        made.numbers_ = arrays.get("numbers")
        if made.numbers_ is not None and (
            made.numbers_.dtype != np.int32 or made.numbers_.shape != (made.n_columns,)
        ):
            raise ValueError("the saved vectorizer must have one number per feature")
        made._weights = weighting_transformer(made.weighting)
        if made._weights is not None:
            made._weights = type(made._weights).from_state(
                config["weights"], below_prefix("weights.", arrays)
            )
            if made._weights.n_features_in_ != made.n_columns:
                raise ValueError("the saved vectorizer must have one weight per feature")
        return made


def check_counts(parts: Sequence[FeatureRows], weighting: str) -> None:
    """Raise where a value is not a count, and the weighting (or ``min_count``) is about counts."""
    for features in parts if weighting != "counts" else ():
        values = features.rows.values
        wrong = np.flatnonzero((values < 0) | (values != np.rint(values)))
        if len(wrong):
            row = int(np.searchsorted(features.rows.indptr, wrong[0], side="right"))
            name = features.names[features.rows.indices[wrong[0]]]
            raise DataError(
                f"{name!r} of example {row:,} has the value {number(values[wrong[0]])}, which is not a count:"
                f" {kind_in_words(weighting)} needs whole numbers of at least 0",
                "Give counts, or leave out `min_count=`."
                if weighting == "min_count"
                else "Give counts, or learn from values as they are: `weighting='counts'`.",
            )
