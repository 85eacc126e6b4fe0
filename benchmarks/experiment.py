"""The experiment cycle on IMDB: whether probabilities come true, and what compare and audit cost.

Calibration error: top label, 15 bins of equal width, on the test file; "own" is what the learner itself says, the other
columns are calibrated on held-out training texts only ("auto" as lindy train does, "best" in five folds).

    python -m benchmarks.experiment [--corpus imdb]
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.harness import corpus_folder, unpacked
from lindy import TextClassifier
from lindy.data import read_examples
from lindy.estimators.learners import REGISTRY, learner_class
from lindy.evaluation import calibration_error
from lindy.evaluation.metrics.ranking import class_numbers


def calibration(train: Any, test: Any) -> None:
    print(f"{'calibration error':20}{'own':>8}{'auto':>8}{'best':>8}   method      accuracy")
    truth = test.labels.to_pylist()
    for name in (name for name in REGISTRY if "compare" in learner_class(name).spec.usual):
        if name == "lexicon":  # its lists are for positive and negative texts
            continue
        errors: dict[str, float] = {}
        for mode in ("none", "auto", "best"):
            model = TextClassifier(learner=name, calibration=mode).fit(train.texts, train.labels)
            if model.has_probabilities:
                p = model.predict_proba(test.texts)
                errors[mode] = calibration_error(p, class_numbers(truth, model.classes_))
        shown = "".join(
            f"{errors[mode]:8.4f}" if mode in errors else f"{'–':>8}" for mode in ("none", "auto", "best")
        )
        accuracy = np.mean(model.classes_[p.argmax(axis=1)] == np.array(truth, object))
        method = model.calibrator_.method if model.calibrator_ else "–"
        print(f"{name:20}{shown}   {method:12}{accuracy:8.4f}", flush=True)


def cpu_of(*command: str) -> float:
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"failed: {' '.join(command)}")
    return usage.ru_utime + usage.ru_stime


def commands(folder: Path) -> None:
    lindy = str(Path(sys.executable).with_name("lindy"))
    with tempfile.TemporaryDirectory() as temp:
        table = str(unpacked(folder, "train", Path(temp)))
        print(f"\n{'CPU seconds, process start included':40}")
        for words in (("compare",), ("compare", "--curve"), ("audit",)):
            print(f"lindy {' '.join(words):20}{cpu_of(lindy, words[0], table, *words[1:]):8.2f}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--corpus", default="imdb")
    corpus = parser.parse_args().corpus
    folder = corpus_folder(corpus)
    if folder is None:
        print(f"{corpus}: absent (set LINDY_DATA to the folder that holds it)")
        return
    print(corpus)
    train, test = (read_examples(next(folder.glob(f"{part}.csv*"))) for part in ("train", "test"))
    calibration(train, test)
    commands(folder)


if __name__ == "__main__":
    main()
