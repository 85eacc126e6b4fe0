"""Write the tables of unicode.cpp: what `str.lower`, `re` and `unicodedata` of this interpreter say of all characters.

Usage: python generate_unicode.py OUTPUT
"""

from __future__ import annotations

import re
import sys
import unicodedata
from collections.abc import Callable
from functools import cache
from pathlib import Path

CODE_POINTS = 0x110000
BLOCK = 128
WORD, SPACE, SEQUENCE = 1 << 21, 1 << 22, 1 << 31


def unchanged(text: str) -> str:
    """Accents stay."""
    return text


def without_accents(text: str) -> str:
    """NFKD without its combining marks; that is the same character by character."""
    return "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))


def ascii_only(text: str) -> str:
    """Keep the ASCII part of NFKD."""
    return "".join(c for c in unicodedata.normalize("NFKD", text) if c < "\x80")


@cache
def kind(character: str) -> int:
    """Return the bits that say whether a code point is part of a word, or white space."""
    return (WORD if re.match(r"\w", character) else 0) | (SPACE if character.isspace() else 0)


class Sequences:
    """Several (or no) code points in place of one: count, then code points; each stored once."""

    def __init__(self) -> None:
        self.values: list[int] = []
        self._starts: dict[str, int] = {}

    def start(self, text: str) -> int:
        """Return where the sequence for ``text`` begins."""
        if text not in self._starts:
            self._starts[text] = len(self.values)
            self.values += [len(text), *(ord(c) | kind(c) for c in text)]
        return self._starts[text]


def fold_table(lower: bool, strip: Callable[[str], str], sequences: Sequences) -> list[int]:
    """One entry per code point: what to add to it (modulo 2²¹), or where in ``sequences`` its successors are."""
    table = []
    for code_point in range(CODE_POINTS):
        character = chr(code_point)
        folded = strip(character.lower() if lower else character)
        if len(folded) == 1:
            table.append((ord(folded) - code_point) % WORD | kind(folded))
        else:
            table.append(SEQUENCE | sequences.start(folded))
    return table


def case_context(code_point: int) -> int:
    """How str.lower sees a neighbour of a capital sigma: 1 cased, 2 ignored, 0 neither."""
    character = chr(code_point)
    cased = (character + "Σ").lower()[-1] == "ς"
    passed_over = ("A" + character + "Σ").lower()[-1] == "ς"
    return 1 if cased else 2 if passed_over else 0


def shape(code_point: int) -> int:
    """Return the letter that stands for a character in the shape of a word."""
    character = chr(code_point)
    if character.isupper() or character.istitle():
        return ord("X")
    if character.islower():
        return ord("x")
    return ord("9" if character.isdigit() else "_" if character == "_" else "a")


def blocks_of(table: list[int], blocks: list[tuple[int, ...]]) -> list[int]:
    """Cut a table into blocks; equal blocks are stored once."""
    known = {block: number for number, block in enumerate(blocks)}
    index = []
    for start in range(0, CODE_POINTS, BLOCK):
        block = tuple(table[start : start + BLOCK])
        if block not in known:
            known[block] = len(blocks)
            blocks.append(block)
        index.append(known[block])
    return index


def array(type_name: str, name: str, values: list[int]) -> str:
    """Return a C++ array."""
    rows = [", ".join(map(str, values[i : i + 32])) for i in range(0, len(values), 32)]
    return f"const {type_name} {name}[] = {{\n" + ",\n".join(rows) + "};\n"


def main(output: str) -> None:
    """Write all tables as C++ arrays."""
    sequences = Sequences()
    blocks: list[tuple[int, ...]] = []
    fold_index: list[int] = []
    for strip in (unchanged, without_accents, ascii_only):
        for lower in (False, True):
            fold_index += blocks_of(fold_table(lower, strip, sequences), blocks)
    cases: list[tuple[int, ...]] = []
    case_index = blocks_of([case_context(c) for c in range(CODE_POINTS)], cases)
    shapes: list[tuple[int, ...]] = []
    shape_index = blocks_of([shape(c) for c in range(CODE_POINTS)], shapes)
    text = array("std::uint16_t", "fold_index", fold_index)
    text += array("std::uint32_t", "fold_blocks", [entry for block in blocks for entry in block])
    text += array("std::uint32_t", "fold_sequences", sequences.values)
    text += array("std::uint16_t", "case_index", case_index)
    text += array("std::uint8_t", "case_blocks", [entry for block in cases for entry in block])
    text += array("std::uint16_t", "shape_index", shape_index)
    text += array("std::uint8_t", "shape_blocks", [entry for block in shapes for entry in block])
    Path(output).write_text(text)


if __name__ == "__main__":
    main(sys.argv[1])
