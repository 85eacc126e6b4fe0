"""The commands of the experiment cycle: compare, audit, split."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

from lindy import load
from lindy.data import samples
from tests.cli.conftest import Command


def test_the_command_shows_a_table_and_json(lindy: Command, tmp_path: Path) -> None:
    path = samples.path("reviews-train")
    outcome = lindy(
        "compare", path, "--curve", "--ngrams", "1-2", "--learner", "svm", "--learner", "majority"
    )
    assert outcome.code == 0, outcome.err
    assert "svm" in outcome.out
    assert "accuracy with" in outcome.out
    target = tmp_path / "page.html"
    outcome = lindy(
        "compare", path, "--curve", "--learner", "svm", "--learner", "majority", "--report", target
    )
    assert outcome.code == 0, outcome.err
    page = target.read_text(encoding="utf-8")
    assert "Learners compared on reviews-train.csv" in page
    assert page.count("<figure>") == 2
    assert "<script" not in page
    every = json.loads(lindy("compare", path, "--json", "--quiet").out)
    assert every["test_rows"] == 60
    names = [result["name"] for result in every["results"]]
    assert set(names) == {
        "majority", "lexicon", "word-lists", "naive-bayes", "perceptron", "mira", "maxent", "svm", "nb-svm",
    }  # fmt: skip
    accuracies = [result["accuracy"] for result in every["results"]]
    assert accuracies == sorted(accuracies, reverse=True)
    assert every["pairs"] == 36
    corrected = "p: exact McNemar test against the best (Holm's correction for all 36 pairs of learners)"
    assert corrected in lindy("compare", path, "--quiet", "--report", target, "--force").out
    assert "correction for all 36 pairs of learners" in target.read_text(encoding="utf-8")
    assert "correction" not in outcome.out, "of two learners p is that of the test"
    again = json.loads(lindy("compare", path, "--json", "--quiet", "--threads", "1").out)
    assert [r["accuracy"] for r in again["results"]] == accuracies


def test_the_command_says_what_does_not_fit(lindy: Command, tmp_path: Path) -> None:
    table = tmp_path / "t.csv"
    table.write_text(
        "text,label\n" + "".join(f"text {i},{'ab'[i % 2]}\n" for i in range(20)), encoding="utf-8"
    )
    outcome = lindy("compare", table, "--test", table)
    assert "'lexicon' is left out" in outcome.err
    assert "20 of the 20 test texts are also among the training texts" in outcome.err
    words = tmp_path / "a.txt"
    words.write_text("even\n", encoding="utf-8")
    assert "lexicon" in lindy("compare", table, "--lexicon", f"a={words}").out
    assert lindy("compare", table, "--lexicon", f"c={words}").code == 2
    assert lindy("compare", table, "--lexicon", "a").code == 2
    assert lindy("compare", table, "--lexicon", "a=missing.txt").code == 1
    assert lindy("compare", table, "--learner", "magic").code == 2
    assert lindy("compare", table, "--ngrams", "x").code == 2
    assert lindy("compare", table, "--share", "1").code == 2
    table.write_text("text,label\none,a\ntwo,a\n", encoding="utf-8")
    assert lindy("compare", table).code == 1


def test_characters_alone_or_beside_words(lindy: Command) -> None:
    path = samples.path("reviews-train")
    options = ("--learner", "svm", "--learner", "naive-bayes", "--quiet", "--json")
    sizes = {}
    for lengths in (("--ngrams", "1"), ("--chars", "2-3"), ("--ngrams", "1", "--chars", "2-3")):
        outcome = lindy("compare", path, *lengths, *options)
        assert outcome.code == 0, outcome.err
        sizes[lengths] = json.loads(outcome.out)["n_features"]
    words, chars, both = sizes.values()
    assert both == words + chars
    outcome = lindy("compare", path, "--chars", "2-3", "--learner", "lexicon")
    assert outcome.code == 2
    assert "no --chars" in outcome.err
    tuned = lindy("tune", path, "--chars", "2-3", "--learner", "svm", "--points", "2", "--json", "--quiet")
    assert {entry["says"].split(",")[0] for entry in json.loads(tuned.out)["best"]} == {"characters 2-3"}


def trouble(tmp_path: Path) -> Path:
    """Forty clean rows, a wrong label, a contradiction, a duplicate, a near duplicate, an empty text, a rare class."""
    rows = [(f"wonderful warm wise novel number {i} of the series", "good") for i in range(20)]
    rows += [(f"dull empty endless pages number {i} without story", "bad") for i in range(20)]
    rows += [
        (rows[3][0] + " series", "bad"),
        (rows[0][0], "bad"),
        (rows[1][0], "good"),
    ]
    rows += [("Wonderful WARM wise novel number 2, of the series!", "good"), ("", "good"), ("!", "odd")]
    path = tmp_path / "trouble.csv"
    path.write_text("text,label\n" + "".join(f'"{text}",{label}\n' for text, label in rows), encoding="utf-8")
    return path


def test_audit_finds_what_was_hidden(tmp_path: Path, lindy: Command) -> None:
    path = trouble(tmp_path)
    record = json.loads(lindy("audit", path, "--json", "--similarity", "0.95").out)
    kinds: dict[str, list[int]] = {}
    for finding in record["findings"]:
        kinds.setdefault(finding["kind"], []).append(finding["row"])
    assert 41 in kinds["label error"]
    assert kinds["contradiction"] == [42]
    assert kinds["duplicate"] == [43]
    assert kinds["near duplicate"] == [44]
    assert kinds["empty"] == [45]
    assert kinds["no words"] == [46]
    assert record["rare_classes"] == ["odd"]
    assert next(f for f in record["findings"] if f["row"] == 44)["other_row"] == 3


def test_audit_shows_and_writes_its_findings(tmp_path: Path, lindy: Command) -> None:
    path, csv_path, jsonl = trouble(tmp_path), tmp_path / "f.csv", tmp_path / "f.jsonl"
    outcome = lindy("audit", path, "-o", csv_path)
    assert "contradiction" in outcome.out
    assert "rare classes: odd" in outcome.out
    with csv_path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert lindy("audit", path, "-o", jsonl).code == 0
    records = [json.loads(line) for line in jsonl.read_text(encoding="utf-8").splitlines()]
    assert [int(row["row"]) for row in rows] == [record["row"] for record in records]
    assert list(csv.DictReader(io.StringIO(lindy("audit", path, "-o", "-").out))) == rows


def test_audit_of_a_clean_table(tmp_path: Path, lindy: Command) -> None:
    path = tmp_path / "clean.csv"
    words = ["one two", "three four"]
    rows = "".join(f"{words[i % 2]} word{i} and w{i * 7},{'ab'[i % 2]}\n" for i in range(30))
    path.write_text("text,label\n" + rows, encoding="utf-8")
    assert "nothing suspicious" in lindy("audit", path).out


def test_split_writes_all_columns_of_every_row_once(tmp_path: Path, lindy: Command) -> None:
    path = tmp_path / "t.csv"
    rows = [f'"text, {i}",{"ab"[i % 2]},{i // 4},2024-01-{i % 28 + 1:02}' for i in range(100)]
    path.write_text("text,label,author,day\n" + "\n".join(rows) + "\n", encoding="utf-8")
    assert lindy("split", path).code == 0
    found = []
    for name in ("train", "dev", "test"):
        with (tmp_path / f"t-{name}.csv").open(encoding="utf-8", newline="") as file:
            part = list(csv.DictReader(file))
        assert abs(sum(row["label"] == "a" for row in part) - len(part) / 2) <= 1
        found += part
    assert sorted(int(row["text"].split()[1]) for row in found) == list(range(100))
    outcome = lindy(
        "split", path, "--parts", "train=0.5,test=0.5", "--group", "author", "--folder", tmp_path / "g"
    )
    assert outcome.code == 0, outcome.err
    authors = []
    for name in ("train", "test"):
        with (tmp_path / "g" / f"t-{name}.csv").open(encoding="utf-8", newline="") as file:
            authors.append({row["author"] for row in csv.DictReader(file)})
    assert not authors[0] & authors[1]
    outcome = lindy(
        "split", path, "--time", "day", "--parts", "old=1,new=1", "--json", "--folder", tmp_path / "d"
    )
    assert json.loads(outcome.out)["parts"]["old"]["rows"] >= 50


def test_split_counts_leaks_and_can_avoid_them(tmp_path: Path, lindy: Command) -> None:
    path = tmp_path / "t.csv"
    path.write_text("text,label\n" + "same Text,a\nsame  text,b\n" * 30, encoding="utf-8")
    outcome = lindy("split", path)
    assert "texts that are in two parts" in outcome.err
    assert lindy("split", path, "--together").code == 1  # all in one part: nothing is left for the others
    for options in (["--parts", "train"], ["--parts", "a=1,b=x"], ["--group", "label", "--together"]):
        assert lindy("split", path, *options).code == 2
    assert lindy("split", path, "--group", "author").code == 1


def test_early_stopping_keeps_the_best_epoch_and_shows_the_curve(tmp_path: Path, lindy: Command) -> None:
    table, path = samples.path("reviews-train"), tmp_path / "m.lindy"
    outcome = lindy("train", table, "-o", path, "--learner", "mira", "--early-stop", "0.2")
    assert outcome.code == 0, outcome.err
    assert "accuracy on held-out texts" in outcome.err
    assert outcome.err.count("← kept") == 1
    assert load(path).learner_.held_out == 0.2
    assert lindy("train", table, "-o", path, "--learner", "perceptron", "--early-stop", "1").code == 2
    outcome = lindy("train", table, "-o", path, "--learner", "svm", "--early-stop")
    assert outcome.code == 2
    assert "does not learn in epochs" in outcome.err


def test_evaluate_draws_the_reliability_curve(tmp_path: Path, lindy: Command) -> None:
    train, test = samples.path("reviews-train"), samples.path("reviews-test")
    path = tmp_path / "m.lindy"
    assert lindy("train", train, "-o", path, "--learner", "maxent", "--calibrate", "best").code == 0
    outcome = lindy("evaluate", path, test, "--reliability")
    assert "without calibration" in outcome.out
    assert "│" in outcome.out
    assert lindy("train", train, "-o", path, "--learner", "svm").code == 0
    assert "without calibration" not in lindy("evaluate", path, test, "--reliability").out


def test_predict_writes_the_runners_up(tmp_path: Path, lindy: Command) -> None:
    table, path = tmp_path / "t.csv", tmp_path / "m.lindy"
    rows = "".join(f"{word} {word} book {i},{word}\n" for i in range(6) for word in ("red", "green", "blue"))
    table.write_text("text,label\n" + rows, encoding="utf-8")
    assert lindy("train", table, "-o", path, "--learner", "naive-bayes").code == 0
    outcome = lindy("predict", path, table, "--top-k", "5", "--proba")
    found = list(csv.DictReader(io.StringIO(outcome.out)))
    assert list(found[0]) == [
        "label", "probability", "label_2", "probability_2", "label_3", "probability_3", "blue", "green", "red",
    ]  # fmt: skip
    for row in found:
        assert {row["label"], row["label_2"], row["label_3"]} == {"red", "green", "blue"}
        assert float(row["probability"]) >= float(row["probability_2"]) >= float(row["probability_3"])
        assert row["probability_2"] == row[row["label_2"]]
    outcome = lindy("predict", path, table, "--top-k", "2", "--json", "--reject", "1.5")
    record = json.loads(outcome.out.splitlines()[0])
    assert record["label"] is None
    assert [entry["label"] for entry in record["next"]] == [found[0]["label_2"]]


def test_tables_without_words_or_times_are_errors_that_name_them(tmp_path: Path, lindy: Command) -> None:
    table = tmp_path / "t.csv"
    table.write_text("text,label\n" + "!,a\n?,b\n" * 10, encoding="utf-8")
    for command in ("compare", "audit"):
        outcome = lindy(command, table)
        assert outcome.code == 1
        assert str(table) in outcome.err
    lines = [
        json.dumps({"text": f"t {i}", "label": "ab"[i % 2], "day": None if i else "1"}) for i in range(10)
    ]
    rows = tmp_path / "t.jsonl"
    rows.write_text("\n".join(lines) + "\n", encoding="utf-8")
    outcome = lindy("split", rows, "--time", "day")
    assert outcome.code == 1
    assert str(rows) in outcome.err


def test_tables_of_different_formats_are_compared_and_tuned(
    table: Path, tmp_path: Path, lindy: Command
) -> None:
    """Their readers have strings of different Arrow types."""
    for name in ("other.jsonl", "other.parquet"):
        assert lindy("convert", table, tmp_path / name).code == 0
        few = ("--learner", "naive-bayes", "--learner", "majority")
        outcome = lindy("compare", table, "--test", tmp_path / name, *few)
        assert outcome.code == 0, outcome.err
        assert "4 of the 4 test texts are also among the training texts" in outcome.err
        small = ("--learner", "naive-bayes", "--points", 2, "--ngrams", 1, "-o", tmp_path / "m.lindy")
        assert lindy("tune", table, "--dev", tmp_path / name, *small).code == 0
        assert lindy("tune", tmp_path / name, "--dev", table, "--category", "text", *small).code == 0
