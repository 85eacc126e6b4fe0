"""``--min-count`` and ``--select`` on the command line."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from lindy.data import samples
from lindy.textclassifier import load
from tests.cli.conftest import Command
from tests.cli.test_bad_input import assert_refused


def test_train_keeps_what_was_selected(tmp_path: Path, lindy: Command) -> None:
    model = tmp_path / "m.lindy"
    told = lindy(
        "train",
        samples.path("reviews-train"),
        "-o",
        model,
        "--learner",
        "svm",
        "--select",
        "chi2:50",
        "--json",
    )
    assert told.code == 0, told.err
    assert json.loads(told.out)["features"] == 50
    assert "at most 50 features of a kind, by χ²" in told.err
    assert load(model).vectorizer_.n_columns == 50
    assert lindy("evaluate", model, samples.path("reviews-test")).code == 0
    shown = lindy("inspect", model).out
    assert "dull" in shown


def test_rare_words_are_left_out(tmp_path: Path, lindy: Command) -> None:
    table = tmp_path / "t.csv"
    table.write_text("text,label\ngood good book,pos\nbad bad book,neg\n" * 3 + "secretword good,pos\n")
    model = tmp_path / "m.lindy"
    assert lindy("train", table, "-o", model, "--learner", "naive-bayes", "--min-count", 2).code == 0
    assert b"secretword" not in model.read_bytes()
    outcome = lindy("train", table, "-o", model, "--learner", "naive-bayes", "--min-count", 99)
    assert_refused(outcome, "t.csv", "min_count")


def test_features_with_values_are_selected_too(tmp_path: Path, lindy: Command) -> None:
    data = tmp_path / "books.review"
    data.write_text("good:2 book:1 #label#:positive\nbad:2 book:1 #label#:negative\n" * 4)
    model = tmp_path / "m.lindy"
    options = ("--learner", "svm", "--select", "information-gain:2", "--min-count", "5")
    assert lindy("train", data, "-o", model, *options).code == 0
    assert sorted(load(model).vectorizer_.feature_names_) == ["bad", "good"]


def test_learners_are_compared_on_selected_words(lindy: Command) -> None:
    train, test = samples.path("reviews-train"), samples.path("reviews-test")
    options = ("--select", "chi2:100", "--min-count", 2, "--learner", "svm", "--learner", "naive-bayes")
    told = lindy("compare", train, "--test", test, *options)
    assert told.code == 0, told.err
    assert "100 features" in told.out + told.err


@pytest.mark.parametrize(
    ("options", "pieces"),
    [
        (("--select", "chi2"), ("--select", "chi2:10000")),
        (("--select", "chi:5"), ("--select", "Did you mean 'chi2'?")),
        (("--select", "chi2:0"), ("--select", "at least 1")),
        (("--min-count", "0"), ("--min-count", "from 1 on")),
        (("--min-count", "many"), ("--min-count", "whole number")),
    ],
)
def test_wrong_options(
    options: tuple[str, ...], pieces: tuple[str, ...], table: Path, lindy: Command
) -> None:
    assert_refused(lindy("train", table, *options), *pieces, code=2)


def test_a_learner_without_features_refuses(table: Path, tmp_path: Path, lindy: Command) -> None:
    outcome = lindy("train", table, "-o", tmp_path / "m", "--learner", "lexicon", "--select", "df:5")
    assert_refused(outcome, "no features to select")


def test_words_are_cut_into_subwords(tmp_path: Path, lindy: Command) -> None:
    model = tmp_path / "m.lindy"
    train, test = samples.path("reviews-train"), samples.path("reviews-test")
    told = lindy("train", train, "-o", model, "--learner", "svm", "--subwords", 300, "--ngrams", "1-2")
    assert told.code == 0, told.err
    assert "recipe: subwords 1-2, tf-idf; SVM" in told.err
    names = load(model).vectorizer_.get_feature_names_out().tolist()
    assert any(name.startswith("##") for name in names)
    assert "##" in lindy("explain", model, "an unputdownable bookishness").out
    assert lindy("evaluate", model, test).code == 0
    refused = lindy("train", train, "-o", model, "--subwords", 300, "--hash", 1024)
    assert_refused(refused, "argument --subwords: it needs a vocabulary, and --hash has none", code=2)


def test_rare_words_become_one_feature(tmp_path: Path, lindy: Command) -> None:
    table, model = tmp_path / "t.csv", tmp_path / "m.lindy"
    table.write_text("text,label\ngood good book,pos\nbad bad book,neg\n" * 3 + "secretword good,pos\n")
    told = lindy("train", table, "-o", model, "--learner", "naive-bayes", "--oov", 2)
    assert told.code == 0, told.err
    assert b"secretword" not in model.read_bytes()
    assert "<OOV>" in lindy("explain", model, "never heard of").out


def test_prefixes_and_suffixes_stand_beside_words(tmp_path: Path, lindy: Command) -> None:
    model, train = tmp_path / "m.lindy", samples.path("reviews-train")
    for learner in ("svm", "naive-bayes", "auto"):
        told = lindy(
            "train", train, "-o", model, "--learner", learner, "--prefixes", "3", "--suffixes", "2-3"
        )
        assert told.code == 0, told.err
        assert "prefixes 3" in load(model).recipe_
        assert "suffixes 2-3" in load(model).recipe_
        assert re.search(r"(recipe|taken): .*prefixes 3.* suffixes 2-3", told.err)
        assert " unp" in lindy("explain", model, "an unputdownable story", "--json").out


def test_only_words_that_are_marked_so_are_said_not_to_be_known(tmp_path: Path, lindy: Command) -> None:
    model, train = tmp_path / "m.lindy", samples.path("reviews-train")
    assert lindy("train", train, "-o", model, "--learner", "maxent", "--prefixes", "3").code == 0
    shown = lindy("explain", model, "wonderfulest").out
    assert re.match(r"\[[+-]+wonderfulest\]", shown), "a known beginning of an unknown word"
    assert "is not known" not in shown
    shown = lindy("explain", model, "wonderfulest zzyzx").out
    assert "[?zzyzx]" in shown
    assert "[?] is not known" in shown
