"""Generative classifiers: P(y) and P(x | y) are counted, Bayes' rule does the rest."""

from __future__ import annotations

from lindy.bayes.multinomial import MultinomialNaiveBayes

__all__ = ["MultinomialNaiveBayes"]
