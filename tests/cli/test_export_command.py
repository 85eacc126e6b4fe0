"""``lindy export``: pages, modules, smaller models, and what it refuses."""

from __future__ import annotations

import base64
import json
import re
import struct
import zlib
from pathlib import Path
from typing import Any

import pytest

from lindy import TextClassifier, load
from lindy.data import samples
from lindy.web.export import lost, page_text, smaller
from tests.cli.conftest import Command


def test_a_page_and_a_module_with_its_types(lindy: Command, model: Path, tmp_path: Path) -> None:
    page, module = tmp_path / "page.html", tmp_path / "module.mjs"
    told = lindy("export", model, page, "--js", module, "--title", "<Reviews>")
    assert told.code == 0, told.err
    assert told.out == ""
    assert [line.split(" (")[0] for line in told.err.splitlines()] == [
        f"wrote {page}",
        f"wrote {module}",
        f"wrote {tmp_path / 'module.d.mts'}",
    ]
    text = page.read_text(encoding="utf-8")
    assert "<h1>&lt;Reviews&gt;</h1>" in text
    assert "default-src 'none'; script-src 'sha256-" in text
    assert module.read_text(encoding="utf-8").startswith("/* exported by lindy")
    assert 'export type Label = "bad" | "good";' in (tmp_path / "module.d.mts").read_text(encoding="utf-8")
    again = lindy("export", model, page, "--js", tmp_path / "module.js", "--quiet")
    assert (again.code, again.err) == (0, "")
    assert (tmp_path / "module.d.ts").exists()


def test_the_page_can_go_to_stdout(lindy: Command, model: Path) -> None:
    told = lindy("export", model, "-")
    assert told.code == 0, told.err
    assert told.out == page_text(load(model))
    assert told.err == ""


def unpacked(page: Path) -> dict[str, Any]:
    """Return the header of the model that a page has in it."""
    found = re.search(r'id="model">([^<]*)<', page.read_text(encoding="utf-8"))
    assert found is not None
    data = zlib.decompress(base64.b64decode(found[1]))
    (length,) = struct.unpack("<I", data[:4])
    return dict(json.loads(data[4 : 4 + length]))


def test_texts_of_a_table_can_be_clicked(lindy: Command, model: Path, tmp_path: Path) -> None:
    page, table = tmp_path / "page.html", tmp_path / "texts.csv"
    table.write_text("Body;text;label\nx;first good;good\nx;second good;good\nx;first bad;bad\nx; ;bad\n")
    assert lindy("export", model, page, "--examples", table).code == 0
    assert unpacked(page)["examples"] == ["first good", "first bad", "second good"]
    table.write_text("text\na text without a label\n")
    assert lindy("export", model, page, "--examples", table).code == 0
    assert unpacked(page)["examples"] == ["a text without a label"]
    told = lindy("export", model, "--js", tmp_path / "module.mjs", "--examples", table)
    assert (told.code, "argument --examples" in told.err) == (2, True)
    assert lindy("export", model, page, "--examples", tmp_path / "none.csv").code != 0


def test_rejection_and_costs_are_carried(lindy: Command, model: Path, tmp_path: Path) -> None:
    plain, sure, careful = (tmp_path / name for name in ("plain.html", "sure.html", "careful.html"))
    lindy("export", model, plain)
    lindy("export", model, sure, "--reject", "good=0.9")
    lindy("export", model, careful, "--cost", "bad:good=5")
    assert len({path.read_text(encoding="utf-8") for path in (plain, sure, careful)}) == 3
    wrong = lindy("export", model, plain, "--reject", "fine=0.9")
    assert (wrong.code, wrong.err.splitlines()[0]) == (
        2,
        "error: no class is called 'fine' (there are: bad, good)",
    )


@pytest.fixture
def reviews(lindy: Command, tmp_path: Path) -> Path:
    """A model of the sample of reviews."""
    path = tmp_path / "svm.lindy"
    told = lindy("train", samples.path("reviews-train"), "-o", path, "--learner", "svm", "--chars", "2-4")
    assert told.code == 0, told.err
    return path


def test_a_smaller_page_says_what_it_costs(lindy: Command, reviews: Path, tmp_path: Path) -> None:
    page, test = tmp_path / "small.html", samples.path("reviews-test")
    told = lindy("export", reviews, page, "--small", "--test", test, "--json")
    assert told.code == 0, told.err
    record = json.loads(told.out)
    assert record["files"] == {str(page): page.stat().st_size}
    assert record["files"][str(page)] < record["files_before"][str(page)]
    assert record["features_left"] < record["features"]
    model, examples = load(reviews), record["loss"]
    accuracy = json.loads(lindy("evaluate", reviews, test, "--json").out)["accuracy"]
    assert examples["accuracy"] == pytest.approx(accuracy)
    assert "points) on" in told.err
    assert page.read_text(encoding="utf-8") == page_text(smaller(model))
    warned = lindy("export", reviews, page, "--small", "--test", samples.path("reviews-train"))
    assert "was used for training" in warned.err


@pytest.mark.parametrize(
    "learner", ["naive-bayes", "bernoulli-naive-bayes", "maxent", "least-squares", "word-votes"]
)
@pytest.mark.parametrize("labels", [["x", "y"], ["x", "y", "z"]], ids=["two", "three"])
def test_weights_of_eight_bits(learner: str, labels: list[str]) -> None:
    texts = [f"word{i % 9} also{i % 4} {labels[i % len(labels)]}{i % 2}" for i in range(60)]
    truth = [labels[i % len(labels)] for i in range(60)]
    model = TextClassifier(learner=learner).fit(texts, truth)
    small = smaller(model)
    assert small.vectorizer_.n_columns <= model.vectorizer_.n_columns
    loss = lost(model, small, texts, truth)
    assert loss.examples == 60
    assert loss.accuracy == model.score(texts, truth)
    assert loss.smaller_accuracy == small.score(texts, truth) > 0.9


def test_a_table_of_several_columns_becomes_smaller_too() -> None:
    rows = [{"title": f"word{i % 7} and{i % 3}", "price": i % 5, "from": "ab"[i % 2]} for i in range(60)]
    truth = ["x" if row["title"].startswith("word1") else "y" for row in rows]
    columns = {"text": ["title"], "numeric": ["price"], "category": ["from"]}
    model = TextClassifier(learner="svm", columns=columns).fit(rows, truth)
    small = smaller(model)
    assert small.score(rows, truth) > 0.9
    assert {"price", "from=a", "from=b"} <= set(small.vectorizer_.get_feature_names_out().tolist())


def refused(told: object) -> tuple[int, str]:
    """Return the exit code and the error's line."""
    return told.code, told.err.splitlines()[-2].removeprefix("error: ")  # type: ignore[attr-defined]


def test_wrong_calls(lindy: Command, model: Path, table: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    calls = {
        (): "there is nothing to write",
        (page, "--small"): "argument --small: it changes the model, and what that costs must be measured",
        (page, "--test", table): "argument --test: it measures the loss of --small",
        ("--js", tmp_path / "a.txt"): f"argument --js: '{tmp_path / 'a.txt'}' does not end in .mjs or .js",
        ("--js", tmp_path / "a.mjs", "--title", "x"): "argument --title: it is the heading of a page",
        (
            page,
            "--text",
            "text",
        ): "argument --text: it says how the table of --test is read, and there is none",
        (page, "--strict"): "argument --strict: it says how the table of --test is read, and there is none",
        ("-", "--json"): "argument --json: the page goes to stdout already",
    }
    for words, message in calls.items():
        assert refused(lindy("export", model, *words)) == (2, message)
    assert not page.exists()


def test_models_that_cannot_be_exported(lindy: Command, table: Path, tmp_path: Path) -> None:
    for learner, why in (
        ("kernel-svm", "compares a text with its training examples"),
        ("random", "by chance"),
    ):
        lindy("train", table, "-o", tmp_path / "m.lindy", "--learner", learner)
        code, said = refused(lindy("export", tmp_path / "m.lindy", tmp_path / "page.html"))
        assert code == 1
        assert why in said
    assert not (tmp_path / "page.html").exists()


def test_nothing_else_is_overwritten(lindy: Command, model: Path, table: Path, tmp_path: Path) -> None:
    before = table.read_bytes(), model.read_bytes()
    assert refused(lindy("export", model, table))[0] == 1
    assert refused(lindy("export", model, model))[0] == 1
    assert refused(lindy("export", model, model, "--force"))[0] == 1
    (tmp_path / "mine.mjs").write_text("export const mine = 1;", encoding="utf-8")
    code, said = refused(lindy("export", model, "--js", tmp_path / "mine.mjs"))
    assert (code, "is not an exported JavaScript module" in said) == (1, True)
    (tmp_path / "other.d.mts").write_text("export const mine: 1;", encoding="utf-8")
    assert refused(lindy("export", model, "--js", tmp_path / "other.mjs"))[0] == 1
    assert not (tmp_path / "other.mjs").exists()
    assert (table.read_bytes(), model.read_bytes()) == before
    assert lindy("export", model, "--js", tmp_path / "mine.mjs", "--force").code == 0
