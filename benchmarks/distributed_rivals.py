"""Spark MLlib's and Dask-ML's logistic regression on the rows of `benchmarks.distributed`."""

from __future__ import annotations

import argparse
import os
from typing import Any

import numpy as np

from benchmarks.distributed_data import COPIES, TOL, measured


def mllib(args: argparse.Namespace) -> dict[str, Any]:
    """Fit Spark MLlib's logistic regression to the same rows; --optimum is the objective that counts as the best."""
    from functools import reduce

    from pyspark.ml.classification import LogisticRegression

    from lindy.distributed.clusters import spark_session

    os.environ.setdefault("PYSPARK_SUBMIT_ARGS", "--driver-memory 6g pyspark-shell")
    session, end = spark_session(None, 2)
    try:
        reader = session.read.format("libsvm").option("numFeatures", (args.folder / "columns").read_text())
        one = reader.load(str(args.folder / "train.svm"))
        rows = reduce(lambda a, b: a.union(b), [one] * COPIES).coalesce(COPIES).cache()
        n = rows.count()
        learner = LogisticRegression(
            regParam=1 / n, elasticNetParam=0.0, standardization=False, maxIter=args.most, tol=1e-9
        )
        with measured(f"MLlib, 2 cores, {n:,} rows") as found:
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
        print(f"accuracy {right:.4%}", flush=True)
        cpu = found["cpu"] * share
        return {"rounds": enough, "wall": found["wall"] * share, "cpu": cpu, "accuracy": right}
    finally:
        end()


def daskml(args: argparse.Namespace) -> dict[str, Any] | None:
    """Fit Dask-ML's logistic regression (L-BFGS) to the same rows as sparse blocks, if it is installed.

    ``pip install --no-deps --target build/daskml dask-ml dask-glm multipledispatch sparse numba llvmlite``, then with
    ``PYTHONPATH=build/daskml``: its dependencies would change the versions of others.
    """
    try:
        from dask_ml.linear_model import LogisticRegression
    except ImportError as error:
        print(f"Dask-ML cannot be imported here: {error}")
        return None
    import dask.array as da
    from sklearn.datasets import load_svmlight_file

    from lindy.distributed.clusters import dask_client

    columns = int((args.folder / "columns").read_text())
    X, y = load_svmlight_file(str(args.folder / "train.svm"), n_features=columns)
    test, true = load_svmlight_file(str(args.folder / "test.svm"), n_features=columns)
    _, end = dask_client(None, 2)
    try:
        rows = da.concatenate([da.from_array(X, chunks=X.shape, asarray=False)] * COPIES)
        codes = da.concatenate([da.from_array(y, chunks=len(y))] * COPIES)
        learner = LogisticRegression(solver="lbfgs", C=1.0, tol=1e-9, max_iter=args.most)
        try:
            with measured(f"Dask-ML, 2 workers, {rows.shape[0]:,} rows") as found:
                learner.fit(rows, codes)
        except (ValueError, IndexError, TypeError) as error:  # what it cannot do is a result, too
            print(f"Dask-ML does not take these sparse rows: {type(error).__name__}: {error}", flush=True)
            return {"failed": f"{type(error).__name__}: {error}"}
        right = float((learner.predict(test) == true).mean())
        print(f"accuracy {right:.4%}", flush=True)
        return {**found, "accuracy": right}
    finally:
        end()
