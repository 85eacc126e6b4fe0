"""Terms of several words as a tree, as model files hold them (``docs/concepts/modelfile.md``), in plain Python.

words     the words of all terms: first those that are terms, then the others as the terms have them
node      words have the numbers 0 … n − 1; the slots of all families, one after the other, have those from n on
family    the children of a node: terms with one more word; m of them have m + ⌊m / 2⌋ slots
home      ⌊(word · multiplier mod 2³²) · slots / 2³²⌋; who comes from an earlier home, or from the same one with a
          smaller number, stands first, and the others move on, round the end
"""

from __future__ import annotations

from typing import NamedTuple

NONE = 2**32 - 1
MULTIPLIER = 0x9E3779B1

Slot = tuple[int, int]  # a word and a column, or twice NONE


class Tree(NamedTuple):
    """Words, the columns of the first of them, where the family of each node begins, and the slots."""

    words: list[str]
    word_columns: list[int]
    starts: list[int]
    slots: list[Slot]


def home(word: int, size: int) -> int:
    """Return the slot of a family to which a word belongs."""
    return (word * MULTIPLIER % 2**32) * size >> 32


def family(children: dict[int, int]) -> list[Slot]:
    """Return the slots of a family whose children are words with their columns."""
    size = len(children) + len(children) // 2
    slots: list[Slot] = [(NONE, NONE)] * size
    for word in sorted(children):
        moving, k, away = (word, children[word]), home(word, size), 0
        while slots[k][0] != NONE:
            there = (k - home(slots[k][0], size)) % size
            if (away, -moving[0]) > (there, -slots[k][0]):
                moving, slots[k], away = slots[k], moving, there
            k, away = (k + 1) % size, away + 1
        slots[k] = moving
    return slots


def tree(terms: list[str]) -> Tree:
    """Return the tree of some terms, of which at least one has several words."""
    split = [term.split(" ") for term in terms]
    word_columns = [i for i, words in enumerate(split) if len(words) == 1]
    words = [terms[i] for i in word_columns]
    for several in split:
        words += [word for word in dict.fromkeys(several) if word not in words]
    number = {word: i for i, word in enumerate(words)}
    columns = {tuple(number[word] for word in own): i for i, own in enumerate(split) if len(own) > 1}
    starts: list[int] = []
    slots: list[Slot] = []
    parents: list[tuple[int, ...] | None] = [(i,) for i in range(len(words))]  # None where a slot is empty
    length = 2
    while beginnings := {path[:length] for path in columns if len(path) >= length}:
        nodes: list[tuple[int, ...] | None] = []
        for parent in parents:
            starts.append(len(slots))
            children = {
                path[-1]: columns.get(path, NONE)
                for path in beginnings
                if parent is not None and path[:-1] == parent
            }
            own = family(children)
            slots += own
            nodes += [None if parent is None or word == NONE else (*parent, word) for word, _ in own]
        parents, length = nodes, length + 1
    return Tree(words, word_columns, [*starts, len(slots)], slots)


def terms(made: Tree) -> list[str]:
    """Return the terms of a tree, in the order of their columns."""
    texts = list(made.words)
    found = dict(zip(made.word_columns, made.words, strict=False))
    for node, (begin, end) in enumerate(zip(made.starts[:-1], made.starts[1:], strict=True)):
        for word, column in made.slots[begin:end]:
            texts.append("" if word == NONE else f"{texts[node]} {made.words[word]}")
            if column != NONE:
                found[column] = texts[-1]
    return [found[column] for column in range(len(found))]
