"""What an installed lindy must do without its sources: train, save, load, predict, explain, and answer commands.

    python release/smoke.py [--json]

Only the package and its own dependencies are needed. The first model from the moment of the call is timed.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import lindy as package
from lindy.data import samples


def lindy(*arguments: str, folder: Path) -> str:
    """Run a command in a folder; return what it printed."""
    command = [sys.executable, "-m", "lindy", *arguments]
    return subprocess.run(command, cwd=folder, check=True, capture_output=True, encoding="utf-8").stdout


def main() -> None:
    """Run all of it; an assertion ends it."""
    with tempfile.TemporaryDirectory(prefix="lindy-smoke-") as folder:
        _try(Path(folder))


def _try(folder: Path) -> None:
    begin = time.perf_counter()
    source = Path(package.__file__).parent
    train, test = (str(source / "data" / "samples" / f"reviews-{part}.csv") for part in ("train", "test"))
    lindy("train", train, "-o", "reviews.lindy", folder=folder)
    first = time.perf_counter() - begin

    figures = json.loads(lindy("evaluate", "reviews.lindy", test, "--json", folder=folder))
    assert figures["accuracy"] > 0.8, figures
    model = package.load(folder / "reviews.lindy")
    data = samples.load("reviews-test")
    assert model.predict(data.texts).tolist() == [
        json.loads(line)["label"]
        for line in lindy("predict", "reviews.lindy", test, "--to", "jsonl", folder=folder).splitlines()
    ]
    why = model.explain("a joy to read")
    assert abs(why.summed_decision[0] - model.decision_function([why.text])[0]) < 1e-6
    python = sys.version.split()[0]
    if "--json" in sys.argv:
        print(json.dumps({"python": python, "first_model_s": first, "accuracy": figures["accuracy"]}))
        return
    print(f"lindy {package.__version__} on Python {python}: first model after {first:.1f} s,")
    print(f"accuracy {figures['accuracy']:.2f} on {len(data.labels)} texts; {source}")


if __name__ == "__main__":
    main()
