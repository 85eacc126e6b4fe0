"""Options that say how a model is learned, as ``TextOptions`` declares them, and of features beside the words."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from lindy.cli.options.shared import at_least, between_0_and_1, numbers_by_label, word_lists
from lindy.cli.parsing import Group, Parser, UsageError
from lindy.estimators.learners import InputKind
from lindy.tuning.text_options import TextOptions

if TYPE_CHECKING:
    from lindy.data.mail import MailWords


def add_options(parser: Parser | Group, *names: str, about: str = "") -> None:
    """Add options of ``TextClassifier`` by their names there; ``about`` says what one of them does here."""
    for name in names:
        option, is_flag, default = TextOptions.option(name)
        settings = option.more | {
            "dest": name,
            "default": default,
            "help": option.help.replace("{about}", about or option.about),
        }
        if is_flag or option.negatable:
            settings["action"] = argparse.BooleanOptionalAction if option.negatable else "store_true"
        elif option.choices:
            settings["choices"] = option.choices
        else:
            settings |= {"metavar": option.metavar, "type": _TYPES.get(name) or at_least(option.least)}
        parser.add_argument(option.flag or f"--{name.replace('_', '-')}", **settings)


def learner_called(text: str) -> str:
    """Return the name of a learner that is called so; what no learner is called stays as it is, to be refused later."""
    from lindy.estimators.learners import canonical_name

    return canonical_name(text)


def selection(text: str) -> str:
    """Return a selection of features as it is given to vectorizers: chi2:10000."""
    from lindy.text.vocabulary.feature_selection import Selection

    try:
        Selection.of(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    return text


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


def metric(text: str) -> str:
    """Return a metric as it is kept with a model."""
    if text == TextOptions.metric:  # the table is read while what knows the others is imported
        return text
    from lindy.evaluation.criterion import Metric

    try:
        return str(Metric.of(text))
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def class_weights(text: str) -> str | dict[str, float]:
    """Return ``balanced``, or {"spam": 5.0} for ``spam=5``."""
    if text == "balanced":
        return text
    weights = numbers_by_label(text)
    if not all(label and 0 < weight < float("inf") for label, weight in weights.items()):
        raise argparse.ArgumentTypeError(
            f"{text!r} is neither 'balanced' nor LABEL=WEIGHT,… with weights above 0"
        )
    return weights


_TYPES: dict[str, Any] = {
    "learner": learner_called,
    "ngrams": lengths,
    "chars": lengths,
    "select": selection,
    "metric": metric,
    "class_weight": class_weights,
    "early_stop": between_0_and_1,
    "hierarchy": str,
}
"""How options are read that are neither flags nor choices nor whole numbers."""


def check_scale(args: argparse.Namespace) -> None:
    """Refuse ``--scale`` where there is nothing to scale."""
    if args.scaling != "auto" and not args.numeric:
        raise UsageError(
            "argument --scale: it has no effect without --numeric",
            "name a column of numbers, or leave it out",
        )


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


def add_embedding(parser: Parser | Group) -> None:
    """Add ``--embedding``."""
    parser.add_argument(
        "--embedding",
        metavar="FILE",
        help="also the mean of the vectors of a text's words: word2vec, GloVe, fastText (.vec) or safetensors, such as"
        " 'lindy embed' writes; or wordllama, where that package is installed",
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


def embedding_features(args: argparse.Namespace) -> list[Any]:
    """Return the vectorizer of ``--embedding``, whose file is read at once; nothing without it."""
    if args.embedding is None:
        return []
    from lindy.features import StaticEmbedding

    return [StaticEmbedding(path=args.embedding, n_jobs=args.threads).fit([])]


def mail_features(
    args: argparse.Namespace, mail: MailWords | None, input_kind: InputKind = InputKind.WEIGHTS
) -> list[Any]:
    """Return the vectorizers of misspellings and copies among mail, for learners that can use them."""
    if mail is None or input_kind not in (InputKind.WEIGHTS, InputKind.COUNTS):
        return []
    from lindy.features import CopyVectorizer, MisspellingVectorizer

    return [MisspellingVectorizer(n_jobs=args.threads), CopyVectorizer(n_jobs=args.threads)]
