"""Every learner and every representation, for the tests that hold for all of them."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

import lindy
from lindy.estimators.base import Classifier
from lindy.text import CountVectorizer, HashingVectorizer, TfidfVectorizer, UnionVectorizer

TEXTS = [
    "A warm and funny book, warm to the end",
    "Warm, wise and GENEROUS; the Café scenes!",
    "a dull book and a dull end",
    "dull, long, empty. Not funny at all",
    "the first half is long, the second is wise",
    "İstanbul streets, ﬁne naïve prose, été",
    "it is what it is: a book",
    "empty pages and no end in sight",
]
BINARY = ["good", "good", "bad", "bad", "good", "good", "bad", "bad"]
SEVERAL = ["good", "good", "bad", "bad", "so-so", "good", "so-so", "bad"]

REPRESENTATIONS: dict[str, Callable[[], Any]] = {
    "counts": CountVectorizer,
    "bigrams and marks": lambda: CountVectorizer(ngram_range=(1, 3), punctuation=True),
    "rare words as one": lambda: CountVectorizer(oov=2, ngram_range=(1, 2)),
    "no stop words": lambda: CountVectorizer(
        stop_words="english", ngram_range=(1, 2), strip_accents="unicode"
    ),
    "shapes": lambda: CountVectorizer(shapes=True, ngram_range=(1, 2), oov=2),
    "hashed shapes": lambda: HashingVectorizer(
        n_features=13, shapes=True, punctuation=True, alternate_sign=False
    ),
    "presence": lambda: CountVectorizer(binary=True, strip_accents="ascii", token_pattern=r"(?u)\b\w+\b"),
    "tf-idf": lambda: TfidfVectorizer(sublinear_tf=True, dtype=np.float32, ngram_range=(1, 2)),
    "characters": lambda: TfidfVectorizer(analyzer="char", ngram_range=(1, 3)),
    "characters in words": lambda: CountVectorizer(analyzer="char_wb", ngram_range=(2, 4)),
    "long characters in words": lambda: CountVectorizer(
        analyzer="char_wb", ngram_range=(4, 5), lowercase=False
    ),
    "hashed": lambda: HashingVectorizer(n_features=11, alternate_sign=False, norm=None, ngram_range=(1, 2)),
    "hashed presence": lambda: HashingVectorizer(
        n_features=7, alternate_sign=False, binary=True, record=True
    ),
    "words and characters": lambda: UnionVectorizer(
        vectorizers=[
            ("word", CountVectorizer(ngram_range=(1, 2))),
            ("char", TfidfVectorizer(analyzer="char_wb", ngram_range=(2, 3))),
            ("hash", HashingVectorizer(n_features=5, alternate_sign=False)),
        ]
    ),
    "subwords": lambda: TfidfVectorizer(analyzer="bpe", n_merges=30, ngram_range=(1, 2), punctuation=True),
    "words of all scripts": lambda: CountVectorizer(
        analyzer="unicode_words", ngram_range=(1, 3), punctuation=True
    ),
    "hashed words of all scripts": lambda: HashingVectorizer(
        analyzer="unicode_words", n_features=11, alternate_sign=False, ngram_range=(1, 2), stop_words=["a"]
    ),
    "own tokenizer": lambda: CountVectorizer(tokenizer=str.split, token_pattern=None),
    "own pattern": lambda: CountVectorizer(token_pattern=r"[aeiou](\w)"),
    "own analyzer": lambda: CountVectorizer(analyzer=str.split),
}
SIGNED: dict[str, Callable[[], HashingVectorizer]] = {
    "hashed with signs": lambda: HashingVectorizer(n_features=9, norm="l2", ngram_range=(1, 2))
}

LEARNERS: dict[str, Callable[[], Classifier]] = {
    "multinomial": lindy.MultinomialNaiveBayes,
    "maximum likelihood": lambda: lindy.MultinomialNaiveBayes(alpha=0.0),
    "interpolated": lambda: lindy.MultinomialNaiveBayes(interpolation=0.7),
    "poisson lengths": lambda: lindy.MultinomialNaiveBayes(length="poisson"),
    "bernoulli": lindy.BernoulliNaiveBayes,
    "unsmoothed bernoulli": lambda: lindy.BernoulliNaiveBayes(alpha=0.0),
    "complement": lambda: lindy.ComplementNaiveBayes(norm=True),
    "categorical": lindy.CategoricalNaiveBayes,
    "unsmoothed categorical": lambda: lindy.CategoricalNaiveBayes(alpha=0.0),
    "gaussian": lambda: lindy.GaussianNaiveBayes(var_smoothing=0.1),
    "shared gaussian": lambda: lindy.GaussianNaiveBayes(variance=1.0),
    "perceptron": lindy.Perceptron,
    "perceptron in 64 bits": lambda: lindy.Perceptron(dtype="float64"),
    "voted perceptron": lambda: lindy.Perceptron(average="vote"),
    "mira": lindy.Mira,
    "maxent": lindy.MaxEnt,
    "sparse maxent": lambda: lindy.MaxEnt(penalty="l1", C=10.0),
    "svm": lindy.SVM,
    "least squares": lindy.LeastSquares,
    "word lists": lindy.WordLists,
    "word votes": lindy.WordVotes,
    "majority": lindy.MajorityClass,
    "random": lindy.RandomClass,
}
TAKES_SIGNS = ("gaussian", "perceptron", "mira", "maxent", "svm", "least squares")


def combinations() -> list[tuple[str, str]]:
    """Return all pairs that make sense: only some learners take negative values."""
    pairs = [(learner, representation) for learner in LEARNERS for representation in REPRESENTATIONS]
    return pairs + [(learner, representation) for learner in TAKES_SIGNS for representation in SIGNED]


@cache
def model(learner: str, representation: str, several: bool) -> lindy.TextClassifier:
    """Return a fitted model."""
    vectorizer = {**REPRESENTATIONS, **SIGNED}[representation]()
    classifier = lindy.TextClassifier(learner=LEARNERS[learner](), vectorizer=vectorizer, calibration="none")
    return classifier.fit(TEXTS, SEVERAL if several else BINARY)
