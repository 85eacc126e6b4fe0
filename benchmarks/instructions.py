"""Instructions of the kernels on fixed inputs, counted by callgrind and compared with those that are kept.

    python -m benchmarks.instructions [--write] [--only NAME] [--within 3]

Times vary with the machine and its load; the number of executed instructions hardly does. Every kernel runs once on
generated inputs, on one thread and at one instruction-set level (``LEVEL``), after a first call that is not counted.
What is kept (``benchmarks/records/instructions.json``, by ``--write``) names the compiler and the Python that gave it:
others give other counts, so that a comparison with them is refused. A count that differs by more than 3 % ends with
exit code 1, whether it grew or fell: what became faster is to be written, too, with the change that made it so.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import re
import shutil
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.harness import RECORDS, ROOT, stamp

RECORD = RECORDS / "instructions.json"
LEVEL = "avx2"  # valgrind knows no AVX-512
TEXTS, CLASSES, ONE_TEXT_CALLS = 1500, 4, 200
SWITCH = """
#include <valgrind/callgrind.h>
void begin(void) { CALLGRIND_START_INSTRUMENTATION; CALLGRIND_ZERO_STATS; }
void end(const char* name) { CALLGRIND_DUMP_STATS_AT(name); CALLGRIND_STOP_INSTRUMENTATION; }
"""


def generated() -> tuple[list[str], list[str]]:
    """Return texts of words whose frequencies fall as those of a language do, and labels that shift them."""
    draw = random.Random(0)
    letters = "etaoinshrdlucmfwypvbgkqjxz"
    words = ["".join(draw.choices(letters, range(26, 0, -1), k=draw.randint(2, 9))) for _ in range(20_000)]
    texts, labels = [], []
    for _ in range(TEXTS):
        label = draw.randrange(CLASSES)
        drawn = (int(len(words) * draw.random() ** (3 + label / 2)) for _ in range(draw.randint(20, 120)))
        texts.append(" ".join(words[i].title() if i % 11 == 0 else words[i] for i in drawn) + ".")
        labels.append(f"class {label}")
    return texts, labels


def kernels(folder: Path) -> dict[str, Callable[[], Any]]:
    """Return what is counted, by name; all of it is made ready here."""
    import csv

    import lindy
    from lindy.data import read_table
    from lindy.errors import ConvergenceWarning
    from lindy.text import CountVectorizer, TfidfVectorizer

    texts, labels = generated()
    table = folder / "table.csv"
    with table.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([["label", "text"], *zip(labels, texts, strict=True)])
    counts = CountVectorizer(ngram_range=(1, 2), n_jobs=1).fit_csr(texts)
    tfidf = TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True, n_jobs=1)
    rows = tfidf.fit_csr(texts)
    model = lindy.TextClassifier(learner="svm", ngrams=(1, 2), n_jobs=1).fit(texts, labels)
    model.save(folder / "model.lindy")
    short = texts[0][:100]

    def ten_passes() -> object:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            return lindy.SVM(solver="dual", max_iter=10, tol=1e-15, n_jobs=1).fit(rows, labels)

    return {
        "tokenise and count 1-2-grams": lambda: CountVectorizer(ngram_range=(1, 2), n_jobs=1).fit_csr(texts),
        "count characters 3-5": lambda: CountVectorizer(
            analyzer="char_wb", ngram_range=(3, 5), n_jobs=1
        ).fit_csr(texts[:300]),
        "tf-idf rows of new texts": lambda: tfidf.transform_csr(texts),
        "dual solver, ten passes": ten_passes,
        "averaged perceptron, five passes": lambda: lindy.Perceptron(epochs=5, n_jobs=1).fit(rows, labels),
        "naive Bayes": lambda: lindy.MultinomialNaiveBayes().fit(counts, labels),
        "predict a batch": lambda: model.predict(texts),
        "predict one text, 200 times": lambda: [model.predict([short]) for _ in range(ONE_TEXT_CALLS)],
        "read a CSV table": lambda: read_table(table),
        "load a model": lambda: lindy.load(folder / "model.lindy"),
    }


def child(switch: str, wanted: list[str]) -> None:
    """Run the kernels within callgrind, which writes one file for each."""
    import ctypes
    import gc

    callgrind = ctypes.CDLL(switch)
    with tempfile.TemporaryDirectory() as name:
        for kernel, run in kernels(Path(name)).items():
            if kernel not in wanted:
                continue
            run()
            gc.collect()
            gc.disable()
            callgrind.begin()
            run()
            callgrind.end(kernel.encode())
            gc.enable()


def count(wanted: list[str]) -> dict[str, int]:
    """Return the instructions of kernels."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "switch.c").write_text(SWITCH)
        switch = str(folder / "switch.so")
        subprocess.run(["cc", "-O1", "-shared", "-fPIC", "-o", switch, str(folder / "switch.c")], check=True)
        valgrind = [
            "valgrind",
            "--tool=callgrind",
            "--instr-atstart=no",
            f"--callgrind-out-file={name}/counts",
        ]
        asked = [sys.executable, "-m", "benchmarks.instructions", "--child", switch, *wanted]
        fixed = {"LINDY_ISA": LEVEL, "PYTHONHASHSEED": "0", "OPENBLAS_NUM_THREADS": "1"}
        done = subprocess.run(
            [*valgrind, *asked], cwd=ROOT, env=os.environ | fixed, capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise SystemExit(f"error: callgrind failed\n{done.stderr}")
        return dict(_counted(path) for path in folder.glob("counts.*"))


def _counted(path: Path) -> tuple[str, int]:
    text = path.read_text(encoding="utf-8", errors="replace")
    name = re.search(r"^desc: Trigger: Client Request: (.*)$", text, re.MULTILINE)
    total = re.search(r"^(?:totals|summary): (\d+)", text, re.MULTILINE)
    if name is None or total is None:
        raise SystemExit(f"error: {path} holds no counts as callgrind 3.19 writes them")
    return name[1], int(total[1])


def made_by() -> dict[str, str]:
    """Return what besides the sources determines the counts."""
    import numpy as np

    compiler = subprocess.run(["c++", "--version"], capture_output=True, text=True, check=True).stdout
    valgrind = subprocess.run(["valgrind", "--version"], capture_output=True, text=True, check=True).stdout
    return {
        "compiler": compiler.splitlines()[0],
        "python": ".".join(platform.python_version_tuple()[:2]),
        "numpy": ".".join(np.__version__.split(".")[:2]),
        "valgrind": valgrind.strip(),
        "level": LEVEL,
    }


def missing() -> str | None:
    """Return why nothing can be counted here, if so."""
    for tool in ("valgrind", "cc", "c++"):
        if shutil.which(tool) is None:
            return f"check-perf needs {tool}, which is not here (Debian: valgrind, g++)"
    from lindy import _native

    if _native.isa() == "baseline":
        return "check-perf counts AVX2 code, which this CPU does not run"
    return None


def table(found: dict[str, int], kept: dict[str, int], within: float) -> tuple[str, list[str]]:
    """Return the comparison as text, and the names of those that differ by more than so many per cent."""
    lines, off = [f"{'instructions':36}{'kept':>16}{'now':>16}{'change':>10}"], []
    for name, now in found.items():
        if name not in kept:
            lines.append(f"{name:36}{'':>16}{now:16,}{'new':>10}")
            off.append(name)
            continue
        change = 100 * (now / kept[name] - 1)
        beyond = abs(change) > within
        off += [name] if beyond else []
        lines.append(f"{name:36}{kept[name]:16,}{now:16,}{change:+9.2f}%{'  <--' if beyond else ''}")
    return "\n".join(lines), off


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--write", action="store_true", help="keep the counts, instead of comparing them")
    parser.add_argument(
        "--only", action="append", metavar="NAME", help="kernels whose name begins so; may be repeated"
    )
    parser.add_argument("--within", type=float, default=3.0, metavar="PERCENT")
    parser.add_argument("--child", nargs="+", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.child:
        child(arguments.child[0], arguments.child[1:])
        return
    if why := missing():
        raise SystemExit(f"error: {why}")
    with tempfile.TemporaryDirectory() as name:
        names = list(kernels(Path(name)))
    only = tuple(arguments.only or [""])
    wanted = [name for name in names if name.startswith(only)]
    found = count(wanted)
    found = {name: found[name] for name in wanted}
    kept = json.loads(RECORD.read_text(encoding="utf-8")) if RECORD.exists() else {}
    counts = kept.get("counts", {})
    text, off = table(found, counts, arguments.within)
    print(text)
    if arguments.write:
        told = {"topic": "instructions", **stamp(), "made_by": made_by(), "counts": {**counts, **found}}
        told["counts"] = {name: told["counts"][name] for name in names if name in told["counts"]}
        RECORD.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")
    elif kept and kept["made_by"] != made_by():
        raise SystemExit(
            f"error: the counts that are kept are of {kept['made_by']}, these of {made_by()}\n"
            "hint: write those of the commit before the change here with --write, then compare"
        )
    elif off:
        raise SystemExit(
            f"error: beyond {arguments.within:g} %: {', '.join(off)}\n"
            "hint: find out why, or keep the new counts with make check-perf PERF=--write"
        )


if __name__ == "__main__":
    main()
