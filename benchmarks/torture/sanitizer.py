"""The tests on a core that is built with sanitizers: every wrong access and all undefined behaviour is a finding.

    python -m benchmarks.torture.sanitizer [--minutes 10] [--tests tests/text tests/data] [--count] [--resume]

gcc's address sanitizer and undefined-behaviour sanitizer, with casts of floating-point numbers beyond the range of an
integer, and the checks of the C++ library. Left out are tests marked ``limits_memory``. The tests run in pieces of a
few files, those nearest to the core first, until the minutes are over; ``--resume`` runs the pieces that are left, then
those that failed. ``make sanitize`` runs all of them. With ``--count`` the same run counts which lines and branches it
runs, of Python and of the core, which ``python -m benchmarks.torture.coverage --both`` shows.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

from tests.hostile.instrumented import findings

from benchmarks.harness import ROOT
from benchmarks.torture.coverage import forget_counts, settings_file

FIRST = [
    *("native", "text", "linear", "kernels", "bayes", "features", "data", "modelfile", "joint", "images"),
    *("evaluation", "tests", "hostile", "tuning", "explain", "baselines"),
]
SLOW = 20  # how much longer a test may take than in make test
ERROR = re.compile(r"runtime error: .*|AddressSanitizer: [a-z-]+")
KINDS = ("passed", "broken", "aside", "findings")


def pieces(tests: list[str], size: int) -> list[list[str]]:
    """Return the files of tests in pieces, each of one folder; the folders nearest to the core come first."""
    files = sorted(
        file
        for place in tests
        for file in ([ROOT / place] if place.endswith(".py") else (ROOT / place).rglob("test_*.py"))
    )
    folders: dict[Path, list[str]] = {}
    for file in files:
        folders.setdefault(file.parent, []).append(str(file.relative_to(ROOT)))
    order = sorted(
        folders, key=lambda folder: FIRST.index(folder.name) if folder.name in FIRST else len(FIRST)
    )
    return [
        folders[folder][start : start + size]
        for folder in order
        for start in range(0, len(folders[folder]), size)
    ]


def run(build: Path, tests: list[str], environment: dict[str, str]) -> Counter[str]:
    """Run some files of tests; return how many had which outcome, and how many findings there were."""
    known = found(build).total()
    command = [build / "venv" / "bin" / "python", "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    options = ["-p", "no:randomly", "-n0", "-m", "not limits_memory", "--timeout", str(300 * SLOW), "-rfE"]
    done = subprocess.run(
        [*command, *options, *tests], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    with (build / "tests.log").open("a") as log:
        log.write(done.stdout + done.stderr)
    last = done.stdout.strip().splitlines()[-1:] or [""]
    said = Counter({word: int(number) for number, word in re.findall(r"(\d+) ([a-z]+)", last[0])})
    crashed = done.returncode not in (0, 1, 2, 5)
    return Counter(
        passed=said["passed"],
        broken=said["failed"] + said["error"] + said["errors"] + crashed,
        aside=said["deselected"] + said["skipped"],
        findings=found(build).total() - known,
    )


def found(build: Path) -> Counter[str]:
    """Return what the sanitizers have reported, and how often."""
    reports: Counter[str] = Counter()
    for path in findings(build).iterdir():
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


def prepare(options: argparse.Namespace) -> tuple[Path, dict[str, str], dict[str, Counter[str]]]:
    """Build the core; return its folder, the environment of the tests, and the outcomes of pieces that ran before."""
    build = ROOT / "build" / ("both" if options.count else "sanitize")
    made = f"build/{build.name}/.built"
    subprocess.run(["make", "--silent", made], cwd=ROOT, stdout=sys.stderr, check=True)
    environment = dict(os.environ)
    if options.count:
        environment["COVERAGE_PROCESS_START"] = str(settings_file(build))
    if options.resume:
        return build, environment, before(build)
    for path in (*findings(build).iterdir(), build / "pieces.json"):
        path.unlink(missing_ok=True)
    (build / "tests.log").write_text("")
    if options.count:
        forget_counts(build)
    return build, environment, {}


def before(build: Path) -> dict[str, Counter[str]]:
    """Return the outcomes of the pieces that ran, in other processes, too."""
    kept = build / "pieces.json"
    said = json.loads(kept.read_text()) if kept.exists() else {}
    return {piece: Counter(outcomes) for piece, outcomes in said.items()}


def still_open(tests: list[list[str]], results: dict[str, Counter[str]]) -> list[list[str]]:
    """Return pieces without the files that have passed; those with files that failed come last."""
    ran = {file: outcomes["broken"] for piece, outcomes in results.items() for file in piece.split()}
    left = [[file for file in piece if ran.get(file, 1)] for piece in tests]
    return sorted(filter(None, left), key=lambda piece: any(file in ran for file in piece))


def note(build: Path, tests: list[str], outcomes: Counter[str]) -> dict[str, Counter[str]]:
    """Remember the outcomes of a piece in place of those that its files had before; return all."""
    kept = {piece: said for piece, said in before(build).items() if not set(piece.split()) & set(tests)}
    results = kept | {" ".join(tests): outcomes}
    (build / "pieces.json").write_text(json.dumps(results))
    return results


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--tests", nargs="*", help="folders or files of tests (default: all)")
    parser.add_argument("--files", type=int, default=6, help="of tests in a piece")
    parser.add_argument("--count", action="store_true", help="count what runs, too")
    parser.add_argument("--resume", action="store_true", help="run what is left, and what failed")
    options = parser.parse_args()
    build, environment, results = prepare(options)
    end = time.monotonic() + 60 * options.minutes
    left = []
    for tests in still_open(pieces(options.tests or ["tests"], options.files), results):
        if time.monotonic() > end:
            left += tests
            continue
        outcomes = run(build, tests, environment)
        results = note(build, tests, outcomes)
        print(f"{tests[0]} …: {dict(outcomes)}", file=sys.stderr, flush=True)
    if options.resume:
        print("This run and those that it goes on with, by the sources of their time:\n")
    total, reports = show(results), found(build)
    print(
        f"\n{total['passed'] + total['broken']:,} tests run, {total['broken']:,} failed, {reports.total():,} findings"
    )
    if left:
        folders = Counter(str(Path(file).parent) for file in left)
        print(f"not run yet: {len(left)} files: " + ", ".join(f"{name} {n}" for name, n in folders.items()))
    for report, times in reports.most_common():
        print(f"{times:>6,} × {report}")
    if reports or total["broken"]:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
