"""Tries a wheel as a new user would: a new environment, pip, the first model.

    python release/trial.py PYTHON WHEEL

The processes find no compiler: ``PATH`` names the environment alone, ``CC`` and ``CXX`` fail, and pip takes nothing but
wheels. ``smoke.py`` says what the installed package must do.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

LARGEST = 12_000_000  # bytes of a wheel
SMOKE = Path(__file__).resolve().with_name("smoke.py")


@dataclass(frozen=True)
class Trial:
    """What was measured: the size, and the wall seconds of pip and of the first trained model after it.

    The CPU seconds of pip are what it takes on a machine that does nothing else.
    """

    wheel: str
    python: str
    megabytes: float
    install_s: float
    install_cpu_s: float
    first_model_s: float
    accuracy: float

    def __str__(self) -> str:
        both = self.install_s + self.first_model_s
        return (
            f"{self.wheel}: {self.megabytes:.1f} MB, Python {self.python}, pip install {self.install_s:.1f} s"
            f" ({self.install_cpu_s:.1f} s CPU) + first model {self.first_model_s:.1f} s = {both:.1f} s,"
            f" accuracy {self.accuracy:.2f} on the sample"
        )


def tried(python: str, built: Path, folder: Path) -> Trial:
    """Install a wheel into a new environment below a folder, and use it."""
    size = built.stat().st_size
    if size >= LARGEST:
        raise SystemExit(f"{built.name} has {size:,} bytes, and may have {LARGEST:,}")
    subprocess.run([python, "-m", "venv", folder / "venv"], check=True)
    mine = str(folder / "venv" / "bin" / "python")
    environment = {**os.environ, "PATH": str(Path(mine).parent), "CC": "/bin/false", "CXX": "/bin/false"}
    environment.pop("PYTHONPATH", None)
    begin, before = time.perf_counter(), _cpu_of_children()
    install = [mine, "-m", "pip", "install", "--quiet", "--only-binary", ":all:", str(built)]
    subprocess.run(install, check=True, env=environment)
    seconds, cpu = time.perf_counter() - begin, _cpu_of_children() - before
    smoke = [mine, "-P", str(SMOKE), "--json"]
    done = subprocess.run(smoke, check=True, cwd=folder, env=environment, stdout=subprocess.PIPE, text=True)
    said = json.loads(done.stdout)
    return Trial(
        built.name, said["python"], size / 1e6, seconds, cpu, said["first_model_s"], said["accuracy"]
    )


def _cpu_of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        print(tried(sys.argv[1], Path(sys.argv[2]).resolve(), Path(name)))
