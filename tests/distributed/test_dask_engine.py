"""Partitions on a Dask cluster of separate worker processes: the same bytes, whoever is killed."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import dask
import dask.bag
import dask.dataframe
import numpy as np
import pandas as pd
import psutil
import pytest
from distributed import Client, LocalCluster
from tests.partitioned import WANTED, corpus, cut, model_bytes, several_labels_model, tagged

import lindy
from lindy import DataError, MaxEnt, TextClassifier
from lindy.distributed.cluster_fit import Checkpoint, fit_partitions
from lindy.distributed.clusters import dask_client
from lindy.distributed.dask import Dask
from lindy.distributed.engine import EngineError
from lindy.distributed.processes import Processes

pytestmark = pytest.mark.filterwarnings("default")  # Dask's own, when workers come and go


@pytest.fixture(scope="module")
def cluster() -> Iterator[LocalCluster]:
    with (
        # Dask gives up a worker that has not begun again after 15 s, which on a busy machine it has not
        dask.config.set({"distributed.deploy.lost-worker-timeout": "300s"}),
        LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            host="127.0.0.1",
            dashboard_address="127.0.0.1:0",
            worker_dashboard_address="127.0.0.1:0",
        ) as found,
    ):
        yield found


@pytest.fixture
def client(cluster: LocalCluster) -> Iterator[Client]:
    with Client(cluster) as found:
        yield found


def fitted(model: TextClassifier, client: Client, parts, journal=None, kind=Dask) -> TextClassifier:
    with kind(client, "frame_part", parts, WANTED) as engine:
        fit_partitions(model, engine, journal)
    return model


def local(model: TextClassifier, parts) -> TextClassifier:
    with Processes("frame_part", parts, WANTED, 1) as engine:
        fit_partitions(model, engine)
    return model


def test_the_same_bytes_on_one_and_two_workers(cluster: LocalCluster, client: Client, tmp_path: Path) -> None:
    table = corpus(3)
    usual = model_bytes(local(TextClassifier(learner="maxent"), cut(table, 1)), tmp_path)
    for n in (1, 3, 7):
        assert model_bytes(fitted(TextClassifier(learner="maxent"), client, cut(table, n)), tmp_path) == usual
    cluster.scale(1)
    until(lambda: len(client.scheduler_info()["workers"]) == 1)
    for n in (1, 3, 7):
        assert model_bytes(fitted(TextClassifier(learner="maxent"), client, cut(table, n)), tmp_path) == usual
    cluster.scale(2)
    client.wait_for_workers(2, timeout=120)


class Merging(Dask):
    """Lets workers merge among themselves, though there are only two."""

    few = 1


def test_many_workers_merge_among_themselves(client: Client, tmp_path: Path) -> None:
    parts = cut(corpus(), 4)
    client.wait_for_workers(2, timeout=120)
    usual = model_bytes(local(TextClassifier(learner="maxent"), parts), tmp_path)
    merged = fitted(TextClassifier(learner="maxent"), client, parts, kind=Merging)
    assert model_bytes(merged, tmp_path) == usual


def test_frames_and_bags_are_learned_from_and_predicted(client: Client, tmp_path: Path) -> None:
    table = corpus()
    frame = dask.dataframe.from_pandas(table.to_pandas(), npartitions=3)
    model = TextClassifier(learner="maxent").fit(frame)
    usual = local(TextClassifier(learner="maxent"), cut(table, 1))
    usual.columns_ = {"text": "text", "label": "label"}
    assert model_bytes(model, tmp_path) == model_bytes(usual, tmp_path)
    column = model.predict(frame)
    assert isinstance(column, dask.dataframe.Series)
    assert (column.compute().to_numpy() == usual.predict(table["text"])).all()
    assert column.name == "label"
    several = model.predict(frame, as_frame=True)
    assert several.columns.tolist() == ["label", "probability", *usual.classes_]
    pd.testing.assert_frame_equal(several.compute(), usual.predict(table.to_pandas()["text"], as_frame=True))
    bag = dask.bag.from_sequence(table.to_pylist(), npartitions=2)
    assert model_bytes(TextClassifier(learner="maxent").fit(bag, "label"), tmp_path) == model_bytes(
        usual, tmp_path
    )
    assert model.predict(bag).compute() == usual.predict(table["text"]).tolist()
    numbers = frame.assign(stars=(frame["label"] == "positive").astype(int))[["text", "stars"]]
    with_numbers = TextClassifier(learner="naive-bayes").fit(numbers)
    assert with_numbers.classes_.tolist() == [0, 1]
    assert set(with_numbers.predict(numbers).compute()) == {0, 1}


def test_several_labels_are_predicted_as_lists(client: Client) -> None:
    table = corpus(rows=60)
    model = several_labels_model(table)
    frame = dask.dataframe.from_pandas(table.to_pandas(), npartitions=3)
    expected = model.predict(table.to_pandas()["text"], as_frame=True)
    made = model.predict(frame, as_frame=True)
    assert made.dtypes.to_dict() == expected.dtypes.to_dict()
    pd.testing.assert_frame_equal(made.compute(), expected)
    column = model.predict(frame)
    assert column.dtype == object
    assert column.compute().tolist() == expected["label"].tolist()
    bag = dask.bag.from_sequence(table.to_pylist(), npartitions=2)
    assert model.predict(bag).compute() == model.predict(table["text"]).tolist()


def test_several_labels_of_frames_and_bags_are_learned(client: Client, tmp_path: Path) -> None:
    table = tagged(90)
    usual = local(TextClassifier(learner="svm"), cut(table, 1))
    usual.columns_ = {"text": "text", "label": "label"}
    with dask.config.set({"dataframe.convert-string": False}):
        frame = dask.dataframe.from_pandas(table.to_pandas(), npartitions=3)
        bag = dask.bag.from_sequence(table.to_pylist(), npartitions=2)
        for examples in (frame, bag):
            model = TextClassifier(learner="svm").fit(examples, "label")
            assert model.several_labels
            assert model_bytes(model, tmp_path) == model_bytes(usual, tmp_path)
    strings = table.to_pandas().assign(label=["|".join(own) for own in table["label"].to_pylist()])
    joined = dask.dataframe.from_pandas(strings, npartitions=2)
    model = TextClassifier(learner="svm").fit(joined, "label", source={"label_separator": "|"})
    assert model_bytes(model, tmp_path) == model_bytes(usual, tmp_path)
    rows = [
        {"text": f"text {i}", "label": "|".join(f"l{k}" for k in range(6) if i >> k & 1)} for i in range(64)
    ]
    with pytest.raises(DataError, match=r"several labels per row, joined by '\|'"):
        TextClassifier(learner="svm").fit(dask.bag.from_sequence(rows, npartitions=2), "label")


def test_bad_frames_are_refused_by_partition_and_row(client: Client) -> None:
    frame = pd.DataFrame({"text": ["good book", "bad book", "fine book", None], "label": list("xyxy")})
    parts = dask.dataframe.from_pandas(frame, npartitions=2)
    with pytest.raises(DataError, match="partition 1, row 2: no text: 'text' is null or missing"):
        TextClassifier(learner="naive-bayes").fit(parts)
    with pytest.raises(DataError, match="no column 'stars'"):
        TextClassifier(learner="naive-bayes").fit(parts, "stars")
    with pytest.raises(TypeError, match="y is the name of its label column"):
        TextClassifier(learner="naive-bayes").fit(parts, frame["label"])
    model = TextClassifier(learner="naive-bayes").fit(["good book", "bad book"], ["x", "y"])
    with pytest.raises(DataError, match="partition 1, row 2: no text"):
        model.predict(parts).compute()
    bag = dask.bag.from_sequence([{"text": "a", "label": "x"}, "b"], npartitions=1)
    with pytest.raises(DataError, match="partition 0, row 2: expected a dictionary, got str"):
        TextClassifier(learner="naive-bayes").fit(bag)


class Killing(Dask):
    """Kills workers while they work on a round."""

    rounds = 0
    victims = 1
    at = 8
    armed = False

    def ask(self, questions):
        self.rounds += 1
        self.armed = self.rounds == self.at
        return super().ask(questions)

    def _heard(self, result, desks):
        if self.armed:  # all have been asked, and are waited for
            self.armed = False
            pids = self.client.run(os.getpid)
            for pid in list(pids.values())[: self.victims]:
                os.kill(pid, signal.SIGKILL)
        return super()._heard(result, desks)


class KillingAll(Killing):
    """Kills all of them, so that nobody is left who keeps partitions."""

    victims = 2


class KillingEarly(KillingAll):
    """Kills all of them while they make rows of texts, which must not be done to rows again."""

    at = 5  # after texts, names, labels and terms


class KillingMerging(Killing):
    """Kills a worker while workers merge among themselves."""

    few = 1
    at = 5

    def total(self, *move):
        self.rounds += 1
        self.armed = self.rounds == self.at
        return super().total(*move)

    def ask(self, questions):
        return Dask.ask(self, questions)


@pytest.mark.parametrize(
    ("kind", "directly"),
    [(Killing, False), (Killing, True), (KillingAll, True), (KillingEarly, False), (KillingMerging, False)],
)
def test_killed_workers_change_nothing(client: Client, tmp_path: Path, kind, directly) -> None:
    client.direct_to_workers = directly
    parts = cut(corpus(), 4)
    client.wait_for_workers(2, timeout=120)
    killed = fitted(TextClassifier(learner="maxent"), client, parts, kind=kind)
    usual = local(TextClassifier(learner="maxent"), parts)
    assert model_bytes(killed, tmp_path) == model_bytes(usual, tmp_path)


def test_a_script_that_its_workers_cannot_import_says_what_to_do(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text("from lindy.distributed.clusters import dask_client\ndask_client(None, 1)[1]()\n")
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 1
    assert done.stderr.rstrip().endswith("put what trains below a line: if __name__ == '__main__':")
    guarded = [f"    {line}\n" for line in script.read_text().splitlines()]
    script.write_text("if __name__ == '__main__':\n" + "".join(guarded))
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr


@pytest.fixture
def scheduler(tmp_path: Path) -> Iterator[tuple[str, subprocess.Popen[bytes], Path]]:
    """Return the address of a scheduler of its own, its process, and its file, with which workers find it."""
    file = tmp_path / "scheduler.json"
    command = [
        "scheduler",
        "--host",
        "127.0.0.1",
        "--port",
        "0",
        "--no-dashboard",
        "--scheduler-file",
        str(file),
    ]
    process = subprocess.Popen([sys.executable, "-m", "dask", *command], stderr=subprocess.DEVNULL)
    try:
        until(lambda: process.poll() is not None or written_address(file))
        assert process.poll() is None
        yield written_address(file), process, file
    finally:
        process.kill()
        process.wait()


def until(seen) -> None:
    """Wait until something is seen, for two minutes at most."""
    latest = time.monotonic() + 120
    while not seen():
        assert time.monotonic() < latest
        time.sleep(0.05)


def written_address(file: Path) -> str:
    """Return the address that a scheduler has written to its file; nothing while it has not, or not all of it."""
    try:
        return str(json.loads(file.read_text(encoding="utf-8"))["address"])
    except (FileNotFoundError, json.JSONDecodeError):
        return ""


def worker_of(file: Path, path: str | None = None) -> subprocess.Popen[bytes]:
    command = [
        "worker",
        "--no-nanny",
        "--no-dashboard",
        "--host",
        "127.0.0.1",
        "--nthreads",
        "1",
        "--scheduler-file",
        str(file),
    ]
    environment = {**os.environ, **({} if path is None else {"PYTHONPATH": path})}
    return subprocess.Popen(
        [sys.executable, "-m", "dask", *command], stderr=subprocess.DEVNULL, env=environment
    )


class EndAfterTwoRounds(Checkpoint):
    """Kills a process after the second round."""

    victim: subprocess.Popen[bytes]
    rounds = 0

    def keep(self, x):
        super().keep(x)
        self.rounds += 1
        if self.rounds == 2:
            self.victim.kill()
            self.victim.wait()


def test_without_a_scheduler_the_checkpoint_is_left(scheduler, tmp_path: Path) -> None:
    address, process, file = scheduler
    worker = worker_of(file)
    parts, kept = cut(corpus(), 2), EndAfterTwoRounds(str(tmp_path / "kept.checkpoint"))
    kept.victim = process
    try:
        with dask.config.set({"distributed.comm.timeouts.connect": "2s"}):
            client, end = dask_client(address)
            with pytest.raises(EngineError, match="the Dask scheduler is gone"):
                fitted(TextClassifier(learner=MaxEnt(tol=1e-9)), client, parts, kept)
            end()
            with pytest.raises(EngineError, match="no Dask scheduler answers at tcp://"):
                dask_client(address)
    finally:
        worker.kill()
        worker.wait()
    with np.load(kept.path) as stored:
        assert np.isfinite(stored["x"]).all()


class Impatient(Dask):
    """Does not wait long for workers to come back."""

    patience = 2
    look = 0.5


def test_workers_that_do_not_come_back_are_not_waited_for_for_ever(scheduler, tmp_path: Path) -> None:
    address, _, file = scheduler
    kept = EndAfterTwoRounds(str(tmp_path / "kept.checkpoint"))
    kept.victim = worker_of(file)
    try:
        client, end = dask_client(address)
        client.wait_for_workers(1, timeout=120)
        with pytest.raises(EngineError, match="all workers of the Dask cluster are gone"):
            fitted(TextClassifier(learner=MaxEnt(tol=1e-9)), client, cut(corpus(), 2), kept, Impatient)
        end()
    finally:
        kept.victim.kill()
        kept.victim.wait()


def test_a_worker_with_another_version_is_refused(scheduler, tmp_path: Path) -> None:
    address, _, file = scheduler
    (tmp_path / "sitecustomize.py").write_text(
        "import lindy\nlindy.__version__ = '0.0.1'\n", encoding="utf-8"
    )
    worker = worker_of(file, str(tmp_path))
    try:
        client, end = dask_client(address)
        with pytest.raises(
            EngineError, match=rf"has lindy 0.0.1, and version {lindy.__version__} asks it to work"
        ):
            fitted(TextClassifier(learner=MaxEnt()), client, cut(corpus(), 1))
        end()
    finally:
        worker.kill()
        worker.wait()


def test_a_cluster_of_ones_own_listens_on_loopback_only() -> None:
    client, end = dask_client(None, 1)
    try:
        pids = [os.getpid(), *client.run(os.getpid).values(), *client.run(os.getppid).values()]
        listening = [
            place.laddr.ip
            for pid in set(pids)
            for place in psutil.Process(pid).net_connections()
            if place.status == psutil.CONN_LISTEN
        ]
        assert set(listening) == {"127.0.0.1"}
    finally:
        end()
