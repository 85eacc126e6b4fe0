"""Regular expressions that may never end.

Python matches by trying one way after the other. Where the same text can be matched in two ways, again and again, as
``(a+)+`` and ``(a|a)*`` match it, a text that does not match in the end is tried in exponentially many ways.

Only what is repeated can be endless. Every outermost repetition becomes an automaton whose states are the places of
single characters in it (``pattern_places``); it is endless if two different ways lead from one place back to itself
over the same characters (exponential ambiguity, Weber & Seidl 1991), which shows in the automaton of pairs of places. A
counted repetition counts as one without end if there are very many ways through it. What lookarounds and atomic groups
contain is examined by itself. Characters are represented by those of the pattern and samples of their kinds.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

from lindy.text.pattern_places import ASSERTIONS, REPEATS, Places, most_of

_SAMPLES = frozenset([*map(chr, range(128)), *"äÄß²½\u0301\u0660日\u3000\u200b😀"])
_MANY_WAYS = 50_000  # through a counted repetition
_LONG_RUN = 10  # iterations of an endless repetition within a counted one, when ways are counted
_MOST_PAIRS = 100_000  # of places that are looked at, so that the answer comes soon
Pair = tuple[int, int]


@cache
def is_endless(pattern: str) -> bool:
    """Whether some text makes Python try exponentially many ways to match the pattern.

    Patterns whose repetitions have more than some hundred thousand pairs of places are taken to be sound.
    """
    parsed = re._parser.parse(pattern)  # type: ignore[attr-defined]
    samples = _SAMPLES.union(*map(_neighbours, _letters(parsed)))
    flags = parsed.state.flags & ~re.DEBUG
    return any(_repeats_badly(item, flags, samples) for item, flags in _loops(parsed, flags))


def _repeats_badly(item: Any, flags: int, samples: frozenset[str]) -> bool:
    places = Places(samples, _is_loop)
    places.add([item], flags)
    return places.reads_nothing_endlessly or _is_ambiguous(places)


# the pattern ------------------------------------------------------------------------------------------------------


def _inner(name: str, argument: Any, flags: int) -> Iterator[tuple[Any, int]]:
    """Yield the parts within a part, with their flags."""
    if name in REPEATS or name == "POSSESSIVE_REPEAT":
        yield argument[2], flags
    elif name == "SUBPATTERN":
        yield argument[3], (flags | argument[1]) & ~argument[2]
    elif name == "BRANCH":
        yield from ((branch, flags) for branch in argument[1])
    elif name == "GROUPREF_EXISTS":
        yield from ((branch, flags) for branch in argument[1:] if branch)
    elif name in ASSERTIONS:
        yield argument[1], flags
    elif name == "ATOMIC_GROUP":
        yield argument, flags


def _loops(items: Iterable[Any], flags: int, *, within: bool = False) -> Iterator[tuple[Any, int]]:
    """Yield the outermost repetitions that may be endless; within one, those in lookarounds and atomic groups."""
    for operation, argument in items:
        name = str(operation)
        apart = name in ASSERTIONS or name in ("ATOMIC_GROUP", "POSSESSIVE_REPEAT")
        loop = name in REPEATS and _is_loop(argument)
        if loop and not within:
            yield (operation, argument), flags
        for body, own in _inner(name, argument, flags):
            yield from _loops(body, own, within=(within or loop) and not apart)


def _is_loop(argument: Any) -> bool:
    """Whether a repetition has no end, or so many ways through it that it may as well have none."""
    return most_of(argument) is None or _repeat_ways(argument) > _MANY_WAYS


def _ways(items: Iterable[Any]) -> float:
    """Return in how many ways one could go through a part, if all of them matched."""
    product = 1.0
    for operation, argument in items:
        name = str(operation)
        if name in REPEATS:
            product *= _repeat_ways(argument)
        elif name in ("SUBPATTERN", "BRANCH", "GROUPREF_EXISTS"):
            product *= max(1.0, sum(_ways(body) for body, _ in _inner(name, argument, 0)))
        product = min(product, 2.0 * _MANY_WAYS)
    return product


def _repeat_ways(argument: Any) -> float:
    least, ways, total = int(argument[0]), _ways(argument[2]), 0.0
    most = most_of(argument)
    most = max(least, _LONG_RUN) if most is None else most
    if ways == 1:
        return float(most - least + 1)
    for count in range(least, most + 1):
        total += ways ** min(count, 20)  # 2 ** 20 are too many already
        if total > _MANY_WAYS:
            break
    return min(total, 2.0 * _MANY_WAYS)


def _letters(items: Iterable[Any]) -> Iterator[int]:
    """Yield the characters that stand in a pattern, and some of each range."""
    for operation, argument in items:
        name = str(operation)
        if name in ("LITERAL", "NOT_LITERAL"):
            yield argument
        elif name == "RANGE":
            low, high = argument
            yield from (low, (low + high) // 2, high)
        elif name == "IN":
            yield from _letters(argument)
        for body, _ in _inner(name, argument, 0):
            yield from _letters(body)


def _neighbours(code: int) -> set[str]:
    """Return a character in both cases and those beside it."""
    character = chr(code)
    cases = {case for case in (character.lower(), character.upper()) if len(case) == 1}
    return {character, chr(max(code - 1, 0)), chr(min(code + 1, 0x10FFFF))} | cases


# pairs of places --------------------------------------------------------------------------------------------------


def _is_ambiguous(places: Places) -> bool:
    """Whether two ways lead from a place back to itself: a loop of pairs with equal places and something else."""
    pairs = _Pairs(places)
    for place in range(len(places.after)):
        for loop in pairs.loops((place, place)):
            equal = {p for p, q in loop if p == q}
            if equal and len(equal) < len(loop):
                return True
            if any(ways > 1 and q in equal for p in equal for q, ways in places.after[p].items()):
                return True
    return False


class _Pairs:
    """The automaton of pairs of places that read the same characters."""

    def __init__(self, places: Places) -> None:
        self._characters = places.characters
        self._after = [self._by_character(after) for after in places.after]
        self._number: dict[Pair, int] = {}
        self._low: dict[Pair, int] = {}

    def _by_character(self, after: dict[int, int]) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for place in after:
            for character in self._characters[place]:
                found.setdefault(character, []).append(place)
        return found

    def _next(self, pair: Pair) -> list[Pair]:
        left, right = self._after[pair[0]], self._after[pair[1]]
        return list({(p, q) for c in left.keys() & right.keys() for p in left[c] for q in right[c]})

    def loops(self, start: Pair) -> Iterator[set[Pair]]:
        """Yield the strongly connected components that were not reached before (Tarjan's algorithm)."""
        number, low = self._number, self._low
        if start in number:
            return
        stack: list[Pair] = []
        waiting: set[Pair] = set()
        path: list[tuple[Pair, Iterator[Pair]]] = []

        def enter(pair: Pair) -> None:
            number[pair] = low[pair] = len(number)
            stack.append(pair)
            waiting.add(pair)
            path.append((pair, iter(self._next(pair))))

        enter(start)
        while path and len(number) < _MOST_PAIRS:
            pair, following = path[-1]
            for after in following:
                if after not in number:
                    enter(after)
                    break
                if after in waiting:
                    low[pair] = min(low[pair], number[after])
            else:
                path.pop()
                if path:
                    low[path[-1][0]] = min(low[path[-1][0]], low[pair])
                if low[pair] == number[pair]:
                    cut = stack.index(pair)
                    component = set(stack[cut:])
                    del stack[cut:]
                    waiting -= component
                    yield component
