"""What a newcomer reads first: the help of every command, and what is said about a command that was mistyped."""

from __future__ import annotations

import argparse
import json
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from lindy import TextClassifier
from lindy.cli.app import COMMANDS, parser
from tests.cli.conftest import Command


def parsers() -> dict[str, argparse.ArgumentParser]:
    (found,) = (a for a in parser()._actions if isinstance(a, argparse._SubParsersAction))
    return dict(found.choices)


@pytest.mark.parametrize("command", COMMANDS)
def test_the_examples_of_a_command_are_understood(command: str) -> None:
    shown = parsers()[command].epilog or ""
    head, *lines = shown.split("\n")
    assert head == "examples:"
    assert lines
    for line in lines:
        words = shlex.split(line.rpartition("| ")[2])
        assert words[:2] == ["lindy", command]
        parser().parse_args(words[1:])


@pytest.mark.parametrize("command", COMMANDS)
def test_own_options_come_first_and_those_of_reading_last(command: str) -> None:
    titles = [group.title for group in parsers()[command]._action_groups if group._group_actions]
    shared = ["in general", "how a table is read", "how mail is read"]
    assert titles[len(titles) - sum(title in shared for title in titles) :] == [
        t for t in shared if t in titles
    ]


@pytest.mark.parametrize("command", COMMANDS)
def test_label_is_a_column_in_every_command(command: str) -> None:
    for action in parsers()[command]._actions:
        if "--label" in action.option_strings and action.help != argparse.SUPPRESS:
            assert action.metavar == "COLUMN"
        if action.option_strings and action.metavar == "LABEL":
            assert action.option_strings[0] in ("--class", "--against")


def test_former_names_of_options_do_the_same_and_say_the_new_one(lindy: Command, tmp_path: Path) -> None:
    table, model = tmp_path / "a.csv", tmp_path / "a.lindy"
    table.write_text("text,answer\n" + "good book,yes\nbad book,no\n" * 10)
    assert lindy("train", table, "--learner", "nb", "-o", model).code == 0
    new, old = (lindy("explain", model, "good", option, "no") for option in ("--class", "--label"))
    assert (new.out, new.err) == (old.out, "")
    assert old.err == "note: --label is called --class now\n"
    for option in ("--label", "--labels"):
        done = lindy("plot", "confusion", model, table, option, "answer", "-o", tmp_path / "c.png")
        assert done.code == 0
        assert "is called" not in done.err  # two names of one option: labels may be in several columns


@pytest.mark.parametrize("command", COMMANDS)
def test_help_fits_into_the_terminal(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lindy.cli.parsing._terminal_width", lambda: 100)
    own = parsers()[command]
    laid_out = (own.description or "") if "\n" in (own.description or "") else ""
    for line in own.format_help().splitlines():
        assert len(line) < 100 or line in laid_out


def test_a_missing_table_names_standard_input(lindy: Command) -> None:
    outcome = lindy("predict", "a.lindy")
    assert outcome.code == 2
    assert "hint:  '-' reads standard input; 'lindy predict --help' lists what it takes" in outcome.err


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (("train", "a.csv", "--leaner", "svm"), "did you mean '--learner'? 'lindy train --help' lists"),
        (
            ("evaluate", "a.lindy", "a.csv", "--mistake=x"),
            "did you mean '--mistakes'? 'lindy evaluate --help'",
        ),
        (("inspect", "a.lindy", "b.lindy"), "hint:  'lindy inspect --help' lists what it takes"),
        (("train", "a.csv", "-ngram", "2"), "hint:  did you mean '--ngrams'?"),
        (("train", "a.csv", "--max_features", "2"), "hint:  did you mean '--max-features'?"),
        (
            ("train", "a.csv", "-epochs", "25"),
            "hint:  epochs is an option of learners, e.g. --learner perceptron",
        ),
        (
            ("train", "a.csv", "--c", "1"),
            "hint:  C is an option of learners, e.g. --learner nb-svm --param C=VALUE",
        ),
    ],
)
def test_a_mistyped_option_is_answered_by_its_command(
    lindy: Command, words: tuple[str, ...], hint: str
) -> None:
    done = lindy(*words)
    assert done.code == 2
    assert "unrecognized arguments" in done.err
    assert hint in done.err


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("c=1", ["svm has no option 'c'", "Did you mean 'C'? Its options: C, lam,"]),
        ("max-iter=1", ["svm has no option 'max-iter'", "Did you mean 'max_iter'?"]),
        ("C", ["'C' is not NAME=VALUE for svm"]),
    ],
)
def test_a_mistyped_option_of_a_learner_suggests_the_right_one(
    lindy: Command, given: str, said: list[str], tmp_path: Path
) -> None:
    table = tmp_path / "a.csv"
    table.write_text("text,label\n" + "good book,yes\nbad book,no\n" * 10)
    done = lindy("train", table, "--learner", "SVM", "--param", given)
    assert done.code == 2
    assert all(words in done.err for words in said)


@pytest.mark.parametrize("command", ["compare", "tune", "plot learning-curve"])
def test_every_command_takes_what_people_call_a_learner(lindy: Command, command: str, tmp_path: Path) -> None:
    table = tmp_path / "a.csv"
    table.write_text("text,label\n" + "good book,yes\nbad book,no\n" * 20)
    picture = ["-o", tmp_path / "curve.png"] if command.startswith("plot") else []
    done = lindy(*command.split(), table, "--learner", "LogReg", "--learner", "NB", *picture)
    assert done.code == 0, done.err


def test_options_that_would_have_no_effect(lindy: Command, tmp_path: Path) -> None:
    table = tmp_path / "a.csv"
    table.write_text("text,label\n" + "good book,yes\nbad book,no\n" * 10)
    done = lindy("train", table, "--test", table, "-o", tmp_path / "a.lindy")
    assert done.code == 2
    assert "--test: it has no effect without --report" in done.err
    assert f"lindy evaluate {tmp_path / 'a.lindy'} {table}" in done.err
    assert not (tmp_path / "a.lindy").exists()
    model = TextClassifier(learner="svm", calibration="none").fit(["good", "bad"] * 5, ["yes", "no"] * 5)
    model.save(tmp_path / "a.lindy")
    done = lindy("evaluate", tmp_path / "a.lindy", table, "--reliability")
    assert done.code == 2
    assert "--reliability: the model has no probabilities" in done.err
    done = lindy("export", tmp_path / "a.lindy", tmp_path / "a.html", "--skip-bad", 3)
    assert done.code == 2
    assert "--skip-bad: it says how the table of --test is read" in done.err


@pytest.mark.parametrize(
    ("words", "why", "hint"),
    [
        ("tune {t} --trials 3", "--trials: --strategy halving does not draw", "--strategy random"),
        ("tune {t} --folds 3 --dev 0.3", "--dev: all rows are held out in turn", "leave one out"),
        ("merge {m} {m} -o {o} --label x", "--label: it says how the table of --test is read", "leave it"),
        ("audit {t} --apply {t} -o {o} --sample 30", "--sample: it is about the search", "leave it out"),
        ("audit {t} --json --show 2", "--show: --json has all findings", "leave it out"),
        ("inspect {m} --feature good --top 3", "--top: it is about the lists of features", "leave it out"),
        ("compare {t} --test {t} --share 0.3", "--share: all rows of --test are tested on", "leave one out"),
        ("compare {t} --learner svm --lexicon yes={t}", "--lexicon: only the learner", "--learner lexicon"),
        ("lab --exercises", "--exercises: it is about one lab", "lindy lab 1"),
        ("lab 1 --exercises -o {o}", "--output: exercises alone go to stdout", "--notebook"),
        ("lab 1 --notebook --data {d}", "--data: nothing is run", "leave it out"),
        ("demo --tables {d} -o {o}", "--output: --tables names the folder", "leave it out"),
        ("explain {m} good --json --in-order", "--in-order: --json has the places", "leave it out"),
        ("explain {m} good --json --against yes", "--against: --json has what is added", "leave it out"),
        ("explain {m} good --contacts {t}", "--contacts: the model was not trained on mail", "leave it out"),
        ("predict {m} {t} --json --to csv", "--json: --to asks for csv", "leave one out"),
        ("report {m} {t} --json", "unrecognized arguments: --json", "lindy report --help"),
        ("train {t} -o {o} --seed 3", "--seed: it is for a learner that is named", "--learner perceptron"),
        ("train {t} -o {o} --kernel rbf --degree 3", "--degree: rbf has no such option", "these have: poly"),
        ("train {t} -o {o} --kernel subtree --length 3", "--length: subtree has no", "spectrum"),
        ("plot weights {m} --learner svm", "--learner: it has no effect on 'plot weights'", "it is for boun"),
        ("plot boundary --text x", "--text: it has no effect on 'plot boundary'", "learning-curve"),
        ("plot path --penalty l2", "--penalty: it has no effect on 'plot path'", "path of a table"),
        ("plot path {t} --every 2", "--every: it has no effect on 'plot path'", "it is for path"),
        ("plot confusion {m} {t} --class no", "--class: it has no effect on", "it is for weights"),
    ],
)
def test_options_that_have_no_effect_beside_others(
    lindy: Command, tmp_path: Path, model: Path, words: str, why: str, hint: str
) -> None:
    table, output = tmp_path / "a.csv", tmp_path / "new.out"
    table.write_text("text,label\n" + "good book,yes\nbad book,no\n" * 10)
    done = lindy(*words.format(t=table, m=model, o=output, d=tmp_path).split())
    assert done.code == 2
    assert why in done.err
    assert hint in done.err.partition("hint: ")[2]
    assert not output.exists()


@pytest.mark.parametrize("option", ["--ngrams", "--chars", "--min-df", "--min-count", "--max-features"])
@pytest.mark.parametrize("learner", ["--kernel subsequence", "--learner lexicon --lexicon yes={w},no={w}"])
def test_learners_that_cut_no_words_take_no_options_about_them(
    lindy: Command, tmp_path: Path, option: str, learner: str
) -> None:
    table, words = tmp_path / "a.csv", tmp_path / "words.txt"
    table.write_text("text,label\n" + "good book,yes\nbad book,no\n" * 10)
    words.write_text("good\nbad\n")
    given = learner.format(w=words).split()
    assert lindy("train", table, "-o", tmp_path / "a.lindy", *given).code == 0
    done = lindy("train", table, "-o", tmp_path / "b.lindy", *given, option, 2)
    assert done.code == 1
    assert f"{option[2:].replace('-', '_')} has no effect, leave it out" in done.err


def test_the_fast_recipe_takes_the_weighting_that_is_asked_for(lindy: Command, tmp_path: Path) -> None:
    table = tmp_path / "a.csv"
    table.write_text("text,label\n" + "good book,yes\nbad book,no\n" * 10)
    for asked, named in (([], "words 1-2, tf-idf"), (["--weighting", "bm25"], "words 1-2, BM25")):
        done = lindy("train", table, "-o", tmp_path / "a.lindy", "--fast", *asked)
        assert f"recipe: {named}; SVM with log-count ratios" in done.err


def test_json_is_what_was_asked_for(lindy: Command, tmp_path: Path, model: Path) -> None:
    table, output = tmp_path / "a.csv", tmp_path / "o.csv"
    table.write_text("text\ngood book\n")
    assert lindy("predict", model, table, "--json", "-o", output).code == 0
    assert json.loads(output.read_text())["label"] == "yes"
    everything = json.loads(lindy("explain", model, "good bad", "--json").out)["features"]
    assert len(everything) == 2
    assert (
        json.loads(lindy("explain", model, "good bad", "--json", "--top", 1).out)["features"]
        == everything[:1]
    )


@pytest.mark.parametrize("words", [("demo", "--tables"), ("demo", "-o"), ("split", "{table}", "--folder")])
def test_a_folder_that_cannot_be_made(lindy: Command, tmp_path: Path, words: tuple[str, ...]) -> None:
    table = tmp_path / "a.csv"
    table.write_text("text,label\n" + "good book,yes\nbad book,no\n" * 10)
    done = lindy(*(word.format(table=table) for word in words), table / "inside")
    assert done.code == 1
    assert "the folder cannot be made: Not a directory" in done.err
    assert "hint:  Name another folder" in done.err
    done = lindy(*(word.format(table=table) for word in words), table)
    assert done.code == 1
    assert "the folder cannot be made: a file has this name" in done.err


@pytest.mark.limits_memory
def test_a_system_without_threads_has_the_same_result(tmp_path: Path) -> None:
    table, usual, alone = tmp_path / "a.csv", tmp_path / "usual.lindy", tmp_path / "alone.lindy"
    words = ("good", "bad", "dull", "warm", "long", "wise")
    rows = [f"{words[i % 6]} {words[i % 5]} word{i % 900},{'yn'[i % 2]}\n" for i in range(3000)]
    table.write_text("text,label\n" + "".join(rows))
    command = [sys.executable, "-m", "lindy.cli", "train", str(table), "--threads", "4", "-o"]
    # stacks of threads that are larger than all memory: none can be started
    shell = f"ulimit -s 60000000; ulimit -v 32000000; exec {shlex.join([*command, str(alone)])}"
    for words_of in ([*command, str(usual)], ["bash", "-c", shell]):
        done = subprocess.run(words_of, capture_output=True, text=True, timeout=300, check=False)
        assert done.returncode == 0, done.stderr
    assert alone.read_bytes() == usual.read_bytes()


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "a.lindy"
    TextClassifier(learner="naive-bayes").fit(["good", "bad"] * 5, ["yes", "no"] * 5).save(path)
    return path


def test_a_text_in_the_place_of_a_table(lindy: Command, model: Path) -> None:
    done = lindy("predict", model, "a good book")
    assert done.code == 1
    assert "a good book: no such file" in done.err
    assert f"lindy explain {model} TEXT" in done.err


def test_a_table_in_the_place_of_a_text(lindy: Command, model: Path, tmp_path: Path) -> None:
    table = tmp_path / "good news.csv"
    table.write_text("text\ngood book\n")
    done = lindy("explain", model, table)
    assert done.code == 0
    assert f"note: this explains the words {str(table)!r}" in done.err
    assert f"lindy explain {model} - < '{table}'" in done.err
    assert "note" not in lindy("explain", model, "good news").err
    done = lindy("predict", model, model)
    assert done.code == 1
    assert f"{model}: a model, where a table is expected" in done.err
    assert "hint:  Check the order of the files." in done.err


def test_texts_without_a_header(lindy: Command, model: Path, tmp_path: Path) -> None:
    plain = tmp_path / "plain.csv"
    plain.write_text("a good book\na bad one\n")
    done = lindy("predict", model, plain)
    assert "the file has no header: add --format lines" in done.err
    answers = lindy("predict", model, plain, "--format", "lines").out.splitlines()[1:]
    assert [line.partition(",")[0] for line in answers] == ["yes", "no"]
    plain.write_text("a good book\n")
    done = lindy("predict", model, plain)
    assert "there is a header but no row" in done.err
    assert "add --format lines" in done.err


def test_names_that_tell_no_table(lindy: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("list.json").write_text('[{"text": "good", "label": "yes"}]')
    done = lindy("train", "list.json")
    assert "--format jsonl" in done.err
    assert "jq -c '.[]' list.json" in done.err
    done = lindy("train", "part-*.csv", "-o", "a.lindy")
    assert "part-*.csv: no such file, and none that fits it as a pattern" in done.err


def test_training_says_what_the_labels_are_worth(lindy: Command, tmp_path: Path) -> None:
    table = tmp_path / "a.csv"
    table.write_text("text,label\n" + "".join(f"word{i} book,{i / 8}\n" for i in range(40)))
    said = lindy("train", table, "-o", tmp_path / "a.lindy").err
    assert "every class has a single example, so recipes cannot be compared: words 1-2" in said
    assert "warning: 40 of 40 examples have a label that no other example has" in said
    table.write_text("text,label\n" + "".join(f"word{i} book,{'ab'[i * i // 3 % 2]}\n" for i in range(40)))
    said = lindy("train", table, "-o", tmp_path / "a.lindy").err
    assert "no recipe is right more often than the most common class alone" in said
    table.write_text(
        "text,label\n" + "".join(f"{'good' if i % 2 else 'bad'} book,{i % 2}\n" for i in range(40))
    )
    said = lindy("train", table, "-o", tmp_path / "a.lindy").err
    assert "no recipe" not in said
    assert "warning" not in said


@pytest.mark.parametrize(("columns", "said"), [(18, "--hash 262144"), (262144, "")])
def test_bits_in_the_place_of_columns_are_noticed(
    lindy: Command, tmp_path: Path, columns: int, said: str
) -> None:
    table = tmp_path / "a.csv"
    table.write_text("text,label\n" + "good book,yes\nbad book,no\n" * 10)
    done = lindy("train", table, "--hash", columns, "--learner", "perceptron", "-o", tmp_path / "a.lindy")
    assert done.code == 0
    assert ("if bits were meant" in done.err) == bool(said)
    assert said in done.err
