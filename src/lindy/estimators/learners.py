"""The learners: what a classifier declares about itself, and where the class of each name is.

A class says in its ``spec`` how it is called, what rows it wants and what it offers; its options and their help
are the parameters of its constructor, as its docstring explains them. ``TextClassifier``, the command line, the model
file, explanations and the documentation read that. ``REGISTRY`` is all that must be known before a class is imported:
reading it costs nothing, and a test compares it with what the classes say.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from lindy.estimators.base import Classifier

REGISTRY = {
    "nb-svm": ("lindy.linear", "NaiveBayesSVM"),
    "svm": ("lindy.linear", "SVM"),
    "maxent": ("lindy.linear", "MaxEnt"),
    "naive-bayes": ("lindy.bayes", "MultinomialNaiveBayes"),
    "perceptron": ("lindy.linear", "Perceptron"),
    "mira": ("lindy.linear", "Mira"),
    "kernel-svm": ("lindy.kernels", "KernelSVM"),
    "kernel-perceptron": ("lindy.kernels", "KernelPerceptron"),
    "bernoulli-naive-bayes": ("lindy.bayes", "BernoulliNaiveBayes"),
    "complement-naive-bayes": ("lindy.bayes", "ComplementNaiveBayes"),
    "categorical-naive-bayes": ("lindy.bayes", "CategoricalNaiveBayes"),
    "gaussian-naive-bayes": ("lindy.bayes", "GaussianNaiveBayes"),
    "least-squares": ("lindy.baselines", "LeastSquares"),
    "word-votes": ("lindy.baselines", "WordVotes"),
    "word-lists": ("lindy.baselines", "WordLists"),
    "lexicon": ("lindy.baselines", "Lexicon"),
    "majority": ("lindy.baselines", "MajorityClass"),
    "random": ("lindy.baselines", "RandomClass"),
}
"""Name → package and class, in the order in which learners are listed."""

READ_ONLY = {"fasttext": ("lindy.linear.fasttext_classifier", "FasttextClassifier")}
"""The same of those that are read from files of other programs and never trained."""

_ALIASES = {
    "maxent": "logistic-regression logistic logreg log-reg lr softmax maximum-entropy",
    "svm": "linear-svc linear-svm",
    "kernel-svm": "svc",
    "naive-bayes": "nb mnb multinomial-nb",
    "bernoulli-naive-bayes": "bernoulli-nb",
    "complement-naive-bayes": "complement-nb",
    "categorical-naive-bayes": "categorical-nb",
    "gaussian-naive-bayes": "gaussian-nb",
    "perceptron": "averaged-perceptron",
    "mira": "passive-aggressive",
    "majority": "dummy most-frequent",
}
"""Name → what else people call the learner, in other libraries or for short."""


class InputKind(StrEnum):
    """The rows that a learner is made for."""

    WEIGHTS = "weights"
    COUNTS = "counts"
    CATEGORIES = "categories"
    WORDS = "words"
    TEXTS = "texts"
    TREES = "trees"
    VALUES = "values"

    @property
    def has_columns(self) -> bool:
        """Whether rows have columns, instead of being the texts or trees themselves."""
        return self not in (InputKind.TEXTS, InputKind.TREES)

    @property
    def learns_columns(self) -> bool:
        """Whether the columns are features of the training data: not texts as they are, or words of own lists."""
        return self.has_columns and self is not InputKind.WORDS

    @property
    def takes_any_numbers(self) -> bool:
        """Whether numbers may be negative and weighted."""
        return self is InputKind.WEIGHTS

    @property
    def weighting(self) -> str:
        """The weighting that rows of texts usually have."""
        return "tfidf" if self.takes_any_numbers else "counts"

    def scaling(self, asked: str = "auto") -> str:
        """Return how numeric columns are scaled, if it is not ``asked`` for: without negative ones for counts."""
        return asked if asked != "auto" else "standard" if self.takes_any_numbers else "range"


WANTS = {
    "weights": "numbers of any kind, such as tf-idf",
    "counts": "how often each word occurs; no negative numbers",
    "categories": "small whole numbers, such as counts; no measured numbers",
    "words": "the words of its own lists, counted",
    "texts": "texts as they are",
    "trees": "bracketed trees",
    "values": "a matrix of kernel values",
}
OFFERS = {
    "probabilities": ("has_probabilities", "P(y | x) of its own"),
    "contributions": ("has_contributions", "explanations by features: the score is a sum over them"),
    "examples": ("has_influences", "explanations by training examples: the score is a sum over them"),
    "joint": ("has_joint_scores", "scores that are log P(x, y)"),
    "log probabilities": (
        "has_log_probabilities",
        "contributions that are log P(feature | class), with a bias log P(class)",
    ),
    "log odds": ("has_log_odds", "scores whose softmax is P(y | x)"),
    "odds": ("has_odds", "weights that are compared as odds ratios"),
    "counts": ("has_counts", "how often each class had each feature"),
    "merging": ("__add__", "a + b of models of two parts is the model of the whole"),
    "streaming": ("partial_fit", "partial_fit"),
}
"""The abilities of a learner, as people say it: the attribute that tells, and in more words."""


UPDATES = {
    "adds": "what it counted in old and new rows is added up: the model of both",
    "goes on": "it goes on from its weights, which count as the visits that made them",
    "prior": "it solves the new rows' problem, and leaving an old weight costs as much as old rows held it",
    "": "it cannot learn more; its reason is said",
}
"""How a fitted learner learns from further rows."""


class WeightSums(NamedTuple):
    """How the scores of a fitted learner are sums of weights, for who computes them without it: an exported page.

    Attributes
    ----------
    kind : str
        What becomes of the sums Σ value · weight + bias: a key of ``SUMS``.
    weights : array (features, columns), SharedWeights or SparseWeights as SciPy has them; None without features
    bias : array (columns,) or None
    more : dict
        What the kind needs beside them.
    """

    kind: str
    weights: Any = None
    bias: Any = None
    more: Mapping[str, Any] = {}


SUMS = {
    "linear": "scores; a single column is the score of the second class",
    "maxent": "scores whose softmax, or sigmoids with `oneVsRest`, are probabilities",
    "least-squares": "scores that are probabilities after clipping and scaling",
    "joint": "log P(x, y), with the log `prior` for a row without features; `slope` is the length's part of a weight",
    "votes": "votes for each class; without any, the `counts` of the classes decide",
    "majority": "none: the `counts` of the classes decide",
    "bernoulli": "log P(x, y) of values `above` a threshold; `contradictions` (weights, bias) make classes impossible",
}


class LearnerSpec(NamedTuple):
    """The declaration of a classifier: its name, its kind of input and how it is used.

    Attributes
    ----------
    name : str
        How the command line, ``TextClassifier`` and model files call it.
    title : str
        How a sentence calls it.
    input_kind : InputKind
        The rows that it is made for.
    strengths : dict from option to numbers
        The options that say how closely it follows the data, with the values that a search tries. Two numbers in a
        tuple are the ends of a range that is divided evenly in the logarithm.
    automatic : sequence of numbers
        The values of the first of these options that the automatic recipe tries; none for a learner that it has not.
    usual : tuple of str
        The commands, "compare", "tune" and "plot", that take it when no learner is named.
    dense : bool
        Whether it makes rows dense, which only some thousand columns allow.
    not_sums : str
        Why its scores are no sums of weights (``Classifier.weight_sums``), or are not with some options.
    per_class : bool
        Whether every class is a problem with rows of its own, which takes long for many classes of much text.
    weight_bytes : int
        Bytes of memory that a fit takes for every feature of every class, with all that is done to calibrate it; 0
        where it takes next to nothing for features that a class does not have.
    fixed : str
        Why it cannot, where it cannot.
    """

    name: str
    title: str
    input_kind: InputKind = InputKind.WEIGHTS
    strengths: Mapping[str, Sequence[float]] = {}
    automatic: Sequence[float] = ()
    usual: tuple[str, ...] = ()
    dense: bool = False
    per_class: bool = False
    weight_bytes: int = 0
    fixed: str = ""
    not_sums: str = ""


def canonical_name(name: str) -> str:
    """Return the learner's own name for it, its class or an alias in any case and with any hyphens; others as they are.

    >>> canonical_name("LogisticRegression"), canonical_name("Naive_Bayes"), canonical_name("SVM")
    ('maxent', 'naive-bayes', 'svm')
    """
    if name in REGISTRY or name == "auto":
        return name
    return _spellings().get(_letters(name), name)


def _spellings() -> dict[str, str]:
    """Return the letters of all names, classes and aliases, each with the learner's name."""
    found = {_letters(alias): name for name, aliases in _ALIASES.items() for alias in aliases.split()}
    found |= {_letters(attribute): name for name, (_, attribute) in REGISTRY.items()}
    return found | {_letters(name): name for name in ("auto", *REGISTRY)}


def _letters(name: str) -> str:
    return "".join(character for character in name.lower() if character.isalnum())


def learner_class(name: str) -> type[Classifier]:
    """Return the class of that name, or of an alias of it.

    Raises
    ------
    ValueError
        If there is none; the message lists the names and suggests a near one.
    """
    known, homes = canonical_name(name), REGISTRY | READ_ONLY
    if known not in homes:
        import difflib

        spellings = _spellings()
        near = difflib.get_close_matches(_letters(name), spellings, n=1)
        suggestion = f"; did you mean {spellings[near[0]]!r}?" if near else ""
        raise ValueError(f"no learner is called {name!r}{suggestion} (there are: {', '.join(REGISTRY)})")
    package, attribute = homes[known]
    found: type[Classifier] = getattr(importlib.import_module(package), attribute)
    return found


def learner_classes() -> dict[str, type[Classifier]]:
    """Return all learners by name; imports them."""
    return {name: learner_class(name) for name in REGISTRY}


def usual_learners(command: str) -> list[str]:
    """Return the names of the learners that a command takes when none is named; imports all."""
    return [name for name, kind in learner_classes().items() if command in kind.spec.usual]


def learner_name(learner: Classifier) -> str:
    """Return the name under which ``learner``'s class is saved; of a one-vs-rest model, that of its learner."""
    name: str = learner.spec.name
    if name not in REGISTRY | READ_ONLY or learner_class(name) is not getattr(
        learner, "saved_kind", type(learner)
    ):
        raise ValueError(f"{type(learner).__name__} is not one of lindy's learners and cannot be saved")
    return name


def make_learner(learner: str | Classifier, **options: Any) -> Classifier:
    """Return an unfitted learner by name, or a fresh copy of the given one."""
    if isinstance(learner, str):
        return learner_class(learner)(**options)
    return type(learner)(**{**learner.get_params(deep=False), **options})


def set_threads(learner: Classifier, n_jobs: int | None) -> None:
    """Tell a learner how many threads to use, if it takes that."""
    if "n_jobs" in learner._parameter_names():
        learner.set_params(n_jobs=n_jobs)


def learners_with(option: str) -> list[str]:
    """Return the names of the learners that have an option."""
    return [name for name, kind in learner_classes().items() if option in kind._parameter_names()]


def options_of_learners() -> list[str]:
    """Return the names of all options that some learner has."""
    return list(
        dict.fromkeys(name for kind in learner_classes().values() for name in kind._parameter_names())
    )


def options_of(kind: type[Classifier]) -> dict[str, str]:
    """Return the options of a learner, each with a line of help: what it may be, and what it means."""
    import inspect

    known = _parameters(kind)
    return {name: known.get(name, "") for name in inspect.signature(kind).parameters}


def _parameters(kind: type[Any]) -> dict[str, str]:
    """Return the entries of the docstring's section Parameters; "see Other" takes them from that learner."""
    import inspect
    import re

    _, _, section = (inspect.getdoc(kind) or "").partition("Parameters\n----------\n")
    section = re.split(r"\n\n\w+\n-+\n", section)[0]
    found: dict[str, str] = {}
    for entry in re.split(r"\n(?=\S)", section):
        head, _, body = entry.partition("\n")
        names, _, types = head.partition(" : ")
        says = " ".join(body.split())
        if other := re.match(r"(?:see|[Aa]s for) `*(\w+)", f"{types} {says}".strip()):
            package = next(package for package, attribute in REGISTRY.values() if attribute == other[1])
            theirs = _parameters(getattr(importlib.import_module(package), other[1]))
            found |= {name: theirs.get(name, "") for name in names.split(", ")}
            continue
        first = re.split(r"(?<=\.)\s+(?=[A-Z\"])", says)[0].rstrip(".")
        line = f"{types}: {first}" if types and first else types or first
        found |= dict.fromkeys(names.split(", "), line)
    return found
