"""The places of single characters in a repeated part of a regular expression, and which place can follow which.

The construction is Glushkov's, with the number of ways (one, or several) in which a place follows another. An
iteration that reads nothing ends a repetition, as it does in Python, so it never leads back into it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import groupby, takewhile
from typing import Any

_COPIES = 3  # of the body of a counted repetition, in place of more
_SEVERAL = 2  # ways; more are not counted
_ASKED = {
    "AT_BOUNDARY": "boundary",
    "AT_NON_BOUNDARY": "inside",
    "AT_BEGINNING": "beginning",
    "AT_BEGINNING_STRING": "beginning",
    "AT_END": "end",
    "AT_END_STRING": "end",
}
REPEATS = {"MAX_REPEAT", "MIN_REPEAT"}
ASSERTIONS = {"ASSERT", "ASSERT_NOT"}

Condition = str | None  # what is asked of the neighbours of a gap: a value of _ASKED or nothing
Ends = dict[tuple[int, Condition], int]  # places with what is asked beside them, and in how many ways


def most_of(argument: Any) -> int | None:
    """Return how often a repetition may repeat at most; None means without end."""
    return None if str(argument[1]) == "MAXREPEAT" else int(argument[1])


@dataclass(slots=True)
class Part:
    """Where a part of a pattern can begin and end, and in how many ways it can be empty."""

    first: Ends
    last: Ends
    empty: dict[Condition, int]


def _nothing(condition: Condition = None) -> Part:
    return Part({}, {}, {condition: 1})


def _add(into: dict[Any, int], key: Any, ways: int) -> None:
    into[key] = min(into.get(key, 0) + ways, _SEVERAL)


class Places:
    """Collects the places of a part; ``after[p][q]`` is in how many ways place q can follow place p."""

    def __init__(self, samples: frozenset[str], is_loop: Callable[[Any], bool]) -> None:
        self.characters: list[frozenset[str]] = []
        self.after: list[dict[int, int]] = []
        self.reads_nothing_endlessly = False  # counted iterations that can be empty in several ways
        self._samples, self._is_loop = samples, is_loop
        self._known: dict[tuple[str, int], frozenset[str]] = {}

    def add(self, items: Iterable[Any], flags: int, *, committed: bool = False) -> Part:
        """Add the items of a pattern one after the other; a committed part has only the first way through it."""
        whole = _nothing()
        for operation, argument in items:
            whole = self._joined(whole, self._item(str(operation), (operation, argument), flags, committed))
        return whole

    def _item(self, name: str, item: tuple[Any, Any], flags: int, committed: bool) -> Part:
        argument = item[1]
        if name in REPEATS or name == "POSSESSIVE_REPEAT":
            return self._repeat(argument, flags, committed or name == "POSSESSIVE_REPEAT")
        if name == "ATOMIC_GROUP":
            return self.add(argument, flags, committed=True)
        if name == "SUBPATTERN":
            _, more, fewer, body = argument
            return self.add(body, (flags | more) & ~fewer, committed=committed)
        if name in ("BRANCH", "GROUPREF_EXISTS"):
            branches = argument[1] if name == "BRANCH" else argument[1:]
            chosen = branches[:1] if committed else branches
            return self._branches([list(branch or ()) for branch in chosen], flags, committed)
        return self._short(name, item, flags)

    def _short(self, name: str, item: tuple[Any, Any], flags: int) -> Part:
        """Add what reads one character or nothing."""
        if name == "AT":
            return _nothing(_ASKED.get(str(item[1])))
        if name in ASSERTIONS or name == "GROUPREF":
            return _nothing()
        return self._one_character(item, flags)

    def _one_character(self, item: tuple[Any, Any], flags: int) -> Part:
        part = Part({}, {}, {})
        characters = self._matched(item, flags)
        for inside in (True, False):  # so that a place knows whether it is in a word
            if some := frozenset(c for c in characters if _in_word(c) == inside):
                self.characters.append(some)
                self.after.append({})
                part.first[len(self.after) - 1, None] = part.last[len(self.after) - 1, None] = 1
        return part

    def _matched(self, item: tuple[Any, Any], flags: int) -> frozenset[str]:
        if str(item[0]) == "LITERAL" and not flags & re.IGNORECASE:
            return frozenset(chr(item[1]))
        key = (repr(item), flags)
        if key not in self._known:
            parsed = re._parser.parse("", flags)  # type: ignore[attr-defined]
            parsed.append(item)
            one = re._compiler.compile(parsed, flags)  # type: ignore[attr-defined]
            self._known[key] = frozenset(c for c in self._samples if one.fullmatch(c))
        return self._known[key]

    def _branches(self, branches: list[list[Any]], flags: int, committed: bool) -> Part:
        """Add alternatives; those that begin with the same letters share their places, as dictionaries need it."""
        part = Part({}, {}, {})
        for begin, group in groupby(sorted(branches, key=_first_letter), _first_letter):
            alike = list(group)
            if begin < 0 or len(alike) == 1:
                added = [self.add(branch, flags, committed=committed) for branch in alike]
            else:
                n = _shared_letters(alike)
                head = self.add(alike[0][:n], flags, committed=committed)
                rest = self._branches([branch[n:] for branch in alike], flags, committed)
                added = [self._joined(head, rest)]
            for one in added:
                for ours, theirs in ((part.first, one.first), (part.last, one.last)):
                    for end, ways in theirs.items():
                        _add(ours, end, ways)
                for condition, ways in one.empty.items():
                    _add(part.empty, condition, ways)
        return part

    def _repeat(self, argument: Any, flags: int, committed: bool) -> Part:
        least, most, body = int(argument[0]), most_of(argument), argument[2]
        if committed:
            once = self.add(body, flags, committed=True)
            return once if least else self._optional(once)
        endless = most is None or self._is_loop(argument)
        whole = _nothing()
        for _ in range(min(least, _COPIES)):
            whole = self._joined(whole, self.add(body, flags))
        if endless:
            return self._joined(whole, self._loop(self.add(body, flags), counted=least > 1))
        rest = _nothing()
        for _ in range(min((most or 0) - least, _COPIES)):
            rest = self._optional(self._joined(self.add(body, flags), rest))
        return self._joined(whole, rest)

    def _loop(self, body: Part, *, counted: bool) -> Part:
        """Repeat a part without end; counted iterations may also read nothing and go on."""
        self._connect(body.last, body.first)
        if counted and body.empty:
            self._connect(body.last, body.first)
            self.reads_nothing_endlessly |= sum(body.empty.values()) > 1
        last = dict(body.last)  # after which an iteration that reads nothing may come
        for (place, before), ways in body.last.items():
            for condition, more in body.empty.items():
                _add(last, (place, condition or before), ways * more)
        return self._optional(Part(body.first, last, body.empty))

    def _optional(self, part: Part) -> Part:
        empty = dict(part.empty)
        _add(empty, None, 1)
        return Part(part.first, part.last, empty)

    def _joined(self, left: Part, right: Part) -> Part:
        self._connect(left.last, right.first)
        first, last = dict(left.first), dict(right.last)
        empty: dict[Condition, int] = {}
        for before, some in left.empty.items():
            for (place, condition), ways in right.first.items():
                _add(first, (place, condition or before), ways * some)
            for condition, ways in right.empty.items():
                _add(empty, condition or before, ways * some)
        for condition, some in right.empty.items():
            for (place, before), ways in left.last.items():
                _add(last, (place, condition or before), ways * some)
        return Part(first, last, empty)

    def _connect(self, last: Ends, first: Ends) -> None:
        for (p, before), ways in last.items():
            for (q, condition), more in first.items():
                if self._may_follow(p, q, condition or before):
                    _add(self.after[p], q, ways * more)

    def _may_follow(self, p: int, q: int, condition: Condition) -> bool:
        if condition in ("beginning", "end"):  # of a line, as it may be
            return "\n" in self.characters[p if condition == "beginning" else q]
        return condition in (None, "inside" if self._inside(p) == self._inside(q) else "boundary")

    def _inside(self, place: int) -> bool:
        return _in_word(next(iter(self.characters[place])))


def _first_letter(branch: list[Any]) -> int:
    """Return the letter that an alternative begins with, or -1."""
    return int(branch[0][1]) if branch and str(branch[0][0]) == "LITERAL" else -1


def _shared_letters(branches: list[list[Any]]) -> int:
    """Return how many letters all alternatives have in common at the beginning."""
    letters = takewhile(lambda items: _first_letter([items[0]]) >= 0, zip(*branches, strict=False))
    return sum(1 for _ in takewhile(lambda items: all(item == items[0] for item in items), letters))


def _in_word(character: str) -> bool:
    return character.isalnum() or character == "_"
