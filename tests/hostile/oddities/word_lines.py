"""fastText, Vowpal Wabbit and .review lines, and svmlight lines as the texts that they are converted to."""

from __future__ import annotations

Rows = list[tuple[str, str | None]]

# text → (text, label) of each row
GOOD: dict[str, tuple[str, bytes, Rows]] = {
    "fasttext": (
        "a.ft",
        b"__label__pos A fine book.\n__label__neg dull\n",
        [("A fine book.", "pos"), ("dull", "neg")],
    ),
    "fasttext, no end of line": ("a.ft", b"__label__pos fine", [("fine", "pos")]),
    "fasttext, carriage returns": (
        "a.ft",
        b"__label__pos fine\r\n__label__neg\r\n",
        [("fine", "pos"), ("", "neg")],
    ),
    "fasttext, tab": ("a.ft", b"__label__pos\tfine", [("fine", "pos")]),
    "fasttext, spaces are kept": ("a.ft", b"__label__pos   fine ", [("  fine ", "pos")]),
    "fasttext, some without label": (
        "a.ft",
        b"fine\n\n__label__neg dull\n",
        [("fine", None), ("", None), ("dull", "neg")],
    ),
    "fasttext, none with label": ("a.ft", b"fine\ndull\n", [("fine", None), ("dull", None)]),
    "fasttext, prefix within a word": ("a.ft", b"__label__pos my__label__x", [("my__label__x", "pos")]),
    "fasttext, byte order mark": ("a.ft", b"\xef\xbb\xbf__label__pos fine", [("fine", "pos")]),
    "vw": ("a.vw", b"pos | a fine book\nneg | dull\n", [("a fine book", "pos"), ("dull", "neg")]),
    "vw, weight and tag": ("a.vw", b"1 2.0 'x7|text fine:2 book\n", [("fine fine book", "1")]),
    "vw, initial": ("a.vw", b"1 1 0.5 |t fine\n", [("fine", "1")]),
    "vw, tag at the bar": ("a.vw", b"1 x7| fine\n", [("fine", "1")]),
    "vw, a lone word at the bar is a tag": ("a.vw", b"1| fine\n2 | dull\n", [("fine", None), ("dull", "2")]),
    "vw, no label": ("a.vw", b"| fine\n |b dull\n", [("fine", None), ("dull", None)]),
    "vw, two namespaces": ("a.vw", b"1 |a good |b bad:1\n", [("good bad", "1")]),
    "vw, namespace weight": ("a.vw", b"1 |a:2 good bad:0.5\n", [("good good bad", "1")]),
    "vw, order is kept": ("a.vw", b"1 | not good not bad\n", [("not good not bad", "1")]),
    "vw, no words": ("a.vw", b"1 |\n", [("", "1")]),
    "vw, blank lines": ("a.vw", b"\n1 | a\n\n2 | b\n", [("a", "1"), ("b", "2")]),
    "vw, tabs": ("a.vw", b"1\t|\ta\tb\n", [("a b", "1")]),
    "review": ("a.review", b"fine_book:1 fine:2 #label#:pos\n", [("fine_book fine fine", "pos")]),
    "review, label first": ("a.review", b"#label#:pos fine:1\n", [("fine", "pos")]),
    "review, colon in a word": ("a.review", b"10:30:1 :-):1 #label#:pos\n", [("10:30 :-)", "pos")]),
    "review, no label": ("a.review", b"fine:1\n", [("fine", None)]),
    "review, only a label": ("a.review", b"#label#:pos\n", [("", "pos")]),
    "review, count zero": ("a.review", b"fine:0 book:1 #label#:x\n", [("book", "x")]),
    "svmlight": ("a.svm", b"1 2:2 7:1\n-1 3:1\n", [("2 2 7", "1"), ("3", "-1")]),
    "svmlight, named": (
        "a.svm",
        b"# label 0 is 'neg'\n# column 2 is 'fine'\n# column 3 is \"don't\"\n0 2:2 3:1\n",
        [("fine fine don't", "neg")],
    ),
}

# text → (line, part of the message)
BAD: dict[str, tuple[str, bytes, int | None, str]] = {
    "fasttext, empty file": ("a.ft", b"", None, "empty"),
    "fasttext, empty label": ("a.ft", b"__label__a x\n__label__ fine\n", 2, "the label is empty"),
    "fasttext, two labels": ("a.ft", b"__label__a __label__b fine\n", 1, "a second label, 'b'"),
    "fasttext, label inside": ("a.ft", b"x\nfine __label__a\n", 2, "the label 'a' is not at the start"),
    "fasttext, NUL": ("a.ft", b"__label__a x\n\0\n", 2, "NUL"),
    "fasttext, not UTF-8": ("a.ft", b"__label__a x\n__label__a f\xfcr\n", 2, "not valid UTF-8"),
    "vw, no bar": ("a.vw", b"1 | a\n1 fine\n", 2, "there is no '|'"),
    "vw, costs": ("a.vw", b"1:0.5 2:1 | a\n", 1, "'1:0.5 2:1' before the '|' is not a label"),
    "vw, words for a weight": ("a.vw", b"1 heavy | a\n", 1, "'1 heavy' before the '|'"),
    "vw, bad value": ("a.vw", b"1 | a:x\n", 1, "'a:x': the value is not a number"),
    "vw, no value": ("a.vw", b"1 | a:\n", 1, "'a:': the value is not a number"),
    "vw, two colons": ("a.vw", b"1 | a:1:2\n", 1, "'a:1:2': the value is not a number"),
    "vw, NaN": ("a.vw", b"1 | a:nan\n", 1, "'a:nan': the value is not a number"),
    "vw, no name": ("a.vw", b"1 | :3\n", 1, "':3': there is no name"),
    "vw, bad namespace weight": ("a.vw", b"1 |ns:x a\n", 1, "'|ns:x': the weight of the namespace"),
    "vw, fraction": ("a.vw", b"1 | a\n1 | a:0.25\n", 2, "'a' has the value 0.25"),
    "vw, negative": ("a.vw", b"1 | a:-1\n", 1, "'a' has the value -1"),
    "vw, enormous": ("a.vw", b"1 | a:1e12\n", 1, "up to 10,000"),
    "vw, only blank lines": ("a.vw", b"\n\n", None, "there is no row"),
    "review, no colon": ("a.review", b"a:1\nfine\n", 2, "'fine' is not word:count"),
    "review, no word": ("a.review", b":1\n", 1, "':1' is not word:count"),
    "review, no count": ("a.review", b"a:\n", 1, "'a:' is not word:count"),
    "review, two labels": ("a.review", b"#label#:a #label#:b\n", 1, "'#label#:b': there are two labels"),
    "review, empty label": ("a.review", b"#label#:\n", 1, "'#label#:': the label is empty"),
    "review, underscore in a number": ("a.review", b"a:1_0\n", 1, "'a:1_0' is not word:count"),
    "svmlight, fraction": ("a.svm", b"1 2:0.5\n", None, "'2' has the value 0.5"),
}
