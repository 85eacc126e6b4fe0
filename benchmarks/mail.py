"""SpamAssassin: raw messages to a trained model, with mail features and as plain text.

python -m benchmarks.mail

The recipe is the fixed one (``lindy train --fast``). CPU seconds of one thread.
"""

from __future__ import annotations

import sys

from benchmarks.harness import corpus_folder, cpu_seconds


def main() -> None:
    from lindy import TextClassifier
    from lindy.data import read_examples
    from lindy.data.mail import MailWords
    from lindy.features import CopyVectorizer, MisspellingVectorizer

    folder = corpus_folder("spamassassin")
    if folder is None:
        sys.exit("the corpus spamassassin is not there: set LINDY_DATA to the folder of the corpora")
    files = {part: folder / f"{part}.csv.gz" for part in ("train", "test")}
    learned = [MisspellingVectorizer(n_jobs=1), CopyVectorizer(n_jobs=1)]
    for name, mail, extra in (
        ("as plain text", None, []),
        ("mail words", MailWords(), []),
        ("mail words, misspellings, copies", MailWords(), learned),
    ):
        reading, train = cpu_seconds(lambda mail=mail: read_examples(files["train"], mail=mail))
        model = TextClassifier(fast=True, extra=extra, n_jobs=1)
        learning, _ = cpu_seconds(lambda model=model, train=train: model.fit(train.texts, train.labels))
        test = read_examples(files["test"], mail=mail)
        truth = test.labels.to_pylist()
        predicting, predicted = cpu_seconds(lambda model=model, test=test: model.predict(test.texts))
        right = predicted == truth
        print(
            f"{name:32} reading {reading:5.2f} s ({1000 * reading / len(train.texts):.2f} ms a message),"
            f" learning {learning:5.2f} s,"
            f" predicting {predicting:5.2f} s, accuracy {100 * right.mean():.2f} % of {len(right):,}"
        )
        for remark in train.table.remarks:
            print(remark)


if __name__ == "__main__":
    main()
