"""What predictions cost: one short text at once and after the caches were emptied, batches, loading, one line.

Models are trained with the defaults: SMS messages (words and characters) for short texts, IMDB's reviews (words) for
batches and the command, and the SVM of 1-2-grams on the latter, the largest file, for loading. One text is the median
of many calls, in microseconds; "cold" calls come after 16 MB of other memory was read, as between the requests of a
service. Everything else is the best of several runs, in turn.

    python -m benchmarks.prediction [--runs 5]
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.harness import corpus_folder, unpacked
from benchmarks.latency import LINDY, in_turn, median_us
from benchmarks.startup import cpu_ms

TEXT = "Had your mobile 11 months or more? You are entitled to update to the latest colour mobiles with camera, free."
MANY = 200_000  # short texts of a batch
CORPORA = ("sms-spam", "imdb")


def trained(train: Path, target: Path, *options: str) -> Any:
    """Return a model that the command has trained."""
    import lindy

    subprocess.run([LINDY, "train", str(train), "-o", str(target), "--quiet", *options], check=True)
    return lindy.load(str(target))


def cold_us(call: Callable[[], Any], memory: Any) -> float:
    """Return the median time of calls of which each comes after other memory was read."""
    times = []
    for _ in range(60):
        memory.sum()
        begin = time.perf_counter_ns()
        call()
        times.append(time.perf_counter_ns() - begin)
    return statistics.median(times) / 1e3


def one_text(model: Any, runs: int) -> None:
    """Print what one short text costs."""
    memory = np.ones(2 << 20)
    calls = {
        "predict": lambda: model.predict([TEXT]),
        "predict_proba": lambda: model.predict_proba([TEXT]),
        "quick_predictions": lambda: model.quick_predictions([TEXT]),
        "explain": lambda: model.explain(TEXT),
    }
    hot = in_turn({name: lambda call=call: median_us(call) for name, call in calls.items()}, runs)
    cold = in_turn({name: lambda call=call: cold_us(call, memory) for name, call in calls.items()}, runs)
    print(f"one text of {len(TEXT)} characters, {model.recipe_}")
    for name in calls:
        print(f"  {name:20}{hot[name]:8.1f} µs {cold[name]:8.1f} µs cold")


def batch(name: str, model: Any, texts: Any, runs: int) -> None:
    """Print how many texts are predicted in a second of CPU time, and of two cores."""
    best_cpu = best_wall = float("inf")
    for _ in range(runs):
        begin, cpu = time.perf_counter(), time.process_time()
        model.predict(texts)
        best_cpu = min(best_cpu, time.process_time() - cpu)
        best_wall = min(best_wall, time.perf_counter() - begin)
    n = len(texts)
    print(f"{name}: {n:,} texts, {model.recipe_}")
    print(f"  {n / best_cpu:11,.0f} texts/s of CPU time {n / best_wall:11,.0f} texts/s of time")


def loading(path: Path, runs: int) -> None:
    """Print what loading a warm file costs."""
    import lindy

    figures: dict[str, list[float]] = {"CPU": [], "time": []}
    for _ in range(3 * runs):
        begin, cpu = time.perf_counter(), time.process_time()
        lindy.load(str(path))
        figures["CPU"].append(1e3 * (time.process_time() - cpu))
        figures["time"].append(1e3 * (time.perf_counter() - begin))
    said = ", ".join(f"{min(ms):.1f} ms {what}" for what, ms in figures.items())
    print(f"load of {path.stat().st_size / 1e6:.1f} MB, checksum included: {said}")


def one_line(model: Path, folder: Path, runs: int) -> None:
    """Print what the command takes for one line, in units of an empty one and the import of NumPy."""
    line = folder / "line.txt"
    line.write_text(TEXT + "\n")
    out = str(folder / "out.csv")
    commands = {
        "numpy": [sys.executable, "-c", "import numpy"],
        "version": [LINDY, "--version"],
        "predict": [LINDY, "predict", str(model), str(line), "-o", out, "--force", "--quiet"],
    }
    ms = in_turn(
        {name: lambda command=command: cpu_ms(command) for name, command in commands.items()}, 3 * runs
    )
    ratio = ms["predict"] / (ms["version"] + ms["numpy"])
    print(f"lindy predict of one line: {ms['predict']:.0f} ms CPU, {ratio:.2f} × (lindy --version + NumPy)")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=5)
    runs = parser.parse_args().runs
    folders = [corpus_folder(name) for name in CORPORA]
    if None in folders:
        sys.exit(f"the corpora {', '.join(CORPORA)} are not all there: set LINDY_DATA to their folder")
    from lindy.data import read_examples

    print(f"{os.getloadavg()[0]:.1f} processes were running on {os.cpu_count()} cores before\n")
    with tempfile.TemporaryDirectory() as name:
        tables = {}
        for corpus, found in zip(CORPORA, folders, strict=True):
            folder = Path(name) / corpus
            folder.mkdir()
            tables[corpus] = {part: unpacked(found, part, folder) for part in ("train", "test")}
        root = Path(name)
        short = trained(tables["sms-spam"]["train"], root / "short.lindy")
        reviews = trained(tables["imdb"]["train"], root / "reviews.lindy")
        trained(tables["imdb"]["train"], root / "svm.lindy", "--learner", "svm", "--ngrams", "1-2")
        one_text(short, runs)
        messages = read_examples(tables["sms-spam"]["test"]).texts.to_pylist()
        batch("short texts", short, (messages * (MANY // len(messages) + 1))[:MANY], runs)
        batch("reviews", reviews, read_examples(tables["imdb"]["test"]).texts, runs)
        loading(root / "svm.lindy", runs)
        one_line(root / "reviews.lindy", root, runs)


if __name__ == "__main__":
    main()
