"""Reading the IMDB reviews as text columns: lindy against Arrow alone, polars, pandas and the csv module.

5,000 of them also as tf-idf rows in svmlight format, against scikit-learn, on one thread.

python -m benchmarks.reading [--runs 7]

Each reader runs in processes of its own, in turn; CPU time without the imports, and what the peak memory grew by.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

DATA = Path(os.environ.get("LINDY_DATA", Path(__file__).resolve().parents[2] / "shared" / "data"))

READERS = {
    "lindy csv": ("from lindy.data import read_examples, delimited", "read_examples(folder + 'reviews.csv')"),
    "arrow csv": (
        "import pyarrow.csv as c; o = c.ParseOptions(newlines_in_values=True)",
        "c.read_csv(folder + 'reviews.csv', parse_options=o)",
    ),
    "polars csv": ("import polars as p", "p.read_csv(folder + 'reviews.csv', infer_schema=False)"),
    "pandas csv": (
        "import pandas as p",
        "p.read_csv(folder + 'reviews.csv', dtype=str, keep_default_na=False)",
    ),
    "python csv": (
        "import csv",
        "list(csv.reader(open(folder + 'reviews.csv', newline='', encoding='utf-8')))",
    ),
    "lindy csv.gz": (
        "from lindy.data import read_examples, delimited",
        "read_examples(folder + 'reviews.csv.gz')",
    ),
    "pandas csv.gz": (
        "import pandas as p",
        "p.read_csv(folder + 'reviews.csv.gz', dtype=str, keep_default_na=False)",
    ),
    "lindy jsonl": (
        "from lindy.data import read_examples, jsonl",
        "read_examples(folder + 'reviews.jsonl')",
    ),
    "python jsonl": ("import json", "[json.loads(line) for line in open(folder + 'reviews.jsonl', 'rb')]"),
    "lindy svm": ("from lindy.data import read_svmlight", "read_svmlight(folder + 'reviews.svm', threads=1)"),
    "sklearn svm": (
        "from sklearn.datasets import load_svmlight_file",
        "load_svmlight_file(folder + 'reviews.svm')",
    ),
}

OWN = {"csv": "lindy csv", "csv.gz": "lindy csv.gz", "jsonl": "lindy jsonl", "svm": "lindy svm"}

MEASURE = """
import sys, time
folder = sys.argv[1]
{imports}
import pyarrow.compute

def peak():  # in MB; getrusage would count the process that started this one
    return int(open("/proc/self/status").read().partition("VmHWM:")[2].split()[0]) / 1024

before, start = peak(), time.process_time()
table = {read}
print(time.process_time() - start, peak() - before)
"""


def prepare(corpus: Path, folder: Path) -> None:
    """Write the reviews as CSV, compressed and not, as JSON Lines, and 5,000 of them as sparse rows."""
    from lindy.data import read_examples, write_svmlight
    from lindy.text import TfidfVectorizer

    shutil.copy(corpus, folder / "reviews.csv.gz")
    with gzip.open(corpus) as packed, (folder / "reviews.csv").open("wb") as plain:
        shutil.copyfileobj(packed, plain)
    data = read_examples(folder / "reviews.csv")
    with (folder / "reviews.jsonl").open("w", encoding="utf-8") as file:
        for text, label in zip(data.texts.to_pylist(), data.labels.to_pylist(), strict=True):
            file.write(json.dumps({"text": text, "label": label}) + "\n")
    rows = TfidfVectorizer(sublinear_tf=True).fit_transform(data.texts[:5000].to_pylist())
    numbers = [int(label == "pos") for label in data.labels[:5000].to_pylist()]
    write_svmlight(folder / "reviews.svm", rows, numbers)


def measure(reader: str, folder: Path) -> tuple[float, float]:
    imports, read = READERS[reader]
    code = MEASURE.format(imports=imports, read=read)
    run = subprocess.run(
        [sys.executable, "-c", code, f"{folder}/"], capture_output=True, text=True, check=True
    )
    cpu, memory = map(float, run.stdout.split())
    return cpu, memory


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=7)
    runs = parser.parse_args().runs
    corpus = DATA / "imdb" / "train.csv.gz"
    if not corpus.is_file():
        raise SystemExit(f"{corpus} is not there; set LINDY_DATA to the folder of the corpora")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        prepare(corpus, folder)
        size = (folder / "reviews.csv").stat().st_size / 1e6
        results = {reader: [] for reader in READERS}
        for _ in range(runs):
            for reader, measured in results.items():
                measured.append(measure(reader, folder))
    print(f"{corpus.parent.name}, {size:.0f} MB of CSV, median of {runs} runs in turn")
    for reader, measured in results.items():
        cpu, memory = (statistics.median(column) for column in zip(*measured, strict=True))
        own = statistics.median(cpu for cpu, _ in results[OWN[reader.split()[1]]])
        ratio = f"{cpu / own:.1f} ×"
        print(f"{reader:14}{1000 * cpu:8.0f} ms CPU{ratio:>9}{memory:8.0f} MB")


if __name__ == "__main__":
    main()
