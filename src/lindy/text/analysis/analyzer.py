"""The analyzer, which makes terms of a text: decoding, lower case, accents, tokens, n-grams.

The same steps exist twice: here in Python, for any callable or regular expression a user may bring, and in the native
core for the usual ones; ``_native_options`` says whether the core can do what the parameters ask for.
"""

from __future__ import annotations

import re
import unicodedata
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import groupby, islice
from numbers import Integral
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from lindy import _native
from lindy.errors import invalid_parameter
from lindy.estimators.parameters import BOOLEAN, CALLABLE, NONE, fixed, instance, one_of, with_parameters
from lindy.text.analysis.byte_pairs import NAME as BPE
from lindy.text.analysis.byte_pairs import Merges, SubwordTokenizer
from lindy.text.analysis.documents import batches
from lindy.text.analysis.stop_words import ENGLISH
from lindy.text.analysis.unicode_words import NAME as UNICODE_WORDS
from lindy.text.analysis.unicode_words import UnicodeTokenizer, unicode_word_ngrams
from lindy.text.vectorizer import Vectorizer, transformer_tags
from lindy.text.vocabulary.encoding import encode_terms
from lindy.text.weighting.weighting_registry import kind_in_words, terms_in_words

WORDS = r"(?u)\b\w\w+\b"
NATIVE_PATTERNS = {WORDS: 2, r"\b\w\w+\b": 2, r"(?u)\b\w+\b": 1, r"\b\w+\b": 1, r"(?u)\w+": 1, r"\w+": 1}
_LONGEST = 2**31 - 1  # n-gram of the core; no text has as many tokens
_ACCENTS = {None: 0, "unicode": 1, "ascii": 2}


def strip_accents_unicode(text: str) -> str:
    """Return the text in normal form KD without its combining marks."""
    if text.isascii():
        return text
    return "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))


def strip_accents_ascii(text: str) -> str:
    """Return what is left in ASCII of the text's normal form KD."""
    return unicodedata.normalize("NFKD", text).encode("ASCII", "ignore").decode("ASCII")


def fold(text: str, lower: bool, strip: Callable[[str], str] | None) -> str:
    """Lower-case the text, then strip its accents, as asked."""
    if lower:
        text = text.lower()
    return text if strip is None else strip(text)


def word_ngrams(
    tokens: Iterable[str], ngram_range: tuple[int, int], stop_words: frozenset[str] | None
) -> list[str]:
    """Return all sequences of min_n to max_n tokens, short ones first; stop words are left out before."""
    if stop_words is not None:
        tokens = [token for token in tokens if token not in stop_words]
    min_n, max_n = ngram_range
    if max_n == 1:
        return tokens  # type: ignore[return-value]
    tokens = list(tokens)
    return [
        " ".join(tokens[i : i + n])
        for n in range(min_n, min(max_n, len(tokens)) + 1)
        for i in range(len(tokens) - n + 1)
    ]


WORD_START = re.compile(r"\w")
_WHITE_SPACES = re.compile(r"\s\s+")


def char_ngrams(text: str, ngram_range: tuple[int, int]) -> list[str]:
    """Return all sequences of min_n to max_n characters; runs of white space count as one space."""
    text = _WHITE_SPACES.sub(" ", text)
    min_n, max_n = ngram_range
    return [
        text[i : i + n] for n in range(min_n, min(max_n, len(text)) + 1) for i in range(len(text) - n + 1)
    ]


def char_wb_ngrams(text: str, ngram_range: tuple[int, int]) -> list[str]:
    """Return the character n-grams of each word, padded with a space on both sides."""
    min_n, max_n = ngram_range
    terms = []
    for word in text.split():
        padded = f" {word} "
        for n in range(min_n, max_n + 1):
            terms += [padded[i : i + n] for i in range(max(len(padded) - n, 0) + 1)]
            if n >= len(padded):
                break  # a short word counts once
    return terms


@dataclass(frozen=True, slots=True)
class Steps:
    """Functions applied one after the other; can be pickled if they can."""

    functions: tuple[Callable[[Any], Any], ...]

    def __call__(self, document: Any) -> Any:
        """Return what the last function makes of it."""
        for function in self.functions:
            document = function(document)
        return document


_LONGEST_SHAPE = 12


def _letter(c: str) -> str:
    """Return what stands for a character in the shape of a word."""
    if c.isupper() or c.istitle():
        return "X"
    return "x" if c.islower() else "9" if c.isdigit() else "_" if c == "_" else "a"


def shape(token: str) -> str:
    """Return X for capitals, x for small letters, 9 for digits, a for other letters, each run once: <XxXx>."""
    runs = (letter for letter, _ in groupby(map(_letter, token)))
    return f"<{''.join(islice(runs, _LONGEST_SHAPE))}>"


def with_shapes(
    text: str,
    terms: Callable[[Any], Iterable[Any]],
    tokenize: Callable[[Any], Iterable[Any]],
) -> list[Any]:
    """Return the terms of a text, and the shapes of its words as they are written."""
    return [*terms(text), *(shape(token) for token in tokenize(text) if WORD_START.match(token))]


@with_parameters
class Analyzer(Vectorizer):
    """The parameters that all vectorizers of terms share, and the way from a document to its terms."""

    input: Annotated[str, one_of("filename", "file", "content")] = "content"
    encoding: Annotated[str, instance(str)] = "utf-8"
    decode_error: Annotated[str, one_of("strict", "ignore", "replace")] = "strict"
    strip_accents: Annotated[
        str | Callable[[str], str] | None, one_of("ascii", "unicode"), NONE, CALLABLE
    ] = None
    lowercase: Annotated[bool, BOOLEAN] = True
    preprocessor: Annotated[Callable[[Any], Any] | None, CALLABLE, NONE] = None
    tokenizer: Annotated[Callable[[Any], Iterable[Any]] | None, CALLABLE, NONE] = None
    stop_words: Annotated[str | list[str] | None, one_of("english"), instance(list), NONE] = None
    token_pattern: Annotated[str | None, instance(str), NONE] = WORDS
    ngram_range: Annotated[tuple[int, int], instance(tuple)] = (1, 1)
    analyzer: Annotated[
        str | Callable[[Any], Iterable[Any]], one_of("word", UNICODE_WORDS, BPE, "char", "char_wb"), CALLABLE
    ] = "word"
    punctuation: Annotated[bool, BOOLEAN] = False
    shapes: Annotated[bool, BOOLEAN] = False
    n_jobs: int | None = None

    cuts_terms = True
    # what analyzer="bpe" has learned; None before
    _merges: Merges | None = fixed(default=None)
    # whether a fit takes the merges that are there: of a vectorizer whose terms are counted in further texts
    _keeps_merges: bool = fixed(default=False)

    def __sklearn_tags__(self) -> Any:
        return transformer_tags(string=True, two_d_array=False)

    def decode(self, doc: Any) -> Any:
        """Return the text of a document: read from its file or decoded from its bytes as the parameters say."""
        if self.input == "filename":
            with open(doc, "rb") as file:
                doc = file.read()
        elif self.input == "file":
            doc = doc.read()
        if isinstance(doc, bytes):
            doc = doc.decode(self.encoding, self.decode_error)
        if isinstance(doc, float) and np.isnan(doc):
            raise ValueError("np.nan is an invalid document, expected byte or unicode string.")
        return doc

    def reads_as(self, other: Vectorizer) -> bool:
        """Whether another vectorizer makes the same texts of the same documents, so that one reading serves both."""
        names = ("input", "encoding", "decode_error")
        return all(getattr(self, name) == getattr(other, name, None) for name in names)

    def text_batches(self, raw_documents: Any, size: int | None = None) -> Iterator[_native.Texts]:
        """Yield the documents for the native core, in batches of so many bytes."""
        return batches(raw_documents, self.decode, content=self.input == "content", size=size)

    def build_preprocessor(self) -> Callable[[Any], Any]:
        """Return the function that is applied to a text before it is cut into tokens."""
        if self.preprocessor is not None:
            return self.preprocessor
        strip: Callable[[str], str] | None
        if not self.strip_accents:
            strip = None
        elif callable(self.strip_accents):
            strip = self.strip_accents
        elif self.strip_accents in ("ascii", "unicode"):
            strip = strip_accents_ascii if self.strip_accents == "ascii" else strip_accents_unicode
        else:
            raise ValueError(f'Invalid value for "strip_accents": {self.strip_accents}')
        return partial(fold, lower=self.lowercase, strip=strip)

    def build_tokenizer(self) -> Callable[[Any], Iterable[Any]]:
        """Return the function that cuts a text into tokens."""
        if self.analyzer in (UNICODE_WORDS, BPE):
            if self.token_pattern not in NATIVE_PATTERNS:
                raise ValueError(
                    f"analyzer='{self.analyzer}' takes one of the token patterns {', '.join(NATIVE_PATTERNS)}, which"
                    f" say how short a word may be; got {self.token_pattern!r}"
                )
            words = UnicodeTokenizer(NATIVE_PATTERNS[self.token_pattern], bool(self.punctuation))
            return SubwordTokenizer(words, self._merges) if self.analyzer == BPE else words
        if self.tokenizer is not None:
            return self.tokenizer
        if self.token_pattern is None:
            raise invalid_parameter(
                "token_pattern must be a regular expression unless there is a tokenizer; got None"
            )
        from lindy.text.analysis.token_pattern import TokenPattern

        pattern = TokenPattern(self.token_pattern)
        if self.punctuation:
            if pattern.groups:
                raise ValueError("punctuation needs a token pattern without groups")
            pattern = TokenPattern(rf"{self.token_pattern}|[^\w\s]")
        if pattern.groups > 1:
            raise ValueError(
                "More than 1 capturing group in token pattern. Only a single group should be captured."
            )
        return pattern

    def describe(self) -> str:
        """Return what the terms are made of, how long they are and how they are weighted."""
        affixes = getattr(self, "affixes", None)
        return f"{terms_in_words(self.analyzer, self.ngram_range, affixes)}, {kind_in_words(self.kind)}"

    def get_stop_words(self) -> frozenset[str] | None:
        """Return the words to leave out."""
        if self.stop_words is None:
            return None
        if isinstance(self.stop_words, str):
            if self.stop_words == "english":
                return ENGLISH
            raise ValueError(f"not a built-in stop list: {self.stop_words}")
        return frozenset(self.stop_words)

    def build_analyzer(self) -> Callable[[Any], Iterable[Any]]:
        """Return the function that makes the terms of a document."""
        if callable(self.analyzer):
            return Steps((self.decode, self.analyzer))
        preprocess = self.build_preprocessor()
        ngram_range = self.ngram_range
        if self.analyzer == "char":
            return Steps((self.decode, preprocess, partial(char_ngrams, ngram_range=ngram_range)))
        if self.analyzer == "char_wb":
            return Steps((self.decode, preprocess, partial(char_wb_ngrams, ngram_range=ngram_range)))
        if not self._of_words:
            raise ValueError(f"{self.analyzer} is not a valid tokenization scheme/analyzer")
        stop_words = self.get_stop_words()
        tokenize = self.build_tokenizer()
        self._check_stop_words_consistency(stop_words, preprocess, tokenize)
        if isinstance(tokenize, UnicodeTokenizer):
            combine: Callable[[Any], Any] = partial(
                unicode_word_ngrams, tokenize=tokenize, ngram_range=ngram_range, stop_words=stop_words
            )
            terms = Steps((preprocess, combine))
        else:
            combine = partial(word_ngrams, ngram_range=ngram_range, stop_words=stop_words)
            terms = Steps((preprocess, tokenize, combine))
        if self.shapes:
            return Steps((self.decode, partial(with_shapes, terms=terms, tokenize=tokenize)))
        return Steps((self.decode, *terms.functions))

    @property
    def _of_words(self) -> bool:
        """Whether terms are made of words or their pieces, not of characters or by a callable."""
        return self.analyzer in ("word", UNICODE_WORDS, BPE)

    def _check_stop_words_consistency(
        self,
        stop_words: frozenset[str] | None,
        preprocess: Callable[[Any], Any],
        tokenize: Callable[[Any], Iterable[Any]],
    ) -> bool | str | None:
        """Warn, once per stop list, if the stop words are cut into tokens that are not stop words.

        Returns None if that was checked before, "error" if a callable of the user's cannot take a stop word.
        """
        if id(self.stop_words) == getattr(self, "_stop_words_id", None):
            return None
        self._stop_words_id = id(self.stop_words)
        try:
            tokens = {token for word in stop_words or () for token in tokenize(preprocess(word))}
        except Exception:
            return "error"
        others = tokens - (stop_words or frozenset())
        if others:
            warnings.warn(
                "Your stop_words may be inconsistent with your preprocessing. Tokenizing the stop words generated"
                f" tokens {sorted(others)!r} not in stop_words.",
                stacklevel=4,
            )
        return not others

    def _native_options(self) -> _native.TextOptions | None:
        """Return the native core's options if it can do what the parameters ask for, otherwise None."""
        min_n, max_n = self.ngram_range
        usual = (
            isinstance(self.analyzer, str)
            and self.preprocessor is None
            and (self.strip_accents is None or isinstance(self.strip_accents, str))
            and 1 <= min_n <= max_n
            and self._is_plain()
        )
        if not usual or (self._of_words and not self._usual_words()):
            return None
        min_n, max_n = min(int(min_n), _LONGEST), min(int(max_n), _LONGEST)
        min_chars = NATIVE_PATTERNS.get(self.token_pattern or WORDS, 2)
        accents = _ACCENTS[self.strip_accents or None]  # type: ignore[index]
        return _native.TextOptions.make(
            terms=str(self.analyzer),
            lower=bool(self.lowercase),
            accents=accents,
            marks=bool(self.punctuation),
            min_chars=min_chars,
            min_n=min_n,
            max_n=max_n,
            shapes=bool(self.shapes),
            pieces=None if self._merges is None else self._merges.native,
        )

    def _usual_words(self) -> bool:
        """Whether tokens are made in a way that the native core knows, and stop words are strings."""
        if self.analyzer in (UNICODE_WORDS, BPE):
            self.build_tokenizer()  # refuses other patterns
        elif self.tokenizer is not None or self.token_pattern not in NATIVE_PATTERNS:
            return False
        stop_words = self.get_stop_words()
        if stop_words:
            self._check_stop_words_consistency(stop_words, self.build_preprocessor(), self.build_tokenizer())
        return all(isinstance(word, str) for word in stop_words or ())

    def _native_stop_words(self) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
        words = self.get_stop_words() if self._of_words else None
        return encode_terms(sorted(words or ()))

    def _is_plain(self) -> bool:
        """Whether no subclass has replaced a step."""
        steps = ("build_analyzer", "build_preprocessor", "build_tokenizer")
        return all(getattr(type(self), step) is getattr(Analyzer, step) for step in steps)

    def _check_ngram_range(self) -> None:
        whole = len(self.ngram_range) == 2 and all(isinstance(n, Integral) for n in self.ngram_range)
        if not whole:
            raise invalid_parameter(
                f"The 'ngram_range' parameter of {type(self).__name__} must be two whole numbers, (min_n, max_n). Got"
                f" {self.ngram_range!r} instead."
            )
        min_n, max_n = self.ngram_range
        if min_n > max_n:
            raise ValueError(
                f"Invalid value for ngram_range={self.ngram_range} lower boundary larger than the upper boundary."
            )

        if self.shapes and (not self._of_words or self.analyzer == BPE or min_n != 1):
            raise ValueError(
                f"shapes needs analyzer='word' or '{UNICODE_WORDS}' and single words among the terms"
            )
        if self.analyzer == BPE and self.stop_words is not None:
            raise ValueError(
                f"stop_words are whole words, and analyzer='{BPE}' cuts words into pieces: leave them out"
            )

    def _warn_for_unused(self) -> None:
        def unused(name: str, reason: str) -> None:
            warnings.warn(f"The parameter {name!r} will not be used since {reason}", stacklevel=5)

        if self.tokenizer is not None and self.token_pattern is not None:
            unused("token_pattern", "'tokenizer' is not None'")
        if callable(self.analyzer):
            if self.preprocessor is not None:
                unused("preprocessor", "'analyzer' is callable'")
            if self.ngram_range != (1, 1) and self.ngram_range is not None:
                unused("ngram_range", "'analyzer' is callable'")
        if self.stop_words is not None and not self._of_words:
            unused("stop_words", "'analyzer' != 'word'")
        if self.analyzer != "word":
            if self.token_pattern is not None and self.token_pattern != WORDS and not self._of_words:
                unused("token_pattern", "'analyzer' != 'word'")
            if self.tokenizer is not None:
                unused("tokenizer", "'analyzer' != 'word'")
