"""Bad input: a clear error and a hint, the documented exit code, no traceback, nothing lost."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from lindy import TextClassifier
from lindy.features import DictVectorizer
from tests.cli.conftest import Command, Outcome, lindy_process


def assert_refused(outcome: Outcome, *pieces: str, code: int = 1) -> None:
    assert outcome.code == code, outcome.err
    assert outcome.out == ""
    assert outcome.err.startswith("error: ") or "\nerror: " in outcome.err
    assert "Traceback" not in outcome.err
    for piece in pieces:
        assert piece in outcome.err


def test_missing_file(tmp_path: Path, lindy: Command) -> None:
    assert_refused(lindy("train", tmp_path / "revews.csv", "-o", tmp_path / "m"), "revews.csv", "hint:")


def test_missing_column_suggests_near_names(table: Path, tmp_path: Path, lindy: Command) -> None:
    outcome = lindy("train", table, "--label", "labels", "-o", tmp_path / "m.lindy")
    assert_refused(outcome, "labels", "label", "hint:")
    assert not (tmp_path / "m.lindy").exists()


def test_empty_file(tmp_path: Path, lindy: Command) -> None:
    empty = tmp_path / "empty.csv"
    empty.touch()
    assert_refused(lindy("train", empty, "-o", tmp_path / "m.lindy"), "empty.csv", "empty")


def test_only_one_class(tmp_path: Path, lindy: Command) -> None:
    path = tmp_path / "one.csv"
    path.write_text("text,label\nfine,good\nnice,good\n")
    assert_refused(lindy("train", path, "-o", tmp_path / "m.lindy"), "good", "hint:")


def test_unreadable_encoding_names_the_line(tmp_path: Path, lindy: Command) -> None:
    path = tmp_path / "latin.csv"
    path.write_bytes("text,label\nfine,good\ncafé,bad\n".encode("latin-1"))
    assert_refused(lindy("train", path, "-o", tmp_path / "m.lindy"), "line 3", "UTF-8", "hint:")


def test_texts_without_a_word(tmp_path: Path, lindy: Command) -> None:
    path = tmp_path / "blank.csv"
    path.write_text("text,label\n!,good\n?,bad\n")
    assert_refused(lindy("train", path, "-o", tmp_path / "m.lindy", "--learner", "naive-bayes"), "vocabulary")


def test_truncated_model(model: Path, table: Path, lindy: Command) -> None:
    model.write_bytes(model.read_bytes()[:-10])
    assert_refused(lindy("predict", model, table), model.name)


def test_a_file_that_is_no_model(table: Path, lindy: Command) -> None:
    assert_refused(lindy("predict", table, table), "reviews.csv", "hint:")


@pytest.mark.parametrize("command", ["predict", "evaluate", "report"])
def test_a_table_for_a_model_of_dictionaries(
    command: str, table: Path, tmp_path: Path, lindy: Command
) -> None:
    model, rows = tmp_path / "dicts.lindy", [{"a": 1}, {"b": "x"}] * 5
    TextClassifier(vectorizer=DictVectorizer(), learner="svm").fit(rows, ["p", "n"] * 5).save(model)
    outcome = lindy(command, model, table)
    assert_refused(outcome, table.name, "trained on dictionaries of features", "lindy explain")


def test_missing_output_folder_is_found_before_the_work(table: Path, tmp_path: Path, lindy: Command) -> None:
    outcome = lindy("train", table, "-o", tmp_path / "no" / "such" / "m.lindy")
    assert_refused(outcome, "folder", "hint:")
    assert "trained" not in outcome.err


def test_predict_into_a_missing_folder(model: Path, table: Path, tmp_path: Path, lindy: Command) -> None:
    assert_refused(lindy("predict", model, table, "-o", tmp_path / "no" / "out.csv"), "folder", "hint:")


def test_a_failed_prediction_leaves_the_old_output(model: Path, tmp_path: Path, lindy: Command) -> None:
    out = tmp_path / "out.csv"
    out.write_text("precious\n")
    bad = tmp_path / "bad.csv"
    bad.write_bytes(b"text\nfine\n\xff\n")
    assert_refused(lindy("predict", model, bad, "-o", out), "line 3")
    assert out.read_text() == "precious\n"


@pytest.mark.parametrize(
    ("words", "piece"),
    [
        (["train"], "data"),
        (["train", "x.csv", "--ngrams", "2-1"], "--ngrams"),
        (["train", "x.csv", "--ngrams", "two"], "--ngrams"),
        (["train", "x.csv", "--chars", "5-2"], "--chars: '5-2' is not N or M-N with 1 ≤ M ≤ N: write 2-5"),
        (["compare", "x.csv", "--chars", "0-3"], "the shortest is 1"),
        (["tune", "x.csv", "--chars", "x"], "e.g. 3 or 2-5"),
        (["tune", "x.csv", "--ngrams", "2-"], "e.g. 3 or 2-5"),
        (["train", "x.csv", "--chars", "1-101"], "the longest is 100"),
        (["train", "x.csv", "--learner", "naive-bayse"], "naive-bayes"),
        (["train", "x.csv", "--threads", "0"], "--threads"),
        (["train", "x.csv", "--learner", "naive-bayes", "--param", "alfa=1"], "alpha"),
        (["train", "x.csv", "--param", "alpha"], "--param"),
        (["train", "x.csv", "--learner", "naive-bayes", "--param", "alpha=high"], "takes a number"),
        (["train", "x.csv", "--param", "C=2"], "needs a named learner"),
        (["train", "x.csv", "--learner", "svm", "--fast"], "--fast"),
        (["train", "x.csv", "--learner", "svm", "--thorough"], "--thorough"),
        (["train", "x.csv", "--colour"], "--colour"),
        (["tarin", "x.csv"], "tarin"),
    ],
)
def test_wrong_usage(words: list[str], piece: str, lindy: Command) -> None:
    assert_refused(lindy(*words), piece, "hint:", code=2)


def test_escape_sequences_in_labels_do_not_reach_the_terminal(tmp_path: Path, lindy: Command) -> None:
    path = tmp_path / "evil.csv"
    path.write_text("text,label\nfine words,\x1b[31mgood\ndull words,bad\n")
    trained = lindy("train", path, "-o", tmp_path / "m.lindy")
    shown = lindy("evaluate", tmp_path / "m.lindy", path)
    assert trained.code == shown.code == 0
    assert "\x1b" not in trained.err + shown.out + shown.err


def test_a_reader_that_goes_away_is_no_traceback(model: Path, tmp_path: Path) -> None:
    many = tmp_path / "many.txt"
    many.write_text("a wonderful book\n" * 200_000)
    command = f"{sys.executable} -m lindy.cli predict {model} {many} | head -n 1"
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, timeout=120, check=True)
    assert done.stdout == "label,probability\n"
    assert "Traceback" not in done.stderr
    assert "BrokenPipe" not in done.stderr


def test_a_reader_that_goes_away_is_not_bad_data(model: Path, tmp_path: Path) -> None:
    many = tmp_path / "many.txt"
    many.write_text("a wonderful book\n" * 200_000)
    command = [sys.executable, "-m", "lindy.cli", "predict", str(model), str(many)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline().strip() == b"label,probability"
        process.stdout.close()
        assert process.wait(120) == 141
        assert not [line for line in process.stderr.read().splitlines() if b"error" in line]


def test_ctrl_c_stops_training_and_leaves_the_old_model(tmp_path: Path) -> None:
    table, model = tmp_path / "big.csv", tmp_path / "m.lindy"
    model.write_text("precious")
    with table.open("w") as file:
        file.write("text,label\n")
        for i in range(150_000):
            file.write(
                f"{' '.join(f'word{(i * j) % 90_001}' for j in range(1, 40))},{'good' if i % 2 else 'bad'}\n"
            )
    log = tmp_path / "log"
    with log.open("w") as stderr:
        process = subprocess.Popen(
            [
                sys.executable,
                "-m",
                "lindy",
                "train",
                str(table),
                "-o",
                str(model),
                "--force",
                "--ngrams",
                "1-3",
            ],
            stderr=stderr,
        )
        while not log.stat().st_size and process.poll() is None:
            time.sleep(0.01)
        time.sleep(0.2)  # the columns were named: reading is over, learning goes on
        process.send_signal(signal.SIGINT)
        process.wait(timeout=120)
    err = log.read_text()
    assert process.returncode == 130, err
    assert "interrupted" in err
    assert "Traceback" not in err
    assert model.read_text() == "precious"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["big.csv", "log", "m.lindy"]


def test_bad_input_in_a_process_of_its_own_has_the_exit_code(tmp_path: Path) -> None:
    assert_refused(
        lindy_process("train", tmp_path / "nothing.csv", "-o", tmp_path / "m.lindy"), "nothing.csv"
    )
