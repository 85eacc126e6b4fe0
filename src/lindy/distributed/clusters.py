"""Clusters that exist, or that are begun here, on loopback only: clients of Dask and sessions of Spark.

Each function returns the client or session and what ends it.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from lindy.base import thread_count
from lindy.distributed.engine import EngineError
from lindy.errors import MissingPackageError
from lindy.progress import step

Begun = tuple[Any, Callable[[], None]]
PATIENCE = 10  # seconds in which a scheduler must answer
RETURN = 120  # seconds in which a lost worker must come back


def dask_client(address: str | None, workers: int | None = None) -> Begun:
    """Return a client of the Dask scheduler at an address; None begins a cluster.

    Nothing listens beyond loopback unless somebody else has started it.
    """
    try:
        import dask.config
        import distributed
        from dask.utils import parse_timedelta
    except ImportError as error:
        raise MissingPackageError("Dask is not installed", "pip install 'lindy[dask]'") from error
    ends = ExitStack()
    if address is None:
        # a worker that begins again on a busy machine takes longer than the 15 s after which Dask gives it up
        ends.enter_context(dask.config.set({"distributed.deploy.lost-worker-timeout": f"{RETURN}s"}))
        cluster = distributed.LocalCluster(
            n_workers=workers or thread_count(None),
            threads_per_worker=1,
            host="127.0.0.1",
            dashboard_address="127.0.0.1:0",  # None would still listen, on all addresses
            worker_dashboard_address="127.0.0.1:0",
        )
        ends.callback(cluster.close)
        client = distributed.Client(cluster)
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


def dask_client_in_use() -> tuple[Any, Callable[[], None] | None]:
    """Return the client that is in use, which nobody here ends, or one of a cluster that is begun."""
    try:
        from distributed import Client

        return Client.current(), None
    except (ImportError, ValueError):  # `dask_client` says what is missing
        return dask_client(None)


def spark_session(address: str | None, workers: int | None = None) -> Begun:
    """Return a session: of Spark Connect for ``sc://…``, of a master, or local for None.

    A local one listens on loopback only. What Ctrl-C does is left as it was.
    """
    try:
        from pyspark.sql import SparkSession
    except ImportError as error:
        raise MissingPackageError("PySpark is not installed", "pip install 'lindy[spark]'") from error
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
