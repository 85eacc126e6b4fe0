"""Which language is a text? One command of lindy against fastText's lid.176, on messages of the system's programs.

Texts are the translated messages of the programs that are installed (message catalogs, below /usr/share/locale on most
systems), without their placeholders; at most 500 of each language that lid.176 knows and that has 600, a fifth of them
to test on. They are what lindy's model is trained on and not what lid.176 is, which has seen more, and other, texts:
the comparison is of models for such messages. Unknown are the languages of catalogs that neither the training nor
lid.176 has; the threshold of a model is that which rejects 5 % of the known ones.

    python -m benchmarks.languages [--catalogs /usr/share/locale]
"""

from __future__ import annotations

import argparse
import csv
import gettext
import random
import re
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from benchmarks.fasttext_models import languages
from benchmarks.harness import record
from benchmarks.latency import LINDY

NO_WORDS = re.compile(
    r"%[-+ #0-9.*']*(?:\([a-z_]+\))?[hlLqjzt]*[a-zA-Z%]|\{[^}]*\}|<[^>]*>|&\w+;|--?[\w-]+|\S*[/@_=]\S*|[A-Z]{2,}\b"
)
ONE = {
    "pt_BR": "pt",
    "pt_PT": "pt",
    "zh_CN": "zh",
    "zh_TW": "zh",
    "zh_HK": "zh",
    "nb": "no",
    "bn_IN": "bn",
    "en_GB": "en",
}
LETTERS, ENOUGH, MOST, TESTED, UNKNOWN = 15, 600, 500, 100, 60
RECIPES = {
    "lindy, naive Bayes": ["--learner", "naive-bayes", "--chars", "1-5", "--calibrate", "isotonic"],
    "lindy, 1-3 characters": ["--learner", "naive-bayes", "--chars", "1-3", "--calibrate", "isotonic"],
}


def messages(catalogs: Path) -> dict[str, list[str]]:
    """Return the different messages of each language."""
    found: dict[str, set[str]] = defaultdict(set)
    for path in sorted(catalogs.glob("*/LC_MESSAGES/*.mo")):
        name = path.parts[-3]
        try:
            with path.open("rb") as file:
                catalog = gettext.GNUTranslations(file)._catalog  # type: ignore[attr-defined]
        except (ValueError, LookupError) as error:
            print(f"{path} is left out: {error}")
            continue
        for source, said in catalog.items():
            if not source or said == source:
                continue
            for paragraph in re.split(r"\n\s*\n|\n(?=\s)", said):
                text = " ".join(NO_WORDS.sub(" ", paragraph).split())
                if sum(map(str.isalpha, text)) >= LETTERS:
                    found[ONE.get(name, name)].add(text)
    return {name: sorted(texts) for name, texts in sorted(found.items())}


def written(path: Path, rows: Iterable[tuple[str, str]]) -> Path:
    """Write a table of languages and texts."""
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("label", "text"), *rows])
    return path


def main() -> None:
    """Train, ask, and print the figures of each model."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--catalogs", type=Path, default=Path("/usr/share/locale"))
    args = parser.parse_args()
    import lindy

    other, rng = lindy.load(languages()), random.Random(1)
    known, train, test, unknown = set(other.classes_.tolist()), [], [], []
    for name, texts in messages(args.catalogs).items():
        rng.shuffle(texts)
        own = [(name, text) for text in texts[:MOST]]
        if len(texts) >= ENOUGH and name in known:
            test += own[:TESTED]
            train += own[TESTED:]
        elif name.isalpha() and name not in known:
            unknown += own[:UNKNOWN]
    if not train:
        sys.exit(f"there are no message catalogs of programs below {args.catalogs}")
    rng.shuffle(train)
    n, strangers = len({name for name, _ in train}), len({name for name, _ in unknown})
    print(
        f"{n} languages, {len(train):,} texts to train on, {len(test):,} to test;"
        f" {len(unknown):,} texts of {strangers} others\n"
    )
    print(f"{'':24}{'MB':>8}{'right':>8}{'calibration':>13}{'unknown rejected':>18}{'most alike':>12}")
    figures = []
    truth, asked = np.array([name for name, _ in test]), [text for _, text in test]
    with tempfile.TemporaryDirectory() as folder:
        table = written(Path(folder) / "train.csv", train)
        models = {"fastText, lid.176.ftz": Path(languages())}
        for name, options in RECIPES.items():
            models[name] = Path(folder) / f"{len(models)}.lindy"
            subprocess.run(
                [LINDY, "train", str(table), "-o", str(models[name]), "--quiet", *options], check=True
            )
        for name, path in models.items():
            model = lindy.load(path)
            said = model.predictions(asked)
            top, right = said.confidence, model.classes_[said.best] == truth
            least = np.quantile(top, 0.05)
            rejected = float((model.predictions([text for _, text in unknown]).confidence < least).mean())
            error = lindy.evaluation.calibration_error(said.values, np.searchsorted(model.classes_, truth))
            alike = float(np.unique(top, return_counts=True)[1].max() / len(top))
            megabytes = path.stat().st_size / 1e6
            print(
                f"{name:24}{megabytes:8.1f}{right.mean():8.3f}{error:13.3f}{rejected:18.3f}{alike:12.4f}",
                flush=True,
            )
            figures.append(
                {
                    "model": name,
                    "MB": megabytes,
                    "right": float(right.mean()),
                    "languages": n,
                    "texts": len(test),
                }
                | {"calibration": float(error), "unknown": rejected, "strangers": strangers, "alike": alike}
            )
    record("languages", figures)


if __name__ == "__main__":
    main()
