"""The weightings by the names that ``weighting=`` and ``--weighting`` take; imports nothing before one is asked for.

An entry is all that has to be known of a weighting; its formula, state and export are methods of its transformer.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from lindy.text.count import CountVectorizer


class TermWeights(NamedTuple):
    """The weights of a row of counts, as an exported page computes them.

    They are term(tf) · scale[column], divided by the norm: ``term`` is a key of TERMS in web/export/js/weighting.mjs,
    and ``more`` the numbers that it takes.
    """

    term: str = "counts"
    scale: Any = None
    norm: str | None = None
    more: Mapping[str, float] = {}


class Weighting(NamedTuple):
    """A weighting: its words, and its vectorizer in ``lindy.text`` with the options that are not the defaults.

    Attributes
    ----------
    title, help : str
        How people say it, and how the help of the command line does where that is another.
    searched : bool
        Whether searches try it. Its rows must have length 1 and not depend on labels, for folds share them.
    """

    title: str
    vectorizer: str
    options: Mapping[str, Any] = {}
    help: str = ""
    searched: bool = False


WEIGHTINGS = {
    "counts": Weighting("counts", "CountVectorizer"),
    "tfidf": Weighting(
        "tf-idf", "TfidfVectorizer", {"sublinear_tf": True, "dtype": "float32"}, searched=True
    ),
    "bm25": Weighting("BM25", "Bm25Vectorizer", searched=True),
    "log-count-ratio": Weighting(
        "log-count ratios",
        "LogCountRatioVectorizer",
        help="counts times the log-count ratios of the classes",
    ),
}
SEARCHED = tuple(name for name, own in WEIGHTINGS.items() if own.searched)

_TERMS = {
    "word": "words",
    "unicode_words": "words",
    "bpe": "subwords",
    "char": "characters",
    "char_wb": "characters",
}
_AFFIXES = {"prefix": "prefixes", "suffix": "suffixes"}
_KINDS = {
    **{name: own.title for name, own in WEIGHTINGS.items()},
    "count": "counts",
    "hashing": "hashed counts",
}


def terms_in_words(analyzer: object, lengths: tuple[int, int], affixes: str | None = None) -> str:
    """Return what terms are made of and how long they are, as people say it: words 1-2, characters 4, prefixes 3."""
    if not isinstance(analyzer, str):
        return f"terms of {getattr(analyzer, '__name__', type(analyzer).__name__)}"
    shortest, longest = (n - 1 for n in lengths) if affixes else lengths  # beside a space
    return f"{_AFFIXES.get(affixes or '', _TERMS[analyzer])} {shortest}" + (
        f"-{longest}" if longest != shortest else ""
    )


def kind_in_words(kind: str) -> str:
    """Return how people say what stands in the rows of a kind of vectorizer."""
    return _KINDS.get(kind, kind)


def check_weighting(weighting: Any) -> None:
    """Raise ValueError for what is not the name of a weighting."""
    if weighting not in WEIGHTINGS:
        raise ValueError(f"weighting must be one of {list(WEIGHTINGS)}; got {weighting!r}")


def weighted_vectorizer(weighting: str, **options: Any) -> CountVectorizer:
    """Return an unfitted vectorizer whose rows are weighted so; ``options`` are those of ``CountVectorizer``."""
    from lindy import text

    check_weighting(weighting)
    own = WEIGHTINGS[weighting]
    made: CountVectorizer = getattr(text, own.vectorizer)(**options, **own.options)
    return made


def weighting_transformer(weighting: str, n_jobs: int | None = None) -> Any:
    """Return an unfitted transformer that makes the same of counts; None for counts themselves."""
    return weighted_vectorizer(weighting, n_jobs=n_jobs).new_transformer()
