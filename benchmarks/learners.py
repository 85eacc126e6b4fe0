"""Learners that see each text once, and naive Bayes: lindy, scikit-learn, River, NLTK and Vowpal Wabbit on slices.

    python -m benchmarks.learners [--corpus sms-spam] [--texts 4000] [--runs 3] [--spark]

River and NLTK take minutes for whole corpora, so all sides get the same slice: the first texts of train.csv and of
test.csv, words as the toolkit cuts them by default, from a list of strings to labels. CPU seconds of one process,
medians of alternating runs; "LOST" where lindy takes longer. Accuracy is that of the slice, and none of
the settings was chosen on it. River learns and predicts one text at a time, as it is made for; lindy and scikit-learn
take the slice as a whole, and again in batches of 100 (``partial_fit``), which is what a stream would give them.
``--spark`` adds Spark MLlib's naive Bayes on one local core, where Java is; its session is started beforehand, and the
CPU seconds of the virtual machine are counted.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import itertools
import os
import shutil
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.harness import corpus_folder, median_and_spread, record

CORPORA = ("sms-spam", "ag-news-10k")
BATCH = 100
Texts = list[str]
Side = Callable[[Texts, Texts, Texts], Any]  # train texts, their labels, test texts → labels


def slice_of(folder: Path, part: str, n: int) -> tuple[Texts, Texts]:
    """Return the first texts of a table and their labels."""
    csv.field_size_limit(sys.maxsize)
    with gzip.open(folder / f"{part}.csv.gz", "rt", encoding="utf-8", newline="") as file:
        rows = list(itertools.islice(csv.DictReader(file), n))
    return [row["text"] for row in rows], [row["label"] for row in rows]


def batches(texts: Texts, labels: Texts) -> list[tuple[Texts, Texts]]:
    """Return texts and labels in batches."""
    return [(texts[i : i + BATCH], labels[i : i + BATCH]) for i in range(0, len(texts), BATCH)]


def lindy_side(learner: Any) -> Side:
    def run(texts: Texts, labels: Texts, test: Texts) -> Any:
        from lindy import TextClassifier

        return TextClassifier(learner=learner, calibration="none", n_jobs=1).fit(texts, labels).predict(test)

    return run


def lindy_stream(learner: Any) -> Side:
    def run(texts: Texts, labels: Texts, test: Texts) -> Any:
        from lindy.text import HashingVectorizer

        vectorizer, model = HashingVectorizer(n_features=2**18, n_jobs=1), learner()
        classes = sorted(set(labels))
        for some, told in batches(texts, labels):
            model.partial_fit(vectorizer.transform(some), told, classes=classes)
        return model.predict(vectorizer.transform(test))

    return run


def sklearn_side(vectorizer: str, learner: Any) -> Side:
    def run(texts: Texts, labels: Texts, test: Texts) -> Any:
        import sklearn.feature_extraction.text

        features = getattr(sklearn.feature_extraction.text, vectorizer)()
        model = learner().fit(features.fit_transform(texts), labels)
        return model.predict(features.transform(test))

    return run


def sklearn_stream(learner: Any) -> Side:
    def run(texts: Texts, labels: Texts, test: Texts) -> Any:
        from sklearn.feature_extraction.text import HashingVectorizer

        vectorizer, model = HashingVectorizer(n_features=2**18), learner()
        classes = sorted(set(labels))
        for some, told in batches(texts, labels):
            model.partial_fit(vectorizer.transform(some), told, classes=classes)
        return model.predict(vectorizer.transform(test))

    return run


def river_side(make: Callable[[bool], Any]) -> Side:
    def run(texts: Texts, labels: Texts, test: Texts) -> Any:
        classes = sorted(set(labels))
        names: dict[Any, str] = {label: label for label in classes}
        if len(classes) == 2:  # its linear models take two classes as False and True
            names = {False: classes[0], True: classes[1]}
        codes = {label: code for code, label in names.items()}
        model = make(len(classes) > 2)
        for text, label in zip(texts, labels, strict=True):
            model.learn_one(text, codes[label])
        return [names[model.predict_one(text)] for text in test]

    return run


def river_bayes(_: bool) -> Any:
    from river import feature_extraction, naive_bayes

    return feature_extraction.BagOfWords(lowercase=True) | naive_bayes.MultinomialNB()


def river_linear(name: str) -> Callable[[bool], Any]:
    def make(several: bool) -> Any:
        from river import feature_extraction, linear_model, multiclass

        model = getattr(linear_model, name)()
        return feature_extraction.TFIDF() | (multiclass.OneVsRestClassifier(model) if several else model)

    return make


def nltk_side(texts: Texts, labels: Texts, test: Texts) -> Any:
    """Fit NLTK's naive Bayes, whose features are the words that a text contains, as its book has it."""
    from nltk.classify import NaiveBayesClassifier
    from nltk.tokenize import wordpunct_tokenize

    def features(text: str) -> dict[str, bool]:
        return dict.fromkeys(wordpunct_tokenize(text.lower()), True)

    model = NaiveBayesClassifier.train(
        [(features(text), label) for text, label in zip(texts, labels, strict=True)]
    )
    return model.classify_many([features(text) for text in test])


def vowpal_wabbit(texts: Texts, labels: Texts, test: Texts) -> Any:
    """One pass of one-against-all on hashed words, from lines in a file."""
    from vowpalwabbit import Workspace

    classes = sorted(set(labels))
    marks = str.maketrans(dict.fromkeys(":|\r\n", " "))  # which have a meaning in its files
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "train.vw"
        data.write_text(
            "".join(
                f"{classes.index(label) + 1} |t {text.lower().translate(marks)}\n"
                for text, label in zip(texts, labels, strict=True)
            ),
            encoding="utf-8",
        )
        model = Path(folder) / "model"
        options = f"--oaa {len(classes)} -b 18 --loss_function logistic"
        Workspace(f"{options} -d {data} -f {model} --quiet --no_stdin").finish()
        fitted = Workspace(f"-t -i {model} --quiet")
        answers = [fitted.predict("|t " + text.lower().translate(marks)) for text in test]
        fitted.finish()
    return [classes[int(answer) - 1] for answer in answers]


def spark_session() -> Any:
    """Return a session on one core of this machine."""
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    session = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
    session = session.config("spark.ui.showConsoleProgress", "false")
    return session.config("spark.sql.shuffle.partitions", "1").getOrCreate()


def spark_side(texts: Texts, labels: Texts, test: Texts) -> Any:
    """Fit Spark MLlib's naive Bayes to hashed words."""
    from pyspark.ml import Pipeline
    from pyspark.ml.classification import NaiveBayes
    from pyspark.ml.feature import HashingTF, IndexToString, RegexTokenizer, StringIndexer

    spark = spark_session()
    classes = StringIndexer(inputCol="label", outputCol="number").fit(
        spark.createDataFrame([(label,) for label in sorted(set(labels))], ["label"])
    )
    steps = [
        classes,
        RegexTokenizer(inputCol="text", outputCol="words", pattern="\\W+", minTokenLength=2),
        HashingTF(inputCol="words", outputCol="features", numFeatures=2**18),
        NaiveBayes(labelCol="number"),
        IndexToString(inputCol="prediction", outputCol="answer", labels=classes.labels),
    ]
    table = spark.createDataFrame(list(zip(texts, labels, strict=True)), ["text", "label"])
    model = Pipeline(stages=steps).fit(table)
    asked = spark.createDataFrame([(text, labels[0]) for text in test], ["text", "label"])
    return [row.answer for row in model.transform(asked).select("answer").collect()]


def cpu_seconds_so_far() -> float:
    """Return the CPU seconds of this process and of the processes that it started and that still run (Spark's)."""
    parents, used = {}, {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:  # it has ended
            continue
        pid = int(stat.parent.name)
        parents[pid], used[pid] = (
            int(fields[1]),
            (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK"),
        )
    below = {os.getpid()}
    while more := {pid for pid, parent in parents.items() if parent in below} - below:
        below |= more
    return time.process_time() + sum(used[pid] for pid in below - {os.getpid()})


def tasks(spark: bool = False) -> dict[str, dict[str, Side]]:
    """Return the sides of each row of the table, lindy first."""
    from sklearn.linear_model import Perceptron as TheirPerceptron
    from sklearn.linear_model import SGDClassifier
    from sklearn.naive_bayes import MultinomialNB

    from lindy import MaxEnt, Perceptron

    once = {"max_iter": 1, "tol": None, "random_state": 0}
    return {
        "naive Bayes": {
            "lindy": lindy_side("naive-bayes"),
            "scikit-learn": sklearn_side("CountVectorizer", MultinomialNB),
            "River": river_side(river_bayes),
            "NLTK": nltk_side,
            **({"Spark MLlib": spark_side} if spark else {}),
        },
        "perceptron, one pass": {
            "lindy": lindy_side(Perceptron(epochs=1, n_jobs=1)),
            "scikit-learn": sklearn_side("TfidfVectorizer", lambda: TheirPerceptron(**once)),
            "River": river_side(river_linear("Perceptron")),
        },
        "logistic regression, one pass": {
            "lindy": lindy_side(MaxEnt(solver="sgd", solver_options={"epochs": 1}, lam=1e-6, n_jobs=1)),
            "scikit-learn": sklearn_side("TfidfVectorizer", lambda: SGDClassifier(loss="log_loss", **once)),
            "River": river_side(river_linear("LogisticRegression")),
            "Vowpal Wabbit": vowpal_wabbit,
        },
        "perceptron, batches of 100": {
            "lindy": lindy_stream(lambda: Perceptron(n_jobs=1)),
            "scikit-learn": sklearn_stream(lambda: TheirPerceptron(random_state=0)),
        },
        "logistic regression, batches of 100": {
            "lindy": lindy_stream(lambda: MaxEnt(solver="sgd", lam=1e-6, n_jobs=1)),
            "scikit-learn": sklearn_stream(lambda: SGDClassifier(loss="log_loss", random_state=0)),
        },
    }


def compare(corpus: str, task: str, sides: dict[str, Side], data: Any, runs: int) -> dict[str, Any]:
    """Run the sides in turn; print and return their figures."""
    (texts, labels), (test, truth) = data
    seconds: dict[str, list[float]] = {name: [] for name in sides}
    right: dict[str, float] = {}
    for side in sides.values():  # what is imported is not counted
        side(texts[:BATCH], labels[:BATCH], test[:10])
    for _ in range(runs):
        for name, side in sides.items():
            clock = cpu_seconds_so_far if side is spark_side else time.process_time
            begin = clock()
            answers = side(texts, labels, test)
            seconds[name].append(clock() - begin)
            right[name] = 100 * sum(a == b for a, b in zip(answers, truth, strict=True)) / len(truth)
    row: dict[str, Any] = {
        "corpus": corpus,
        "task": task,
        "texts": len(texts),
        "test": len(test),
        "runs": runs,
    }
    for name, values in seconds.items():
        middle, spread = median_and_spread(values)
        row[name] = {"cpu": middle, "cpu_spread": spread, "accuracy": right[name]}
    for name in sides:
        of = row[name]
        ratio = of["cpu"] / row["lindy"]["cpu"]
        told = "" if name == "lindy" else f"{ratio:8.1f}×{'  LOST' if ratio < 1 else ''}"
        low, high = of["cpu_spread"]
        print(
            f"{corpus:13}{task:36}{name:14}{of['cpu']:8.3f} s ({low:.3f} to {high:.3f}){of['accuracy']:8.2f} %{told}",
            flush=True,
        )
    return row


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--corpus", action="append", help="may be repeated")
    parser.add_argument("--task", action="append", help="rows whose name begins so; may be repeated")
    parser.add_argument("--texts", type=int, default=4000, help="of train.csv; a half of it of test.csv")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--spark", action="store_true", help="with Spark MLlib, where Java is")
    asked = parser.parse_args()
    spark = asked.spark and shutil.which("java") is not None
    if asked.spark and not spark:
        print("Spark MLlib: left out, since there is no Java")
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    warnings.simplefilter("ignore")
    rows = []
    for corpus in asked.corpus or CORPORA:
        folder = corpus_folder(corpus)
        if folder is None:
            print(f"{corpus}: absent (set LINDY_DATA to the folder that holds it)")
            return
        data = slice_of(folder, "train", asked.texts), slice_of(folder, "test", asked.texts // 2)
        for task, sides in tasks(spark).items():
            if not asked.task or task.startswith(tuple(asked.task)):
                rows.append(compare(corpus, task, sides, data, asked.runs))
    if not (asked.corpus or asked.task) and asked.texts >= 4000:
        record("learners", rows)


if __name__ == "__main__":
    main()
