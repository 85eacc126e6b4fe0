"""``TextClassifier``: from texts and labels to a model that predicts, and that can be saved."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self

from numpy.typing import ArrayLike

from lindy.core.targets import Targets, as_targets
from lindy.core.weights import check_weight, present_rows
from lindy.data.splits.split_policy import SplitPolicy
from lindy.errors import DataError, ModelFileError, RareClassWarning
from lindy.estimators.base import classifier_tags
from lindy.estimators.estimator import Estimator, labels_missing
from lindy.estimators.notebook import listed
from lindy.estimators.parameters import with_parameters
from lindy.estimators.serialization import training_facts, training_summary
from lindy.modelfile import read_model, write_model
from lindy.modelfile.text_classifiers import pack, unpack
from lindy.progress import Listener, shown
from lindy.sanitize import sanitize
from lindy.scoring import Scored
from lindy.textmodel import TextModel, in_partitions
from lindy.tuning.text_options import TextOptions

if TYPE_CHECKING:
    from lindy.data import TextData
    from lindy.data.mail import MailWords
    from lindy.tuning.pipeline_spec import TrainingData


def _too_few_classes(labels: Targets) -> DataError:
    found = f"there is only one class: all {len(labels)} examples have the same label, "
    return DataError(
        found + repr(labels.names.tolist()[0]) if len(labels) else "there are no examples to learn from",
        "a classifier needs examples of at least two classes; check the label column",
    )


@with_parameters
class TextClassifier(TextOptions, TextModel):
    """A text pipeline and a learner in one.

    Attributes
    ----------
    classes_, class_counts_ : the labels, and how many examples had each, every one as often as its weight says
    vectorizer_, learner_ : fitted
    calibrator_ : from scores to probabilities, or None
    rule_ : how the label follows from the scores, if it is not simply that of the highest one
    concerns_ : what should be known about the model, such as a rare class that is hardly ever predicted
    recipe_, why_ : what the model is made of, in a line, and for the automatic recipe the lines that explain the choice
    taxonomy_, hierarchy_ : what stands above which labels, and what of it stands above those of the model; or None
    outcomes_ : what the model says of examples that were held out of its training, as counts; None if none were
    true_probabilities_ : how probable it took their labels to be, as counts, for ``predict_set``; None likewise
    small_ : of a model that was made small, of how many features it was made, and the loss; None of another
    seen_ : fingerprints of the examples that were used, by role: "training" and "tuning"; see :meth:`remember`

    Examples
    --------
    >>> from lindy import TextClassifier
    >>> model = TextClassifier().fit(["a joy to read", "dull and long"], ["good", "bad"])
    >>> model.predict(["such a joy"])
    array(['good'], dtype=object)
    """

    _estimator_type = "classifier"
    _unrouted = Estimator._unrouted | {"source", "progress", "as_frame", "reject"}

    def __repr__(self) -> str:
        unfitted = super().__repr__()
        if not self.__sklearn_is_fitted__():
            return unfitted
        n, K = self.n_examples, len(self.classes_)
        return f"{unfitted} fitted to {n:,} examples of {K:,} classes: {sanitize(self.recipe_)}"

    def _facts(self) -> dict[str, str]:
        counts = [
            f"{c} ({n:,})" for c, n in zip(self.classes_.tolist(), self.class_counts_.tolist(), strict=True)
        ]
        said = {
            "recipe": self.recipe_,
            "examples": f"{self.n_examples:,}",
            "classes": listed(counts),
            "features": f"{self.vectorizer_.n_columns:,}",
            **training_facts(self.training_),
        }
        if self.calibrator_ is not None:
            said["probabilities"] = f"by {self.calibrator_.method} calibration"
        said |= {} if self.metric == "accuracy" else {"metric": self.metric}
        said |= {} if self.hierarchy_ is None else {"hierarchy": self.hierarchy_.said()}
        said |= (
            {} if self.kept_ is None else {"kept rows": f"{len(self.kept_):,} texts and labels, as they are"}
        )
        said |= {} if self.small_ is None else {"small": str(self.small_)}
        said |= {"note": "; ".join(self.concerns_)} if self.concerns_ else {}
        return said | ({"why": "\n".join(self.why_)} if self.why_ else {})

    def __sklearn_tags__(self) -> Any:
        fitted = getattr(self, "vectorizer_", self.vectorizer)
        texts = self.columns is None and (fitted is None or fitted.columns is None)
        return classifier_tags(one_d_array=texts, two_d_array=not texts, string=True)

    @staticmethod
    def _elsewhere(name: str) -> str:
        """Return where an argument belongs that is not one of this class: to a learner or to a vectorizer."""
        from lindy.estimators.learners import REGISTRY, learners_with

        if name == "ngram_range":
            return "Did you mean 'ngrams'? "
        if with_it := learners_with(name):
            kind = REGISTRY[with_it[0]][1]
            return f"It is an option of learners: TextClassifier(learner={kind}({name}=…))"
        return ""

    def fit(
        self,
        X: Any,
        y: Any = None,
        sample_weight: ArrayLike | None = None,
        *,
        groups: Any = None,
        time: Any = None,
        source: Mapping[str, str] | None = None,
        progress: bool | Listener | None = None,
    ) -> Self:
        """Learn from texts (a list, a NumPy, pandas, polars or Arrow column), a table, features or images, and labels.

        Parameters
        ----------
        X : texts, table, feature rows or images
            With a table, ``columns`` says what its columns are. Feature rows, whose values are taken as they are, are
            a list of dictionaries from name to value, what ``lindy.data`` reads from svmlight, Vowpal Wabbit and
            ``.review`` files, or a sparse matrix. Images are an array of images × rows × columns (``lindy.images``).
            A frame of Dask or Spark has texts and labels; ``y`` is then the name of its label column, or None for the
            one whose name says so (``lindy.distributed``).
            Or batches, any number of them: an iterable of (texts, labels), of (texts, labels, weights), or of Arrow
            record batches or data frames, whose columns ``source`` names. What does not fit into memory goes to files
            meanwhile.
        y : labels
            Strings, integers or booleans, one for each text; None for batches, which have them.
        sample_weight : array (texts,) or None
            How many texts each text is, for learners that can weigh examples: one of weight 2 is two texts, in all that
            is counted and learned, and one of weight 0 is not there. Where none is given, those of a Vowpal Wabbit file
            are taken. Of a frame, the name of its column of weights.
        groups : list, SplitPolicy or None
            A value for each text, such as its author, customer or conversation: where texts are held out (to compare
            recipes, to stop early, for probabilities and thresholds), those of one group are never on both sides. A
            text whose group is None is a group of its own.
        time : list or None
            When each text was written (numbers, dates or ISO strings): no text is held out that is earlier than one
            that is learned from beside it. The last texts are held out, in expanding windows.
        source : dict or None
            Where the texts came from, kept in ``columns_``: the names of the columns "text" and "label", and how the
            table was read (``lindy.data.columns.preparation``).
        progress : bool, function or None
            True shows a bar, in a terminal on stderr or in a notebook; a function is called with the share of the work
            that is done, from 0 to 1, and with what is being done, such as "recipe 2 of 2, …, round 12, gap 2e-03".
        """
        if in_partitions(X):
            from lindy.distributed.cluster_frames import fit_frame

            if groups is not None or time is not None:
                raise ValueError("frames of Dask and Spark are learned from without groups and time")
            with shown(progress, "learning"):
                fit_frame(self, X, y, source, sample_weight)
            return self
        from lindy.data.chunks.batch_input import batches_in, gathered

        with shown(progress, "learning"):
            if y is None and (batched := batches_in(X)) is not None:
                with gathered(batched, source) as all_of_them:
                    texts, labels, weight, source = all_of_them
                    self._fit(texts, labels, weight if sample_weight is None else sample_weight, groups, time)
            else:
                self._fit(X, y, sample_weight, groups, time)
        self.columns_ = dict(source or {})
        from lindy.evaluation.diagnostics import lone_labels, uneven

        counts = self.class_counts_
        # in searches over strengths, models that say nothing are usual where classes are equally common
        usual = self.metric == "accuracy" and self.taxonomy_ is None
        if usual and not uneven(counts) and lone_labels(counts) is None:
            return self
        for said in self.concerns_:
            warnings.warn(RareClassWarning(said), stacklevel=3)
        return self

    def _fit(self, X: Any, y: Any, sample_weight: ArrayLike | None, groups: Any, time: Any) -> None:
        # what only fits need, so that a program that loads and predicts starts without it
        from lindy.data.taxonomy import taxonomy_of, unplaced_labels
        from lindy.tuning.foreign_learners import as_learner
        from lindy.tuning.pipeline_fit import fit_parts
        from lindy.tuning.pipeline_spec import PipelineSpec
        from lindy.tuning.recipe import describe

        selected = ""
        if self.select is not None:
            from lindy.text.vocabulary.feature_selection import Selection

            selected = f"; {Selection.of(self.select)}"
        learner = as_learner(self.learner)
        data = self._training_data(X, y, sample_weight, groups, time)
        self.taxonomy_ = taxonomy_of(self.hierarchy, data.labels.names.tolist())
        kept = None
        if self.keep_rows:
            from lindy.modelfile.kept import Kept

            kept = Kept.of(data.inputs.values, data.labels, data.row_weight, self.calibration)
        plan = PipelineSpec(**self.get_params(deep=False) | {"learner": learner})
        made = fit_parts(plan, data, self.calibration)
        vectorizer, learner, choice, judged = made.vectorizer, made.learner, made.choice, made.judged
        self.calibrator_, self.rule_, self.concerns_ = judged.calibrator, judged.rule, judged.concerns
        self.outcomes_, self.true_probabilities_ = judged.outcomes, judged.true_probabilities
        self.concerns_ += unplaced_labels(self.taxonomy_, data.labels.names.tolist())
        self.vectorizer_, self.learner_, self.classes_ = vectorizer, learner, data.labels.names
        self.class_counts_ = data.labels.weighted_counts(data.row_weight)
        self.n_examples_ = float(len(data.labels) if data.row_weight is None else data.row_weight.sum())
        self.recipe_ = (
            choice.recipe.described(self.extra)
            if choice is not None and self.vectorizer is None and not data.criterion.several
            else describe(vectorizer, learner)
        )
        self.recipe_ += selected + _weights_said(self.class_weight)
        self.why_ = [*(choice.why if choice else []), *judged.why]
        self.seen_, self.small_ = {}, None
        self.training_ = training_summary(learner)
        self.kept_ = kept
        self._scored = Scored(vectorizer, learner)

    def _training_data(
        self, X: Any, y: Any, sample_weight: ArrayLike | None, groups: Any, time: Any
    ) -> TrainingData:
        """Check what ``fit`` was given; rows of weight 0 are left out."""
        from lindy.evaluation.label_criterion import criterion_for
        from lindy.text.vectorizer import Vectorizer
        from lindy.tuning.pipeline_fit import weights_of
        from lindy.tuning.pipeline_spec import TrainingData

        if y is None:
            raise labels_missing(self)
        if self.vectorizer is not None:
            Vectorizer.check(self.vectorizer)
        encoded, inputs = as_targets(y, several=True), self._inputs(X, self.vectorizer)
        if len(inputs) != len(encoded):
            raise ValueError(f"there are {len(inputs)} texts but {len(encoded)} labels")
        own = check_weight(inputs.weight if sample_weight is None else sample_weight, len(inputs))
        division = SplitPolicy.of(len(inputs), groups, time)
        if (rows := present_rows(own)) is not None and own is not None:  # a row of weight 0 is not there
            inputs = inputs.only(rows, X, lambda some: self._inputs(some, self.vectorizer))
            own, division = own[rows], division.take(rows)
            encoded = encoded.take(rows).seen()
        weight, per_class = own, None
        if encoded.row_codes is not None:
            if len(encoded.names) < 2:
                raise _too_few_classes(encoded)
            weight, per_class = weights_of(self.class_weight, own, encoded)
        criterion = criterion_for(self.metric, encoded, own, per_class)
        return TrainingData(inputs, encoded, weight, division, criterion, own)

    def partial_fit(
        self,
        X: Any,
        y: Any,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        *,
        forget: float | None = None,
    ) -> Self:
        """Learn from further texts and their labels, which may bring new words and new classes.

        The first call is :meth:`fit`. Afterwards the learner says how it learns more (``lindy.updating``): counting
        models as if trained on both, online learners by going on, SVM and MaxEnt with the old weights as a prior, and
        any model that was told to ``keep_rows`` by training again on all rows. ``classes`` may name labels that are
        yet to come, and ``forget`` after how many rows a row shall count half.
        """
        if not self.__sklearn_is_fitted__():
            return self.fit(X, y, sample_weight)
        from lindy.updating.updates import update

        update(self, X, y, sample_weight, classes=classes, forget=forget)
        return self

    def calibrate(
        self,
        X: Any,
        y: Any,
        sample_weight: ArrayLike | None = None,
        *,
        method: str = "auto",
        metric: str | None = None,
    ) -> Self:
        """Learn probabilities, and thresholds, on labelled texts that the model has not learned from.

        Scores stay what they are. Of a model that was read from fastText, too.

        Parameters
        ----------
        X, y, sample_weight : as for :meth:`fit`
        method : {"auto", "sigmoid", "temperature", "vector", "isotonic"}
            How scores become probabilities; "auto" goes on from temperature to those that fit better.
        metric : str or None
            What thresholds shall make largest, as for :meth:`fit`; None for the model's own metric.
        """
        from lindy.updating.recalibration import recalibrate

        recalibrate(self, X, y, sample_weight, method=method, metric=metric)
        return self

    def fit_examples(
        self,
        examples: TextData,
        *,
        mail: MailWords | None = None,
        weight: str | None = None,
        group: str | None = None,
        time: str | None = None,
    ) -> Self:
        """Learn from what ``lindy.data`` has read; the model remembers the examples and where they came from.

        ``weight``, ``group`` and ``time`` are columns of the table with what :meth:`fit` takes for each example.
        """
        from lindy.data.columns.metadata_columns import division_of, weights_in

        if not hasattr(examples, "texts"):
            raise TypeError(
                f"expected what lindy.data reads, got {type(examples).__name__}; fit takes texts and labels"
            )
        plain = self.columns is None and examples.inputs.has_words
        source = {"text": examples.columns.text} if plain else {}
        source |= {"label": examples.columns.label or ""}
        source |= {"text_is": "plain"} if plain or self.columns is not None else {}
        source |= {} if mail is None else mail.to_state()
        source |= examples.table.source
        self.fit(
            examples.texts,
            examples.labels,
            None if weight is None else weights_in(examples.table, weight),
            groups=division_of(examples.table, group, time),
            source=source,
        )
        self.remember_examples("training", examples)
        return self

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to one file; an existing file is replaced only when the new one is complete."""
        self._check_fitted()
        write_model(path, *pack(self))

    def shrink(
        self,
        X: Any = None,
        y: Any = None,
        *,
        size: int | None = None,
        loss: float | None = None,
        test: tuple[Any, Any] | None = None,
    ) -> TextClassifier:
        """Return a small model: the features that matter most, weights of eight bits, a file of at most ``size``.

        Parameters
        ----------
        X, y : texts and labels that the model was trained on
            The small model learns its weights anew from them, or from rows that this one has kept; a fifth is held out
            to say what it loses. Where there are none, it has the weights of this model.
        size : int or None
            Bytes of the model file at most; None means a million.
        loss : float or None
            Instead of a size: take the fewest features that lose at most so many points of accuracy.
        test : (texts, labels) or None
            Other texts to measure the loss on; it is kept in ``small_``.
        """
        from lindy.updating.shrinking import shrink

        self._check_fitted()
        made: TextClassifier = shrink(self, X, y, size=size, loss=loss, test=test)
        return made

    def save_fasttext(self, path: str | os.PathLike[str]) -> None:
        """Write the model in fastText's format, if it came from there; a DataError says why another does not fit."""
        from lindy.modelfile.fasttext_writer import write_fasttext

        self._check_fitted()
        write_fasttext(path, self)

    @classmethod
    def load(cls, path: str | os.PathLike[str], *, n_jobs: int | None = None) -> TextClassifier:
        """Read a model written by :meth:`save`. The file is data, never code: loading runs nothing in it."""
        file, model = read_model(path), cls()
        if file.header.get("kind") == "joint classifier":
            raise ModelFileError(
                f"{os.fspath(path)}: holds a joint classifier, not one of texts",
                "load it with lindy.JointClassifier.load",
            )
        try:
            unpack(model, file.header, file.arrays, n_jobs)
            if not model.recipe_:
                from lindy.tuning.recipe import describe

                model.recipe_ = describe(model.vectorizer_, model.learner_)
        except Exception as error:  # whatever a forged file makes fail, it is the file that is wrong
            raise ModelFileError(
                f"{os.fspath(path)}: not a text classifier that this version understands"
                f" ({type(error).__name__}: {str(error)[:200]})",
                "train the model again, or use the version of lindy that wrote it",
            ) from error
        return model


def _weights_said(class_weight: str | dict[Any, float] | None) -> str:
    if class_weight is None or isinstance(class_weight, str):
        return "" if class_weight is None else f"; {class_weight} classes"
    return "; class weights " + ", ".join(f"{label}={weight:g}" for label, weight in class_weight.items())


def load(path: str | os.PathLike[str], *, n_jobs: int | None = None) -> TextClassifier:
    """Read a saved model; see :meth:`TextClassifier.load`."""
    return TextClassifier.load(path, n_jobs=n_jobs)
