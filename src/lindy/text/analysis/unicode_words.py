"""Words of all scripts, in the spirit of UAX #29: the analyser ``unicode_words``.

=======  ==============================================================================================================
word     letters, digits and underscores with their combining marks and joiners: vowel signs do not cut a word; of at
         least two characters, unless the token pattern has one
symbol   one that is not ASCII's; of an emoji with its skin tone, joined emoji and flags, all of it
mark     a punctuation mark or a symbol of ASCII, if ``punctuation`` asks for them
run      what a script without spaces between words (Chinese, Japanese, Thai, Lao, Khmer, Burmese …) has in their place
=======  ==============================================================================================================

A run gives its character n-grams of 1 to 3 in place of single words; no n-gram of words reaches across a run. What each
character is, the core says (native/text/unicode_words.hpp has the same patterns).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from lindy import _native

NAME = "unicode_words"
LONGEST_IN_RUN = 3
_WORD, _RUN = b"ws"  # what they begin with
_TOKEN = rb"s[smj]*|w[wmj]*|[yx][mx]*(?:j[yx][mx]*)*|rr?m*"
_PATTERNS = {False: re.compile(_TOKEN), True: re.compile(_TOKEN + rb"|p")}


class Token(NamedTuple):
    """Where a token is in the text, whether it is a run, and how many runs are before it."""

    begin: int
    end: int
    is_run: bool
    after: int


@dataclass(frozen=True, slots=True)
class UnicodeTokenizer:
    """The words of at least so many characters, symbols and marks of a text, without its runs."""

    least: int
    punctuation: bool

    def __call__(self, text: str) -> list[str]:
        """Return the tokens."""
        return [text[t.begin : t.end] for t in self.with_runs(text) if not t.is_run]

    def has_runs(self, text: str) -> bool:
        """Whether there is any run in a folded text."""
        return _RUN in _native.word_parts(text)

    def with_runs(self, text: str) -> Iterator[Token]:
        """Yield the tokens of a folded text, also the runs."""
        n_runs, parts = 0, _native.word_parts(text)
        for match in _PATTERNS[self.punctuation].finditer(parts):
            begin, end = match.span()
            if end - begin < self.least and parts[begin] == _WORD:
                continue
            is_run = parts[begin] == _RUN
            yield Token(begin, end, is_run, n_runs)
            n_runs += is_run


def is_run(term: str) -> bool:
    """Whether a folded term is of characters of a script without spaces."""
    return _native.word_parts(term[:1])[:1] == bytes([_RUN])


def unicode_word_ngrams(
    text: str, tokenize: UnicodeTokenizer, ngram_range: tuple[int, int], stop_words: frozenset[str] | None
) -> list[str]:
    """Return all sequences of min_n to max_n words without a run between, short ones first.

    The n-grams of runs come after the single words. Stop words are left out before, n-grams that are some are too.
    """
    stop_words = stop_words or frozenset()
    sequences: dict[int, list[str]] = {}
    in_runs: list[str] = []
    for token in tokenize.with_runs(text):
        found = text[token.begin : token.end]
        if token.is_run:
            in_runs += [gram for gram in _run_ngrams(found) if gram not in stop_words]
        elif found not in stop_words:
            sequences.setdefault(token.after, []).append(found)
    min_n, max_n = ngram_range
    longest = max(map(len, sequences.values()), default=0)
    by_length = [
        [" ".join(words[i : i + n]) for words in sequences.values() for i in range(len(words) - n + 1)]
        for n in range(min_n, min(max_n, longest) + 1)
    ]
    if min_n == 1:
        by_length.insert(1, in_runs)
    return [term for terms in by_length for term in terms]


def _run_ngrams(run: str) -> list[str]:
    lengths = range(1, min(LONGEST_IN_RUN, len(run)) + 1)
    return [run[i : i + n] for n in lengths for i in range(len(run) - n + 1)]
