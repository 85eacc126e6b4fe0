"""Options that say what the features of a text are: n-grams, rare words, and a selection of them."""

from __future__ import annotations

import argparse

from lindy.cli.options.shared import at_least
from lindy.cli.parsing import Group, Parser, UsageError


def selection(text: str) -> str:
    """Return a selection of features as it is given to vectorizers: chi2:10000."""
    from lindy.text.vocabulary.feature_selection import Selection

    try:
        Selection.of(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    return text


def add_rare_words(parser: Parser | Group) -> None:
    """Add ``--min-df``, ``--min-count`` and ``--select``."""
    parser.add_argument(
        "--min-df", type=at_least(1), metavar="N", default=1, help="leave out words in fewer than N texts"
    )
    parser.add_argument(
        "--min-count",
        type=at_least(1),
        metavar="N",
        default=1,
        help="leave out words that occur fewer than N times in all texts together",
    )
    parser.add_argument(
        "--select",
        type=selection,
        metavar="METHOD:K",
        help="keep the K words that say most about the classes, e.g. chi2:10000 or information-gain:10000, or the most"
        " frequent, count:10000 or df:10000",
    )


LONGEST_NGRAM = 100
"""Of a model that can be saved."""


def lengths(text: str) -> tuple[int, int]:
    """Return (1, 2) for ``1-2`` and (2, 2) for ``2``."""
    shortest, dash, longest = text.partition("-")
    try:
        pair = int(shortest), int(longest if dash else shortest)
    except ValueError:
        pair = 0, 0
        what = "e.g. 3 or 2-5"
    else:
        what = f"write {pair[1]}-{pair[0]}" if 1 <= pair[1] < pair[0] else "the shortest is 1"
        if pair[1] > LONGEST_NGRAM:
            what, pair = f"the longest is {LONGEST_NGRAM}", (0, 0)
    if not 1 <= pair[0] <= pair[1]:
        raise argparse.ArgumentTypeError(f"{text!r} is not N or M-N with 1 ≤ M ≤ N: {what}")
    return pair


def add_lengths(parser: Parser | Group, default: str) -> None:
    """Add ``--ngrams`` and ``--chars``, the n-grams that are features."""
    parser.add_argument(
        "--ngrams",
        type=lengths,
        metavar="N or M-N",
        help=f"word n-grams as features; default: {default}, none with --chars alone",
    )
    parser.add_argument(
        "--chars",
        type=lengths,
        metavar="N or M-N",
        help="character n-grams within words as features, beside --ngrams or alone",
    )


def add_cutting(parser: Parser | Group) -> None:
    """Add ``--subwords`` and ``--oov``."""
    parser.add_argument(
        "--subwords",
        type=at_least(0),
        metavar="N",
        help="cut words into subword units by N merges of byte-pair encoding, learned from the texts; --ngrams are of"
        " these",
    )
    parser.add_argument(
        "--oov",
        type=at_least(1),
        metavar="N",
        help="words that occur fewer than N times become one feature, <OOV>, which also counts the unknown words of"
        " later texts",
    )


def add_scale(parser: Parser | Group) -> None:
    """Add ``--scale``."""
    parser.add_argument(
        "--scale",
        choices=("auto", "standard", "range", "none"),
        default="auto",
        help="what --numeric columns become: mean 0 and standard deviation 1, from 0 to 1, or as they are; default:"
        " what the learner wants",
    )


def check_scale(args: argparse.Namespace) -> None:
    """Refuse ``--scale`` where there is nothing to scale."""
    if args.scale != "auto" and not args.numeric:
        raise UsageError(
            "argument --scale: it has no effect without --numeric",
            "name a column of numbers, or leave it out",
        )
