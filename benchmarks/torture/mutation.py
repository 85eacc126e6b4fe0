"""Small wrong changes of the loader and the readers, one at a time, and whether a test notices.

    python -m benchmarks.torture.mutation [--minutes 10] [--rooms modelfile readers] [--files svmlight.py] [--resume]

The loader is ``modelfile/``, the readers are the folders of ``data/`` that turn files into tables (``READERS``). The
rest of ``data/``, which reads no file, is the room ``data`` and is tried if it is named.
Comparisons, numbers, and/or, arithmetic, dropped statements and returned values are changed (``hostile/mutants.py``),
in a random order that the seed fixes, until the minutes are over. What became of each is kept in
``benchmarks/records/torture``, and ``--resume`` goes on: mutants that were killed while their file was what it is now
are not tried again, those that nobody noticed are. A mutant runs those of its room's tests which run its line and take
less than ``--slow`` seconds; it is killed if one of them fails or hangs. Survivors
that no test can kill are listed with the reason in ``tests/hostile/equivalent_mutants.txt``.

mutmut and cosmic-ray were tried on ``modelfile/layout.py``. mutmut (3.8) chooses tests by function, not by line, and
needs the core in the folder of the sources; processes that tests start do not get the mutant, which ended the run
before the first one. cosmic-ray (8.7) changes the file in place, and an interrupted run leaves it so; it starts
Python and runs all tests anew for each mutant, where ours forks and takes those of the line, and keeps no list of
equivalent mutants that survives moved lines.
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
import textwrap
import threading
import time
import xml.etree.ElementTree as ET
from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from tests.hostile.instrumented import make_environment
from tests.hostile.mutants import Mutant, mutants

from benchmarks.harness import RECORDS, ROOT

BUILD = ROOT / "build" / "mutation"
PACKAGE = ROOT / "src" / "lindy"
EQUIVALENT = ROOT / "tests" / "hostile" / "equivalent_mutants.txt"
FOLDERS = {"modelfile": "modelfile", "readers": "data", "data": "data"}  # of each room
READERS = ("chunks", "columns", "formats", "mail")  # the folders of data/ that turn files into tables
# of each folder, beside the tests in the folder of its name
TESTS = {
    "modelfile": (
        "hostile/test_damaged_model.py",
        "hostile/test_hostile_model.py",
        "hostile/test_fuzzed_model.py",
        "hostile/test_fuzz_corpus.py",
        "hostile/test_forged_costs.py",
        "hostile/test_loading_audit.py",
        "test_textclassifier.py",
        "test_learners.py",
        "joint/test_saving.py",
        "updating/test_new_data.py",
    ),
    "data": (
        "hostile/test_bombs.py",
        "hostile/test_hostile_mail.py",
        "hostile/test_fuzz_corpus.py",
        "hostile/test_fuzzed_delimited.py",
        "hostile/test_long_rows.py",
        "stream/test_fit_batches.py",
        "cli/test_input_kinds.py",
        "cli/test_convert.py",
        "cli/test_large_tables.py",
        "cli/test_mail.py",
        "cli/test_row_columns.py",
        "cli/test_row_numbers.py",
        "cli/test_spreadsheet_safe.py",
    ),
}
# tests are compiled once, not for every mutant, and what they save need not reach a disk
QUICK = {"CI": "", "PYTHONDONTWRITEBYTECODE": "", "TMPDIR": "/dev/shm"}
SETTINGS = """
[run]
data_file = {build}/{folder}.coverage
source = {package}/{folder}
disable_warnings = no-data-collected,module-not-imported,module-not-measured,already-imported
"""


class Tests:
    """The tests of a folder: which of them run a line.

    Those come first that are fast, that have noticed mutants of its function or file, and that are of its own module.
    """

    def __init__(self, folder: str, slow: float, *, reuse: bool) -> None:
        self.slow = slow  # seconds: tests that take longer are left out
        self.noticed: Counter[tuple[Path, str, str]] = Counter()  # by file, function (or none: any) and test
        report, times = BUILD / f"{folder}.json", BUILD / f"{folder}.xml"
        places = [ROOT / "tests" / name for name in (folder, *TESTS[folder])]
        files = [*places[0].rglob("*.py"), *places[1:], *(PACKAGE / folder).rglob("*.py")]
        known = report.stat().st_mtime if report.exists() else 0.0
        if not reuse or max(file.stat().st_mtime for file in files) > known:
            _measure(folder, places, report, times)
        self.files = json.loads(report.read_text())["files"]
        self.seconds: dict[str, float] = defaultdict(float)  # by file::function
        for case in ET.parse(times).iter("testcase"):
            file, function = case.attrib["classname"].replace(".", "/"), case.attrib["name"].split("[")[0]
            self.seconds[f"{file}.py::{function}"] += float(case.attrib["time"])

    def of(self, file: Path, line: int, function: str = "") -> list[str]:
        """Return the tests that run a line; of a line that runs when it is imported, all."""
        contexts = self.files[str(file.relative_to(ROOT))]["contexts"].get(str(line), [])
        return self._fast(file, function, contexts)

    def of_file(self, file: Path, function: str) -> list[str]:
        """Return the tests that run a line of a file."""
        lines = self.files[str(file.relative_to(ROOT))]["contexts"].values()
        return self._fast(
            file, function, sorted({context for contexts in lines for context in contexts} - {""})
        )

    def note(self, file: Path, function: str, test: str) -> None:
        """Remember that a test has noticed a mutant of a function."""
        self.noticed.update([(file, function, test), (file, "", test)])

    def _fast(self, file: Path, function: str, contexts: list[str]) -> list[str]:
        tests = set(self.seconds) if contexts == [""] else set(contexts) - {""}
        own = f"/test_{file.stem}.py"

        def likeliness(test: str) -> float:
            """How likely the test is to notice a mutant, for each second that it takes."""
            noticed = 4 * self.noticed[file, function, test] + self.noticed[file, "", test]
            return (noticed + (1 if own in test else 0.2)) / (self.seconds[test] + 0.05)

        return sorted(
            (test for test in tests if self.seconds[test] < self.slow), key=likeliness, reverse=True
        )


def _measure(folder: str, places: list[Path], report: Path, times: Path) -> None:
    """Run the tests of a folder; write which of them run which line, and how long they take."""
    settings = BUILD / f"{folder}.coveragerc"
    settings.write_text(SETTINGS.format(build=BUILD, package=PACKAGE, folder=folder))
    coverage = [python_of(BUILD / folder), "-m", "coverage"]
    pytest = [
        "-m",
        "pytest",
        "-q",
        "-n0",
        "-p",
        "no:randomly",
        "-p",
        "no:cacheprovider",
        "-p",
        "tests.hostile.contexts",
        f"--junitxml={times}",
    ]
    measure = [*coverage, "run", f"--rcfile={settings}", *pytest, *places]
    done = subprocess.run(measure, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"the tests of {folder} fail:\n{done.stdout[-3000:]}{done.stderr[-1000:]}")
    show = [*coverage, "json", "-q", f"--rcfile={settings}", "--show-contexts", "-o", report]
    subprocess.run(show, cwd=ROOT, check=True)


def known() -> dict[str, str]:
    """Return the mutants that behave as the original, each with the reason."""
    lines = [line for line in EQUIVALENT.read_text(encoding="utf-8").splitlines() if line and line[0] != "#"]
    return dict(line.split("  because ", 1) for line in lines)


class Runner:
    """A process that runs tests on one mutant after the other, in an environment of its own."""

    def __init__(self, folder: str, number: int, tests: Tests) -> None:
        self.folder, self.tests = folder, tests
        self.build = BUILD / f"{folder}{number or ''}"
        prepare(self.build)
        self.process = subprocess.Popen(
            [python_of(self.build), "-m", "tests.hostile.mutation_runner"],
            cwd=ROOT, env=os.environ | QUICK, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        )  # fmt: skip

    def judge(self, file: Path, mutant: Mutant) -> str:
        """Return what became of a mutant."""
        tests = self.tests
        seen = tests.of(file, mutant.line, mutant.function)
        # Arrow's threads run lines, and coverage.py does not see them
        chosen = seen or tests.of_file(file, mutant.function)
        if not chosen:
            return "not run"
        limits = {test: 5 + 10 * tests.seconds[test] for test in chosen}  # seconds
        link = self.build / "site" / "lindy" / file.relative_to(PACKAGE)
        task = {"file": str(link), "source": mutant.source, "tests": limits}
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps(task) + "\n")
        self.process.stdin.flush()
        outcome, _, test = (self.process.stdout.readline().strip() or "killed").partition(" ")
        if test:
            tests.note(file, mutant.function, test)
        return outcome if seen or outcome == "killed" else "not run"

    def check_unchanged(self) -> None:
        """Fail unless the files as they are survive: otherwise every mutant would be killed."""
        file = max((PACKAGE / self.folder).rglob("*.py"), key=lambda path: path.stat().st_size)
        source = file.read_text(encoding="utf-8")
        counts = {line: len(self.tests.of(file, line)) for line in range(1, source.count("\n") + 1)}
        line = min((line for line in counts if counts[line]), key=counts.__getitem__)
        if self.judge(file, Mutant(line, "", "", "", source)) != "survived":
            raise SystemExit(f"the tests of {self.folder} fail when nothing is changed")

    def close(self) -> None:
        """End the process."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait()


def prepare(build: Path) -> None:
    """Make an environment around the installed core."""
    build.mkdir(parents=True, exist_ok=True)
    (core,) = Path(sysconfig.get_path("platlib"), "lindy").glob("_native.*.so")
    link = build / core.name
    link.unlink(missing_ok=True)
    link.symlink_to(core)
    make_environment(build)


def python_of(build: Path) -> Path:
    """Return the Python of an environment."""
    return build / "venv" / "bin" / "python"


class Verdicts:
    """What became of the mutants of a folder, kept in the records: a letter for each mutant of a file, in their order.

    They hold as long as the file is what it was.
    """

    LETTERS: ClassVar = {"": ".", "killed": "k", "survived": "s", "not run": "n"}
    OUTCOMES: ClassVar = {letter: outcome for outcome, letter in LETTERS.items()}

    def __init__(self, folder: str, *, resume: bool, new: bool = False) -> None:
        self.path = RECORDS / "torture" / f"mutation_{folder}.json"
        self.resume, self.new = resume, new
        self.lock = threading.Lock()
        self.said: dict[str, dict[str, str]] = {}
        if resume and self.path.exists():
            self.said = json.loads(self.path.read_text(encoding="utf-8"))

    def of(self, candidate: Candidate) -> str:
        """Return what became of a mutant of the file as it is now; of one that was not tried, nothing."""
        return self.OUTCOMES[self._letters(candidate)[candidate.number]]

    def note(self, candidate: Candidate, outcome: str) -> None:
        """Remember what became of a mutant."""
        with self.lock:
            letters, number = self._letters(candidate), candidate.number
            letters = letters[:number] + self.LETTERS[outcome] + letters[number + 1 :]
            self.said[candidate.name] = {"source": candidate.state, "mutants": letters}
            text = json.dumps(self.said, indent=1, sort_keys=True) + "\n"
            fresh = self.path.with_suffix(".new")
            fresh.write_text(text, encoding="utf-8")
            fresh.replace(self.path)

    def _letters(self, candidate: Candidate) -> str:
        said = self.said.get(candidate.name, {})
        return said["mutants"] if said.get("source") == candidate.state else "." * candidate.of


@dataclass(frozen=True)
class Candidate:
    """A mutant, the number that it has among those of its file, and the file's contents as a short hash."""

    file: Path
    state: str
    number: int
    of: int
    mutant: Mutant

    @property
    def name(self) -> str:
        """The file, as the records call it."""
        return str(self.file.relative_to(PACKAGE))

    @property
    def shown(self) -> str:
        """The mutant, by a name that stays when lines move."""
        return self.mutant.named(self.name)


def files_of(room: str) -> list[Path]:
    """Return the files of a room."""
    folder = PACKAGE / FOLDERS[room]
    files = sorted(folder.rglob("*.py"))
    if room == "modelfile":
        return files
    readers = [file for file in files if file.parent.name in READERS]
    return readers if room == "readers" else [file for file in files if file not in readers]


def candidates(room: str, files: list[str]) -> list[Candidate]:
    """Return the mutants of the files of a room that have one of these names; of all files, if there are none."""
    found: list[Candidate] = []
    for file in files_of(room):
        if not files or file.name in files:
            source = file.read_text(encoding="utf-8")
            state = hashlib.sha256(source.encode()).hexdigest()[:16]
            made = list(mutants(source))
            found += [Candidate(file, state, i, len(made), mutant) for i, mutant in enumerate(made)]
    return found


def try_out(
    folder: str, tried: list[Candidate], verdicts: Verdicts, minutes: float, slow: float, runners: int
) -> None:
    """Judge mutants until the minutes are over: those not tried yet, then those that nobody noticed so far."""
    prepare(BUILD / folder)
    tests = Tests(folder, slow, reuse=verdicts.resume)
    end = time.monotonic() + 60 * minutes
    open_ones = [one for one in tried if verdicts.of(one) in (("",) if verdicts.new else OPEN)]
    queue = iter(sorted(open_ones, key=lambda candidate: bool(verdicts.of(candidate))))

    def work(number: int) -> None:
        runner = Runner(folder, number, tests)
        runner.check_unchanged()
        while time.monotonic() < end and (candidate := next(queue, None)):
            outcome = runner.judge(candidate.file, candidate.mutant)
            verdicts.note(candidate, outcome)
            if outcome != "killed":
                place = f"line {candidate.mutant.line} of {candidate.shown}"
                print(f"{outcome}: {place}", file=sys.stderr, flush=True)
        runner.close()

    with ThreadPoolExecutor(runners) as threads:
        list(threads.map(work, range(runners)))


OPEN = ("", "survived", "not run")
KINDS = ("killed", "survived", "not run", "equivalent", "not tried", "of all")


def show(
    room: str, known_mutants: list[Candidate], verdicts: Verdicts, equivalent: dict[str, str]
) -> list[str]:
    """Print the outcomes of every file; return the mutants that nobody noticed."""
    files: dict[str, Counter[str]] = defaultdict(Counter)
    unnoticed = []
    for candidate in known_mutants:
        outcome = "equivalent" if candidate.shown in equivalent else verdicts.of(candidate) or "not tried"
        files[candidate.name].update({outcome: 1, "of all": 1})
        if outcome in ("survived", "not run"):
            unnoticed.append(f"{outcome}: line {candidate.mutant.line} of {candidate.shown}")
    print(f"{room:<28}" + "".join(f" {kind:>10}" for kind in KINDS))
    total: Counter[str] = sum(files.values(), Counter())
    for name, counts in [*files.items(), ("all", total)]:
        print(f"{name:<28}" + "".join(f" {counts[kind]:>10,}" for kind in KINDS))
    whole = [name for name, counts in files.items() if not counts["not tried"]]
    print(f"{len(whole)} of {len(files)} files are complete\n")
    if room == "readers":
        rest = ", ".join(str(file.relative_to(PACKAGE / "data")) for file in files_of("data"))
        words = f"No readers, as they turn no file into a table, and not in this table: of data/, {rest}."
        print(textwrap.fill(words, 120) + "\n")
    return sorted(unnoticed)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=10, help="for each room")
    parser.add_argument("--rooms", nargs="*", default=["modelfile", "readers"], choices=list(FOLDERS))
    parser.add_argument("--files", nargs="*", default=[], help="names of files (default: all of the rooms)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--slow", type=float, default=3, help="seconds: tests that take longer are left out")
    parser.add_argument("--runners", type=int, default=1, help="processes that try mutants at the same time")
    parser.add_argument("--resume", action="store_true", help="go on (with --minutes 0: show what is known)")
    parser.add_argument("--most", type=int, default=20, help="mutants that nobody noticed to be listed")
    parser.add_argument("--new", action="store_true", help="try only mutants that were not tried")
    options = parser.parse_args()
    equivalent = known()
    unnoticed: list[str] = []
    tried = 0
    for room in options.rooms:
        made, folder = candidates(room, options.files), FOLDERS[room]
        verdicts = Verdicts(folder, resume=options.resume, new=options.new)
        if options.minutes:
            judged = [candidate for candidate in made if candidate.shown not in equivalent]
            random.Random(options.seed).shuffle(judged)
            try_out(folder, judged, verdicts, options.minutes, options.slow, options.runners)
        unnoticed += show(room, made, verdicts, equivalent)
        tried += sum(bool(verdicts.of(one)) or one.shown in equivalent for one in made)
    print("".join(f"{line}\n" for line in unnoticed[: options.most]))
    if len(unnoticed) > options.most:
        print(f"… and {len(unnoticed) - options.most:,} more (--most)\n")
    print(f"{len(unnoticed)} of {tried:,} mutants tried were not noticed")


if __name__ == "__main__":
    main()
