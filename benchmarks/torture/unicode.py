"""A hundred thousand generated strings: the compiled analyser against plain Python, under every setting.

python -m benchmarks.torture.unicode [--strings 100000] [--seed 1]
"""

from __future__ import annotations

import argparse
import sys
import time
import unicodedata
from collections import Counter
from collections.abc import Iterator
from typing import Any

from sklearn.feature_extraction.text import CountVectorizer as ScikitLearn
from tests.hostile.strings import disagreements, expected_terms, settings, strings

BATCH = 4000
TITLES = ("analyser", "lower", "accents", "n-grams", "marks", "lindy", "scikit-learn")


def batches(texts: list[str]) -> Iterator[list[str]]:
    """Yield some texts at a time."""
    return (texts[start : start + BATCH] for start in range(0, len(texts), BATCH))


def of_scikit_learn(texts: list[str], params: dict[str, Any]) -> str:
    """Return on how many texts scikit-learn's analyser, which is plain Python, too, finds other terms."""
    if params["analyzer"] == "unicode_words" or params.get("punctuation"):
        return "has none"
    known = {name: value for name, value in params.items() if name != "punctuation"}
    analyze = ScikitLearn(**known).build_analyzer()
    return str(sum(Counter(analyze(text)) != Counter(expected_terms(text, params)) for text in texts))


def main() -> None:
    """Compare, and print what was compared."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--strings", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    begin = time.perf_counter()
    drawn = list(strings(args.strings, args.seed))
    categories = {unicodedata.category(c) for _, text in drawn for c in text}
    print(
        f"{len(drawn):,} strings (seed {args.seed}) of these kinds, with characters of {len(categories)} of the 30"
    )
    print("general categories, surrogates and unassigned code points among them:\n")
    for kind, n in Counter(kind for kind, _ in drawn).items():
        print(f"  {n:>7,}  {kind}")
    print(
        "\nStrings whose terms or counts differ from plain Python's (lindy: when fitted or when found again):\n"
    )
    print("{:14}{:>6}{:>9}{:>9}{:>7}{:>7}{:>14}".format(*TITLES))
    texts = [text for _, text in drawn]
    wrong: list[tuple[dict[str, Any], tuple[str, str]]] = []
    for params in settings():
        found = [pair for batch in batches(texts) for pair in disagreements(batch, params)]
        wrong += [(params, pair) for pair in found]
        print(
            f"{params['analyzer']:14}{'yes' if params['lowercase'] else 'no':>6}{params['strip_accents'] or 'kept':>9}"
            f"{'-'.join(map(str, params['ngram_range'])):>9}{'yes' if params.get('punctuation') else 'no':>7}"
            f"{len(found):>7}{of_scikit_learn(texts, params):>14}",
            flush=True,
        )
    for params, (how, text) in wrong[:10]:
        print(f"\n{how}, {params}: {text!r}")
    print(f"\n{time.perf_counter() - begin:.0f} s")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
