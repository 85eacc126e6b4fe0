"""Sets of labels with a guarantee: whether they hold the right label as often as asked, and how large they are.

    python -m benchmarks.coverage [--corpus trec6 …] [--splits 20]

All texts of a corpus (at most ``MOST``) are cut in two halves at random; the default model is trained on one, and says
by what it held out of that half alone from which probability on a label belongs to the set. The other half is counted:
the share of its texts whose label is in the set, and the size of the sets. Beside it stands MAPIE's split conformal
classifier (score "lac") with the probabilities of the same model, calibrated on half of the tested texts and tested on
the rest: texts that nobody has learned from, which lindy does not need. Its sets may be empty; lindy's hold the best
label at least, so a coverage that is below the accuracy is exceeded.
"""

from __future__ import annotations

import argparse
import importlib.util
import warnings
from typing import Any

import numpy as np

from benchmarks.harness import corpus_folder, record

CORPORA = (
    "trec6", "clinc150", "ag-news-10k", "20news-bydate", "reuters-r8", "germeval2018", "app-reviews", "wisesight",
    "jrte-pn", "mahasent-gt", "chnsenticorp-hotel", "movie-polarity", "imdb", "nsmc-raw-60k", "sms-spam",
)  # fmt: skip
LEVELS = (0.9, 0.95, 0.99)
MOST = 8000
SPLITS = 20


def texts_and_labels(name: str) -> tuple[Any, Any] | None:
    """Return all texts of a corpus and their labels; None if it is absent."""
    from lindy.core.column import join_columns, pick
    from lindy.data import read_examples

    folder = corpus_folder(name)
    if folder is None:
        return None
    files = [folder / f"{part}.csv.gz" for part in ("train", "test")]
    read = [read_examples(path, text="text", label="label") for path in files if path.exists()]
    texts, labels = (join_columns([getattr(own, what) for own in read]) for what in ("texts", "labels"))
    kept = np.sort(np.random.default_rng(0).permutation(len(texts))[:MOST])
    return pick(texts, kept), np.array(pick(labels, kept).to_pylist(), object)


def of_mapie(p: Any, y: Any, rng: Any, levels: tuple[float, ...]) -> list[dict[str, float]]:
    """Return what MAPIE's sets reach on a half of some rows when they are conformalised by the other half."""
    from mapie.classification import SplitConformalClassifier
    from sklearn.base import BaseEstimator, ClassifierMixin

    class Known(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
        """Probabilities that are known already."""

        def fit(self, X: Any, y: Any) -> Any:
            self.classes_, self.fitted_ = np.arange(X.shape[1]), len(y)
            return self

        def predict_proba(self, X: Any) -> Any:
            return X

        def predict(self, X: Any) -> Any:
            return X.argmax(axis=1)

    order = rng.permutation(len(y))
    own, tested = order[: len(y) // 2], order[len(y) // 2 :]
    given = SplitConformalClassifier(
        Known().fit(p, y), confidence_level=list(levels), conformity_score="lac", prefit=True
    ).conformalize(p[own], y[own])
    sets = given.predict_set(p[tested])[1]
    return [
        {
            "reached": float(inside[np.arange(len(tested)), y[tested]].mean()),
            "size": float(inside.sum(axis=1).mean()),
        }
        for inside in np.moveaxis(sets, 2, 0)
    ]


def measured(name: str, splits: int, *, mapie: bool) -> dict[str, Any] | None:
    """Return the figures of a corpus: means over the splits."""
    from lindy import TextClassifier
    from lindy.core.column import pick
    from lindy.evaluation.coverage import CoverageTally

    read = texts_and_labels(name)
    if read is None:
        print(f"{name} is not there")
        return None
    texts, labels = read
    found: dict[str, list[Any]] = {"lindy": [], "mapie": [], "accuracy": []}
    for split in range(splits):
        rng = np.random.default_rng(split)
        order = rng.permutation(len(texts))
        train, test = np.sort(order[: len(order) // 2]), np.sort(order[len(order) // 2 :])
        model = TextClassifier(calibration="sigmoid").fit(pick(texts, train), labels[train])
        said = model.predictions(pick(texts, test))
        y = np.searchsorted(model.classes_, labels[test])
        found["accuracy"].append(float((said.best == y).mean()))
        rows = []
        for level in LEVELS:
            tally = CoverageTally(level)
            tally.add(np.arange(len(y)), y, model.label_sets(level)(said))
            own = tally.to_dict()
            rows.append({"reached": own["reached"], "size": own["mean_size"]})
        found["lindy"].append(rows)
        if mapie:
            found["mapie"].append(of_mapie(said.values, y, rng, LEVELS))
    means = {
        who: [
            {what: float(np.mean([run[k][what] for run in found[who]])) for what in ("reached", "size")}
            for k in range(len(LEVELS))
        ]
        for who in ("lindy", "mapie")
        if found[who]
    }
    accuracy = float(np.mean(found["accuracy"]))
    return {"corpus": name, "rows": len(texts), "classes": len(set(labels)), "accuracy": accuracy, **means}


def told(row: dict[str, Any]) -> str:
    """Return the figures of a corpus as lines."""
    lines = [
        f"{row['corpus']} ({row['rows']:,} rows, {row['classes']} classes, accuracy {100 * row['accuracy']:.1f})"
    ]
    for k, level in enumerate(LEVELS):
        cells = [
            f"{who} {100 * row[who][k]['reached']:5.1f} % with {row[who][k]['size']:6.2f} labels"
            for who in ("lindy", "mapie")
            if who in row
        ]
        lines.append(f"  asked {level:.0%}: " + "; ".join(cells))
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--corpus", action="append", help="only this one; repeatable")
    parser.add_argument("--splits", type=int, default=SPLITS)
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    has_mapie = importlib.util.find_spec("mapie") is not None
    if not has_mapie:
        print("MAPIE is not installed here: only lindy is measured")
    found = []
    for name in asked.corpus or CORPORA:
        row = measured(name, asked.splits, mapie=has_mapie)
        if row is not None:
            print(told(row), flush=True)
            found.append(row)
    if (asked.corpus, asked.splits) == (None, SPLITS):
        record("coverage", found)


if __name__ == "__main__":
    main()
