"""lindy: linear text classifiers, fast, exact and reproducible.

The public names are imported when they are first used, so that ``import lindy`` costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from lindy.lazy import lazy_names
from lindy.learners import HOMES

__version__ = "0.1.0"

_HOMES = {
    **{attribute: package for package, attribute in HOMES.values()},
    "DataError": "lindy.errors",
    "LindyError": "lindy.errors",
    "ModelFileError": "lindy.errors",
    "NotFittedError": "lindy.errors",
    "OutputError": "lindy.errors",
    "TextClassifier": "lindy.textclassifier",
    "load": "lindy.textclassifier",
}

_ROOMS = (
    "baselines",
    "bayes",
    "data",
    "evaluation",
    "explain",
    "kernels",
    "features",
    "images",
    "joint",
    "labs",
    "linear",
    "plots",
    "report",
    "text",
    "textbook",
    "tuning",
)

__all__ = [
    "SVM",
    "BernoulliNaiveBayes",
    "CategoricalNaiveBayes",
    "ComplementNaiveBayes",
    "DataError",
    "GaussianNaiveBayes",
    "KernelPerceptron",
    "KernelSVM",
    "LeastSquares",
    "Lexicon",
    "LindyError",
    "MajorityClass",
    "MaxEnt",
    "Mira",
    "ModelFileError",
    "MultinomialNaiveBayes",
    "NaiveBayesSVM",
    "NotFittedError",
    "OutputError",
    "Perceptron",
    "RandomClass",
    "TextClassifier",
    "WordLists",
    "WordVotes",
    "__version__",
    "load",
]

if TYPE_CHECKING:
    from lindy.baselines import LeastSquares, Lexicon, MajorityClass, RandomClass, WordLists, WordVotes
    from lindy.bayes import (
        BernoulliNaiveBayes,
        CategoricalNaiveBayes,
        ComplementNaiveBayes,
        GaussianNaiveBayes,
        MultinomialNaiveBayes,
    )
    from lindy.errors import DataError, LindyError, ModelFileError, NotFittedError, OutputError
    from lindy.kernels import KernelPerceptron, KernelSVM
    from lindy.linear import SVM, MaxEnt, Mira, NaiveBayesSVM, Perceptron
    from lindy.textclassifier import TextClassifier, load


_name, __dir__ = lazy_names(__name__, _HOMES)


def __getattr__(name: str) -> object:
    return import_module(f"lindy.{name}") if name in _ROOMS else _name(name)
