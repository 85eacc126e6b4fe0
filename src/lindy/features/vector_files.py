"""Files of word and token vectors: word2vec, GloVe, fastText and safetensors.

====================================  ==========================================================================
word2vec, fastText (``.vec``), text    a line "N d", then a word and its d numbers per line
GloVe                                  the same without the first line
word2vec, binary                       a line "N d", then a word, a space and d float32 numbers, N times
safetensors                            one matrix, rows × d, of F16, F32 or F64; the words in an array ``words``, one
                                       per line (as ``lindy embed`` writes them), or the tokens in a tokenizer's JSON
====================================  ==========================================================================

The matrix of a safetensors file and of a binary one stays in the mapped file as long as its type can be used.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lindy import _native
from lindy.errors import DataError

_TYPES = {"F16": np.float16, "F32": np.float32, "F64": np.float64, "U8": np.uint8}
_LONGEST_HEADER = 100_000_000  # bytes, as the format has it
_LONGEST_WORD = 10_000  # bytes
_FASTTEXT = (793712314).to_bytes(4, "little")


class TokenVectors(NamedTuple):
    """The vector of each token, and the words that they are; or the JSON text of the tokenizer that numbers them."""

    matrix: NDArray[Any]
    words: list[str] | None
    tokenizer: str | None = None


def read_vectors(
    path: str | os.PathLike[str], tokenizer: str | os.PathLike[str] | None = None
) -> TokenVectors:
    """Read a file of vectors in any of the formats, by its content.

    Raises
    ------
    DataError
        With the file, the line where there are any, and what was expected there.
    """
    name = os.fspath(path)
    try:
        with open(name, "rb") as file:
            size, begin = os.fstat(file.fileno()).st_size, file.read(16)
        if _is_safetensors(begin, size):
            found = _read_safetensors(name, size, None if tokenizer is None else os.fspath(tokenizer))
        elif begin[:4] == _FASTTEXT or begin[:2] == b"\x1f\x8b":
            what = "a fastText model" if begin[:4] == _FASTTEXT else "compressed"
            raise DataError(
                f"{name}: the file is {what}, not a file of vectors", "Give the vectors (.vec), unpacked."
            )
        else:
            found = _read_words(name)
    except OSError as error:
        raise DataError(f"{name}: cannot be read: {error.strerror or error}", "Check the path.") from None
    return check_vectors(name, found)


def package_vectors(package: str) -> tuple[str, str]:
    """Return the paths of the token matrix and of the tokenizer in an installed package, which is not imported."""
    from importlib.util import find_spec

    from lindy.errors import MissingPackageError

    spec = find_spec(package)
    home = next(iter(spec.submodule_search_locations or []), None) if spec else None
    matrices = sorted(Path(home).glob("weights/*.safetensors")) if home else []
    tokenizers = sorted(Path(home).glob("tokenizers/*.json")) if home else []
    if not matrices or not tokenizers:
        raise MissingPackageError(
            f"embedding {package!r}: the package with these vectors is not installed",
            f"pip install {package}",
        )
    return str(matrices[0]), str(tokenizers[0])


def check_vectors(name: str, found: TokenVectors) -> TokenVectors:
    """Return vectors, which must be finite, and as many as there are words."""
    matrix = found.matrix
    if found.words is not None and len(found.words) != len(matrix):
        raise DataError(
            f"{name}: {len(found.words):,} words for {len(matrix):,} vectors", "Write the file again."
        )
    if 0 in matrix.shape:
        raise DataError(
            f"{name}: the file holds no vectors", "Give a file with a word and its numbers per line."
        )
    for begin in range(0, len(matrix), 65536):
        values = np.ascontiguousarray(matrix[begin : begin + 65536], np.float64)
        at = _native.first_non_finite(values.reshape(-1))
        if at >= 0:
            row, column = divmod(at, values.shape[1])
            word = "" if found.words is None else f" ({found.words[begin + row]!r})"
            raise DataError(
                f"{name}: vector {begin + row}{word} has no number at place {column}", "Mend the file."
            )
    return found


def _is_safetensors(begin: bytes, size: int) -> bool:
    length = int.from_bytes(begin[:8], "little")
    return len(begin) > 8 and begin[8:9] == b"{" and 2 <= length <= max(size - 8, 2**40)


def _read_safetensors(name: str, size: int, tokenizer: str | None) -> TokenVectors:
    tensors = _tensors(name, size)
    matrices = {key: own for key, own in tensors.items() if own.ndim == 2 and own.dtype != np.uint8}
    if len(matrices) != 1:
        raise DataError(
            f"{name}: expected one matrix of vectors; found {len(matrices)} of F16, F32 or F64",
            "Give the file of a static embedding: a vector per token.",
        )
    (matrix,) = matrices.values()
    if "words" in tensors and tokenizer is None:
        return TokenVectors(matrix, bytes(tensors["words"]).decode("utf-8", "replace").split("\n"))
    beside = tokenizer or os.path.join(os.path.dirname(name), "tokenizer.json")
    if not os.path.isfile(beside):
        raise DataError(
            f"{name}: the tokens of its vectors are named by a tokenizer, and there is no file {beside}",
            "Give the tokenizer's JSON file: StaticEmbedding(path=…, tokenizer='tokenizer.json').",
        )
    text = Path(beside).read_text("utf-8", "replace")
    check_tokenizer(text, len(matrix), beside)
    return TokenVectors(matrix, None, text)


def _tensors(name: str, size: int) -> dict[str, NDArray[Any]]:
    """Return the arrays of a safetensors file, mapped; what its header says is checked against its size."""

    def damaged(why: str) -> DataError:
        return DataError(f"{name}: not a sound safetensors file: {why}", "Download or write it again.")

    with open(name, "rb") as file:
        length = int.from_bytes(file.read(8), "little")
        if length > min(size - 8, _LONGEST_HEADER):
            raise damaged(f"its header of {length:,} bytes does not fit into {size:,} bytes")
        try:
            header = json.loads(file.read(length))
        except (ValueError, RecursionError):
            raise damaged("its header is not JSON") from None
    room, found = size - 8 - length, {}
    data = np.memmap(name, np.uint8, "r", 8 + length, (room,)) if room else np.zeros(0, np.uint8)
    for key, entry in header.items() if isinstance(header, dict) else ():
        if key == "__metadata__":
            continue
        try:
            dtype, shape, (begin, end) = _TYPES.get(entry["dtype"]), entry["shape"], entry["data_offsets"]
            sound = all(type(n) is int and 0 <= n < 2**48 for n in (*shape, begin, end))
        except (TypeError, KeyError, ValueError):
            sound, dtype, shape, begin, end = False, None, [], 0, 0
        if not sound or not begin <= end <= room:
            raise damaged(f"its header says nothing sound about {key!r}")
        if dtype is None:
            continue
        n_bytes = np.dtype(dtype).itemsize
        for n in shape:
            n_bytes *= n
        if n_bytes != end - begin:
            raise damaged(f"{key!r} has {end - begin:,} bytes where its shape needs {n_bytes:,}")
        found[key] = np.asarray(data[begin:end]).view(dtype).reshape(shape)
    return found


def check_tokenizer(text: str, n_vectors: int, name: str) -> Any:
    """Return the tokenizer of a JSON text, whose tokens must all have vectors."""
    try:
        from tokenizers import Tokenizer
    except ImportError:
        from lindy.errors import MissingPackageError

        raise MissingPackageError(
            f"{name}: a tokenizer file needs the package 'tokenizers'", "pip install 'lindy[embeddings]'"
        ) from None
    try:
        made = Tokenizer.from_str(text)
    except Exception as error:  # the package raises this class itself
        raise DataError(
            f"{name}: not a tokenizer file: {str(error)[:200]}", "Give a tokenizer.json."
        ) from None
    largest = max(made.get_vocab(with_added_tokens=True).values(), default=-1)
    if largest >= n_vectors:
        raise DataError(
            f"{name}: the tokenizer does not fit: it has a token {largest:,}, and there are {n_vectors:,} vectors",
            "Give the tokenizer and the vectors of the same model.",
        )
    made.no_padding()
    made.no_truncation()
    return made


def _read_words(name: str) -> TokenVectors:
    with open(name, "rb") as file:
        first = file.readline(_LONGEST_WORD).split()
        if len(first) == 2 and first[0].isdigit() and first[1].isdigit() and len(first[0]) < 12:
            n, d = int(first[0]), int(first[1])
            begin = file.tell()
            line = file.readline(1 << 20)
            if not _is_line(line, d):
                return _read_binary(name, begin, n, d)
            file.seek(begin)
            found = _read_lines(name, file, d, 2)
            if len(found.matrix) != n:
                raise DataError(
                    f"{name}: line 1 says that there are {n:,} vectors, but there are {len(found.matrix):,}",
                    "Download the file again: it may have been cut off.",
                )
            return found
        file.seek(0)
        return _read_lines(name, file, max(len(first) - 1, 1), 1)


def _is_line(line: bytes, d: int) -> bool:
    """Whether a line of text may be a word and d numbers."""
    parts = line.rstrip().rsplit(b" ", d)
    return b"\0" not in line and len(parts) > 1 and _numbers(parts[1]) is not None


def _numbers(text: bytes) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _read_lines(name: str, file: Any, d: int, number: int) -> TokenVectors:
    words, rows = [], []
    for at, line in enumerate(file, number):
        word, *values = line.rstrip(b" \r\n").rsplit(b" ", d)
        try:
            rows.append(np.array(values, np.float32))
        except ValueError:
            rows.append(np.zeros(0, np.float32))
        if len(rows[-1]) != d or not word:
            raise DataError(
                f"{name}: line {at}: expected a word and {d} numbers", "Give a file of vectors, or mend it."
            )
        words.append(word.decode("utf-8", "replace"))
    return TokenVectors(np.stack(rows) if rows else np.zeros((0, d), np.float32), words)


def _read_binary(name: str, begin: int, n: int, d: int) -> TokenVectors:
    data = np.memmap(name, np.uint8, "r")
    if not d or n * (4 * d + 2) > len(data) - begin:
        raise DataError(
            f"{name}: line 1 says that there are {n:,} vectors of {d:,} numbers, for which the file is too short",
            "Download the file again: it may have been cut off.",
        )
    words, starts, at = [], np.empty(n, np.int64), begin
    for i in range(n):
        head = bytes(data[at : at + _LONGEST_WORD])
        space = head.find(b" ")
        at += space + 1
        if space < 0 or at + 4 * d > len(data):
            raise DataError(f"{name}: vector {i:,}: the file ends within it", "Download the file again.")
        words.append(head[:space].lstrip(b"\n").decode("utf-8", "replace"))
        starts[i] = at
        at += 4 * d
    matrix = np.stack([data[start : start + 4 * d].view(np.float32) for start in starts.tolist()])
    return TokenVectors(matrix, words)
