"""The corpora of the labs: the public ones where they are on this machine, embedded ones elsewhere."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lindy.data import read_examples, samples, split
from lindy.errors import DataError, did_you_mean
from lindy.features import DictVectorizer
from lindy.labs.catalog import PUBLIC
from lindy.labs.stage import data_folder
from lindy.text import CountVectorizer

if TYPE_CHECKING:
    import scipy.sparse


@dataclass(frozen=True, slots=True)
class Counted:
    """A corpus as counts of words: rows for training and testing, labels, and the word of each column."""

    X_train: scipy.sparse.csr_matrix[Any]
    y_train: NDArray[np.str_]
    X_test: scipy.sparse.csr_matrix[Any]
    y_test: NDArray[np.str_]
    words: list[str]
    source: str

    def __str__(self) -> str:
        (n, features), m = self.X_train.shape, self.X_test.shape[0]
        return f"{self.source}: {n:,} reviews to train on, {m:,} to test on, {features:,} features"


@dataclass(frozen=True, slots=True)
class Texts:
    """A corpus as texts and labels, to train and to test on."""

    train: list[str]
    y_train: NDArray[np.str_]
    test: list[str]
    y_test: NDArray[np.str_]
    source: str

    def __str__(self) -> str:
        return f"{self.source}: {len(self.train):,} texts to train on, {len(self.test):,} to test on"


def messages() -> Texts:
    """Return short messages, spam and ham.

    They are the SMS Spam Collection if the data folder holds ``sms-spam`` with tables ``train`` and ``test``, otherwise
    120 messages that come with lindy, of which a third is for testing.
    """
    return public_texts("sms-spam", "SMS Spam Collection") or _embedded_messages()


def review_texts() -> Texts:
    """Return book reviews as they were written, positive and negative.

    They are Amazon's if the data folder holds ``amazon-books-raw`` with tables ``train`` and ``test``, otherwise those
    that come with lindy.
    """
    public = public_texts("amazon-books-raw", "Amazon book reviews")
    return public or _embedded_reviews("embedded book reviews")


def public_texts(name: str, source: str) -> Texts | None:
    """Return a corpus of the data folder, from its tables ``train`` and ``test``; None if it is not there."""
    folder = data_folder()
    if folder is None or not (folder / name).is_dir():
        return None
    tables = [next(iter(sorted((folder / name).glob(f"{part}.*"))), None) for part in ("train", "test")]
    if tables[0] is None or tables[1] is None:
        raise DataError(f"{folder / name}: no tables train and test", "name them train.csv and test.csv")
    return Texts(*_columns(tables[0]), *_columns(tables[1]), source)


def _columns(path: Path) -> tuple[list[str], NDArray[np.str_]]:
    data = read_examples(path)
    if data.labels is None:
        raise DataError(f"{path}: no labels", "add a column named label")
    return data.texts.to_pylist(), np.array(data.labels.to_pylist())


def _embedded_messages() -> Texts:
    texts, y = _columns(samples.path("messages"))
    # ham, spam, ham, ham, spam, ham, …: in every nine there are three to test on, one of them spam
    held = np.arange(len(y)) % 9 >= 6
    train, test = (
        [text for text, out in zip(texts, held, strict=True) if bool(out) is flag] for flag in (False, True)
    )
    return Texts(train, y[~held], test, y[held], "embedded messages")


DOMAINS = {"books": "book", "dvd": "DVD", "electronics": "electronics", "kitchen": "kitchen"}
"""Subjects of the Amazon reviews of Blitzer et al., as people call them."""


def book_reviews(domain: str = "books") -> Counted:
    """Return reviews, positive and negative, as counts of words and pairs of words.

    They are the Amazon reviews of Blitzer et al. (2007) where their ``.review`` files are found in the data folder:
    ``train.review`` and ``test.review``, or ``positive.review`` and ``negative.review`` as published, of which four
    fifths are for training. Otherwise they are the book reviews that come with lindy; those of the other domains,
    "dvd", "electronics" and "kitchen", do not come with it. Words that occur fewer than five times in training are left
    out.

    The published archive is processed_acl.tar.gz (``lindy.labs.catalog.PUBLIC`` says where it is); unpacked in the data
    folder, it is found.
    """
    if domain not in DOMAINS:
        raise ValueError(
            f"domain must be one of {list(DOMAINS)}; got {domain!r}. {did_you_mean(str(domain), DOMAINS)}"
        )
    folder = data_folder()
    public = None if folder is None else _amazon_reviews(folder, domain)
    if public is not None:
        return public
    if domain != "books":
        where = (
            "no data folder is named"
            if folder is None
            else f"{folder} has no folder {domain} with .review files"
        )
        raise DataError(
            f"the {DOMAINS[domain]} reviews do not come with lindy, and {where}",
            f"unpack processed_acl.tar.gz of {PUBLIC['Amazon reviews'].place} in a folder, and name that folder with"
            " --data or LINDY_DATA",
        )
    absent = "" if folder is None else f" (there are no .review files in {folder})"
    words = CountVectorizer(dtype=np.float64, ngram_range=(1, 2))
    return _counted(_embedded_reviews(f"embedded book reviews{absent}"), 2, words)


@lru_cache(maxsize=1)
def _amazon_reviews(folder: Path, domain: str) -> Counted | None:
    places = [folder / f"amazon-{domain}", folder / domain, folder / "processed_acl" / domain]
    source = f"Amazon {DOMAINS[domain]} reviews"
    for place in [folder, *places] if domain == "books" else places:
        texts = _cut_reviews(place, source) or _published_reviews(place, source)
        if texts is not None:  # with the features of their .review files as they are
            return _counted(texts, 5, DictVectorizer())
    return None


def _cut_reviews(place: Path, source: str) -> Texts | None:
    train, test = _file(place, "train"), _file(place, "test")
    if train is None:
        return None
    if test is None:
        raise DataError(f"{place}: train.review but no test.review", "put both into one folder")
    return Texts(*_columns(train), *_columns(test), source)


def _published_reviews(place: Path, source: str) -> Texts | None:
    positive, negative = _file(place, "positive"), _file(place, "negative")
    if positive is None or negative is None:
        return None
    (good, y_good), (bad, y_bad) = _columns(positive), _columns(negative)
    texts, y = good + bad, np.concatenate([y_good, y_bad])
    train, test = (
        ([texts[i] for i in rows], y[rows]) for rows in split(y, {"train": 0.8, "test": 0.2}).values()
    )
    return Texts(*train, *test, source)


def _file(folder: Path, name: str) -> Path | None:
    found = (folder / f"{name}.review{end}" for end in ("", ".gz"))
    return next((path for path in found if path.is_file()), None)


def _embedded_reviews(source: str) -> Texts:
    train, test = (_columns(samples.path(f"opinions-{part}")) for part in ("train", "test"))
    return Texts(*train, *test, source)


def _counted(texts: Texts, least: int, vectorizer: Any) -> Counted:
    """Count terms; those that occur less often in training are left out."""
    X, X_test = vectorizer.fit_transform(texts.train), vectorizer.transform(texts.test)
    kept = np.flatnonzero(np.asarray(X.sum(axis=0)).ravel() >= least)
    words = vectorizer.get_feature_names_out()[kept].tolist()
    return Counted(X[:, kept], texts.y_train, X_test[:, kept], texts.y_test, words, texts.source)
