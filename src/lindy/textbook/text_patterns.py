"""Patterns of texts that words do not show (Amato: $dd, CAPS), each as the places where it is found.

A word is a longest run of letters, digits and underscores.
"""

from __future__ import annotations

import re

Span = tuple[int, int]

_CURRENCY = "dollars?|euros?|pounds?|usd|eur|gbp"


def places(text: str) -> dict[str, list[Span]]:
    """Return the begins and ends of all matches, by the name of the pattern."""
    words = [match.span() for match in re.finditer(r"\w+", text)]
    numbers = [(b, e) for b, e in words if text[b:e].isdigit()]
    found = {
        "capitals": [(b, e) for b, e in words if e - b >= 2 and all(_capital(c) for c in text[b:e])],
        "mixed": [
            (b, e) for b, e in words if any(map(_letter, text[b:e])) and any(map(str.isdigit, text[b:e]))
        ],
        "elongated": [(b, e) for b, e in words if _three_in_a_row(text[b:e])],
        "long_number": [(b, e) for b, e in numbers if e - b >= 5],
        "percent": [(b, e + m.end()) for b, e in numbers if (m := re.match(" ?%", text[e:]))],
        "number": _joined(text, numbers),
        "time": _times(text, numbers),
        "money": _amounts(text, numbers),
        "url": [],
        "email": [],
        "mention": [],
    }
    for pattern, expression in (
        ("exclamation", "!"),
        ("question", r"\?"),
        ("repeated", r"[!?]{2,}|\.{3,}"),
        ("hashtag", r"(?<!\w)#\w+"),
        ("emoticon", r"(?<!\w)(?=([:;=]['-]?[)(DPpO/|\\])(?!\w))"),
    ):
        matches = re.finditer(expression, text)
        found[pattern] = [m.span(m.re.groups) if m.re.groups else m.span() for m in matches]
    for b, e in words:
        head = re.match(r"(?:https?://|www\.)\S+", text[b:], re.IGNORECASE | re.ASCII)
        whole = text[b:e].lower() in ("http", "https", "www")
        if head and whole and not (found["url"] and b < found["url"][-1][1]):
            found["url"].append((b, b + _until_space(text[b:])))
    for match in re.finditer("@", text):
        at = match.start()
        name = re.search(r"[\w.+%-]*$", text[:at])
        host = re.match(r"@[\w-]+\.[\w-](?:[\w-]|\.(?=[\w-]))*", text[at:])
        word = re.match(r"@\w+", text[at:])
        if name and name[0]:
            found["email"] += [(name.start(), at + host.end())] if host else []
        elif word:
            found["mention"].append((at, at + word.end()))
    return found


def _capital(c: str) -> bool:
    return c.isupper() or c.istitle()


def _letter(c: str) -> bool:
    return c.isalnum() and not (c.isdigit() and not _capital(c) and not c.islower())


def _three_in_a_row(word: str) -> bool:
    return any(a == b == c and _letter(a) for a, b, c in zip(word, word[1:], word[2:], strict=False))


def _until_space(text: str) -> int:
    return next((i for i, c in enumerate(text) if c.isspace()), len(text))


def _joined(text: str, numbers: list[Span]) -> list[Span]:
    """Words of digits with one point or comma between them are one number."""
    joined: list[Span] = []
    for b, e in numbers:
        if joined and b == joined[-1][1] + 1 and text[b - 1] in ".,":
            joined[-1] = (joined[-1][0], e)
        else:
            joined.append((b, e))
    return joined


def _times(text: str, numbers: list[Span]) -> list[Span]:
    """Return 9:30 and 12:05; of 12:30:45 only the first half."""
    found: list[Span] = []
    short = dict(numbers)
    for b, e in numbers:
        is_time = e - b <= 2 and text[e : e + 1] == ":" and short.get(e + 1) == e + 3
        if is_time and not (found and b < found[-1][1]):
            found.append((b, e + 3))
    return found


def _amounts(text: str, numbers: list[Span]) -> list[Span]:
    """Return $5, 5 € and 5 dollars; $5 dollars once."""
    signed = []
    for match in re.finditer("[$£€¥]", text):
        end = match.end() + (text[match.end() : match.end() + 1] == " ")
        if text[end : end + 1].isdigit():
            while text[end : end + 1].isdigit() or (
                text[end : end + 1] in (".", ",") and text[end + 1 : end + 2].isdigit()
            ):
                end += 1
            signed.append((match.start(), end))
    named = []
    for b, e in numbers:
        if any(begin < b < end for begin, end in signed):
            continue
        behind = e + (text[e : e + 1] == " ")
        word = re.match(rf"(?:{_CURRENCY})(?!\w)", text[behind:], re.IGNORECASE | re.ASCII)
        if text[behind : behind + 1] in tuple("$£€¥") and not text[behind + 1 : behind + 2].isdigit():
            named.append((b, behind + 1))
        elif word and re.match(r"\w+", text[behind:])[0] == word[0]:  # type: ignore[index]
            named.append((b, behind + word.end()))
    return sorted(signed + named)
