"""HTML to text and links, in one pass.

A scanner of our own, because this HTML is made by strangers: the standard library's parser takes minutes for 100 kB of
``<a ``. Every character is looked at a bounded number of times here.
"""

from __future__ import annotations

import html
import re
from dataclasses import dataclass

_TAG = re.compile(
    r"<(?:!--.*?(?:-->|\Z)|[!?][^<>]*>|(?P<end>/?)(?P<name>[a-zA-Z][a-zA-Z0-9]{0,20})(?P<rest>[^<>]*)>)",
    re.DOTALL,
)
_HREF = re.compile(r"""\bhref\s{0,9}=\s{0,9}(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""", re.IGNORECASE)
_HIDDEN = {"script", "style", "title", "head"}
_INLINE = {"a", "b", "big", "em", "font", "i", "s", "small", "span", "strong", "sub", "sup", "tt", "u"}
_MOST_LINKS = 500
_MOST_TAGS = 100
_LONGEST_LINK = 500  # characters of its text


@dataclass(frozen=True, slots=True)
class Link:
    """A link: its text as a reader sees it, up to 500 characters, and where it leads."""

    text: str
    target: str


@dataclass(frozen=True, slots=True)
class Page:
    """The text that a reader would see, the links, and the tags that were used, each once."""

    text: str
    links: list[Link]
    tags: list[str]


def read_html(page: str) -> Page:
    """Read a page."""
    seen: list[str] = []
    links: list[Link] = []
    tags: dict[str, None] = {}
    position, hidden = 0, ""
    link: tuple[int, str] | None = None  # where its text begins, and where it leads
    for tag in _TAG.finditer(page):
        if not hidden:
            seen.append(unescaped(page[position : tag.start()]))
        position = tag.end()
        name = (tag["name"] or "").lower()
        if name and len(tags) < _MOST_TAGS:
            tags[name] = None
        if hidden:
            hidden = "" if tag["end"] and name == hidden else hidden
        elif not tag["end"] and name in _HIDDEN:
            hidden = name
        elif name == "a":
            if link and len(links) < _MOST_LINKS:
                begun, target = link
                links.append(Link(" ".join("".join(seen[begun:]).split())[:_LONGEST_LINK], target))
            found = None if tag["end"] else _HREF.search(tag["rest"])
            target = unescaped(next(filter(None, found.groups()), "").strip()) if found else ""
            link = (len(seen), target) if target else None
        elif name and name not in _INLINE:
            seen.append("\n")
    if not hidden:
        seen.append(unescaped(page[position:]))
    text = re.sub(r"[^\S\n]*\n\s*", "\n", "".join(seen))
    return Page(text, links, list(tags))


def unescaped(text: str) -> str:
    """Return text with its character references resolved."""
    try:
        return html.unescape(text)
    except ValueError:  # a number of thousands of digits
        return text
