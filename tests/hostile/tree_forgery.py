"""Forgeries of the tree of terms in a model file: each takes a vectorizer's options and arrays, and spoils them."""

from __future__ import annotations

from typing import Any

import numpy as np

from lindy.textbook import term_tree as textbook

NONE = textbook.NONE
TREE = ("words", "word_offsets", "word_columns", "starts", "phrases")


def changed(arrays: dict[str, Any], name: str, position: Any, value: Any) -> None:
    arrays[name] = arrays[name].copy()
    arrays[name][position] = value


def first_slot(arrays: dict[str, Any]) -> int:
    return int(np.flatnonzero(arrays["phrases"][:, 0] != NONE)[0])


def empty_slot(arrays: dict[str, Any]) -> int:
    return int(np.flatnonzero(arrays["phrases"][:, 0] == NONE)[0])


def swap_slots(arrays: dict[str, Any]) -> None:
    """Exchange the two children of a node, which are in one order only."""
    slots, starts = arrays["phrases"].copy(), arrays["starts"]
    sizes = np.diff(starts.astype(np.int64))
    begin = int(starts[np.flatnonzero(sizes >= 3)[0]])
    family = slots[begin : begin + 3]
    slots[begin : begin + 3] = np.roll(family, 1, axis=0)
    arrays["phrases"] = slots


def cycle(arrays: dict[str, Any]) -> None:
    """Let a node be its own child."""
    n = len(arrays["word_offsets"]) - 1
    arrays["starts"] = np.array([0] * (n + 1) + [1], np.uint32)
    arrays["phrases"] = np.array([[0, len(arrays["word_columns"])]], np.uint32)


def full_family(arrays: dict[str, Any]) -> None:
    """Leave no empty slot where a search could end."""
    n = len(arrays["word_offsets"]) - 1
    column = len(arrays["word_columns"])
    arrays["starts"] = np.array([0] + [n] * n, np.uint32)
    arrays["phrases"] = np.array([[i, column + i] for i in range(n)], np.uint32)


def far_from_home(arrays: dict[str, Any]) -> None:
    """Put words in a row that all belong to its beginning, as many as no search goes on for."""
    n, size = 20_000, 1000
    homes = np.array([textbook.home(word, size) for word in range(n)])
    chosen = np.flatnonzero(homes < 30)[:400]
    names = [f"v{i}".encode() for i in range(n)]
    arrays["words"] = np.frombuffer(b"".join(names), np.uint8)
    arrays["word_offsets"] = np.cumsum([0, *map(len, names)])
    arrays["word_columns"] = np.zeros(0, np.uint32)
    order = sorted(chosen.tolist(), key=lambda word: (homes[word], word))
    slots = np.full((size, 2), NONE, np.uint32)
    slots[: len(order)] = [[word, i] for i, word in enumerate(order)]
    arrays["starts"] = np.array([0, size], np.uint32)
    arrays["phrases"] = slots


def long_words(arrays: dict[str, Any]) -> None:
    """Let a small file claim a text of gigabytes."""
    n = 2000
    names = [b"x" * 200_000, *(b"y%d" % i for i in range(n))]
    made = textbook.family({1 + i: i for i in range(n)})
    arrays["words"] = np.frombuffer(b"".join(names), np.uint8)
    arrays["word_offsets"] = np.cumsum([0, *map(len, names)])
    arrays["word_columns"] = np.zeros(0, np.uint32)
    arrays["starts"] = np.array([0, len(made)], np.uint32)
    arrays["phrases"] = np.array(made, np.uint32)


FORGERIES: dict[str, Any] = {
    "no multiplier": lambda c, a: c.pop("multiplier"),
    "another multiplier": lambda c, a: c.update(multiplier=12345),
    "a multiplier that is none": lambda c, a: c.update(multiplier="2654435761"),
    "a large multiplier": lambda c, a: c.update(multiplier=2**32),
    **{f"no {name}": lambda c, a, name=name: a.pop(name) for name in TREE},
    **{f"{name} of floats": lambda c, a, name=name: a.update({name: a[name].astype(float)}) for name in TREE},
    **{f"no {name} in it": lambda c, a, name=name: a.update({name: a[name][:0]}) for name in TREE},
    **{f"a shorter {name}": lambda c, a, name=name: a.update({name: a[name][:-1]}) for name in TREE},
    "slots of three": lambda c, a: a.update(phrases=np.repeat(a["phrases"][:, :1], 3, axis=1)),
    "flat slots": lambda c, a: a.update(phrases=a["phrases"].reshape(-1)),
    "characters": lambda c, a: c.update(analyzer="char"),
    "unknown words": lambda c, a: c.update(oov=2),
    "starts that go back": lambda c, a: changed(a, "starts", 1, a["starts"][-1]),
    "starts outside": lambda c, a: changed(a, "starts", -1, NONE),
    "starts that begin late": lambda c, a: changed(a, "starts", 0, 1),
    "a word outside": lambda c, a: changed(a, "phrases", (first_slot(a), 0), len(a["word_offsets"]) - 1),
    "a word far outside": lambda c, a: changed(a, "phrases", (first_slot(a), 0), NONE - 1),
    "a word that is gone": lambda c, a: changed(a, "phrases", first_slot(a), [NONE, NONE]),
    "a column twice": lambda c, a: changed(a, "phrases", (first_slot(a), 1), a["word_columns"][0]),
    "a column outside": lambda c, a: changed(a, "phrases", (first_slot(a), 1), 10**6),
    "a column of nothing": lambda c, a: changed(a, "phrases", (empty_slot(a), 1), 0),
    "a word in an empty slot": lambda c, a: changed(a, "phrases", (empty_slot(a), 0), 0),
    "a column of two words": lambda c, a: changed(a, "word_columns", 1, a["word_columns"][0]),
    "a column of a word outside": lambda c, a: changed(a, "word_columns", 0, 2**31),
    "more columns than words": lambda c, a: a.update(word_columns=np.arange(99, dtype=np.uint32)),
    "another order": lambda c, a: swap_slots(a),
    "its own child": lambda c, a: cycle(a),
    "a family without an end": lambda c, a: full_family(a),
    "far from home": lambda c, a: far_from_home(a),
    "gigabytes of text": lambda c, a: long_words(a),
    "a word twice": lambda c, a: changed(a, "words", slice(0, 2), a["words"][2:4]),
    "a word with a space": lambda c, a: changed(a, "words", 0, ord(" ")),
    "a word that is no UTF-8": lambda c, a: changed(a, "words", 0, 255),
    "word offsets that go back": lambda c, a: changed(a, "word_offsets", 1, 2**62),
}
