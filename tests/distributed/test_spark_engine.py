"""Partitions in Spark: the same bytes as elsewhere, also over Spark Connect."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import psutil
import pyarrow as pa
import pyarrow.parquet as pq
import pyspark
import pytest
from tests.partitioned import WANTED, corpus, cut, model_bytes, several_labels_model, tagged

from lindy import SVM, DataError, MaxEnt, TextClassifier
from lindy.distributed.cluster_fit import fit_learner, fit_partitions, learn_terms
from lindy.distributed.clusters import spark_session
from lindy.distributed.engine import EngineError
from lindy.distributed.processes import Processes
from lindy.distributed.spark import FEW, Spark
from lindy.distributed.sums import Totals
from lindy.text.weighting.weighting_registry import weighted_vectorizer

pytestmark = [
    pytest.mark.needs_system("java"),
    pytest.mark.filterwarnings("default"),  # PySpark's own, about pandas and about what it leaves open
]


def local(model: TextClassifier, parts) -> TextClassifier:
    with Processes("frame_part", parts, WANTED, 1) as engine:
        fit_partitions(model, engine)
    return model


@pytest.fixture
def session(request) -> Iterator[Any]:
    """Return a session with one core or more; Java goes on from test to test."""
    before = signal.getsignal(signal.SIGINT)
    with (
        pytest.MonkeyPatch.context() as patch
    ):  # code that lives for seconds is not worth Java's best compiler
        patch.setenv("JAVA_TOOL_OPTIONS", "-XX:TieredStopAtLevel=1")
        found, end = spark_session(None, request.param)
    assert signal.getsignal(signal.SIGINT) is before
    try:
        yield found
    finally:
        end()


@pytest.mark.parametrize(
    ("session", "parts"),
    [(1, (1, 3, 7)), (2, (1, 3, 7, FEW + 1))],  # of more than FEW partitions, tasks merge
    indirect=["session"],
)
def test_counts_have_the_same_bytes(session, parts, tmp_path: Path) -> None:
    table = corpus(3)
    usual = model_bytes(local(TextClassifier(learner="naive-bayes"), cut(table, 1)), tmp_path)
    for n in parts:
        with Spark(session, "frame_part", cut(table, n), WANTED) as engine:
            assert engine.n_partitions == n
            model = TextClassifier(learner="naive-bayes")
            fit_partitions(model, engine)
        assert model_bytes(model, tmp_path) == usual


@pytest.mark.parametrize("session", [2], indirect=True)
def test_a_session_that_is_gone_is_named(session) -> None:
    with Spark(session, "frame_part", cut(corpus(), 1), WANTED) as engine:
        session.stop()
        with pytest.raises(EngineError, match="Spark could not finish a round"):
            engine.run("name_of")


def fit_both(engine) -> list[bytes]:
    """Return the weights of MaxEnt and of the SVM with squared hinge, whose rows are made once: Spark takes long."""
    labels = engine.total("labels_of")
    vectorizer = weighted_vectorizer("tfidf", n_jobs=1)
    learn_terms(engine, vectorizer)
    engine.derive("rows_of", vectorizer, labels.classes)
    totals, found = Totals(labels.classes, labels.counts, vectorizer.n_columns), []
    for learner in (MaxEnt(tol=1e-2), SVM(tol=1e-2)):
        fit_learner(engine, learner, totals)
        assert learner.certificate_.reached
        assert learner.n_iter_ > 1
        found += [learner.coef_.tobytes(), learner.intercept_.tobytes()]
    return found


@pytest.mark.parametrize(("session", "n"), [(2, 1), (2, 3), (2, 7)], indirect=["session"])
def test_maxent_and_the_svm_have_the_same_bytes(session, n: int) -> None:
    table = corpus(rows=120)
    with Processes("frame_part", cut(table, 2), WANTED, 1) as engine:
        usual = fit_both(engine)
    with Spark(session, "frame_part", cut(table, n), WANTED) as engine:
        assert fit_both(engine) == usual


@pytest.mark.parametrize("session", [2], indirect=True)
def test_frames_are_learned_from_and_predicted(session, tmp_path: Path) -> None:
    table = corpus()
    options = {"learner": MaxEnt(tol=1e-2)}
    expected = local(TextClassifier(**options), cut(table, 2))
    expected.columns_ = {"text": "text", "label": "label"}
    frame = session.createDataFrame(table.to_pandas()).repartition(3)
    model = TextClassifier(**options).fit(frame)
    assert model_bytes(model, tmp_path) == model_bytes(expected, tmp_path)
    answered = frame.withColumn("said", model.predict(frame)).toPandas()
    assert (answered["said"].to_numpy() == expected.predict(answered["text"].tolist())).all()
    assert frame.select(model.predict(frame)).columns == ["label"]
    several = (
        frame.select("text", model.predict(frame, as_frame=True)).select("text", "predictions.*").toPandas()
    )
    in_memory = expected.predict(several.pop("text"), as_frame=True)
    pd.testing.assert_frame_equal(several, in_memory, check_dtype=False)
    bad = session.createDataFrame([("fine", "good"), (None, "bad")], "text string, label string").coalesce(1)
    with pytest.raises(DataError, match="partition 0, row 2: no text: 'text' is null or missing"):
        TextClassifier(learner="naive-bayes").fit(bad)
    numbers = session.createDataFrame([(1, "good"), (2, "bad")], "text int, label string").coalesce(1)
    with pytest.raises(DataError, match="partition 0: the column 'text' holds int32, expected strings"):
        TextClassifier(learner="naive-bayes").fit(numbers)
    with pytest.raises(DataError, match="no column 'stars'"):
        TextClassifier(learner="naive-bayes").fit(frame, "stars")
    dotted = frame.withColumnRenamed("text", "a.text").withColumnRenamed("label", "a `label`")
    model = TextClassifier(**options).fit(dotted, source={"text": "a.text", "label": "a `label`"})
    assert (model.learner_.coef_ == expected.learner_.coef_).all()
    answered = dotted.withColumn("said", model.predict(dotted)).toPandas()
    assert (answered["said"].to_numpy() == expected.predict(answered["a.text"].tolist())).all()


@pytest.mark.parametrize("session", [2], indirect=True)
def test_several_labels_are_predicted_as_arrays(session) -> None:
    table = corpus(rows=60)
    model = several_labels_model(table)
    frame = session.createDataFrame(table.to_pandas()).repartition(2)
    made = frame.select("text", model.predict(frame, as_frame=True)).select("text", "predictions.*")
    assert dict(made.dtypes) | {"label": "array<string>"} == dict(made.dtypes)
    found = made.toPandas()
    expected = model.predict(found.pop("text"), as_frame=True)
    found["label"] = [list(own) for own in found["label"]]
    pd.testing.assert_frame_equal(found, expected, check_dtype=False)
    column = frame.select(model.predict(frame))
    assert column.dtypes == [("label", "array<string>")]


@pytest.mark.parametrize("session", [2], indirect=True)
def test_several_labels_of_a_frame_are_learned(session, tmp_path: Path) -> None:
    table = tagged(90)
    usual = local(TextClassifier(learner="svm"), cut(table, 1))
    usual.columns_ = {"text": "text", "label": "label"}
    frame = session.createDataFrame(table.to_pylist(), "text string, label array<string>").repartition(3)
    model = TextClassifier(learner="svm").fit(frame, "label")
    assert model_bytes(model, tmp_path) == model_bytes(usual, tmp_path)


def connect_server(environment: dict[str, str]) -> tuple[subprocess.Popen[bytes], int]:
    """Start a server of Spark Connect, and return it with its port: another one, where somebody else was faster."""
    submit = Path(pyspark.__file__).parent / "bin" / "spark-submit"
    name = "org.apache.spark.sql.connect.service.SparkConnectServer"
    for _ in range(5):
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = taken.getsockname()[1]
        settings = {
            "spark.connect.grpc.binding.address": "127.0.0.1",
            "spark.connect.grpc.binding.port": str(port),
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.driver.host": "127.0.0.1",
            "spark.ui.enabled": "false",
        }
        confs = [word for setting in settings.items() for word in ("--conf", "=".join(setting))]
        server = subprocess.Popen(
            [submit, "--master", "local[2]", *confs, "--class", name, "spark-internal"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=environment,
        )
        try:
            while server.poll() is None:
                if listens(server.pid, port):
                    return server, port
                time.sleep(0.1)
        except BaseException:
            server.kill()
            server.wait()
            raise
    raise AssertionError("Spark Connect does not start")


def listens(pid: int, port: int) -> bool:
    """Whether a process, and no other, accepts connections at a port."""
    try:
        places = psutil.Process(pid).net_connections()
    except psutil.NoSuchProcess:
        return False
    return any(place.status == psutil.CONN_LISTEN and place.laddr.port == port for place in places)


def test_the_command_trains_over_spark_connect(tmp_path: Path) -> None:
    table = corpus()
    for number, part in cut(table, 3):
        pq.write_table(part if part.num_rows else pa.table({}), tmp_path / f"part-{number}.parquet")
    environment = {
        **os.environ,
        "PYSPARK_PYTHON": sys.executable,
        "PYTHONWARNINGS": "ignore",
        "JAVA_TOOL_OPTIONS": "-XX:TieredStopAtLevel=1",
    }
    server, port = connect_server(environment)
    try:
        files = sorted(map(str, tmp_path.glob("part-*.parquet")))
        command = [
            sys.executable,
            "-m",
            "lindy",
            "train",
            *files,
            "--learner",
            "maxent",
            "--param",
            "tol=0.01",
        ]
        for place, name in ((f"sc://127.0.0.1:{port}", "spark"), ("processes", "here")):
            run = subprocess.run(  # noqa: PLW1510 (the code is looked at)
                [*command, "-o", tmp_path / f"{name}.lindy", "--on", place],
                env=environment,
                capture_output=True,
                text=True,
            )
            assert run.returncode == 0, run.stderr
            assert f"3 partitions on {place}" in run.stderr
        assert (tmp_path / "spark.lindy").read_bytes() == (tmp_path / "here.lindy").read_bytes()
        loaded = TextClassifier.load(tmp_path / "spark.lindy")
        assert np.mean(loaded.predict(table["text"]) == np.array(table["label"].to_pylist())) > 0.9
    finally:
        server.terminate()
        server.wait()
