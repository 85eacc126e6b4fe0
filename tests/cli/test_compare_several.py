"""``lindy compare`` of tables with several labels per row."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from tests.cli.conftest import Command


def written(path: Path, seed: int, separator: str = "|") -> Path:
    rng = np.random.default_rng(seed)
    lines = ["text,tags"]
    for i in range(120):
        own = [f"l{k}" for k in sorted(rng.permutation(5)[: rng.integers(0, 4)])]
        words = [f"about {label}" for label in own if rng.random() < 0.9]
        lines.append(f"text {i % 7} {seed}.{i} {' '.join(words)},{separator.join(own)}")
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(tmp_path_factory.mktemp("several") / "train.csv", 0)


def test_all_usual_learners_that_can_are_compared(table: Path, lindy: Command, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    told = lindy("compare", table, "--label", "tags", "--curve", "--report", page)
    assert told.code == 0, told.err
    assert "left out: word-lists, lexicon, which cannot learn several labels per text" in told.err
    assert "difference of micro-f1 against the best" in told.out
    assert "micro-f1 with" in told.out
    assert "exact: share of the texts that get exactly their labels" in told.out
    assert "Micro-f1 against the number of training texts" in page.read_text(encoding="utf-8")
    found = json.loads(lindy("compare", table, "--label", "tags", "--json", "--threads", 1).out)
    assert {own["name"] for own in found["results"]} == {
        "majority", "naive-bayes", "perceptron", "mira", "maxent", "svm", "nb-svm",
    }  # fmt: skip
    assert (found["metric"], found["several_labels"]) == ("micro-f1", True)
    shown = [line.split()[:2] for line in told.out.splitlines() if line.startswith(("svm", "mira"))][:2]
    assert shown == [
        [r["name"], f"{r['figure']:.4f}"] for r in found["results"] if r["name"] in ("svm", "mira")
    ]


def test_a_second_table_is_read_as_the_first(table: Path, lindy: Command, tmp_path: Path) -> None:
    few = ("--learner", "svm", "--learner", "majority", "--json", "--metric", "macro-f1", "--label", "tags")
    other = written(tmp_path / "test.csv", 1)
    found = json.loads(lindy("compare", table, "--test", other, *few).out)
    assert found["train_rows"] == found["test_rows"] == 120
    best, worst = found["results"]
    assert best["name"] == "svm"
    assert best["figure"] == best["macro_f1"] > worst["figure"]
    assert worst["p_value"] < 1e-4
    short = tmp_path / "short.csv"  # too few rows to find by content that labels are joined
    short.write_text("text,tags\ntext about l1 about l2,l1|l2\nabout l3,l3|unknown\nnothing,\n")
    found = json.loads(lindy("compare", table, "--test", short, *few).out)
    assert found["test_rows"] == 3
    one = tmp_path / "one.csv"
    one.write_text("text,tags\n" + "good,yes\nbad,no\n" * 5)
    lists = tmp_path / "lists.jsonl"
    lists.write_text('{"text": "good", "tags": ["yes", "no"]}\n{"text": "bad", "tags": []}\n')
    told = lindy("compare", one, "--test", lists, *few)
    assert told.code == 1
    assert "rows have several labels, and those of" in told.err


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--learner", "kernel-svm"), "KernelSVM cannot learn several labels per text"),
        (("--metric", "log-loss"), "the metric log-loss is for one label per text"),
        (("--metric", "f1:l9"), "no label is called 'l9'"),
        (("--weighting", "log-count-ratio"), "looks at the classes of texts"),
        (("--select", "chi2:10"), "looks at the classes of texts"),
    ],
)
def test_what_is_for_one_label_is_refused(
    options: tuple[str, ...], says: str, table: Path, lindy: Command
) -> None:
    told = lindy("compare", table, "--label", "tags", *options)
    assert told.code == 1, told.err
    assert says in told.err
