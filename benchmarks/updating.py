"""What an update and a merge cost in accuracy and time, against training on all rows.

python -m benchmarks.updating [corpus …]

The rows of a corpus in a random order: a model of the first 70 % is updated with the others, and merged with a model of
the others. Words 1-2, no calibration, one thread. "update" and "merge" begin with the model files.
"""

from __future__ import annotations

import random
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.harness import corpus_folder, cpu_seconds

CORPORA = ("trec6", "movie-polarity", "ag-news-10k", "20news-bydate")
LEARNERS = ("naive-bayes", "perceptron", "mira", "maxent", "svm", "nb-svm")


def measure(name: str, learner: str, train: tuple[Any, Any], test: tuple[Any, Any], folder: Path) -> str:
    import lindy
    from lindy import TextClassifier, load

    texts, labels = train
    n = int(0.7 * len(texts))
    parts = {"70 %": slice(0, n), "30 %": slice(n, None), "all": slice(None)}
    accuracy, seconds = {}, {}
    for part, rows in parts.items():
        model = TextClassifier(learner=learner, ngrams=(1, 2), calibration="none", n_jobs=1)
        seconds[part], _ = cpu_seconds(lambda model=model, rows=rows: model.fit(texts[rows], labels[rows]))
        accuracy[part] = model.score(*test)
        model.save(folder / part)
    old = load(folder / "70 %", n_jobs=1)
    seconds["update"], new = cpu_seconds(lambda: old.partial_fit(texts[n:], labels[n:]))
    models = [load(folder / part, n_jobs=1) for part in ("70 %", "30 %")]
    seconds["merge"], merged = cpu_seconds(lambda: lindy.merge(models))
    accuracy |= {"update": new.score(*test), "merge": merged.score(*test)}
    figures = "  ".join(f"{part} {100 * accuracy[part]:5.2f} ({seconds[part]:4.2f} s)" for part in accuracy)
    return f"{name:16} {learner:12} {figures}"


def main() -> None:
    from lindy.data import read_examples

    for name in sys.argv[1:] or CORPORA:
        folder = corpus_folder(name)
        if folder is None:
            print(f"{name:16} is not there: set LINDY_DATA to the folder of the corpora")
            continue
        read = {part: read_examples(folder / f"{part}.csv.gz") for part in ("train", "test")}
        pairs = list(zip(read["train"].texts.to_pylist(), read["train"].labels.to_pylist(), strict=True))
        random.Random(0).shuffle(pairs)
        train = [text for text, _ in pairs], [label for _, label in pairs]
        test = read["test"].texts.to_pylist(), read["test"].labels.to_pylist()
        with tempfile.TemporaryDirectory() as made:
            for learner in LEARNERS:
                print(measure(name, learner, train, test, Path(made)), flush=True)


if __name__ == "__main__":
    main()
