"""Corpora, timing and records shared by the benchmarks."""

from __future__ import annotations

import datetime
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

ROOT = Path(__file__).resolve().parent.parent
RECORDS = ROOT / "benchmarks" / "records"  # what was measured, as JSON: all tables are made from it
FIGURES = "LINDY_BENCH_FIGURES"  # the environment variable that names the file for a topic's figures


def processor() -> str:
    """Return the model name of the CPU."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    return next(
        (line.split(":")[1].strip() for line in lines if line.startswith("model name")), platform.processor()
    )


def _git(*arguments: str) -> str:
    return subprocess.run(["git", *arguments], capture_output=True, text=True, check=False, cwd=ROOT).stdout


def stamp() -> dict[str, str]:
    """Return when, where and of which state of the sources something is measured."""
    commit = _git("rev-parse", "--short", "HEAD").strip() or "unknown"
    if _git("status", "--porcelain", "src", "native"):
        commit += " and changes"
    machine = f"{processor()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    return {
        "date": str(datetime.date.today()),
        "commit": commit,
        "machine": machine,
    }


def record(topic: str, figures: list[dict[str, Any]]) -> None:
    """Hand the figures of a whole run to who keeps them (``python -m benchmarks TOPIC``); alone, nothing is kept."""
    if place := os.environ.get(FIGURES):
        target = Path(place)
        known = json.loads(target.read_text(encoding="utf-8")) if target.exists() else {}
        target.write_text(json.dumps({**known, topic: figures}, ensure_ascii=False), encoding="utf-8")


def printed_by(module: str, arguments: list[str], **environment: str) -> str:
    """Run a module and return what it printed; one that fails ends this, too."""
    done = subprocess.run(
        [sys.executable, "-m", module, *arguments],
        stdout=subprocess.PIPE,
        text=True,
        check=False,
        cwd=ROOT,
        env=os.environ | environment,
    )
    if done.returncode:
        raise SystemExit(f"error: {module} failed:\n{done.stdout}")
    return done.stdout


def median_and_spread(values: list[float]) -> tuple[float, list[float]]:
    """Return the median of repeated runs, and the least and the largest of them."""
    return statistics.median(values), [min(values), max(values)]


def recorded(topic: str) -> list[dict[str, Any]]:
    """Return the figures that are kept of a benchmark."""
    path = RECORDS / f"{topic}.json"
    if not path.exists():
        return []
    figures: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8")).get("figures", [])
    return figures


def corpus_folder(name: str) -> Path | None:
    """Return the folder of a corpus below LINDY_DATA (default: ../shared/data), or None if it is absent."""
    folder = Path(os.environ.get("LINDY_DATA", ROOT.parent / "shared" / "data")) / name
    return folder if folder.is_dir() else None


def unpacked(folder: Path, part: str, into: Path) -> Path:
    """Write the decompressed table of a corpus (``train`` or ``test``) into a folder and return its path."""
    (source,) = folder.glob(f"{part}.csv*")
    target = into / f"{part}.csv"
    with pa.input_stream(str(source), compression="detect") as packed, target.open("wb") as plain:
        shutil.copyfileobj(packed, plain)
    return target


def tfidf(name: str) -> tuple[Any, Any, Any, Any]:
    """Return X, y, X_test, y_test: scikit-learn's sublinear tf-idf of 1-2-grams (min_df 2, float32), kept in temp."""
    import scipy.sparse

    kept = Path(tempfile.gettempdir()) / "lindy-bench" / f"{name}-tfidf12.npz"
    if not kept.exists():
        _make_tfidf(name, kept)
    a = np.load(kept)
    X, T = (
        scipy.sparse.csr_matrix(
            (a[f"{k}_data"], a[f"{k}_indices"], a[f"{k}_indptr"]),
            shape=(len(a[f"{k}_indptr"]) - 1, int(a["n"])),
        )
        for k in "XT"
    )
    return X, a["y"], T, a["t"]


def _make_tfidf(name: str, kept: Path) -> None:
    import pyarrow.csv
    from sklearn.feature_extraction.text import TfidfVectorizer

    folder = corpus_folder(name)
    if folder is None:
        sys.exit(f"the corpus {name} is not there: set LINDY_DATA to the folder of the corpora")
    quoted = pyarrow.csv.ParseOptions(newlines_in_values=True)
    train, test = (
        pyarrow.csv.read_csv(folder / f"{part}.csv.gz", parse_options=quoted) for part in ("train", "test")
    )
    vectorizer = TfidfVectorizer(ngram_range=(1, 2), min_df=2, sublinear_tf=True, dtype=np.float32)
    parts = {"X": vectorizer.fit_transform(train["text"].to_pylist())}
    parts["T"] = vectorizer.transform(test["text"].to_pylist())
    arrays = {
        f"{k}_{what}": getattr(m, what) for k, m in parts.items() for what in ("data", "indices", "indptr")
    }
    labels = {"y": np.array(train["label"].to_pylist()), "t": np.array(test["label"].to_pylist())}
    kept.parent.mkdir(exist_ok=True)
    np.savez(kept, **arrays, **labels, n=parts["X"].shape[1])


def cpu_seconds(run: Callable[[], Any]) -> tuple[float, Any]:
    """Return the CPU seconds of a call, and what it returned."""
    begin = time.process_time()
    result = run()
    return time.process_time() - begin, result


def alternate(runs: dict[str, Callable[[], Any]], repeats: int = 3) -> dict[str, float]:
    """Run the rivals in turn, several times; return the least CPU seconds of each."""
    best = dict.fromkeys(runs, float("inf"))
    for _ in range(repeats):
        for name, run in runs.items():
            best[name] = min(best[name], cpu_seconds(run)[0])
    return best
