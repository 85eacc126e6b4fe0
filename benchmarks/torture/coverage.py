"""Which lines and branches of lindy the tests run: Python by coverage.py, the core by gcov.

    python -m benchmarks.torture.coverage [--tests tests/text tests/data] [--minutes 60] [--resume] [--both]

Python: coverage.py's total with branches, that is, the share of statements and of jumps between lines that some test
took, processes that tests start included. Core: gcc's counters in a build at -O1, without the branches that the
compiler adds behind calls that may throw; the kernels are compiled for the lowest instruction set only and without
inlining, and instances of a template count together. The whole suite takes about half an hour on a free core; it runs
in pieces, ``--resume`` goes on with those that are left (with ``--minutes 0`` it shows what they have counted).

``--both`` shows what the last run of ``benchmarks.torture.sanitizer --count`` has counted. There kernels are compiled
for every instruction set and inlined, and the sanitizers' checks are branches of which one side never runs: of the core
only the lines count.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections import Counter, defaultdict
from pathlib import Path

from benchmarks.harness import ROOT
from benchmarks.torture._core_counts import core_counts
from benchmarks.torture._pieces import before, forget, pieces, run_open, run_piece, show_left

SETTINGS = """
[run]
branch = true
parallel = true
data_file = {build}/python/data
source = {root}/src/lindy
disable_warnings = no-data-collected,module-not-imported,module-not-measured,already-imported

[report]
exclude_also =
    if TYPE_CHECKING:
    @overload
    raise NotImplementedError
    ^\\s*\\.\\.\\.$
    \\):? \\.\\.\\.$
    if __name__ == .__main__.:
"""
# promised shares: of statements and jumps of Python together; of the core's lines and of its branches
PYTHON_BOUND, LINES_BOUND, BRANCHES_BOUND = 0.95, 0.90, 0.90


def settings_file(build: Path) -> Path:
    """Write coverage.py's settings for the tests of a build; return the file."""
    settings = build / "coveragerc"
    settings.write_text(SETTINGS.format(build=build, root=ROOT))
    (build / "python").mkdir(exist_ok=True)
    return settings


def forget_counts(build: Path) -> None:
    """Begin to count anew."""
    for counts in (*build.rglob("*.gcda"), *(build / "python").glob("data*")):
        counts.unlink()


def run_tests(build: Path, options: argparse.Namespace) -> None:
    """Run tests on the core that counts; print how many ran."""
    if options.minutes:
        made = "build/coverage/.built"
        subprocess.run(["make", "--silent", made], cwd=ROOT, stdout=sys.stderr, check=True)
    environment = os.environ | {"COVERAGE_PROCESS_START": str(settings_file(build))}
    if not options.resume:
        forget(build)
        forget_counts(build)
    tests = pieces(options.tests or ["tests"], 6)
    left = run_open(build, tests, options.minutes, lambda piece: run_piece(build, piece, environment, []))
    total = sum(before(build).values(), Counter[str]())
    print(f"{total['passed'] + total['broken']:,} tests run, {total['broken']:,} failed\n")
    show_left(left)


def python_rooms(build: Path) -> dict[str, list[int]]:
    """Return covered and all statements and jumps of every room of the package."""
    python = [sys.executable, "-m", "coverage"]
    rc = f"--rcfile={settings_file(build)}"
    if list((build / "python").glob("data.*")):
        subprocess.run([*python, "combine", "-q", "--append", rc], cwd=ROOT, check=True)
    report = build / "python.json"
    subprocess.run([*python, "json", "-q", rc, "-o", report], cwd=ROOT, check=True)
    rooms: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0, 0])
    for name, file in json.loads(report.read_text())["files"].items():
        inside = Path(name).parts[Path(name).parts.index("lindy") + 1 :]
        found = file["summary"]
        counts = (
            found["covered_lines"],
            found["num_statements"],
            found["covered_branches"],
            found["num_branches"],
        )
        room = inside[0] if len(inside) > 1 else "(top)"
        rooms[room] = [a + b for a, b in zip(rooms[room], counts, strict=True)]
    return rooms


def core_rooms(build: Path) -> dict[str, list[int]]:
    """Return covered and all lines and branches of every folder of the core."""
    counted = core_counts(build)
    rooms: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0, 0])
    for first, counts in enumerate(counted):
        for (name, *_), count in counts.items():
            room = rooms[Path(name).parts[1]]
            room[2 * first] += count > 0
            room[2 * first + 1] += 1
    return rooms


def show(title: str, rooms: dict[str, list[int]]) -> list[int]:
    """Print the shares of every room; return the sums."""
    total = [sum(column) for column in zip(*rooms.values(), strict=True)]
    print(f"{title:<12} {'lines':>15} {'':>7} {'branches':>15}")
    for room, (lines, all_lines, branches, all_branches) in [*sorted(rooms.items()), ("all", total)]:
        share = f"{branches / all_branches:>7.1%}" if all_branches else ""
        counts = f"{lines:>7,}/{all_lines:>7,} {lines / all_lines:>7.1%} {branches:>7,}/{all_branches:>7,}"
        print(f"{room:<12} {counts} {share}")
    print()
    return total


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tests", nargs="*", default=[], help="folders or files of tests (default: all)")
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--resume", action="store_true", help="run what is left, and what failed")
    parser.add_argument("--both", action="store_true", help="show what the sanitizers' last run counted")
    options = parser.parse_args()
    build = ROOT / "build" / ("both" if options.both else "coverage")
    if not options.both:
        run_tests(build, options)
    lines, all_lines, branches, all_branches = show("Python", python_rooms(build))
    python = (lines + branches) / (all_lines + all_branches)
    core = show("core", core_rooms(build))
    shares = (python, core[0] / core[1], core[2] / core[3])
    names = ("Python, statements and jumps", "core, lines", "core, branches")
    promised = list(zip(names, shares, (PYTHON_BOUND, LINES_BOUND, BRANCHES_BOUND), strict=True))
    promised = promised[:2] if options.both else promised
    for name, share, bound in promised:
        print(f"{name}: {share:.1%}" + ("" if options.tests else f" (promised: {bound:.0%})"))
    if not options.tests and any(share < bound for _, share, bound in promised):
        raise SystemExit(1)


if __name__ == "__main__":
    main()
