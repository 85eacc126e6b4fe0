"""How large exported pages are, and how soon they answer: ``python -m benchmarks.export``.

The page of the SMS corpus shall stay below 3 MB and answer a short text within 5 ms. Times are CPU time of Node per
text of the test file: of the first one, for which nothing is compiled yet, and of the others. Agreement is the share of
texts whose scores and probabilities are those of the library to the last bit.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.harness import corpus_folder
from lindy import TextClassifier
from lindy.data import read_examples
from lindy.web.export import lost, module_text, page_text, smaller

CORPORA = ("sms-spam", "trec6", "chnsenticorp-hotel", "ag-news-10k")
TEXTS = 500
_SCRIPT = """
import { readFileSync } from "node:fs";
const texts = JSON.parse(readFileSync(process.argv[2], "utf8"));
const cpu = () => { const { user, system } = process.cpuUsage(); return (user + system) / 1000; };
const begin = cpu();
const { predict, explain } = await import(process.argv[3]);
const loaded = cpu();
explain(texts[0]);
const first = cpu();
const said = texts.map(predict);
const predicted = cpu();
texts.forEach(explain);
const times = {
  load: loaded - begin, first: first - loaded,
  predict: (predicted - first) / texts.length, explain: (cpu() - predicted) / texts.length,
};
console.log(JSON.stringify({ times, said }));
"""


def asked(module: str, texts: list[str]) -> dict[str, Any]:
    """Return what a module says of texts in Node, and the milliseconds that it took."""
    with tempfile.TemporaryDirectory() as folder:
        files = {"module.mjs": module, "ask.mjs": _SCRIPT, "texts.json": json.dumps(texts)}
        for name, content in files.items():
            Path(folder, name).write_text(content, encoding="utf-8")
        words = ["node", f"{folder}/ask.mjs", f"{folder}/texts.json", f"{folder}/module.mjs"]
        done = subprocess.run(words, capture_output=True, text=True, check=True)
    told: dict[str, Any] = json.loads(done.stdout)
    return told


def agreement(model: TextClassifier, texts: list[str], said: list[dict[str, Any]]) -> float:
    """Return the share of texts with the library's scores and probabilities, bit for bit."""
    names = [str(label) for label in model.classes_]
    scores = model.decision_function(texts).astype(np.float64)
    two = np.stack([-scores, scores], axis=1) if scores.ndim == 1 else scores
    expected = np.hstack([two, model.predict_proba(texts)])
    found = [[own[kind][name] for kind in ("scores", "probabilities") for name in names] for own in said]
    return float((np.array(found) == expected).all(axis=1).mean())


def main() -> None:
    if shutil.which("node") is None:
        sys.exit("node is not installed")
    print("| corpus | features | page | load | first text | predict | explain | same | small page | loss |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- |")
    for name in CORPORA:
        folder = corpus_folder(name)
        if folder is None:
            print(f"| {name} | not there |")
            continue
        train, test = (read_examples(str(next(folder.glob(f"{part}.csv*")))) for part in ("train", "test"))
        labels, truth = (own.labels.to_pylist() for own in (train, test))  # type: ignore[union-attr]
        model = TextClassifier().fit(train.texts, labels)
        texts = test.texts.to_pylist()[:TEXTS]
        told = asked(module_text(model), texts)
        times = " | ".join(
            f"{told['times'][step]:.2f} ms" for step in ("load", "first", "predict", "explain")
        )
        small = smaller(model)
        sizes = [len(page_text(own).encode()) / 1e6 for own in (model, small)]
        figures = f"{model.vectorizer_.n_columns:,} | {sizes[0]:.2f} MB | {times}"
        same = agreement(model, texts, told["said"])
        loss = str(lost(model, small, test.texts, truth))
        print(f"| {name} | {figures} | {same:.1%} | {sizes[1]:.2f} MB | {loss} |", flush=True)


if __name__ == "__main__":
    main()
