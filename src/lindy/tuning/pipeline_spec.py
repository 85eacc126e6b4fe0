"""From the options of ``TextClassifier`` to its parts: an unfitted vectorizer and an unfitted learner."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

import lindy.text
from lindy.core.column import pick
from lindy.core.feature_rows import FeatureRows
from lindy.core.image_column import ImageColumn
from lindy.core.targets import OneLabel, Targets
from lindy.data.splits.split_policy import SplitPolicy
from lindy.errors import DataError
from lindy.estimators.base import Classifier
from lindy.estimators.learners import InputKind, make_learner, set_threads
from lindy.estimators.parameters import check_whole
from lindy.evaluation.criterion import Criterion
from lindy.text.union import beside
from lindy.text.vocabulary.terms import term_vectorizer, words_beside
from lindy.tuning.early_stopping import early_candidates, stop_early
from lindy.tuning.foreign_learners import as_learner
from lindy.tuning.recipe import Recipe, part_vectorizer, without_texts

if TYPE_CHECKING:  # a learner by name needs no search
    from lindy.tuning.automatic import Choice
    from lindy.tuning.held_out import Task

#: what a word of a list is
_WORD = r"(?u)\b\w+\b"

MOST_DENSE = 1 << 27
"""Values that a learner of dense rows may make of all examples: a gigabyte."""


SCALINGS = ("standard", "range", "none")
"""The ways to scale numeric columns."""
FEATURE_OPTIONS = (
    "weighting", "ngrams", "chars", "subwords", "oov", "min_df", "min_count", "max_features", "select",
)  # fmt: skip
"""Options of a ``TextClassifier`` that a vectorizer takes the place of."""


@dataclass(frozen=True, slots=True)
class TrainingData:
    """The training data: examples (with a length) and labels, how much each counts, how they may be divided.

    ``weight`` has the weights of classes in it, and is for learners; ``row_weight`` says how many rows each example is,
    for whatever counts rows. Rows of weight 0 have been left out. ``criterion`` is what the model shall be good at.
    """

    texts: Any
    labels: Targets
    weight: NDArray[np.float64] | None
    division: SplitPolicy
    criterion: Criterion
    row_weight: NDArray[np.float64] | None = None


@dataclass(frozen=True, slots=True)
class PipelineSpec:
    """The options of a fit; see ``TextClassifier``."""

    learner: Any
    fast: bool
    thorough: bool
    recipe: Recipe | Choice | None
    weighting: str
    ngrams: tuple[int, int] | None
    chars: tuple[int, int] | None
    subwords: int | None
    oov: int | None
    min_df: int | float
    min_count: int
    max_features: int | None
    select: str | None
    vectorizer: Any
    extra: Sequence[Any]
    columns: Mapping[str, Sequence[str]] | None
    scaling: str
    early_stop: float | None
    n_jobs: int | None

    def parts(self, material: TrainingData) -> tuple[Any, Any, Choice | None]:
        """Return the unfitted vectorizer and learner, and what the automatic recipe found, if it was asked."""
        texts, choice = material.texts, self._choice(material)
        learner: Any = choice.recipe.make_learner() if choice else make_learner(as_learner(self.learner))
        if choice is None or self.recipe is not None:
            stop_early(learner, self.early_stop)
        set_threads(learner, self.n_jobs)
        self._check_wanted(learner)
        if isinstance(texts, FeatureRows):
            from lindy.tuning.feature_row_recipes import check_feature_row_options

            about = {"ngrams": self.ngrams, "subwords": self.subwords, "oov": self.oov, "extra": self.extra}
            check_feature_row_options(about, learner, texts)
        if isinstance(texts, ImageColumn):
            from lindy.tuning.image_recipes import check_image_options

            check_image_options(self._about_texts(), self.extra, learner)
        if choice is not None and choice.fitted is not None:
            vectorizer = choice.fitted[0]
        elif choice is None or self.vectorizer is not None:
            vectorizer = self._new_vectorizer(learner, material.labels, texts)
        else:
            vectorizer = choice.recipe.features.vectorizer(self.n_jobs, **self._limits(material))
        if vectorizer is not None:  # a table may have no texts
            vectorizer = beside(vectorizer, self.extra)
        if self.columns is not None and (vectorizer is None or vectorizer.columns is None):
            from lindy.features.table_vectorizer import of_columns

            vectorizer = of_columns(
                self.columns, vectorizer=vectorizer, scaling=learner.input_kind.scaling(self.scaling)
            )
        vectorizer.check_learner(learner)
        return vectorizer, learner, choice

    def search_share(self, texts: Any) -> float:
        """Return about which share of all the work the choice of a recipe is."""
        if self.recipe is not None or self.learner != "auto" or self.fast or self.vectorizer is not None:
            return 0.0
        from lindy.tuning.automatic import Limits, n_bytes

        return 5 / (5 + max(n_bytes(texts) / Limits().size, 1.0))

    def _choice(self, material: TrainingData) -> Choice | None:
        if self.recipe is None and self.learner != "auto":
            return None
        from lindy.tuning.automatic import THOROUGH, Choice, choose
        from lindy.tuning.candidates import fixed_recipe

        if self.recipe is not None:
            return self.recipe if isinstance(self.recipe, Choice) else Choice(self.recipe)
        if self.fast and self.thorough:
            raise ValueError("fast searches nothing and thorough searches more: leave one out")
        no_texts = self.columns is not None and not self.columns.get("text")
        texts = material.texts
        given = self._given_candidates(texts)
        if self.fast or self.vectorizer is not None:
            fixed = given[0] if given else fixed_recipe(self._words, self.chars, self.weighting)
            return Choice(self._open([fixed], no_texts)[0])
        candidates = self._open(given or self._text_candidates(texts), no_texts)
        return choose(self._task(material), candidates, THOROUGH if self.thorough else None)

    def _open(self, candidates: Sequence[Recipe], no_texts: bool) -> Sequence[Recipe]:
        """Return the candidates that columns and early stopping leave open."""
        candidates = [
            replace(own, features=replace(own.features, subwords=self.subwords)) for own in candidates
        ]
        candidates = without_texts(candidates) if no_texts else candidates
        return candidates if self.early_stop is None else early_candidates(candidates, self.early_stop)

    def _given_candidates(self, texts: Any) -> list[Recipe]:
        """Return the candidates of examples that are not texts; none for texts."""
        if isinstance(texts, ImageColumn):
            from lindy.tuning.image_recipes import image_candidates

            return image_candidates(texts)
        if isinstance(texts, FeatureRows):
            from lindy.tuning.feature_row_recipes import feature_row_candidates

            return feature_row_candidates(texts, self.weighting)
        return []

    def _task(self, material: TrainingData) -> Task:
        from lindy.tuning.held_out import Task

        return Task(
            material.texts,
            OneLabel.of(material.labels.codes),
            options=self._limits(material),
            extra=self.extra,
            columns=self.columns,
            scaling=self.scaling,
            sample_weight=material.weight,
            row_weight=material.row_weight,
            n_jobs=self.n_jobs,
            criterion=material.criterion,
            division=material.division,
        )

    def _about_texts(self) -> dict[str, Any]:
        """Return the options that say how texts become features, each only where it was given."""
        return {
            "weighting": self.weighting not in ("auto", "counts"),
            "ngrams": self.ngrams,
            "chars": self.chars,
            "subwords": self.subwords,
            "oov": self.oov,
            "min_df": self.min_df != 1,
            "min_count": self.min_count != 1,
            "max_features": self.max_features,
        }

    def _text_candidates(self, texts: Any) -> list[Recipe]:
        from lindy.tuning.automatic import n_bytes
        from lindy.tuning.candidates import candidates_for
        from lindy.tuning.scripts import char_lengths

        columns = [texts] if self.columns is None else [texts[name] for name in self.columns.get("text", ())]
        lengths = char_lengths(columns)
        size = n_bytes(texts)
        return candidates_for(
            self._words, self.weighting, self.chars, lengths, n_bytes=size, thorough=self.thorough
        )

    @property
    def _words(self) -> tuple[int, int] | None:
        """The n-grams of words, or of subwords, which stand beside characters even where no lengths were given."""
        return self.ngrams or ((1, 1) if self.subwords is not None and self.chars else None)

    def _limits(self, material: TrainingData) -> dict[str, Any]:
        """Return the vectorizers' limits: those given, or that many texts need no terms of a single one."""
        from lindy.tuning.automatic import rare_limit

        return self._asked_limits | {"min_df": rare_limit(material.texts, self.min_df, material.row_weight)}

    @property
    def asked(self) -> dict[str, Any]:
        """The options that say how many weights there are, as they were asked for."""
        return self._asked_limits | {"learner": "auto" if self.learner == "auto" else "given"}

    @property
    def _asked_limits(self) -> dict[str, Any]:
        limits = {name: getattr(self, name) for name in ("min_df", "min_count", "max_features", "select")}
        of_words = {"subwords": self.subwords, "oov": self.oov}
        if self.subwords is not None:
            check_whole("subwords", self.subwords, 0)
        return limits | {name: given for name, given in of_words.items() if given is not None}

    def _check_wanted(self, learner: Classifier) -> None:
        """Refuse a learner that cannot use what the texts or columns become."""
        name, columns = type(learner).__name__, self.columns or {}
        if learner.input_kind is InputKind.VALUES:
            raise ValueError(
                f"{name} with a precomputed kernel takes a matrix of kernel values, not texts: name a kernel"
            )
        if learner.input_kind is InputKind.CATEGORIES and columns.get("numeric"):
            raise ValueError(
                f"{name} takes categories, not measured numbers: leave out"
                f" {', '.join(columns['numeric'])}, or declare them as categories"
            )
        if self.scaling not in ("auto", *SCALINGS):
            raise ValueError(f"scaling must be one of {['auto', *SCALINGS]}; got {self.scaling!r}")
        if self.scaling != "auto" and not columns.get("numeric"):
            raise ValueError("scaling says what numeric columns become, and there are none: leave it out")
        if self.vectorizer is not None:
            self._refuse_beside_vectorizer()
        if self.select is not None and not learner.input_kind.learns_columns:
            raise ValueError(f"{name} has no features to select from: leave out select")
        if learner.input_kind is InputKind.WORDS and (self.columns is not None or self.extra):
            raise ValueError(f"{name} counts the words of one text: leave out other columns and features")
        unused = [key for key, given in self._about_texts().items() if given]
        if unused and not learner.input_kind.learns_columns:
            does = (
                "counts the words of its own lists"
                if learner.input_kind is InputKind.WORDS
                else "compares texts as they are"
            )
            raise ValueError(f"{name} {does}: {unused[0]} has no effect, leave it out")

    def _refuse_beside_vectorizer(self) -> None:
        """Refuse options of features where a vectorizer was given, which has its own."""
        options = self._about_texts() | {"weighting": self.weighting != "auto", "select": self.select}
        if given := [name for name, is_given in options.items() if is_given]:
            raise ValueError(
                f"{given[0]} applies to terms that TextClassifier cuts itself, and a vectorizer was given: give it to"
                " the vectorizer, or leave one of them out"
            )

    def _new_vectorizer(self, learner: Any, labels: Targets, texts: Any) -> Any:
        if self.vectorizer is not None:
            return self.vectorizer.fresh()
        if isinstance(texts, ImageColumn):
            from lindy.images.image_features import pixels_and_shapes

            return pixels_and_shapes(self.n_jobs)
        if isinstance(texts, FeatureRows):
            weighting = "counts" if self.weighting == "auto" else self.weighting
            return part_vectorizer("given", (1, 1), weighting, self.n_jobs, **self._asked_limits)
        if not learner.input_kind.has_columns:
            return lindy.text.SequenceVectorizer()
        if learner.input_kind is InputKind.WORDS:
            return lindy.text.CountVectorizer(
                vocabulary=learner.listed_words(labels.names), token_pattern=_WORD, n_jobs=self.n_jobs
            )
        weighting = learner.input_kind.weighting if self.weighting == "auto" else self.weighting
        return term_vectorizer(
            words_beside(self._words, self.chars),
            self.chars,
            weighting,
            **self._asked_limits,
            n_jobs=self.n_jobs,
        )


def some_of(X: Any, texts: Any, rows: NDArray[np.intp], converted: Callable[[Any], Any]) -> Any:
    """Return some of the examples as if only these had been given: X are all, and ``texts`` what was made of them.

    The features are numbered as they come.
    """
    if not isinstance(texts, FeatureRows):
        return pick(texts, rows)
    if texts is X:
        return texts.take(rows).numbered_anew()
    is_matrix = hasattr(X, "tocsr") and not hasattr(X, "take")
    return converted(X.tocsr()[rows] if is_matrix else pick(X, rows))


def give_words(learner: Any, names: list[str], values: NDArray[Any], classes: NDArray[Any]) -> None:
    """Tell a learner of word lists which word each column is.

    Raises
    ------
    ValueError
        If no column is a word of its lists, or values are no counts: it could only give the most frequent label.
    """
    listed = set(learner.listed_words(classes))
    name = type(learner).__name__
    if not any(word in listed or word.casefold() in listed for word in names):
        raise ValueError(
            f"none of the {len(names):,} features is a word of the lists of {name}: give it texts without a"
            " vectorizer, or features that are called by words"
        )
    if (values != np.rint(values)).any():
        raise ValueError(
            f"{name} counts words, but these features have other values: take counts, or no vectorizer"
        )
    learner.set_params(feature_names=names)


def check_dense(learner: Classifier, n_rows: int, n_columns: int) -> None:
    """Raise DataError where a learner that makes rows dense would need too much memory."""
    if learner.spec.dense and n_rows * n_columns > MOST_DENSE:
        raise DataError(
            f"{type(learner).__name__} makes rows dense: {n_rows:,} examples of {n_columns:,} features are too many",
            "keep fewer words (`max_features=`, `select=`), or choose another learner",
        )
