"""A trained model in use: loading it, one short text, many texts, and the commands; against scikit-learn and fastText.

All models are trained on the same corpus: lindy's default and its SVM on 1-2-grams, scikit-learn's pipeline of the
latter (kept with joblib), and fastText with bigrams. Runs alternate. Loading and commands are the least CPU
milliseconds of several runs, one text is the median in microseconds, batches are texts per second of CPU time
(the best run) and of wall time.

    python -m benchmarks.latency [--corpus imdb] [--runs 7]
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.harness import alternate, corpus_folder, unpacked
from benchmarks.startup import cpu_ms

LINDY = str(Path(sys.executable).with_name("lindy"))
TEXT = "This film was surprisingly good, and the actors were great."
CALLS = 300  # of one text in a row, before the next rival has its turn
RECIPES = {"lindy, default": [], "lindy, SVM 1-2": ["--learner", "svm", "--ngrams", "1-2"]}


@dataclass(frozen=True)
class Rival:
    """How a model is loaded from its file, and what it is asked."""

    path: Path
    load: Callable[[str], Any]
    label: Callable[[Any, list[str]], Any]
    probability: Callable[[Any, list[str]], Any] | None = None
    explanation: Callable[[Any, list[str]], Any] | None = None


def lindy_rivals(train: Path, folder: Path) -> dict[str, Rival]:
    """Train lindy's models."""
    import lindy

    rivals = {}
    for number, (name, options) in enumerate(RECIPES.items()):
        path = folder / f"{number}.lindy"
        subprocess.run([LINDY, "train", str(train), "-o", str(path), "--quiet", *options], check=True)
        rivals[name] = Rival(
            path,
            lindy.load,
            lambda model, texts: model.predict(texts),
            lambda model, texts: model.predict_proba(texts),
            lambda model, texts: model.explain(texts[0]),
        )
    return rivals


def sklearn_rival(texts: list[str], labels: list[str], folder: Path) -> Rival:
    """Train scikit-learn's pipeline."""
    import joblib
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.pipeline import make_pipeline
    from sklearn.svm import LinearSVC

    pipeline = make_pipeline(TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True), LinearSVC())
    path = folder / "pipeline.joblib"
    joblib.dump(pipeline.fit(texts, labels), path)
    return Rival(path, joblib.load, lambda model, texts: model.predict(texts))


def fasttext_rival(texts: list[str], labels: list[str], folder: Path) -> Rival | None:
    """Train fastText; None if it is not installed."""
    try:
        import fasttext
    except ImportError:
        return None
    lines, path = folder / "lines.txt", folder / "model.bin"
    lines.write_text(
        "".join(f"__label__{y} {' '.join(x.split())}\n" for x, y in zip(texts, labels, strict=True))
    )
    fasttext.train_supervised(input=str(lines), wordNgrams=2, verbose=0, thread=2).save_model(str(path))
    fasttext.FastText.eprint = lambda *_: None
    return Rival(
        path, fasttext.load_model, lambda model, texts: model.f.multilinePredict(texts, 1, 0.0, "strict")
    )


def median_us(call: Callable[[], Any]) -> float:
    """Return the median time of many calls, in microseconds."""
    times = []
    for _ in range(CALLS):
        begin = time.perf_counter_ns()
        call()
        times.append(time.perf_counter_ns() - begin)
    return statistics.median(times) / 1e3


def in_turn(calls: dict[str, Callable[[], float]], runs: int) -> dict[str, float]:
    """Return the least figure of each rival, measured in turn."""
    measured: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(runs):
        for name, call in calls.items():
            measured[name].append(call())
    return {name: min(figures) for name, figures in measured.items()}


def compare(rivals: dict[str, Rival], texts: list[str], runs: int) -> None:
    """Print what loading, one text and many texts cost each rival."""
    paths = {name: str(rival.path) for name, rival in rivals.items()}
    load_s = alternate({name: lambda n=name: rivals[n].load(paths[n]) for name in rivals}, runs)
    models = {name: rival.load(paths[name]) for name, rival in rivals.items()}

    def one(what: str) -> dict[str, float]:
        asked = {name: getattr(rival, what) for name, rival in rivals.items()}
        calls = {
            n: lambda n=n, ask=ask: median_us(lambda: ask(models[n], [TEXT]))
            for n, ask in asked.items()
            if ask
        }
        return in_turn(calls, runs)

    label, probability, explanation = one("label"), one("probability"), one("explanation")
    lines = [" ".join(text.split()) for text in texts]
    walls: dict[str, float] = dict.fromkeys(rivals, float("inf"))

    def batch(name: str) -> None:
        begin = time.perf_counter()
        rivals[name].label(models[name], lines)
        walls[name] = min(walls[name], time.perf_counter() - begin)

    cpu = alternate({name: lambda n=name: batch(n) for name in rivals}, max(3, runs // 2))
    print(
        f"{len(texts):,} texts of {sum(map(len, texts)) / len(texts):,.0f} characters; one text: {TEXT!r}\n"
    )
    print(f"{'':18}{'file':>9}{'load':>11}{'label':>10}{'probability':>13}{'explanation':>13}{'batch':>24}")
    for name, rival in rivals.items():
        cells = [
            f"{found[name]:.1f} µs" if name in found else "–" for found in (label, probability, explanation)
        ]
        speed = f"{len(texts) / cpu[name]:,.0f}/s CPU, {len(texts) / walls[name]:,.0f}/s"
        size = f"{rival.path.stat().st_size / 1e6:.1f} MB"
        print(
            f"{name:18}{size:>9}{1e3 * load_s[name]:8.1f} ms{cells[0]:>10}{cells[1]:>13}{cells[2]:>13}{speed:>24}"
        )


def compare_commands(model: Path, folder: Path, test: Path, runs: int) -> None:
    """Print what commands cost: one line, and a whole file predicted and evaluated."""
    line = folder / "line.txt"
    line.write_text(TEXT + "\n")
    out, many = str(folder / "out.csv"), str(test)
    commands = {
        "import numpy": [sys.executable, "-c", "import numpy"],
        "lindy --version": [LINDY, "--version"],
        "predict, one line": [LINDY, "predict", str(model), str(line), "-o", out, "--force", "--quiet"],
        "predict, test": [LINDY, "predict", str(model), many, "-o", out, "--force", "--quiet"],
        "evaluate, test": [LINDY, "evaluate", str(model), many, "--json", "--quiet"],
    }
    ms = in_turn({name: lambda command=command: cpu_ms(command) for name, command in commands.items()}, runs)
    print()
    for name, took in ms.items():
        print(f"{name:20}{took:9.1f} ms CPU")
    start = ms["lindy --version"] + ms["import numpy"]
    print(f"one line / (start + NumPy): {ms['predict, one line'] / start:.2f}")
    print(f"evaluate / predict: {ms['evaluate, test'] / ms['predict, test']:.2f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--corpus", default="imdb")
    parser.add_argument("--runs", type=int, default=7)
    options = parser.parse_args()
    corpus = corpus_folder(options.corpus)
    if corpus is None:
        sys.exit(f"the corpus {options.corpus} is not there: set LINDY_DATA to the folder of the corpora")
    from lindy.data import read_examples

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        train, test = unpacked(corpus, "train", folder), unpacked(corpus, "test", folder)
        examples, others = read_examples(train), read_examples(test)
        texts, labels = examples.texts.to_pylist(), examples.labels.to_pylist()
        rivals = lindy_rivals(train, folder) | {"scikit-learn": sklearn_rival(texts, labels, folder)}
        fasttext = fasttext_rival(texts, labels, folder)
        if fasttext is not None:
            rivals["fastText"] = fasttext
        compare(rivals, others.texts.to_pylist(), options.runs)
        compare_commands(rivals["lindy, default"].path, folder, test, options.runs)


if __name__ == "__main__":
    main()
