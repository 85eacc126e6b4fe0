"""Runs the tests of what was changed, the most related first, for about a minute.

    python -m tests.quick                 what differs from main (on main: from the last commit)
    python -m tests.quick text linear     the rooms of these names

Of a changed module come first the tests that changed with it, then those that are named after it or import it, then the
other ones of its room. Tests that are not reached in time are left out, and counted in the last lines.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SECONDS = 60.0
"""Tests begin no later than this; the last one and the start take the rest of 90 seconds."""
OTHERS = {
    ".github": ["tests/test_habits.py"],
    "benchmarks": ["tests/test_benchmark_records.py", "tests/test_instructions.py"],
    "docs": ["tests/test_docs.py", "tests/test_habits.py"],
    "release": ["tests/test_release.py"],
}
"""The tests of folders that are no rooms."""
_END = "LINDY_TESTS_END"  # seconds since 1970, for the plugin in the workers
CORE = "native"
"""The room whose tests are those of ``native/core`` and ``native/bind``."""


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Leave a test out when the time is over (as a plugin, in every worker)."""
    if time.time() > float(os.environ[_END]):
        pytest.skip("the time of `make quick` is over: `make test` runs it")


def changed_files(root: Path = ROOT) -> list[str]:
    """Return the files that differ from where the branch left main, or from the last commit on main itself."""

    def git(*words: str) -> list[str]:
        done = subprocess.run(["git", *words], cwd=root, capture_output=True, text=True, check=True)
        return done.stdout.splitlines()

    has_main = bool(git("branch", "--list", "main"))
    base = git("merge-base", "HEAD", "main")[0] if has_main else "HEAD"
    return sorted({*git("diff", "--name-only", base), *git("ls-files", "--others", "--exclude-standard")})


def related_tests(changed: Iterable[str], root: Path = ROOT) -> list[str]:
    """Return the test files of changed files, those that have most to do with them first."""
    files = [str(path.relative_to(root)) for path in sorted((root / "tests").rglob("test_*.py"))]
    texts = {file: (root / file).read_text(encoding="utf-8") for file in files}
    first: list[str] = []
    then: list[str] = []
    for path in changed:
        parts = Path(path).parts
        if path in texts:
            first.insert(0, path)
        elif parts[0] in ("src", CORE) and len(parts) > 2:
            room = parts[2:-1] if parts[0] == "src" else parts[1:-1]
            first += [file for file in files if _is_about(file, texts[file], path)]
            then += room_tests(room[0], root) if room else []
        elif parts[0] == "tests" and path.endswith(".py"):
            module = ".".join(Path(path).with_suffix("").parts)
            first += [file for file in files if re.search(rf"\b{re.escape(module)}\b", texts[file])]
        else:
            then += OTHERS.get(parts[0], [f"tests/test_{Path(path).stem.lower()}.py"])
    return [file for file in dict.fromkeys([*first, *then]) if file in texts]


def room_tests(room: str, root: Path = ROOT) -> list[str]:
    """Return the test files of a room: those of its folder, and those at the top that have its name."""
    room = CORE if room in ("core", "bind") else room
    found = [*(root / "tests" / room).rglob("test_*.py"), *(root / "tests").glob(f"test_{room}*.py")]
    return sorted(str(path.relative_to(root)) for path in found)


def _is_about(file: str, text: str, path: str) -> bool:
    """Whether a test file is named after a source file, or imports it."""
    stem, module = Path(path).stem, ".".join(Path(path).with_suffix("").parts[1:])
    if Path(file).stem in (f"test_{stem}", f"test_{stem}s"):
        return True
    return (
        path.endswith(".py")
        and stem != "__init__"
        and re.search(rf"\b{re.escape(module)}\b", text) is not None
    )


def run(files: list[str], seconds: float = SECONDS) -> int:
    """Run test files in their order by two workers until the time is over; return pytest's exit code."""
    os.environ[_END] = str(time.time() + seconds)
    ordered = ["-p", "tests.quick", "-p", "no:randomly", "--numprocesses", "2", "--dist", "load", "--quiet"]
    return int(pytest.main([*ordered, *files]))


def main() -> int:
    """Run what the arguments name, or what was changed."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.quick", description="Run the tests of what was changed."
    )
    parser.add_argument(
        "rooms", nargs="*", help="such as text or linear (default: those of the changed files)"
    )
    parser.add_argument(
        "--seconds", type=float, default=SECONDS, help="no test begins later (default: %(default)s)"
    )
    args = parser.parse_args()
    files = [file for room in args.rooms for file in room_tests(room)] or related_tests(changed_files())
    unknown = [room for room in args.rooms if not room_tests(room)]
    if unknown:
        known = sorted(path.name for path in (ROOT / "tests").iterdir() if any(path.glob("test_*.py")))
        parser.error(f"no tests of {', '.join(unknown)}: rooms with tests are {', '.join(known)}")
    if not files:
        parser.exit(0, "Nothing was changed that has tests of its own.\n")
    return run(files, args.seconds)


if __name__ == "__main__":
    sys.exit(main())
