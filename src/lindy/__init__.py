"""lindy: linear text classifiers, fast, exact and reproducible.

The public names are imported when they are first used, so that ``import lindy`` costs next to nothing.
"""

from __future__ import annotations

from lindy.lazy import lazy_names

TYPE_CHECKING = (
    False  # typing's own takes long to import, and the command cannot answer Ctrl-C before that is done
)

__version__ = "0.2.0"

__all__ = [
    "SVM",
    "BernoulliNaiveBayes",
    "CategoricalNaiveBayes",
    "ComplementNaiveBayes",
    "DataError",
    "GaussianNaiveBayes",
    "JointClassifier",
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
    "SelectFeatures",
    "TextClassifier",
    "UpdateError",
    "WordLists",
    "WordVotes",
    "__version__",
    "load",
    "merge",
    "regularization_path",
    "select_features",
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
    from lindy.errors import DataError, LindyError, ModelFileError, NotFittedError, OutputError, UpdateError
    from lindy.features import select_features
    from lindy.jointclassifier import JointClassifier
    from lindy.kernels import KernelPerceptron, KernelSVM
    from lindy.linear import SVM, MaxEnt, Mira, NaiveBayesSVM, Perceptron, regularization_path
    from lindy.text import SelectFeatures
    from lindy.textclassifier import TextClassifier, load
    from lindy.updating import merge

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "baselines": "LeastSquares Lexicon MajorityClass RandomClass WordLists WordVotes",
        "bayes": "BernoulliNaiveBayes CategoricalNaiveBayes ComplementNaiveBayes GaussianNaiveBayes"
        " MultinomialNaiveBayes",
        "errors": "DataError LindyError ModelFileError NotFittedError OutputError UpdateError",
        "features": "select_features",
        "jointclassifier": "JointClassifier",
        "kernels": "KernelPerceptron KernelSVM",
        "linear": "MaxEnt Mira NaiveBayesSVM Perceptron SVM regularization_path",
        "text": "SelectFeatures",
        "textclassifier": "TextClassifier load",
        "updating": "merge",
    },
    rooms="baselines bayes data evaluation explain features images joint kernels labs linear plots report text"
    " textbook tuning updating",
)
