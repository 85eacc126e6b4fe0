"""Dual ascent over all text corpora at hand, against LIBLINEAR at the same suboptimality.

    python -m benchmarks.dual_ablation [corpus …] [--gap 1e-4] [--rows 3000]

Every row is one objective with LIBLINEAR's penalised bias, C in 0.01, 1 and 100. Both sides are measured as in
``benchmarks.convex``: lindy with tol = gap, its certificate included, LIBLINEAR with the loosest of its tolerances
whose solution lies within the gap, in CPU seconds of one thread, the least of several runs. Corpora are cut to the
same number of rows, so that none of them decides alone; what counts is the geometric mean. A method that is to stay in
the solver has to gain 10 % in it: ``DUAL_ABLATION.md`` has the table of those that were tried.
"""

from __future__ import annotations

import argparse
import tempfile
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.convex import LIBLINEAR, Task, first_within, liblinear_runs, lower_bound, ours
from benchmarks.harness import alternate, corpus_folder

WORDS = (
    "sms-spam", "trec6", "ag-news-10k", "reuters-r8", "20news-bydate", "imdb", "movie-polarity", "amazon-books-raw",
    "enron-spam", "spamassassin", "trec07p", "clinc150", "germeval2018", "app-reviews",
)  # fmt: skip
CHARACTERS = (
    "mahasent-gt",
    "chnsenticorp-hotel",
    "wisesight",
    "jrte-pn",
    "nsmc-raw-60k",
    "nsmc-scale",
)
STRENGTHS = (0.01, 1.0, 100.0)
FEWER = {"20news-bydate": 2000, "clinc150": 1500}  # rows of corpora with many classes


def table(name: str, most: int) -> tuple[Any, Any] | None:
    """Return sublinear tf-idf (words 1–2, or characters 1–3) and class numbers of some rows; kept in temp."""
    import scipy.sparse

    kept = Path(tempfile.gettempdir()) / f"lindy-bench-{name}-{most}.npz"
    labels = kept.with_suffix(".y.npy")
    if not kept.exists():
        folder = corpus_folder(name)
        if folder is None:
            return None
        import pyarrow as pa
        import pyarrow.csv
        from sklearn.feature_extraction.text import TfidfVectorizer

        (source,) = folder.glob("train.csv*")
        quoted = pyarrow.csv.ParseOptions(newlines_in_values=True)
        with pa.input_stream(str(source), compression="detect") as stream:
            read = pyarrow.csv.read_csv(
                stream, pyarrow.csv.ReadOptions(block_size=1 << 28), parse_options=quoted
            )
        read = read.take(np.sort(np.random.default_rng(0).permutation(read.num_rows)[:most]))
        grams: dict[str, Any] = (
            {"ngram_range": (1, 2)} if name in WORDS else {"ngram_range": (1, 3), "analyzer": "char"}
        )
        vectorizer = TfidfVectorizer(min_df=2, sublinear_tf=True, dtype=np.float32, **grams)
        X = vectorizer.fit_transform([text or "" for text in read["text"].to_pylist()])
        y = np.unique([str(label) for label in read["label"].to_pylist()], return_inverse=True)[1]
        np.save(labels, y.astype(np.int32))
        scipy.sparse.save_npz(kept, X, compressed=False)
    return scipy.sparse.load_npz(kept), np.load(labels)


def times_faster(task: Task, gap: float) -> tuple[float, float] | None:
    """Return the CPU seconds of lindy and of the faster of LIBLINEAR's solvers; None if no solver gets there."""
    bound = lower_bound(task)
    found = {str(s): first_within(task, liblinear_runs(task, s), bound, gap) for s in LIBLINEAR[task.loss]}
    rivals = {name: hit[0].solve for name, hit in found.items() if hit}
    if not rivals:
        return None
    seconds = alternate({"lindy": ours(task, gap).solve, **rivals}, 3)
    return seconds.pop("lindy"), min(seconds.values())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("corpora", nargs="*", default=WORDS + CHARACTERS)
    parser.add_argument("--gap", type=float, default=1e-4)
    parser.add_argument("--rows", type=int, default=3000)
    arguments = parser.parse_args()
    ratios: dict[str, list[float]] = defaultdict(list)
    for corpus in arguments.corpora:
        data = table(corpus, min(arguments.rows, FEWER.get(corpus, arguments.rows)))
        if data is None:
            print(f"{corpus}: not found; set LINDY_DATA to the folder of the corpora")
            continue
        for loss in LIBLINEAR:
            for C in STRENGTHS:
                task = Task(*data, loss, C, bias=True)
                if loss == "multiclass_hinge" and task.n_classes == 2:
                    continue  # the hinge again
                found = times_faster(task, arguments.gap)
                name = f"{corpus:18} {task.n_classes:3d} classes {loss:17} C {C:<6g}"
                if found is None:
                    print(f"{name} LIBLINEAR does not get there", flush=True)
                    continue
                mine, theirs = found
                for key in (loss, f"C {C:g}", "all"):
                    ratios[key].append(theirs / mine)
                print(f"{name} {mine:8.4f} s {theirs:8.4f} s {theirs / mine:6.2f}×", flush=True)
    for key, values in ratios.items():
        print(f"geometric mean, {key:17} {np.exp(np.mean(np.log(values))):6.2f}×  of {len(values)}")


if __name__ == "__main__":
    main()
