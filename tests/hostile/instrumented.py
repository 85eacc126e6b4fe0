"""A virtual environment in which lindy runs around an instrumented core (see the Makefile).

    python -m tests.hostile.instrumented build/sanitize

Its ``bin/python`` has the packages of the environment that makes it. Tests that start ``sys.executable`` start it, so
their processes run the same core. The sanitizers' runtime must be loaded before anything else, as Python itself is not
built with it: ``bin/python`` asks for that, and Python withdraws the wish when it has started, so that other programs
(a browser, a shell) do not load it. Its check for leaks, which would report the interpreter's own memory, is off.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MEASURE = "import os; os.environ.get('COVERAGE_PROCESS_START') and __import__('coverage').process_startup()"
WITHDRAW = "import os; os.environ.pop('LD_PRELOAD', None)"
SANITIZED_PYTHON = """#!/bin/bash
export LD_PRELOAD="{runtimes}"
export ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1:log_path={findings}/${{LINDY_FINDINGS:-process}}
export UBSAN_OPTIONS=print_stacktrace=1:log_path={findings}/${{LINDY_FINDINGS:-process}}
exec -a "$0" {python} "$@"
"""


def link_package(build: Path) -> Path:
    """Make a package of links to lindy's sources around the core in ``build``; return the folder that holds it."""
    site = build / "site"
    shutil.rmtree(site, ignore_errors=True)
    sources = ROOT / "src" / "lindy"
    for path in sources.rglob("*"):
        if path.is_file() and path.suffix not in (".pyc", ".so"):
            link = site / "lindy" / path.relative_to(sources)
            link.parent.mkdir(parents=True, exist_ok=True)
            link.symlink_to(path)
    (core,) = build.glob("_native.*.so")
    (site / "lindy" / core.name).symlink_to(core)
    return site


def findings(build: Path) -> Path:
    """Return the folder in which every process that finds something writes a file."""
    return build / "findings"


def preload_runtime(build: Path) -> None:
    """Let the environment's Python load the sanitizers' runtime first."""
    libraries = ("libasan.so", "libstdc++.so")
    found = [
        subprocess.run(
            ["gcc", f"-print-file-name={name}"], capture_output=True, text=True, check=True
        ).stdout.strip()
        for name in libraries
    ]
    python = build / "venv" / "bin" / "python"
    real = os.path.realpath(python)
    findings(build).mkdir(exist_ok=True)
    python.unlink()
    python.write_text(
        SANITIZED_PYTHON.format(runtimes=" ".join(found), findings=findings(build), python=real)
    )
    python.chmod(0o755)


def make_environment(build: Path) -> None:
    """Make the virtual environment ``build/venv`` whose lindy has the core in ``build``."""
    site = link_package(build)
    home = build / "venv"
    venv.create(home, clear=True, symlinks=True)
    packages = Path(sysconfig.get_path("purelib", vars={"base": str(home)}))
    sanitized, counting = build.name in ("sanitize", "both"), build.name != "sanitize"
    lines = [str(site), sysconfig.get_path("purelib"), *[WITHDRAW] * sanitized, *[MEASURE] * counting]
    (packages / "instrumented.pth").write_text("\n".join(lines) + "\n")
    if sanitized:
        preload_runtime(build)
    command = home / "bin" / "lindy"
    command.write_text('#!/bin/sh\nexec "$(dirname "$0")/python" -m lindy "$@"\n')
    command.chmod(0o755)


if __name__ == "__main__":
    make_environment(Path(sys.argv[1]).resolve())
