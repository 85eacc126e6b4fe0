"""Where partitions of files are held, as people write it: ``processes``, ``dask``, ``tcp://…``, ``spark``, ``sc://…``."""

from __future__ import annotations

from collections.abc import Sequence

from lindy.distributed.engine import Engine, EngineError
from lindy.distributed.partitions import Wanted

PLACES = ("processes", "dask", "spark", "tcp://HOST:PORT", "spark://HOST:PORT", "sc://HOST:PORT")
_DASK = ("tcp://", "tls://", "ucx://", "inproc://")


def engine_at(place: str, paths: Sequence[str], wanted: Wanted, workers: int | None = None) -> Engine:
    """Return the engine that holds files as partitions, one each."""
    if place == "processes":
        from lindy.distributed.processes import Processes

        return Processes("read_part", paths, (wanted,), workers)
    if place == "dask" or place.startswith(_DASK):
        from lindy.distributed import dask

        begun = dask.connect(None if place == "dask" else place, workers)
        return dask.begun(*begun, "read_part", list(paths), (wanted,))
    if place == "spark" or place.startswith(("sc://", "spark://", "local[")):
        from lindy.distributed import spark

        session, end = spark.connect(None if place == "spark" else place, workers)
        try:
            held = spark.Spark(session, "read_part", list(paths), (wanted,))
        except BaseException:
            end()
            raise
        held.on_close(end)
        return held
    raise EngineError(f"no engine is called {place!r}", f"there are: {', '.join(PLACES)}")
