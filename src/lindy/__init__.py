"""lindy: linear text classifiers, fast, exact and explained.

The public names are imported when they are first used, so that ``import lindy`` costs next to nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

__version__ = "0.1.0"

_HOMES = {
    "MaxEnt": "lindy.linear",
    "BernoulliNaiveBayes": "lindy.bayes",
    "CategoricalNaiveBayes": "lindy.bayes",
    "ComplementNaiveBayes": "lindy.bayes",
    "GaussianNaiveBayes": "lindy.bayes",
    "LeastSquares": "lindy.baselines",
    "Lexicon": "lindy.baselines",
    "MajorityClass": "lindy.baselines",
    "RandomClass": "lindy.baselines",
    "WordLists": "lindy.baselines",
    "WordVotes": "lindy.baselines",
    "MultinomialNaiveBayes": "lindy.bayes",
    "SVM": "lindy.linear",
    "DataError": "lindy.errors",
    "LindyError": "lindy.errors",
    "ModelFileError": "lindy.errors",
    "NotFittedError": "lindy.errors",
    "TextClassifier": "lindy.textclassifier",
    "load": "lindy.textclassifier",
    "OutputError": "lindy.errors",
}

_ROOMS = ("baselines", "bayes", "data", "evaluation", "linear", "text", "textbook")

__all__ = [
    "SVM",
    "BernoulliNaiveBayes",
    "CategoricalNaiveBayes",
    "ComplementNaiveBayes",
    "DataError",
    "GaussianNaiveBayes",
    "LeastSquares",
    "Lexicon",
    "LindyError",
    "MajorityClass",
    "MaxEnt",
    "ModelFileError",
    "MultinomialNaiveBayes",
    "NotFittedError",
    "OutputError",
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
    from lindy.linear import SVM, MaxEnt
    from lindy.textclassifier import TextClassifier, load


def __getattr__(name: str) -> object:
    import importlib

    if name in _ROOMS:
        return importlib.import_module(f"lindy.{name}")
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'lindy' has no attribute {name!r}")
    value: object = getattr(importlib.import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(set(globals()) | set(__all__))
