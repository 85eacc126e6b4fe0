"""The labs on the public corpora: ``python -m benchmarks.labs``.

How long each lab runs, and what the learners reach on the Amazon book reviews with the lab's own split, λ chosen by
cross-validation on the training reviews. Aims: naive Bayes at least 0.80, the others 0.78, all labs within three
minutes. What the labs say of the public corpora, and not of the embedded ones, goes into docs/labs/full-corpora.md.
"""

from __future__ import annotations

import os
import resource
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.harness import ROOT, corpus_folder, stamp
from lindy import SVM, MaxEnt, Mira, MultinomialNaiveBayes, Perceptron
from lindy.labs import book_reviews, choose, judged
from lindy.labs.catalog import LABS, Lab
from lindy.labs.running import play
from lindy.labs.script import read_script
from lindy.labs.stage import staged

LEARNERS = {
    "naive Bayes, add one": (MultinomialNaiveBayes(), 0.80),
    "averaged perceptron": (Perceptron(epochs=10), 0.78),
    "MIRA": (Mira(constraints="predicted", epochs=10), 0.78),
    "MaxEnt": (MaxEnt(), 0.78),
    "SVM": (SVM(loss="hinge"), 0.78),
}
PAGE = ROOT / "docs" / "labs" / "full-corpora.md"
STRENGTHS = (1.0, 0.1, 0.01, 0.001)


def main() -> None:
    folder = corpus_folder("amazon-books")
    if folder is None:
        sys.exit("the corpus amazon-books is not there: set LINDY_DATA to the folder of the corpora")
    data, output = folder.parent, Path(tempfile.mkdtemp())
    os.environ.pop("LINDY_DATA", None)  # the labs are told where to look
    with staged(output, data):
        reviews = book_reviews()
    print(f"{reviews}\n\n| learner | λ | train | test | aim |\n| --- | --- | --- | --- | --- |")
    for name, (learner, aim) in LEARNERS.items():
        model, lam = learner, "–"
        if "lam" in learner.get_params():
            found = choose(learner, "lam", STRENGTHS, reviews.X_train, reviews.y_train)
            model, lam = found.model, f"{found.best:g}"
        model.fit(reviews.X_train, reviews.y_train)
        train = model.score(reviews.X_train, reviews.y_train)
        test = judged(name, model, reviews.X_test, reviews.y_test)
        print(f"| {name} | {lam} | {train:.3f} | {test} | {aim:.2f} |")
    print("\n| lab | seconds | CPU seconds |\n| --- | --- | --- |")
    began, used, said = time.perf_counter(), _cpu(), {}
    for lab in LABS:
        start, before = time.perf_counter(), _cpu()
        said[lab.title] = remarks(lab, output, data)
        print(f"| {lab.number} {lab.name} | {time.perf_counter() - start:.1f} | {_cpu() - before:.1f} |")
    print(f"| all | {time.perf_counter() - began:.1f} | {_cpu() - used:.1f} |")
    write_page({lab.title: fresh(said[lab.title], remarks(lab, output, None)) for lab in LABS})


def remarks(lab: Lab, output: Path, data: Path | None) -> dict[str, list[str]]:
    """Run a lab and return what each of its scripts says."""
    return {
        script.title: [
            remark
            for played in play(script, output / lab.name, data, capture=True)
            for remark in played.remarks
        ]
        for script in map(read_script, lab.scripts)
    }


def fresh(said: dict[str, list[str]], before: dict[str, list[str]]) -> dict[str, list[str]]:
    """Return what is said of the public corpora and not of the embedded ones; seconds aside, toys say the same."""
    return {
        title: [
            remark
            for remark in found
            if remark not in before[title] and "the time of sparse ones" not in remark
        ]
        for title, found in said.items()
    }


def write_page(labs: dict[str, dict[str, list[str]]]) -> None:
    when = stamp()
    page = [
        "# What the public corpora show",
        "What the labs say when they find the public corpora: 2,000 Amazon book reviews, the SMS Spam Collection and"
        " MNIST. The embedded corpora are smaller, so a conclusion may differ; each lab's own page has theirs."
        f" Written by `python -m benchmarks.labs` on {when['date']}.",
    ]
    for title, scripts in labs.items():
        page.append(f"## {title}")
        for part, found in scripts.items():
            page += [f"### {part}", *found] if found else []
    PAGE.write_text("\n\n".join(page) + "\n", encoding="utf-8")


def _cpu() -> float:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


if __name__ == "__main__":
    main()
