"""Several kinds of terms side by side: words and characters, say."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from lindy.core.csr import Csr, side_by_side
from lindy.errors import invalid_parameter
from lindy.estimators.parameters import short_repr, with_parameters
from lindy.text.analysis.analyzer import Analyzer
from lindy.text.foreign_vectorizers import as_vectorizer
from lindy.text.vectorizer import (
    Columns,
    GroupedVectorizer,
    State,
    TextPass,
    Vectorizer,
    present_examples,
    weight_option,
)
from lindy.text.vectorizer_registry import vectorizer_from_state
from lindy.text.vectorizer_state import below_prefix, with_prefix
from lindy.text.vocabulary.vocabulary_merge import Grown, grown_together

if TYPE_CHECKING:
    from lindy.text.analysis.occurrences import Occurrences


@with_parameters
class UnionVectorizer(GroupedVectorizer):
    """Columns of several vectorizers side by side, from one reading of the texts.

    Parameters
    ----------
    vectorizers : list of (str, vectorizer)
        Names and vectorizers; a column is called name__term, or just term where the name is empty. Vectorizers of
        other libraries need ``fit`` and ``transform``, and read the texts themselves. Parameters of a named part are
        reached as name__parameter.

    Examples
    --------
    >>> from lindy.text import CountVectorizer, UnionVectorizer
    >>> union = UnionVectorizer(vectorizers=[
    ...     ("word", CountVectorizer()), ("char", CountVectorizer(analyzer="char_wb", ngram_range=(2, 2)))])
    >>> union.fit(["so so"]).get_feature_names_out().tolist()
    ['word__so', 'char__ s', 'char__o ', 'char__so']
    """

    kind = "union"
    made_of_parts = True

    vectorizers: list[tuple[str, Any]]

    __sklearn_tags__ = Analyzer.__sklearn_tags__

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the list of vectorizers; with ``deep`` also those with a name, and their parameters."""
        params: dict[str, Any] = {"vectorizers": self.vectorizers}
        if deep:
            for name, part in self._named().items():
                params[name] = part
                nested = (
                    {} if isinstance(part, type) or not hasattr(part, "get_params") else part.get_params()
                )
                params.update((f"{name}__{key}", value) for key, value in nested.items())
        return params

    def set_params(self, **params: Any) -> Self:
        """Set the list of vectorizers, a vectorizer by its name, or its parameter b as name__b."""
        self.vectorizers = params.pop("vectorizers", self.vectorizers)
        for key in [key for key in params if key in self._named()]:
            new = params.pop(key)
            self.vectorizers = [(name, new if name == key else part) for name, part in self.vectorizers]
        named = self._named()
        for key, value in params.items():
            name, _, rest = key.partition("__")
            if name not in named or not rest:
                valid = ["vectorizers", *named]
                raise ValueError(
                    f"Invalid parameter {key!r} for estimator {self}. Valid parameters are: {valid!r}."
                )
            named[name].set_params(**{rest: value})
        return self

    def _named(self) -> dict[str, Any]:
        """Return the vectorizers that can be reached by a name."""
        try:
            return {name: part for name, part in self.vectorizers if name and name != "vectorizers"}
        except (TypeError, ValueError):
            return {}  # no list of pairs, which fit will say

    def __sklearn_is_fitted__(self) -> bool:
        return all(part.__sklearn_is_fitted__() for _, part in self.parts)

    @property
    def parts(self) -> list[tuple[str, Vectorizer]]:
        """The names and vectorizers, those of other libraries wrapped; an error says what is expected of them."""
        try:
            named = [(name, vectorizer) for name, vectorizer in self.vectorizers]
        except (TypeError, ValueError):
            raise invalid_parameter(
                f"vectorizers must be a list of (name, vectorizer); got {short_repr(self.vectorizers)}"
            ) from None
        if not named:
            raise ValueError("vectorizers is empty: a union needs at least one (name, vectorizer)")
        for name, vectorizer in named:
            methods = (hasattr(vectorizer, "fit"), hasattr(vectorizer, "transform"))
            if not isinstance(name, str) or not all(methods) or isinstance(vectorizer, type):
                raise TypeError(
                    "every part of vectorizers must be a name and a vectorizer with fit and transform; got"
                    f" ({name!r}, {vectorizer!r})"
                )
        return [(name, as_vectorizer(vectorizer)) for name, vectorizer in named]

    def fresh(self) -> Self:
        """Return an unfitted copy, with copies of the parts."""
        return type(self)(vectorizers=[(name, part.fresh()) for name, part in self.parts])

    def fresh_after(self, n_before: float) -> Self:
        """Return an unfitted copy that would learn what this one has learned."""
        return type(self)(vectorizers=[(name, part.fresh_after(n_before)) for name, part in self.parts])

    def prepare(self) -> None:
        """Prepare every vectorizer."""
        for _, part in self.parts:
            part.prepare()

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Fit every vectorizer; an example of weight 2 is two examples, and one of weight 0 is none."""
        X, y, weight = present_examples(X, y, sample_weight)
        given, own = weight_option(weight), {} if weight is None else {"sample_weight": weight}
        self._read(X, lambda v: v.fit_pass(None, **given), lambda v, texts: v.fit(texts, y, **own))
        return self

    @property
    def uses_labels(self) -> bool:  # type: ignore[override]
        """Whether the rows of a part depend on labels."""
        return any(part.uses_labels for _, part in self.parts)

    @property
    def takes(self) -> str:  # type: ignore[override]
        """Images if a part takes them: then all must."""
        kinds = {part.takes for _, part in self.parts}
        return "images" if "images" in kinds else "texts"

    @property
    def learns_in_parts(self) -> bool:  # type: ignore[override]
        """Whether all of its vectorizers have ``partial_fit``."""
        return all(part.learns_in_parts for _, part in self.parts)

    def partial_fit(self, X: Any, y: Any = None) -> Self:
        """Fit every vectorizer to further texts."""
        parts, texts = [part for _, part in self.parts], _lasting(X)
        for part in parts:
            if not part.learns_in_parts:
                raise TypeError(f"{part.class_name} has no partial_fit, so neither has this union")
        for part in parts:
            part.partial_fit(texts, y)  # type: ignore[attr-defined]
        return self

    def grown(self, X: Any, n_before: float, weight: NDArray[np.float64] | None = None) -> Grown:
        """Return the union of vectorizers that have learned from further texts."""
        texts, given = _lasting(X), weight_option(weight)
        return self._side_by_side([part.grown(texts, n_before, **given) for _, part in self.parts])

    def joined(self, other: Any, counts: tuple[float, float]) -> Grown:
        """Return the union of vectorizers of two corpora."""
        pairs = zip(self.parts, other.parts, strict=True)
        return self._side_by_side([mine.joined(theirs, counts) for (_, mine), (_, theirs) in pairs])

    def _side_by_side(self, grown: list[Grown]) -> Grown:
        names = [name for name, _ in self.parts]
        made = type(self)(vectorizers=list(zip(names, [part.vectorizer for part in grown], strict=True)))
        return grown_together(made, grown)

    def fit_csr(
        self, X: Any, *, order: str = "alphabet", y: Any = None, weight: NDArray[np.float64] | None = None
    ) -> Csr:
        """Fit every vectorizer, with its own columns in the given order, and return the float32 rows."""
        dtype, given = np.dtype(np.float32), weight_option(weight)
        rows = self._read(
            X,
            lambda v: v.fit_pass(dtype, order, **given),
            lambda v, texts: v.fit_csr(texts, order=order, y=y, **given),
        )
        return side_by_side(rows)

    def transform_csr(self, X: Any) -> Csr:
        """Return the texts' rows in float32."""
        return side_by_side(self._read(X, lambda v: v.rows_pass(), lambda v, texts: v.transform_csr(texts)))

    def _read(
        self,
        raw_documents: Any,
        start: Callable[[Vectorizer], TextPass | None],
        alone: Callable[[Vectorizer, Any], Any],
    ) -> list[Any]:
        """Return the rows of every vectorizer, from one reading of the texts for all that can share it.

        Those that cannot (callables, other encodings) read the texts themselves.
        """
        parts = [part for _, part in self.parts]
        first = next((part for part in parts if isinstance(part, Analyzer)), None)
        passes = [None if first is None or not first.reads_as(part) else start(part) for part in parts]
        documents = raw_documents if None not in passes else _lasting(raw_documents)
        sharing = [reading for reading in passes if reading is not None]
        if first is not None and sharing:
            for texts in first.text_batches(documents):
                for reading in sharing:
                    reading.take(texts)
        return [
            alone(part, documents) if reading is None else reading.finish()
            for part, reading in zip(parts, passes, strict=True)
        ]

    @property
    def groups_(self) -> list[tuple[str, int]]:
        """The vectorizers' names and how many columns each has, in the order of the columns."""
        return [(name, part.n_columns) for name, part in self.parts]

    def group_names(self, number: int, columns: Columns) -> list[str]:
        """Return the terms of a part with its name before them; hashed columns are called by their number, #0."""
        name, part = self.parts[number]
        return [prefix(name) + term for term in part.names_of(columns)]

    def features_of(self, word: str) -> NDArray[np.int64]:
        """Return the columns that are called so beside the terms of texts; if there are none, the word's as a whole."""
        named, begin = [np.zeros(0, np.int64)], 0
        for name, part in self.parts:
            if not part.cuts_terms and word.startswith(prefix(name)):
                named.append(begin + part.features_of(word.removeprefix(prefix(name))))
            begin += part.n_columns
        exact = np.concatenate(named)
        if len(exact) or not any(part.cuts_terms for _, part in self.parts):
            return exact
        return self._whole_terms(word)

    def occurrences(self, text: Any, columns: Columns) -> list[Occurrences]:
        """Return where the columns of all parts are in a text."""
        from lindy.text.analysis.occurrences import Part, part_occurrences

        parts = [Part(part, part.n_columns, text) for _, part in self.parts]
        return part_occurrences(parts, columns)

    def pixels_of(self, columns: Columns) -> NDArray[np.int64]:
        """Return the pixel that each column is, of whichever part; −1 for the others."""
        pixels, begin = np.full(len(columns), -1, np.int64), 0
        for _, part in self.parts:
            mine = (columns >= begin) & (columns < begin + part.n_columns)
            pixels[mine] = part.pixels_of(columns[mine] - begin)
            begin += part.n_columns
        return pixels

    def describe(self) -> str:
        """Return what the columns of all parts are; a weighting that they share is said once."""
        said = [part.describe() for _, part in self.parts]
        terms, _, weightings = zip(*(own.rpartition(", ") for own in said), strict=True)
        if all(terms) and len(set(weightings)) == 1:
            return f"{' and '.join(terms)}, {weightings[0]}"
        return " and ".join(said)

    def to_state(self) -> State:
        """Return what ``transform`` needs: the parts' states, arrays with the part's number in front."""
        parts, arrays = [], dict[str, NDArray[Any]]()
        for i, (name, part) in enumerate(self.parts):
            if not part.kind:
                raise ValueError(
                    f"part {name!r} is not a vectorizer of lindy ({part.class_name}) and cannot be saved"
                )
            config, own = part.to_state()
            parts.append({"name": name, "config": config})
            arrays |= with_prefix(f"{i}.", own)
        return {"kind": self.kind, "parts": parts}, arrays

    @classmethod
    def from_state(cls, config: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> Self:
        """Return the vectorizer of a ``to_state``; anything unsound is a ``ValueError``."""
        parts = config.get("parts")
        if not isinstance(parts, list) or not 1 <= len(parts) <= 100:
            raise ValueError("the saved union has no list of parts")
        vectorizers = []
        for i, part in enumerate(parts):
            if not isinstance(part, dict) or not isinstance(part.get("name"), str):
                raise ValueError("a part of the saved union has no name")
            if not isinstance(part.get("config"), dict) or part["config"].get("kind") == cls.kind:
                raise ValueError("a part of the saved union is not a vectorizer")
            own = vectorizer_from_state(part["config"], below_prefix(f"{i}.", arrays))
            vectorizers.append((part["name"], own))
        return cls(vectorizers=vectorizers)


def beside(vectorizer: Vectorizer, others: Iterable[Vectorizer]) -> Vectorizer:
    """Return a vectorizer with copies of others beside it, whose names stand as they are."""
    extra = [("", as_vectorizer(other, "each vectorizer of extra").fresh()) for other in others]
    return UnionVectorizer(vectorizers=[*vectorizer.parts, *extra]) if extra else vectorizer


def prefix(name: str) -> str:
    """Return what stands before the terms of a part."""
    return f"{name}__" if name else ""


def _lasting(raw_documents: Any) -> Any:
    """Return texts that can be read several times."""
    return raw_documents if hasattr(raw_documents, "__len__") else list(raw_documents)
