"""Corpora and word lists written for lindy, so that examples run anywhere.

``reviews-train`` and ``reviews-test``
    Short book reviews, labelled positive or negative.
``opinions-train`` and ``opinions-test``
    More of them, and harder: praise and blame in one review, words of a lexicon in other roles, some wrong labels.
    ``docs/labs/write_opinions.py`` put them together.
``messages``
    120 short messages, a third of them spam.
``tickets``
    Letters to a help desk: subject, message, customer, queue and any number of tags. A few queues are wrong, and a few
    tickets are there twice.
``intents-train`` and ``intents-test``
    Commands to a speaker in a living room, of fifteen kinds; those to test on are worded otherwise.
    ``docs/guide/write_tables.py`` wrote these three.
``languages-train`` and ``languages-test``
    Thirteen everyday sentences in 29 languages.

``lindy demo --tables FOLDER`` writes all of them as files.
"""

from __future__ import annotations

from pathlib import Path

from lindy.data.columns.examples import TextData, read_examples
from lindy.errors import DataError, did_you_mean

_FOLDER = Path(__file__).parent


def names() -> list[str]:
    """Return the names of the corpora."""
    return sorted(file.stem for file in _FOLDER.glob("*.csv"))


def path(name: str) -> Path:
    """Return the path of the corpus ``name``, a CSV file."""
    if name not in names():
        guess = did_you_mean(name, names())
        raise DataError(f"no sample corpus {name!r}", f"{guess}There are: {', '.join(names())}.")
    return _FOLDER / f"{name}.csv"


def load(name: str) -> TextData:
    """Return the texts and labels of the corpus ``name``."""
    return read_examples(path(name))


def lexicon(name: str) -> list[str]:
    """Return the words of the list ``name``: ``positive`` or ``negative``."""
    file = _FOLDER / "lexicon" / f"{name}.txt"
    known = sorted(other.stem for other in file.parent.glob("*.txt"))
    if name not in known:
        raise DataError(f"no word list {name!r}", f"There are: {', '.join(known)}.")
    lines = file.read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]
