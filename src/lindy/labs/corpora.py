"""The corpora of the labs: the public ones where they are on this machine, embedded ones elsewhere."""

from __future__ import annotations

import gzip
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lindy.errors import DataError
from lindy.labs.stage import data_folder

if TYPE_CHECKING:
    import scipy.sparse

Bag = tuple[dict[str, int], str]

RARE = {"amazon": 5, "embedded": 2}
"""Features that occur less often in training are left out; the embedded corpus is a tenth as long."""


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
    120 messages that come with lindy, of which every third is for testing.
    """
    return _public_texts("sms-spam", "SMS Spam Collection") or _embedded_messages()


def review_texts() -> Texts:
    """Return book reviews as they were written, positive and negative.

    They are Amazon's if the data folder holds ``amazon-books-raw`` with tables ``train`` and ``test``, otherwise those
    that come with lindy.
    """
    from lindy.data import samples

    public = _public_texts("amazon-books-raw", "Amazon book reviews")
    if public is not None:
        return public
    train, test = (_columns(samples.path(f"reviews-{part}")) for part in ("train", "test"))
    return Texts(*train, *test, "embedded book reviews")


def _public_texts(name: str, source: str) -> Texts | None:
    folder = data_folder()
    if folder is None or not (folder / name).is_dir():
        return None
    tables = [next(iter(sorted((folder / name).glob(f"{part}.*"))), None) for part in ("train", "test")]
    if tables[0] is None or tables[1] is None:
        raise DataError(f"{folder / name}: no tables train and test", "name them train.csv and test.csv")
    return Texts(*_columns(tables[0]), *_columns(tables[1]), source)


def _columns(path: Path) -> tuple[list[str], NDArray[np.str_]]:
    from lindy.data import read_examples

    data = read_examples(path)
    if data.labels is None:
        raise DataError(f"{path}: no labels", "add a column named label")
    return data.texts.to_pylist(), np.array(data.labels.to_pylist())


def _embedded_messages() -> Texts:
    texts, y = _columns(Path(__file__).parent / "messages.csv")
    # ham, spam, ham, ham, spam, ham, …: in every nine there are three to test on, one of them spam
    held = np.arange(len(y)) % 9 >= 6
    train, test = (
        [text for text, out in zip(texts, held, strict=True) if bool(out) is flag] for flag in (False, True)
    )
    return Texts(train, y[~held], test, y[held], "embedded messages")


def book_reviews() -> Counted:
    """Return book reviews, positive and negative, as counts of words and pairs of words.

    They are the Amazon reviews of Blitzer et al. (2007) where their ``.review`` files are found in the data folder:
    ``train.review`` and ``test.review``, or ``positive.review`` and ``negative.review`` as published, of which four
    fifths are for training. Otherwise they are the reviews that come with lindy.
    """
    folder = data_folder()
    if folder is None:
        return _embedded()
    for place in (folder, folder / "amazon-books", folder / "books", folder / "processed_acl" / "books"):
        if train := _file(place, "train"):
            test = _file(place, "test")
            if test is None:
                raise DataError(f"{place}: train.review but no test.review", "put both into one folder")
            return _counted(_read(train), _read(test), RARE["amazon"], "Amazon book reviews")
        if (good := _file(place, "positive")) and (bad := _file(place, "negative")):
            bags = [_read(good), _read(bad)]
            train_bags = [bag for part in bags for i, bag in enumerate(part) if i % 5]
            test_bags = [bag for part in bags for bag in part[::5]]
            return _counted(train_bags, test_bags, RARE["amazon"], "Amazon book reviews")
    raise DataError(
        f"{folder}: no .review files", "give the folder that holds train.review and test.review, or books/"
    )


def _file(folder: Path, name: str) -> Path | None:
    found = (folder / f"{name}.review{end}" for end in ("", ".gz"))
    return next((path for path in found if path.is_file()), None)


def _read(path: Path) -> list[Bag]:
    """Read lines ``feature:count … #label#:name``."""
    text = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    bags = []
    for number, line in enumerate(text.decode("utf-8").splitlines(), start=1):
        pairs = [entry.rpartition(":") for entry in line.split()]
        if not pairs or pairs[-1][0] != "#label#" or not all(n.isdigit() for _, _, n in pairs[:-1]):
            raise DataError(f"{path}, line {number}: not a review", "write feature:count … #label#:name")
        bags.append(({word: int(n) for word, _, n in pairs[:-1]}, pairs[-1][2]))
    return bags


def _counted(train: list[Bag], test: list[Bag], rare: int, source: str) -> Counted:
    total: Counter[str] = Counter()
    for bag, _ in train:
        total.update(bag)
    words = sorted(word for word, n in total.items() if n >= rare)
    column = {word: j for j, word in enumerate(words)}
    X_train, X_test = (_rows((bag for bag, _ in part), column) for part in (train, test))
    y_train, y_test = (np.array([label for _, label in part]) for part in (train, test))
    return Counted(X_train, y_train, X_test, y_test, words, source)


def _rows(bags: Iterable[dict[str, int]], column: dict[str, int]) -> scipy.sparse.csr_matrix[Any]:
    from scipy.sparse import csr_matrix

    indptr, indices, values = [0], [], []
    for bag in bags:
        known = [(column[word], n) for word, n in bag.items() if word in column]
        indices += [j for j, _ in known]
        values += [n for _, n in known]
        indptr.append(len(indices))
    return csr_matrix((np.array(values, np.float64), indices, indptr), (len(indptr) - 1, len(column)))


def _embedded() -> Counted:
    from lindy.data import samples
    from lindy.text import CountVectorizer

    cut = CountVectorizer(ngram_range=(1, 2)).build_analyzer()
    parts = []
    for name in ("reviews-train", "reviews-test"):
        texts, y = _columns(samples.path(name))
        parts.append([(dict(Counter(cut(text))), str(label)) for text, label in zip(texts, y, strict=True)])
    return _counted(*parts, RARE["embedded"], "embedded book reviews")
