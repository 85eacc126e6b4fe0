"""Training on files that are larger than memory: the same model, its rate and its memory; and what a row costs.

    in memory      lindy train big.csv --learner … --ngrams 1-2
    --memory 600MB the same command with less memory than the file: rows in files
    Vowpal Wabbit  one pass over hashed 1-2-grams, 2^22 columns, from a file of its own format, which is made before

The file is the TREC 2007 spam corpus, as often as it takes to reach ``--gigabytes``, in a temporary folder
(``--folder`` names another disk; the cache needs about three times the file). CPU seconds are user and system of all
threads. Rows of the growth table are short (twelve words drawn from 50,000) and are trained with naive Bayes.

    python -m benchmarks.stream [--gigabytes 2] [--growth 100000 1000000 10000000] [--picture docs/guide/growth.svg]
"""

from __future__ import annotations

import argparse
import csv
import sys
import tempfile
import textwrap
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from benchmarks.endtoend import Run, measure
from benchmarks.harness import corpus_folder, record, unpacked

MEMORY = "600MB"
HASHED = 2**22
LINDY = str(Path(sys.executable).with_name("lindy"))
CONVERT = textwrap.dedent(
    """
    import csv, sys
    csv.field_size_limit(2**31 - 1)
    marks = str.maketrans(dict.fromkeys(":|\\r\\n", " "))  # which have a meaning in its files
    with open(sys.argv[1], encoding="utf-8", newline="") as file, open(sys.argv[2], "w", encoding="utf-8") as out:
        for row in csv.DictReader(file):
            out.write(f"{1 if row['label'] == 'spam' else -1} |t {row['text'].lower().translate(marks)}\\n")
    """
)
VOWPAL_WABBIT = textwrap.dedent(
    """
    import sys
    from vowpalwabbit import Workspace
    Workspace(f"--loss_function hinge --ngram 2 -b 22 -d {sys.argv[1]} -f {sys.argv[2]} --quiet --no_stdin").finish()
    """
)
VOWPAL_WABBIT_TEST = textwrap.dedent(
    """
    import sys
    from vowpalwabbit import Workspace
    model, right, n = Workspace(f"-t -i {sys.argv[1]} --quiet"), 0, 0
    for line in open(sys.argv[2], encoding="utf-8"):
        label, _, text = line.partition(" ")
        right, n = right + ((model.predict(text) > 0) == (label == "1")), n + 1
    print(right / n)
    """
)


def replicated(source: Path, target: Path, least: int) -> int:
    """Write a CSV file as often as makes it so many bytes; returns how often."""
    with open(source, "rb") as file:
        header, body = file.readline(), file.read()
    times = -(-least // len(body))
    with open(target, "wb") as out:
        out.write(header)
        for _ in range(times):
            out.write(body)
    return times


def short_rows(path: Path, n: int) -> None:
    """Write n short texts, in which some words are more frequent in one class."""
    draw = np.random.default_rng(0)
    words = np.array([f"w{number}" for number in range(50_000)])
    with open(path, "w", newline="", encoding="utf-8") as file:
        out = csv.writer(file)
        out.writerow(["label", "text"])
        for begin in range(0, n, 10_000):
            labels = draw.integers(2, size=min(10_000, n - begin))
            drawn = (50_000 * draw.random((len(labels), 12)) ** (3 + labels[:, None])).astype(int)
            out.writerows(zip(labels.tolist(), map(" ".join, words[drawn].tolist()), strict=True))


def show(name: str, run: Run, n_bytes: int, note: str = "") -> None:
    rate = n_bytes / 1e6 / run.cpu
    print(f"{name:32}{run.cpu:9.1f}{run.wall:9.1f}{rate:10.1f}{run.peak_mb:10.0f}  {note}", flush=True)


def large(folder: Path, gigabytes: float, learners: Iterable[str]) -> list[dict[str, object]]:
    """Train each learner in memory and with less of it."""
    corpus = corpus_folder("trec07p")
    if corpus is None:
        print("trec07p: absent (set LINDY_DATA to the folder that holds it)")
        return []
    source, big = unpacked(corpus, "train", folder), folder / "big.csv"
    times = replicated(source, big, int(gigabytes * 2**30))
    size, rows = big.stat().st_size, []
    print(
        f"trec07p {times} times, {size / 2**30:.2f} GB\n{'':32}{'CPU s':>9}{'wall s':>9}{'MB/CPU s':>10}{'peak MB':>10}"
    )
    for learner in learners:
        command = [LINDY, "train", str(big), "--learner", learner, "--ngrams", "1-2", "--quiet", "-o"]
        whole = measure([*command, str(folder / "whole.lindy")])
        parts = measure([*command, str(folder / "parts.lindy"), "--memory", MEMORY])
        same = (folder / "whole.lindy").read_bytes() == (folder / "parts.lindy").read_bytes()
        show(f"{learner}, in memory", whole, size)
        show(
            f"{learner}, --memory {MEMORY}",
            parts,
            size,
            f"{whole.cpu / parts.cpu:.0%} of the rate; same bytes: {same}",
        )
        rows += [
            {"learner": learner, "memory": where, **vars(run)}
            for where, run in (("all", whole), (MEMORY, parts))
        ]
    return rows + hashed(folder, source, unpacked(corpus, "test", folder))


def hashed(folder: Path, train: Path, test: Path) -> list[dict[str, object]]:
    """One pass over hashed 1-2-grams, against Vowpal Wabbit on the same texts (once, not replicated)."""
    size = train.stat().st_size
    options = ["--learner", "perceptron", "--param", "epochs=1", "--hash", str(HASHED), "--ngrams", "1-2"]
    model = str(folder / "hashed.lindy")
    own = measure([LINDY, "train", str(train), *options, "--calibrate", "none", "--quiet", "-o", model])
    show("hashed perceptron, one pass", own, size)
    for name, script in (("convert", CONVERT), ("vw", VOWPAL_WABBIT), ("test", VOWPAL_WABBIT_TEST)):
        (folder / f"{name}.py").write_text(script)
    for part in (train, test):
        measure([sys.executable, str(folder / "convert.py"), str(part), f"{part}.vw"])
    rival = measure([sys.executable, str(folder / "vw.py"), f"{train}.vw", str(folder / "vw.model")])
    show("Vowpal Wabbit, one pass", rival, size, f"{rival.cpu / own.cpu:.1f} times the CPU of lindy")
    return [{"learner": "hashed perceptron", **vars(own)}, {"learner": "Vowpal Wabbit", **vars(rival)}]


def growth(folder: Path, numbers: list[int], picture: Path | None) -> list[dict[str, object]]:
    """Measure what a row costs in ever larger files, with the same memory."""
    print(
        f"\nnaive Bayes on short rows, --memory {MEMORY}\n{'rows':>12}{'CPU s':>9}{'µs/row':>9}{'peak MB':>9}"
    )
    rows: list[dict[str, object]] = []
    for n in numbers:
        data = folder / "short.csv"
        short_rows(data, n)
        command = [LINDY, "train", str(data), "--learner", "naive-bayes", "--quiet", "--memory", MEMORY]
        run = measure([*command, "-o", str(folder / "short.lindy")])
        print(f"{n:12,}{run.cpu:9.1f}{1e6 * run.cpu / n:9.2f}{run.peak_mb:9.0f}", flush=True)
        rows.append({"rows": n, **vars(run)})
    if picture is not None:
        draw(rows, picture)
    return rows


def draw(rows: list[dict[str, object]], picture: Path) -> None:
    """Draw the cost of a row, and the memory, against the number of rows."""
    import matplotlib.pyplot as plt

    n = np.array([row["rows"] for row in rows], float)
    figure, (left, right) = plt.subplots(1, 2, figsize=(7.2, 2.6), layout="constrained")
    left.plot(n, 1e6 * np.array([row["cpu"] for row in rows], float) / n, "o-", color="#2a6f97")
    left.set(xscale="log", ylim=(0, None), xlabel="rows", ylabel="CPU microseconds per row")
    right.plot(n, [row["peak_mb"] for row in rows], "o-", color="#2a6f97")
    right.axhline(600, color="#9a9a9a", linestyle="--")
    right.set(xscale="log", ylim=(0, None), xlabel="rows", ylabel="peak memory, MB")
    figure.savefig(picture)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--gigabytes", type=float, default=2.0)
    parser.add_argument("--learner", action="append", help="may be repeated; default: naive-bayes, svm")
    parser.add_argument("--growth", type=int, nargs="*", default=[100_000, 1_000_000, 10_000_000])
    parser.add_argument("--picture", type=Path, help="also draw the growth")
    parser.add_argument("--folder", help="where the temporary folder is made")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=args.folder) as temp:
        folder = Path(temp)
        figures = (
            large(folder, args.gigabytes, args.learner or ("naive-bayes", "svm")) if args.gigabytes else []
        )
        figures += growth(folder, args.growth, args.picture)
    if args.gigabytes and len(args.growth) >= 3:
        record("stream", figures)


if __name__ == "__main__":
    main()
