"""Label errors: labels of real corpora are changed at random, and looked for as ``lindy audit`` does and with cleanlab.

    python -m benchmarks.label_errors [--corpus sms-spam …] [--seeds 5] [--rate 0.05]

Both see the same out-of-fold scores of the same SVMs (tf-idf of words, five folds); cleanlab's find_label_issues gets
the probabilities that lindy's calibrator makes of them, with each of its options of filter_by. Labels become any other
class, or (``confused``) the one that learners take their class for the most often. lindy's rule was found on the
corpora of ``DEVELOPED``, and only measured on those of ``CONFIRMED`` (R8 with confused labels was looked at before
classes got their own wrong labels). ``if clean`` is how many rows are listed where no label was changed.
"""

from __future__ import annotations

import argparse
import logging
import warnings
from typing import Any

import numpy as np

from benchmarks.harness import corpus_folder, record

DEVELOPED = ("sms-spam", "trec6", "ag-news-10k", "20news-bydate", "germeval2018", "app-reviews", "wisesight")
CONFIRMED = ("reuters-r8", "imdb", "movie-polarity", "clinc150")
#: of find_label_issues; the first is its default
OPTIONS = (
    "prune_by_noise_rate",
    "prune_by_class",
    "both",
    "confident_learning",
    "predicted_neq_given",
    "low_normalized_margin",
    "low_self_confidence",
)
MOST = 6000
RATE = 0.05
SEEDS = 5


def rows_and_labels(name: str) -> tuple[Any, Any] | None:
    """Return rows of tf-idf and labels of at most ``MOST`` training texts; None if the corpus is absent."""
    from lindy.core.column import pick
    from lindy.core.targets import as_targets
    from lindy.data import read_examples
    from lindy.text import TfidfVectorizer

    folder = corpus_folder(name)
    if folder is None:
        return None
    examples = read_examples(folder / "train.csv.gz")
    kept = np.sort(np.random.default_rng(0).permutation(len(examples.texts))[:MOST])
    labels = as_targets(examples.labels).take(kept)
    vectorizer = TfidfVectorizer(sublinear_tf=True, dtype=np.float32)
    return vectorizer.fit_csr(pick(examples.texts, kept)), labels


def changed(labels: Any, rate: float, seed: int, others: Any = None) -> Any:
    """Return labels of which a share is another class: any, or for each class that of ``others``."""
    from lindy.core.targets import OneLabel

    rng, K, codes = np.random.default_rng(seed), len(labels.names), labels.codes.copy()
    rows = rng.choice(len(codes), round(rate * len(codes)), replace=False)
    any_other = (codes[rows] + rng.integers(1, K, len(rows))) % K
    codes[rows] = any_other if others is None else others[codes[rows]]
    return OneLabel(labels.names, codes)


def confused(X: Any, labels: Any) -> Any:
    """Return for each class the one that learners take it for the most often."""
    from lindy.evaluation.crossfit import out_of_fold
    from lindy.evaluation.decisions import class_values
    from lindy.linear import SVM

    held_out = out_of_fold(SVM(), X, labels)
    K = len(labels.names)
    table = np.zeros((K, K))
    np.add.at(table, (labels.codes[held_out.rows], class_values(held_out.scores).argmax(axis=1)), 1)
    np.fill_diagonal(table, -1)
    return table.argmax(axis=1).astype(np.int32)


def figures(listed: Any, wrong: Any) -> dict[str, float]:
    """Return precision, recall and F1 of a list, in percent, and its length."""
    hits, n, m = int((listed & wrong).sum()), int(listed.sum()), int(wrong.sum())
    return {
        "precision": 100 * hits / max(n, 1),
        "recall": 100 * hits / max(m, 1),
        "f1": 200 * hits / max(n + m, 1),
        "listed": n,
    }


def looked_for(X: Any, labels: Any, truth: Any, seed: int) -> dict[str, dict[str, float]]:
    """Return the figures of lindy and of cleanlab's options."""
    from cleanlab.filter import find_label_issues

    from lindy.evaluation.audit.label_noise import fit_label_noise
    from lindy.evaluation.audit.table_audit import suspects
    from lindy.evaluation.calibration.calibrators import fit_calibrator
    from lindy.evaluation.crossfit import out_of_fold
    from lindy.linear import SVM

    held_out = out_of_fold(SVM(random_state=seed), X, labels, random_state=seed)
    y = labels.take(held_out.rows)
    wrong = y.codes != truth.codes[held_out.rows]
    listed = np.zeros(len(y), bool)
    listed[suspects(held_out.scores, y)[0]] = True
    found = {
        "lindy": figures(listed, wrong)
        | {"rate": 100 * fit_label_noise(held_out.scores, y).rate, "wrong": int(wrong.sum())}
    }
    p = fit_calibrator(held_out.scores, y)(held_out.scores)
    for option in OPTIONS:
        found[option] = figures(find_label_issues(y.codes, p, filter_by=option, n_jobs=1), wrong)
    return found


def mean(runs: list[dict[str, dict[str, float]]]) -> dict[str, dict[str, float]]:
    """Return the means of several runs."""
    return {
        name: {what: float(np.mean([run[name][what] for run in runs])) for what in runs[0][name]}
        for name in runs[0]
    }


def measured(name: str, rate: float, seeds: int) -> dict[str, Any] | None:
    """Return the figures of a corpus."""
    read = rows_and_labels(name)
    if read is None:
        print(f"{name} is not there")
        return None
    X, labels = read

    def over_seeds(others: Any) -> dict[str, dict[str, float]]:
        return mean(
            [looked_for(X, changed(labels, rate, seed, others), labels, seed) for seed in range(seeds)]
        )

    clean = looked_for(X, labels, labels, 0)
    return {
        "corpus": name,
        "rows": len(labels),
        "classes": len(labels.names),
        "developed": name in DEVELOPED,
        "found": over_seeds(None),
        "confused": over_seeds(confused(X, labels)) if len(labels.names) > 2 else None,
        "clean": {option: clean[option]["listed"] for option in clean},
    }


def told(row: dict[str, Any]) -> str:
    """Return the figures of a corpus as lines."""
    role = "developed on" if row["developed"] else "confirmed on"
    lines = [f"{row['corpus']} ({role}; {row['rows']:,} rows, {row['classes']} classes)"]
    for kind, found in (("any", row["found"]), ("confused", row["confused"] or {})):
        for name, own in found.items():
            rate = f", estimated share of wrong labels {own['rate']:.1f} %" if "rate" in own else ""
            called = f"{kind + ',':9} {name if name == 'lindy' else f'cleanlab {name}'}"
            lines.append(
                f"  {called:39} precision {own['precision']:5.1f}  recall {own['recall']:5.1f}  F1 {own['f1']:5.1f}"
                f"  listed {own['listed']:6.0f}, if clean {row['clean'][name]:5.0f}{rate}"
            )
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--corpus", action="append", help="only this one; repeatable")
    parser.add_argument("--seeds", type=int, default=SEEDS)
    parser.add_argument("--rate", type=float, default=RATE, help="share of the labels that is changed")
    asked = parser.parse_args()
    logging.disable(logging.WARNING)
    warnings.simplefilter("ignore")
    found = []
    for name in asked.corpus or (*DEVELOPED, *CONFIRMED):
        row = measured(name, asked.rate, asked.seeds)
        if row is not None:
            print(told(row), flush=True)
            found.append(row)
    if (asked.corpus, asked.seeds, asked.rate) == (None, SEEDS, RATE):
        record("label_errors", found)


if __name__ == "__main__":
    main()
