"""lindy: linear text classifiers, fast, exact and reproducible.

The public names are imported when they are first used, so that ``import lindy`` costs next to nothing.
"""

from lindy.lazy import lazy_imports

__version__ = "0.2.0"

TYPE_CHECKING = True  # makes no cycle, for mypy and import contracts, of a package whose modules import it
with lazy_imports(globals()):
    if TYPE_CHECKING:
        from lindy import baselines as baselines
        from lindy import bayes as bayes
        from lindy import data as data
        from lindy import evaluation as evaluation
        from lindy import explain as explain
        from lindy import features as features
        from lindy import images as images
        from lindy import joint as joint
        from lindy import kernels as kernels
        from lindy import labs as labs
        from lindy import linear as linear
        from lindy import plots as plots
        from lindy import report as report
        from lindy import text as text
        from lindy import textbook as textbook
        from lindy import tuning as tuning
        from lindy import updating as updating
        from lindy.baselines import LeastSquares as LeastSquares
        from lindy.baselines import Lexicon as Lexicon
        from lindy.baselines import MajorityClass as MajorityClass
        from lindy.baselines import RandomClass as RandomClass
        from lindy.baselines import WordLists as WordLists
        from lindy.baselines import WordVotes as WordVotes
        from lindy.bayes import BernoulliNaiveBayes as BernoulliNaiveBayes
        from lindy.bayes import CategoricalNaiveBayes as CategoricalNaiveBayes
        from lindy.bayes import ComplementNaiveBayes as ComplementNaiveBayes
        from lindy.bayes import GaussianNaiveBayes as GaussianNaiveBayes
        from lindy.bayes import MultinomialNaiveBayes as MultinomialNaiveBayes
        from lindy.errors import DataError as DataError
        from lindy.errors import LindyError as LindyError
        from lindy.errors import ModelFileError as ModelFileError
        from lindy.errors import NotFittedError as NotFittedError
        from lindy.errors import OutputError as OutputError
        from lindy.errors import UpdateError as UpdateError
        from lindy.features import select_features as select_features
        from lindy.jointclassifier import JointClassifier as JointClassifier
        from lindy.kernels import KernelPerceptron as KernelPerceptron
        from lindy.kernels import KernelSVM as KernelSVM
        from lindy.linear import SVM as SVM
        from lindy.linear import MaxEnt as MaxEnt
        from lindy.linear import Mira as Mira
        from lindy.linear import NaiveBayesSVM as NaiveBayesSVM
        from lindy.linear import Perceptron as Perceptron
        from lindy.linear import regularization_path as regularization_path
        from lindy.text import SelectFeatures as SelectFeatures
        from lindy.textclassifier import TextClassifier as TextClassifier
        from lindy.textclassifier import load as load
        from lindy.updating import merge as merge
