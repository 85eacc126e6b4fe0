"""Where partitions of files are held, as people write it: ``processes``, ``dask``, ``tcp://…``, ``spark``, ``sc://…``."""

from __future__ import annotations

from collections.abc import Sequence

from lindy.distributed.engine import Engine, EngineError, begun
from lindy.distributed.partitions import Wanted

PLACES = ("processes", "dask", "spark", "tcp://HOST:PORT", "spark://HOST:PORT", "sc://HOST:PORT")
_DASK = ("tcp://", "tls://", "ucx://", "inproc://")


def engine_at(place: str, paths: Sequence[str], wanted: Wanted, workers: int | None = None) -> Engine:
    """Return the engine that holds files as partitions, one each."""
    if place == "processes":
        from lindy.distributed.processes import Processes

        return Processes("read_part", paths, (wanted,), workers)
    if place == "dask" or place.startswith(_DASK):
        from lindy.distributed.clusters import dask_client
        from lindy.distributed.dask import Dask

        client, end = dask_client(None if place == "dask" else place, workers)
        return begun(lambda: Dask(client, "read_part", list(paths), (wanted,)), end)
    if place == "spark" or place.startswith(("sc://", "spark://", "local[")):
        from lindy.distributed.clusters import spark_session
        from lindy.distributed.spark import Spark

        session, end = spark_session(None if place == "spark" else place, workers)
        return begun(lambda: Spark(session, "read_part", list(paths), (wanted,)), end)
    raise EngineError(f"no engine is called {place!r}", f"there are: {', '.join(PLACES)}")
