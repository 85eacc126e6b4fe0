"""Features beside the words: patterns, lexicons, and what only the training mail tells about a message."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from lindy.cli.options import word_lists
from lindy.cli.parsing import Group, Parser

if TYPE_CHECKING:
    from lindy.data.mail import MailWords


def add_patterns(parser: Parser | Group) -> None:
    """Add ``--patterns``."""
    parser.add_argument(
        "--patterns",
        action="store_true",
        help="also features for money, CAPITALS, links, addresses, numbers, rows of marks and the like",
    )


def add_lexicon(parser: Parser | Group, more: str = "") -> None:
    """Add ``--lexicon``, for commands in which its lists are features."""
    parser.add_argument(
        "--lexicon",
        type=word_lists,
        metavar="NAME=FILE,…",
        help=f"also features for how many words of a list (one word per line) a text has{more}",
    )


def pattern_features(args: argparse.Namespace) -> list[Any]:
    """Return the vectorizer of patterns, if it was asked for."""
    if not args.patterns:
        return []
    from lindy.features import PatternVectorizer

    return [PatternVectorizer(n_jobs=args.threads)]


def lexicon_features(args: argparse.Namespace) -> list[Any]:
    """Return the vectorizer of the word lists, if there are any."""
    if not args.lexicon:
        return []
    from lindy.baselines.lexicon import read_words
    from lindy.features import LexiconVectorizer

    lists = {name: read_words(path) for name, path in args.lexicon.items()}
    return [LexiconVectorizer(lexicons=lists, n_jobs=args.threads)]


def mail_features(args: argparse.Namespace, mail: MailWords | None, wants: str = "weights") -> list[Any]:
    """Return the vectorizers of misspellings and copies among mail, for learners that can use them."""
    if mail is None or wants not in ("weights", "counts"):
        return []
    from lindy.features import CopyVectorizer, MisspellingVectorizer

    return [MisspellingVectorizer(n_jobs=args.threads), CopyVectorizer(n_jobs=args.threads)]
