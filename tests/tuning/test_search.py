"""Searches: budget, journal, Ctrl-C, and the command."""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lindy import DataError, load
from lindy.cli.app import run
from lindy.cli.commands.train import fit
from lindy.data import read_examples, samples
from lindy.tuning import Features, Space, automatic, tune
from lindy.tuning.recipe import strengths
from lindy.tuning.search import Journal

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


def test_recipes_of_many_texts_are_compared_as_the_best_is_fitted(
    reviews: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    all_terms = tune(*reviews, space=SPACE, strategy="grid")
    monkeypatch.setattr(automatic, "MANY_BYTES", 1000)
    found = tune(*reviews, space=SPACE, strategy="grid")
    assert found == tune(*reviews, space=SPACE, strategy="grid", options={"min_df": 2})
    assert found.results != all_terms.results
    assert tune(*reviews, space=SPACE, strategy="grid", options={"min_df": 3}) != found
    journal, model = tmp_path / "j", tmp_path / "m.lindy"
    words = ["--learner", "naive-bayes", "--ngrams", "1", "--points", "2", "--journal", str(journal)]
    assert run(["tune", str(samples.path("reviews-train")), "-o", str(model), *words]) == 0
    capsys.readouterr()
    assert '"min_df": 2' in journal.read_text()
    saved = load(model).vectorizer_
    of_two_texts = (saved.transform_csr(reviews[0]).to_dense() > 0).sum(axis=0) >= 2
    assert of_two_texts.all()


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


@pytest.fixture
def alarms() -> Iterator[list[int]]:
    """Collect the alarms that nobody else answers."""
    seen: list[int] = []
    before = signal.signal(signal.SIGALRM, lambda number, _frame: seen.append(number))
    yield seen
    signal.signal(signal.SIGALRM, before)


def interrupt_after_the_first_result(monkeypatch: pytest.MonkeyPatch) -> None:
    note = Journal.note

    def note_and_interrupt(self: Journal, gains: Any, number: int) -> None:
        note(self, gains, number)
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(Journal, "note", note_and_interrupt)


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="interrupts come once")
def test_an_interrupt_that_ended_the_search_does_not_end_the_fit_of_the_best(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, alarms: list[int], capsys: pytest.CaptureFixture[str]
) -> None:
    interrupt_after_the_first_result(monkeypatch)

    def fit_for_long(*args: Any, **options: Any) -> Any:
        signal.raise_signal(signal.SIGALRM)  # half a second later, an interrupt that was lost is raised again
        assert signal.getitimer(signal.ITIMER_REAL)[1] == 0.0, "and no further one is on its way"
        return fit(*args, **options)

    monkeypatch.setattr("lindy.cli.commands.tune.fit", fit_for_long)
    model = tmp_path / "m.lindy"
    words = ["--learner", "naive-bayes", "--ngrams", "1", "--points", "2", "-o", str(model)]
    assert run(["tune", str(samples.path("reviews-train")), *words]) == 0, capsys.readouterr().err
    assert "(interrupted)" in capsys.readouterr().err
    assert alarms == [signal.SIGALRM]
    assert "naive Bayes" in load(model).recipe_


def test_a_second_interrupt_ends_the_fit_of_the_best(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    interrupt_after_the_first_result(monkeypatch)

    def interrupted_fit(*_args: Any, **_options: Any) -> None:
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr("lindy.cli.commands.tune.fit", interrupted_fit)
    model = tmp_path / "m.lindy"
    words = ["--learner", "naive-bayes", "--ngrams", "1", "--points", "2", "-o", str(model)]
    assert run(["tune", str(samples.path("reviews-train")), *words]) == 130
    assert capsys.readouterr().err.endswith("error: interrupted; nothing was written\n")
    assert not model.exists()
