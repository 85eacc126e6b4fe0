"""The tests on a core that is built with sanitizers: every wrong access and all undefined behaviour is a finding.

    python -m benchmarks.torture.sanitizer [--minutes 10] [--tests tests/text tests/data] [--count] [--resume]

gcc's address sanitizer and undefined-behaviour sanitizer, with casts of floating-point numbers beyond the range of an
integer, and the checks of the C++ library. Left out are tests marked ``limits_memory``. The tests run in pieces of a
few files, those nearest to the core first, until the minutes are over; ``--resume`` runs the pieces that are left, then
those that failed, and several processes may do so at once. ``make sanitize`` runs all of them. With ``--count`` the
same run counts which lines and branches it runs, of Python and of the core, which ``python -m
benchmarks.torture.coverage --both`` shows.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

from tests.hostile.instrumented import findings

from benchmarks.harness import ROOT
from benchmarks.torture._pieces import before, forget, pieces, run_open, run_piece, show_left
from benchmarks.torture.coverage import forget_counts, settings_file

ERROR = re.compile(r"runtime error: .*|AddressSanitizer: [a-z-]+")
KINDS = ("passed", "broken", "aside", "findings")


def run(build: Path, tests: list[str], environment: dict[str, str]) -> Counter[str]:
    """Run some files of tests; return how many had which outcome, and how many findings there were."""
    mark = f"{Path(tests[0]).stem}-"  # begins the names of the files in which this piece's processes report
    for path in findings(build).glob(f"{mark}*"):
        path.unlink()
    outcomes = run_piece(build, tests, environment | {"LINDY_FINDINGS": mark}, ["-m", "not limits_memory"])
    return outcomes + Counter(findings=found(build, mark).total())


def found(build: Path, mark: str = "") -> Counter[str]:
    """Return what the sanitizers have reported in files whose names begin with the mark, and how often."""
    reports: Counter[str] = Counter()
    for path in findings(build).glob(f"{mark}*"):
        lines = path.read_text(errors="replace").splitlines()
        for number, line in enumerate(lines):
            if match := ERROR.search(line):
                frames = [frame.split(" in ")[-1] for frame in lines[number + 1 :] if "/native/" in frame]
                undefined = line.startswith(f"{line[: match.start()].strip()} runtime")
                place = line[: match.start()].strip(": ") if undefined else next(iter(frames), "somewhere")
                reports[f"{place}: {match[0]}"] += 1
    return reports


def show(results: dict[str, Counter[str]]) -> Counter[str]:
    """Print the outcomes of every folder; return the sums."""
    folders: dict[str, Counter[str]] = {}
    for piece, outcomes in results.items():
        folders.setdefault(str(Path(piece.split()[0]).parent), Counter()).update(outcomes)
    print(f"{'tests':<20} {'passed':>7} {'failed':>7} {'left out':>9} {'findings':>9}")
    total = Counter[str]()
    for name, outcomes in folders.items():
        total.update(outcomes)
        print(
            f"{name:<20} "
            + " ".join(f"{outcomes[kind]:>{n},}" for kind, n in zip(KINDS, (7, 7, 9, 9), strict=True))
        )
    return total


def prepare(options: argparse.Namespace) -> tuple[Path, dict[str, str]]:
    """Build the core, unless only to show what ran; return its folder and the environment of the tests."""
    build = ROOT / "build" / ("both" if options.count else "sanitize")
    if options.minutes:
        made = f"build/{build.name}/.built"
        subprocess.run(["make", "--silent", made], cwd=ROOT, stdout=sys.stderr, check=True)
    environment = dict(os.environ)
    if options.count:
        environment["COVERAGE_PROCESS_START"] = str(settings_file(build))
    if not options.resume:
        forget(build)
        for path in findings(build).iterdir():
            path.unlink()
        if options.count:
            forget_counts(build)
    return build, environment


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--tests", nargs="*", help="folders or files of tests (default: all)")
    parser.add_argument("--files", type=int, default=6, help="of tests in a piece")
    parser.add_argument("--count", action="store_true", help="count what runs, too")
    parser.add_argument(
        "--resume", action="store_true", help="run what is left, and what failed (with --minutes 0: show it)"
    )
    options = parser.parse_args()
    build, environment = prepare(options)
    tests = pieces(options.tests or ["tests"], options.files)
    left = run_open(build, tests, options.minutes, lambda piece: run(build, piece, environment))
    if options.resume:
        print("This run and those that it goes on with, by the sources of their time:\n")
    total, reports = show(before(build)), found(build)
    print(
        f"\n{total['passed'] + total['broken']:,} tests run, {total['broken']:,} failed, {reports.total():,} findings"
    )
    show_left(left)
    for report, times in reports.most_common():
        print(f"{times:>6,} × {report}")
    if reports or total["broken"]:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
