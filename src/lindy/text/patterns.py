"""Regular expressions that may never end.

Python matches by trying one way after the other. Where the same text can be matched in two ways, again and again, as
``(a+)+`` and ``(a|a)*`` match it, a text that does not match in the end is tried in exponentially many ways.

A pattern becomes an automaton whose states are the places of single characters in it; it is endless if two different
ways lead from one place back to itself over the same characters (exponential ambiguity, Weber & Seidl 1991), which
shows in the automaton of pairs of places. Characters are represented by samples of their kinds.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

_SAMPLES = [*map(chr, range(128)), *"äÄß²½\u0301\u0660日\u3000\u200b😀"]
_COPIES = 3  # of the body of a counted repetition, in place of more
_BOUNDARIES = {"AT_BOUNDARY", "AT_UNI_BOUNDARY"}
_INSIDE = {"AT_NON_BOUNDARY", "AT_UNI_NON_BOUNDARY"}
_NOTHING = {"ASSERT", "ASSERT_NOT", "GROUPREF", "GROUPREF_EXISTS", "POSSESSIVE_REPEAT", "ATOMIC_GROUP"}
Condition = (
    str | None
)  # what a step without a character asks of its neighbours: "boundary", "inside" or nothing


class _Automaton:
    """Nodes with steps that read nothing, and places that read one character of a set."""

    def __init__(self, flags: int) -> None:
        self.flags = flags
        self.steps: list[list[tuple[int, Condition]]] = []
        self.places: list[tuple[int, frozenset[str], int]] = []

    def node(self) -> int:
        self.steps.append([])
        return len(self.steps) - 1

    def step(self, start: int, end: int, condition: Condition = None) -> None:
        self.steps[start].append((end, condition))

    def sequence(self, items: Iterable[Any], start: int) -> int:
        """Add the parts of a pattern one after the other; return where they end."""
        for operation, argument in items:
            start = self._part(str(operation), (operation, argument), start)
        return start

    def _part(self, name: str, item: tuple[Any, Any], start: int) -> int:
        argument, end = item[1], self.node()
        if name in ("MAX_REPEAT", "MIN_REPEAT"):
            least, most, body = argument
            self._repeat(int(least), None if str(most) == "MAXREPEAT" else int(most), body, start, end)
        elif name == "SUBPATTERN":
            self.step(self.sequence(argument[-1], start), end)
        elif name == "BRANCH":
            for branch in argument[1]:
                self.step(self.sequence(branch, start), end)
        elif name == "AT":
            where = str(argument)
            self.step(
                start, end, "boundary" if where in _BOUNDARIES else "inside" if where in _INSIDE else None
            )
        elif name in _NOTHING:
            self.step(start, end)
        else:
            characters = self._characters(item)
            for inside in (True, False):  # so that a place knows whether it is in a word
                if part := frozenset(c for c in characters if _in_word(c) == inside):
                    self.places.append((start, part, end))
        return end

    def _repeat(self, least: int, most: int | None, body: Any, start: int, end: int) -> None:
        for _ in range(min(least, _COPIES)):
            start = self.sequence(body, start)
        self.step(start, end)
        if most is None:
            again = self.node()
            self.step(start, again)
            back = self.sequence(body, again)
            self.step(back, again)
            self.step(back, end)
            return
        for _ in range(min(most - least, _COPIES)):
            start = self.sequence(body, start)
            self.step(start, end)

    def _characters(self, item: tuple[Any, Any]) -> frozenset[str]:
        parsed = re._parser.parse("", self.flags)  # type: ignore[attr-defined]
        parsed.append(item)
        one = re._compiler.compile(parsed, self.flags)  # type: ignore[attr-defined]
        return frozenset(c for c in _SAMPLES if one.fullmatch(c))

    def followers(self) -> list[dict[int, bool]]:
        """Return the places that can come right after each, and whether there are several ways to them."""
        after: list[dict[int, bool]] = []
        for _, characters, end in self.places:
            inside = _in_word(next(iter(characters)))
            found: dict[int, bool] = {}
            for node, condition in self._reached(end):
                for number, (start, others, _) in enumerate(self.places):
                    same = _in_word(next(iter(others))) == inside
                    if start == node and condition in (None, "inside" if same else "boundary"):
                        found[number] = number in found
            after.append(found)
        return after

    def _reached(self, node: int) -> Iterator[tuple[int, Condition]]:
        """Yield the nodes that can be reached without a character, once for each way (twice at most)."""
        seen: dict[tuple[int, Condition], int] = {}
        waiting: list[tuple[int, Condition]] = [(node, None)]
        while waiting:
            at, condition = waiting.pop()
            seen[at, condition] = seen.get((at, condition), 0) + 1
            if seen[at, condition] > 2:
                continue
            yield at, condition
            waiting += [(end, asked or condition) for end, asked in self.steps[at]]


def _in_word(character: str) -> bool:
    return character.isalnum() or character == "_"


@cache
def is_endless(pattern: str) -> bool:
    """Whether some text makes Python try exponentially many ways to match the pattern."""
    parsed = re._parser.parse(pattern)  # type: ignore[attr-defined]
    automaton = _Automaton(parsed.state.flags & ~re.DEBUG)
    automaton.sequence(parsed, automaton.node())
    after, characters = automaton.followers(), [place[1] for place in automaton.places]

    def next_pairs(pair: tuple[int, int]) -> Iterator[tuple[int, int]]:
        for p in after[pair[0]]:
            for q in after[pair[1]]:
                if characters[p] & characters[q]:
                    yield p, q

    for place in range(len(after)):
        here = (place, place)
        reached = _closure(here, next_pairs)
        if here not in reached:
            continue
        loop = {pair for pair in reached if here in _closure(pair, next_pairs)}
        if any(p != q for p, q in loop):
            return True
        if any(several and (q, q) in loop for p, _ in loop for q, several in after[p].items()):
            return True
    return False


def _closure(start: tuple[int, int], next_pairs: Any) -> set[tuple[int, int]]:
    """Return all pairs that one or more characters lead to."""
    found: set[tuple[int, int]] = set()
    waiting = [start]
    while waiting:
        for pair in next_pairs(waiting.pop()):
            if pair not in found:
                found.add(pair)
                waiting.append(pair)
    return found
