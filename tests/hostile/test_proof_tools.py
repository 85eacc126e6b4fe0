"""The tools that judge the tests: mutants are what they say, and kept inputs come back as they were."""

from __future__ import annotations

import ast
import subprocess
from collections import Counter
from pathlib import Path

import pytest
from benchmarks.torture import _core_counts, _pieces
from benchmarks.torture.__main__ import RELIABILITY
from benchmarks.torture._core_counts import decisions
from benchmarks.torture._promises import MISSING, PROMISES, overview
from benchmarks.torture.mutation import PACKAGE, READERS, files_of
from tests.hostile.fuzz import corpus
from tests.hostile.mutants import mutants

ROOT = Path(__file__).resolve().parents[2]
SOURCE = '''"""A text with 1 number."""

import os

LIMIT = 3


def check(x: int = 2, *, strict: bool = True) -> int:
    """Return x."""
    if x < LIMIT and not strict:
        raise ValueError("é", x)
    print(x)
    return x + 1
'''


def test_every_mutant_is_one_change_of_the_code() -> None:
    found = list(mutants(SOURCE))
    changes = {(mutant.line, mutant.before, mutant.after) for mutant in found}
    assert (5, "3", "(4)") in changes
    assert (5, "3", "(2)") in changes
    assert (8, "True", "(False)") in changes
    assert (10, "x < LIMIT", "(x <= LIMIT)") in changes
    assert (10, "x < LIMIT and not strict", "(x < LIMIT or not strict)") in changes
    assert (10, "not strict", "(strict)") in changes
    assert (11, 'raise ValueError("é", x)', "pass") in changes
    assert (12, "print(x)", "pass") in changes
    assert (13, "return x + 1", "return None") in changes
    assert (13, "x + 1", "(x - 1)") in changes
    for mutant in found:
        lines = [a for a, b in zip(SOURCE.splitlines(), mutant.source.splitlines(), strict=True) if a != b]
        assert lines == [SOURCE.splitlines()[mutant.line - 1]]
        ast.parse(mutant.source)
    assert not {mutant.line for mutant in found} & {1, 3, 9}, "texts and imports stay"


def test_every_module_of_the_data_is_a_reader_or_none() -> None:
    readers, others = files_of("readers"), files_of("data")
    assert sorted(readers + others) == sorted((PACKAGE / "data").rglob("*.py"))
    assert {file.parent.name for file in readers} == set(READERS)
    assert {"csv", "boxes", "examples", "source"} <= {file.stem for file in readers}
    assert {"stratify", "convert"} <= {file.stem for file in others}


@pytest.mark.needs_system("g++")
@pytest.mark.parametrize("target", ["analyser", "delimited", "svmlight"])
def test_harnesses_fit_the_core(target: str) -> None:
    """Only clang can build them, so that nothing else would notice that a kernel has other arguments now."""
    harness = ROOT / "tests" / "hostile" / "fuzz" / f"{target}.cpp"
    flags = ["-std=gnu++20", "-fsyntax-only", "-DLINDY_BASELINE_ONLY", f"-I{ROOT / 'native'}"]
    done = subprocess.run(["g++", *flags, harness], check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]


def test_kept_inputs_come_back(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(corpus, "HERE", tmp_path)
    inputs = [b"", b"\0\n\r\\n\xff", "é\u2028\x85".encode(), b"a b"]
    corpus.keep("target", inputs)
    assert sorted(corpus.kept("target")) == sorted(inputs)
    corpus.unpack("target", tmp_path / "files")
    assert sorted(path.read_bytes() for path in (tmp_path / "files").iterdir()) == sorted(inputs)


def test_every_piece_runs_once_whoever_runs_it(tmp_path) -> None:
    tests = [["tests/a/test_1.py", "tests/a/test_2.py"], ["tests/b/test_3.py"], ["tests/b/test_4.py"]]
    ran: list[list[str]] = []

    def run(piece: list[str]) -> Counter[str]:
        ran.append(piece)
        return Counter(passed=2, broken=int(piece == tests[1]))

    with _pieces.claim(tmp_path, tests[0]) as free:
        assert free
        assert _pieces.run_open(tmp_path, tests, 1, run) == tests[0], "another process runs it"
    assert ran == tests[1:]
    assert _pieces.run_open(tmp_path, tests, 0, run) == tests[0], "there was no time"

    def meanwhile(piece: list[str]) -> Counter[str]:
        _pieces.note(tmp_path, tests[1], Counter(passed=3))  # by another process, after this one began
        return run(piece)

    assert _pieces.run_open(tmp_path, tests, 1, meanwhile) == []
    assert ran == [*tests[1:], tests[0]]
    assert _pieces.still_open(tests, _pieces.before(tmp_path)) == []
    assert sum(_pieces.before(tmp_path).values(), Counter()) == Counter(passed=7)


def test_the_record_names_a_figure_or_a_test_for_every_promise() -> None:
    sections = RELIABILITY.sections()
    table = overview(sections)
    assert table in RELIABILITY.path.read_text(encoding="utf-8"), (
        "renew a topic: python -m benchmarks.torture TOPIC"
    )
    topics = {promise.topic for promise in PROMISES if promise.topic}
    assert set(sections) == topics == set(RELIABILITY.topics)
    assert MISSING not in table
    for promise in PROMISES:
        assert promise.figure or promise.tests
        assert [test for test in promise.tests if not (ROOT / test).exists()] == []


def test_branches_behind_calls_are_no_decisions() -> None:
    def branch(count: int, *, throw: bool = False) -> dict[str, object]:
        return {"count": count, "throw": throw, "fallthrough": not throw}

    call = [branch(5), branch(0, throw=True)]
    assert decisions([]) == decisions(call) == decisions(call[::-1]) == []
    assert decisions([*call, branch(3), branch(2), *call]) == [3, 2]
    assert decisions([branch(3), branch(2), *call, branch(0), branch(1)]) == [3, 2, 0, 1]


COUNTED = """\
template <class F> void twice(F f) { f(1); f(2); }
[[gnu::always_inline]] inline bool small(int x) {
    return x < 2;
}
int main(int count, char**) {
    auto odd = [&](auto x) {
        if (x == count) return 1;
        return 0;
    };
    int sum = odd(1) + odd(2L) + odd('c') + small(count) + small(count + 1);
    twice([&](int x) { sum += x; });
    if (sum == 1000) return 1;
    return 0;
}
"""


@pytest.mark.needs_system("g++")
def test_copies_of_a_line_count_together(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(_core_counts, "ROOT", tmp_path)
    folder = tmp_path / "native"
    folder.mkdir()
    (folder / "main.cpp").write_text(COUNTED)
    flags = ["-std=gnu++20", "-O1", "-fno-inline", "--coverage"]
    subprocess.run(["g++", *flags, "-c", "native/main.cpp", "-o", "native/main.o"], cwd=tmp_path, check=True)
    subprocess.run(["g++", "--coverage", "native/main.o", "-o", "main"], cwd=tmp_path, check=True)
    subprocess.run([tmp_path / "main"], cwd=tmp_path, check=True)
    lines, branches = _core_counts.core_counts(tmp_path)
    assert lines["native/main.cpp", 7] == 3
    # three copies of the lambda: one of them returned 1, two did not
    assert sorted(n for (_, line, *_), n in branches.items() if line == 7) == [1, 2]
    assert sorted(n for (_, line, *_), n in branches.items() if line == 12) == [0, 1]
