"""``lindy train`` stays within the memory that was asked for, or says before it learns what it would take."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from lindy.cli.app import explained
from lindy.cli.io import large
from lindy.cli.io.large import Need
from tests.cli.conftest import Command


def table(path: Path, n: int, n_classes: int, n_rare: int, n_common: int = 3) -> Path:
    """Write short texts of zipfian and of rare words, with one that all of them have."""
    rng = np.random.default_rng(0)
    y = rng.permutation(np.arange(n) % n_classes)
    common = (2000 ** rng.random((n, n_common))).astype(int)
    rare = rng.integers(0, n_rare, (n, 2))
    with open(path, "w", encoding="utf-8") as file:
        file.write("label,text\n")
        for k, words, others in zip(y.tolist(), common.tolist(), rare.tolist(), strict=True):
            shown = [f"w{w}" for w in words] + [f"r{w}" for w in others]
            file.write(f"c{k},hello own{k} {' '.join(shown)}\n")
    return path


def peak(*words: object) -> tuple[int, str]:
    """Run a command in a process of its own; returns the bytes that it took, and what it said."""
    code = (
        "import sys; from lindy.cli.app import run; code = run(sys.argv[1:]);"
        "print(*(line for line in open('/proc/self/status') if line.startswith('VmHWM')), sep=''); sys.exit(code)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *map(str, words)],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    return int(done.stdout.split()[-2]) * 1024, done.stderr


@pytest.mark.limits_memory
@pytest.mark.skipif(sys.platform != "linux", reason="the system does not tell the peak of a process")
def test_memory_does_not_grow_by_a_copy_of_the_rows_for_every_class(tmp_path: Path) -> None:
    few, many = (table(tmp_path / f"{k}.csv", 6000, k, 5000, n_common=60) for k in (5, 45))
    options = ["--learner", "nb-svm", "--calibrate", "none", "--threads", 1, "-q"]
    taken = [peak("train", data, "-o", tmp_path / "m.lindy", *options)[0] for data in (few, many)]
    # squares of the scales, weights and what they are made of: three arrays of float32, and dual variables and lengths
    n_features = 2000 + 5000
    assert taken[1] - taken[0] < 40 * (3 * 4 * n_features + 40 * 6000)


@pytest.mark.limits_memory
@pytest.mark.skipif(sys.platform != "linux", reason="the system does not tell the peak of a process")
def test_weights_that_have_no_room_are_refused_before_they_are_learned(tmp_path: Path) -> None:
    data, model = table(tmp_path / "t.csv", 3000, 900, 20_000), tmp_path / "m.lindy"
    taken, said = peak("train", data, "-o", model, "--memory", "150MB")
    assert "900 classes" in said
    assert "are allowed by --memory" in said
    assert "--memory" not in said.split("hint:")[1]
    assert taken < 200 << 20
    assert not model.exists()
    taken, said = peak("train", data, "-o", model, "--memory", "150MB", "--learner", "naive-bayes")
    assert model.exists(), said
    assert taken < 200 << 20


def test_larger_tables_go_to_files_where_characters_and_rare_words_take_more() -> None:
    words, characters, hashed = Need(False, False), Need(True, False), Need(False, True)
    for memory in (200 << 20, 600 << 20, 4 << 30):
        assert characters.most(memory) < words.most(memory) < hashed.most(memory)
        for need in (words, characters, hashed):
            assert need.in_memory(need.most(memory)) <= memory
    assert characters.most(600 << 20) < 20_000_000
    assert words.most(4 << 30) > 700 << 20


def test_a_note_says_what_counting_may_take(
    lindy: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = table(tmp_path / "t.csv", 300, 2, 500)
    monkeypatch.setattr(large, "PER_BYTE", 10_000)
    told = lindy_run(lindy, data, tmp_path, "--memory", "130MB")
    assert "of memory are taken to count words" in told
    assert "--hash 1048576 counts none" in told
    assert "to count words" not in lindy_run(lindy, data, tmp_path, "--memory", "130MB", "--hash", "4096")


def lindy_run(lindy: Command, data: Path, folder: Path, *options: str) -> str:
    told = lindy("train", data, "-o", folder / "m.lindy", "--force", "--learner", "svm", *options)
    assert told.code == 0, told.err
    return str(told.err)


@pytest.mark.parametrize("given", [["--memory=1GB"], ["--max-features", "9", "--min-df", "2"]])
def test_a_hint_proposes_no_option_that_was_given(given: list[str]) -> None:
    message, hint, code = explained(MemoryError(), ["train", "t.csv", *given])
    assert (message, code) == ("out of memory", 1)
    assert hint
    assert not any(word.split("=")[0] in hint for word in given if word.startswith("--"))
    assert "--" in hint
