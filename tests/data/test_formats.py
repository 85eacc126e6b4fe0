"""fastText, Vowpal Wabbit, .review, svmlight, folders: what odd lines become; all that is written comes back."""

from __future__ import annotations

import gzip
import itertools
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.hostile.oddities.word_lines import BAD, GOOD

from lindy.core.feature_rows import number
from lindy.data import read_svmlight, read_table
from lindy.data.chunks.source import Source
from lindy.data.columns.table import Table
from lindy.data.formats.feature_lines import FeatureLine, summed, text_table
from lindy.data.formats.feature_row_tables import collected
from lindy.data.formats.registry import FEATURE_FORMATS as BAG_FORMATS
from lindy.data.formats.registry import SUFFIXES, WRITABLE, format_by_name, without_format
from lindy.data.write.convert import convert, write_feature_lines, write_table
from lindy.errors import DataError, OutputError

Rows = list[tuple[str, str | None]]


def read_texts(path: Path, kind: str | None = None) -> Table:
    """Read texts; features with values as the texts that ``convert`` makes of them."""
    kind = kind or SUFFIXES.get(path.suffix)
    if kind not in BAG_FORMATS:
        return read_table(path, kind)
    return text_table(Source(path), collected(Source(path), kind, spaces=False).each())


def rows(table: Table) -> Rows:
    texts = table.column("text").to_pylist()
    labels = table.column("label").to_pylist() if "label" in table.column_names else [None] * len(texts)
    return list(zip(texts, labels, strict=True))


@pytest.mark.parametrize("kind", [kind for kind in WRITABLE if kind != "extreme"])  # which has no names
def test_every_format_that_can_be_written_is_read_again(kind: str, tmp_path: Path) -> None:
    made = Table.of("made", {"text": ["fine", "dull"], "label": ["pos", "neg"]}, lambda row: row + 1)
    write_table(made, tmp_path / "made", kind)
    without_labels = [("fine", None), ("dull", None)]
    assert set(rows(read_texts(tmp_path / "made", kind))) == set(
        without_labels if kind == "lines" else rows(made)
    )


@pytest.mark.parametrize("case", GOOD)
def test_odd_but_good(case: str, tmp_path: Path) -> None:
    name, data, expected = GOOD[case]
    (tmp_path / name).write_bytes(data)
    assert rows(read_texts(tmp_path / name)) == expected


@pytest.mark.parametrize("case", BAD)
def test_bad(case: str, tmp_path: Path) -> None:
    name, data, line, message = BAD[case]
    (tmp_path / name).write_bytes(data)
    with pytest.raises(DataError) as caught:
        read_texts(tmp_path / name)
    assert message in str(caught.value)
    assert str(tmp_path / name) in str(caught.value)
    assert (f"line {line}:" in str(caught.value)) == (line is not None)
    assert caught.value.hint


@pytest.mark.parametrize(
    ("name", "first", "second"), [("a.vw", "1 | a", "2 | b"), ("a.review", "a:1 #label#:1", "b:1 #label#:2")]
)
def test_the_line_of_a_row(name: str, first: str, second: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(f"{first}\n\n\n{second}\n")
    assert read_table(path).place(1) == f"{path}, line 4 (row 2)"
    assert read_texts(path).place(1) == f"{path}, line 4 (row 2)"


def test_a_missing_label_names_the_line(tmp_path: Path) -> None:
    from lindy.data import read_examples

    path = tmp_path / "a.ft"
    path.write_text("__label__a x\ny\n")
    with pytest.raises(DataError, match=r"a\.ft, line 2: no label"):
        read_examples(path)


CHARACTERS = st.characters(codec="utf-8", exclude_characters="\0\ufeff")
TEXTS = st.text(CHARACTERS, max_size=12)
LINES = st.text(st.characters(codec="utf-8", exclude_characters="\0\r\n\ufeff"), max_size=12)
WORDS = st.text(
    st.characters(codec="utf-8", exclude_categories=["Z", "C"], exclude_characters=":|'"),
    min_size=1,
    max_size=6,
).filter(lambda word: word == word.strip() and word.split() == [word] and not word.startswith("."))
LABELS = WORDS.filter(lambda word: not set(word) & set("/\\"))


def table_of(pairs: list[tuple[str, str]]) -> Table:
    return Table.of("made", {"text": [text for text, _ in pairs], "label": [label for _, label in pairs]})


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("formats")


@given(
    st.lists(st.tuples(TEXTS, LABELS), min_size=1, max_size=6),
    st.sampled_from(["a.csv", "a.tsv", "a.jsonl", "a.parquet", "a.csv.gz", "a.jsonl.zst"]),
)
def test_tables_come_back(folder: Path, pairs: list[tuple[str, str]], name: str) -> None:
    assert write_table(table_of(pairs), folder / name) == []
    assert rows(read_table(folder / name)) == pairs


@given(st.lists(st.tuples(LINES, LABELS), min_size=1, max_size=6))
def test_fasttext_lines_come_back(folder: Path, pairs: list[tuple[str, str]]) -> None:
    assert write_table(table_of(pairs), folder / "a.ft") == []
    assert rows(read_table(folder / "a.ft")) == pairs


@given(st.lists(st.tuples(st.lists(WORDS, max_size=5), LABELS), min_size=1, max_size=6))
def test_words_come_back_from_vowpal_wabbit(folder: Path, pairs: list[tuple[list[str], str]]) -> None:
    texts = [(" ".join(words), label) for words, label in pairs]
    write_table(table_of(texts), folder / "a.vw")
    assert rows(read_texts(folder / "a.vw")) == texts


@given(st.lists(st.tuples(TEXTS, LABELS), min_size=1, max_size=6), st.integers(0, 10**9))
def test_folders_come_back(folder: Path, pairs: list[tuple[str, str]], number: int) -> None:
    path = folder / f"folder-{number}-{len(list(folder.iterdir()))}"
    write_table(table_of(pairs), path)
    assert sorted(rows(read_table(path))) == sorted(pairs)


VALUES = st.floats(allow_nan=False, allow_infinity=False, width=64) | st.integers(-9, 9).map(float)
FEATURE_FORMATS = st.lists(
    st.tuples(LABELS, st.dictionaries(WORDS, VALUES.filter(bool), max_size=4)), min_size=1, max_size=5
).map(lambda made: [FeatureLine(None, label, list(pairs.items())) for label, pairs in made])


@given(FEATURE_FORMATS, st.permutations(["vw", "review", "svmlight"]))
def test_bags_keep_names_and_values_from_format_to_format(
    folder: Path, examples: list[FeatureLine], formats: list[str]
) -> None:
    write_feature_lines(str(folder / f"x.{formats[0]}"), formats[0], examples, "made")
    for before, after in itertools.pairwise(formats):
        done = convert(folder / f"x.{before}", folder / f"x.{after}", before, after)
        assert done.rows == len(examples)
    back = list(collected(Source(folder / f"x.{formats[-1]}"), formats[-1]).each())
    assert [example.label for example in back] == [example.label for example in examples]
    assert [summed(example) for example in back] == [summed(example) for example in examples]


@given(VALUES)
def test_numbers_are_exact(value: float) -> None:
    assert float(number(value)) == value


def refused(pairs: list[tuple[str, str]], path: Path) -> str:
    with pytest.raises(DataError) as caught:
        write_table(table_of(pairs), path)
    assert not path.exists()
    assert caught.value.hint
    return str(caught.value)


def test_labels_that_a_format_cannot_hold(tmp_path: Path) -> None:
    assert "'very good'" in refused([("x", "a"), ("x", "very good")], tmp_path / "a.ft")
    assert "row 2" in refused([("x", "a"), ("x", "very good")], tmp_path / "a.vw")
    assert "row 2: 'a:b'" in refused([("x", "a"), ("x", "a:b")], tmp_path / "a.review")
    assert "name of a folder" in refused([("x", "../up")], tmp_path / "folder")
    assert "name of a folder" in refused([("x", "..")], tmp_path / "folder")


def test_texts_that_a_format_cannot_hold(tmp_path: Path) -> None:
    assert "NUL" in refused([("a\0b", "x")], tmp_path / "a.ft")
    assert "__label__" in refused([("see __label__x", "x")], tmp_path / "a.ft")
    assert "#label#" in refused([("#label# here", "x")], tmp_path / "a.review")


def test_fasttext_lines_with_and_without_labels(tmp_path: Path) -> None:
    pairs = [("my__label__x", "a"), ("two\nlines", "a"), ("three\r\nof\nthem", "b")]
    remarks = write_table(table_of(pairs), tmp_path / "a.ft")
    assert remarks == ["line breaks in 2 of the texts became spaces"]
    first, *_ = (tmp_path / "a.ft").read_bytes().split(b"\n")
    assert first == b"__label__a my__label__x"
    write_table(Table.of("made", {"text": ["fine", "dull"]}), tmp_path / "b.ft")
    assert (tmp_path / "b.ft").read_text() == "fine\ndull\n"


def test_remarks_tell_what_changed(tmp_path: Path) -> None:
    table = table_of([("two\nlines", "a"), ("at 10:30", "b")])
    assert write_table(table, tmp_path / "a.ft") == ["line breaks in 1 of the texts became spaces"]
    assert "left out" in write_table(table, tmp_path / "a.txt")[1]
    remarks = write_table(table, tmp_path / "a.vw")
    assert "':' and '|'" in remarks[0]
    assert "--named_labels" in remarks[1]
    assert (tmp_path / "a.vw").read_text() == "a | two lines\nb | at 10 30\n"


def test_svmlight_columns_of_a_test_set(tmp_path: Path) -> None:
    write_table(table_of([("fine book", "pos"), ("dull book", "neg")]), tmp_path / "train.svm")
    write_table(table_of([("dull dull new", "neg")]), tmp_path / "test.csv")
    done = convert(tmp_path / "test.csv", tmp_path / "test.svm", columns=tmp_path / "train.svm")
    assert "1 features are not among the columns" in done.remarks[0]
    assert (tmp_path / "test.svm").read_text() == "0 2:2\n"
    assert read_svmlight(tmp_path / "test.svm", n_features=3).X.to_dense().tolist() == [[0, 2, 0]]
    with pytest.raises(DataError, match="no comments that name"):
        convert(tmp_path / "test.csv", tmp_path / "x.svm", columns=tmp_path / "test.svm")


def test_svmlight_numbers_stay(tmp_path: Path) -> None:
    (tmp_path / "a.svm").write_text("1 2:0.5 10:3\n-1 1:1\n")
    convert(tmp_path / "a.svm", tmp_path / "a.vw")
    assert (tmp_path / "a.vw").read_text() == "1 | 2:0.5 10:3\n-1 | 1\n"
    convert(tmp_path / "a.vw", tmp_path / "b.svm")
    assert (tmp_path / "b.svm").read_text() == (tmp_path / "a.svm").read_text()


def test_vowpal_namespaces_stay_apart_in_bags(tmp_path: Path) -> None:
    (tmp_path / "a.vw").write_text("1 |a good |b good:2 | good:3\n")
    convert(tmp_path / "a.vw", tmp_path / "a.review")
    assert (tmp_path / "a.review").read_text() == "a^good:1 b^good:2 good:3 #label#:1\n"


def test_bags_without_labels_stay_so(tmp_path: Path) -> None:
    (tmp_path / "a.vw").write_text("| good:2 book\n1 | bad\n")
    convert(tmp_path / "a.vw", tmp_path / "a.review")
    assert (tmp_path / "a.review").read_text() == "good:2 book:1\nbad:1 #label#:1\n"


def test_only_the_named_columns(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("id,body,kind\n1,fine,pos\n")
    convert(tmp_path / "a.csv", tmp_path / "a.jsonl", text="body", label="kind")
    assert (tmp_path / "a.jsonl").read_text() == '{"text": "fine", "label": "pos"}\n'
    convert(tmp_path / "a.csv", tmp_path / "b.jsonl")
    assert (tmp_path / "b.jsonl").read_text() == '{"id": "1", "body": "fine", "kind": "pos"}\n'


def test_packed_output(tmp_path: Path) -> None:
    write_table(table_of([("fine", "pos")]), tmp_path / "a.ft.gz")
    assert gzip.decompress((tmp_path / "a.ft.gz").read_bytes()) == b"__label__pos fine\n"


def test_an_unknown_target(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"'\.xyz' is not known"):
        write_table(table_of([("a", "b")]), tmp_path / "a.xyz")


def test_a_failed_conversion_leaves_the_old_file(tmp_path: Path) -> None:
    (tmp_path / "old.ft").write_text("precious\n")
    (tmp_path / "bad.csv").write_text('text,label\nfine,pos\nfine,"very good"\n')
    with pytest.raises(DataError, match="very good"):
        convert(tmp_path / "bad.csv", tmp_path / "old.ft")
    assert (tmp_path / "old.ft").read_text() == "precious\n"
    assert sorted(file.name for file in tmp_path.iterdir()) == ["bad.csv", "old.ft"]


def make(base: Path, files: dict[str, bytes]) -> Path:
    for name, data in files.items():
        (base / name).parent.mkdir(parents=True, exist_ok=True)
        (base / name).write_bytes(data)
    return base


def test_classes_are_subfolders(tmp_path: Path) -> None:
    files = {
        "pos/b.txt": b"b",
        "pos/a": b"a",
        "neg/deep/c.md": b"\xef\xbb\xbfc",
        "neg/.hidden": b"\xff",
        ".git/x": b"\xff",
    }
    table = read_table(make(tmp_path, files))
    assert rows(table) == [("c", "neg"), ("a", "pos"), ("b", "pos")]
    assert table.place(0) == str(tmp_path / "neg/deep/c.md")


def test_several_folders_are_classes(tmp_path: Path) -> None:
    make(tmp_path, {"spam/1": b"x", "ham/1": b"y"})
    assert rows(read_table([tmp_path / "spam", tmp_path / "ham"])) == [("x", "spam"), ("y", "ham")]
    assert rows(read_table(tmp_path / "ham")) == [("y", "ham")]


BAD_FOLDERS: dict[str, tuple[dict[str, bytes], list[str], str]] = {
    "a file beside the classes": (
        {"a/README": b"", "a/pos/1": b"x"},
        ["a"],
        "README: is a file beside the folders",
    ),
    "another encoding": ({"a/pos/1": b"a\nf\xfcr"}, ["a"], "1, line 2: byte 0xfc"),
    "nothing": ({"a/.hidden": b""}, ["a"], "there is no file"),
    "no such folder": ({"a/1": b"x"}, ["a", "b"], "b: no such file"),
    "a file": ({"a/1": b"x", "b": b"x"}, ["a", "b"], "b: is a file, expected a folder"),
}


@pytest.mark.parametrize("case", BAD_FOLDERS)
def test_bad_folders(case: str, tmp_path: Path) -> None:
    files, paths, message = BAD_FOLDERS[case]
    make(tmp_path, files)
    with pytest.raises(DataError, match=message) as caught:
        read_table([tmp_path / path for path in paths], "folder")
    assert caught.value.hint


def test_several_files_of_features_are_refused(tmp_path: Path) -> None:
    for name in ("a.svm", "b.svm"):
        (tmp_path / name).write_text("1 1:2\n")
    with pytest.raises(
        DataError, match=r"a.svm, .*b.svm: files of features with values cannot be read as one"
    ):
        read_table([tmp_path / "a.svm", tmp_path / "b.svm"])


def test_a_link_that_leads_back_ends(tmp_path: Path) -> None:
    make(tmp_path, {"pos/1": b"x"})
    (tmp_path / "pos" / "loop").symlink_to(tmp_path)
    assert rows(read_table(tmp_path)) == [("x", "pos")]


def test_a_folder_is_not_overwritten(tmp_path: Path) -> None:
    make(tmp_path, {"out/old": b"precious"})
    with pytest.raises(OutputError, match="already exists"):
        write_table(table_of([("a", "b")]), tmp_path / "out", "folder")
    assert (tmp_path / "out" / "old").read_bytes() == b"precious"
    with pytest.raises(OutputError, match="does not exist"):
        write_table(table_of([("a", "b")]), tmp_path / "no" / "out", "folder")
    assert [file.name for file in tmp_path.iterdir()] == ["out"]


def test_null_labels_in_a_table_become_missing(tmp_path: Path) -> None:
    table = Table.of("made", {"text": ["a"], "label": [None]})
    assert table.column("label").type == pa.large_string()
    write_table(table, tmp_path / "a.jsonl")
    assert (tmp_path / "a.jsonl").read_text() == '{"text": "a", "label": null}\n'


@pytest.mark.parametrize("name", ["tickets.txt", "tickets", "tickets.train", "tickets.txt.gz"])
def test_fasttext_lines_are_recognised_whatever_the_file_is_called(tmp_path: Path, name: str) -> None:
    path, data = tmp_path / name, b"\n__label__a fine\n__label__b dull\nno label\n"
    path.write_bytes(gzip.compress(data) if name.endswith("gz") else data)
    table = read_table(path)
    assert table.column("label").to_pylist() == [None, "a", "b", None]
    assert table.column("text").to_pylist() == ["", "fine", "dull", "no label"]
    assert read_table(path, "lines").column_names == ["text"]


@pytest.mark.parametrize(
    ("lines", "columns"),
    [
        (["__label__a fine"], ["text", "label"]),
        (["__label__a fine", "dull", "__label__b dull"], ["text", "label"]),
        (["fine", "__label__a fine", "__label__b dull"], ["text"]),
        (["__label__a fine", "dull"], ["text"]),
        (["__label__a fine", "dull", "dull"], ["text"]),
        (["fine", "dull"], ["text"]),
    ],
)
def test_the_first_line_and_most_others_begin_with_a_label(
    lines: list[str], columns: list[str], tmp_path: Path
) -> None:
    (tmp_path / "plain.txt").write_text("\n".join(lines) + "\n")
    assert read_table(tmp_path / "plain.txt").column_names == columns


@pytest.mark.parametrize(
    ("name", "kind", "stem"),
    [
        ("sales.2024.csv", "csv", "sales.2024"),
        ("sales.2023.CSV.GZ", "csv", "sales.2023"),
        ("mails.jsonl.zst", "jsonl", "mails"),
        ("v1.5-notes", None, "v1.5-notes"),
        ("table.data.gz", None, "table.data"),
        (".csv", None, ".csv"),
    ],
)
def test_a_name_tells_the_format_and_keeps_the_dots_that_do_not(
    name: str, kind: str | None, stem: str
) -> None:
    assert (format_by_name(name), without_format(name)) == (kind, stem)
