"""The surroundings of a script: where data is, and where figures go.

A script that is run by itself, with ``python``, finds data through the environment variable ``LINDY_DATA`` and writes
its figures into ``out/labs``.
"""

from __future__ import annotations

import io
import os
import sys
import textwrap
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lindy.progress import in_notebook
from lindy.sanitize import aligned

if TYPE_CHECKING:
    from matplotlib.axes import Axes

DEFAULT_OUTPUT = Path("out/labs")


@dataclass(frozen=True, slots=True)
class Figure:
    """A picture that was written, and what it shows."""

    path: Path
    caption: str


@dataclass(slots=True)
class Stage:
    """Where a script plays, and what it has shown and said there."""

    output: Path
    data: Path | None
    figures: list[Figure] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)


_STAGE: ContextVar[Stage | None] = ContextVar("stage", default=None)


def data_folder() -> Path | None:
    """Return the folder in which corpora are looked for, if there is one."""
    stage = _STAGE.get()
    if stage is not None and stage.data is not None:
        return stage.data
    named = os.environ.get("LINDY_DATA")
    return Path(named) if named else None


@contextmanager
def staged(output: Path, data: Path | None) -> Iterator[Stage]:
    """Run what follows with these folders; yields what it shows."""
    stage = Stage(output, data)
    token = _STAGE.set(stage)
    try:
        yield stage
    finally:
        _STAGE.reset(token)


def say(*sentences: str) -> None:
    """Tell the student what the numbers of this run mean: one paragraph, made from the numbers themselves.

    A conclusion is never written as fixed prose, since it would be wrong on other data.
    """
    text = " ".join(sentences)
    stage = _STAGE.get()
    if stage is not None:
        stage.remarks.append(text)
    elif in_notebook():
        from IPython.display import Markdown, display

        display(Markdown(text))
    else:
        sys.stdout.write(f"\n{wrapped(text)}\n")


def wrapped(text: str) -> str:
    """Return a paragraph in lines that a terminal shows whole."""
    return textwrap.fill(text, 106, break_long_words=False, break_on_hyphens=False)


def show(ax: Axes, name: str, caption: str) -> None:
    """Write the figure of ``ax`` as ``name.png`` into the folder of the lab, and say so; a notebook draws it.

    In a notebook the caption stands above the picture, and is its alternative text.
    """
    from lindy.plots import save

    if in_notebook():
        from IPython.display import Image, Markdown, display

        from lindy.plots.style import draw

        picture = io.BytesIO()
        draw(ax.get_figure(), picture, format="png", dpi=110)
        display(Markdown(f"**{caption}**"), Image(picture.getvalue(), alt=caption))
        return
    stage = _STAGE.get() or Stage(DEFAULT_OUTPUT, None)
    stage.output.mkdir(parents=True, exist_ok=True)
    path = save(ax, stage.output / f"{name}.png", dpi=110)
    stage.figures.append(Figure(path, caption))
    if _STAGE.get() is None:
        sys.stdout.write(f"figure: {path}\n")


def table(head: Sequence[str], rows: Sequence[Sequence[Any]], digits: int = 3) -> None:
    """Print rows under their heads; numbers are right-aligned, fractions with so many digits."""
    cells = [[f"{c:.{digits}f}" if isinstance(c, float) else str(c) for c in row] for row in rows]
    words = [i for i, cell in enumerate(rows[0]) if isinstance(cell, str)]
    sys.stdout.write(aligned([head, *cells], words) + "\n")
