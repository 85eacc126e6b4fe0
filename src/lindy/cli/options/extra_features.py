"""Features beside the words: patterns, lexicons, and what only the training mail tells about a message."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from lindy.cli.options.feature_options import lengths
from lindy.cli.options.shared import between_0_and_1, word_lists
from lindy.cli.parsing import Group, Parser
from lindy.estimators.learners import InputKind

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


def add_affixes(parser: Parser | Group) -> None:
    """Add ``--prefixes`` and ``--suffixes``."""
    for name, example in (
        ("prefixes", "how words begin: 2 makes un- of unhappy"),
        ("suffixes", "how words end"),
    ):
        parser.add_argument(
            f"--{name}",
            type=lengths,
            metavar="N or M-N",
            help=f"also features for the {name} of words of N (M to N) letters, {example}",
        )


def affix_features(args: argparse.Namespace, input_kind: InputKind) -> list[Any]:
    """Return the vectorizers of prefixes and suffixes that were asked for; learners of counts get counts."""
    from lindy.text.weighting.weighting_registry import weighted_vectorizer

    asked = {"prefix": args.prefixes, "suffix": args.suffixes}
    return [
        weighted_vectorizer(
            input_kind.weighting,
            analyzer="char_wb",
            affixes=which,
            ngram_range=(shortest + 1, longest + 1),
            n_jobs=args.threads,
        )
        for which, (shortest, longest) in ((which, own) for which, own in asked.items() if own)
    ]


def add_pixels(parser: Parser | Group) -> None:
    """Add ``--pixel-threshold`` and ``--no-shapes``, for images."""
    parser.add_argument(
        "--pixel-threshold",
        type=between_0_and_1,
        metavar="P",
        help="of images: a pixel is on above this share of the largest value, e.g. 0.5; default: 0.3",
    )
    parser.add_argument(
        "--no-shapes",
        action="store_true",
        help="of images: only the pixels, without components, loops and aspect ratio",
    )


def pixel_features(args: argparse.Namespace) -> Any:
    """Return the vectorizer of images that was asked for; None if nothing was."""
    if args.pixel_threshold is None and not args.no_shapes:
        return None
    from lindy.images.image_features import pixels_and_shapes

    threshold = 0.3 if args.pixel_threshold is None else args.pixel_threshold
    return pixels_and_shapes(args.threads, threshold=threshold, shapes=not args.no_shapes)


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


def mail_features(
    args: argparse.Namespace, mail: MailWords | None, input_kind: InputKind = InputKind.WEIGHTS
) -> list[Any]:
    """Return the vectorizers of misspellings and copies among mail, for learners that can use them."""
    if mail is None or input_kind not in (InputKind.WEIGHTS, InputKind.COUNTS):
        return []
    from lindy.features import CopyVectorizer, MisspellingVectorizer

    return [MisspellingVectorizer(n_jobs=args.threads), CopyVectorizer(n_jobs=args.threads)]
