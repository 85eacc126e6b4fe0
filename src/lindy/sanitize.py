"""Text from files, made harmless for where it is shown; tables of it."""

from __future__ import annotations

import codecs
import functools
import io
import re
import sys
from collections.abc import Collection, Sequence
from typing import Any

# controls, surrogates and format characters; the two joiners, which many scripts need, and line ends are fine in a page
_UNSEEN = (
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u0600-\u0605\u061c\u06dd\u070f\u180e\u200b\u200e\u200f\u2028-\u202e"
    "\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff\U000110bd\U000110cd\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e007f]"
)


def sanitize(text: object) -> str:
    """Return text with control characters made visible, so that it cannot drive a terminal."""
    text = str(text)
    if text.isascii() and text.isprintable():
        return text
    import unicodedata

    return "".join(
        f"\\x{ord(c):02x}" if unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp") else c for c in text
    )


@functools.cache
def _unseen() -> re.Pattern[str]:
    return re.compile(_UNSEEN)


def standard_output() -> Any:
    """Return the bytes of standard output: as they are to a pipe or a file, and made harmless to a terminal."""
    sys.stdout.flush()
    out = sys.stdout.buffer
    return io.BufferedWriter(_Terminal(out)) if out.isatty() else out


class _Terminal(io.RawIOBase):
    """Shows what cannot be seen in UTF-8 text, so that data cannot drive the terminal."""

    def __init__(self, out: Any) -> None:
        self._out = out
        self._decoder = codecs.getincrementaldecoder("utf-8")("backslashreplace")

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        text = self._decoder.decode(bytes(data))
        self._out.write(_unseen().sub(lambda found: f"\\x{ord(found[0]):02x}", text).encode())
        self._out.flush()
        return len(data)


def inert(text: object) -> str:
    """Return text for an HTML page, as content or as an attribute: escaped, and what cannot be seen made visible."""
    import html

    return html.escape(_unseen().sub(lambda found: f"\\x{ord(found[0]):02x}", str(text)), quote=True)


def html_table(rows: Sequence[Sequence[str]]) -> str:
    """Return rows of safe HTML as a table that scrolls where it is too wide; the first row is its head."""
    head = "".join(f"<th>{cell}</th>" for cell in rows[0])
    body = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows[1:])
    return f'<div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def html_name(label: object, most: int = 60) -> str:
    """Return a label or word as safe HTML with its own direction of writing; the middle of a long one is left out."""
    text = str(label)
    if len(text) <= most:
        return f"<bdi>{inert(text)}</bdi>"
    return f'<bdi title="{inert(text[:1000])}">{inert(text[: most - 20])}…{inert(text[-19:])}</bdi>'


def aligned(rows: Sequence[Sequence[str]], left: Collection[int] = (0,)) -> str:
    """Return rows as columns of text; those with a number in ``left`` are aligned left, the others right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = (
        [
            cell.ljust(w) if i in left else cell.rjust(w)
            for i, (cell, w) in enumerate(zip(row, widths, strict=True))
        ]
        for row in rows
    )
    return "\n".join("  ".join(line).rstrip() for line in lines)


def size(n_bytes: int) -> str:
    """Return a number of bytes as people write it."""
    value = float(n_bytes)
    for unit in ("bytes", "kB", "MB"):
        if value < 1000:
            return f"{value:.0f} {unit}" if unit == "bytes" else f"{value:.1f} {unit}"
        value /= 1000
    return f"{value:.1f} GB"
