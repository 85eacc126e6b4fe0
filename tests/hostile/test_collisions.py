"""Words chosen by a public hash share a column where there is no key, and turn no prediction where there is one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.utils import murmurhash3_32
from tests.hostile.colliding_words import murmur_words, random_words

from lindy.data import read_examples, samples
from lindy.linear import MaxEnt
from lindy.text import CountVectorizer, HashingVectorizer

COLUMNS = 2**18


def test_the_words_collide() -> None:
    words = murmur_words(50, target=777)
    assert len(set(words)) == 50
    assert {murmurhash3_32(word, positive=True) for word in words} == {777}
    text = [" ".join(words)]
    plain = HashingVectorizer(n_features=COLUMNS, norm=None).transform(text)
    assert plain.indices.tolist() == [777]
    assert plain.data.tolist() == [50]
    keyed = HashingVectorizer(n_features=COLUMNS, norm=None, key=2**100 + 1).transform(text)
    assert keyed.nnz >= 49
    assert CountVectorizer().fit_transform(text).nnz == 50


@pytest.mark.parametrize("vectorizer", [HashingVectorizer(n_features=COLUMNS, key=3**50), CountVectorizer()])
def test_chosen_words_turn_no_prediction(vectorizer: Any) -> None:
    """The attacker knows the training data and trains on it with the public hash."""
    train = read_examples(samples.path("reviews-train"))
    texts, y = train.texts.to_pylist(), np.unique(train.labels.to_pylist(), return_inverse=True)[1]
    public = HashingVectorizer(n_features=COLUMNS)
    known = MaxEnt().fit(public.transform(texts), y)
    weights = known.coef_[0]
    column = int(np.argmax(np.abs(weights)))
    speaks_for_1 = murmur_words(8, column if weights[column] > 0 else (-column) % 2**32)
    others = read_examples(samples.path("reviews-test")).texts.to_pylist()
    attacked = [f"{text} {' '.join(speaks_for_1)}" for text in others]
    assert known.predict(public.transform(attacked)).mean() > 0.95
    model = MaxEnt().fit(vectorizer.fit_transform(texts), y)
    harmless = [f"{text} {' '.join(random_words(8, 12))}" for text in others]
    before, after = (model.predict(vectorizer.transform(docs)) for docs in (harmless, attacked))
    assert np.array_equal(before, after)
