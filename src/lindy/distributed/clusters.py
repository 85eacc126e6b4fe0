"""Where partitions are held: clusters that exist, or that are begun here, on loopback only.

Functions return a client of Dask or a session of Spark, and what ends it. People write ``processes``, ``dask``,
``tcp://…``, ``spark`` or ``sc://…`` (`engine_at`).
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from importlib import import_module
from typing import Any

from lindy.distributed.engine import Engine, EngineError, begun
from lindy.distributed.partitions import Wanted
from lindy.errors import MissingPackageError
from lindy.estimators.base import thread_count
from lindy.progress import step

Begun = tuple[Any, Callable[[], None]]
PATIENCE = 10  # seconds in which a scheduler must answer
PATIENCE = 120  # seconds in which a lost worker must come back
# Dask lets workers give every freed page back at once; a round would get the memory of the round before page by page
MEMORY_OF_ROUNDS = {"MALLOC_TRIM_THRESHOLD_": 64 << 20, "MALLOC_MMAP_THRESHOLD_": 32 << 20}
PLACES = ("processes", "dask", "spark", "tcp://HOST:PORT", "spark://HOST:PORT", "sc://HOST:PORT")
_DASK = ("tcp://", "tls://", "ucx://", "inproc://")
_SPARK = ("sc://", "spark://", "local[")


def check_installed(engine: str) -> None:
    """Raise an error if the packages of an engine, "dask" or "spark", are not installed."""
    name, package = {"dask": ("Dask", "distributed"), "spark": ("PySpark", "pyspark.sql")}[engine]
    try:
        import_module(package)
    except ImportError as error:
        raise MissingPackageError(f"{name} is not installed", f"pip install 'lindy[{engine}]'") from error


def dask_client(address: str | None, workers: int | None = None) -> Begun:
    """Return a client of the Dask scheduler at an address; None begins a cluster.

    Nothing listens beyond loopback unless somebody else has started it.
    """
    check_installed("dask")
    import dask.config
    import distributed
    from dask.utils import parse_timedelta

    ends = ExitStack()
    if address is None:
        # a worker that begins again on a busy machine takes longer than the 15 s after which Dask gives it up; and a
        # hundred times a second it would note what it does, which nobody here looks at
        settings = "distributed.nanny.pre-spawn-environ"
        own = {
            "distributed.deploy.lost-worker-timeout": f"{PATIENCE}s",
            "distributed.worker.profile.enabled": False,
            settings: {**dask.config.get(settings), **MEMORY_OF_ROUNDS},
        }
        ends.enter_context(dask.config.set(own))
        cluster = _local_cluster(workers)
        ends.callback(cluster.close)
        client = distributed.Client(cluster, direct_to_workers=True)  # they are all here
    else:
        usual = parse_timedelta(dask.config.get("distributed.comm.timeouts.connect"))
        patience = min(PATIENCE, usual)
        try:
            with step(0.0, 0.0, f"waiting for the Dask scheduler at {address}, at most {patience:g} s"):
                client = distributed.Client(address, timeout=patience)
        except (OSError, ValueError) as error:  # ValueError: no address at all
            raise EngineError(
                f"no Dask scheduler answers at {address}: {error}",
                "check the address; dask scheduler prints it",
            ) from error
    ends.callback(client.close)
    return client, ends.close


def _local_cluster(workers: int | None) -> Any:
    """Begin workers of Dask, each a process that imports the script which is running."""
    import multiprocessing

    import distributed

    hint = "in a script, put what trains below a line: if __name__ == '__main__':"
    if getattr(multiprocessing.current_process(), "_inheriting", False):
        raise EngineError("a worker of Dask that only begins cannot begin workers", hint)
    try:
        return distributed.LocalCluster(
            n_workers=workers or thread_count(None),
            threads_per_worker=1,
            host="127.0.0.1",
            dashboard_address="127.0.0.1:0",  # None would still listen, on all addresses
            worker_dashboard_address="127.0.0.1:0",
        )
    except RuntimeError as error:
        raise EngineError(f"Dask cannot begin its workers: {error}", hint) from error


def dask_client_in_use() -> tuple[Any, Callable[[], None] | None]:
    """Return the client that is in use, which nobody here ends, or one of a cluster that is begun."""
    try:
        from distributed import Client

        return Client.current(), None
    except (ImportError, ValueError):  # `dask_client` says what is missing
        return dask_client(None)


def dask_workers(
    client: Any, patience: float = PATIENCE, lost: BaseException | None = None
) -> dict[str, int]:
    """Return the workers with their threads, one at least; EngineError if none comes back, or without a scheduler."""
    latest = time.monotonic() + patience
    try:
        while client.status in ("running", "connecting"):
            there: dict[str, int] = client.nthreads()
            if there:
                return there
            if time.monotonic() > latest:
                raise EngineError(
                    f"all workers of the Dask cluster are gone, and none came back within {patience:g} s",
                    "see why they end: they may need more memory",
                ) from lost
            time.sleep(0.1)
    except OSError as error:  # of which errors of time and of connections are kinds
        lost = lost or error
    raise EngineError(
        f"the Dask scheduler is gone: {type(lost).__name__}: {lost}",
        "start it again, and train again; maxent, svm and nb-svm go on from their last round with `resume=True`",
    ) from lost


def spark_session(address: str | None, workers: int | None = None) -> Begun:
    """Return a session: of Spark Connect for ``sc://…``, of a master, or local for None.

    A local one listens on loopback only. What Ctrl-C does is left as it was.
    """
    check_installed("spark")
    from pyspark.sql import SparkSession

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.appName("lindy")
    if address is not None and address.startswith("sc://"):
        builder = builder.remote(address)
    else:
        local = f"local[{workers or '*'}]"
        builder = builder.master(address or local).config("spark.ui.enabled", "false")
        builder = builder.config("spark.ui.showConsoleProgress", "false")
        builder = builder.config("spark.driver.bindAddress", "127.0.0.1") if address is None else builder
        builder = builder.config("spark.driver.host", "127.0.0.1") if address is None else builder
    try:
        with _own_interrupts(), step(0.0, 0.0, f"waiting for Spark{f' at {address}' if address else ''}"):
            session = builder.getOrCreate()
    except Exception as error:  # of Py4J, gRPC or Spark
        raise EngineError(
            f"no Spark session{f' at {address}' if address else ''}: {type(error).__name__}: {str(error)[:300]}",
            "Spark needs Java 17 or newer; for sc://host:port a Spark Connect server must run there",
        ) from error
    return session, session.stop


@contextmanager
def _own_interrupts() -> Iterator[None]:
    """Put back what SIGINT does, which a new session changes for the whole process, in its main thread."""
    before = signal.getsignal(signal.SIGINT)
    try:
        yield
    finally:
        if signal.getsignal(signal.SIGINT) is not before:
            signal.signal(signal.SIGINT, before)


def check_place(place: str) -> None:
    """Raise an error if no engine is called so, or if what it needs is not installed; nothing is begun."""
    if (engine := _engine_of(place)) != "processes":
        check_installed(engine)


def engine_at(place: str, paths: Sequence[str], wanted: Wanted, workers: int | None = None) -> Engine:
    """Return the engine that holds files as partitions, one each."""
    engine, address = _engine_of(place), place if "://" in place or place.startswith("local[") else None
    if engine == "dask":
        from lindy.distributed.dask import Dask

        client, end = dask_client(address, workers)
        return begun(lambda: Dask(client, "read_part", list(paths), (wanted,)), end)
    if engine == "spark":
        from lindy.distributed.spark import Spark

        session, end = spark_session(address, workers)
        return begun(lambda: Spark(session, "read_part", list(paths), (wanted,)), end)
    from lindy.distributed.processes import Processes

    return Processes("read_part", paths, (wanted,), workers)


def _engine_of(place: str) -> str:
    if place in ("processes", "dask", "spark"):
        return place
    if place.startswith(_DASK):
        return "dask"
    if place.startswith(_SPARK):
        return "spark"
    raise EngineError(f"no engine is called {place!r}", f"there are: {', '.join(PLACES)}")
