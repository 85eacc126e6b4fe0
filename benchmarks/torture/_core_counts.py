"""What gcc's counters say about the core: how often its lines ran, and both sides of its decisions.

gcov lists the branches of a line one after the other: those behind every call that may throw (it comes back, or it
throws), which are no decisions and are left out, and those of every copy of the line that was compiled. Copies of a
template come apart, but those of lambdas and of functions that are always inlined come in one list. Here all copies of
a line count together: a side of a decision is covered if one copy took it. Where gcc lists the sides of two copies in
another order, they may cover for each other.
"""

from __future__ import annotations

import json
import re
import subprocess
from collections import Counter, defaultdict
from functools import cache
from pathlib import Path
from typing import Any

from benchmarks.harness import ROOT

Place = tuple[Any, ...]  # a file and a line, and for a branch how many its line has, and which of them it is
CONDITION = re.compile(r"&&|\|\||\?|\b(?:if|for|while)\b")


def core_counts(build: Path) -> tuple[Counter[Place], Counter[Place]]:
    """Return how often lines, and sides of decisions, ran in all copies together.

    A side is known by its place among those of its line. Copies in which a line has another number of them, because of
    an ``if constexpr``, count apart.
    """
    lines, branches = Counter[Place](), Counter[Place]()
    for notes in sorted(build.rglob("native/**/*.gcno")):
        gcov = ["gcov", "--json-format", "--stdout", "--branch-probabilities", notes.with_suffix(".gcda")]
        said = subprocess.run(gcov, cwd=build, capture_output=True, check=True).stdout
        for file in json.loads(said)["files"]:
            path = Path(build, file["file"]).resolve()
            if path.is_relative_to(ROOT / "native"):
                _add(path, file, lines, branches)
    return lines, branches


def _add(path: Path, file: dict[str, Any], lines: Counter[Place], branches: Counter[Place]) -> None:
    lambdas = _lambdas(path, file["functions"])
    for line in file["lines"]:
        place = (str(path.relative_to(ROOT)), line["line_number"])
        lines[place] += line["count"]
        if not (sides := decisions(line["branches"])):
            continue
        copies = 1 if "function_name" in line else _copies(path, line["line_number"], len(sides), lambdas)
        size = len(sides) // copies
        for position, count in enumerate(sides):
            branches[(*place, size, position % size)] += count


def decisions(branches: list[dict[str, Any]]) -> list[int]:
    """Return how often the branches of a line were taken, without those behind a call: it comes back, or it throws."""
    left: list[dict[str, Any]] = []
    for branch in branches:
        if left and (branch["throw"] or left[-1]["throw"]):
            left.pop()
        else:
            left.append(branch)
    return [branch["count"] for branch in left]


def _lambdas(path: Path, functions: list[dict[str, Any]]) -> list[tuple[int, int, int]]:
    """Return first line, last line and copies of the lambdas of a file; gcov knows only where they begin."""
    begins: dict[tuple[int, int], int] = defaultdict(int)
    for function in functions:
        if function["end_line"] == function["start_line"]:
            begins[function["start_line"], function["start_column"]] += 1
    return [(line, _end(path, line, column), copies) for (line, column), copies in begins.items()]


def _copies(path: Path, line: int, n_sides: int, lambdas: list[tuple[int, int, int]]) -> int:
    """Return how many copies of a line a list without a function's name holds."""
    around = [(first, copies) for first, last, copies in lambdas if first <= line <= last]
    copies = max(around)[1] if around else 1
    inlined = any(first <= line <= last for first, last in _inlined(path))
    if n_sides % copies or (
        copies == 1 and inlined
    ):  # in some copies the line decides nothing; or nobody counted them
        own = 2 * len(CONDITION.findall(_source(path)[line - 1]))
        copies = n_sides // own if own and n_sides % own == 0 else 1
    return copies


@cache
def _source(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines()


@cache
def _inlined(path: Path) -> list[tuple[int, int]]:
    """Return first and last lines of the functions that are always inlined."""
    marked = [n for n, line in enumerate(_source(path), 1) if "always_inline" in line]
    return [(line, _end(path, line, 1)) for line in marked]


@cache
def _end(path: Path, line: int, column: int) -> int:
    """Return the line in which the braces that are opened from a place on are closed."""
    depth = 0
    for number, text in enumerate(_source(path)[line - 1 :], line):
        code = re.sub(
            r"//.*|\"(\\.|[^\"])*\"|'(\\.|[^'])*'", "", text[column - 1 :] if number == line else text
        )
        for brace in re.findall(r"[{}]", code):
            depth += 1 if brace == "{" else -1
            if depth == 0:
                return number
    return line
