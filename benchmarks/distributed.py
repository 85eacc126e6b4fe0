"""Texts in partitions: gradients on one and two workers, the engine's overhead, and MaxEnt beside Spark MLlib.

python -m benchmarks.distributed {prepare,gradients,overhead,network,lindy,mixing,mllib} [--on dask|processes|spark]
    [--workers N] [--folder DIR]

``prepare`` writes IMDB's training reviews ten times over, as ten Parquet files and, for MLlib, as rows of tf-idf in
svmlight format. The others print one line each, with wall and processor time; on a machine that does something else,
only the latter counts. Rows and features are the same for all: words, tf-idf as lindy has it, l2 = 1/n, gap 1e-4.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.harness import corpus_folder

COPIES = 10
TOL = 1e-4


def processor_seconds() -> float:
    """Return the processor time of this process and all its descendants that are alive or were waited for."""
    import psutil

    me = psutil.Process()
    own = sum(os.times()[:4])
    return own + sum(
        sum(child.cpu_times()[:2]) for child in me.children(recursive=True) if child.is_running()
    )


@contextmanager
def measured(what: str) -> Iterator[dict[str, float]]:
    found: dict[str, float] = {}
    wall, cpu = time.perf_counter(), processor_seconds()
    yield found
    found["wall"], found["cpu"] = time.perf_counter() - wall, processor_seconds() - cpu
    print(f"{what}: {found['wall']:.2f} s, {found['cpu']:.2f} s of processors", flush=True)


def prepare(folder: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    from lindy.data import read_examples
    from lindy.text.weightings import weighted_vectorizer

    source = corpus_folder("imdb")
    if source is None:
        raise SystemExit("the corpus imdb is not there: set LINDY_DATA")
    folder.mkdir(parents=True, exist_ok=True)
    for part in ("train", "test"):
        found = read_examples(source / f"{part}.csv.gz")
        texts, labels = found.texts.to_pylist(), found.labels.to_pylist()
        table = pa.table({"text": texts, "label": labels})
        if part == "train":
            for copy in range(COPIES):
                pq.write_table(table, folder / f"imdb-{copy}.parquet")
            vectorizer = weighted_vectorizer("tfidf", analyzer="unicode_words", ngram_range=(1, 1))
            vectorizer.fit_csr(texts * COPIES)
        else:
            pq.write_table(table, folder / "imdb-test.parquet")
        rows = vectorizer.transform(texts)
        rows.sort_indices()
        codes = (np.array(labels) == sorted(set(labels))[1]).astype(int)
        with open(folder / f"{part}.svm", "w") as file:
            for i, code in enumerate(codes):
                own = slice(rows.indptr[i], rows.indptr[i + 1])
                pairs = zip((rows.indices[own] + 1).tolist(), rows.data[own].tolist(), strict=True)
                file.write(f"{code} {' '.join(f'{j}:{v:.9g}' for j, v in pairs)}\n")
    print(f"{rows.shape[1]:,} columns")


def held(place: str, folder: Path, workers: int, copies: int = COPIES) -> tuple[Any, Any]:
    """Return an engine that holds rows of tf-idf, and what they have in common."""
    from lindy.distributed.partitions import Wanted
    from lindy.distributed.places import engine_at

    paths = [str(folder / f"imdb-{copy}.parquet") for copy in range(copies)]
    engine = engine_at(place, paths, Wanted("text", "label"), workers)
    return engine, _rows(engine)


def _rows(engine: Any) -> tuple[Any, Any]:
    """Turn texts into rows of tf-idf; return what they have in common, and the vectorizer."""
    from lindy.distributed.totals import Totals
    from lindy.distributed.training import learn_terms
    from lindy.text.weightings import weighted_vectorizer

    labels = engine.total("labels_of")
    vectorizer = weighted_vectorizer("tfidf", analyzer="unicode_words", ngram_range=(1, 1), n_jobs=1)
    learn_terms(engine, vectorizer)
    engine.derive("rows_of", vectorizer, labels.classes)
    return Totals(labels.classes, labels.counts, vectorizer.n_columns), vectorizer


def gradients(args: argparse.Namespace) -> None:
    """Measure rounds of loss and gradient on one worker and on more.

    The critical path is the processor time of the busiest worker and of everything that is not a worker: what a round
    takes where every process has a core of its own.
    """
    import psutil

    seconds, paths = {}, {}
    for workers in range(1, args.workers + 1) if args.workers < 3 else (1, 2, 4):
        engine, (totals, _) = held(args.on, args.folder, workers)
        with engine:
            objective = _objective(engine, totals)
            children = psutil.Process().children(recursive=True)
            before = {child.pid: sum(child.cpu_times()[:2]) for child in children}
            own = sum(os.times()[:2])
            times = _timed_rounds(objective, args.rounds)
            spent = [sum(child.cpu_times()[:2]) - before[child.pid] for child in children]
            own = sum(os.times()[:2]) - own
        paths[workers] = (max(spent) + own) / (args.rounds + 1)
        seconds[workers] = float(np.median(times))
        print(
            f"{args.on}, {workers} workers: {seconds[workers]:.3f} s a round (least {min(times):.3f}),"
            f" {paths[workers]:.3f} s of processors on the critical path",
            flush=True,
        )
    for workers in list(seconds)[1:]:
        path = paths[1] / paths[workers]
        print(
            f"{workers} workers: {seconds[1] / seconds[workers]:.2f} times as fast as one, by processors {path:.2f}"
        )


def _timed_rounds(objective: Any, rounds: int) -> list[float]:
    x, times = np.zeros(objective.size), []
    objective.evaluate(x)
    for number in range(rounds):
        x[number] = 0.1  # other weights, so that nothing is known yet
        began = time.perf_counter()
        objective.evaluate(x)
        times.append(time.perf_counter() - began)
    return times


def network(args: argparse.Namespace) -> None:
    """Measure rounds over a link with a delay, with a limited bandwidth, and with both, which the model predicts."""
    import distributed

    from benchmarks.slow_link import SlowLink
    from lindy.distributed.partitions import Wanted
    from lindy.distributed.places import engine_at

    found = {}
    local = {"host": "127.0.0.1", "dashboard_address": "127.0.0.1:0"}
    with distributed.LocalCluster(n_workers=1, threads_per_worker=1, **local) as cluster:
        port = int(cluster.scheduler_address.rpartition(":")[2])
        for delay, bandwidth in ((0.0, np.inf), (0.02, np.inf), (0.0, 10e6), (0.02, 10e6)):
            with SlowLink(port, delay, bandwidth) as link:
                paths = [str(args.folder / "imdb-0.parquet")]
                engine = engine_at(f"tcp://127.0.0.1:{link.port}", paths, Wanted("text", "label"))
                with engine:
                    objective = _objective(engine, _rows(engine)[0])
                    before = link.passed
                    seconds = float(np.median(_timed_rounds(objective, args.rounds)))
                    moved = (link.passed - before) / (args.rounds + 1)
            found[delay, bandwidth] = seconds
            speed = f"{bandwidth / 1e6:.0f} MB/s"
            print(
                f"delay {delay * 1e3:.0f} ms, {speed}: {seconds:.3f} s, {moved / 1e6:.2f} MB a round",
                flush=True,
            )
    still = found[0.0, np.inf]
    delayed, limited, both = (found[key] - still for key in ((0.02, np.inf), (0.0, 10e6), (0.02, 10e6)))
    print(
        f"{delayed / 0.02:.1f} delays a round; {limited:.3f} s for bytes that need {moved / 10e6:.3f} s at 10 MB/s"
    )
    print(f"both together add {both:.3f} s, predicted {delayed + limited:.3f} s")


def _objective(engine: Any, totals: Any) -> Any:
    """Return the objective of MaxEnt over the rows that an engine holds."""
    from lindy import MaxEnt
    from lindy.distributed.convex import problem_of
    from lindy.distributed.objective import SummedObjective

    learner = MaxEnt()
    learner.classes_ = totals.classes
    return SummedObjective(engine, *problem_of(learner, totals), totals.n_columns)


def overhead(args: argparse.Namespace) -> None:
    """Compare a round on one worker with the same work in this process: partitions of about 100 MB of rows."""
    from lindy import MaxEnt
    from lindy.distributed import moves
    from lindy.distributed.convex import problem_of
    from lindy.distributed.engine import merged
    from lindy.distributed.partitions import Wanted, read_part

    engine, (totals, vectorizer) = held(args.on, args.folder, 1, copies=4)
    path = str(args.folder / "imdb-0.parquet")
    part = moves.rows_of(read_part(path, Wanted("text", "label")), vectorizer, totals.classes)
    learner = MaxEnt()
    learner.classes_ = totals.classes
    spec, _ = problem_of(learner, totals)
    size = sum(array.nbytes for array in part.X.arrays)
    here, there = [], []
    with engine:
        for number in range(args.rounds):
            W, b = np.zeros((totals.n_columns, 1)), np.zeros(1)
            W[number] = 0.1
            began = time.perf_counter()
            results = []
            for _ in range(4):
                part._kept.pop("mark", None)
                results.append(moves.loss_and_gradient(part, spec, W, b, 50))
            merged(results)
            here.append(time.perf_counter() - began)
            began = time.perf_counter()
            engine.total("loss_and_gradient", spec, W, b, 50)
            there.append(time.perf_counter() - began)
    ours, theirs = float(np.median(here)), float(np.median(there))
    print(
        f"4 partitions of {size / 1e6:.0f} MB: {ours:.3f} s here, {theirs:.3f} s on {args.on}: {theirs / ours - 1:+.1%}"
    )


def lindy(args: argparse.Namespace) -> None:
    """Fit MaxEnt to a gap of 1e-4."""
    import pyarrow.parquet as pq

    from lindy import MaxEnt
    from lindy.distributed.training import fit_learner

    with measured("texts to rows"):
        engine, (totals, vectorizer) = held(args.on, args.folder, args.workers)
    with engine:
        learner = MaxEnt(tol=TOL, lam=2 / totals.counts.sum())
        with measured(f"lindy on {args.on}, {args.workers} workers"):
            fit_learner(engine, learner, totals)
    proof = learner.certificate_
    test = pq.read_table(args.folder / "imdb-test.parquet")
    right = learner.predict(vectorizer.transform_csr(test["text"])) == np.array(test["label"].to_pylist())
    print(f"{learner.n_iter_} rounds, objective {proof.objective:.9f}, gap {proof.relative_gap:.1e}")
    print(f"accuracy {right.mean():.4%}")


def mixing(args: argparse.Namespace) -> None:
    """Compare online learners, whose weights are mixed after every epoch, with one machine: one copy in ten parts."""
    import pyarrow.parquet as pq

    from lindy import SVM, TextClassifier
    from lindy.distributed.partitions import Wanted
    from lindy.distributed.processes import Processes
    from lindy.distributed.training import fit_partitions
    from lindy.linear import Mira, Perceptron

    table, test = (pq.read_table(args.folder / f"imdb-{name}.parquet") for name in ("0", "test"))
    table = table.take(np.random.default_rng(0).permutation(table.num_rows))
    for learner in (Perceptron(), Mira(), SVM(loss="hinge", solver="pegasos")):
        accuracies = []
        for n in (1, 2, 10):
            ends = np.linspace(0, table.num_rows, n + 1).astype(int)
            parts = [(i, table.slice(ends[i], ends[i + 1] - ends[i])) for i in range(n)]
            model = TextClassifier(learner=learner, calibration="none")
            if n == 1:
                model.fit(table["text"], table["label"])
            else:
                with Processes("frame_part", parts, (Wanted("text", "label"),), args.workers) as engine:
                    fit_partitions(model, engine)
            accuracies.append(f"{model.score(test['text'], test['label'].to_pylist()):.2%} ({n} partitions)")
        print(f"{learner!r}: {', '.join(accuracies)}", flush=True)


def mllib(args: argparse.Namespace) -> None:
    """Fit Spark MLlib's logistic regression to the same rows; --optimum is the objective that counts as the best."""
    from functools import reduce

    from pyspark.ml.classification import LogisticRegression

    from lindy.distributed.clusters import spark_session

    os.environ.setdefault("PYSPARK_SUBMIT_ARGS", "--driver-memory 6g pyspark-shell")
    session, end = spark_session(None, args.workers)
    try:
        reader = session.read.format("libsvm").option("numFeatures", str(args.columns))
        one = reader.load(str(args.folder / "train.svm"))
        rows = reduce(lambda a, b: a.union(b), [one] * COPIES).coalesce(COPIES).cache()
        n = rows.count()
        learner = LogisticRegression(
            regParam=1 / n, elasticNetParam=0.0, standardization=False, maxIter=args.rounds, tol=1e-9
        )
        with measured(f"MLlib, {args.workers} cores, {n:,} rows") as found:
            model = learner.fit(rows)
        history = [float(value) for value in model.summary.objectiveHistory]
        best = min([args.optimum or np.inf, *history])
        enough = next((i for i, value in enumerate(history) if value <= best * (1 + TOL)), len(history) - 1)
        share = enough / max(len(history) - 1, 1)
        print(
            f"{len(history) - 1} rounds to {history[-1]:.9f}; within {TOL:g} after {enough}:"
            f" {found['wall'] * share:.2f} s, {found['cpu'] * share:.2f} s of processors"
        )
        test = reader.load(str(args.folder / "test.svm"))
        right = model.transform(test).filter("prediction = label").count() / test.count()
        print(f"accuracy {right:.4%}")
    finally:
        end()


TOPICS = {
    "gradients": gradients,
    "overhead": overhead,
    "network": network,
    "lindy": lindy,
    "mixing": mixing,
    "mllib": mllib,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("prepare", *TOPICS))
    parser.add_argument("--on", default="dask")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--columns", type=int, default=0, help="of prepare, for mllib")
    parser.add_argument("--optimum", type=float, help="the objective of lindy, for mllib")
    parser.add_argument("--folder", type=Path, default=Path("out/distributed"))
    args = parser.parse_args()
    if args.what == "prepare":
        prepare(args.folder)
    else:
        TOPICS[args.what](args)


if __name__ == "__main__":
    main()
