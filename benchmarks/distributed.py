"""Texts in partitions: gradients on one worker and more, the engine's overhead, MaxEnt beside Spark MLlib and Dask-ML.

python -m benchmarks.distributed [--only TOPIC …] [--on dask|processes|spark] [--workers N …] [--folder DIR]

Topics: gradients, ceiling, messages, overhead, network, maxent, mllib, daskml, mixing; all of them, if none is named.
What they need is made first: IMDB's training reviews ten times over, as ten Parquet files, as two of four copies
each, and, for MLlib, as rows of tf-idf in svmlight format. Each prints a line or two, with wall and processor time;
on a machine that does something else, only the latter counts. Rows and features are the same for all: words, tf-idf
as lindy has it, l2 = 1/n, gap 1e-4.

``python -m benchmarks distributed -- --only …`` keeps the figures; those of topics that are not named stay in the
record, each with its own date and commit.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import time
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.distributed_data import TOL, accounted, measured, prepare
from benchmarks.distributed_messages import messages
from benchmarks.distributed_rivals import daskml, mllib
from benchmarks.harness import record, stamp
from benchmarks.quietness import wait
from benchmarks.results import records

Figures = dict[str, Any]


def held(place: str, folder: Path, workers: int, files: str = "imdb-?.parquet") -> tuple[Any, Any]:
    """Return an engine that holds rows of tf-idf, and what they have in common."""
    from lindy.distributed.clusters import engine_at
    from lindy.distributed.partitions import Wanted

    paths = sorted(map(str, folder.glob(files)))
    engine = engine_at(place, paths, Wanted("text", "label"), workers)
    return engine, _rows(engine)


def _rows(engine: Any) -> tuple[Any, Any]:
    """Turn texts into rows of tf-idf; return what they have in common, and the vectorizer."""
    from lindy.distributed.cluster_fit import learn_terms
    from lindy.distributed.sums import Totals
    from lindy.text.weighting.weighting_registry import weighted_vectorizer

    labels = engine.total("labels_of")
    vectorizer = weighted_vectorizer("tfidf", analyzer="unicode_words", ngram_range=(1, 1), n_jobs=1)
    learn_terms(engine, vectorizer)
    engine.derive("rows_of", vectorizer, labels.classes)
    return Totals(labels.classes, labels.counts, vectorizer.n_columns), vectorizer


def gradients(args: argparse.Namespace) -> list[Figures]:
    """Measure rounds of loss and gradient on one worker and on more, each with one thread.

    The longest way is the processor time of the busiest worker and of everything that is not a worker: what a round
    takes where every process has a core of its own. An idle Dask process takes some percent of a core all the time, so
    that a machine that does something else, whose rounds last longer, counts more of it.
    """
    found: list[Figures] = []
    for workers in args.workers:
        engine, (totals, _) = held(args.on, args.folder, workers)
        with engine:
            objective = _objective(engine, totals)
            objective.evaluate(np.zeros(objective.size))
            with accounted() as busy:
                times = _timed_rounds(objective, args.rounds)
        spent = busy.spent
        beside = spent.pop(os.getpid()) / args.rounds
        worker = max(spent.values()) / args.rounds
        wall = float(np.median(times))
        found.append({"workers": workers, "wall": wall, "worker": worker, "beside": beside})
        first = found[0]
        found[-1]["faster"] = first["wall"] / wall
        found[-1]["faster_cpu"] = (first["worker"] + first["beside"]) / (worker + beside)
        print(
            f"{args.on}, {workers} workers: {wall:.3f} s a round (least {min(times):.3f}); of processors"
            f" {worker:.3f} s in the busiest worker, {beside:.3f} s beside workers;"
            f" {found[-1]['faster']:.2f} times as fast as {first['workers']}, by processors"
            f" {found[-1]['faster_cpu']:.2f}",
            flush=True,
        )
    return found


def ceiling(args: argparse.Namespace) -> Figures:
    """Measure the same rounds in plain processes without an engine: all files in one, then half of them in each of two.

    Two can be less than twice as fast, where they share the memory's bandwidth, the cache, or a core.
    """
    files = sorted(map(str, args.folder.glob("imdb-?.parquet")))
    walls, busy = {}, {}
    for n in (1, 2):
        context = multiprocessing.get_context("spawn")
        barrier, answers = context.Barrier(n), context.SimpleQueue()
        own = [(files[k::n], args.folder, args.rounds, barrier, answers) for k in range(n)]
        processes = [context.Process(target=_alone, args=each) for each in own]
        for process in processes:
            process.start()
        for process in processes:
            process.join()
            if process.exitcode:
                raise SystemExit(f"a process of the ceiling ended with {process.exitcode}")
        times = [answers.get() for _ in processes]
        walls[n], busy[n] = np.max(times, axis=0)
    found = {"wall": [walls[1], walls[2]], "faster": walls[1] / walls[2], "faster_cpu": busy[1] / busy[2]}
    print(
        f"without an engine: {walls[1]:.3f} s a round in one process, {walls[2]:.3f} s in two:"
        f" {found['faster']:.2f} times as fast, by processors {found['faster_cpu']:.2f}",
        flush=True,
    )
    return found


def _alone(files: list[str], folder: Path, rounds: int, barrier: Any, answers: Any) -> None:
    """Measure rounds over some files in this process; the vocabulary is that of one file, since all are copies."""
    from lindy import MaxEnt
    from lindy.distributed import tasks
    from lindy.distributed.cluster_convex import problem_of
    from lindy.distributed.engine import merged
    from lindy.distributed.partitions import Wanted, read_part
    from lindy.distributed.sums import Totals
    from lindy.text.weighting.weighting_registry import weighted_vectorizer

    texts = read_part(str(folder / "imdb-0.parquet"), Wanted("text", "label"))
    assert texts.labels is not None
    vectorizer = weighted_vectorizer("tfidf", analyzer="unicode_words", ngram_range=(1, 1), n_jobs=1)
    vectorizer.learn_counts(vectorizer.count_part(texts.texts))
    learner = MaxEnt()
    totals = Totals(texts.labels.classes, texts.labels.counts, vectorizer.n_columns)
    learner.classes_ = totals.classes
    spec, _ = problem_of(learner, totals)
    # each of its own arrays, as workers have them
    parts = [
        tasks.rows_of(read_part(file, Wanted("text", "label")), vectorizer, totals.classes) for file in files
    ]
    W, b, times = np.zeros((totals.n_columns, 1)), np.zeros(1), []
    for number in range(rounds + 1):
        W = W.copy()
        W[number] = 0.1
        barrier.wait(600)
        began, cpu = time.perf_counter(), time.process_time()
        merged([tasks.loss_and_gradient(part, spec, W, b, 50) for part in parts])
        times.append((time.perf_counter() - began, time.process_time() - cpu))
    answers.put(np.median(times[1:], axis=0).tolist())


def _timed_rounds(objective: Any, rounds: int) -> list[float]:
    x, times = np.zeros(objective.size), []
    for number in range(rounds):
        x[number] = 0.1  # other weights, so that nothing is known yet
        began = time.perf_counter()
        objective.evaluate(x)
        times.append(time.perf_counter() - began)
    return times


def network(args: argparse.Namespace) -> Figures:
    """Measure rounds over a link with a delay, with a limited bandwidth, and with both, which the model predicts."""
    import distributed

    from benchmarks.slow_link import SlowLink
    from lindy.distributed.clusters import engine_at
    from lindy.distributed.partitions import Wanted

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
    figures = {"still": still, "delayed": delayed, "limited": limited, "both": both, "bytes": moved}
    print(
        f"{delayed / 0.02:.1f} delays a round; {limited:.3f} s for bytes that need {moved / 10e6:.3f} s at 10 MB/s"
    )
    print(f"both together add {both:.3f} s, predicted {delayed + limited:.3f} s", flush=True)
    return figures


def _objective(engine: Any, totals: Any) -> Any:
    """Return the objective of MaxEnt over the rows that an engine holds."""
    from lindy import MaxEnt
    from lindy.distributed.cluster_convex import problem_of
    from lindy.distributed.cluster_objective import SummedObjective

    learner = MaxEnt()
    learner.classes_ = totals.classes
    return SummedObjective(engine, *problem_of(learner, totals), totals.n_columns)


def overhead(args: argparse.Namespace) -> Figures:
    """Compare a round on one worker with the same work in this process: two partitions of about 100 MB of rows."""
    from lindy import MaxEnt
    from lindy.distributed import tasks
    from lindy.distributed.cluster_convex import problem_of
    from lindy.distributed.engine import merged
    from lindy.distributed.partitions import Wanted, read_part

    engine, (totals, vectorizer) = held(args.on, args.folder, 1, "large-?.parquet")
    # both partitions, as the worker has them: one of them twice would be read from nearer memory
    parts = [
        tasks.rows_of(read_part(str(path), Wanted("text", "label")), vectorizer, totals.classes)
        for path in sorted(args.folder.glob("large-?.parquet"))
    ]
    learner = MaxEnt()
    learner.classes_ = totals.classes
    spec, _ = problem_of(learner, totals)
    size = sum(array.nbytes for array in parts[0].X.arrays)
    here, there = [], []
    with engine:
        for number in range(args.rounds + 1):
            W, b = np.zeros((totals.n_columns, 1)), np.zeros(1)
            W[number] = 0.1
            with accounted() as own:
                merged([tasks.loss_and_gradient(part, spec, W, b, 50) for part in parts])
            with accounted() as theirs:
                engine.total("loss_and_gradient", spec, W, b, 50)
            if number:  # the first fills what is kept
                here.append((own.wall, own.spent[os.getpid()]))
                there.append((theirs.wall, sum(theirs.spent.values())))
    (wall, cpu), (wall_there, cpu_there) = (np.median(times, axis=0) for times in (here, there))
    print(
        f"2 partitions of {size / 1e6:.0f} MB: {wall:.3f} s here, {wall_there:.3f} s on {args.on}:"
        f" {wall_there / wall - 1:+.1%}; of processors {cpu:.3f} s here, {cpu_there:.3f} s on {args.on}",
        flush=True,
    )
    return {"size": size, "here": wall, "there": wall_there, "cpu_here": cpu, "cpu_there": cpu_there}


def maxent(args: argparse.Namespace) -> Figures:
    """Fit MaxEnt to a gap of 1e-4."""
    import pyarrow.parquet as pq

    from lindy import MaxEnt
    from lindy.distributed.cluster_fit import fit_learner

    with measured("texts to rows") as rows:
        engine, (totals, vectorizer) = held("processes", args.folder, 2)
    with engine:
        learner = MaxEnt(tol=TOL, lam=2 / totals.counts.sum())
        with measured("lindy, 2 worker processes") as fit:
            fit_learner(engine, learner, totals)
    proof = learner.certificate_
    test = pq.read_table(args.folder / "imdb-test.parquet")
    right = learner.predict(vectorizer.transform_csr(test["text"])) == np.array(test["label"].to_pylist())
    print(f"{learner.n_iter_} rounds, objective {proof.objective:.9f}, gap {proof.relative_gap:.1e}")
    print(f"accuracy {right.mean():.4%}", flush=True)
    own = {"rounds": learner.n_iter_, "gap": proof.relative_gap, "accuracy": float(right.mean())}
    return {**own, "rows": rows, "fit": fit, "objective": proof.objective}


def mixing(args: argparse.Namespace) -> list[Figures]:
    """Compare online learners, whose weights are mixed after every epoch, with one machine: one copy in ten parts."""
    import pyarrow.parquet as pq

    from lindy import SVM, TextClassifier
    from lindy.distributed.cluster_fit import fit_partitions
    from lindy.distributed.partitions import Wanted
    from lindy.distributed.processes import Processes
    from lindy.linear import Mira, Perceptron

    table, test = (pq.read_table(args.folder / f"imdb-{name}.parquet") for name in ("0", "test"))
    table = table.take(np.random.default_rng(0).permutation(table.num_rows))
    found: list[Figures] = []
    for learner in (Perceptron(), Mira(), SVM(loss="hinge", solver="pegasos")):
        accuracies = []
        for n in (1, 2, 10):
            ends = np.linspace(0, table.num_rows, n + 1).astype(int)
            parts = [(i, table.slice(ends[i], ends[i + 1] - ends[i])) for i in range(n)]
            model = TextClassifier(learner=learner, calibration="none")
            if n == 1:
                model.fit(table["text"], table["label"])
            else:
                with Processes("frame_part", parts, (Wanted("text", "label"),), 2) as engine:
                    fit_partitions(model, engine)
            accuracies.append(float(model.score(test["text"], test["label"].to_pylist())))
        found.append({"learner": repr(learner), "accuracies": accuracies})
        print(
            f"{learner!r}: {accuracies[0]:.2%} (one machine), {accuracies[1]:.2%} (2 partitions),"
            f" {accuracies[2]:.2%} (10 partitions)",
            flush=True,
        )
    return found


TOPICS = {
    "gradients": gradients,
    "ceiling": ceiling,
    "messages": messages,
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
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2, 4], help="of gradients")
    parser.add_argument("--rounds", type=int, default=15, help="that are measured")
    parser.add_argument("--most", type=int, default=100, help="rounds of mllib and of daskml")
    parser.add_argument("--optimum", type=float, default=0.16198108, help="the least objective, for mllib")
    parser.add_argument("--folder", type=Path, default=Path("out/distributed"))
    args = parser.parse_args()
    if not (args.folder / "columns").exists():
        prepare(args.folder)
    known = {part["part"]: part for part in records().get("distributed", {}).get("figures", [])}
    for topic in args.only:
        state = wait(30.0)  # until the workers of the part before are gone
        if (found := TOPICS[topic](args)) is not None:
            known[topic] = {"part": topic, "found": found, "busy": not state.quiet, **stamp()}
    record("distributed", [known[topic] for topic in TOPICS if topic in known])


if __name__ == "__main__":
    main()
