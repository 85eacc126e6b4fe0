"""Odd files with golden outcomes, given to lindy and to other readers: who misreads them without a word.

    python -m benchmarks.torture.tables

The cases are those of ``make test`` (tests/hostile/oddities). An outcome is right if it has the very values, or is an
error where an error is right. Every reader runs in a process of its own, which is started again where a file kills it.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import select
import subprocess
import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from tests.hostile.limits import limit_cpu
from tests.hostile.oddities import Wrong
from tests.hostile.oddities.delimited import CSV
from tests.hostile.oddities.svmlight_lines import BAD, GOOD
from tests.hostile.oddities.word_lines import BAD as BAD_WORDS
from tests.hostile.oddities.word_lines import GOOD as GOOD_WORDS

from benchmarks.harness import ROOT

PATIENCE = 900  # seconds, for a machine that is busy with other things
CPU_SECONDS = 60  # for one file
REFUSED = "refused"
Case = tuple[str, bytes, Any]  # name, contents, and the values or REFUSED

#: golden errors that are not the business of a reader of other programs: labels, tables without rows, counts of words
ONLY_OURS = ("the label is", "only white space", "but no row", "has the value", "up to 10,000")


def _is_ours(message: str) -> bool:
    return any(words in message for words in ONLY_OURS)


CASES: dict[str, tuple[str, list[Case]]] = {
    "CSV": (
        "table.csv",
        [
            (name, data, REFUSED if isinstance(rows, Wrong) else [list(row) for row in rows])
            for name, data, rows in CSV
            if not (isinstance(rows, Wrong) and _is_ours(rows.message))
        ],
    ),
    "svmlight": (
        "table.svm",
        [
            (name, text, [[label, sorted(pairs.items())] for label, pairs in rows])
            for name, (text, rows) in GOOD.items()
        ]
        + [(name, text, REFUSED) for name, (text, *_) in BAD.items()],
    ),
    "Vowpal Wabbit": (
        "table.vw",
        [(name, data, "read") for name, (file, data, _) in GOOD_WORDS.items() if file == "a.vw"]
        + [
            (name, data, REFUSED)
            for name, (file, data, _, message) in BAD_WORDS.items()
            if file == "a.vw" and not _is_ours(message)
        ],
    ),
}


def lindy_csv(path: Path) -> Any:
    from lindy.data import read_examples, read_table

    table = read_table(path)
    if {"text", "label"} <= set(table.column_names):
        read_examples(path, "text", "label")
    return _rows(table.column(name).to_pylist() for name in table.column_names)


def pandas_csv(path: Path, **options: Any) -> Any:
    import pandas as pd

    frame = pd.read_csv(path, **options)
    return _rows([str(value) for value in frame[name]] for name in frame)


def careful_pandas_csv(path: Path) -> Any:
    return pandas_csv(path, dtype=str, keep_default_na=False)


def polars_csv(path: Path) -> Any:
    import polars as pl

    frame = pl.read_csv(path, infer_schema=False)
    return _rows(frame[name].to_list() for name in frame.columns)


def _rows(columns: Any) -> Any:
    return [list(row) for row in zip(*columns, strict=True)]


def lindy_svmlight(path: Path) -> Any:
    from lindy.data import read_svmlight

    data = read_svmlight(path, zero_based=True)
    return _pairs(data.labels.tolist(), data.X.indptr, data.X.indices, data.X.values)


def scikit_learn_svmlight(path: Path) -> Any:
    from sklearn.datasets import load_svmlight_file

    X, y = load_svmlight_file(str(path), zero_based=True)
    return _pairs(y.tolist(), X.indptr, X.indices, X.data)


def liblinear_svmlight(path: Path) -> Any:
    from liblinear.commonutil import svm_read_problem

    y, rows = svm_read_problem(str(path))
    return [[label, sorted(row.items())] for label, row in zip(y, rows, strict=True)]


def _pairs(labels: list[Any], indptr: Any, indices: Any, values: Any) -> Any:
    return [
        [label, [(int(j), float(v)) for j, v in zip(indices[a:b], values[a:b], strict=True)]]
        for label, a, b in zip(labels, indptr, indptr[1:], strict=False)
    ]


def lindy_vowpal(path: Path) -> Any:
    from lindy.data.chunks.source import Source
    from lindy.data.formats.feature_lines import text_table
    from lindy.data.formats.feature_row_tables import collected

    text_table(Source(path), collected(Source(path), "vw", spaces=False).each())
    return "read"


def vowpal_wabbit(path: Path) -> Any:
    from vowpalwabbit import Workspace

    with Workspace(f"--quiet --data {path}") as model:
        if model.get_weighted_examples() != model.get_weighted_examples():  # NaN
            return "NaN"
    return "read"


READERS: dict[str, list[tuple[str, str, Callable[[Path], Any]]]] = {
    "CSV": [
        ("lindy", "lindy", lindy_csv),
        ("pandas.read_csv()", "pandas", pandas_csv),
        ("pandas, all as text", "pandas", careful_pandas_csv),
        ("polars, all as text", "polars", polars_csv),
    ],
    "svmlight": [
        ("lindy", "lindy", lindy_svmlight),
        ("scikit-learn", "sklearn", scikit_learn_svmlight),
        ("LIBLINEAR", "liblinear", liblinear_svmlight),
    ],
    "Vowpal Wabbit": [
        ("lindy", "lindy", lindy_vowpal),
        ("Vowpal Wabbit", "vowpalwabbit", vowpal_wabbit),
    ],
}


def judged(found: Any, expected: Any) -> str:
    """Return what an outcome is: right, refused though there is nothing wrong, or misread."""
    if found == expected or (
        isinstance(found, list) and found in (_plain(expected), _plain(expected, numbers=True))
    ):
        return "right"
    return "too strict" if found == REFUSED else "misread"


def _plain(rows: Any, numbers: bool = False) -> Any:
    """Return golden rows, with labels as the numbers that a reader makes of them: 1.0 is not another value than 1."""
    with contextlib.suppress(ValueError, TypeError):
        return [
            [float(label) if numbers else label, [tuple(pair) for pair in pairs]] for label, pairs in rows
        ]
    return rows


def child(kind: str, reader: str, first: int) -> None:
    """Read the cases from the first on and print what came of each, one line of JSON for each."""
    warnings.simplefilter("ignore")
    name, cases = CASES[kind]
    read = next(function for title, _, function in READERS[kind] if title == reader)
    out = os.fdopen(os.dup(1), "w")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        for _, data, expected in cases[first:]:
            path.write_bytes(data)
            limit_cpu(CPU_SECONDS)
            try:
                found = read(path)
            except Exception:
                found = REFUSED
            found = judged(found, expected)
            out.write(json.dumps(found) + "\n")
            out.flush()


def outcomes(kind: str, reader: str) -> Iterator[str]:
    """Yield what came of each case, "crash" where the process died or did not answer."""
    done, n = 0, len(CASES[kind][1])
    while done < n:
        command = [sys.executable, "-m", "benchmarks.torture.tables", "--child", kind, reader, str(done)]
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, bufsize=0, cwd=ROOT
        )
        with process:
            while done < n:
                ready, _, _ = select.select([process.stdout], [], [], PATIENCE)
                line = process.stdout.readline() if ready and process.stdout else b""
                if not line:
                    break
                yield json.loads(line)
                done += 1
            process.kill()
        if done < n:
            yield "crash"
            done += 1


def main() -> None:
    """Give every file to every reader, and print what they made of them."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--child", nargs=3, metavar=("KIND", "READER", "FIRST"))
    args = parser.parse_args()
    if args.child:
        child(args.child[0], args.child[1], int(args.child[2]))
        return
    broken = []
    print(
        "right: the golden values, or an error where an error is right; misread: other values, or values where an"
    )
    print(
        "error is right; too strict: an error where there is nothing wrong; crash: the process died or hung."
    )
    print(
        "Vowpal Wabbit lines count as right if they are read or refused rightly; what became of words is not asked.\n"
    )
    print(f"{'format':15}{'reader':22}{'files':>7}{'right':>7}{'misread':>9}{'too strict':>12}{'crash':>7}")
    for kind, readers in READERS.items():
        for reader, package, _ in readers:
            if find_spec(package) is None:
                print(f"{kind:15}{reader:22} not installed, not measured")
                continue
            found = list(outcomes(kind, reader))
            counts = Counter(found)
            row = "".join(
                f"{counts[what]:>{width}}"
                for what, width in (("right", 7), ("misread", 9), ("too strict", 12), ("crash", 7))
            )
            print(f"{kind:15}{reader:22}{len(found):>7}{row}", flush=True)
            if reader == "lindy":
                broken += [
                    case[0] for case, what in zip(CASES[kind][1], found, strict=True) if what != "right"
                ]
    print(f"\nlindy's outcomes are all golden: {'yes' if not broken else f'no: {broken}'}")
    sys.exit(bool(broken))


if __name__ == "__main__":
    main()
