"""A virtual environment with Annif, whose packages do not fit beside those of the tests, and this lindy.

    python -m tests.annif_environment

It is made once in ``build/annif``, from the package index that pip uses.
"""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
import sysconfig
import tomllib
import venv
from pathlib import Path

import lindy._native

ROOT = Path(__file__).resolve().parents[1]
HOME = ROOT / "build" / "annif"
PACKAGE = ROOT / "integrations" / "annif"
CORE = "import lindy; lindy.__path__.append({folder!r})"
"""What makes a core that was built elsewhere that of the sources."""


def python() -> Path:
    """Return the environment's Python; makes the environment where it is not there, or for another Annif."""
    wanted = _requirements()
    HOME.mkdir(parents=True, exist_ok=True)
    with (HOME / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # of several processes that test, one makes it
        done, program = HOME / "installed", HOME / "venv" / "bin" / "python"
        if not done.exists() or done.read_text("utf-8") != "\n".join(wanted):
            venv.create(HOME / "venv", clear=True, symlinks=True, with_pip=True)
            subprocess.run([program, "-m", "pip", "install", "--quiet", *wanted], check=True)
            done.write_text("\n".join(wanted), "utf-8")
        packages = sysconfig.get_path("purelib", vars={"base": str(HOME / "venv")})
        core = CORE.format(folder=str(Path(lindy._native.__file__).parent))
        lines = "\n".join([str(ROOT / "src"), str(PACKAGE), core]) + "\n"
        if not (link := Path(packages) / "sources.pth").exists() or link.read_text("utf-8") != lines:
            link.write_text(lines, "utf-8")
    return program


def run(*words: str | os.PathLike[str], folder: Path, stdin: str = "") -> str:
    """Run a command of Annif with the backend, in a folder, and return what it prints."""
    done = subprocess.run(
        [python(), "-c", "import annif_lindy; annif_lindy.main()", *words],
        cwd=folder,
        input=stdin,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    return done.stdout if done.returncode == 0 else f"error: {done.stderr}"


def _requirements() -> list[str]:
    """Return what the package and lindy need, without lindy itself."""
    projects = [
        tomllib.loads((folder / "pyproject.toml").read_text("utf-8"))["project"] for folder in (PACKAGE, ROOT)
    ]
    needed = [own for project in projects for own in project["dependencies"]]
    return [own for own in needed if not own.startswith("lindy")]


if __name__ == "__main__" and sys.version_info < (3, 14):  # for which there is no Annif
    python()
