"""The protocol of vectorizers: examples in, sparse rows out; columns with names and places in a text; a state.

=====================================  =====================================================================
``fit_csr``, ``transform_csr``         rows in float32; ``fit``, ``transform`` and ``fit_transform`` follow from them
``n_columns``, ``names_of``            how many columns there are, and what some of them are called
``features_of``, ``occurrences``       the columns of a word, and where the columns of a text's row are in the text
``to_state``, ``from_state``, ``kind`` what a model file keeps, and under which name (``vectorizer_registry``)
``learns``, ``learns_in_parts``        whether ``fit`` matters, and whether ``partial_fit`` can go on with it
``prepare``                            makes what finds columns in new texts before it is needed
``grown``, ``joined``                  one that has learned more, and where its columns went (``vocabulary_merge``)
``uses_labels``                        whether its rows depend on the labels that ``fit`` was given
``takes``                              the kind of its examples: texts, records, dictionaries, feature rows or images
``keeps_texts``                        whether its rows are the texts themselves, without columns
``pixels_of``                          of images, which pixels the columns are
``made_of_parts``                      whether an inspection shows its parts instead of its parameters
=====================================  =====================================================================

Code that uses a vectorizer needs nothing else; vectorizers of other libraries are wrapped (``foreign``).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from lindy import _native
from lindy.core.csr import Csr
from lindy.errors import AGAIN, UpdateError, invalid_parameter
from lindy.estimators.estimator import Estimator
from lindy.estimators.parameters import short_repr
from lindy.text.frame_output import FrameOutput
from lindy.text.vocabulary.vocabulary_merge import Grown, unchanged

if TYPE_CHECKING:
    from lindy.text.analysis.occurrences import Occurrences

COUNTED = frozenset({"sample_weight"})
"""The metadata that scikit-learn passes on to whatever counts rows, from a pipeline or search around it."""

Columns = NDArray[np.integer[Any]]
State = tuple[dict[str, Any], dict[str, NDArray[Any]]]  # a dict for JSON, and arrays


class TextPass(NamedTuple):
    """One vectorizer's part in a reading of texts: it takes batch after batch, then gives the rows of all of them."""

    take: Callable[[_native.Texts], None]
    finish: Callable[[], Csr]


class Vectorizer(FrameOutput, Estimator):
    """Makes sparse rows of examples. A subclass has at least ``fit_csr``, ``transform_csr`` and its columns' names."""

    _wanted = COUNTED
    kind: ClassVar[str] = ""
    """The name of the class in a model file; none if it cannot be saved."""
    learns: ClassVar[bool] = True
    """Whether rows depend on what ``fit`` has seen."""
    uses_labels: bool = False
    """Whether rows depend on the labels that ``fit`` was given."""
    learns_in_parts: bool = False
    """Whether ``partial_fit`` can learn from further examples."""
    learns_from_counts: bool = False
    """Whether ``learn_counts`` learns what ``fit`` does, from counts of terms added up over partitions of the texts."""
    not_exported: ClassVar[str] = "the exported JavaScript does not have it"
    """Why an exported page cannot make its rows, where it cannot."""
    cannot_grow: ClassVar[str] = "learns from all examples at once"
    """Why it cannot learn more, where it cannot."""
    stays_as_trained: ClassVar[bool] = False
    """Whether ``grown`` leaves it as it is, though ``fit`` matters: further texts are seen with what was learned."""
    takes: str = "texts"
    """The kind of its examples: "texts", "records", "features", "images" (``lindy.core.inputs``) or "dictionaries"."""
    keeps_texts: ClassVar[bool] = False
    """Whether rows are the texts themselves, for learners that want texts or trees, and have no columns."""
    cuts_terms: ClassVar[bool] = False
    """Whether columns are terms of texts, so that a word has columns of its own."""
    made_of_parts: ClassVar[bool] = False
    """Whether its parameters are other vectorizers, whose own parameters would fill a screen."""
    columns: Any = None
    """The columns of a table by what they are, for vectorizers of tables."""
    text_columns: Any = ()
    """The names of those that are texts."""

    def __sklearn_tags__(self) -> Any:
        tags = transformer_tags(string=True, two_d_array=self.columns is not None)
        tags.requires_fit = self.learns
        return tags

    def fit_csr(
        self, X: Any, *, order: str = "alphabet", y: Any = None, weight: NDArray[np.float64] | None = None
    ) -> Csr:
        """Learn from examples and return their float32 rows, with columns in an order if there is a choice.

        ``weight`` says how many examples each example is, a number above 0.
        """
        raise NotImplementedError

    def transform_csr(self, X: Any) -> Csr:
        """Return the float32 rows of further examples."""
        raise NotImplementedError

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn from examples; the labels ``y`` matter only to weightings that look at them.

        An example of weight 2 is two examples, and one of weight 0 is none.
        """
        X, y, weight = present_examples(X, y, sample_weight)
        self.fit_csr(X, y=y, **weight_option(weight))
        return self

    def fit_transform(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
        """Learn from examples and return their rows as a SciPy matrix, or as ``set_output`` says."""
        some, labels, weight = present_examples(X, y, sample_weight)
        rows = self.fit_csr(some, y=labels, **weight_option(weight))
        return rows.to_scipy() if some is X else self.transform_csr(X).to_scipy()

    def transform(self, X: Any) -> Any:
        """Return the rows of further examples as a SciPy matrix, or as ``set_output`` says."""
        return self.transform_csr(X).to_scipy()

    def fresh(self) -> Self:
        """Return an unfitted copy."""
        return type(self)(**self.get_params(deep=False))

    def fresh_after(self, n_before: float) -> Self:  # noqa: ARG002
        """Return an unfitted copy that would learn from ``n_before`` examples what this one has learned.

        A vectorizer from a file may not know everything that it was made with.
        """
        return self.fresh()

    @staticmethod
    def check(given: Any, name: str = "vectorizer") -> None:
        """Raise ParameterError unless a parameter is one of lindy's vectorizers."""
        if not isinstance(given, Vectorizer):
            library = type(given).__module__.partition(".")[0]
            found = short_repr(given) if library == "builtins" else f"{short_repr(given)} of {library}"
            raise invalid_parameter(
                f"{name} must be a vectorizer of lindy, such as lindy.text.TfidfVectorizer(); got {found}"
            )

    def check_learner(self, learner: Any) -> None:
        """Refuse a learner of columns on texts that are kept as they are, and a learner of texts on columns."""
        texts = not learner.input_kind.has_columns
        name, own = learner.class_name, type(self).__name__
        if texts and not self.keeps_texts:
            raise ValueError(
                f"{name} compares {learner.input_kind} as they are, and {own} makes columns of them:"
                " leave out the vectorizer"
            )
        if self.keeps_texts and not texts:
            raise ValueError(
                f"{name} needs columns, and {own} keeps texts as they are: leave out the vectorizer, or choose a"
                " learner with a kernel of texts or trees"
            )

    def prepare(self) -> None:
        """Make what finds the columns of new texts; otherwise it is made when it is first needed."""

    def fit_pass(
        self,
        dtype: np.dtype[Any] | None,  # noqa: ARG002
        order: str = "alphabet",  # noqa: ARG002
        weight: NDArray[np.float64] | None = None,  # noqa: ARG002
    ) -> TextPass | None:
        """Return what learns from texts batch by batch, beside others; None if it has to read them alone.

        Without a dtype it learns, but makes no rows.
        """
        return None

    def rows_pass(self) -> TextPass | None:
        """Return what makes rows of texts batch by batch, beside others; None if it has to read them alone."""
        return None

    def grown(self, X: Any, n_before: float, weight: NDArray[np.float64] | None = None) -> Grown:  # noqa: ARG002
        """Return a vectorizer that has learned from ``n_before`` examples and further ones (``vocabulary_merge``)."""
        if self.learns:
            raise UpdateError(f"{self.class_name} {self.cannot_grow}", AGAIN)
        return unchanged(self)

    def joined(self, other: Any, counts: tuple[float, float]) -> Grown:  # noqa: ARG002
        """Return the vectorizer of two corpora of so many examples, of which ``other`` has learned the second."""
        if self.learns:
            raise UpdateError(f"{self.class_name} {self.cannot_grow}", AGAIN)
        return unchanged(self)

    @property
    def n_columns(self) -> int:
        """How many columns the rows have."""
        raise NotImplementedError

    def names_of(self, columns: Columns) -> list[str]:
        """Return the names of some columns."""
        raise NotImplementedError

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:  # noqa: ARG002
        """Return the names of all columns."""
        self._check_fitted()
        return np.array(self.names_of(np.arange(self.n_columns)), dtype=object)

    @property
    def parts(self) -> list[tuple[str, Vectorizer]]:
        """Names and vectorizers whose columns stand side by side."""
        return [("", self)]

    @property
    def groups_(self) -> list[tuple[str, int]]:
        """The names of groups of columns and how many each has, for vectorizers whose columns stand in groups."""
        return []

    def features_of(self, word: str) -> NDArray[np.int64]:
        """Return the columns that are called so; of a vectorizer that cuts terms, those of the word as a whole."""
        if self.cuts_terms:
            return self._whole_terms(word)
        return np.flatnonzero([name == word for name in self.get_feature_names_out().tolist()])

    def _whole_terms(self, word: str) -> NDArray[np.int64]:
        """Return the columns of a word or phrase that cover all of it, not those of its parts.

        Where it is a word or an n-gram of words, the same characters as n-grams of characters are left out.
        """
        columns = self.transform_csr([word]).without_zeros().indices.astype(np.int64)
        found = self.occurrences(word, columns)
        if not found:
            return columns
        by_words, by_characters = np.zeros((2, len(columns)), bool)
        for part in found:
            if len(part.first):
                begin, end = part.spans[:, 0].min(), part.spans[:, 1].max()
                covers = (part.spans[part.first, 0] <= begin) & (part.spans[part.last - 1, 1] >= end)
                (by_characters if part.word is None else by_words)[part.feature[covers]] = True
        return columns[by_words if by_words.any() else by_characters]

    def occurrences(self, text: Any, columns: Columns) -> list[Occurrences]:  # noqa: ARG002
        """Return where the columns of a text's row are in it; [] if they are not cut from it."""
        return []

    def recorded_terms(self, columns: Columns) -> dict[int, list[str]]:  # noqa: ARG002
        """Return the terms of hashed columns, as far as they were recorded."""
        return {}

    def pixels_of(self, columns: Columns) -> NDArray[np.int64]:
        """Return which pixel of an image each column is, counted line by line; −1 for other columns."""
        return np.full(len(columns), -1, np.int64)

    def text_of(self, rows: Csr, row: int) -> str | None:  # noqa: ARG002
        """Return the text of a row, if the row holds all of it."""
        return None

    def describe(self) -> str:
        """Return in a few words what the columns are, as people say it: patterns, lexicons, token conjunctions."""
        name = type(self).__name__.removesuffix("Vectorizer")
        spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).lower()
        return spaced if spaced.endswith("s") else f"{spaced}s"

    def _facts(self) -> dict[str, str]:
        return {"columns": f"{self.n_columns:,} ({self.describe()})"}

    def to_state(self) -> State:
        """Return everything that ``transform_csr`` needs: a dict for JSON and arrays."""
        raise NotImplementedError

    @classmethod
    def from_state(cls, config: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> Self:
        """Return the vectorizer of a ``to_state``; anything unsound is a ``ValueError``."""
        raise NotImplementedError


class ListedColumns(Vectorizer):
    """A vectorizer that has a list of the names of its columns."""

    def _feature_names(self) -> list[str]:
        raise NotImplementedError

    @property
    def n_columns(self) -> int:
        """How many columns there are."""
        return len(self._feature_names())

    def names_of(self, columns: Columns) -> list[str]:
        """Return the names of some columns."""
        names = self._feature_names()
        return [names[column] for column in columns.tolist()]


class GroupedVectorizer(Vectorizer):
    """A vectorizer whose columns stand in groups, one after the other."""

    def group_names(self, number: int, columns: Columns) -> list[str]:
        """Return the full names of some columns of a group."""
        raise NotImplementedError

    @property
    def n_columns(self) -> int:
        """How many columns all groups have."""
        return sum(width for _, width in self.groups_)

    def names_of(self, columns: Columns) -> list[str]:
        """Return the names of some columns."""
        names = np.empty(len(columns), dtype=object)
        begin = 0
        for number, (_, width) in enumerate(self.groups_):
            mine = (columns >= begin) & (columns < begin + width)
            names[mine] = self.group_names(number, columns[mine] - begin)
            begin += width
        return [str(name) for name in names]


def present_examples(X: Any, y: Any, sample_weight: Any) -> tuple[Any, Any, NDArray[np.float64] | None]:
    """Return the examples of a weight above 0, with their labels and weights; all as they are without weights."""
    if sample_weight is None:
        return X, y, None
    from lindy.core.column import pick
    from lindy.core.weights import check_weight, present_rows

    X = X if hasattr(X, "__len__") else list(X)
    weight = check_weight(sample_weight, len(X))
    if (rows := present_rows(weight)) is None or weight is None:
        return X, y, weight
    return pick(X, rows), None if y is None else np.asarray(y)[rows], weight[rows]


def weight_option(weight: NDArray[np.float64] | None) -> dict[str, Any]:
    """Return what tells ``fit_csr``, ``fit_pass`` and ``grown`` of weights: nothing where there are none."""
    return {} if weight is None else {"weight": weight}


def transformer_tags(*, preserves_dtype: tuple[str, ...] = (), **inputs: bool) -> Any:
    """Return what scikit-learn asks of a transformer, with what its input may be."""
    from sklearn.utils import InputTags, Tags, TargetTags, TransformerTags

    return Tags(
        estimator_type=None,
        target_tags=TargetTags(required=False),
        transformer_tags=TransformerTags(preserves_dtype=list(preserves_dtype)),
        regressor_tags=None,
        classifier_tags=None,
        input_tags=InputTags(**inputs),
    )
