"""Generative classifiers: P(y) and P(x | y) are counted, Bayes' rule does the rest."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lindy.lazy import lazy_names

if TYPE_CHECKING:
    from lindy.bayes.bernoulli import BernoulliNaiveBayes
    from lindy.bayes.categorical import CategoricalNaiveBayes
    from lindy.bayes.complement import ComplementNaiveBayes
    from lindy.bayes.gaussian import GaussianNaiveBayes
    from lindy.bayes.inference import Inference, infer
    from lindy.bayes.multinomial import MultinomialNaiveBayes
    from lindy.bayes.tables import document_totals, odds_ratios, running_totals, word_probabilities

__all__ = [
    "BernoulliNaiveBayes",
    "CategoricalNaiveBayes",
    "ComplementNaiveBayes",
    "GaussianNaiveBayes",
    "Inference",
    "MultinomialNaiveBayes",
    "document_totals",
    "infer",
    "odds_ratios",
    "running_totals",
    "word_probabilities",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "BernoulliNaiveBayes": "lindy.bayes.bernoulli",
        "CategoricalNaiveBayes": "lindy.bayes.categorical",
        "ComplementNaiveBayes": "lindy.bayes.complement",
        "GaussianNaiveBayes": "lindy.bayes.gaussian",
        "Inference": "lindy.bayes.inference",
        "MultinomialNaiveBayes": "lindy.bayes.multinomial",
        "document_totals": "lindy.bayes.tables",
        "infer": "lindy.bayes.inference",
        "odds_ratios": "lindy.bayes.tables",
        "running_totals": "lindy.bayes.tables",
        "word_probabilities": "lindy.bayes.tables",
    },
)
