"""Kernels on the command line: train, predict, evaluate, explain, inspect."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import lindy as package
from lindy.kernels.named import NAMED
from tests.cli.conftest import TRAIN, Command

TREES = """text,label
(S (NP (D the) (N dog)) (VP (V barks))),statement
(S (NP (D a) (N cat)) (VP (V sleeps))),statement
(Q (W who) (VP (V barks))),question
(Q (W what) (VP (V sleeps))),question
"""


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "books.csv"
    path.write_text(TRAIN, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    "options",
    [
        ("--kernel", "poly", "--degree", "2"),
        ("--kernel", "rbf", "--gamma", "0.5", "--param", "C=10"),
        ("--kernel", "subsequence", "--length", "3", "--decay", "0.6"),
        ("--kernel", "spectrum", "--learner", "kernel-perceptron"),
    ],
    ids=" ".join,
)
def test_a_kernel_model_does_what_every_model_does(
    options: tuple[str, ...], table: Path, lindy: Command
) -> None:
    model = table.with_name("model.lindy")
    trained = lindy("train", table, *options, "-o", model, "--json")
    assert trained.code == 0, trained.err
    assert 1 <= json.loads(trained.out)["support examples"] <= 4
    assert "support examples" in trained.err
    assert lindy("evaluate", model, table, "--json").code == 0
    assert lindy("predict", model, table).out.splitlines()[1].startswith("good")
    seen = lindy("inspect", model)
    assert seen.code == 0, seen.err
    assert "support examples of 4" in seen.out
    told = lindy("explain", model, "dull <b>and</b> wonderful", "--html", table.with_name("why.html"))
    assert told.code == 0, told.err
    assert "training example" in told.out
    shares = json.loads(lindy("explain", model, "dull and wonderful", "--json").out)["support"]
    assert sum(example["share"] for example in shares) == pytest.approx(1)
    assert {example["label"] for example in shares} == {"good", "bad"}
    assert "<b>" not in table.with_name("why.html").read_text(encoding="utf-8").replace("<bdi>", "")


def test_kernels_of_texts_show_the_texts_and_of_words_their_words(table: Path, lindy: Command) -> None:
    for kernel, shown in (("subsequence", "dull and empty"), ("linear", "dull")):
        lindy("train", table, "--kernel", kernel, "-o", table.with_name(f"{kernel}.lindy"))
        assert shown in lindy("explain", table.with_name(f"{kernel}.lindy"), "how dull").out


def test_trees(tmp_path: Path, lindy: Command) -> None:
    (tmp_path / "trees.csv").write_text(TREES, encoding="utf-8")
    model = tmp_path / "trees.lindy"
    trained = lindy(
        "train", tmp_path / "trees.csv", "--kernel", "subset-tree", "--calibrate", "none", "-o", model
    )
    assert trained.code == 0, trained.err
    loaded = package.load(model)
    assert loaded.predict(["(Q (W who) (VP (V runs)))"]).tolist() == ["question"]
    told = lindy(
        "train", tmp_path / "trees.csv", "--kernel", "subtree", "--text", "label", "--label", "label"
    )
    assert told.code != 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--degree", "3"), "--degree: it is an option of a kernel"),
        (("--kernel", "gauss"), "no kernel is called 'gauss'"),
        (("--kernel", "poly", "--degree", "two"), "degree takes a number"),
        (("--kernel", "poly", "--learner", "svm"), "svm has none"),
        (("--kernel", "poly", "--degree", "0"), "degree must be a whole number"),
    ],
    ids=str,
)
def test_what_cannot_be_is_named(options: tuple[str, ...], message: str, table: Path, lindy: Command) -> None:
    told = lindy("train", table, *options)
    assert told.code != 0
    assert message in told.err
    assert "Traceback" not in told.err


def test_every_kernel_is_in_the_help(lindy: Command) -> None:
    _, _, kernels = lindy("train", "--help").out.rpartition("--kernel NAME")
    assert set(NAMED) <= set(
        re.findall(r"[a-z-]+", re.sub(r"-\s+", "-", kernels))
    )  # a line may end in a hyphen
    assert all(f'"{name}"' in (package.KernelSVM.__doc__ or "") for name in NAMED)
