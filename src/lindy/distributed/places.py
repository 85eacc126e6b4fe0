"""Where partitions of files are held, as people write it: ``processes``, ``dask``, ``tcp://…``, ``spark``, ``sc://…``."""

from __future__ import annotations

from collections.abc import Sequence

from lindy.distributed.engine import Engine, EngineError, begun
from lindy.distributed.partitions import Wanted

PLACES = ("processes", "dask", "spark", "tcp://HOST:PORT", "spark://HOST:PORT", "sc://HOST:PORT")
_DASK = ("tcp://", "tls://", "ucx://", "inproc://")
_SPARK = ("sc://", "spark://", "local[")


def check_place(place: str) -> None:
    """Raise an error if no engine is called so, or if what it needs is not installed; nothing is begun."""
    from lindy.distributed.clusters import check_installed

    if (engine := _engine_of(place)) != "processes":
        check_installed(engine)


def engine_at(place: str, paths: Sequence[str], wanted: Wanted, workers: int | None = None) -> Engine:
    """Return the engine that holds files as partitions, one each."""
    engine, address = _engine_of(place), place if "://" in place or place.startswith("local[") else None
    if engine == "dask":
        from lindy.distributed.clusters import dask_client
        from lindy.distributed.dask import Dask

        client, end = dask_client(address, workers)
        return begun(lambda: Dask(client, "read_part", list(paths), (wanted,)), end)
    if engine == "spark":
        from lindy.distributed.clusters import spark_session
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
