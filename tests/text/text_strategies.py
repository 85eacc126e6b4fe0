"""Texts as they come: every script, marks, surrogates, white space of all kinds."""

from __future__ import annotations

from hypothesis import strategies as st

# letters whose lower case is longer, depends on the context or leaves ASCII; marks; joiners; digits; spaces
AWKWARD = (
    "aAbBzZ019_ \t\n\r\x0b\x0c\x1c\x1f\x85\xa0.,;'’-!?\x00İıIßẞΣσςΑάÀéÉŒﬁǅǆ\u0301\u0308\u0345\u200b\u200d\u2028"
    "\u202e\ufeff\ufdfa½²Ⅷ①你好ありガ한국שלוםمرحبا😀👩‍🔬𝐀𝔘𐐀\ud800\udfff\U0010ffff"
)
characters = st.one_of(st.sampled_from(AWKWARD), st.characters(codec=None), st.sampled_from("abc ABC "))
words = st.sampled_from(
    ["the", "The", "cat", "CAT", "cats", "ab", "a", "ΑΣ", "ΌΣΟΣ", "İst", "straße", "STRASSE", "x1_2"]
)
texts = st.one_of(
    st.text(characters, max_size=30),
    st.lists(st.one_of(words, st.text(characters, max_size=4)), max_size=12).map(" ".join),
)


def corpora(max_size: int = 8) -> st.SearchStrategy[list[str]]:
    """Return a few texts."""
    return st.lists(texts, min_size=1, max_size=max_size)
