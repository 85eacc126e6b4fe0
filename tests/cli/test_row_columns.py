"""Columns that are no features: ``--group``, ``--time`` and ``--weight`` of the commands."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pytest

from lindy import load
from lindy.data import SplitPolicy
from lindy.evaluation import compare
from lindy.tuning import held_out
from tests.cli.conftest import Command

CUSTOMERS = 40


@pytest.fixture
def customers(tmp_path: Path) -> Path:
    """Five texts of each customer, all with the customer's own label: known customers are easy, others a guess."""
    rng = np.random.default_rng(0)
    path = tmp_path / "customers.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        out = csv.writer(file)
        out.writerow(["text", "label", "customer", "day", "weight"])
        for row in range(5 * CUSTOMERS):
            customer = row % CUSTOMERS
            label = "ab"[(customer * 7 // 3) % 2]
            noise = " ".join(f"w{n}" for n in rng.integers(0, 30, 4))
            out.writerow(
                [
                    f"name{customer}x {noise} row{row}",
                    label,
                    customer,
                    f"2024-01-{1 + row // 10:02}",
                    1 + row % 2,
                ]
            )
    return path


def right(summary: dict[str, Any]) -> float:
    """Return the share that a summary says was right."""
    (line,) = [line for line in summary["why"] if line.startswith("taken")]
    return float(line.rpartition(": ")[2].partition(" %")[0])


def test_known_customers_do_not_make_a_recipe_look_good(
    customers: Path, tmp_path: Path, lindy: Command
) -> None:
    model = tmp_path / "m.lindy"
    alone = json.loads(lindy("train", customers, "-o", model, "--json").out)
    grouped = json.loads(lindy("train", customers, "-o", model, "--json", "--group", "customer").out)
    assert right(alone) > 95
    assert right(grouped) < 75
    surest = load(model).predict_proba(["name3x w1 w2"]).max()
    assert surest < 0.9  # calibrated by customers that learners had not seen


def splits_seen(lindy: Command, *words: Any) -> list[tuple[Any, Any]]:
    """Run a search and return its splits."""
    seen: list[tuple[Any, Any]] = []
    plain = held_out.HeldOut.__init__

    def note(self: Any, task: Any, splits: Any, **more: Any) -> None:
        seen.extend(splits)
        plain(self, task, splits, **more)

    with mock.patch.object(held_out.HeldOut, "__init__", note):
        outcome = lindy(*words)
    assert outcome.code == 0, outcome.err
    return seen


@pytest.mark.parametrize("how", [[], ["--folds", "3"]])
def test_a_search_keeps_groups_and_times_apart(how: list[str], customers: Path, lindy: Command) -> None:
    rows = list(csv.DictReader(customers.read_text(encoding="utf-8").splitlines()))
    words = ["tune", customers, "--learner", "naive-bayes", "--points", "2", "--ngrams", "1", *how]
    seen = splits_seen(lindy, *words, "--group", "customer")
    assert seen
    for train, held in seen:
        assert not {rows[i]["customer"] for i in train} & {rows[i]["customer"] for i in held}
    seen = splits_seen(lindy, *words, "--time", "day")
    assert seen
    for train, held in seen:
        assert max(rows[i]["day"] for i in train) < min(rows[i]["day"] for i in held)


def compared(lindy: Command, *words: Any) -> tuple[list[str], list[str], str]:
    """Run a comparison; return the texts to learn from, those to test on, and what was said."""
    seen: list[Any] = []
    plain = compare.vectorize

    def note(train: Any, test: Any, **more: Any) -> Any:
        seen.extend([train.to_pylist(), test.to_pylist()])
        return plain(train, test, **more)

    with mock.patch.object(compare, "vectorize", note):
        outcome = lindy("compare", *words, "--learner", "naive-bayes", "--learner", "majority")
    assert outcome.code == 0, outcome.err
    return seen[0], seen[1], outcome.err


def names(texts: list[str]) -> set[str]:
    return {text.split()[0] for text in texts}


def numbers(texts: list[str]) -> list[int]:
    return [int(text.rpartition("row")[2]) for text in texts]


def test_a_comparison_keeps_groups_and_times_apart(customers: Path, tmp_path: Path, lindy: Command) -> None:
    train, test, _ = compared(lindy, customers, "--group", "customer")
    assert not names(train) & names(test)
    assert len(test) == 40
    train, test, _ = compared(lindy, customers, "--time", "day")
    assert max(numbers(train)) < min(numbers(test))
    train, test, _ = compared(
        lindy, customers, "--time", "day", "--group", "customer", "--metric", "macro-f1"
    )
    assert max(numbers(train)) < min(numbers(test))
    assert not names(train) & names(test)
    other = tmp_path / "test.csv"
    lines = customers.read_text(encoding="utf-8").splitlines(keepends=True)
    other.write_text("".join([lines[0], *lines[-3:]]), encoding="utf-8")
    train, test, said = compared(lindy, customers, "--test", other, "--group", "customer")
    assert len(test) == 3
    assert not names(train) & names(test)
    assert "left out 15 rows to train on: their group is in the table to test on" in said


def test_an_audit_asks_learners_that_know_no_row_of_the_group(customers: Path, lindy: Command) -> None:
    lines = customers.read_text(encoding="utf-8").splitlines(keepends=True)
    wrong = [
        lines[i].replace(",a,", ",b,") if ",a," in lines[i] else lines[i].replace(",b,", ",a,")
        for i in range(1, 7)
    ]
    customers.write_text("".join([lines[0], *wrong, *lines[7:]]), encoding="utf-8")
    found = []
    for words in ([], ["--group", "customer"]):
        audited = json.loads(lindy("audit", customers, "--json", *words).out)
        found.append({f["row"] for f in audited["findings"] if f["kind"] == "label error"})
    assert len(found[0] & set(range(1, 7))) > 2  # the other texts of the customer say so
    assert not found[1] & set(range(1, 7))


def test_a_report_is_tested_on_groups_of_its_own(customers: Path, tmp_path: Path, lindy: Command) -> None:
    taken: list[SplitPolicy] = []
    plain = SplitPolicy.hold_out

    def note(self: SplitPolicy, *rest: Any) -> Any:
        taken.append(self)
        return plain(self, *rest)

    page = tmp_path / "page.html"
    with mock.patch.object(SplitPolicy, "hold_out", note):
        outcome = lindy(
            *("train", customers, "-o", tmp_path / "m.lindy", "--learner", "svm", "--report", page),
            *("--group", "customer", "--weight", "weight"),
        )
    assert outcome.code == 0, outcome.err
    assert "40 of its 200 examples" in page.read_text(encoding="utf-8")
    assert [len(division.groups) for division in taken] == [200, 160]  # the test, and the learning curve
    model = tmp_path / "m.lindy"
    again = ["report", model, customers, "--train", customers, "-o", tmp_path / "again.html"]
    assert lindy(*again, "--group", "customer", "--time", "day").code == 0


def test_a_weight_of_two_is_two_rows(tmp_path: Path, lindy: Command) -> None:
    head, rows = (
        "text,label,times\n",
        ["good book,a,1\n", "bad film,b,2\n", "good film,a,3\n", "bad book,b,1\n"],
    )
    once, often = tmp_path / "once.csv", tmp_path / "often.csv"
    once.write_text(head + "".join(rows), encoding="utf-8")
    often.write_text(head + "".join(row * int(row[-2]) for row in rows), encoding="utf-8")
    models = []
    for path, words in ((once, ["--weight", "times"]), (often, [])):
        target = tmp_path / f"{path.stem}.lindy"
        outcome = lindy(
            "train",
            path,
            "--learner",
            "naive-bayes",
            *words,
            "-o",
            target,
            "--text",
            "text",
            "--label",
            "label",
        )
        assert outcome.code == 0, outcome.err
        models.append(load(target))
    texts = ["good film", "bad", "book film"]
    assert models[0].predict_proba(texts) == pytest.approx(models[1].predict_proba(texts))


def test_such_columns_are_not_taken_for_texts_or_labels(tmp_path: Path, lindy: Command) -> None:
    path = tmp_path / "t.csv"
    rows = [f"an inquiry number {i} of some length,{'xy'[i % 2]},c{i % 6},{i % 4}\n" for i in range(48)]
    path.write_text("said,kind,who,how\n" + "".join(rows), encoding="utf-8")
    words = ["train", path, "-o", tmp_path / "m.lindy", "--learner", "svm"]
    assert "more than one column looks like a label" in lindy(*words).err
    outcome = lindy(*words, "--group", "who", "--weight", "how")
    assert outcome.code == 0, outcome.err
    assert "text from column 'said'" in outcome.err
    assert "label from column 'kind'" in outcome.err


@pytest.mark.parametrize(("value", "told"), [("x", "'w' is 'x'"), ("", "is missing"), ("-1", "is -1")])
def test_what_is_no_weight_is_told_with_what_to_do(
    value: str, told: str, tmp_path: Path, lindy: Command
) -> None:
    path = tmp_path / "t.csv"
    path.write_text(f"text,label,w\ngood,a,1\nbad,b,{value}\n")
    outcome = lindy("train", path, "-o", tmp_path / "m.lindy", "--weight", "w")
    assert f"{path}, line 3 (row 2): " in outcome.err
    assert told in outcome.err
    assert "Give every row a weight; 0 leaves it out." in outcome.err
    assert "category" not in outcome.err


@pytest.mark.parametrize("command", ["train", "tune", "compare", "audit", "split"])
def test_errors_name_the_column_the_file_and_the_line(
    command: str, customers: Path, tmp_path: Path, lindy: Command
) -> None:
    more = {"train": ["-o", tmp_path / "m.lindy"], "split": ["--folder", tmp_path]}.get(command, [])
    outcome = lindy(command, customers, *more, "--group", "custmer")
    assert outcome.code == 1
    assert f"{customers}: no column 'custmer'" in outcome.err
    assert "Did you mean 'customer'?" in outcome.err
    outcome = lindy(command, customers, *more, "--time", "text")
    assert outcome.code == 1
    assert f"{customers}, line 2 (row 1): 'text' is 'name0x" in outcome.err
    assert "expected a date such as 2024-05-31" in outcome.err
    outcome = lindy(command, customers, *more, "--group", "customer", "--group", "day")
    assert outcome.code == 2
    one = tmp_path / "one.csv"
    one.write_text("text,label,who\n" + "good,a,me\nbad,b,me\n" * 20, encoding="utf-8")
    outcome = lindy(command, one, *more, "--group", "who")
    assert outcome.code == 1
    assert f"{one}: all 40 rows have the same group: none can be held out" in outcome.err


def test_early_stopping_says_when_nothing_could_be_held_out(tmp_path: Path, lindy: Command) -> None:
    path = tmp_path / "t.csv"
    path.write_text("text,label,who\n" + "good book,a,me\nbad film,b,you\n" * 20, encoding="utf-8")
    words = ["train", path, "-o", tmp_path / "m.lindy", "--group", "who", "--learner", "mira", "--early-stop"]
    outcome = lindy(*words)
    assert outcome.code == 0, outcome.err
    assert "no row could be held out to stop early by" in outcome.err


def test_split_by_group_and_time_says_what_is_left_out(
    customers: Path, tmp_path: Path, lindy: Command
) -> None:
    outcome = lindy(
        "split", customers, "--group", "customer", "--time", "day", "--folder", tmp_path / "p", "--json"
    )
    assert outcome.code == 0, outcome.err
    report = json.loads(outcome.out)
    left = sum(part["rows"] for part in report["parts"].values())
    assert report["left out"] == 200 - left > 0
    assert "their groups are in several parts of the time" in outcome.err
    assert lindy("split", customers, "--together", "--time", "day", "--folder", tmp_path / "q").code == 0


def test_compare_learns_with_weights(tmp_path: Path, lindy: Command) -> None:
    rng = np.random.default_rng(0)
    table = tmp_path / "weighted.csv"
    with table.open("w", encoding="utf-8", newline="") as file:
        out = csv.writer(file)
        out.writerow(["text", "label", "trust"])
        for row in range(300):
            word, trust = "ab"[row % 2], int(row % 10 >= 4)
            noise = " ".join(f"w{n}" for n in rng.integers(0, 30, 4))
            # what is not to be trusted has the other label
            out.writerow([f"{word * 3} {noise}", word if trust or row >= 200 else "ba"[row % 2], trust])
    test = tmp_path / "test.csv"
    test.write_text("text,label\n" + "aaa w1,a\nbbb w2,b\n" * 20)
    learners = ["--learner", "svm", "--learner", "naive-bayes"]
    told = lindy("compare", table, "--test", test, "--weight", "trust", *learners, "--json")
    assert told.code == 0, told.err
    assert [result["accuracy"] for result in json.loads(told.out)["results"]] == [1.0, 1.0]
    refused = lindy("compare", table, "--weight", "trust", "--learner", "kernel-perceptron")
    assert refused.code == 2
    assert "'kernel-perceptron' cannot weigh examples" in refused.err


@pytest.mark.parametrize("kind", ["epochs", "learning-curve", "path"])
def test_pictures_of_held_out_rows_keep_customers_apart(
    customers: Path, tmp_path: Path, lindy: Command, kind: str
) -> None:
    made: list[SplitPolicy] = []
    hold_out = SplitPolicy.hold_out

    def watched(self: SplitPolicy, codes: Any, share: float, random_state: int = 0) -> Any:
        train, held = hold_out(self, codes, share, random_state)
        assert self.groups is not None
        assert not set(self.groups[train]) & set(self.groups[held])
        made.append(self)
        return train, held

    picture = tmp_path / "picture.png"
    words = ["plot", kind, customers, "--group", "customer", "-o", picture]
    words += ["--epochs", 2] if kind == "epochs" else []
    with mock.patch.object(SplitPolicy, "hold_out", watched):
        told = lindy(*words)
    assert told.code == 0, told.err
    assert made
    assert picture.exists()
    wrong = lindy("plot", "objective", customers, "--group", "customer", "-o", picture)
    assert wrong.code == 2
    assert "plot objective holds no rows out" in wrong.err
