"""Commands on files of features with values."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from lindy.data import convert, samples
from lindy.modelfile import read_model, write_model
from tests.cli.conftest import Command


def svm(path: Path, n: int, seed: int) -> Path:
    """Write rows of real values, some negative, that a line divides nearly."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4)).round(3)
    y = np.where(X[:, 0] - 2 * X[:, 3] > 0, 1, -1)
    lines = [f"{c} " + " ".join(f"{j + 1}:{v:g}" for j, v in enumerate(x)) for c, x in zip(y, X, strict=True)]
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture
def real(tmp_path: Path) -> Path:
    return svm(tmp_path / "real.svm", 120, 0)


@pytest.fixture
def test(tmp_path: Path) -> Path:
    return svm(tmp_path / "test.svm", 60, 1)


def refused(lindy: Command, *words: str | Path) -> str:
    outcome = lindy(*words)
    assert outcome.code in (1, 2)
    assert outcome.err.count("error: ") == 1
    assert "hint: " in outcome.err
    return outcome.err


def test_from_training_to_explanations(real: Path, test: Path, tmp_path: Path, lindy: Command) -> None:
    model = tmp_path / "m.lindy"
    trained = lindy("train", real, "-o", model, "--json")
    assert json.loads(trained.out)["features"] == 4
    assert "4 features with their values" in trained.err
    assert "on 120 rows" in trained.err
    assert json.loads(lindy("evaluate", model, test, "--json").out)["accuracy"] > 0.9
    lines = lindy("predict", model, test, "--keep", "all").out.splitlines()
    assert lines[0] == "features,label,predicted_label,probability"
    assert len(lines) == 61
    found = json.loads(lindy("explain", model, "1:0.5 4:-2 9:1", "--json").out)
    assert [(f["feature"], f["value"]) for f in found["features"]] == [("4", -2.0), ("1", 0.5)]
    assert found["unknown"] == ["9:1"]
    same = json.loads(lindy("explain", model, '{"1": 0.5, "4": -2, "9": 1}', "--json").out)
    assert same == found
    assert "4 features, 4 weights" in lindy("inspect", model).out
    assert "weight" in lindy("inspect", model, "--feature", "4").out


def test_other_commands(real: Path, test: Path, tmp_path: Path, lindy: Command) -> None:
    compared = lindy("compare", real, "--test", test)
    assert compared.code == 0
    assert "left out: naive-bayes" in compared.err
    tuned = lindy(
        "tune", real, "--dev", test, "--learner", "svm", "--points", "2", "-o", tmp_path / "t.lindy", "--json"
    )
    assert json.loads(tuned.out)["best"][0]["says"].startswith("features as given; SVM")
    found = json.loads(lindy("audit", real, "--json").out)
    assert {finding["kind"] for finding in found["findings"]} <= {"label error"}
    assert lindy("report", tmp_path / "t.lindy", test, "--train", real, "-o", tmp_path / "r.html").code == 0
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert "features as given; SVM" in page
    assert lindy("split", real, "--parts", "a=0.5,b=0.5", "--folder", tmp_path).code == 0
    lines = [(tmp_path / f"real-{part}.svm").read_text().splitlines() for part in "ab"]
    assert sorted(lines[0] + lines[1]) == sorted(real.read_text().splitlines())


def test_audit_finds_the_same_features_in_any_order(tmp_path: Path, lindy: Command) -> None:
    rows = ["1 | a:2 b c d e", "2 | x y z", "1 | b a:2 e c d", "1 | a:2 b c d f", "2 | x:2 y:2 z:2", "2 | q"]
    (tmp_path / "a.vw").write_text("\n".join(rows) + "\n")
    found = json.loads(lindy("audit", tmp_path / "a.vw", "--json", "--similarity", "0.6").out)["findings"]
    pairs = [(f["kind"], f["row"], f["other_row"]) for f in found if f["kind"] != "label error"]
    assert sorted(pairs) == [("duplicate", 3, 1), ("near duplicate", 4, 1)]


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("--ngrams", "1-2"),
        ("--chars", "2-3"),
        ("--text", "features"),
        ("--numeric", "3"),
        ("--category", "x"),
        ("--patterns", None),
    ],
)
def test_options_about_texts(option: str, value: str | None, real: Path, lindy: Command) -> None:
    message = refused(lindy, "train", real, option, *([] if value is None else [value]))
    assert f"argument {option}: " in message
    assert "features with values" in message


def test_values_that_are_not_counts(real: Path, lindy: Command) -> None:
    assert "which is not a count" in refused(lindy, "train", real, "--weighting", "tfidf")
    assert "Negative values" in refused(lindy, "train", real, "--learner", "naive-bayes")


def test_models_and_files_of_the_other_kind(real: Path, tmp_path: Path, lindy: Command) -> None:
    texts, features = tmp_path / "texts.lindy", tmp_path / "bags.lindy"
    lindy("train", samples.path("reviews-train"), "-o", texts, "--fast")
    lindy("train", real, "-o", features, "--fast")
    assert "the model was trained on texts" in refused(lindy, "evaluate", texts, real)
    for command in ("evaluate", "predict"):
        message = refused(lindy, command, features, samples.path("reviews-test"))
        assert "the model was trained on features with values" in message


def test_unknown_features_are_counted(real: Path, tmp_path: Path, lindy: Command) -> None:
    model = tmp_path / "m.lindy"
    lindy("train", real, "-o", model, "--fast")
    (tmp_path / "a.svm").write_text("1 1:1 7:1 8:2\n")
    said = lindy("predict", model, tmp_path / "a.svm").err
    assert "the model knows 1 of its 3 features; these are ignored: '7', '8'" in said
    (tmp_path / "a.svm").write_text("1 7:1 8:2\n")
    assert "knows none of its 2 features" in lindy("predict", model, tmp_path / "a.svm").err
    assert "knows none of its 2 features" in refused(lindy, "evaluate", model, tmp_path / "a.svm")


def test_a_file_numbered_by_columns_of_another(tmp_path: Path, lindy: Command) -> None:
    convert(samples.path("reviews-train"), tmp_path / "train.svm")
    convert(samples.path("reviews-test"), tmp_path / "named.svm")
    convert(samples.path("reviews-test"), tmp_path / "numbered.svm", columns=tmp_path / "train.svm")
    lindy("train", tmp_path / "train.svm", "-o", tmp_path / "m.lindy", "--learner", "svm")
    named, numbered = (
        json.loads(lindy("evaluate", tmp_path / "m.lindy", tmp_path / f"{name}.svm", "--json").out)
        for name in ("named", "numbered")
    )
    assert numbered["accuracy"] == named["accuracy"] > 0.6
    assert not numbered["unknown_labels"]
    inspected = lindy("inspect", tmp_path / "m.lindy", "--feature", "dull").out
    assert inspected.startswith("feature dull")
    assert "positive" in inspected


def test_lines_of_vowpal_wabbit_are_explained(tmp_path: Path, lindy: Command) -> None:
    (tmp_path / "a.vw").write_text("1 |t fine:2 book\n2 |t dull |u x\n1 2 |t fine\n2 | dull\n")
    lindy("train", tmp_path / "a.vw", "-o", tmp_path / "m.lindy", "--learner", "maxent")
    found = json.loads(lindy("explain", tmp_path / "m.lindy", "|t fine:3 new |u x", "--json").out)
    assert {(f["feature"], f["value"]) for f in found["features"]} == {("t^fine", 3.0), ("u^x", 1.0)}
    assert found["unknown"] == ["t^new:1"]
    assert (
        json.loads(lindy("explain", tmp_path / "m.lindy", "dull", "--json").out)["features"][0]["feature"]
        == "dull"
    )
    assert "2" in refused(lindy, "explain", tmp_path / "m.lindy", "| a\n| b")


def test_weights_tags_and_queries_are_used_or_named(tmp_path: Path, lindy: Command) -> None:
    path, model = tmp_path / "a.vw", tmp_path / "m.lindy"
    path.write_text("1 3 'one | good\n-1 1 | bad\n1 | good\n-1 2 0.5 | bad\n1 5 | bad\n")
    told = lindy("train", path, "-o", model, "--learner", "naive-bayes")
    assert told.code == 0, told.err
    assert "the tags and initial predictions of 2 lines are not used" in told.err
    other = tmp_path / "b.vw"
    other.write_text("1 3 | good\n-1 1 | good\n")
    told = lindy("evaluate", model, other)
    assert "accuracy  0.5000" in told.out
    assert "accuracy by the weights of the rows: 0.7500; all other figures count every row once" in told.out
    assert json.loads(lindy("evaluate", model, other, "--json").out)["weighted_accuracy"] == 0.75
    other.write_text("1 | good\n-1 | good\n")
    assert "by the weights" not in lindy("evaluate", model, other).out
    queries = tmp_path / "a.svm"
    queries.write_text("1 qid:1 1:1\n2 qid:1 2:1\n1 qid:2 1:2\n2 qid:2 2:3\n")
    told = lindy("train", queries, "-o", model, "--learner", "naive-bayes")
    assert told.code == 0, told.err
    assert "the qid of its lines is not used" in told.err
    queries.write_text("1 1:1\n2 2:1\n")
    assert "qid" not in lindy("evaluate", model, queries).err


def test_categories_are_whole_numbers(tmp_path: Path, lindy: Command) -> None:
    path = tmp_path / "a.svm"
    path.write_text("1 1:1.5\n2 2:1\n1 1:2\n2 2:3\n")
    told = lindy("train", path, "-o", tmp_path / "m.lindy", "--learner", "categorical-naive-bayes")
    assert told.code == 1
    assert "takes categories, which are whole numbers from 0" in told.err


DEEP = ["-" * 5000 + "1", "not " * 100_000 + "1", "[" * 100_000]  # Python cannot read them, in three ways


def test_names_that_are_nested_too_deeply_are_taken_as_they_stand(tmp_path: Path, lindy: Command) -> None:
    path = tmp_path / "deep.svm"
    names = "".join(f"# column {number} is {name}\n" for number, name in enumerate(DEEP, start=1))
    path.write_text(names + "+1 1:1 2:1\n-1 2:2 3:1\n" * 5)
    outcome = lindy("train", path, "-o", tmp_path / "m.lindy", "--learner", "svm")
    assert outcome.code == 0, outcome.err[-300:]


@pytest.mark.parametrize("value", DEEP)
def test_options_that_are_nested_too_deeply_are_refused(value: str, real: Path, lindy: Command) -> None:
    refused(
        lindy, "train", real, "-o", real.with_name("m.lindy"), "--learner", "svm", "--param", f"C={value}"
    )


def test_json_that_is_nested_too_deeply_is_refused(
    real: Path, test: Path, tmp_path: Path, lindy: Command
) -> None:
    model, deep = tmp_path / "m.lindy", tmp_path / "deep.json"
    assert lindy("train", real, "-o", model, "--learner", "svm").code == 0
    refused(lindy, "explain", model, '{"a": ' * 100_000)
    deep.write_text("[" * 100_000)
    refused(lindy, "tune", samples.path("reviews-train"), "--journal", deep, "--trials", "2")
    file = read_model(model)
    for labels in ("[" * 100_000, "x", "[]", '{"1": 2}'):
        header = file.header | {"columns": file.header["columns"] | {"labels": labels}}
        write_model(model, header, dict(file.arrays))
        assert "Train the model again" in refused(lindy, "evaluate", model, test)
