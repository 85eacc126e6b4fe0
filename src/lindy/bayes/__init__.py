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
    from lindy.bayes.teaching_tables import document_totals, odds_ratios, running_totals, word_probabilities

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
        "bernoulli": "BernoulliNaiveBayes",
        "categorical": "CategoricalNaiveBayes",
        "complement": "ComplementNaiveBayes",
        "gaussian": "GaussianNaiveBayes",
        "inference": "Inference infer",
        "multinomial": "MultinomialNaiveBayes",
        "teaching_tables": "document_totals odds_ratios running_totals word_probabilities",
    },
)
