"""Training on files that are larger than memory: the same model, its rate and its memory; and what a row costs.

    in memory      lindy train big.csv --learner … --ngrams 1-2 (auto: the automatic recipe)
    --memory 600MB the same command with less memory than the file: rows in files
    hashed         one pass of a perceptron over hashed 1-2-grams, 2^22 columns, in the order of the file; in memory and
                   with --memory 600MB
    Vowpal Wabbit  the same, hinge loss, one pass, from a file of its own format, which is made before: words are what
                   is between spaces, also in pairs; its two threads (one reads and hashes, one learns)
    rows           short ones (twelve words drawn from 50,000), naive Bayes, --memory 600MB: 10^5 and 10^6 of them fit
                   into it, 10^7 do not; with --memory 200MB (rows-1000000-files) 10^6 do not, either

The file is the TREC 2007 spam corpus, as often as it takes to reach ``--gigabytes``, in a temporary folder, or in
``--folder``, where it stays for the next run (the cache needs about three times the file). CPU seconds are user and
system of all threads. Each row of the table is measured by itself, which takes some minutes, and kept with its date:

    python -m benchmarks.stream [--measure NAME …] [--folder FOLDER]

measures what is named (default: all) and prints all that was ever measured.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.endtoend import accuracy, measure
from benchmarks.harness import corpus_folder, record, recorded, stamp, unpacked

MEMORY = "600MB"
ALL = "1000GB"  # so that a machine that is short of memory does not choose files
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


def big_table(folder: Path, gigabytes: float) -> Path:
    """Return the replicated corpus, which is made if it is not there."""
    big = folder / f"trec07p-{gigabytes:g}.csv"
    if not big.exists():
        replicated(tables(folder)[0], folder / "new.csv", int(gigabytes * 2**30))
        (folder / "new.csv").rename(big)
    return big


def trained(folder: Path, learner: str, gigabytes: float, memory: str) -> dict[str, Any]:
    """Train a learner on the large file, in memory or with less of it."""
    big, model = big_table(folder, gigabytes), folder / "model.lindy"
    command = [LINDY, "train", str(big), "--learner", learner, "--quiet", "--force", "-o", str(model)]
    command += [] if learner == "auto" else ["--ngrams", "1-2"]
    run = measure([*command, "--memory", memory])
    digest = hashlib.sha256(model.read_bytes()).hexdigest()
    return {"megabytes": big.stat().st_size / 1e6, "model": digest, **vars(run)}


def hashed(folder: Path, gigabytes: float, memory: str) -> dict[str, Any]:
    """Learn in one pass over hashed 1-2-grams; the accuracy is that of the test part."""
    train, test = big_table(folder, gigabytes), tables(folder)[1]
    options = ["--learner", "perceptron", "--param", "epochs=1", "--param", "shuffle=False"]
    options += [
        "--memory",
        memory,
        "--hash",
        str(HASHED),
        "--ngrams",
        "1-2",
        "--calibrate",
        "none",
        "--quiet",
        "--force",
    ]
    model, predicted = folder / "hashed.lindy", folder / "predicted.csv"
    own = measure([LINDY, "train", str(train), *options, "-o", str(model)])
    measure([LINDY, "predict", str(model), str(test), "--quiet", "--force", "-o", str(predicted)])
    return {
        "megabytes": train.stat().st_size / 1e6,
        "model": hashlib.sha256(model.read_bytes()).hexdigest(),
        "accuracy": accuracy(predicted, test),
        **vars(own),
    }


def tables(folder: Path) -> tuple[Path, Path]:
    corpus = corpus_folder("trec07p")
    if corpus is None:
        raise SystemExit("trec07p: absent (set LINDY_DATA to the folder that holds it)")
    return unpacked(corpus, "train", folder), unpacked(corpus, "test", folder)


def rival(folder: Path, gigabytes: float) -> dict[str, Any]:
    """Let Vowpal Wabbit learn from the same texts."""
    train, test = big_table(folder, gigabytes), tables(folder)[1]
    for name, script in (("convert", CONVERT), ("vw", VOWPAL_WABBIT), ("test", VOWPAL_WABBIT_TEST)):
        (folder / f"{name}.py").write_text(script)
    for part in (train, test):
        measure([sys.executable, str(folder / "convert.py"), str(part), f"{part}.vw"])
    model = str(folder / "vw.model")
    own = measure([sys.executable, str(folder / "vw.py"), f"{train}.vw", model])
    tested = [sys.executable, str(folder / "test.py"), model, f"{test}.vw"]
    right = float(subprocess.run(tested, stdout=subprocess.PIPE, text=True, check=True).stdout)
    return {"megabytes": train.stat().st_size / 1e6, "accuracy": right, **vars(own)}


def growth(folder: Path, n: int, memory: str = MEMORY) -> dict[str, Any]:
    """Measure what a row of so many costs."""
    data = folder / f"short-{n}.csv"
    if not data.exists():
        short_rows(data, n)
    command = [
        LINDY,
        "train",
        str(data),
        "--learner",
        "naive-bayes",
        "--quiet",
        "--memory",
        memory,
        "--force",
    ]
    return {"rows": n, **vars(measure([*command, "-o", str(folder / "short.lindy")]))}


def pieces(gigabytes: float) -> dict[str, Callable[[Path], dict[str, Any]]]:
    """Return what can be measured, by name."""
    found: dict[str, Callable[[Path], dict[str, Any]]] = {}
    for learner in ("naive-bayes", "svm", "auto"):
        found[learner] = partial(trained, learner=learner, gigabytes=gigabytes, memory=ALL)
        found[f"{learner}-files"] = partial(trained, learner=learner, gigabytes=gigabytes, memory=MEMORY)
    found["hashed"] = partial(hashed, gigabytes=gigabytes, memory=ALL)
    found["hashed-files"] = partial(hashed, gigabytes=gigabytes, memory=MEMORY)
    found["vowpal-wabbit"] = partial(rival, gigabytes=gigabytes)
    found |= {f"rows-{n}": partial(growth, n=n) for n in (10**5, 10**6)}
    found["rows-1000000-files"] = partial(growth, n=10**6, memory="200MB")
    return found | {"rows-10000000-files": partial(growth, n=10**7)}


def show(kept: dict[str, dict[str, Any]], names: Iterable[str]) -> None:
    """Print a table of all that was measured."""
    print(f"{'':22}{'CPU s':>8}{'wall s':>8}{'peak MB':>9}{'MB/CPU s':>10}{'µs/row':>8}")
    for name in names:
        if (own := kept.get(name)) is None:
            continue
        rate = f"{own['megabytes'] / own['cpu']:10.1f}{'':8}" if "megabytes" in own else f"{'':10}"
        rate += f"{1e6 * own['cpu'] / own['rows']:8.2f}" if "rows" in own else ""
        notes = [f"{own['date']}, {own['commit']}"]
        whole = kept.get(name.removesuffix("-files"))
        if "model" in own and name.endswith("-files") and whole is not None:
            same = "the same bytes" if own["model"] == whole["model"] else "OTHER BYTES"
            notes = [f"{whole['cpu'] / own['cpu']:.0%} of the rate in memory, {same}", *notes]
        theirs = kept.get("vowpal-wabbit")
        if name.startswith("hashed") and theirs is not None and theirs["megabytes"] == own["megabytes"]:
            ratios = f"{theirs['cpu'] / own['cpu']:.1f}× by CPU, {theirs['wall'] / own['wall']:.1f}× by wall"
            notes = [f"Vowpal Wabbit {ratios}", *notes]
        if "accuracy" in own:
            notes = [f"accuracy {100 * own['accuracy']:.2f}", *notes]
        print(
            f"{name:22}{own['cpu']:8.1f}{own['wall']:8.1f}{own['peak_mb']:9.0f}{rate}  {'; '.join(notes)}",
            flush=True,
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--gigabytes", type=float, default=2.0)
    parser.add_argument("--measure", nargs="*", metavar="NAME", help="default: all")
    parser.add_argument("--folder", type=Path, help="where files are made, and stay")
    args = parser.parse_args()
    known = pieces(args.gigabytes)
    wanted = known if args.measure is None else args.measure
    if unknown := set(wanted) - set(known):
        raise SystemExit(f"no measurement {', '.join(sorted(unknown))}; there are: {', '.join(known)}")
    measured: dict[str, dict[str, Any]] = {}
    with tempfile.TemporaryDirectory() as temp:
        folder = args.folder or Path(temp)
        folder.mkdir(parents=True, exist_ok=True)
        for name in wanted:
            when = stamp()
            own = {"name": name, "date": when["date"], "commit": when["commit"], **known[name](folder)}
            measured[name] = own
            show(measured, [name])
    kept = {own["name"]: own for own in recorded("stream")} | measured
    if args.gigabytes >= 2:
        record("stream", [kept[name] for name in known if name in kept])
    show(kept, known)


if __name__ == "__main__":
    main()
