"""Random texts, bytes, Arrow columns, vocabularies and options against every way into the text kernels.

Whatever comes in, it is counted as the plain-Python analysis counts it, or refused with one of the promised exceptions.

    python -m tests.hostile.fuzz_text --rounds 100000 --seed 7
"""

from __future__ import annotations

import random
import sys
import warnings
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
from tests.hostile.fuzzing import run

from lindy import _native
from lindy.errors import DataError
from lindy.text import CountVectorizer, HashingVectorizer, TfidfVectorizer, vectorizer_from_state

PIECES = [
    *(
        "a",
        "B",
        "word",
        "x" * 15,
        "y" * 16,
        "z" * 17,
        "long" * 40,
        "_",
        "0",
        "42",
        " ",
        "  ",
        "\n",
        "\t",
        "!",
        "'",
        "-",
    ),
    *(
        "\0",
        "\x1c",
        "\x85",
        "\u00a0",
        "\u200b",
        "\u2028",
        "\ufeff",
        "\u0301",
        "\u00ad",
        "\ufdfa",
        "\U0001f600",
    ),
    *(
        "İ",
        "ß",
        "Σ",
        "ΑΣ",
        "ς",
        "ﬁ",
        "ﬃ",
        "ǅ",
        "ℵ",
        "日本",
        "שלום",
        "\U0010ffff",
        "\U000e0100",
        "é",
        "e\u0301",
    ),
]
SURROGATES = ["\ud800", "\udfff", "\ud83d"]
BYTES = [
    b"\xff",
    b"\xc0\x80",
    b"\xed\xa0\x80",
    b"\xf4\x90\x80\x80",
    b"\xe2\x82",
    b"\xf0\x9f",
    b"\x80",
    b"ab",
    b" ",
]


def text(rng: random.Random) -> str:
    """Return a text of awkward pieces."""
    pieces = rng.choices(PIECES, k=rng.choice((0, 1, 2, 5, 20, 80)))
    if rng.random() < 0.2:
        pieces.append(chr(rng.randrange(0x110000)))
    if rng.random() < 0.02:
        pieces.insert(0, rng.choice(SURROGATES))
    return "".join(pieces)


def encoded(rng: random.Random) -> bytes:
    """Return UTF-8, perhaps with something in it that is none."""
    data = bytearray(text(rng).encode("utf-8", "ignore"))
    for _ in range(rng.choice((0,) * 20 + (1, 3))):
        at = rng.randrange(len(data) + 1)
        data[at : at + rng.randrange(2)] = rng.choice(BYTES)
    return bytes(data)


def options(rng: random.Random) -> dict[str, Any]:
    """Return parameters that the native core can do."""
    analyzer = rng.choice(("word", "unicode_words", "char", "char_wb"))
    least = rng.choice((1, 1, 2, 3))
    params: dict[str, Any] = {
        "analyzer": analyzer,
        "ngram_range": (least, least + rng.choice((0, 1, 3))),
        "lowercase": rng.random() < 0.7,
        "strip_accents": rng.choice((None, None, "ascii", "unicode")),
        "n_jobs": rng.choice((1, 2)),
        "decode_error": rng.choice(("strict", "ignore", "replace")),
    }
    if analyzer == "word":
        params["token_pattern"] = rng.choice((r"(?u)\b\w\w+\b", r"\w+"))
    if analyzer in ("word", "unicode_words"):
        params["punctuation"] = rng.random() < 0.3
        params["shapes"] = least == 1 and rng.random() < 0.3
        params["stop_words"] = rng.choice((None, None, ["word", "a", "日本"]))
    return params


def arrow(data: list[bytes], rng: random.Random) -> Any:
    """Return a column over these bytes, which Arrow does not look at; sliced, chunked, large or not."""
    large = rng.random() < 0.5
    offsets = np.cumsum([0, *map(len, data)]).astype(np.int64 if large else np.int32)
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(b"".join(data))]
    column = pa.Array.from_buffers(pa.large_string() if large else pa.string(), len(data), buffers)
    if rng.random() < 0.3 and all(_decoded(item) is not None for item in data):
        column = column.cast(pa.string_view())
    if rng.random() < 0.3:
        column = column.slice(rng.randrange(len(data) + 1))
    if rng.random() < 0.3:
        cut = rng.randrange(len(column) + 1)
        column = pa.chunked_array([column.slice(0, cut), column.slice(cut)], type=column.type)
    return column


def documents(rng: random.Random) -> tuple[Any, list[Any]]:
    """Return texts in some form, and as a list of what Python has for them (None where that is not text)."""
    n = rng.choice((0, 1, 2, 5, 40))
    kind = rng.randrange(4)
    if kind == 0:
        texts = [text(rng) for _ in range(n)]
        return rng.choice((list, tuple, iter, lambda t: np.array(t, object)))(texts), texts
    data = [encoded(rng) for _ in range(n)]
    if kind == 1:
        return data, data
    column = arrow(data, rng)
    kept = data[n - len(column) :]
    return column, [_decoded(item) for item in kept]


def _decoded(item: bytes) -> str | None:
    try:
        return item.decode()
    except UnicodeDecodeError:
        return None


def same_counts(vectorizer: CountVectorizer, rows: Any, expected: list[Any]) -> None:
    """Assert that the rows hold what the plain-Python analysis finds."""
    analyze = vectorizer.build_analyzer()
    names = vectorizer.get_feature_names_out()
    for i, document in enumerate(expected):
        begin, end = rows.indptr[i], rows.indptr[i + 1]
        ours = dict(zip(names[rows.indices[begin:end]], rows.values[begin:end].astype(int), strict=True))
        assert ours == Counter(analyze(document)), repr(document)


def count(rng: random.Random) -> str:
    """Fit, find and hash the same documents."""
    params = options(rng)
    given, expected = documents(rng)
    again = list(given) if hasattr(given, "__next__") else given
    vectorizer = CountVectorizer(**params)
    rows = vectorizer.fit_csr(again)
    same_counts(vectorizer, rows, expected)
    found = vectorizer.transform_csr(again)
    np.testing.assert_array_equal(found.to_dense(), rows.to_dense())
    state = vectorizer.to_state()
    np.testing.assert_array_equal(
        vectorizer_from_state(*state).transform_csr(again).to_dense(), rows.to_dense()
    )
    HashingVectorizer(**params, n_features=rng.choice((1, 7, 64)), key=rng.choice((None, 3))).transform_csr(
        again
    )
    return "counted"


def find(rng: random.Random) -> str:
    """Look for the terms of some texts in others."""
    params = options(rng)
    vectorizer = TfidfVectorizer(**params, min_df=rng.choice((1, 2)), max_features=rng.choice((None, 3)))
    for _ in range(rng.choice((1, 3))):
        vectorizer.partial_fit([text(rng) for _ in range(4)])
    rows = vectorizer.transform_csr(documents(rng)[0])
    assert np.isfinite(rows.values).all()
    return "found"


def saved(rng: random.Random) -> str:
    """Load a vocabulary whose arrays have been tampered with."""
    vectorizer = CountVectorizer(**options(rng)).fit(["some words", text(rng) + " ab"])
    config, arrays = vectorizer.to_state()
    arrays = {
        name: array.copy() for name, array in arrays.items()
    }  # terms, or the tree of those of several words
    for _ in range(rng.choice((1, 2))):
        array = arrays[rng.choice([name for name in arrays if arrays[name].size])].reshape(-1)
        limits = np.iinfo(array.dtype)
        wrong = rng.choice((-1, 0, 3, len(array), 2**40, -(2**62), rng.randrange(256)))
        array[rng.randrange(len(array))] = min(max(wrong, limits.min), limits.max)
    loaded = vectorizer_from_state(config, arrays)
    loaded.transform_csr([text(rng), "some words"])
    loaded.get_feature_names_out()
    return "loaded"


def raw(rng: random.Random) -> str:
    """Hand the bindings offsets that lie."""
    data = np.frombuffer(encoded(rng), np.uint8)
    dtype = rng.choice((np.int32, np.int64))
    offsets = np.sort(np.array([rng.randrange(len(data) + 1) for _ in range(4)], dtype))
    if rng.random() < 0.5:
        offsets[rng.randrange(4)] = rng.choice((0, len(data), len(data) + 1, -1, 2**31 - 1))
    texts = _native.Texts()
    first, limit = rng.choice((0, 0, 1, 9)), rng.choice((0, 1, 1 << 20))
    n_rows = rng.choice((4, 2**64 - 1)) if rng.random() < 0.1 else max(3 - first, 0)
    if rng.random() < 0.5:
        large = dtype is np.int64 or rng.random() < 0.1
        texts.take_arrow([None, offsets, data][: 2 if rng.random() < 0.1 else 3], large, first, n_rows, limit)
    else:
        sizes = [rng.choice((0, 5, 12, 13, len(data), -1)) for _ in range(3)]
        fields = [
            [size, 0x61616161, rng.choice((0, 0, 1, -1)), rng.choice((0, 0, 1, -1, 2**31 - 1))]
            for size in sizes
        ]
        texts.take_views([None, np.array(fields, np.int32), data], first, n_rows, limit)
    counter = _native.TermCounter(_native.TextOptions.make("word", True, 0, True, 1, 1, 2, True))
    counter.add(texts, 2)
    counter.number(1, 1, rng.choice(("alphabet", "seen", "frequency")), 2)
    counter.choose(9, None)
    counter.rows_f32(False, None, None, "none", 2)
    counter.terms()
    ends = np.concatenate([offsets[:0], [0], offsets]).astype(np.int64)
    _native.merge_terms(data, ends, data[:0], np.zeros(1, np.int64))
    return "read"


WAYS: list[Callable[[random.Random], str]] = [count, find, saved, raw]
REFUSALS = (ValueError, DataError)  # UnicodeError is a ValueError


def fuzz(rounds: int, seed: int) -> Counter[str]:
    """Run the rounds; return how often what happened."""
    outcomes: Counter[str] = Counter()
    for i in range(rounds):
        rng = random.Random(f"{seed}/{i}")
        way = WAYS[i % len(WAYS)]
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                outcomes[way(rng)] += 1
        except REFUSALS as error:
            outcomes["refused" if str(error) else "refused without a word"] += 1
        except BaseException:
            sys.stderr.write(f"round {i} of seed {seed}, {way.__name__}\n")
            raise
    return outcomes


if __name__ == "__main__":
    run(lambda _, rounds, seed: fuzz(rounds, seed), __doc__)
