"""Small wrong changes of the loader and the readers, one at a time, and whether a test notices.

    python -m benchmarks.torture.mutation [--minutes 10] [--rooms modelfile data] [--files svmlight.py] [--resume]

Comparisons, numbers, and/or, arithmetic, dropped statements and returned values are changed (``hostile/mutants.py``),
in a random order that the seed fixes, until the minutes are over. ``--resume`` goes on: mutants that were killed while
their file was what it is now are not tried again, those that nobody noticed are. A mutant runs those of its room's
tests which run its line and take less than ``--slow`` seconds; it is killed if one of them fails or hangs. Survivors
that no test can kill are listed with the reason in ``tests/hostile/equivalent_mutants.txt``.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import subprocess
import sys
import sysconfig
import time
import xml.etree.ElementTree as ET
from collections import Counter, defaultdict
from pathlib import Path

from tests.hostile.instrumented import make_environment
from tests.hostile.mutants import Mutant, mutants

from benchmarks.harness import ROOT

BUILD = ROOT / "build" / "mutation"
PYTHON = BUILD / "venv" / "bin" / "python"
PACKAGE = ROOT / "src" / "lindy"
EQUIVALENT = ROOT / "tests" / "hostile" / "equivalent_mutants.txt"
# beside the folder of the room's name
TESTS = {
    "modelfile": (
        "hostile/test_damaged_model.py",
        "hostile/test_hostile_model.py",
        "hostile/test_fuzzed_model.py",
        "hostile/test_fuzz_corpus.py",
        "hostile/test_forged_classifiers.py",
        "hostile/test_forged_costs.py",
        "hostile/test_loading_audit.py",
        "test_textclassifier.py",
        "test_learners.py",
        "joint/test_saving.py",
    ),
    "data": ("hostile/test_bombs.py", "hostile/test_hostile_mail.py", "hostile/test_fuzz_corpus.py"),
}
SETTINGS = """
[run]
data_file = {build}/{room}.coverage
source = {package}/{room}
dynamic_context = test_function
disable_warnings = no-data-collected,module-not-imported,module-not-measured,already-imported
"""


class Tests:
    """The tests of a room: which of them run a line, fastest first."""

    def __init__(self, room: str, slow: float, *, reuse: bool) -> None:
        self.slow = slow  # seconds: tests that take longer are left out
        report, times = BUILD / f"{room}.json", BUILD / f"{room}.xml"
        folder = ROOT / "tests" / room
        places = [folder, *(ROOT / "tests" / name for name in TESTS[room])]
        files = [*folder.rglob("*.py"), *places[1:], *(PACKAGE / room).rglob("*.py")]
        known = report.stat().st_mtime if report.exists() else 0.0
        if not reuse or max(file.stat().st_mtime for file in files) > known:
            _measure(room, places, report, times)
        self.files = json.loads(report.read_text())["files"]
        self.seconds: dict[str, float] = defaultdict(float)  # by file::function
        self.places: dict[str, str] = {}  # file::function by module.function
        for case in ET.parse(times).iter("testcase"):
            module = case.attrib["classname"]
            function = case.attrib["name"].split("[")[0]
            place = f"{module.replace('.', '/')}.py::{function}"
            self.seconds[place] += float(case.attrib["time"])
            self.places[f"{module.rsplit('.', 1)[-1]}.{function}"] = place

    def of(self, file: Path, line: int) -> list[str]:
        """Return the tests that run a line; of a line that runs when it is imported, all."""
        contexts = self.files[str(file.relative_to(ROOT))]["contexts"].get(str(line), [])
        named = [context.rsplit(".", 2)[-2:] for context in contexts if context]
        tests = {self.places[".".join(name)] for name in named if ".".join(name) in self.places}
        if contexts == [""]:
            tests = set(self.seconds)
        return sorted(
            (test for test in tests if self.seconds[test] < self.slow), key=self.seconds.__getitem__
        )


def _measure(room: str, places: list[Path], report: Path, times: Path) -> None:
    """Run the tests of a room; write which of them run which line, and how long they take."""
    settings = BUILD / f"{room}.coveragerc"
    settings.write_text(SETTINGS.format(build=BUILD, package=PACKAGE, room=room))
    coverage = [PYTHON, "-m", "coverage"]
    pytest = [
        "-m",
        "pytest",
        "-q",
        "-n0",
        "-p",
        "no:randomly",
        "-p",
        "no:cacheprovider",
        f"--junitxml={times}",
    ]
    measure = [*coverage, "run", f"--rcfile={settings}", *pytest, *places]
    done = subprocess.run(measure, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"the tests of {room} fail:\n{done.stdout[-3000:]}")
    show = [*coverage, "json", "-q", f"--rcfile={settings}", "--show-contexts", "-o", report]
    subprocess.run(show, cwd=ROOT, check=True)


def known() -> dict[str, str]:
    """Return the mutants that behave as the original, each with the reason."""
    lines = [line for line in EQUIVALENT.read_text(encoding="utf-8").splitlines() if line and line[0] != "#"]
    return dict(line.split("  because ", 1) for line in lines)


def judge(runner: subprocess.Popen[str], file: Path, mutant: Mutant, tests: Tests) -> str:
    """Return what became of a mutant."""
    chosen = tests.of(file, mutant.line)
    if not chosen:
        return "not run"
    seconds = 20 + 10 * sum(tests.seconds[test] for test in chosen)
    link = BUILD / "site" / "lindy" / file.relative_to(PACKAGE)
    task = {"file": str(link), "source": mutant.source, "tests": chosen, "seconds": seconds}
    assert runner.stdin is not None
    assert runner.stdout is not None
    runner.stdin.write(json.dumps(task) + "\n")
    runner.stdin.flush()
    return runner.stdout.readline().strip() or "killed"


def check_unchanged(runner: subprocess.Popen[str], room: str, tests: Tests) -> None:
    """Fail unless the files as they are survive: otherwise every mutant would be killed."""
    file = max((PACKAGE / room).rglob("*.py"), key=lambda path: path.stat().st_size)
    source = file.read_text(encoding="utf-8")
    lines = range(1, source.count("\n") + 1)
    line = max(lines, key=lambda line: len(tests.of(file, line)))
    if judge(runner, file, Mutant(line, "", "", "", source), tests) != "survived":
        raise SystemExit(f"the tests of {room} fail when nothing is changed")


def prepare() -> None:
    """Make an environment around the installed core."""
    BUILD.mkdir(parents=True, exist_ok=True)
    (core,) = Path(sysconfig.get_path("platlib"), "lindy").glob("_native.*.so")
    link = BUILD / core.name
    link.unlink(missing_ok=True)
    link.symlink_to(core)
    make_environment(BUILD)


class Verdicts:
    """What became of the mutants of this run and of those that it goes on with."""

    def __init__(self, *, resume: bool) -> None:
        self.path = BUILD / "verdicts.json"
        self.said: dict[str, str] = {}
        if resume and self.path.exists():
            self.said = json.loads(self.path.read_text(encoding="utf-8"))

    def of(self, file: Path, mutant: Mutant) -> str:
        """Return what became of a mutant of the file as it is now; of one that was not tried, nothing."""
        return self.said.get(self._key(file, mutant), "")

    def note(self, file: Path, mutant: Mutant, outcome: str) -> None:
        """Remember what became of a mutant."""
        self.said[self._key(file, mutant)] = outcome
        self.path.write_text(json.dumps(self.said), encoding="utf-8")

    def _key(self, file: Path, mutant: Mutant) -> str:
        state = hashlib.sha256(file.read_bytes() + mutant.source.encode()).hexdigest()[:16]
        return f"{file.relative_to(PACKAGE)} {state}"


Candidate = tuple[str, Path, Mutant]  # with its room


def try_out(candidates: list[Candidate], verdicts: Verdicts, minutes: float, slow: float) -> None:
    """Judge mutants until the minutes are over: those that nobody noticed so far, then those not tried yet."""
    prepare()
    rooms = sorted({room for room, _, _ in candidates})
    tests = {room: Tests(room, slow, reuse=bool(verdicts.said)) for room in rooms}
    end = time.monotonic() + 60 * minutes
    runner = subprocess.Popen(
        [PYTHON, "-m", "tests.hostile.mutation_runner"],
        cwd=ROOT, env=os.environ | {"CI": ""}, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    )  # fmt: skip
    for room in rooms:
        check_unchanged(runner, room, tests[room])
    open_ones = [candidate for candidate in candidates if verdicts.of(*candidate[1:]) != "killed"]
    for room, file, mutant in sorted(open_ones, key=lambda candidate: not verdicts.of(*candidate[1:])):
        if time.monotonic() >= end:
            break
        outcome = judge(runner, file, mutant, tests[room])
        verdicts.note(file, mutant, outcome)
        if outcome != "killed":
            place = mutant.named(str(file.relative_to(PACKAGE)))
            print(f"{outcome}: line {mutant.line} of {place}", file=sys.stderr, flush=True)
    assert runner.stdin is not None
    runner.stdin.close()
    runner.wait()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--rooms", nargs="*", default=["modelfile", "data"], choices=list(TESTS))
    parser.add_argument("--files", nargs="*", default=[], help="names of files (default: all of the rooms)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--slow", type=float, default=3, help="seconds: tests that take longer are left out")
    parser.add_argument("--resume", action="store_true", help="go on (with --minutes 0: show what is known)")
    options = parser.parse_args()
    candidates: list[Candidate] = []
    for room in options.rooms:
        for file in sorted((PACKAGE / room).rglob("*.py")):
            if not options.files or file.name in options.files:
                candidates += [(room, file, mutant) for mutant in mutants(file.read_text(encoding="utf-8"))]
    random.Random(options.seed).shuffle(candidates)
    verdicts, equivalent = Verdicts(resume=options.resume), known()
    names = {id(mutant): mutant.named(str(file.relative_to(PACKAGE))) for _, file, mutant in candidates}
    if options.minutes:
        judged = [candidate for candidate in candidates if names[id(candidate[2])] not in equivalent]
        try_out(judged, verdicts, options.minutes, options.slow)
    outcomes: dict[str, Counter[str]] = {room: Counter() for room in options.rooms}
    unnoticed = []
    for room, file, mutant in candidates:
        name = names[id(mutant)]
        outcome = "equivalent" if name in equivalent else verdicts.of(file, mutant)
        outcomes[room].update({outcome: 1, "of all": 1} if outcome else {"of all": 1})
        if outcome in ("survived", "not run"):
            unnoticed.append(f"{outcome}: line {mutant.line} of {name}")
    kinds = ("killed", "survived", "not run", "equivalent", "of all")
    print(f"{'room':<10}" + "".join(f" {kind:>10}" for kind in kinds))
    for room, counts in outcomes.items():
        print(f"{room:<10}" + "".join(f" {counts[kind]:>10,}" for kind in kinds))
    print("".join(f"\n{line}" for line in sorted(unnoticed)))
    tried = sum(counts[kind] for counts in outcomes.values() for kind in kinds[:4])
    print(f"\n{len(unnoticed)} of {tried:,} mutants tried were not noticed")


if __name__ == "__main__":
    main()
