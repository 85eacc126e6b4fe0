"""Says in words why a body of JSON is wrong: ``texts must be a list, not a string``."""

from __future__ import annotations

import re
from typing import Any

import msgspec

from lindy.errors import did_you_mean

_KINDS = {
    "str": "a string",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "null": "null",
    "array": "a list",
    "object": "an object",
}
_PLACE = re.compile(r"(?P<what>.*?)(?: - at `(?P<place>.*)`)?", re.DOTALL)
_UNKNOWN = re.compile(r"Object contains unknown field `(.*)`", re.DOTALL)
_MISSING = re.compile(r"Object missing required field `(.*)`", re.DOTALL)
_KIND = re.compile(r"Expected `(.*)`, got `(.*)`")
_SIZE = re.compile(r"Expected `(.*)` (of length )?(>=|<=|>|<) (.*)")
_BOUNDS = {">=": "at least", "<=": "at most", ">": "more than", "<": "less than"}
_UNITS = {"str": ("character", "characters"), "array": ("entry", "entries"), "object": ("entry", "entries")}
_LONGEST = 100  # characters of a name that is repeated


def in_words(error: msgspec.ValidationError, kind: Any) -> str:
    """Return what a decoder of a type of ``messages`` complains about."""
    found = _PLACE.fullmatch(str(error))
    assert found is not None  # every part of the pattern may be empty
    what, place = found["what"], _place(found["place"])
    fields = [field.name for field in msgspec.structs.fields(kind)]
    if match := _UNKNOWN.fullmatch(what):
        name = match[1][:_LONGEST]
        return f"there is no field {name!r}. {did_you_mean(name, fields)}The fields are {', '.join(fields)}"
    if match := _MISSING.fullmatch(what):
        return f"the field {match[1]!r} is missing"
    if match := _KIND.fullmatch(what):
        return f"{place} must be {_kinds(match[1])}, not {_kinds(match[2])}"
    if match := _SIZE.fullmatch(what):
        bound, number = _BOUNDS[match[3]], f"{float(match[4]):,g}" if float(match[4]) < 1e6 else match[4]
        if match[2]:
            one, many = _UNITS.get(match[1], ("entry", "entries"))
            return f"{place} must have {bound} {number} {one if number == '1' else many}"
        return f"{place} must be {bound} {number}"
    return f"{place}: {what}"


def _place(path: str | None) -> str:
    """Return what a path such as ``$.texts[1]`` leads to."""
    if not path or path == "$":
        return "the body"
    name, *inside = re.split(r"(?=\[)", path.removeprefix("$."), maxsplit=1)
    if not inside:
        return name
    places = re.findall(r"\[(\d+|\.\.\.)\]", inside[0])
    return f"{' of '.join(_entry(place) for place in reversed(places))} of {name}"


def _entry(place: str) -> str:
    return f"entry {int(place) + 1}" if place != "..." else "a value"


def _kinds(names: str) -> str:
    words = [_KINDS.get(name, name) for name in names.split(" | ")]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"
