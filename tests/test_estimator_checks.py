"""scikit-learn's own estimator checks, all of them, for every classifier and transformer."""

from __future__ import annotations

import re
import warnings
from typing import Any
from unittest import SkipTest

import pytest
from sklearn.utils import estimator_checks, get_tags
from sklearn.utils.estimator_checks import estimator_checks_generator

from lindy.baselines import LeastSquares, Lexicon, MajorityClass, RandomClass, WordLists, WordVotes
from lindy.bayes import (
    BernoulliNaiveBayes,
    CategoricalNaiveBayes,
    ComplementNaiveBayes,
    GaussianNaiveBayes,
    MultinomialNaiveBayes,
)
from lindy.estimators.learners import learner_classes
from lindy.features import Conjunctions
from lindy.kernels import KernelPerceptron, KernelSVM, Nystroem, RandomFourier, TensorSketch
from lindy.linear import SVM, MaxEnt, Mira, NaiveBayesSVM, OneVsRest, Perceptron
from lindy.text import Bm25Transformer, LogCountRatio, SelectFeatures, TfidfTransformer


def dot_products(X: Any, Z: Any) -> Any:
    """A callable kernel, for dense and for sparse matrices."""
    K = X @ Z.T
    return K.toarray() if hasattr(K, "toarray") else K


CLASSIFIERS = [
    BernoulliNaiveBayes(),
    CategoricalNaiveBayes(),
    ComplementNaiveBayes(),
    GaussianNaiveBayes(),
    GaussianNaiveBayes(variance="shared"),
    KernelPerceptron(),
    KernelPerceptron(average="vote"),
    KernelSVM(),
    KernelSVM(kernel=dot_products),
    KernelSVM(kernel="precomputed"),
    KernelSVM(loss="multiclass_hinge"),
    KernelSVM(multiclass="one-vs-one"),
    LeastSquares(),
    Lexicon(),
    MajorityClass(),
    MaxEnt(),
    MaxEnt(multiclass="one-vs-rest", penalize_intercept=True),
    MaxEnt(solver="sgd", lam=1e-4, solver_options={"epochs": 20}),  # the default says that it is not enough
    MaxEnt(penalty="l1"),
    MaxEnt(penalty=None),
    MaxEnt(solver="newton", tol=1e-12),
    Mira(),
    Mira(constraints="all"),
    Mira(constraints="k-best"),
    MultinomialNaiveBayes(),
    MultinomialNaiveBayes(length="poisson"),
    NaiveBayesSVM(),
    Perceptron(),
    Perceptron(average="vote"),
    RandomClass(),
    SVM(),
    SVM(penalty="elasticnet"),
    SVM(loss="hinge"),
    SVM(loss="hinge", penalty="l1"),
    SVM(loss="multiclass_hinge"),
    SVM(loss="hinge", solver="pegasos", lam=1.0, solver_options={"average": 0.5}),
    WordLists(),
    WordVotes(),
]
TRANSFORMERS = [
    Nystroem(n_components=20),
    RandomFourier(n_components=20),
    TensorSketch(n_components=20),
    Bm25Transformer(),
    Conjunctions(),
    Conjunctions(n_features=16),
    LogCountRatio(),
    SelectFeatures(k=2),
    SelectFeatures(method="information-gain", k=2),
    TfidfTransformer(),
]


def _name(estimator: Any) -> str:
    """Return its repr without the address of a function, which differs between processes."""
    return re.sub(r" at 0x[0-9a-f]+", "", repr(estimator))


def _checks() -> list[Any]:
    with warnings.catch_warnings():
        # lindy keeps the contract without inheriting from scikit-learn's base class
        warnings.filterwarnings("ignore", message=".*does not inherit from `sklearn.base.BaseEstimator`")
        return [
            pytest.param(estimator, check, id=f"{_name(estimator)}-{getattr(check, 'func', check).__name__}")
            for own in (*CLASSIFIERS, *TRANSFORMERS)
            for estimator, check in estimator_checks_generator(own, legacy=True)
        ]


@pytest.mark.parametrize(("estimator", "check"), _checks())
def test_scikit_learn_check(estimator: Any, check: Any) -> None:
    check(estimator)


@pytest.mark.parametrize(
    "check",
    [  # but representation_invariance, for which lists of 0 and 1 are a matrix: they may be labels, and are refused
        estimator_checks.check_classifier_multioutput,
        estimator_checks.check_classifiers_multilabel_output_format_predict,
        estimator_checks.check_classifiers_multilabel_output_format_predict_proba,
        estimator_checks.check_classifiers_multilabel_output_format_decision_function,
    ],
)
@pytest.mark.parametrize(
    "learner",
    [
        SVM(),
        MaxEnt(),
        NaiveBayesSVM(),
        Perceptron(),
        Mira(labels="ranking"),
        MultinomialNaiveBayes(),
        LeastSquares(),
    ],
    ids=_name,
)
def test_scikit_learn_check_of_several_labels(learner: Any, check: Any) -> None:
    estimator = OneVsRest(learner=learner)
    assert get_tags(estimator).classifier_tags.multi_label
    has_own = isinstance(learner, MaxEnt | MultinomialNaiveBayes)
    assert hasattr(estimator, "predict_proba") == has_own
    try:
        check("OneVsRest", estimator)
    except SkipTest:
        assert not has_own


def test_every_learner_is_here() -> None:
    assert {type(own) for own in CLASSIFIERS} == set(learner_classes().values())
