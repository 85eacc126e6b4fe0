"""``--text``, ``--numeric``, ``--category``, ``--patterns`` and ``--lexicon``: features beyond the words of a text."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from tests.cli.conftest import Command

ROWS = [
    ("free money", "click now", "9.50", "eve", "spam"),
    ("lunch", "see you at noon", "", "ann", "ham"),
    ("win big", "free prize now", "8", "bob", "spam"),
    ("report", "the report is there", "+1e0", "bob", "ham"),
] * 10
HEADER = ("subject", "body", "price", "sender", "label")
COLUMNS = ("--text", "body", "--text", "subject", "--numeric", "price", "--category", "sender")


def table(rows: list[tuple[str, ...]], header: tuple[str, ...] = HEADER) -> str:
    out = io.StringIO()
    csv.writer(out).writerows([header, *rows])
    return out.getvalue()


@pytest.fixture
def data(tmp_path: Path) -> Path:
    path = tmp_path / "mails.csv"
    path.write_text(table(ROWS))
    return path


@pytest.fixture
def model(data: Path, tmp_path: Path, lindy: Command) -> Path:
    path = tmp_path / "m.lindy"
    told = lindy("train", data, *COLUMNS, "--learner", "maxent", "-o", path)
    assert told.code == 0, told.err
    assert (
        "text from 'body' and 'subject', numbers from 'price', categories from 'sender', label from column 'label'"
        " (by its name)" in told.err
    )
    assert "trained maxent on 40 rows" in told.err
    return path


def test_train_evaluate_predict(model: Path, data: Path, lindy: Command) -> None:
    told = lindy("evaluate", model, data, "--json")
    assert json.loads(told.out)["accuracy"] == 1
    assert json.loads(told.out)["used_for"] == ["training"]
    assert "(as in training)" in told.err
    told = lindy("predict", model, data, "--json")
    assert [json.loads(line)["label"] for line in told.out.splitlines()] == [row[-1] for row in ROWS]


def test_inspect_and_explain(model: Path, lindy: Command) -> None:
    told = lindy("inspect", model)
    assert "text 'body, subject', numeric 'price', category 'sender', label 'label'" in told.out
    assert "subject:free" in told.out
    assert "feature price" in lindy("inspect", model, "--feature", "price").out
    row = json.dumps({"subject": "free lunch", "price": 9, "sender": "zoe"})
    told = lindy("explain", model, row)
    assert told.code == 0, told.err
    assert "subject: [" in told.out
    assert "subject:lunch" in told.out
    assert "price " in told.out
    assert "sender=" not in told.out  # nobody of that name in training
    assert json.loads(lindy("explain", model, row, "--json").out)["label"] == "spam"


def test_explain_takes_rows(model: Path, lindy: Command) -> None:
    told = lindy("explain", model, "free lunch")
    assert told.code == 2
    assert "expected a JSON object with the values of its columns" in told.err
    assert '"price": "…"' in told.err
    assert "no column 'prize'" in lindy("explain", model, '{"prize": 3}').err
    assert "'price' is 'nine', expected a number" in lindy("explain", model, '{"price": "nine"}').err


def test_reports(model: Path, data: Path, tmp_path: Path, lindy: Command) -> None:
    told = lindy("report", model, data, "-o", tmp_path / "r.html")
    assert told.code == 0, told.err
    target = tmp_path / "t.html"
    told = lindy(
        "train", data, *COLUMNS, "--learner", "naive-bayes", "-o", tmp_path / "n.lindy", "--report", target
    )
    assert told.code == 0, told.err
    assert "sender=eve" in target.read_text(encoding="utf-8")


def test_columns_that_the_table_does_not_have(
    model: Path, data: Path, tmp_path: Path, lindy: Command
) -> None:
    told = lindy("train", data, "--text", "body", "--numeric", "prize", "-o", tmp_path / "x.lindy")
    assert told.code == 1
    assert "no column 'prize'" in told.err
    assert "Did you mean 'price'?" in told.err
    less = tmp_path / "less.csv"
    less.write_text(table([row[:2] + row[3:] for row in ROWS], HEADER[:2] + HEADER[3:]))
    for command in ("predict", "evaluate"):
        told = lindy(command, model, less)
        assert told.code == 1
        assert f"{less}: no column 'price', which the model was trained on" in told.err
    told = lindy("predict", model, data, "--text", "body")
    assert told.code == 2
    assert "reads several columns" in told.err


@pytest.mark.parametrize("value", ["cheap", "1,5", "nan", "1e999", "0x10", "--1"])
def test_numbers_that_are_none(value: str, tmp_path: Path, lindy: Command) -> None:
    path = tmp_path / "bad.csv"
    path.write_text(table([*ROWS[:2], ("a", "b", value, "c", "ham")]))
    told = lindy("train", path, "--text", "body", "--numeric", "price", "-o", tmp_path / "x.lindy")
    assert told.code == 1
    assert f"{path}, line 4 (row 3): 'price' is '{value}', expected a number" in told.err
    assert "declare it as a category" in told.err


def test_a_column_is_one_thing(data: Path, tmp_path: Path, lindy: Command) -> None:
    for twice in (("--text", "body", "--text", "body"), ("--numeric", "label", "--label", "label")):
        told = lindy("train", data, *twice, "-o", tmp_path / "x.lindy")
        assert told.code == 1
        assert "is named twice" in told.err


def test_the_text_is_found_where_none_is_named(data: Path, tmp_path: Path, lindy: Command) -> None:
    path = tmp_path / "x.lindy"
    told = lindy("train", data, "--numeric", "price", "--learner", "maxent", "-o", path, "--json")
    assert told.code == 0, told.err
    assert json.loads(told.out)["columns"] == {"text": ["body"], "numeric": ["price"], "category": []}
    others = ("--category", "subject", "--category", "body", "--category", "sender", "--numeric", "price")
    told = lindy("train", data, *others, "-o", path, "--json")
    assert told.code == 0, told.err
    assert json.loads(told.out)["columns"]["text"] == []
    assert json.loads(told.out)["recipe"].startswith("numbers and categories; ")


def test_one_text_is_what_it_was(data: Path, tmp_path: Path, lindy: Command) -> None:
    path = tmp_path / "x.lindy"
    told = lindy("train", data, "--text", "body", "--fast", "-o", path, "--json")
    assert "columns" not in json.loads(told.out)
    assert "text from column 'body' (as asked), label from column 'label' (by its name)" in told.err
    assert "columns        text 'body', label 'label'" in lindy("inspect", path).out
    assert lindy("explain", path, "free prize").code == 0


def test_patterns_and_lexicons(data: Path, tmp_path: Path, lindy: Command) -> None:
    words = tmp_path / "greed.txt"
    words.write_text("# what they promise\nmoney\nprize\n")
    path = tmp_path / "x.lindy"
    more = ("--patterns", "--lexicon", f"greed={words}")
    capabilities = {"spam": " for $9!!", "ham": ""}
    data.write_text(table([(row[0], row[1] + capabilities[row[-1]], *row[2:]) for row in ROWS]))
    for columns, prefix in ((("--text", "body"), ""), (COLUMNS, "body:")):
        told = lindy("train", data, *columns, *more, "--learner", "maxent", "-o", path)
        assert told.code == 0, told.err
        told = lindy("inspect", path, "--top", 100)
        assert f"{prefix}lexicon=greed" in told.out
        assert f"{prefix}pattern=money" in told.out
    told = lindy("explain", path, '{"body": "only $9.50 for a PRIZE!!!"}')
    assert "body:pattern=money" in told.out
    assert "body:lexicon=greed" in told.out


def test_lexicons_that_cannot_be_read(data: Path, tmp_path: Path, lindy: Command) -> None:
    told = lindy("train", data, "--text", "body", "--lexicon", "x=nowhere.txt", "-o", tmp_path / "x.lindy")
    assert told.code == 1
    assert "nowhere.txt" in told.err
    empty = tmp_path / "empty.txt"
    empty.write_text("# nothing\n")
    told = lindy("train", data, "--text", "body", "--lexicon", f"x={empty}", "-o", tmp_path / "x.lindy")
    assert told.code == 1
    assert "the lexicon 'x' has no words" in told.err
    assert lindy("train", data, "--lexicon", "x", "-o", tmp_path / "x.lindy").code == 2


@pytest.mark.parametrize(
    "words",
    [
        ("audit",),
        ("compare", "--learner", "naive-bayes", "--learner", "maxent"),
        ("compare", "--weighting", "log-count-ratio", "--share", "0.5"),
        ("tune", "--learner", "naive-bayes"),
        ("split", "--parts", "train=0.5,test=0.5"),
        ("plot", "learning-curve"),
        ("plot", "epochs"),
    ],
    ids=" ".join,
)
def test_every_command_takes_the_same_columns(
    words: tuple[str, ...], data: Path, tmp_path: Path, lindy: Command
) -> None:
    at = 2 if words[0] == "plot" else 1
    out = ("-o", tmp_path / "p.png") if words[0] == "plot" else ()
    told = lindy(*words[:at], data, *words[at:], *COLUMNS, *out)
    assert told.code == 0, told.err
    if words[0] != "plot":
        assert "text from 'body' and 'subject', numbers from 'price', categories from 'sender'" in told.err
    columns = [*COLUMNS[:-1], "sendr"]
    told = lindy(*words[:at], data, *words[at:], *columns, *out)
    assert told.code == 1
    assert "no column 'sendr'" in told.err


def test_an_audit_of_rows_looks_at_every_column(tmp_path: Path, lindy: Command) -> None:
    path = tmp_path / "t.csv"
    path.write_text(table([("same", f"number {i % 8}", "1", "ann", "ab"[i % 2]) for i in range(9)]))
    both = json.loads(lindy("audit", path, "--text", "subject", "--text", "body", "--json").out)
    one = json.loads(lindy("audit", path, "--text", "subject", "--json").out)
    assert not [f for f in both["findings"] if f["kind"] == "contradiction"]
    assert [f for f in one["findings"] if f["kind"] == "contradiction"]
    assert both["findings"][0]["text"].startswith("same | number ")


def test_tuned_models_have_the_columns(data: Path, tmp_path: Path, lindy: Command) -> None:
    path = tmp_path / "tuned.lindy"
    told = lindy("tune", data, *COLUMNS, "--learner", "maxent", "--points", "2", "--dev", data, "-o", path)
    assert told.code == 0, told.err
    for same in ((), COLUMNS):
        told = lindy("evaluate", path, data, *same, "--json")
        assert json.loads(told.out)["accuracy"] == 1, told.err


def test_models_of_one_text_refuse_other_columns(data: Path, tmp_path: Path, lindy: Command) -> None:
    path = tmp_path / "m.lindy"
    assert lindy("train", data, "--text", "body", "--learner", "naive-bayes", "-o", path).code == 0
    for command in ("predict", "evaluate"):
        told = lindy(command, path, data, "--text", "body", "--text", "subject")
        assert told.code == 2
        assert "the model reads one text column" in told.err
    told = lindy("convert", data, tmp_path / "x.ft", "--text", "body", "--text", "subject")
    assert told.code == 2
    assert "--text: given twice" in told.err


def test_numbers_as_they_are(data: Path, tmp_path: Path, lindy: Command) -> None:
    from lindy import load

    model = tmp_path / "raw.lindy"
    told = lindy("train", data, *COLUMNS, "--learner", "maxent", "--scale", "none", "-o", model)
    assert told.code == 0, told.err
    vectorizer = load(model).vectorizer_
    rows = vectorizer.transform_csr([{"subject": "", "body": "", "price": 1234.5, "sender": "eve"}])
    assert 1234.5 in rows.values.tolist()
    assert (
        lindy("train", data, *COLUMNS, "--scale", "none", "-o", model).code == 0
    )  # with the automatic recipe
    told = lindy("train", data, "--text", "body", "--scale", "none", "-o", model)
    assert told.code == 2
    assert "argument --scale: it has no effect without --numeric" in told.err
