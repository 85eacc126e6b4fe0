"""The vectorizers of words and of characters that ``TextClassifier`` and the command line take."""

from __future__ import annotations

from numbers import Integral
from typing import TYPE_CHECKING, Any

from lindy.text.analysis.byte_pairs import NAME as BPE
from lindy.text.analysis.unicode_words import NAME as UNICODE_WORDS
from lindy.text.weighting.weighting_registry import weighted_vectorizer

if TYPE_CHECKING:
    from lindy.text.vectorizer import Vectorizer

Lengths = tuple[int, int]


def parts_of(
    words: Lengths | None, chars: Lengths | None, subwords: int | None = None
) -> list[tuple[str, Lengths]]:
    """Return the kinds of terms and their lengths, subwords in place of words; ValueError if there are none."""
    both = (("words" if subwords is None else "subwords", words), ("chars", chars))
    parts = [(kind, lengths) for kind, lengths in both if lengths is not None]
    for kind, lengths in parts:
        named = "characters (chars)" if kind == "chars" else f"{kind} (ngrams)"
        whole = len(lengths) == 2 and all(isinstance(n, Integral) for n in lengths)
        if not whole or not 1 <= lengths[0] <= lengths[1]:
            raise ValueError(
                f"n-grams of {named} must be given as (shortest, longest), whole numbers with 1 ≤ shortest ≤ longest;"
                f" got {lengths!r}"
            )
    return parts


def words_beside(ngrams: Lengths | None, chars: Lengths | None) -> Lengths | None:
    """Return the n-grams of words for options that may leave them open: single words, none beside characters."""
    return ngrams or (None if chars else (1, 1))


def part_vectorizer(
    kind: str,
    lengths: Lengths,
    weighting: str,
    *,
    punctuation: bool = False,
    subwords: int | None = None,
    oov: int | None = None,
    **options: Any,
) -> Vectorizer:
    """Return the unfitted vectorizer of "words", of "subwords" by so many merges, or of "chars" within words.

    With ``punctuation``, marks and words of a single character count too, which helps but costs time. Characters keep
    upper and lower case apart, words do not: side by side they see both. With ``oov``, words that occur fewer times are
    one feature.
    """
    if kind == "chars":
        options |= {"analyzer": "char_wb", "lowercase": False}
    else:
        options |= {"analyzer": UNICODE_WORDS, "punctuation": punctuation}
        options |= {"token_pattern": r"(?u)\b\w+\b"} if punctuation else {}
        options |= {} if oov is None else {"oov": oov}
    if kind == "subwords":
        options |= {"analyzer": BPE, "n_merges": subwords}
    return weighted_vectorizer(weighting, ngram_range=lengths, **options)


def term_vectorizer(
    words: Lengths | None, chars: Lengths | None, weighting: str, **options: Any
) -> Vectorizer:
    """Return the unfitted vectorizer of n-grams of words, of characters, or of both side by side."""
    made = [
        (kind, part_vectorizer(kind, lengths, weighting, **options))
        for kind, lengths in parts_of(words, chars, options.get("subwords"))
    ]
    return side_by_side(made)


def side_by_side(made: list[tuple[str, Vectorizer]]) -> Vectorizer:
    """Return the only vectorizer, or the union of several."""
    if len(made) == 1:
        return made[0][1]
    from lindy.text.union import UnionVectorizer

    return UnionVectorizer(vectorizers=made)
