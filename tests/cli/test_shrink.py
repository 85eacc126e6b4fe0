"""``lindy shrink`` and ``lindy train --small``: files, what is said, JSON, and what they refuse."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from lindy import load
from lindy.cli.commands.shrink import summary
from lindy.data import samples
from tests.cli.conftest import Command

TRAIN, TEST = (samples.path(f"reviews-{part}") for part in ("train", "test"))


@pytest.fixture(scope="module")
def reviews(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from lindy.cli.app import run

    path = tmp_path_factory.mktemp("models") / "reviews.lindy"
    assert run(["train", str(TRAIN), "-o", str(path), "--learner", "svm", "--ngrams", "1-2", "-q"]) == 0
    return path


def test_a_small_file_says_what_it_costs(lindy: Command, reviews: Path, tmp_path: Path) -> None:
    target = tmp_path / "small.lindy"
    done = lindy("shrink", reviews, "-o", target, "--size", "10kB", "--texts", TRAIN, "--json")
    assert done.code == 0
    record, small = json.loads(done.out), load(target)
    assert os.stat(target).st_size == record["bytes"] <= 10_000 < record["bytes_before"]
    assert record["features"] == small.vectorizer_.n_columns < record["features_before"]
    assert small.small_ is not None
    assert str(small.small_.loss) == record["said"]
    assert record["said"] in done.err
    assert "instead of" in done.err
    assert "warning" not in done.err
    assert lindy("evaluate", target, TEST).code == 0
    assert "weights of 8 bits" in lindy("inspect", target).out
    assert "8 bits" in json.loads(lindy("inspect", target, "--json").out)["small"]


def test_another_table_to_learn_from_or_a_seen_one_to_test_on_is_a_warning(
    lindy: Command, reviews: Path, tmp_path: Path
) -> None:
    target = tmp_path / "small.lindy"
    done = lindy("shrink", reviews, "-o", target, "--size", "10kB", "--texts", TEST, "--test", TRAIN)
    assert "not trained on" in done.err
    assert "used for training" in done.err


def test_by_loss_and_without_texts(lindy: Command, reviews: Path, tmp_path: Path) -> None:
    target = tmp_path / "small.lindy"
    done = lindy("shrink", reviews, "-o", target, "--loss", "2", "--test", TEST, "--json")
    loss = json.loads(done.out)["loss"]
    assert 100 * (loss["accuracy"] - loss["smaller_accuracy"]) <= 2
    done = lindy("shrink", reviews, "-o", target, "--json", "--force")
    assert json.loads(done.out)["loss"] is None
    assert "add --texts or --test" in done.err


def test_training_a_small_model(lindy: Command, tmp_path: Path) -> None:
    target = tmp_path / "small.lindy"
    done = lindy("train", TRAIN, "-o", target, "--learner", "svm", "--small", "--json")
    assert done.code == 0
    assert json.loads(done.out)["small"]["bytes"] == os.stat(target).st_size <= 1_000_000
    assert load(target).small_ is not None
    assert load(target).columns_["label"] == "label"
    assert "points" in done.err
    other = lindy("train", TRAIN, "-o", target, "--small", "--learner", "naive-bayes")
    assert other.code == 2
    assert "no weights of features" in other.err
    refused = lindy("train", TRAIN, "-o", target, "--small", "--keep-rows")
    assert refused.code == 2
    assert "--keep-rows" in refused.err


def test_updates_and_merges_refuse_it(lindy: Command, reviews: Path, tmp_path: Path) -> None:
    target = tmp_path / "small.lindy"
    assert lindy("shrink", reviews, "-o", target, "--size", "10kB").code == 0
    for words in (("update", target, TEST), ("merge", target, reviews), ("shrink", target)):
        done = lindy(*words, "-o", tmp_path / "new.lindy")
        assert done.code == 1
        assert "small one" in done.err
        assert not (tmp_path / "new.lindy").exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--size", "0"), "is not a size"),
        (("--size", "1MB", "--loss", "1", "--test", TEST), "argument --loss"),
        (("--loss", "1"), "measured on labelled texts"),
        (("--loss", "-1", "--test", TEST), "not a number above 0"),
        (("--label", "label"), "--test"),
    ],
)
def test_what_contradicts_itself_is_refused(
    lindy: Command, reviews: Path, tmp_path: Path, words: tuple[str, ...], said: str
) -> None:
    done = lindy("shrink", reviews, "-o", tmp_path / "new.lindy", *words)
    assert done.code == 2
    assert said in done.err


def test_a_model_that_was_not_made_small_has_no_summary(reviews: Path) -> None:
    with pytest.raises(ValueError, match="not a small one"):
        summary(load(reviews), str(reviews))
