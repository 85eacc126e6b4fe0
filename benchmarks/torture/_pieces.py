"""The whole test suite in pieces of a few files: a run can be cut off, resumed, and shared by several processes.

What became of every piece is kept in ``pieces.json`` of the build whose core the tests run, or, where nothing else in
the build is needed to go on, in ``benchmarks/records/torture``. A process that runs a piece
holds a lock on it, so that another one that works for the same build takes the next.
"""

from __future__ import annotations

import fcntl
import json
import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.harness import RECORDS, ROOT

# the folders nearest to the core
FIRST = [
    *("native", "text", "linear", "kernels", "bayes", "features", "data", "modelfile", "joint", "images"),
    *("evaluation", "tests", "hostile", "tuning", "explain", "baselines"),
]
SLOW = 20  # how much longer a test may take than in make test
Outcomes = dict[str, Counter[str]]  # by the files of a piece, with spaces between them


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


def still_open(tests: list[list[str]], results: Outcomes) -> list[list[str]]:
    """Return pieces without the files that have passed; those with files that failed come last."""
    ran = {
        file: outcomes["broken"] + outcomes["findings"]
        for piece, outcomes in results.items()
        for file in piece.split()
    }
    left = [[file for file in piece if ran.get(file, 1)] for piece in tests]
    return sorted(filter(None, left), key=lambda piece: any(file in ran for file in piece))


def _kept(build: Path) -> Path:
    """Return the file that holds what became of the pieces."""
    return RECORDS / "torture" / "sanitizer.json" if build.name == "sanitize" else build / "pieces.json"


def before(build: Path) -> Outcomes:
    """Return the outcomes of the pieces that ran, in other processes, too."""
    kept = _kept(build)
    said = json.loads(kept.read_text()) if kept.exists() else {}
    return {piece: Counter(outcomes) for piece, outcomes in said.items()}


def note(build: Path, tests: list[str], outcomes: Counter[str]) -> None:
    """Remember the outcomes of a piece in place of those that its files had before."""
    with (build / "pieces.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        kept = {piece: said for piece, said in before(build).items() if not set(piece.split()) & set(tests)}
        fresh = build / "pieces.json.new"
        fresh.write_text(json.dumps(kept | {" ".join(tests): outcomes}, indent=1, sort_keys=True) + "\n")
        fresh.replace(_kept(build))


@contextmanager
def claim(build: Path, tests: list[str]) -> Iterator[bool]:
    """Hold a piece while it runs; yield whether it was free."""
    folder = build / "claims"
    folder.mkdir(exist_ok=True)
    with (folder / tests[0].replace("/", "-")).open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
        else:
            yield True


def run_piece(build: Path, tests: list[str], environment: dict[str, str], options: list[str]) -> Counter[str]:
    """Run some files of tests on the core of a build; return how many had which outcome."""
    command = [build / "venv" / "bin" / "python", "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    fixed = ["-p", "no:randomly", "-n0", "--timeout", str(300 * SLOW), "-rfE"]
    done = subprocess.run(
        [*command, *fixed, *options, *tests],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    with (build / "tests.log").open("a") as log:
        log.write(done.stdout + done.stderr)
    last = done.stdout.strip().splitlines()[-1:] or [""]
    said = Counter({word: int(number) for number, word in re.findall(r"(\d+) ([a-z]+)", last[0])})
    failed = said["failed"] + said["error"] + said["errors"]
    stopped = done.returncode not in (0, 1, 5) and not failed  # it crashed, or was interrupted
    return Counter(
        passed=said["passed"],
        broken=failed + stopped,
        aside=said["deselected"] + said["skipped"],
    )


def forget(build: Path) -> None:
    """Begin anew with all pieces."""
    _kept(build).unlink(missing_ok=True)
    (build / "tests.log").write_text("")


def run_open(
    build: Path, tests: list[list[str]], minutes: float, run: Callable[[list[str]], Counter[str]]
) -> list[str]:
    """Run the pieces that are open and that nobody else runs, until the minutes are over; return the files left."""
    known = before(build)
    end = time.monotonic() + 60 * minutes
    for piece in still_open(tests, known):
        if time.monotonic() >= end:
            break
        name = " ".join(piece)
        with claim(build, piece) as free:
            if not free or before(build).get(name) != known.get(
                name
            ):  # another process has it, or had it meanwhile
                continue
            outcomes = run(piece)
            note(build, piece, outcomes)
        print(f"{piece[0]} …: {dict(outcomes)}", file=sys.stderr, flush=True)
    ran = {file for piece in before(build) for file in piece.split()}
    return [file for piece in tests for file in piece if file not in ran]


def show_left(files: list[str]) -> None:
    """Print how many files of which folders have not run."""
    if files:
        folders = Counter(str(Path(file).parent) for file in files)
        print(f"not run yet: {len(files)} files: " + ", ".join(f"{name} {n}" for name, n in folders.items()))
