r"""Regular expressions of the user's, which never hang.

Python's ``re`` matches by trying one way after the other. If a group is repeated that can match the same text in
several ways, as in ``(a+)+``, a text that does not match in the end is tried in exponentially many ways, and ``re``
cannot be interrupted. Without a repeated group the number of ways is a power of the length of the text, as for
scikit-learn; such patterns run in ``re``. The others run in the package ``regex``, which stops at a limit of time.

``regex`` follows the Unicode standard, Python its own definition of a word: ``\w`` is what ``str.isalnum`` holds for
and the underscore, ``\s`` what ``str.isspace`` holds for, and ``\b`` is between ``\w`` and what is not. So these are
spelt out for it, and what only ``regex`` gives a meaning (fuzzy braces, sets within sets) is escaped: tokens are those
of ``re``.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from lindy.errors import DataError

SECONDS = 1.0  # that any text may take
SECONDS_PER_CHARACTER = (
    2e-5  # and what a long one may take besides: thirty times what an ordinary pattern needs
)

_REPEATED_GROUP = re.compile(r"\)\s*[*+{]|\(\?[a-z]*x")  # in verbose patterns comments may stand between
_TOKEN = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\{(?!\d+,?\d*\}|,\d*\})", re.DOTALL)
_MEMBERS = {r"\w": r"_\p{L}\p{N}", r"\s": r"\s\x1c-\x1f"}
_OTHERS = {r"\W": r"\w", r"\S": r"\s"}
_W = "[" + _MEMBERS[r"\w"] + "]"
_OUTSIDE = {
    r"\b": f"(?:(?<={_W})(?!{_W})|(?<!{_W})(?={_W}))",
    r"\B": f"(?:(?<={_W})(?={_W})|(?<!{_W})(?!{_W}))",
    "{": r"\{",
}


class TokenPattern:
    """A compiled regular expression with at most one group; calling it gives what ``re``'s ``findall`` gives.

    A text that takes too long is a ``DataError``.
    """

    __slots__ = ("_compiled", "_limited", "groups", "pattern")

    def __init__(self, pattern: str) -> None:
        own = re.compile(pattern)
        self.pattern, self.groups = own.pattern, own.groups
        self._limited = _REPEATED_GROUP.search(own.pattern) is not None
        self._compiled: Any = _limited(own) if self._limited else own

    def __reduce__(self) -> tuple[Any, ...]:
        return TokenPattern, (self.pattern,)

    def __call__(self, text: str) -> list[Any]:
        """Return the tokens of a text: its matches, or what the pattern's group has matched."""
        if not self._limited:
            return self._compiled.findall(text)  # type: ignore[no-any-return]
        return [match[self.groups] or "" for match in self.matches(text)]

    def matches(self, text: str) -> list[Any]:
        """Return the matches in a text, as ``re``'s ``finditer`` yields them."""
        if not self._limited:
            return list(self._compiled.finditer(text))
        limit = SECONDS + SECONDS_PER_CHARACTER * len(text)
        try:
            return list(self._compiled.finditer(text, timeout=limit))
        except TimeoutError:
            raise DataError(
                f"the pattern {self.pattern!r} takes more than {limit:.1f} s for a text of {len(text):,} characters,"
                " because it can match the same text in very many ways",
                "Rewrite it so that there is only one way, for example a+ instead of (a+)+.",
            ) from None


@cache
def _limited(pattern: re.Pattern[str]) -> Any:
    """Return the pattern for the engine with a limit of time."""
    import regex

    own = pattern.pattern
    return regex.compile(own if pattern.flags & re.ASCII else _TOKEN.sub(_spelt_out, own))


def _spelt_out(token: re.Match[str]) -> str:
    """Return an escape, a set of characters or a brace in words that mean to ``regex`` what it means to ``re``."""
    found = token[0]
    if found[0] != "[":
        return _OUTSIDE.get(found) or (_set([found]) if found in (*_MEMBERS, *_OTHERS) else found)
    negated = found.startswith("[^")
    return _set(re.findall(r"\\.|.", found[1 + negated : -1], re.DOTALL), negated=negated)


def _set(items: list[str], *, negated: bool = False) -> str:
    """Return a set of characters; what is not in another set cannot stand in it, and becomes an alternative."""
    inside = "".join(
        _MEMBERS.get(item, r"\[" if item == "[" else item) for item in items if item not in _OTHERS
    )
    others = ["[^" + _MEMBERS[_OTHERS[item]] + "]" for item in items if item in _OTHERS]
    if not others:
        return f"[{'^' if negated else ''}{inside}]"
    either = "|".join([f"[{inside}]"] * bool(inside) + others)
    return f"(?:(?!{either})(?s:.))" if negated else f"(?:{either})"
