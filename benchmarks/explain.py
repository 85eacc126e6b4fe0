"""How long explanations take: ``python -m benchmarks.explain``. A megabyte shall be explained within a second."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

from benchmarks.harness import corpus_folder
from lindy import TextClassifier
from lindy.data import read_examples
from lindy.explain.explanation_html import explanation_page
from lindy.explain.terminal import render
from lindy.text import CountVectorizer, HashingVectorizer, TfidfVectorizer

REPRESENTATIONS: dict[str, Any] = {
    "words": CountVectorizer(),
    "words and bigrams": TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True),
    "characters in words, 2 to 5": TfidfVectorizer(analyzer="char_wb", ngram_range=(2, 5)),
    "hashed words and bigrams": HashingVectorizer(ngram_range=(1, 2)),
}
MEGABYTE = 1_000_000


def fastest(call: Callable[[], Any], times: int = 5) -> tuple[float, Any]:
    """Return the least CPU time of several calls, and what the last returned."""
    best, result = float("inf"), None
    for _ in range(times):
        began = time.process_time()
        result = call()
        best = min(best, time.process_time() - began)
    return best, result


def main() -> None:
    folder = corpus_folder("imdb")
    if folder is None:
        sys.exit("the corpus imdb is not there: set LINDY_DATA to the folder of the corpora")
    (table,) = folder.glob("train.csv*")
    examples = read_examples(str(table))
    texts, labels = examples.texts[:5000], examples.labels[:5000]
    every = examples.texts[::5] if len(examples.texts) < 10_000 else examples.texts[5000:9000]
    short, long = every[0].as_py(), " ".join(every.to_pylist())[:MEGABYTE]
    print(
        f"CPU seconds, least of five; one review of {len(short):,} characters, and {len(long):,} characters\n"
    )
    print("| features | learner | review | megabyte | as text | as a page | features in it |")
    print("| --- | --- | ---: | ---: | ---: | ---: | ---: |")
    for name, vectorizer in REPRESENTATIONS.items():
        learner = "naive-bayes" if name == "words" else "maxent"
        model = TextClassifier(learner=learner, vectorizer=vectorizer, n_jobs=1).fit(texts, labels)
        small, _ = fastest(lambda model=model: model.explain(short))
        large, explanation = fastest(lambda model=model: model.explain(long))
        text, _ = fastest(lambda e=explanation: render(e), 2)
        page, _ = fastest(lambda e=explanation: explanation_page(e), 2)
        figures = f"{small:.4f} | {large:.2f} | {text:.2f} | {page:.2f} | {len(explanation.columns):,}"
        print(f"| {name} | {learner} | {figures} |")


if __name__ == "__main__":
    main()
