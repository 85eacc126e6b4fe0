"""Tables of any size: CPU time per row and peak memory of commands that read them part by part.

python -m benchmarks.large_tables [--rows 100000 1000000 10000000]

Short messages (SMS Spam's test part, repeated, each with a number behind it) in temporary files. The model is an SVM of
words and pairs. "library" is TextClassifier.predict of the same texts, 100,000 of them, in memory, without reading and
writing. Each command runs in a process of its own; memory is that process's peak, the interpreter included, and not
below that of the process which starts it.
"""

from __future__ import annotations

import argparse
import csv
import itertools
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.harness import alternate, corpus_folder, unpacked

COMMANDS = {
    "predict, CSV": ["predict", "MODEL", "TABLE", "-o", "OUT.csv"],
    "predict, Parquet, --keep all": ["predict", "MODEL", "TABLE", "-o", "OUT.parquet", "--keep", "all"],
    "evaluate": ["evaluate", "MODEL", "TABLE"],
    "split": ["split", "TABLE", "--folder", "FOLDER"],
    "convert to JSON Lines": ["convert", "TABLE", "OUT.jsonl"],
}


def measured(words: list[str]) -> tuple[float, float]:
    """Return CPU seconds and peak MB of a command."""
    process = subprocess.Popen([sys.executable, "-m", "lindy.cli", *words, "-q"], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"lindy {' '.join(words)} failed")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def write_table(rows: list[dict[str, str]], n: int, path: Path) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["id", "text", "label"])
        for i, row in zip(range(n), itertools.cycle(rows), strict=False):
            writer.writerow([i, f"{row['text']} {i % 9973}", row["label"]])


def library_rate(model: Path, texts: list[str]) -> float:
    """Return texts per CPU second of predicting in memory."""
    from lindy.core.column import text_column
    from lindy.textclassifier import load

    classifier, column = load(model), text_column([text.encode() for text in texts])
    return len(texts) / alternate({"predict": lambda: classifier.predict(column)})["predict"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, nargs="+", default=[100_000, 1_000_000, 10_000_000])
    sizes = parser.parse_args().rows
    corpus = corpus_folder("sms-spam")
    if corpus is None:
        raise SystemExit("the corpus sms-spam is not there: set LINDY_DATA to the folder of the corpora")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        model, table = folder / "model.lindy", folder / "table.csv"
        train = str(unpacked(corpus, "train", folder))
        measured(["train", train, "-o", str(model), "--learner", "svm", "--ngrams", "1-2"])
        with unpacked(corpus, "test", folder).open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        texts = [f"{row['text']} {i}" for i, row in zip(range(100_000), itertools.cycle(rows), strict=False)]
        print(f"library in memory: {library_rate(model, texts):,.0f} texts per CPU second\n")
        print(f"{'':<30}{'rows':>12}{'CPU s':>8}{'µs per row':>12}{'rows/s':>11}{'peak MB':>9}")
        for n in sizes:
            write_table(rows, n, table)
            for command, words in COMMANDS.items():
                places = {"MODEL": str(model), "TABLE": str(table), "FOLDER": name}
                given = [places.get(word, word.replace("OUT", f"{name}/out")) for word in words]
                cpu, peak = measured(given)
                for made in folder.glob("out.*"):
                    made.unlink()
                per_row = cpu / n
                print(
                    f"{command:<30}{n:>12,}{cpu:>8.1f}{per_row * 1e6:>12.2f}{1 / per_row:>11,.0f}{peak:>9.0f}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
