"""The options of ``TextClassifier``, each declared once.

A field is a parameter of the constructor, which the docstring explains, and part of what a fit is told
(``lindy.tuning.pipeline_spec``); an ``Option`` in its annotation is its form on the command line, in ``lindy train``
and in other commands that have it. Imports next to nothing: the help of a command waits for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, TypeVar, dataclass_transform

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lindy.tuning.automatic import Choice
    from lindy.tuning.recipe import Recipe

_Class = TypeVar("_Class")
FEATURES = (
    "weighting", "ngrams", "chars", "subwords", "oov", "min_df", "min_count", "select", "max_features",
)  # fmt: skip
"""The options that a vectorizer takes the place of."""


class Option:
    """The form of an option on the command line: its help, and what ``argparse`` has to know beside its type.

    ``flag`` is how it is spelt, if not as the parameter, ``least`` the smallest whole number it takes; commands put
    their own words in the place of ``{about}`` in the help.
    """

    flag, metavar, choices, least, about, negatable = "", "", (), 0, "", False

    def __init__(self, help: str, **settings: Any) -> None:  # noqa: A002
        self.help, self.more = (
            help,
            {name: settings.pop(name) for name in ("nargs", "const") if name in settings},
        )
        vars(self).update(settings)


@dataclass_transform(kw_only_default=True, eq_default=False)
def declares_parameters(cls: type[_Class]) -> type[_Class]:
    """Mark a class whose annotated attributes are parameters of those that inherit from it ``with_parameters``."""
    cls._declares_parameters = True  # type: ignore[attr-defined]
    return cls


def _learners() -> str:
    from lindy.estimators.learners import REGISTRY

    return ", ".join(REGISTRY)


def _weightings() -> tuple[str, ...]:
    from lindy.text.weighting.weighting_registry import WEIGHTINGS

    return ("auto", *WEIGHTINGS)


def _metrics() -> str:
    from lindy.evaluation.metrics.metric_registry import CHOICES, SEVERAL_CHOICES

    several = ", ".join(name for name in SEVERAL_CHOICES if name not in CHOICES)
    return (
        f"{', '.join(CHOICES[:-1])} or {CHOICES[-1]} (without a label the rarer of two classes); of several labels per"
        f" text also {several}"
    )


def _ways() -> str:
    from lindy.text.weighting.weighting_registry import WEIGHTINGS

    *ways, last = [own.help or own.title for own in WEIGHTINGS.values()]
    return f"{', '.join(ways)}, or {last}"


@declares_parameters
class TextOptions:
    """How a model of texts is learned.

    Parameters
    ----------
    learner : str or classifier
        "auto" chooses among recipes on held-out texts (``lindy.tuning``), within what the options below leave open.
        Otherwise a name (see ``lindy train --help``; what others call it is taken too, as "logistic-regression" for
        "maxent"), an unfitted classifier of lindy, or one of another library with ``fit``, ``predict`` and
        ``get_params``, such as scikit-learn's; it gets SciPy matrices of float32, and such a model cannot be saved.
    fast : bool
        With "auto": take the fixed recipe at once, words 1-2 with tf-idf and the SVM with log-count ratios.
    thorough : bool
        With "auto": compare more recipes, on more texts and in all folds; it takes up to ten times as long.
    recipe : Recipe, Choice or None
        A recipe of ``lindy.tuning``, instead of a learner and the options of its features.
    weighting : str
        What stands in the rows, by a name that ``lindy train --help`` lists: "counts", how often a word occurs; or, in
        rows of length 1, "tfidf" (sublinear), "bm25", "log-count-ratio" (counts times what a word says about the
        classes) and others. "auto" takes what the learner wants: counts for naive Bayes and other learners that count,
        tf-idf for the others.
    ngrams : (int, int) or None
        Shortest and longest word n-grams that become features; None means single words for a named learner, unless
        ``chars`` are asked for. Words are those of all scripts: ``analyzer="unicode_words"`` of ``CountVectorizer``.
    chars : (int, int) or None
        Shortest and longest n-grams of characters within words that become features, beside ``ngrams`` or alone.
    subwords : int or None
        Cut words into subword units by so many merges of byte-pair encoding, learned from the texts; ``ngrams`` are
        then of these. Frequent words stay whole, rare ones share their pieces with others.
    oov : int or None
        Words that occur fewer than this many times become one feature, ``<OOV>``, which also counts the unknown words
        of later texts.
    min_df : int or float
        Words in fewer documents (a number, or a share of all) are left out.
    min_count : int
        Words that occur fewer times in all documents together are left out.
    max_features : int or None
        Keep only so many of the most frequent words.
    select : str or None
        Keep only so many of the words that say most, by which score: "chi2:10000", "information-gain:10000",
        "count:10000" or "df:10000". The file of the model does not hold the others. Words and characters, and every
        text column of a table, are selected apart.
    vectorizer : vectorizer or None
        An unfitted vectorizer of ``lindy.text`` or ``lindy.features``, instead of the nine options above.
    extra : list of vectorizers
        Whose features stand beside the terms, such as ``PatternVectorizer()`` of ``lindy.features``.
    columns : dict or None
        With a table in the place of texts, what its columns are: ``{"text": ["subject", "body"], "numeric":
        ["price"], "category": ["sender"]}``; see ``lindy.features.TableVectorizer``.
    scaling : {"auto", "standard", "range", "none"}
        What numeric columns become: "standard" with mean 0 and standard deviation 1, "range" from 0 to 1, "none" as
        they are; "auto" is "range" for learners that want no negative values, otherwise "standard".
    calibration : {"auto", "best", "sigmoid", "temperature", "vector", "isotonic", "none"}
        How scores become probabilities, learned on examples that the learner did not see (``lindy.evaluation``).
        "best" takes the simplest method that fits held-out examples, in five folds; "auto" does so only for learners
        without probabilities of their own (perceptron, MIRA, SVM), and stops when 5,000 examples have been held
        out; the named methods do as they say, for any learner; "none" leaves scores as they are.
    metric : str
        What the model shall be good at, by a name that ``lindy train --help`` lists: "accuracy", "f1:LABEL" and others
        (``lindy.evaluation.metrics``). "auto" compares recipes by it, and a rule is set on held-out examples
        that makes it largest: for two classes a threshold. With log loss, calibration "auto" calibrates every learner.
    class_weight : "balanced", dict or None
        How much an example of each class counts, for any learner that can weigh examples; "balanced" makes every class
        count the same. Recipes are then compared by accuracy and log loss with these weights, too.
    early_stop : float or None
        Hold out this share of the texts (such as 0.1), stop when five epochs have not improved the accuracy on them,
        and keep the best epoch. For perceptron and MIRA, between which "auto" then chooses.
    tree : bool or None
        Learn the labels by label trees (``lindy.linear.LabelTree``) of SVM or MaxEnt; None does so from 1,000 labels
        on, where the learner is "auto" or one of these.
    trees : int
        Label trees whose probabilities are averaged: three are more precise than one, and take three times as long.
    hierarchy : str, mapping, list of pairs, Taxonomy or None
        What stands above the labels: a separator, where labels are as science/physics/optics ("/"), a table of labels
        and what is right above them, a SKOS file (.ttl, .rdf; the extra ``skos``), or such pairs. A text whose label is
        not sure enough can then be given what stands above it (:meth:`predict` with ``reject``), and evaluations have
        hierarchical precision, recall and F1.
    keep_rows : bool
        Keep the texts and labels with the model, compressed, so that :meth:`partial_fit` can train it again together
        with new ones; whoever has the model's file can read them.
    n_jobs : int or None
        Threads; None means all cores. The result does not depend on it.
    """

    # fmt: off
    learner: Annotated[Any, Option(
        f"what to train: auto (chosen on held-out texts), {_learners()}; default: auto", metavar="NAME")] = "auto"
    fast: Annotated[bool, Option(
        "no search: words 1-2, tf-idf, SVM with log-count ratios, or SVM for several labels; --learner auto"
        " only")] = False
    thorough: Annotated[bool, Option(
        "search more recipes, on more texts, which takes up to ten times as long; --learner auto only")] = False
    recipe: Recipe | Choice | None = None
    weighting: Annotated[str, Option(
        f"how words are weighted: {_ways()}; default: what the learner wants, chosen with --learner auto",
        choices=_weightings())] = "auto"
    ngrams: Annotated[tuple[int, int] | None, Option(
        "word n-grams as features; default: {about}, none with --chars alone",
        about="chosen with --learner auto, otherwise 1", metavar="N or M-N")] = None
    chars: Annotated[tuple[int, int] | None, Option(
        "character n-grams within words as features, beside --ngrams or alone", metavar="N or M-N")] = None
    subwords: Annotated[int | None, Option(
        "cut words into subword units by N merges of byte-pair encoding, learned from the texts; --ngrams are of these",
        metavar="N")] = None
    oov: Annotated[int | None, Option(
        "words that occur fewer than N times become one feature, <OOV>, which also counts the unknown words of later"
        " texts", metavar="N", least=1)] = None
    min_df: Annotated[int | float, Option(
        "leave out words in fewer than N texts", metavar="N", least=1)] = 1
    min_count: Annotated[int, Option(
        "leave out words that occur fewer than N times in all texts together", metavar="N", least=1)] = 1
    max_features: Annotated[int | None, Option(
        "keep the N most frequent words", metavar="N", least=1)] = None
    select: Annotated[str | None, Option(
        "keep the K words that say most about the classes, e.g. chi2:10000 or information-gain:10000, or the most"
        " frequent, count:10000 or df:10000", metavar="METHOD:K")] = None
    vectorizer: Any = None
    extra: Sequence[Any] = ()
    columns: Mapping[str, Sequence[str]] | None = None
    scaling: Annotated[str, Option(
        "what --numeric columns become: mean 0 and standard deviation 1, from 0 to 1, or as they are; default: what the"
        " learner wants", flag="--scale", choices=("auto", "standard", "range", "none"))] = "auto"
    calibration: Annotated[str, Option(
        "how scores become probabilities, learned on held-out examples; default: auto, which calibrates learners"
        " without probabilities of their own", flag="--calibrate",
        choices=("auto", "best", "sigmoid", "temperature", "vector", "isotonic", "none"))] = "auto"
    metric: Annotated[str, Option(
        f"{_metrics()}: {{about}}; default: accuracy, or micro-f1 of several labels", metavar="NAME",
        about="recipes are compared by it, and thresholds are set so that it is largest on held-out texts",
    )] = "accuracy"
    class_weight: Annotated[str | dict[Any, float] | None, Option(
        "how much an example of each class counts; 'balanced' makes every class count the same",
        metavar="LABEL=W,… or balanced")] = None
    early_stop: Annotated[float | None, Option(
        "hold out a share of the texts (default: 0.1), stop after five epochs without improvement on them, keep the"
        " best epoch and show the curve; for perceptron and mira, between which --learner auto then chooses",
        metavar="SHARE", nargs="?", const=0.1)] = None
    tree: Annotated[bool | None, Option(
        "learn the labels by label trees, of svm or maxent, or do not; default: from 1,000 labels on",
        negatable=True)] = None
    trees: Annotated[int, Option(
        "label trees whose probabilities are averaged; default: 3, more precise than 1, which is three times as fast",
        metavar="N", least=1)] = 3
    hierarchy: Annotated[Any, Option(
        "what stands above the labels: a separator, as / in science/physics/optics, or a file: a table of labels and"
        " what is right above them, or SKOS (.ttl, .rdf); predict --reject gives the lowest one that is sure enough",
        metavar="SEPARATOR or FILE")] = None
    keep_rows: Annotated[bool, Option(
        "keep texts and labels in the model file, compressed and readable for whoever has it, so that 'lindy update'"
        " can train it again together with further rows")] = False
    n_jobs: int | None = None
    # fmt: on

    @classmethod
    def option(cls, name: str) -> tuple[Option, bool, Any]:
        """Return how a parameter is given to a command, whether it is a flag, and its default."""
        annotation = cls.__annotations__[name]
        made: Option = eval(annotation[annotation.index("Option(") : -1])
        return made, annotation.startswith("Annotated[bool,"), getattr(cls, name)
