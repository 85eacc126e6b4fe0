"""``lindy update`` and ``lindy merge``: output, JSON, pictures, and what they refuse."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from lindy import load
from lindy.estimators.learners import REGISTRY, learner_class
from tests.cli.conftest import Command
from tests.test_several_labels import recipes
from tests.updating.examples import Examples, made

A = made(60, ["x", "y"], 21, 0, 50)
B = made(40, ["x", "y", "z"], 22, 25, 80)


def write(path: Path, examples: Examples, header: tuple[str, str] = ("label", "text")) -> Path:
    """Write examples as a table."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(header)
        writer.writerows(zip(examples[1], examples[0], strict=True))
    return path


@pytest.fixture
def tables(tmp_path: Path) -> Path:
    write(tmp_path / "a.csv", A)
    write(tmp_path / "b.csv", B)
    write(tmp_path / "both.csv", (A[0] + B[0], A[1] + B[1]))
    return tmp_path


@pytest.mark.parametrize(
    ("learner", "options"),
    [
        ("naive-bayes", ()),
        ("naive-bayes", ("--ngrams", "1-2")),
        ("bernoulli-naive-bayes", ("--chars", "2-3")),
        ("complement-naive-bayes", ()),
        ("categorical-naive-bayes", ()),
        ("word-votes", ()),
        ("svm", ("--keep-rows",)),
    ],
)
def test_the_same_bytes_as_training_on_both_tables(
    learner: str, options: tuple[str, ...], tables: Path, lindy: Command
) -> None:
    a, b, how = tables / "a.csv", tables / "b.csv", ("--learner", learner, *options, "-q")
    for names, inputs in {"both": (a, b), "a": (a,), "b": (b,)}.items():
        assert lindy("train", *inputs, "-o", tables / f"{names}.lindy", *how).code == 0
    assert lindy("update", tables / "a.lindy", b, "-o", tables / "u.lindy").code == 0
    assert lindy("merge", tables / "a.lindy", tables / "b.lindy", "-o", tables / "m.lindy").code == 0
    expected = (tables / "both.lindy").read_bytes()
    assert (tables / "u.lindy").read_bytes() == expected
    assert (tables / "m.lindy").read_bytes() == expected
    write(tables / "new.csv", made(40, ["x", "y", "z"], 23, 25, 80))
    for inputs, known in {
        (a,): True,
        (b,): True,
        (b, tables / "new.csv"): True,
        (tables / "new.csv",): False,
    }.items():
        told = lindy("evaluate", tables / "both.lindy", *inputs)
        assert ("was used for training" in told.err) == known


@pytest.mark.parametrize(
    "name", [name for name in REGISTRY if learner_class(name).spec.input_kind != "words"]
)
def test_every_learner_is_updated_and_merged_or_says_why_not(name: str, tables: Path, lindy: Command) -> None:
    for part in "ab":
        told = lindy("train", tables / f"{part}.csv", "-o", tables / f"{part}.lindy", "--learner", name, "-q")
        assert told.code == 0, told.err
    told = lindy("update", tables / "a.lindy", tables / "b.csv", "-o", tables / "u.lindy", "--batches", 2)
    both = lindy(
        "merge", tables / "a.lindy", tables / "b.lindy", "-o", tables / "m.lindy", "--test", tables / "b.csv"
    )
    if not load(tables / "a.lindy").learner_.updates:
        assert (told.code, both.code) == (1, 1)
        assert "cannot learn from further rows" in told.err
        assert "--keep-rows" in told.err
        assert "cannot become one" in both.err
        assert not (tables / "u.lindy").exists()
        assert not (tables / "m.lindy").exists()
        return
    assert told.code == 0, told.err
    assert f"updated {name} of 60 rows with 40 more" in told.err
    assert "new classes: z" in told.err
    assert "accuracy of new rows predicted before they were learned" in told.out
    assert both.code == 0, both.err
    assert "merged 2 models of 100 rows, 3 classes" in both.err
    assert load(tables / "u.lindy").class_counts_.sum() == 100


def test_naive_bayes_predicts_as_if_trained_on_both(tables: Path, lindy: Command) -> None:
    for part in ("a", "both"):
        lindy(
            "train", tables / f"{part}.csv", "-o", tables / f"{part}.lindy", "--learner", "naive-bayes", "-q"
        )
    told = lindy("update", tables / "a.lindy", tables / "b.csv", "-o", tables / "u.lindy", "--json", "-q")
    assert told.code == 0, told.err
    assert not told.err
    record = json.loads(told.out)
    assert record["how"] == "adds"
    assert record["examples before"], record["examples new"] == (60, 40)
    assert record["new classes"] == ["z"]
    assert sum(record["classes"].values()) == 100
    progress = record["progressive"]
    assert progress["rows"] == 40
    assert progress["ends"][-1] == 40
    assert len(progress["windowed"]) == len(progress["cumulative"]) == len(progress["ends"]) == 10
    assert progress["cumulative"][-1] == pytest.approx(progress["accuracy"])
    models = [load(tables / f"{name}.lindy") for name in ("u", "both")]
    assert (models[0].predict_proba(B[0]) == models[1].predict_proba(B[0])).all()
    assert models[0].roles_of(*A) == models[0].roles_of(*B) == ["training"]


def test_the_accuracy_is_drawn(tables: Path, lindy: Command) -> None:
    lindy("train", tables / "a.csv", "-o", tables / "a.lindy", "--learner", "svm", "-q")
    for name in ("u.png", "u.svg"):
        told = lindy(
            "update", tables / "a.lindy", tables / "b.csv", "-o", tables / "u.lindy", "--plot", tables / name
        )
        assert told.code == 0, told.err
        assert f"wrote {tables / name}" in told.err
        assert (tables / name).stat().st_size > 1000
    assert "certificate: at most" in told.err
    assert "solved for the new rows, with the old weights where the penalty is 0" in told.err


def test_rows_are_kept_on_request_only(tables: Path, lindy: Command) -> None:
    lindy("train", tables / "a.csv", "-o", tables / "plain.lindy", "--learner", "svm", "--min-df", 2, "-q")
    lindy(
        "train",
        tables / "a.csv",
        "-o",
        tables / "kept.lindy",
        "--learner",
        "svm",
        "--min-df",
        2,
        "-q",
        "--keep-rows",
    )
    assert load(tables / "plain.lindy").kept_ is None
    assert (
        "60 texts and labels, which can be read from the file" in lindy("inspect", tables / "kept.lindy").out
    )
    assert "kept rows" not in lindy("inspect", tables / "plain.lindy").out
    told = lindy("update", tables / "kept.lindy", tables / "b.csv", "-o", tables / "u.lindy")
    assert told.code == 0, told.err
    assert "trained again on all rows" in told.err
    lindy(
        "train",
        tables / "both.csv",
        "-o",
        tables / "both.lindy",
        "--learner",
        "svm",
        "--min-df",
        2,
        "-q",
        "--keep-rows",
    )
    ours, theirs = load(tables / "u.lindy"), load(tables / "both.lindy")
    assert (ours.predict_proba(B[0]) == theirs.predict_proba(B[0])).all()


def test_what_has_changed_is_told(tables: Path, lindy: Command) -> None:
    lindy("train", tables / "a.csv", "-o", tables / "a.lindy", "--learner", "naive-bayes", "-q")
    other = (["entirely other words here", "nothing like the rest"] * 40, ["y"] * 80)
    write(tables / "other.csv", other)
    told = lindy("update", tables / "a.lindy", tables / "other.csv", "-o", tables / "u.lindy")
    assert told.code == 0, told.err
    assert "words are unknown to the model" in told.err
    assert "the labels have other shares" in told.err
    assert "recognised as old or new" in told.err
    assert "words that changed most: " in told.err
    quiet = lindy(
        "update", tables / "a.lindy", tables / "other.csv", "-o", tables / "u.lindy", "--no-compare"
    )
    assert "unknown to the model" not in quiet.err
    again = lindy("update", tables / "a.lindy", tables / "a.csv", "-o", tables / "u.lindy")
    assert "its rows will count twice" in again.err


def test_weights_and_half_lives(tables: Path, lindy: Command) -> None:
    lindy("train", tables / "a.csv", "-o", tables / "a.lindy", "--learner", "naive-bayes", "-q")
    with (tables / "w.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([["label", "text", "often"], ["x", "x1 w3", 2], ["y", "y1 w4", 3]])
    told = lindy(
        "update", tables / "a.lindy", tables / "w.csv", "-o", tables / "u.lindy", "--weight", "often"
    )
    assert told.code == 0, told.err
    assert load(tables / "u.lindy").learner_.class_count_.sum() == 65
    told = lindy("update", tables / "a.lindy", tables / "b.csv", "-o", tables / "u.lindy", "--forget", 20)
    assert told.code == 0, told.err
    assert "counts half after 20 rows" in told.err
    assert load(tables / "u.lindy").learner_.class_count_.sum() < 60


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["a.lindy", "b.csv", "-o", "a.lindy"], 1, "would be overwritten"),
        (["a.lindy", "b.csv", "-o", "b.csv"], 1, "b.csv"),
        (["a.lindy", "b.csv"], 2, "output"),
        (
            ["a.lindy", "other.csv", "-o", "u.lindy"],
            1,
            "there is no column 'text', from which the model learned",
        ),
        (["a.lindy", "no-label.csv", "-o", "u.lindy"], 1, "label"),
        (["a.lindy", "blank.csv", "-o", "u.lindy"], 1, "label"),
        (["missing.lindy", "b.csv", "-o", "u.lindy"], 1, "does not exist"),
        (["a.csv", "b.csv", "-o", "u.lindy"], 1, "a.csv"),
        (["a.lindy", "b.csv", "-o", "u.lindy", "--plot", "u.txt"], 2, "--plot"),
        (["a.lindy", "b.csv", "-o", "u.lindy", "--plot", "u.png", "--batches", "0"], 2, "--plot"),
        (["a.lindy", "b.csv", "-o", "u.png", "--plot", "./u.png"], 2, "it is the model file to write"),
        (["a.lindy", "b.csv", "-o", "u.lindy", "--forget", "-3"], 2, "--forget"),
        (["a.lindy", "b.csv", "-o", "u.lindy", "--weight", "nothing"], 1, "nothing"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else str(value),
)
def test_wrong_updates(
    words: list[str], code: int, said: str, tables: Path, lindy: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tables)
    lindy("train", "a.csv", "-o", "a.lindy", "--learner", "naive-bayes", "-q")
    write(tables / "other.csv", B, ("class", "message"))
    (tables / "no-label.csv").write_text("text\none\n", encoding="utf-8")
    (tables / "blank.csv").write_text("label,text\n,one\n,two\n", encoding="utf-8")
    before = (tables / "a.lindy").read_bytes()
    told = lindy("update", *words)
    assert told.code == code, told.err
    assert said in told.err
    assert not (tables / "u.lindy").exists()
    assert (tables / "a.lindy").read_bytes() == before


def test_the_cost_of_a_merge_is_measured(tables: Path, lindy: Command) -> None:
    for part in "ab":
        lindy("train", tables / f"{part}.csv", "-o", tables / f"{part}.lindy", "--learner", "svm", "-q")
    write(tables / "test.csv", (["x1 x2", "y1 y2", "z1 z2", "u1"], ["x", "y", "z", "unheard"]))
    words = [tables / "a.lindy", tables / "b.lindy", "-o", tables / "m.lindy", "--test", tables / "test.csv"]
    told = lindy("merge", *words)
    assert told.code == 0, told.err
    assert "labels that no model knows; they count as wrong: unheard" in told.err
    assert "by the mean of their weights" in told.err
    assert "merged" in told.out
    record = json.loads(lindy("merge", *words, "--json", "-q").out)
    assert record["how"] == "mean"
    accuracy = {name: own["accuracy"] for name, own in record["test"]["models"].items()}
    assert accuracy["merged"] == 0.75
    assert accuracy[str(tables / "a.lindy")] == 0.5
    assert record["test"]["unknown_labels"] == {"unheard": 1}


def test_a_pattern_is_all_models_that_it_fits(tables: Path, lindy: Command) -> None:
    for part in "ab":
        lindy(
            "train",
            tables / f"{part}.csv",
            "-o",
            tables / f"part-{part}.lindy",
            "--learner",
            "naive-bayes",
            "-q",
        )
    told = lindy("merge", tables / "part-*.lindy", "-o", tables / "m.lindy")
    assert "merged 2 models of 100 rows" in told.err
    assert lindy("merge", tables / "nothing-*.lindy", "-o", tables / "m.lindy").code == 2


def test_wrong_merges(tables: Path, lindy: Command) -> None:
    a, b = tables / "a.lindy", tables / "b.lindy"
    lindy("train", tables / "a.csv", "-o", a, "--learner", "svm", "-q")
    lindy("train", tables / "b.csv", "-o", b, "--learner", "svm", "--ngrams", "1-2", "-q")
    told = lindy("merge", a, b, "-o", tables / "m.lindy")
    assert told.code == 1
    assert "different kinds: their ngram_range is [1, 1] and [1, 2]" in told.err
    assert lindy("merge", a, "-o", tables / "m.lindy").code == 2
    assert "would be overwritten" in lindy("merge", a, a, "-o", a).err
    told = lindy("merge", a, a, "-o", tables / "m.lindy")
    assert told.code == 0
    assert "have learned from the same rows, which now count twice" in told.err
    assert lindy("merge", a, tables / "a.csv", "-o", tables / "m.lindy").code == 1


def test_a_file_of_corrections_is_told_by_its_label_column(tmp_path: Path, lindy: Command) -> None:
    table, corrections, model = tmp_path / "t.csv", tmp_path / "corrections.csv", tmp_path / "m.lindy"
    table.write_text("text,label\n" + "good book,pos\nbad book,neg\n" * 6)
    corrections.write_text("lindy_label,text,lindy_predicted\npos,fine book,neg\nneg,poor book,pos\n")
    assert lindy("train", table, "--learner", "naive-bayes", "-o", model).code == 0
    told = lindy("update", model, corrections, "-o", tmp_path / "n.lindy")
    assert told.code == 1
    assert "name the column with --label lindy_label, which has the corrections" in told.err
    told = lindy("update", model, corrections, "--label", "lindy_label", "-o", tmp_path / "n.lindy")
    assert told.code == 0, told.err


def test_several_labels_per_text(tmp_path: Path, lindy: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, (texts, labels) in {"a": recipes(160, 0), "b": recipes(140, 1)}.items():
        cells = ["|".join(own) or ("plain" if name == "b" else "") for own in labels]
        write(tmp_path / f"{name}.csv", (texts, cells), ("labels", "text"))
    for name in "ab":
        assert lindy("train", f"{name}.csv", "--learner", "svm", "-o", f"{name}.lindy", "-q").code == 0
    said = lindy("update", "a.lindy", "b.csv", "-o", "u.lindy", "--plot", "p.svg")
    assert said.out.startswith("example F1 of new rows predicted before they were learned: ")
    assert "new classes: plain" in said.err
    said = lindy("update", "a.lindy", "b.csv", "-o", "v.lindy", "--json")
    record = json.loads(said.out)
    assert record["progressive"]["example_f1"] > 0.5
    assert record["examples before"] == 160
    said = lindy("merge", "a.lindy", "b.lindy", "-o", "m.lindy", "--test", "b.csv")
    assert "example F1" in said.out
    assert "merged 2 models of 300 rows" in said.err
    assert load("m.lindy").several_labels
