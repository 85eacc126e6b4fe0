"""Model files of at most a megabyte: what they cost, beside fastText's quantised ones.

python -m benchmarks.small_models [corpora…] [--size 1000000]

Accuracy on the test file of the whole model (``TextClassifier()``), of the small one made of it, with the texts of the
training and from its file alone, and with the 1,000 most frequent features; the bytes of each file; and the loss that
was told of held-out texts of the training. fastText learns words and pairs of them, with the learning rate and the
epochs that are best on a fifth of the training; it is quantised with ``retrain`` and ``qnorm``, with as many words as
fit into the size.
"""

from __future__ import annotations

import argparse
import tempfile
from itertools import product
from pathlib import Path
from typing import Any

from benchmarks.harness import corpus_folder, record
from lindy import TextClassifier
from lindy.core.targets import as_targets
from lindy.data import read_examples
from lindy.data.splits.split_policy import FREE

CORPORA = ("sms-spam", "ag-news-10k", "20news-bydate", "imdb")
RATES, EPOCHS, DIMENSION = (0.25, 1.0), (5, 20), 10
Examples = tuple[list[str], list[str]]


def write(path: Path, examples: Examples) -> str:
    """Write examples as fastText reads them."""
    with path.open("w", encoding="utf-8") as file:
        for text, label in zip(*examples, strict=True):
            file.write(f"__label__{label.replace(' ', '_')} {' '.join(text.split())}\n")
    return str(path)


def fasttext_small(train: Examples, test: Examples, size: int, folder: Path) -> dict[str, Any]:
    """Return the accuracy and the bytes of fastText's model, and of its quantised one."""
    import fasttext

    whole, tested = write(folder / "train.txt", train), write(folder / "test.txt", test)
    kept, held = FREE.hold_out(as_targets(train[1]), 0.2)
    some, judge = (
        write(folder / f"{name}.txt", ([train[0][i] for i in rows], [train[1][i] for i in rows]))
        for name, rows in (("some", kept.tolist()), ("judge", held.tolist()))
    )

    def trained(path: str, lr: float, epochs: int) -> Any:
        return fasttext.train_supervised(
            path, dim=DIMENSION, lr=lr, epoch=epochs, wordNgrams=2, thread=1, verbose=0, bucket=500_000
        )

    options = list(product(RATES, EPOCHS))
    lr, epochs = max(options, key=lambda own: trained(some, *own).test(judge)[1])
    target, cutoff = folder / "model.ftz", 400_000
    while True:
        model = trained(whole, lr, epochs)
        accuracy = model.test(tested)[1]
        model.quantize(whole, cutoff=cutoff, retrain=True, qnorm=True, thread=1, verbose=0)
        model.save_model(str(target))
        if target.stat().st_size <= size:
            break
        cutoff = int(cutoff * min(0.98 * size / target.stat().st_size, 0.9))
    return {
        "fastText": accuracy,
        "fastText, quantised": model.test(tested)[1],
        "its bytes": target.stat().st_size,
        "learning rate": lr,
        "epochs": epochs,
        "words": cutoff,
    }


def measured(name: str, size: int) -> dict[str, Any] | None:
    """Return the figures of a corpus; None if it is not there."""
    folder = corpus_folder(name)
    if folder is None:
        return None
    train, test = (read_examples(str(next(folder.glob(f"{part}.csv*")))) for part in ("train", "test"))
    labels, truth = ([str(label) for label in own.labels.to_pylist()] for own in (train, test))  # type: ignore[union-attr]
    model = TextClassifier().fit(train.texts, labels)
    with tempfile.TemporaryDirectory() as place:
        files = {"whole": model, "small": model.shrink(train.texts, labels, size=size)}
        files["from the file alone"] = model.shrink(size=size)
        found: dict[str, Any] = {"corpus": name, "classes": len(model.classes_)}
        for kind, own in files.items():
            path = Path(place, "model.lindy")
            own.save(path)
            found |= {kind: own.score(test.texts, truth), f"{kind}, bytes": path.stat().st_size}
            found[f"{kind}, features"] = own.vectorizer_.n_columns
        found["loss on held-out texts"] = files["small"].small_.loss.points  # type: ignore[union-attr]
        top = TextClassifier(max_features=1000).fit(train.texts, labels)
        found["1,000 most frequent features"] = top.score(test.texts, truth)
        texts = [own.texts.to_pylist() for own in (train, test)]
        found |= fasttext_small((texts[0], labels), (texts[1], truth), size, Path(place))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("corpora", nargs="*", default=CORPORA)
    parser.add_argument("--size", type=int, default=1_000_000)
    args = parser.parse_args()
    heads = "corpus whole bytes small bytes features held-out-loss file-alone fastText quantised bytes"
    print(f"| {' | '.join(heads.split())} |")
    print("| --- " + "| ---: " * 10 + "|")
    rows = []
    for name in args.corpora:
        own = measured(name, args.size)
        if own is None:
            print(f"| {name} | not there |")
            continue
        rows.append(own)
        shown = [
            f"{own['whole']:.2%}",
            f"{own['whole, bytes']:,}",
            f"{own['small']:.2%}",
            f"{own['small, bytes']:,}",
        ]
        shown += [f"{own['small, features']:,}", f"{own['loss on held-out texts']:+.2f}"]
        shown += [f"{own['from the file alone']:.2%}", f"{own['fastText']:.2%}"]
        shown += [f"{own['fastText, quantised']:.2%}", f"{own['its bytes']:,}"]
        print(f"| {name} | {' | '.join(shown)} |", flush=True)
    record("small_models", rows)


if __name__ == "__main__":
    main()
