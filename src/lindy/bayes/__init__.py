"""Generative classifiers: P(y) and P(x | y) are counted, Bayes' rule does the rest."""

from __future__ import annotations

from lindy.bayes.bernoulli import BernoulliNaiveBayes
from lindy.bayes.categorical import CategoricalNaiveBayes
from lindy.bayes.complement import ComplementNaiveBayes
from lindy.bayes.gaussian import GaussianNaiveBayes
from lindy.bayes.inference import Inference, infer
from lindy.bayes.multinomial import MultinomialNaiveBayes

__all__ = [
    "BernoulliNaiveBayes",
    "CategoricalNaiveBayes",
    "ComplementNaiveBayes",
    "GaussianNaiveBayes",
    "Inference",
    "MultinomialNaiveBayes",
    "infer",
]
