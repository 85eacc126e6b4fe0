"""The tests on a core that is built with sanitizers: every wrong access and all undefined behaviour is a finding.

    python -m benchmarks.torture.sanitizer [--minutes 10] [--tests tests/text tests/data]

gcc's address sanitizer and undefined-behaviour sanitizer, with casts of floating-point numbers beyond the range of an
integer, and the checks of the C++ library. Left out are tests marked ``limits_memory``. Rooms run one after the other,
those nearest to the core first, until the minutes are over; ``make sanitize`` runs all of them.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import time
from collections import Counter

from tests.hostile.instrumented import findings

from benchmarks.harness import ROOT

BUILD = ROOT / "build" / "sanitize"
PYTHON = BUILD / "venv" / "bin" / "python"
FIRST = ["native", "hostile", "text", "features", "data", "modelfile", "kernels", "bayes", "joint", "images"]
SLOW = 20  # how much longer a test may take than in make test
ERROR = re.compile(r"runtime error: .*|AddressSanitizer: [a-z-]+")


def rooms() -> list[str]:
    """Return the folders of tests, those nearest to the core first, then the tests outside of them."""
    tests = ROOT / "tests"
    folders = sorted(folder.name for folder in tests.iterdir() if any(folder.glob("test_*.py")))
    order = [*FIRST, *(name for name in folders if name not in FIRST)]
    alone = sorted(str(path.relative_to(ROOT)) for path in tests.glob("test_*.py"))
    return [f"tests/{name}" for name in order] + alone


def run(tests: str, seconds: float) -> tuple[Counter[str], bool]:
    """Run a room's tests; return how many had which outcome, and whether the time was long enough."""
    command = [PYTHON, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:randomly", "-n0", tests]
    limits = ["-m", "not limits_memory", "--timeout", str(300 * SLOW), "--session-timeout", str(seconds)]
    done = subprocess.run([*command, *limits], cwd=ROOT, capture_output=True, text=True, check=False)
    (BUILD / "tests.log").open("a").write(done.stdout + done.stderr)
    last = done.stdout.strip().splitlines()[-1:] or [""]
    outcomes = Counter({word: int(number) for number, word in re.findall(r"(\d+) ([a-z]+)", last[0])})
    if done.returncode not in (0, 1, 2, 5):
        outcomes["crashed"] += 1
    return outcomes, "session-timeout" not in done.stdout


def found() -> Counter[str]:
    """Return what the sanitizers have reported, and how often."""
    reports: Counter[str] = Counter()
    for path in findings(BUILD).iterdir():
        lines = path.read_text(errors="replace").splitlines()
        for number, line in enumerate(lines):
            if match := ERROR.search(line):
                frames = [frame.split(" in ")[-1] for frame in lines[number + 1 :] if "/native/" in frame]
                undefined = line.startswith(f"{line[: match.start()].strip()} runtime")
                place = line[: match.start()].strip(": ") if undefined else next(iter(frames), "somewhere")
                reports[f"{place}: {match[0]}"] += 1
    return reports


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--tests", nargs="*", help="folders or files of tests (default: all)")
    options = parser.parse_args()
    subprocess.run(["make", "--silent", "build/sanitize/.built"], cwd=ROOT, stdout=sys.stderr, check=True)
    for path in findings(BUILD).iterdir():
        path.unlink()
    (BUILD / "tests.log").write_text("")
    end = time.monotonic() + 60 * options.minutes
    total: Counter[str] = Counter()
    left = list(options.tests or rooms())
    print(f"{'tests':<40} {'passed':>7} {'failed':>7} {'left out':>9} {'findings':>9}")
    while left and (remaining := end - time.monotonic()) > 1:
        known = found().total()
        outcomes, whole = run(left[0], remaining)
        broken = outcomes["failed"] + outcomes["error"] + outcomes["errors"] + outcomes["crashed"]
        aside = outcomes["deselected"] + outcomes["skipped"]
        name = left[0] + ("" if whole else " (begun)")
        print(
            f"{name:<40} {outcomes['passed']:>7,} {broken:>7,} {aside:>9,} {found().total() - known:>9,}",
            flush=True,
        )
        total += Counter(passed=outcomes["passed"], broken=broken)
        if not whole:
            break
        left.pop(0)
    reports = found()
    print(
        f"\n{total['passed'] + total['broken']:,} tests run, {total['broken']:,} failed, {reports.total():,} findings"
    )
    if left:
        print(f"not run, or not to their end, in {options.minutes:g} minutes: {', '.join(left)}")
    for report, times in reports.most_common():
        print(f"{times:>6,} × {report}")
    if reports or total["broken"]:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
