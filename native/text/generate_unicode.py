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

# What a character is for the analyser of Unicode words (unicode_words.hpp), from bit 23 on.
PART_SHIFT = 23
OTHER, LETTER, SPACELESS, MARK, JOINER, SYMBOL, MODIFIER, REGIONAL, PUNCTUATION = range(9)
# unicodedata has no scripts, but the names of letters begin with them. These are written without spaces between words:
# the ideographs and kana that UAX #29 does not count among the letters of words, the line breaking class SA of UAX #14
# (Thai to Ahom), and Bopomofo and Yi, whose lines break anywhere (class ID).
SPACELESS_NAMES = (
    *("CJK UNIFIED IDEOGRAPH", "CJK COMPATIBILITY IDEOGRAPH", "IDEOGRAPHIC ", "VERTICAL IDEOGRAPHIC "),
    *("TANGUT ", "NUSHU ", "KHITAN ", "HIRAGANA ", "HENTAIGANA ", "KATAKANA", "HALFWIDTH KATAKANA"),
    *("BOPOMOFO ", "YI ", "THAI ", "LAO ", "MYANMAR ", "KHMER "),
    *("TAI LE ", "NEW TAI LUE ", "TAI THAM ", "TAI VIET ", "AHOM "),
)
# Emoji by code points, from UTS #51: skin tones, letters of flags, tags of flags, blocks of pictographs (also of those
# that this interpreter does not know yet), and the three punctuation marks that are emoji.
SKIN_TONES, FLAG_LETTERS, TAGS = range(0x1F3FB, 0x1F400), range(0x1F1E6, 0x1F200), range(0xE0020, 0xE0080)
PICTOGRAPHS = (range(0x1F000, 0x1FB00), range(0x1FC00, 0x1FFFE))
EMOJI_PUNCTUATION = "\u203c\u2049\u3030"


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
    """Return the bits that say whether a code point is part of a word, or white space, and which part of what word."""
    word = WORD if re.match(r"\w", character) else 0
    return word | (SPACE if character.isspace() else 0) | part(character) << PART_SHIFT


def part(character: str) -> int:
    """Return what a code point is for the analyser of Unicode words: the first that holds."""
    category, code_point = unicodedata.category(character), ord(character)
    letter_or_mark = category[0] in "LM" or category == "Nl"
    symbol = character >= "\x80" and category in ("So", "Sc", "Sm", "Co")
    unknown_emoji = category == "Cn" and any(code_point in block for block in PICTOGRAPHS)
    parts = (
        (SPACELESS, letter_or_mark and unicodedata.name(character, "").startswith(SPACELESS_NAMES)),
        (LETTER, re.match(r"\w", character)),
        (JOINER, character == "\u200d"),
        (MARK, category[0] == "M" or character == "\u200c" or code_point in TAGS),
        (MODIFIER, code_point in SKIN_TONES),
        (REGIONAL, code_point in FLAG_LETTERS),
        (SYMBOL, symbol or unknown_emoji or character in EMOJI_PUNCTUATION),
        (PUNCTUATION, category[0] in "PS"),
    )
    return next((part for part, holds in parts if holds), OTHER)


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
