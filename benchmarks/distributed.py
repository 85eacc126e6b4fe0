"""Texts in partitions: gradients on one worker and more, the engine's overhead, MaxEnt beside Spark MLlib and Dask-ML.

python -m benchmarks.distributed [--only TOPIC …] [--on dask|processes|spark] [--workers N] [--folder DIR]

Topics: gradients, overhead, network, maxent, mllib, daskml, mixing; all of them, if none is named. What they need is
made first: IMDB's training reviews ten times over, as ten Parquet files, as two of four copies each, and, for MLlib, as
rows of tf-idf in svmlight format. Each prints a line or two, with wall and processor time; on a machine that does
something else, only the latter counts. Rows and features are the same for all: words, tf-idf as lindy has it, l2 = 1/n,
gap 1e-4.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
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
            for large in range(2):
                pq.write_table(pa.concat_tables([table] * 4), folder / f"large-{large}.parquet")
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
    (folder / "columns").write_text(str(rows.shape[1]))


def held(place: str, folder: Path, workers: int, files: str = "imdb-?.parquet") -> tuple[Any, Any]:
    """Return an engine that holds rows of tf-idf, and what they have in common."""
    from lindy.distributed.partitions import Wanted
    from lindy.distributed.places import engine_at

    paths = sorted(map(str, folder.glob(files)))
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
    takes where every process has a core of its own. An idle Dask process takes some percent of a core all the time, so
    that a machine that does something else, whose rounds last longer, counts more of it.
    """
    seconds, paths = {}, {}
    for workers in range(1, args.workers + 1) if args.workers < 3 else (1, 2, 4):
        engine, (totals, _) = held(args.on, args.folder, workers)
        with engine:
            objective = _objective(engine, totals)
            objective.evaluate(np.zeros(objective.size))
            with accounted() as busy:
                times = _timed_rounds(objective, args.rounds)
        spent = busy.spent
        own = spent.pop(os.getpid())
        paths[workers] = (max(spent.values()) + own) / args.rounds
        seconds[workers] = float(np.median(times))
        print(
            f"{args.on}, {workers} workers: {seconds[workers]:.3f} s a round (least {min(times):.3f}); of processors"
            f" {max(spent.values()) / args.rounds:.3f} s in the busiest worker,"
            f" {own / args.rounds:.3f} s beside workers",
            flush=True,
        )
    for workers in list(seconds)[1:]:
        path = paths[1] / paths[workers]
        print(
            f"{workers} workers: {seconds[1] / seconds[workers]:.2f} times as fast as one, by processors {path:.2f}"
        )


@dataclass
class Account:
    """Wall time, and the processor time of this process and its descendants, by their numbers."""

    wall: float = 0.0
    spent: dict[int, float] = field(default_factory=dict)


@contextmanager
def accounted() -> Iterator[Account]:
    import psutil

    found, me = Account(), psutil.Process()
    processes = [me, *me.children(recursive=True)]
    before, began = [sum(each.cpu_times()[:2]) for each in processes], time.perf_counter()
    yield found
    found.wall = time.perf_counter() - began
    found.spent = {
        each.pid: sum(each.cpu_times()[:2]) - one for each, one in zip(processes, before, strict=True)
    }


def _timed_rounds(objective: Any, rounds: int) -> list[float]:
    x, times = np.zeros(objective.size), []
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
    """Compare a round on one worker with the same work in this process: two partitions of about 100 MB of rows."""
    from lindy import MaxEnt
    from lindy.distributed import moves
    from lindy.distributed.convex import problem_of
    from lindy.distributed.engine import merged
    from lindy.distributed.partitions import Wanted, read_part

    engine, (totals, vectorizer) = held(args.on, args.folder, 1, "large-?.parquet")
    path = str(args.folder / "large-0.parquet")
    part = moves.rows_of(read_part(path, Wanted("text", "label")), vectorizer, totals.classes)
    learner = MaxEnt()
    learner.classes_ = totals.classes
    spec, _ = problem_of(learner, totals)
    size = sum(array.nbytes for array in part.X.arrays)
    here, there = [], []
    with engine:
        for number in range(args.rounds + 1):
            W, b = np.zeros((totals.n_columns, 1)), np.zeros(1)
            W[number] = 0.1
            with accounted() as own:
                results = []
                for _ in range(2):
                    part._kept.pop("mark", None)
                    results.append(moves.loss_and_gradient(part, spec, W, b, 50))
                merged(results)
            with accounted() as theirs:
                engine.total("loss_and_gradient", spec, W, b, 50)
            if number:  # the first fills what is kept
                here.append((own.wall, own.spent[os.getpid()]))
                there.append((theirs.wall, sum(theirs.spent.values())))
    (wall, cpu), (wall_there, cpu_there) = (np.median(times, axis=0) for times in (here, there))
    print(
        f"2 partitions of {size / 1e6:.0f} MB: {wall:.3f} s here, {wall_there:.3f} s on {args.on}:"
        f" {wall_there / wall - 1:+.1%}; of processors {cpu:.3f} s here, {cpu_there:.3f} s on {args.on}"
    )


def maxent(args: argparse.Namespace) -> None:
    """Fit MaxEnt to a gap of 1e-4."""
    import pyarrow.parquet as pq

    from lindy import MaxEnt
    from lindy.distributed.training import fit_learner

    with measured("texts to rows"):
        engine, (totals, vectorizer) = held("processes", args.folder, args.workers)
    with engine:
        learner = MaxEnt(tol=TOL, lam=2 / totals.counts.sum())
        with measured(f"lindy, {args.workers} worker processes"):
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
        reader = session.read.format("libsvm").option("numFeatures", (args.folder / "columns").read_text())
        one = reader.load(str(args.folder / "train.svm"))
        rows = reduce(lambda a, b: a.union(b), [one] * COPIES).coalesce(COPIES).cache()
        n = rows.count()
        learner = LogisticRegression(
            regParam=1 / n, elasticNetParam=0.0, standardization=False, maxIter=args.most, tol=1e-9
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


def daskml(args: argparse.Namespace) -> None:
    """Fit Dask-ML's logistic regression (L-BFGS) to the same rows as sparse blocks, if it is installed."""
    try:
        from dask_ml.linear_model import LogisticRegression
    except ImportError as error:
        print(f"Dask-ML cannot be imported here: {error}")
        return
    import dask.array as da
    from sklearn.datasets import load_svmlight_file

    from lindy.distributed.clusters import dask_client

    columns = int((args.folder / "columns").read_text())
    X, y = load_svmlight_file(str(args.folder / "train.svm"), n_features=columns)
    test, true = load_svmlight_file(str(args.folder / "test.svm"), n_features=columns)
    _, end = dask_client(None, args.workers)
    try:
        rows = da.concatenate([da.from_array(X, chunks=X.shape, asarray=False)] * COPIES)
        codes = da.concatenate([da.from_array(y, chunks=len(y))] * COPIES)
        learner = LogisticRegression(solver="lbfgs", C=1.0, tol=1e-9, max_iter=args.most)
        with measured(f"Dask-ML, {args.workers} workers, {rows.shape[0]:,} rows"):
            learner.fit(rows, codes)
        print(f"accuracy {(learner.predict(test) == true).mean():.4%}")
    finally:
        end()


TOPICS = {
    "gradients": gradients,
    "overhead": overhead,
    "network": network,
    "maxent": maxent,
    "mllib": mllib,
    "daskml": daskml,
    "mixing": mixing,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="*", choices=TOPICS, default=list(TOPICS))
    parser.add_argument("--on", default="dask")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=7, help="that are measured")
    parser.add_argument("--most", type=int, default=100, help="rounds of mllib and of daskml")
    parser.add_argument("--optimum", type=float, default=0.16198108, help="the least objective, for mllib")
    parser.add_argument("--folder", type=Path, default=Path("out/distributed"))
    args = parser.parse_args()
    if not (args.folder / "columns").exists():
        prepare(args.folder)
    for topic in args.only:
        TOPICS[topic](args)


if __name__ == "__main__":
    main()
