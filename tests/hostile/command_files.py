"""The folder that bad invocations are made in: a few good files, and every kind of bad one."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

ROWS = [
    "a wonderful warm book,good,1,9.5,novel,2024-01-01",
    "wonderful and wise,good,2,8,novel,2024-01-02",
    "a warm and funny story,good,3,12,novel,2024-01-03",
    "wise and funny,good,4,7.25,essay,2024-01-04",
    "a dull long book,bad,5,3,essay,2024-01-05",
    "dull and empty,bad,6,2.5,novel,2024-01-06",
    "a long and empty story,bad,7,4,essay,2024-01-07",
    "nobody needs this dull book,bad,8,1,essay,2024-01-08",
]
GOOD = "text,label,id,price,kind,day\n" + "\n".join(ROWS) + "\n"

MISSING = [
    "missing.csv",
    "nowhere/at/all.csv",
    "good.csv/inside.csv",
    "dangling.csv",
    "loop.csv",
    "x" * 300 + ".csv",
]
"""Names of files that cannot be opened."""

BAD_FILES: dict[str, bytes] = {
    "empty.csv": b"",
    "binary.csv": bytes(range(256)) * 8,
    "nul.csv": b"text,label\na\0b,c\n",
    "latin.csv": b"text,label\ncaf\xe9,good\n",
    "ragged.csv": b"text,label\na,b,c\n",
    "quote.csv": b'text,label\n"a,b\n',
    "header.csv": b"text,label\n",
    "twice.csv": b"text,text\na,b\n",
    "packed.csv.gz": gzip.compress(GOOD.encode(), mtime=0)[:40],
    "damaged.parquet": b"PAR1 and nothing else",
    "damaged.xlsx": b"PK\3\4 and nothing else",
    "damaged.jsonl": b'{"text": "a", "label"\n',
    "damaged.svm": b"1 2:x\n",
    "damaged.vw": b"no bar\n",
    "damaged.ft": b"__label__ empty\n",
    "noextension": GOOD.encode(),
    "table.xyz": GOOD.encode(),
    "new\nline.csv": b"",
    "\x1b[31mred.csv": b"",
    "\udcff\udcfe.csv": b"",
    "text.lindy": b"a text that was called a model",
    "empty.lindy": b"",
}
"""Names of files that exist and are neither a table nor a model."""

REFUSED = [*BAD_FILES, "folder", "/dev/null"]

ODD_NAMES = [
    "readonly/new.csv",
    "good.csv/",
    ".",
    "folder/",
    "~/new",
    "out put.csv",
    "ü.csv",
    "-",
]
"""Names that a file to be written, or one to be read, may not have, or may."""

UNUSUAL = [
    "good.jsonl",
    "good.txt",
    "good.svm",
    "good.vw",
    "model.lindy",
    "linear.lindy",
    "bags.lindy",
    "oneclass.csv",
    "unlabelled.csv",
]
"""Files that are good, though not for every purpose."""


def make(folder: Path) -> None:
    """Write all of them, and the models."""
    from lindy.textclassifier import TextClassifier

    folder.mkdir()
    (folder / "good.csv").write_text(GOOD)
    (folder / "good.jsonl").write_text(
        "".join(f'{{"text": "{r.split(",")[0]}", "label": "{r.split(",")[1]}"}}\n' for r in ROWS)
    )
    (folder / "good.txt").write_text("a wonderful book\na dull book\n")
    (folder / "good.svm").write_text("1 1:1 3:2\n-1 2:1\n1 1:3\n-1 2:2 3:1\n")
    (folder / "good.vw").write_text("1 | warm book\n-1 | dull book\n1 | warm\n-1 | dull\n")
    (folder / "oneclass.csv").write_text("text,label\na b,same\nc d,same\n")
    (folder / "unlabelled.csv").write_text("text\nwonderful words\nother words\n")
    for name, data in BAD_FILES.items():
        (folder / os.fsencode(name).decode("utf-8", "surrogateescape")).write_bytes(data)
    (folder / "folder").mkdir()
    (folder / "readonly").mkdir(mode=0o555)
    (folder / "dangling.csv").symlink_to("missing.csv")
    (folder / "loop.csv").symlink_to("loop.csv")
    texts, labels = zip(*(row.split(",")[:2] for row in ROWS), strict=True)
    TextClassifier(learner="naive-bayes").fit(texts, labels).save(folder / "model.lindy")
    TextClassifier(learner="perceptron").fit(texts, labels).save(folder / "linear.lindy")
    from lindy.cli.app import run

    assert (
        run(
            [
                "train",
                str(folder / "good.svm"),
                "-o",
                str(folder / "bags.lindy"),
                "--learner",
                "svm",
                "--quiet",
            ]
        )
        == 0
    )
