"""The commands as a user calls them."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
from pathlib import Path

import pytest

import lindy as package
from lindy.data import samples
from lindy.estimators.learners import REGISTRY
from tests.cli.conftest import Command, lindy_process


def test_train_says_what_it_took_and_writes_a_model(table: Path, tmp_path: Path, lindy: Command) -> None:
    outcome = lindy("train", table, "-o", tmp_path / "m.lindy")
    assert outcome.code == 0
    assert outcome.out == ""
    assert "text" in outcome.err
    assert "label" in outcome.err
    assert "4 texts, 2 classes" in outcome.err
    assert (tmp_path / "m.lindy").stat().st_size > 0


def test_train_names_the_model_after_the_table(
    table: Path, tmp_path: Path, lindy: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert lindy("train", table, "--quiet").code == 0
    assert (tmp_path / "reviews.lindy").exists()


def test_train_json_is_all_there_is_on_stdout(table: Path, tmp_path: Path, lindy: Command) -> None:
    outcome = lindy("train", table, "-o", tmp_path / "m.lindy", "--json", "--quiet")
    summary = json.loads(outcome.out)
    assert summary["examples"] == 4
    assert summary["classes"] == {"bad": 2, "good": 2}
    assert outcome.err == ""


def test_predict_gives_one_row_per_text(model: Path, tmp_path: Path, lindy: Command) -> None:
    new = tmp_path / "new.csv"
    new.write_text('text\n"a wonderful\nbook"\n""\ndull\n', encoding="utf-8")
    outcome = lindy("predict", model, new)
    rows = list(csv.DictReader(io.StringIO(outcome.out)))
    assert [row["label"] for row in rows] == ["good", rows[1]["label"], "bad"]
    assert all(0.5 <= float(row["probability"]) <= 1 for row in rows)


def test_predict_writes_a_file_with_every_probability(
    model: Path, table: Path, tmp_path: Path, lindy: Command
) -> None:
    out = tmp_path / "out.csv"
    assert lindy("predict", model, table, "-o", out, "--proba").code == 0
    rows = list(csv.DictReader(out.read_text(encoding="utf-8").splitlines()))
    assert list(rows[0]) == ["label", "probability", "bad", "good"]
    for row in rows:
        assert float(row["bad"]) + float(row["good"]) == pytest.approx(1, abs=1e-5)
        assert float(row[row["label"]]) == float(row["probability"])


def test_predict_writes_json_lines(model: Path, table: Path, lindy: Command) -> None:
    outcome = lindy("predict", model, table, "--json", "--proba")
    records = [json.loads(line) for line in outcome.out.splitlines()]
    assert [record["label"] for record in records] == ["good", "good", "bad", "bad"]
    assert set(records[0]["probabilities"]) == {"good", "bad"}


@pytest.mark.parametrize("learner", ["naive-bayes", "perceptron", "mira", "maxent", "svm"])
def test_every_learner_trains_saves_and_predicts(
    learner: str, table: Path, tmp_path: Path, lindy: Command
) -> None:
    path = tmp_path / "m.lindy"
    header, *lines = table.read_text().splitlines()
    often = tmp_path / "often.csv"  # an averaged perceptron need not be right about rows that it saw once
    often.write_text("\n".join([header, *lines * 8]) + "\n")
    trained = lindy("train", often, "-o", path, "--learner", learner, "--ngrams", "1-2", "--seed", "1")
    assert trained.code == 0, trained.err
    rows = list(csv.DictReader(io.StringIO(lindy("predict", path, table, "--proba").out)))
    assert [row["label"] for row in rows] == ["good", "good", "bad", "bad"]
    assert all(row["probability"] == row[row["label"]] for row in rows)
    assert json.loads(lindy("evaluate", path, table, "--json").out)["accuracy"] == 1.0
    assert lindy("train", table, "-o", path, "--learner", learner, "--calibrate", "none").code == 0
    measure = "probability" if learner in ("naive-bayes", "maxent") else "score"
    rows = list(csv.DictReader(io.StringIO(lindy("predict", path, table, "--proba").out)))
    assert all(row[measure] == row[row["label"]] for row in rows)


def test_predict_reads_lines_from_stdin(model: Path) -> None:
    outcome = lindy_process("predict", model, "-", "--format", "lines", stdin="a wonderful day\n\nso dull\n")
    assert outcome.code == 0, outcome.err
    labels = [row["label"] for row in csv.DictReader(io.StringIO(outcome.out))]
    assert len(labels) == 3
    assert labels[0] == "good"
    assert labels[2] == "bad"


def test_predict_reads_a_table_from_stdin(model: Path) -> None:
    outcome = lindy_process("predict", model, "-", stdin='id,text\n1,"wonderful, wise"\n2,dull\n')
    assert outcome.code == 0, outcome.err
    assert [row["label"] for row in csv.DictReader(io.StringIO(outcome.out))] == ["good", "bad"]


def test_evaluate_prints_metrics(model: Path, table: Path, lindy: Command) -> None:
    outcome = lindy("evaluate", model, table)
    assert "accuracy  1.0000" in outcome.out
    assert "precision" in outcome.out
    assert "true \\ predicted" in outcome.out


def test_evaluate_json(model: Path, table: Path, lindy: Command) -> None:
    result = json.loads(lindy("evaluate", model, table, "--json").out)
    assert result["accuracy"] == 1.0
    assert result["classes"]["good"]["recall"] == 1.0
    assert result["confusion"] == {"labels": ["bad", "good"], "counts": [[2, 0], [0, 2]]}


def test_lengths_of_documents_from_training_to_merging(tmp_path: Path, lindy: Command) -> None:
    model, table = tmp_path / "nb.lindy", samples.path("reviews-train")
    options = ("--learner", "naive-bayes", "--param", "length=geometric")
    outcome = lindy("train", table, "-o", model, *options)
    assert "naive Bayes (alpha=1, length=geometric)" in outcome.out + outcome.err
    assert "(length)" in lindy("explain", model, "a warm and funny book").out
    more, both = tmp_path / "more.lindy", tmp_path / "both.lindy"
    assert lindy("update", model, samples.path("reviews-test"), "-o", more).code == 0
    assert lindy("merge", model, more, "-o", both).code == 0
    assert package.load(both).learner_.length == "geometric"
    assert lindy("export", both, tmp_path / "nb.html").code == 0
    wrong = lindy("train", table, "-o", model, "--learner", "naive-bayes", "--param", "length=zipf")
    assert wrong.code != 0
    assert "length must be one of ['uniform', 'poisson', 'geometric']; got 'zipf'" in wrong.err


def test_a_cap_may_be_infinite(tmp_path: Path, lindy: Command) -> None:
    model = tmp_path / "mira.lindy"
    options = ("--param", "C=inf", "--param", "constraints=k-best", "--param", "k=3")
    outcome = lindy("train", samples.path("reviews-train"), "-o", model, "--learner", "mira", *options)
    assert outcome.code == 0
    assert "C='inf'" in lindy("inspect", model).out
    assert json.loads(lindy("inspect", model, "--json").out)["learner"]["parameters"]["C"] == "inf"


@pytest.mark.parametrize("learner", ["naive-bayes", "perceptron", "mira", "maxent", "svm"])
def test_the_same_model_bytes_at_any_thread_count(learner: str, tmp_path: Path, lindy: Command) -> None:
    files = []
    for threads in (1, 2, 4):
        path = tmp_path / f"{threads}.lindy"
        sample = samples.path("reviews-train")
        lindy("train", sample, "-o", path, "--threads", threads, "--ngrams", "1-2", "--learner", learner)
        files.append(path.read_bytes())
    assert files[0] == files[1] == files[2]


def test_demo_runs_everything(tmp_path: Path, lindy: Command) -> None:
    outcome = lindy("demo", "-o", tmp_path / "demo")
    assert f"lindy serve {tmp_path / 'demo' / 'reviews.lindy'}" in outcome.out
    assert "http://127.0.0.1:8000/" in outcome.out.splitlines()[-1]
    assert outcome.code == 0, outcome.err
    assert "$ lindy train" in outcome.out
    assert "accuracy" in outcome.out
    for name in ("reviews.lindy", "explanation.html", "boundary.png", "report.html"):
        assert (tmp_path / "demo" / name).exists()


def test_demo_writes_the_tables_and_replaces_no_others(tmp_path: Path, lindy: Command) -> None:
    for _ in range(2):  # the second time they are there already
        outcome = lindy("demo", "--tables", tmp_path)
        assert outcome.code == 0
        assert outcome.out.endswith(f"and tickets.csv are in {tmp_path}\n")
    written = {path.stem: path.read_bytes() for path in tmp_path.iterdir()}
    assert written == {name: samples.path(name).read_bytes() for name in samples.names()}

    mine, gone = tmp_path / "tickets.csv", tmp_path / "messages.csv"
    mine.write_text("my own", encoding="utf-8")
    gone.unlink()
    outcome = lindy("demo", "--tables", tmp_path)
    assert outcome.code == 1
    assert f"{mine}: there is another tickets.csv already" in outcome.err
    assert mine.read_text(encoding="utf-8") == "my own"
    assert not gone.exists()


def test_version_and_help() -> None:
    assert lindy_process("--version").out == f"lindy {package.__version__}\n"
    shown = lindy_process("--help").out
    for command in ("train", "predict", "evaluate", "explain", "inspect", "plot", "report", "demo"):
        assert command in shown
    assert "exit codes" in shown
    titles = ["make a model:", "use it:", "look at it:", "data:", "serve:", "learn:", "options:"]
    places = [shown.index(f"\n{title}\n") for title in titles]
    assert places == sorted(places)
    assert places[0] < shown.index("\n  train ") < places[1] < shown.index("\n  predict ") < places[2]
    assert "--completion" in shown


def test_completion_script_is_available() -> None:
    outcome = lindy_process("--completion", "bash")
    assert "complete -o bashdefault" in outcome.out
    assert "--max-features" in outcome.out


@pytest.mark.parametrize("statement", ["import lindy", "import lindy.cli.app", "from lindy.cli import main"])
def test_importing_stays_light(statement: str) -> None:
    heavy = "numpy scipy sklearn pyarrow rich matplotlib"
    code = f"import sys; {statement}; print([m for m in {heavy.split()!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_training_and_predicting_need_neither_scipy_nor_scikit_learn(table: Path, tmp_path: Path) -> None:
    code = (
        "import sys; from lindy.cli.app import run;"
        f"assert run(['train', {str(table)!r}, '-o', {str(tmp_path / 'm.lindy')!r}]) == 0;"
        f"assert run(['predict', {str(tmp_path / 'm.lindy')!r}, {str(table)!r}]) == 0;"
        "assert not {'scipy', 'sklearn', 'pandas'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)


def test_rejected_texts_have_an_empty_label(model: Path, table: Path, lindy: Command) -> None:
    outcome = lindy("predict", model, table, "--reject", "good=0.5,bad=1.5")
    assert [row["label"] for row in csv.DictReader(io.StringIO(outcome.out))] == ["good", "good", "", ""]
    assert "rejected 2 of 4 texts (50.0%)" in outcome.err
    records = [
        json.loads(line)
        for line in lindy("predict", model, table, "--reject", "1", "--json").out.splitlines()
    ]
    assert [record["label"] for record in records] == [None] * 4
    assert all(record["probability"] > 0.5 for record in records)


def test_costs_choose_the_label(model: Path, table: Path, lindy: Command) -> None:
    outcome = lindy("predict", model, table, "--cost", "bad:good=1000")
    assert {row["label"] for row in csv.DictReader(io.StringIO(outcome.out))} == {"bad"}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--reject", "x"], "neither a probability nor"),
        (["--reject", "great=0.9"], "no class is called 'great'"),
        (["--cost", "bad=3"], "is not TRUE:PREDICTED=COST"),
        (["--cost", "bad:great=3"], "no class is called 'great'"),
    ],
)
def test_decisions_that_cannot_be(
    model: Path, table: Path, lindy: Command, options: list[str], message: str
) -> None:
    outcome = lindy("predict", model, table, *options)
    assert outcome.code == 2
    assert message in outcome.err


def test_decisions_need_probabilities(table: Path, tmp_path: Path, lindy: Command) -> None:
    path = tmp_path / "m.lindy"
    assert lindy("train", table, "-o", path, "--learner", "svm", "--calibrate", "none").code == 0
    assert "need probabilities" in lindy("predict", path, table, "--reject", "0.9").err
    assert "no probabilities" in lindy("evaluate", path, table, "--precision", "0.9").err


def test_evaluate_names_a_table_that_the_model_was_made_with(
    model: Path, table: Path, lindy: Command
) -> None:
    outcome = lindy("evaluate", model, table, "--json")
    assert "used for training" in outcome.err
    assert json.loads(outcome.out)["used_for"] == ["training"]
    loaded = package.load(model)
    loaded.remember("tuning", ["other text"], ["good"])
    loaded.save(model)
    table.write_text("text,label\nother text,good\n", encoding="utf-8")
    assert "used for tuning" in lindy("evaluate", model, table).err
    table.write_text("text,label\nthird text,good\n", encoding="utf-8")
    assert "used for" not in lindy("evaluate", model, table).err


def test_evaluate_finds_thresholds_for_a_precision(model: Path, table: Path, lindy: Command) -> None:
    outcome = lindy("evaluate", model, table, "--precision", "0.9")
    assert "lindy predict --reject bad=0,good=0" in outcome.out


def test_class_weights(table: Path, tmp_path: Path, lindy: Command) -> None:
    path = tmp_path / "m.lindy"
    for weights in ("balanced", "good=2,bad=0.5"):
        outcome = lindy("train", table, "-o", path, "--learner", "svm", "--class-weight", weights)
        assert outcome.code == 0, outcome.err
    assert package.load(path).learner_.class_weight == {"good": 2.0, "bad": 0.5}
    assert lindy("train", table, "-o", path, "--learner", "svm", "--class-weight", "good").code == 2
    unable = lindy("train", table, "-o", path, "--learner", "naive-bayes", "--class-weight", "balanced")
    assert "does not support class weights" in unable.err
    outcome = lindy("train", table, "-o", path, "--learner", "svm", "--class-weight", "great=2")
    assert outcome.code == 1
    assert "labels that no example has: ['great']" in outcome.err


@pytest.mark.parametrize("name", REGISTRY)
def test_every_learner_is_trained_saved_and_used(
    name: str, table: Path, tmp_path: Path, lindy: Command
) -> None:
    path = tmp_path / "m.lindy"
    outcome = lindy("train", table, "-o", path, "--learner", name, "--json")
    assert outcome.code == 0, outcome.err
    assert json.loads(outcome.out)["learner"] == name
    assert lindy("predict", path, table).code == 0
    assert lindy("evaluate", path, table).code == 0
    assert lindy("explain", path, "a wonderful book").code == 0
    assert lindy("inspect", path).code == 0


def test_word_lists_of_a_lexicon(table: Path, tmp_path: Path, lindy: Command) -> None:
    (tmp_path / "good.txt").write_text("sublime\n", encoding="utf-8")
    (tmp_path / "bad.txt").write_text("dire\n", encoding="utf-8")
    lists = f"good={tmp_path / 'good.txt'},bad={tmp_path / 'bad.txt'}"
    path = tmp_path / "m.lindy"
    assert lindy("train", table, "-o", path, "--learner", "lexicon", "--lexicon", lists).code == 0
    (tmp_path / "good.txt").unlink()  # the model holds the words, not the path
    assert package.load(path).predict(["how sublime", "dire"]).tolist() == ["good", "bad"]


def test_the_options_of_a_learner_are_explained(lindy: Command) -> None:
    outcome = lindy("train", "t.csv", "--learner", "svm", "--param", "help")
    assert outcome.code == 0
    assert "Price of the losses" in outcome.out
    assert lindy("train", "t.csv", "--param", "help").code == 2


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("none", None),
        ("None", None),
        ("true", True),
        ("False", False),
        ("1e-3", 1e-3),
        ("l1", "l1"),
        ("[1, 2]", [1, 2]),
    ],
)
def test_values_of_options_are_read_as_people_write_them(text: str, value: object) -> None:
    from lindy.cli.options.learner_options import parse_value

    assert parse_value(text) == value
