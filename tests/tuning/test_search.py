"""Searches: budget, journal, Ctrl-C, and the command."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from lindy import DataError, load
from lindy.cli.app import run
from lindy.data import read_examples, samples
from lindy.tuning import Features, Space, tune
from lindy.tuning.space import strengths

SPACE = Space(
    [Features((1, 1))], ["tfidf"], {"svm": strengths("svm", 3), "naive-bayes": strengths("naive-bayes", 2)}
)


@pytest.fixture(scope="module")
def reviews() -> Any:
    examples = read_examples(samples.path("reviews-train"))
    return examples.texts, examples.labels.to_pylist()


@pytest.mark.parametrize("strategy", ["grid", "random", "halving"])
def test_the_best_comes_first_and_a_journal_repeats_nothing(
    strategy: str, reviews: Any, tmp_path: Path
) -> None:
    options: dict[str, Any] = {
        "space": SPACE,
        "strategy": strategy,
        "k": 2,
        "journal": tmp_path / "j",
        "n_random": 4,
    }
    first = tune(*reviews, **options)
    assert first.ended == "done"
    last = [result.accuracy for result in first.results if result.rung == first.best.rung]
    assert last == sorted(last, reverse=True)
    assert len(first.results) == (4 if strategy == "random" else 9)
    assert tune(*reviews, **options, budget=1e-9) == first  # no time to try anything again
    with pytest.raises(DataError, match="other"):
        tune(*reviews, **options | {"random_state": 1})


def test_a_budget_and_ctrl_c_keep_the_best_so_far(reviews: Any) -> None:
    assert tune(*reviews, space=SPACE, strategy="grid", budget=1e-9).ended == "budget"

    def interrupt(*_: Any) -> None:
        raise KeyboardInterrupt

    stopped = tune(*reviews, space=SPACE, strategy="grid", progress=interrupt)
    assert stopped.ended == "interrupted"
    assert stopped.best.trials == 1


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table, model = str(samples.path("reviews-train")), tmp_path / "m.lindy"
    words = ["tune", table, "--learner", "svm", "--points", "2", "--budget", "1m", "--json", "-o", str(model)]
    assert run(words) == 0
    result = json.loads(capsys.readouterr().out)
    assert load(model).recipe_ == result["best"][0]["says"]
    assert load(model).seen_["tuning"]
    assert run(["tune", table, "--budget", "soon"]) == 2
    assert run(["tune", table, "--learner", "magic"]) == 2


def test_recipes_are_compared_on_a_table_of_their_own(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table, dev, model = samples.path("reviews-train"), samples.path("reviews-test"), tmp_path / "m.lindy"
    words = ["tune", str(table), "--dev", str(dev), "--learner", "naive-bayes", "--strategy", "grid"]
    assert run([*words, "--points", "2", "--json", "-o", str(model)]) == 0
    best = json.loads(capsys.readouterr().out)["best"][0]
    held_out = read_examples(dev)
    tuned = load(model)
    assert tuned.score(held_out.texts, held_out.labels) == pytest.approx(best["accuracy"])
    assert tuned.roles_of(held_out.texts, held_out.labels) == ["tuning"]
    assert run([*words, "--folds", "3"]) == 2
    assert run(["tune", str(table), "--dev", "1.5"]) == 2
    assert run(["tune", str(table), "--dev", str(tmp_path / "missing.csv")]) == 1
    capsys.readouterr()


def test_halving_says_from_how_many_rows_a_recipe_learned(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["tune", str(samples.path("reviews-train")), "--learner", "naive-bayes", "--points", "3"]
    assert run(words) == 0
    head, first, *others = capsys.readouterr().out.splitlines()
    assert head.split() == ["recipe", "accuracy", "learned", "from"]
    assert first.endswith("all rows")
    assert any(line.endswith("1/3 of them") for line in others)
