"""Static embeddings: the mean of the vectors of a text's words or tokens, as features.

    x = length · m / ‖m‖,      m = Σ_w c(w)·s(w)·v_w

for the words w that have a vector v_w, c(w) the times that w occurs; s(w) is 1, or with ``weighting="sif"`` the smooth
inverse frequency a / (a + p(w)), where p(w) is Zipf's 1 / (r·Σ 1/r) of the word at place r of the file, which has
frequent words first (Arora, Liang and Ma 2017). The sum is the product of the words' counts with the matrix of vectors,
so that a linear model can say what each word adds.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from lindy.core.csr import Csr
from lindy.core.dense_rows import Dense
from lindy.errors import DataError
from lindy.estimators.base import thread_count
from lindy.estimators.parameters import one_of, with_parameters
from lindy.features.counted import POSITIVE
from lindy.features.vector_files import (
    TokenVectors,
    check_tokenizer,
    check_vectors,
    package_vectors,
    read_vectors,
)
from lindy.text import CountVectorizer
from lindy.text.analysis.documents import as_text, refuse_other_than_documents, refuse_table
from lindy.text.vectorizer import Columns, State, Vectorizer

if TYPE_CHECKING:
    from lindy.text.analysis.occurrences import Occurrences

PACKAGES = ("wordllama",)
"""Packages with vectors in them, which are named in the place of a file."""
_SIF = 1e-3  # a, in the middle of what its authors recommend
_AT_ONCE = 4096  # texts


class _Tokens(NamedTuple):
    """A counter of tokens: a vectorizer with a vocabulary of the words, or a tokenizer of ``tokenizers``."""

    counter: CountVectorizer | None
    tokenizer: Any
    vectors: NDArray[np.float32]  # times s(w)


@with_parameters
class StaticEmbedding(Vectorizer):
    """Convert texts to a matrix of mean word vectors, from a file; nothing is learned.

    Parameters
    ----------
    path : str or path
        A file of vectors: word2vec (text or binary), GloVe, fastText (``.vec``), or a token matrix in safetensors. Or
        "wordllama", for the vectors in the package of that name.
    tokenizer : str, path or None
        The tokenizer's JSON file of a token matrix; None looks for tokenizer.json beside it. It needs the package
        ``tokenizers`` (``pip install 'lindy[embeddings]'``).
    weighting : {"mean", "sif"}
        Whether all words count the same, or frequent ones less.
    length : float
        How long every row is; one without a known word is 0. A tf-idf row has length 1.
    n_jobs : int or None
        Threads; None means all cores. The result does not depend on it.
    """

    kind = "static embedding"
    learns = False
    not_exported = "its vectors would make the page too large"

    path: Annotated[str | os.PathLike[str], ("a path", lambda value: isinstance(value, str | os.PathLike))]
    tokenizer: str | os.PathLike[str] | None = None
    weighting: Annotated[str, one_of("mean", "sif")] = "mean"
    length: Annotated[float, POSITIVE] = 1.0
    n_jobs: int | None = None

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:  # noqa: ARG002
        """Read the vectors."""
        self._tokens()
        return self

    def fit_csr(self, X: Any, *, order: str = "alphabet", y: Any = None, weight: Any = None) -> Csr:  # noqa: ARG002
        """Return the float32 rows."""
        return self.transform_csr(X)

    def fresh(self) -> Self:
        """Return a copy, which shares the vectors."""
        made = super().fresh()
        vars(made).update({name: own for name, own in vars(self).items() if name in ("_read", "_made")})
        return made

    def scaled(self, factor: float) -> Self:
        """Return a copy whose rows are so many times as long."""
        made = self.fresh()
        made.length = self.length * factor
        return made

    def transform_csr(self, X: Any) -> Csr:
        """Return the float32 rows."""
        refuse_other_than_documents(X)
        refuse_table(X)
        tokens = self._tokens()
        counts = tokens.counter.transform_csr(X) if tokens.counter else _token_counts(tokens, X)
        sums = counts.dot(tokens.vectors, np.zeros(self.n_columns, np.float32), thread_count(self.n_jobs))
        norms = np.sqrt(Dense(sums).norms())
        sums *= np.divide(self.length, norms, out=np.zeros_like(norms), where=norms > 0)[:, None].astype(
            np.float32
        )
        return Dense(sums)

    @property
    def n_columns(self) -> int:
        """How many numbers a vector has."""
        return int(self._vectors().matrix.shape[1])

    def names_of(self, columns: Columns) -> list[str]:
        """Return the names of some columns: numbers."""
        return [f"embedding[{column}]" for column in columns.tolist()]

    def describe(self) -> str:
        """Return what the columns are."""
        return f"vectors of {os.path.basename(os.fspath(self.path))}"

    def occurrences(self, text: Any, columns: Columns) -> list[Occurrences]:
        """Return where the tokens of a text are, each with its own part of every column, as the occurrences' sign."""
        from dataclasses import replace

        tokens, found = self._tokens(), []
        for own in _places(tokens, text):
            parts = tokens.vectors[own.feature][:, columns].astype(np.float64)
            k, j = np.indices(parts.shape).reshape(2, -1)
            found.append(
                replace(
                    own, feature=j, sign=parts.reshape(-1), first=own.first[k], last=own.last[k], terms={}
                )
            )
        return found

    def _vectors(self) -> TokenVectors:
        """Return the content of the file, which is read once."""
        self._check_parameters()
        if "_read" not in vars(self):
            path, tokenizer = os.fspath(self.path), self.tokenizer
            if path in PACKAGES:
                path, tokenizer = package_vectors(path)
            self._read: TokenVectors = read_vectors(path, tokenizer)
        return self._read

    def _tokens(self) -> _Tokens:
        vectors = self._vectors()
        if "_made" not in vars(self) or self._made[0] != self.weighting:
            matrix = vectors.matrix.astype(np.float32, copy=False)
            if self.weighting == "sif":
                matrix = matrix * smooth_inverse_frequency(len(matrix))[:, None]
            counter = tokenizer = None
            if vectors.words is None:
                tokenizer = check_tokenizer(vectors.tokenizer or "", len(matrix), os.fspath(self.path))
            else:
                counter, first = _counter(vectors.words, self.n_jobs)
                matrix = matrix if len(first) == len(matrix) else matrix[first]
            self._made: tuple[str, _Tokens] = (
                self.weighting,
                _Tokens(counter, tokenizer, np.ascontiguousarray(matrix)),
            )
        return self._made[1]

    def to_state(self) -> State:
        """Return the vectors, and the words or the tokenizer that they belong to."""
        vectors = self._vectors()
        tokenizer = vectors.tokenizer or "\n".join(vectors.words or [])
        config = {
            "kind": self.kind,
            "name": os.path.basename(os.fspath(self.path)),
            "weighting": self.weighting,
            "length": self.length,
            "words": vectors.words is not None,
        }
        texts = np.frombuffer(tokenizer.encode("utf-8", "replace"), np.uint8)
        matrix = np.ascontiguousarray(vectors.matrix)
        # a model file knows no float16
        return config, {
            "vectors": matrix.view(np.uint8) if matrix.dtype == np.float16 else matrix,
            "texts": texts,
        }

    @classmethod
    def from_state(cls, config: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> Self:
        """Return the vectorizer of a ``to_state``; anything unsound is a ``ValueError``."""
        matrix, texts = arrays.get("vectors"), arrays.get("texts")
        if matrix is not None and matrix.dtype == np.uint8 and matrix.ndim == 2 and matrix.shape[1] % 2 == 0:
            matrix = np.ascontiguousarray(matrix).view(np.float16)
        if matrix is None or matrix.ndim != 2 or matrix.dtype.kind != "f" or 0 in matrix.shape:
            raise ValueError("the saved embedding has no matrix of vectors")
        if (
            texts is None
            or texts.ndim != 1
            or texts.dtype != np.uint8
            or type(config.get("words")) is not bool
        ):
            raise ValueError("the saved embedding has no words and no tokenizer")
        if not isinstance(config.get("name"), str):
            raise ValueError("the saved embedding has no name")
        made = cls(
            path=config["name"], weighting=config.get("weighting", ""), length=config.get("length", 0.0)
        )
        made._check_parameters()
        text = bytes(texts).decode("utf-8", "replace")
        words = text.split("\n") if config["words"] else None
        try:
            made._read = check_vectors(
                "the saved embedding", TokenVectors(matrix, words, None if words else text)
            )
            if words is None:
                check_tokenizer(text, len(matrix), "the saved embedding")
        except DataError as error:
            raise ValueError(str(error)) from None
        return made


def _counter(words: list[str], n_jobs: int | None) -> tuple[CountVectorizer, list[int]]:
    """Return what counts words, and the place of each; of a word that is there twice the first counts."""
    first: dict[str, int] = {}
    for place, word in enumerate(words):
        first.setdefault(word, place)
    counter = CountVectorizer(
        vocabulary=list(first),
        analyzer="unicode_words",
        punctuation=True,
        lowercase=all(word == word.lower() for word in words),
        n_jobs=n_jobs,
    )
    return counter, list(first.values())


def smooth_inverse_frequency(n: int) -> NDArray[np.float32]:
    """Return a / (a + p) of n words, of which the r-th has p = 1 / (r·Σ 1/r)."""
    ranks = np.arange(1, n + 1, dtype=np.float64)
    share = 1 / (ranks * float(np.add.accumulate(1 / ranks)[-1]))
    return (_SIF / (_SIF + share)).astype(np.float32)


def _token_counts(tokens: _Tokens, X: Any) -> Csr:
    """Return how often each token occurs in each text."""
    texts = [
        as_text(item, i, _decoded) for i, item in enumerate(X.to_pylist() if hasattr(X, "to_pylist") else X)
    ]
    ends, numbers = [0], []
    for begin in range(0, len(texts), _AT_ONCE):
        for own in tokens.tokenizer.encode_batch_fast(
            texts[begin : begin + _AT_ONCE], add_special_tokens=False
        ):
            numbers.append(np.array(own.ids, np.int32))
            ends.append(ends[-1] + len(numbers[-1]))
    ids = np.concatenate(numbers) if numbers else np.zeros(0, np.int32)
    return Csr(
        np.array(ends, np.int64), ids, np.ones(len(ids), np.float32), len(tokens.vectors), checked=True
    )


def _places(tokens: _Tokens, text: str) -> list[Occurrences]:
    """Return where tokens are in a text; the feature of each is its number."""
    from lindy.text.analysis.occurrences import Occurrences

    if tokens.counter is not None:
        return tokens.counter.occurrences(text, np.arange(len(tokens.vectors)))
    own = tokens.tokenizer.encode(text, add_special_tokens=False)
    # a token may have the space before it
    begins = [
        end - len(text[begin:end].lstrip()) if text[begin:end].strip() else begin
        for begin, end in own.offsets
    ]
    spans = np.array([begins, [end for _, end in own.offsets]], np.int64).T.copy()
    unit, none = np.arange(len(spans)), np.zeros(0, np.int64)
    return [
        Occurrences(spans, None, np.array(own.ids, np.int64), np.ones(len(unit)), unit, unit + 1, {}, none)
    ]


def _decoded(item: Any) -> str:
    return item.decode("utf-8", "replace") if isinstance(item, bytes) else item
