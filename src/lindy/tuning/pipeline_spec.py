"""From the options of ``TextClassifier`` to its parts: an unfitted vectorizer and an unfitted learner."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lindy.core.inputs import Inputs
from lindy.core.targets import Targets
from lindy.data.splits.split_policy import SplitPolicy
from lindy.errors import DataError
from lindy.estimators.base import Classifier
from lindy.estimators.learners import InputKind, learners_with, make_learner, set_threads
from lindy.estimators.output_weights import no_single_classes, one_label_only
from lindy.estimators.parameters import check_whole, with_parameters
from lindy.evaluation.criterion import Criterion
from lindy.linear.label_tree import MANY as MANY_LABELS
from lindy.linear.label_tree import LabelTree
from lindy.linear.one_vs_rest import OneVsRest
from lindy.linear.svm import SVM
from lindy.text.union import beside
from lindy.tuning.foreign_learners import as_learner
from lindy.tuning.input_recipes import InputRecipes, recipes_for
from lindy.tuning.recipe import Recipe, are_vectors, at_length, for_several, without_texts
from lindy.tuning.text_options import TextOptions

if TYPE_CHECKING:
    from lindy.tuning.automatic import Choice
    from lindy.tuning.held_out import Task


MANY = 1000
"""Texts from which on words of a single one are left out where texts have several labels: with them there would be four
times as many weights of every label, which say hardly more."""
VECTOR_LENGTHS = (1.0, 0.5, 0.0)
"""Of word vectors beside words, as factors, between which held-out texts decide; at 0 there are words alone."""
MOST_DENSE = 1 << 27
"""Values that a learner of dense rows may make of all examples: a gigabyte."""


SCALINGS = ("standard", "range", "none")
"""The ways to scale numeric columns."""
PATIENCE = 5
"""Epochs without improvement on the held-out texts after which a learner stops."""
MOST_EPOCHS = 100


@dataclass(frozen=True, slots=True)
class TrainingData:
    """The training data: inputs and labels, how much each counts, how they may be divided.

    ``weight`` has the weights of classes in it, and is for learners; ``row_weight`` says how many rows each example is,
    for whatever counts rows. Rows of weight 0 have been left out. ``criterion`` is what the model shall be good at.
    """

    inputs: Inputs
    labels: Targets
    weight: NDArray[np.float64] | None
    division: SplitPolicy
    criterion: Criterion
    row_weight: NDArray[np.float64] | None = None


@with_parameters
class PipelineSpec(TextOptions):
    """The options of a fit, and the unfitted parts that they ask for."""

    def parts(self, material: TrainingData) -> tuple[Any, Any, Choice | None]:
        """Return the unfitted vectorizer and learner, and what the automatic recipe found, if it was asked."""
        recipes = recipes_for(material.inputs)
        by_tree, n_labels = self._by_tree(material), len(material.labels.names)
        # against all others, one by one, but with sparse weights
        exact = (
            self.tree is False
            and material.criterion.several
            and n_labels >= MANY_LABELS
            and self._may_be_tree()
        )
        choice = self._choice(material, recipes, by_tree=by_tree or exact)
        learner: Any = choice.recipe.make_learner() if choice else make_learner(as_learner(self.learner))
        if choice is None or self.recipe is not None:
            stop_early(learner, self.early_stop)
        set_threads(learner, self.n_jobs)
        if by_tree or exact:
            trees = 1 if exact else self.trees
            learner = LabelTree(learner=learner, trees=trees, exact=exact, n_jobs=self.n_jobs)
        elif material.criterion.several:
            learner = self._of_several(learner)
        self._check_wanted(learner)
        recipes.check(self, learner)
        if choice is not None and choice.fitted is not None:
            vectorizer = choice.fitted[0]
        elif self.vectorizer is not None:
            vectorizer = self.vectorizer.fresh()
        elif choice is None:
            vectorizer = recipes.vectorizer(self, learner, material.labels.names)
        else:
            vectorizer = choice.recipe.features.vectorizer(self.n_jobs, **self._limits(material))
        if vectorizer is not None:  # a table may have no texts
            factor = 1.0 if choice is None else choice.recipe.features.vectors
            vectorizer = beside(vectorizer, at_length(self.extra, factor))
        if self.columns is not None and (vectorizer is None or vectorizer.columns is None):
            from lindy.features.table_vectorizer import of_columns

            vectorizer = of_columns(
                self.columns, vectorizer=vectorizer, scaling=learner.input_kind.scaling(self.scaling)
            )
        vectorizer.check_learner(learner)
        if material.criterion.several and vectorizer.uses_labels:
            raise no_single_classes()
        return vectorizer, learner, choice

    def _by_tree(self, material: TrainingData) -> bool:
        """Return whether the labels are learned by label trees."""
        from lindy.tuning.tree_step import takes_tree

        if self.recipe is not None:
            return False
        return takes_tree(self.tree, len(material.labels.names), self._why_no_tree())

    def _may_be_tree(self) -> bool:
        return self.recipe is None and not self._why_no_tree()

    def _why_no_tree(self) -> str:
        """Return why there can be no label tree with these options; empty where there can."""
        from lindy.tuning.tree_step import refusal

        chosen = SVM() if self.learner == "auto" else as_learner(self.learner)
        options = {
            name: getattr(self, name) for name in ("calibration", "metric", "class_weight", "early_stop")
        }
        return refusal(make_learner(chosen), **options)

    def _of_several(self, learner: Any) -> OneVsRest:
        """Return the learner for each of several labels; refuses options that are about one label per text."""
        for name in ("class_weight", "early_stop"):
            if getattr(self, name):
                raise DataError(
                    f"{name} is for one label per text, and these have several", f"leave out `{name}=`"
                )
        if learner.input_kind is InputKind.WORDS:
            raise one_label_only(learner)
        return OneVsRest(learner=learner, n_jobs=self.n_jobs)

    def search_share(self, inputs: Inputs) -> float:
        """Return about which share of all the work the choice of a recipe is."""
        if self.recipe is not None or self.learner != "auto" or self.fast or self.vectorizer is not None:
            return 0.0
        from lindy.tuning.automatic import Limits

        return 5 / (5 + max(inputs.n_bytes / Limits().size, 1.0))

    def _choice(
        self, material: TrainingData, recipes: InputRecipes, *, by_tree: bool = False
    ) -> Choice | None:
        if self.recipe is None and self.learner != "auto":
            return None
        from lindy.tuning.automatic import THOROUGH, Choice, choose

        if self.recipe is not None:
            return self.recipe if isinstance(self.recipe, Choice) else Choice(self.recipe)
        if self.fast and self.thorough:
            raise ValueError("fast searches nothing and thorough searches more: leave one out")
        no_texts = self.columns is not None and not self.columns.get("text")
        if self.fast or self.vectorizer is not None or by_tree:
            fixed = self._open([recipes.fixed(self)], no_texts)
            return Choice((for_several(fixed) if material.criterion.several or by_tree else fixed)[0])
        candidates = self._open(recipes.candidates(self), no_texts)
        if any(map(are_vectors, self.extra)):
            candidates = [
                replace(own, features=replace(own.features, vectors=factor))
                for factor in VECTOR_LENGTHS
                for own in candidates
            ]
        if material.criterion.several:
            candidates = for_several(candidates)
        return choose(self._task(material), candidates, THOROUGH if self.thorough else None)

    def _open(self, candidates: Sequence[Recipe], no_texts: bool) -> Sequence[Recipe]:
        """Return the candidates that columns and early stopping leave open."""
        candidates = [
            replace(own, features=replace(own.features, subwords=self.subwords)) for own in candidates
        ]
        candidates = without_texts(candidates) if no_texts else candidates
        return candidates if self.early_stop is None else early_candidates(candidates, self.early_stop)

    def _task(self, material: TrainingData) -> Task:
        from lindy.tuning.held_out import Task

        return Task(
            material.inputs,
            material.labels.numbered(),
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

    def about_texts(self) -> dict[str, Any]:
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

    @property
    def words(self) -> tuple[int, int] | None:
        """The n-grams of words, or of subwords, which stand beside characters even where no lengths were given."""
        return self.ngrams or ((1, 1) if self.subwords is not None and self.chars else None)

    def _limits(self, material: TrainingData) -> dict[str, Any]:
        """Return the vectorizers' limits: those given, or that many texts need no terms of a single one."""
        from lindy.tuning.automatic import rare_limit

        limit = rare_limit(material.inputs, self.min_df, material.row_weight)
        if limit == 1 and material.criterion.several and len(material.labels) >= MANY:
            limit = rare_limit(material.inputs, self.min_df, material.row_weight, most=0)
        return self.asked_limits | {"min_df": limit}

    @property
    def asked(self) -> dict[str, Any]:
        """The options that say how many weights there are, as they were asked for."""
        return self.asked_limits | {"learner": "auto" if self.learner == "auto" else "given"}

    @property
    def asked_limits(self) -> dict[str, Any]:
        """The limits of vectorizers, as they were asked for."""
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
        unused = [key for key, given in self.about_texts().items() if given]
        if unused and not learner.input_kind.learns_columns:
            does = (
                "counts the words of its own lists"
                if learner.input_kind is InputKind.WORDS
                else "compares texts as they are"
            )
            raise ValueError(f"{name} {does}: {unused[0]} has no effect, leave it out")

    def _refuse_beside_vectorizer(self) -> None:
        """Refuse options of features where a vectorizer was given, which has its own."""
        options = self.about_texts() | {"weighting": self.weighting != "auto", "select": self.select}
        if given := [name for name, is_given in options.items() if is_given]:
            raise ValueError(
                f"{given[0]} applies to terms that TextClassifier cuts itself, and a vectorizer was given: give it to"
                " the vectorizer, or leave one of them out"
            )


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


def options_for(share: float) -> dict[str, Any]:
    """Return the options of a learner that holds out this share of the texts.

    Raises
    ------
    ValueError
        If that is no share.
    """
    if not 0 < share < 1:
        raise ValueError(f"early_stop={share:g} is not a share of the texts between 0 and 1, such as 0.1")
    return {"held_out": share, "patience": PATIENCE, "epochs": MOST_EPOCHS}


def stop_early(learner: Any, share: float | None) -> None:
    """Tell a learner to hold texts out, if it is asked to and goes over them in epochs.

    Raises
    ------
    ValueError
        If it does not.
    """
    if share is None:
        return
    options, known = options_for(share), learner.get_params()
    if not options.keys() <= known.keys():
        raise ValueError(
            f"{learner.class_name} does not learn in epochs: stop {' or '.join(learners_with('patience'))} early; where"
            " a learner has C, a smaller one helps"
        )
    learner.set_params(**options)


def early_candidates(candidates: Sequence[Recipe], share: float) -> list[Recipe]:
    """Return the features of candidates with the learners that can stop early in the place of theirs.

    Both are made for weights: counts stay only where nothing else was left open.
    """
    features = list(dict.fromkeys(recipe.features for recipe in candidates))
    weighted = [own for own in features if own.weighting != "counts"] or features
    return [
        replace(candidates[0], features=own, learner=learner, params=options_for(share))
        for learner in ("mira", "perceptron")
        for own in weighted
    ]
