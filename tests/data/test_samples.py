"""The corpora that come with the package."""

from __future__ import annotations

import runpy
from collections import Counter
from pathlib import Path

import pytest

from lindy.data import samples
from lindy.errors import DataError


def test_names():
    parts = [
        f"{name}-{part}"
        for name in ("intents", "languages", "opinions", "reviews")
        for part in ("test", "train")
    ]
    assert samples.names() == sorted([*parts, "messages", "tickets"])


def test_path_is_a_file():
    assert samples.path("reviews-train").is_file()


def test_reviews_are_many_balanced_and_different():
    train, test = samples.load("reviews-train"), samples.load("reviews-test")
    assert train.columns.text == "text"
    assert train.columns.label == "label"
    assert Counter(train.labels.to_pylist()).keys() == {"positive", "negative"}
    assert len(train.texts) >= 300
    assert len(test.texts) >= 100
    for data in (train, test):
        counts = Counter(data.labels.to_pylist())
        assert max(counts.values()) <= 1.2 * min(counts.values())
    texts = train.texts.to_pylist() + test.texts.to_pylist()
    assert len(set(texts)) == len(texts)
    assert all(text.strip() for text in texts)


def test_languages_have_the_same_sentences_in_each():
    train, test = samples.load("languages-train"), samples.load("languages-test")
    for data, n in ((train, 10), (test, 3)):
        assert set(Counter(data.labels.to_pylist()).values()) == {n}
    assert set(train.labels.to_pylist()) == set(test.labels.to_pylist())
    assert len(set(train.labels.to_pylist())) == 29
    texts = train.texts.to_pylist() + test.texts.to_pylist()
    assert len(set(texts)) == len(texts)


def test_lexicon():
    positive, negative = samples.lexicon("positive"), samples.lexicon("negative")
    assert "admirable" in positive
    assert "abysmal" in negative
    assert not set(positive) & set(negative)
    assert all(word == word.lower() and word.strip() for word in positive + negative)


def test_unknown_names():
    with pytest.raises(DataError, match="no sample corpus 'review-train'") as caught:
        samples.path("review-train")
    assert "Did you mean 'reviews-train'?" in caught.value.hint
    with pytest.raises(DataError, match="no word list 'neutral'") as caught:
        samples.lexicon("neutral")
    assert "negative, positive" in caught.value.hint


def test_the_opinions_are_what_their_script_writes(tmp_path: Path) -> None:
    source = Path(__file__).parents[2] / "docs" / "labs" / "write_opinions.py"
    runpy.run_path(str(source))["write"](tmp_path)
    for part in ("train", "test"):
        name = f"opinions-{part}"
        assert (tmp_path / f"{name}.csv").read_bytes() == samples.path(name).read_bytes()
    train, test = (set(samples.load(f"opinions-{part}").texts.to_pylist()) for part in ("train", "test"))
    assert (len(train), len(test)) == (1200, 400)
    assert not train & test


def test_tickets_and_intents_are_what_their_script_writes(tmp_path: Path) -> None:
    source = Path(__file__).parents[2] / "docs" / "guide" / "write_tables.py"
    runpy.run_path(str(source))["write"](tmp_path)
    written = sorted(path.stem for path in tmp_path.iterdir())
    assert written == ["intents-test", "intents-train", "tickets"]
    for name in written:
        assert (tmp_path / f"{name}.csv").read_bytes() == samples.path(name).read_bytes()
    train, test = (samples.load(f"intents-{part}") for part in ("train", "test"))
    assert not set(train.texts.to_pylist()) & set(test.texts.to_pylist())
    assert set(train.labels.to_pylist()) == set(test.labels.to_pylist())
