"""The tools that judge the tests: mutants are what they say, and kept inputs come back as they were."""

from __future__ import annotations

import ast
import subprocess
from pathlib import Path

import pytest
from mutants import mutants
from tests.hostile.fuzz import corpus

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
