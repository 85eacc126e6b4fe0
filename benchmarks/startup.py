"""Start-up: CPU milliseconds of ``import lindy`` against ``import numpy``, and of the command line.

python -m benchmarks.startup [--runs 15]
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
from pathlib import Path


def cpu_ms(command: list[str]) -> float:
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"failed: {' '.join(command)}")
    return 1000 * (usage.ru_utime + usage.ru_stime)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=15)
    runs = parser.parse_args().runs
    lindy = str(Path(sys.executable).with_name("lindy"))
    commands = {
        "python": [sys.executable, "-c", "pass"],
        "import numpy": [sys.executable, "-c", "import numpy"],
        "import lindy": [sys.executable, "-c", "import lindy"],
        "lindy --version": [lindy, "--version"],
        "lindy --help": [lindy, "--help"],
        "lindy train --help": [lindy, "train", "--help"],
    }
    times: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(runs):
        for name, command in commands.items():
            times[name].append(cpu_ms(command))
    for name, values in times.items():
        print(f"{name:20}{statistics.median(values):8.1f} ms CPU (median of {runs})")


if __name__ == "__main__":
    main()
