"""What any bytes are given to, and what must hold then: shared by the fuzzers and the replay of the kept inputs.

Each target takes an input as the harness of its name reads it (``analyser.cpp``, …), compares the compiled core with
its twin in Python, and says what happened: "read" or "refused". Anything else is raised.
"""

from __future__ import annotations

import random
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from tests.hostile.fuzz_delimited import compare_table
from tests.hostile.fuzz_modelfile import compare_file
from tests.hostile.fuzz_text import same_counts
from tests.hostile.test_forged_classifiers import use

import lindy
from lindy import _native
from lindy.data.mail import MailWords, read_message
from lindy.errors import ModelFileError
from lindy.text import CountVectorizer

FOLDER = tempfile.TemporaryDirectory()  # removed when Python ends


def analyser_options(data: bytes) -> dict[str, Any]:
    """Return the options that the first bytes stand for, as options_of in analyser.cpp."""
    terms, flags, sizes = data[0] % 4, data[1], data[2]
    least = sizes % 3 + 1
    options: dict[str, Any] = {
        "analyzer": ("word", "unicode_words", "char", "char_wb")[terms],
        "lowercase": bool(flags & 1),
        "strip_accents": (None, "unicode", "ascii")[flags // 8 % 3],
        "ngram_range": (least, least + sizes // 3 % 3),
    }
    if terms < 2:
        options["punctuation"] = bool(flags & 2)
        options["shapes"] = bool(flags & 4) and least == 1
        options["stop_words"] = ["word", "a", "日本"] if flags & 128 else None
    if terms == 0:
        options["token_pattern"] = r"\w+" if sizes & 128 else r"(?u)\b\w\w+\b"
    return options


def documents(data: bytes) -> tuple[Any, list[str | None]]:
    """Return the texts as they are handed over, and as strings (None where they are no text)."""
    width = data[3] % 4
    pieces = data[4:].split(b"\xff")
    if width:
        numbers = [
            [int.from_bytes(piece[i : i + width], "little") for i in range(0, len(piece) - width + 1, width)]
            for piece in pieces
        ]
        texts = ["".join(chr(number % 0x110000) for number in row) for row in numbers]
        return texts, list(texts)
    offsets = np.cumsum([0, *map(len, pieces)]).astype(np.int64)
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(b"".join(pieces))]
    return pa.Array.from_buffers(pa.large_string(), len(pieces), buffers), [*map(_decoded, pieces)]


def _decoded(piece: bytes) -> str | None:
    try:
        return piece.decode()
    except UnicodeDecodeError:
        return None


def analyser(data: bytes) -> str:
    """Count texts: as the plain-Python analysis counts them."""
    if len(data) < 4:
        return "refused"
    given, expected = documents(data)
    vectorizer = CountVectorizer(**analyser_options(data))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about stop words
        try:
            rows = vectorizer.fit_csr(given)
        except ValueError as error:
            said = str(error)
            assert "empty vocabulary" in said or None in expected or _has_surrogate(expected), said
            return "refused"
        same_counts(vectorizer, rows, expected)
    return "read"


def _has_surrogate(texts: list[str | None]) -> bool:
    return any("\ud800" <= c <= "\udfff" for text in texts if text is not None for c in text)


def delimited(data: bytes) -> str:
    """Read a table: as Arrow reads it."""
    if len(data) < 3:
        return "refused"
    names = ["a", "b", "c", "d"][: data[0] % 4 + 1]
    delimiter = ",;\t|"[data[0] // 4 % 4]
    return compare_table(random.Random(data), data[3:], names, Path(FOLDER.name) / "table.csv", delimiter)


def svmlight(data: bytes) -> str:
    """Read svmlight lines: as the lines of ``svmlight_lines``."""
    if not data:
        return "refused"
    first, last = data[0] & 1, 9 if data[0] & 2 else 2**31 - 2
    found = _native.svmlight_rows_f64(data[1:], first, last, None, 1)
    try:
        expected = svmlight_lines(data[1:], first, last)
    except ValueError as error:
        (line,) = error.args
        assert isinstance(found[0], str), f"line {line} is read"
        assert found[1] == line, (found, line)
        return "refused"
    assert not isinstance(found[0], str), found
    indptr, indices, values, codes, words, queries, _ = found
    rows = [
        (
            words[code],
            [*zip(indices[a:b].tolist(), values[a:b].tolist(), strict=True)],
        )
        for code, a, b in zip(codes, indptr[:-1], indptr[1:], strict=True)
    ]
    assert rows == [(label, pairs) for label, _, pairs in expected]
    assert queries.tolist() == [query for _, query, _ in expected if query is not None]
    return "read"


SPACES = b" \t\r\v\f"
Row = tuple[bytes, int | None, list[tuple[int, float]]]


def svmlight_lines(text: bytes, first: int, last: int) -> list[Row]:
    """Return label, query and pairs of every line that has any; ValueError(number) for the first wrong line."""
    rows: list[Row] = []
    for number, line in enumerate(text.removesuffix(b"\n").split(b"\n"), 1):
        words = line.split(b"#")[0].translate(bytes.maketrans(SPACES, b" " * len(SPACES))).split(b" ")
        label, *pairs = [word for word in words if word] or [b""]
        if not label:
            continue
        try:
            rows.append(_row(label, pairs, first, last))
        except ValueError:
            raise ValueError(number) from None
        if (rows[0][1] is None) != (rows[-1][1] is None):
            raise ValueError(number)
    return rows


def _row(label: bytes, words: list[bytes], first: int, last: int) -> Row:
    if b":" in label or b"\0" in label:
        raise ValueError
    query = None
    if words and words[0].startswith(b"qid:"):
        digits = words.pop(0)[4:]
        query = _whole(digits.removeprefix(b"-")) * (-1 if digits.startswith(b"-") else 1)
        if not -(2**63) <= query < 2**63:
            raise ValueError
    pairs: list[tuple[int, float]] = []
    for word in words:
        index, colon, value = word.partition(b":")
        column = _whole(index)
        if not colon or not first <= column <= last or (pairs and column <= pairs[-1][0]):
            raise ValueError
        pairs.append((column, _number(value)))
    return label, query, pairs


def _whole(digits: bytes) -> int:
    if not digits.isdigit():
        raise ValueError
    return int(digits)


def _number(word: bytes) -> float:
    if b"_" in word or word != word.strip():
        raise ValueError
    value = float(word)
    if not np.isfinite(value):
        raise ValueError
    return value


def modelfile(data: bytes) -> str:
    """Read a model file: what is read is written as the same bytes."""
    return compare_file(data, Path(FOLDER.name))


def loader(data: bytes) -> str:
    """Load a model, which then answers or says that its file is damaged."""
    path = Path(FOLDER.name) / "model.lindy"
    path.unlink(missing_ok=True)  # a loaded model may still be mapped into memory
    path.write_bytes(data)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            model = lindy.load(path)
        except ModelFileError:
            return "refused"
        use(model)
    return "read"


def mail(data: bytes) -> str:
    """Read a message, which never fails."""
    message = read_message(data)
    assert len(set(message.problems)) == len(message.problems)
    MailWords().text(message).encode()
    return "refused" if message.problems else "read"


TARGETS: dict[str, Callable[[bytes], str]] = {
    "analyser": analyser,
    "delimited": delimited,
    "svmlight": svmlight,
    "modelfile": modelfile,
    "loader": loader,
    "mail": mail,
}
