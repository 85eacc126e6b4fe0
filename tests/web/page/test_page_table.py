"""Tables: a file goes in, the same rows come out with predictions; and the rows on which two models differ."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from lindy.data import read_table
from tests.chromium import Browser
from tests.web.page.conftest import LoadedModel

pytestmark = pytest.mark.needs_system("chromium", "chromedriver")

TEXTS = [
    "wonderful",
    'dull, "boring"\nand a waste',
    "a \\ b; c | d\ttab",
    "=1+1 the best book",
    "قصة wonderful 😀",
    "",
    " spaces ",
]


@pytest.fixture
def downloads(browser: Browser, tmp_path: Path) -> Path:
    folder = tmp_path / "downloads"
    folder.mkdir()
    asked = {"behavior": "allow", "downloadPath": str(folder)}
    browser.driver.execute_cdp_cmd("Browser.setDownloadBehavior", asked)
    return folder


def sent(browser: Browser, file: Path) -> None:
    """Choose a file and wait until it is done."""
    browser.find("#file").send_keys(str(file))
    browser.wait("return document.querySelector('[role=status].note')?.textContent.startsWith('Done')")


def downloaded(browser: Browser, folder: Path) -> bytes:
    """Click on the link to the file, and return what it holds."""
    link = browser.find("a[download]")
    name = link.get_attribute("download")
    link.click()
    browser.wait("return true")
    while not (folder / name).exists():
        browser.wait("return new Promise(done => setTimeout(() => done(true), 20))")
    return (folder / name).read_bytes()


def as_csv(rows: list[list[str]], delimiter: str = ",") -> str:
    out = io.StringIO()
    csv.writer(out, delimiter=delimiter).writerows(rows)
    return out.getvalue()


def check(header: list[str], rows: list[list[str]], served: LoadedModel, texts: list[str]) -> None:
    """Compare an answer with what the library says."""
    model = served.models["reviews"]
    assert header == ["number", "text", "label", "probability"]
    assert [row[1] for row in rows] == texts
    assert [row[2] for row in rows] == model.predict(texts).tolist()
    best = model.predict_proba(texts).max(axis=1)
    assert [float(row[3]) for row in rows] == pytest.approx(best.tolist(), rel=1e-6)


@pytest.mark.parametrize("kind", ["csv", "semicolons", "excel", "utf-16", "tsv", "jsonl"])
def test_a_table_comes_back_with_predictions(
    kind: str, browser: Browser, served: LoadedModel, downloads: Path, tmp_path: Path
) -> None:
    texts = [text for text in TEXTS if kind != "tsv" or not set(text) & set('\t\n"')]
    table = [["number", "text"], *([str(i), text] for i, text in enumerate(texts))]
    objects = "".join(json.dumps(dict(zip(table[0], row, strict=True))) + "\n" for row in table[1:])
    text, extension, encoding = {
        "csv": (as_csv(table), "csv", "utf-8"),
        "semicolons": (as_csv(table, ";"), "csv", "utf-8-sig"),
        "excel": ("sep=|\r\n" + as_csv(table, "|"), "csv", "utf-8"),
        "utf-16": (as_csv(table, "\t"), "txt", "utf-16"),
        "tsv": ("".join("\t".join(row) + "\n" for row in table), "tsv", "utf-8"),
        "jsonl": (objects, "jsonl", "utf-8"),
    }[kind]
    file = tmp_path / f"texts.{extension}"
    file.write_text(text, encoding=encoding, newline="")
    browser.show(served.view("/table", model="reviews"))
    sent(browser, file)
    answer = downloaded(browser, downloads).decode("utf-8-sig")
    if kind == "jsonl":
        records = [json.loads(line) for line in answer.splitlines()]
        header, rows = list(records[0]), [list(record.values()) for record in records]
    else:
        delimiter = {"semicolons": ";", "excel": "|", "utf-16": "\t", "tsv": "\t"}.get(kind, ",")
        header, *rows = list(csv.reader(io.StringIO(answer, newline=""), delimiter=delimiter))
    check(header, rows, served, texts)
    shown = preview(browser)
    assert shown["heads"] == ["label", "probability", "number", "text"]
    assert [row[0] for row in shown["rows"]] == served.models["reviews"].predict(texts).tolist()
    assert [row[3] for row in shown["rows"]] == texts


def remarks(browser: Browser) -> list[str]:
    return list(browser.run("return [...document.querySelectorAll('.remarks li')].map(li => li.textContent)"))


def test_a_workbook_comes_back_as_one(
    browser: Browser, served: LoadedModel, downloads: Path, tmp_path: Path
) -> None:
    book = openpyxl.Workbook()
    for row in [["number", "text"], ["0", "wonderful"], ["1", "dull, “boring”"]]:
        book.active.append(row)
    book.save(tmp_path / "texts.xlsx")
    browser.show(served.view("/table", model="reviews"))
    sent(browser, tmp_path / "texts.xlsx")
    (tmp_path / "back.xlsx").write_bytes(downloaded(browser, downloads))
    back = read_table(tmp_path / "back.xlsx")
    rows = list(zip(*(back.column(name).to_pylist() for name in back.column_names), strict=True))
    check(back.column_names, [list(row) for row in rows], served, ["wonderful", "dull, “boring”"])
    assert [row[3] for row in preview(browser)["rows"]] == ["wonderful", "dull, “boring”"]


def test_how_a_file_was_read_is_said(browser: Browser, served: LoadedModel, tmp_path: Path) -> None:
    file = tmp_path / "texts.csv"
    file.write_bytes("number;Gästebuch\n1;Schön, wonderful\n".encode("cp1252"))
    browser.show(served.view("/table", model="reviews"))
    sent(browser, file)
    read, column = remarks(browser)
    assert read == "the table: read as cp1252"
    assert "text from column 'Gästebuch'" in column
    assert [row[3] for row in preview(browser)["rows"]] == ["Schön, wonderful"]
    file.write_text("wonderful,1\ndull,2\n")
    sent(browser, file)
    assert len(preview(browser)["rows"]) == 1
    browser.find("#headless").click()
    sent(browser, file)
    assert [row[2] for row in preview(browser)["rows"]] == ["wonderful", "dull"]
    assert "the first line is read as data" in remarks(browser)[0]


def preview(browser: Browser) -> dict[str, Any]:
    return dict(
        browser.run(
            "const cells = (row) => [...row.children].map(cell => cell.textContent);"
            "return {heads: cells(document.querySelector('.rows thead tr')),"
            " rows: [...document.querySelectorAll('.rows tbody tr')].map(cells)}"
        )
    )


def test_many_rows_are_counted_as_the_library_counts(
    browser: Browser, served: LoadedModel, tmp_path: Path
) -> None:
    texts = [f"{'wonderful' if i % 3 else 'dull'}, page {i}\n" for i in range(5000)]
    file = tmp_path / "many.csv"
    file.write_text(
        as_csv([["number", "text"], *([str(i), text] for i, text in enumerate(texts))]), newline=""
    )
    assert file.stat().st_size > 1 << 16  # so that its beginning is asked for first
    browser.show(served.view("/table", model="reviews"))
    sent(browser, file)
    said = dict(
        browser.run(
            "return [...document.querySelectorAll('.bars li')].map("
            "li => [li.querySelector('.of').textContent, li.querySelector('.number').textContent.split(' ')[0]])"
        )
    )
    given = served.models["reviews"].predict(texts).tolist()
    assert said == {label: f"{given.count(label):,}" for label in set(given)}
    assert len(preview(browser)["rows"]) == 20


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("book.xlsx", b"PK\x03\x04", "not an Excel workbook, or damaged"),
        ("texts.csv", b"text\na\0b\n", "It is a binary file, or in another encoding"),
        ("texts.csv", b'text,label\n"never closed,a\nb,c\n', "line 2"),
        ("texts.csv", b"", "empty"),
        ("texts.jsonl", b'{"text": "a"}\nnonsense\n', "line 2"),
    ],
)
def test_what_is_wrong_with_a_table_is_said(
    name: str, content: bytes, said: str, browser: Browser, served: LoadedModel, tmp_path: Path
) -> None:
    (tmp_path / name).write_bytes(content)
    browser.show(served.view("/table", model="reviews"))
    browser.find("#file").send_keys(str(tmp_path / name))
    problem = browser.wait("return document.querySelector('.problem:not([hidden])')?.textContent")
    assert said in problem
    assert "--" not in problem  # nobody types options here
    assert browser.run("return document.querySelector('a[download]')") is None


def test_two_models_are_compared(browser: Browser, served: LoadedModel) -> None:
    text = "A wonderful book, the best that I have read"
    browser.show(served.view("/compare", text=text, a="reviews", b="counting", sure="0"))
    labels = browser.wait(
        "const found = [...document.querySelectorAll('[data-verdict=sure] .label')].map(e => e.textContent);"
        "return found.length === 2 && found"
    )
    assert labels == [served.models[name].predict([text])[0] for name in ("reviews", "counting")]
    assert browser.text(".agreement") == "Both take it for positive."
    browser.find("#model-b").send_keys("reviews")  # which is the first one already: they change places
    browser.wait("return document.querySelector('#model-a').value === 'counting'")
    assert browser.run("return document.querySelector('#model-b').value") == "reviews"


def test_the_rows_on_which_models_differ_are_listed(
    browser: Browser, served: LoadedModel, downloads: Path
) -> None:
    browser.show(served.view("/compare", a="reviews", b="counting"))
    sent(browser, served.test_file)
    with served.test_file.open(encoding="utf-8", newline="") as file:
        texts = [row["text"] for row in csv.DictReader(file)]
    first, second = (served.models[name].predict(texts).tolist() for name in ("reviews", "counting"))
    differ = [i for i in range(len(texts)) if first[i] != second[i]]
    assert differ
    assert f"They differ on {len(differ)} of {len(texts)} rows" in browser.text("main")
    rows = preview(browser)["rows"]
    assert [row[2] for row in rows] == [texts[i][:300] + "…" * (len(texts[i]) > 300) for i in differ]
    kept = list(csv.DictReader(io.StringIO(downloaded(browser, downloads).decode())))
    assert [row["text"] for row in kept] == [texts[i] for i in differ]
    assert [(row["predicted_label"], row["other_label"]) for row in kept] == [
        (first[i], second[i]) for i in differ
    ]
