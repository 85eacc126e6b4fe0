"""Words chosen to collide under a public hash: what they cost, and which predictions they turn.

    python -m benchmarks.torture.collisions [--words 100000]

An attacker knows how scikit-learn (MurmurHash3) and fastText (FNV-1a) hash, and the data that a model was trained on.
lindy's vocabularies are hashed with a key that is drawn in every process; a HashingVectorizer with the key that it was
given, which is kept in the model.
"""

from __future__ import annotations

import argparse
import secrets
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer as TheirCounts
from sklearn.feature_extraction.text import HashingVectorizer as TheirHashes
from sklearn.linear_model import LogisticRegression
from tests.hostile.colliding_words import BOTH, Words, fnv_words, murmur_words, random_words

from lindy.data import read_examples, samples
from lindy.linear import MaxEnt
from lindy.text import CountVectorizer, HashingVectorizer

MOST = 2.0  # times what random words cost
COLUMNS = 2**18
APPENDED = 8
FASTTEXT = """
import resource, sys, fasttext
fasttext.train_supervised(sys.argv[1], dim=1, epoch=1, minCount=1, thread=1, bucket=1, verbose=0)
print(resource.getrusage(resource.RUSAGE_SELF).ru_utime)
"""


def seconds(work: Callable[[list[str]], Any], words: Words) -> float:
    """Return the least CPU time of a few runs over texts of a hundred words."""
    texts = [" ".join(words[i : i + 100]) for i in range(0, len(words), 100)]
    taken = []
    for _ in range(5):
        begin = time.process_time()
        work(texts)
        taken.append(time.process_time() - begin)
    return min(taken)


def fasttext_seconds(words: Words) -> float | None:
    """Return the CPU time of fastText's training, most of which is its dictionary; None if it takes ten minutes."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "train.txt"
        path.write_text(
            "".join(f"__label__{i % 2} {' '.join(words[i : i + 100])}\n" for i in range(0, len(words), 100))
        )
        try:
            done = subprocess.run(
                [sys.executable, "-c", FASTTEXT, str(path)],
                capture_output=True,
                text=True,
                timeout=600,
                check=True,
            )
        except subprocess.TimeoutExpired:
            return None
    return float(done.stdout)


def costs(n: int) -> list[str]:
    """Print what colliding words cost, and return what was broken."""
    key = secrets.randbits(128)
    murmur, fnv = murmur_words(n, 12345, BOTH), fnv_words(n)
    plain = {12: random_words(n, 12), 6: random_words(n, 6)}
    sure = {"lowercase": False}
    ways: dict[str, Callable[[list[str]], Any]] = {
        "lindy CountVectorizer": lambda texts: CountVectorizer(**sure).fit_transform(texts),
        "lindy HashingVectorizer(key)": lambda texts: HashingVectorizer(key=key, **sure).transform(texts),
        "lindy HashingVectorizer()": lambda texts: HashingVectorizer(**sure).transform(texts),
        "scikit-learn CountVectorizer": lambda texts: TheirCounts(**sure).fit_transform(texts),
        "scikit-learn HashingVectorizer": lambda texts: TheirHashes(**sure).transform(texts),
    }
    print(
        f"CPU seconds for {n:,} words: random ones, and those of one hash value (MurmurHash3) or of one stretch of"
    )
    print("fastText's table (FNV-1a)\n")
    print(f"{'':32}{'random':>9}{'Murmur':>9}{'times':>7}{'random':>9}{'FNV':>9}{'times':>7}")
    broken = []
    for name, work in ways.items():
        figures = []
        for chosen, size in ((murmur, 12), (fnv, 6)):
            before, after = seconds(work, plain[size]), seconds(work, chosen)
            figures += [f"{before:9.3f}{after:9.3f}{after / before:7.2f}"]
            if name.startswith("lindy") and after > MOST * before:
                broken.append(f"{name}: colliding words cost {after / before:.1f} times random ones")
        print(f"{name:32}{''.join(figures)}", flush=True)
    if find_spec("fasttext") is None:
        print("fastText: not installed, not measured")
        return broken
    before, after = fasttext_seconds(plain[6]), fasttext_seconds(fnv)
    shown = f"{after:9.3f}{after / before:7.2f}" if after and before else "more than 600 s".rjust(16)
    print(f"{'fastText':32}{'':25}{before or 600:9.3f}{shown}")
    return broken


def chosen_words(vectorizer: Any, weights: Any, towards: int) -> Words:
    """Return words that fall, with the right sign, into the column of the largest weight for a class of two."""
    signed = weights if towards else -weights
    column = int(np.argmax(np.abs(signed)))
    target = column if signed[column] > 0 else (-column) % 2**32
    words = murmur_words(APPENDED, target)
    found = vectorizer.transform([" ".join(words)])
    assert found.indices.tolist() == [column]
    return words


def flips(
    name: str, predict: Callable[[list[str]], Any], texts: list[str], tails: dict[str, list[Words]]
) -> dict[str, int]:
    """Print how many predictions turn when words that speak for the other class are appended."""
    before = predict(texts)
    turned = {}
    for what, words in tails.items():
        after = predict(
            [f"{text} {' '.join(words[1 - int(label)])}" for text, label in zip(texts, before, strict=True)]
        )
        turned[what] = int(np.sum(np.asarray(after) != np.asarray(before)))
    print(f"{name:40}{turned['random']:>8}{turned['chosen']:>8}")
    return turned


def predictions() -> list[str]:
    """Print which predictions chosen words turn, and return what was broken."""
    train, test = (read_examples(samples.path(f"reviews-{part}")) for part in ("train", "test"))
    texts, y = train.texts.to_pylist(), np.unique(train.labels.to_pylist(), return_inverse=True)[1]
    others = test.texts.to_pylist()
    public = TheirHashes(n_features=COLUMNS)
    theirs = LogisticRegression().fit(public.transform(texts), y)
    tails = {
        "random": [random_words(APPENDED, 12, seed) for seed in (1, 2)],
        "chosen": [chosen_words(public, theirs.coef_[0], label) for label in (0, 1)],
    }
    print(
        f"\nof {len(others)} reviews, predictions that turn when {APPENDED} words without meaning are appended: random"
    )
    print(
        "ones, and words chosen by the public hash and the weights of scikit-learn's model of the same data\n"
    )
    print(f"{'':40}{'random':>8}{'chosen':>8}")
    broken = []
    flips("scikit-learn HashingVectorizer", lambda t: theirs.predict(public.transform(t)), others, tails)
    keyed = HashingVectorizer(n_features=COLUMNS, key=secrets.randbits(128))
    for name, vectorizer in (
        ("lindy HashingVectorizer() (the same hash)", HashingVectorizer(n_features=COLUMNS)),
        ("lindy HashingVectorizer(key)", keyed),
        ("lindy CountVectorizer", CountVectorizer()),
    ):
        model = MaxEnt().fit(vectorizer.fit_transform(texts), y)
        found = flips(name, lambda t, m=model, v=vectorizer: m.predict(v.transform(t)), others, tails)
        if "()" not in name and found["chosen"] > found["random"] + 1:
            broken.append(f"{name}: {found['chosen']} predictions turn")
        if name.endswith("CountVectorizer") and any(found.values()):
            broken.append(f"{name}: words that it has never seen turn predictions")
    return broken


def main() -> None:
    """Measure both."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--words", type=int, default=100_000)
    args = parser.parse_args()
    broken = costs(args.words) + predictions()
    print(
        f"\nPromised: at most {MOST:g} times the cost of random words; and where there is a vocabulary or a key, chosen"
    )
    print("words turn no more predictions than random ones, give or take one.")
    print(f"Broken: {'; '.join(broken)}." if broken else "Kept.")
    sys.exit(bool(broken))


if __name__ == "__main__":
    main()
