"""The table of docs/scale.md, from the figures of `benchmarks.distributed`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Cells = list[tuple[str, str]]


def cells(part: str, found: Any) -> Cells:
    """Return the lines of a part: what was measured, and what came out."""
    return PARTS[part](found)


def _gradients(found: list[dict[str, Any]]) -> Cells:
    lines = []
    for one in found:
        told = f"{one['wall']:.3f}; processors: {one['worker']:.3f} in the busiest worker, {one['beside']:.3f} beside"
        if one is not found[0]:
            told += f"; {one['faster']:.2f}× as fast as {found[0]['workers']}, by processors {one['faster_cpu']:.2f}×"
        lines.append((f"a round on Dask, workers: {one['workers']}", told))
    return lines


def _ceiling(found: dict[str, Any]) -> Cells:
    one, two = found["wall"]
    told = (
        f"{one:.3f} and {two:.3f}: {found['faster']:.2f}× as fast, by processors {found['faster_cpu']:.2f}×"
    )
    return [("the same in one and in two plain processes, without an engine", told)]


def _messages(found: dict[str, list[float]]) -> Cells:
    told = [f"{name} {wall / 1e3:.4f} ({cpu / 1e3:.4f})" for name, (wall, cpu) in found.items()]
    return [("a round of Dask without computing (processors of client and scheduler)", ", ".join(told))]


def _overhead(found: dict[str, Any]) -> Cells:
    told = (
        f"{found['there']:.3f} against {found['here']:.3f}: {found['there'] / found['here'] - 1:+.0%}; processors"
        f" {found['cpu_there']:.3f} against {found['cpu_here']:.3f}"
    )
    what = f"two partitions of {found['size'] / 1e6:.0f} MB on one worker of Dask, and in process"
    return [(what, told)]


def _network(found: dict[str, Any]) -> Cells:
    return [
        (
            "a round with 20 ms of delay in each direction, at 10 MB/s, and with both",
            f"{found['still']:.3f} as it is; {found['delayed']:+.3f}, {found['limited']:+.3f}, {found['both']:+.3f}"
            f" (predicted {found['delayed'] + found['limited']:+.3f}); {found['bytes'] / 1e6:.2f} MB",
        )
    ]


def _maxent(found: dict[str, Any]) -> Cells:
    fit, rows = found["fit"], found["rows"]
    told = f"{fit['wall']:.2f}, processors {fit['cpu']:.2f}; {found['rounds']} rounds, gap {found['gap']:.1e}"
    return [
        (
            "texts to rows on two processes, vocabulary included",
            f"{rows['wall']:.2f}, processors {rows['cpu']:.2f}",
        ),
        ("MaxEnt to a gap of 1e-4 on two processes", f"{told}, test accuracy {found['accuracy']:.3%}"),
    ]


def _mllib(found: dict[str, Any]) -> Cells:
    told = f"{found['wall']:.1f}, processors {found['cpu']:.1f}; {found['rounds']} rounds"
    return [("Spark MLlib to within 1e-4 of the optimum", f"{told}, test accuracy {found['accuracy']:.3%}")]


def _daskml(found: dict[str, Any]) -> Cells:
    if "failed" in found:
        return [("Dask-ML on the same sparse rows", f"does not take them: {found['failed']}")]
    told = f"{found['wall']:.1f}, processors {found['cpu']:.1f}, test accuracy {found['accuracy']:.3%}"
    return [("Dask-ML, L-BFGS, as many rounds as it takes, at most 100", told)]


def _mixing(found: list[dict[str, Any]]) -> Cells:
    return [
        (
            f"`{one['learner']}` mixed: test accuracy on one machine, in 2 and in 10 partitions",
            ", ".join(f"{accuracy:.2%}" for accuracy in one["accuracies"]),
        )
        for one in found
    ]


PARTS: dict[str, Callable[[Any], Cells]] = {
    "gradients": _gradients,
    "ceiling": _ceiling,
    "messages": _messages,
    "overhead": _overhead,
    "network": _network,
    "maxent": _maxent,
    "mllib": _mllib,
    "daskml": _daskml,
    "mixing": _mixing,
}
