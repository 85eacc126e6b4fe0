"""Test accuracy with all defaults: the automatic recipe, a fixed scikit-learn pipeline, and fastText if installed.

    scikit-learn   TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True) + LinearSVC()
    fastText       wordNgrams=2, lr=0.5, epoch=25, one thread (more threads make it irreproducible)

Seconds are those of the fit from texts in memory (the whole search, for lindy): wall / CPU. Recipes were chosen on
training files; the test files are read here only, but more than once: the search was made cheaper after a first look.

    python -m benchmarks.accuracy [--corpus imdb …] [--scripts | --all] [--rival sklearn …]

``--all`` measures lindy alone, with and without a thorough search, on every corpus with one label per text; ``--save``
keeps the figures in a file, and ``--before`` compares them with such a file of another version.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
import warnings
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.harness import corpus_folder, record, stamp

CORPORA = (
    "sms-spam",
    "trec6",
    "amazon-books-raw",
    "movie-polarity",
    "reuters-r8",
    "ag-news-10k",
    "20news-bydate",
    "imdb",
)
#: scripts of the world, beside the tables: Chinese, Japanese, Thai, Korean, Marathi
SCRIPTS = ("chnsenticorp-hotel", "jrte-pn", "wisesight", "nsmc-raw-60k", "mahasent-gt")
#: further corpora with one label per text
OTHERS = (
    "germeval2018",
    "app-reviews",
    "clinc150",
    "enron-spam",
    "spamassassin",
    "trec07p",
    "nsmc-scale",
)
Predict = Callable[[Any], Any]


def lindy(texts: Any, labels: Any, **options: Any) -> Predict:
    from lindy import TextClassifier

    with warnings.catch_warnings():  # about rare classes
        warnings.simplefilter("ignore")
        model = TextClassifier(**options).fit(texts, labels)
    print("\n".join(f"    {line}" for line in model.why_), flush=True)
    return model.predict


def sklearn(texts: Any, labels: Any) -> Predict:
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.pipeline import make_pipeline
    from sklearn.svm import LinearSVC

    model = make_pipeline(TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True), LinearSVC())
    model.fit(texts.to_pylist(), labels.to_pylist())
    return lambda column: model.predict(column.to_pylist())


def fasttext(texts: Any, labels: Any) -> Predict:
    import fasttext as package

    names = {label: f"__label__{i}" for i, label in enumerate(sorted(set(labels.to_pylist())))}
    back = {name: label for label, name in names.items()}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "train.txt"
        lines = zip(labels.to_pylist(), texts.to_pylist(), strict=True)
        path.write_text(
            "".join(f"{names[label]} {' '.join(text.split())}\n" for label, text in lines), encoding="utf-8"
        )
        model = package.train_supervised(str(path), wordNgrams=2, lr=0.5, epoch=25, thread=1, verbose=0)

    def predict(column: Any) -> list[str]:
        found = model.f.multilinePredict(
            [" ".join(t.split()) + "\n" for t in column.to_pylist()], 1, 0.0, "strict"
        )
        return [back[row[0]] for row in found[0]]

    return predict


RIVALS = {"lindy": lindy, "sklearn": sklearn, "fasttext": fasttext}
SEARCHES = {"lindy": lindy, "thorough": partial(lindy, thorough=True)}


def measure(name: str, folder: Path, rivals: Mapping[str, Any]) -> dict[str, dict[str, float]]:
    from lindy.data import read_examples

    train, test = (read_examples(next(folder.glob(f"{part}.csv*"))) for part in ("train", "test"))
    truth = np.array(test.labels.to_pylist(), object)
    found = {}
    for rival, fit in rivals.items():
        begin = time.perf_counter(), time.process_time()
        predict = fit(train.texts, train.labels)
        wall, cpu = time.perf_counter() - begin[0], time.process_time() - begin[1]
        accuracy = 100 * float(np.mean(np.asarray(predict(test.texts), object) == truth))
        found[rival] = {"accuracy": accuracy, "wall": wall, "cpu": cpu}
        print(f"{name:18}{rival:10}{accuracy:8.2f} %   {wall:6.1f} s / {cpu:6.1f} s", flush=True)
    return found


def measure_all(searches: list[str], earlier: Path | None, save: Path | None) -> None:
    """Measure every corpus that is there, and say what has changed since an earlier run."""
    last: dict[str, Any] = {"figures": {}, "commit": "none"}
    if earlier is not None:
        last = json.loads(earlier.read_text(encoding="utf-8"))
    before = {name: row["lindy"]["accuracy"] for name, row in last["figures"].items()}
    found = {}
    for name in (*CORPORA, *SCRIPTS, *OTHERS):
        if folder := corpus_folder(name):
            found[name] = measure(name, folder, {search: SEARCHES[search] for search in searches})
    print(f"\n{'':20}{'before':>8}" + "".join(f"{search:>10}" for search in searches))
    for name, row in found.items():
        cells = "".join(f"{row[search]['accuracy']:10.2f}" for search in searches)
        print(f"{name:20}{before.get(name, float('nan')):8.2f}{cells}")
    means = "".join(f"{np.mean([row[s]['accuracy'] for row in found.values()]):10.2f}" for s in searches)
    both = [before[name] for name in found if name in before]
    print(f"{'mean':20}{np.mean(both) if both else float('nan'):8.2f}{means}   (before: {last['commit']})")
    if save is not None:
        save.write_text(json.dumps({**stamp(), "figures": found}, indent=1) + "\n", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpus", nargs="*", default=CORPORA)
    parser.add_argument("--scripts", action="store_true", help="the corpora in other scripts instead")
    parser.add_argument(
        "--all", action="store_true", help="lindy alone, on every corpus with one label per text"
    )
    parser.add_argument("--search", nargs="*", default=list(SEARCHES), choices=SEARCHES, help="for --all")
    parser.add_argument("--before", type=Path, help="for --all: figures of another version")
    parser.add_argument("--save", type=Path, help="for --all: where to keep the figures")
    parser.add_argument("--rival", nargs="*", default=list(RIVALS), choices=RIVALS)
    args = parser.parse_args()
    if args.all:
        measure_all(args.search, args.before, args.save)
        return
    rivals = args.rival
    if "fasttext" in rivals:
        try:
            import fasttext as _  # noqa: F401
        except ImportError:
            print("fastText is not installed: left out")
            rivals = [rival for rival in rivals if rival != "fasttext"]
    found = {}
    for name in SCRIPTS if args.scripts else args.corpus:
        folder = corpus_folder(name)
        if folder is None:
            print(f"{name}: not there; set LINDY_DATA to the folder of the corpora")
            continue
        found[name] = measure(name, folder, {rival: RIVALS[rival] for rival in rivals})
    if found:
        means = {rival: np.mean([row[rival]["accuracy"] for row in found.values()]) for rival in rivals}
        print("mean              " + "   ".join(f"{rival} {mean:.2f} %" for rival, mean in means.items()))
    if set(found) == set(CORPORA) and set(rivals) == set(RIVALS):
        record("accuracy", [{"corpus": name, **row} for name, row in found.items()])


if __name__ == "__main__":
    main()
