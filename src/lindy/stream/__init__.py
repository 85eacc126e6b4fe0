"""Out-of-core training: arrays larger than memory live in files that are mapped, and the work on them can be resumed.

    with Workspace("model.lindy.cache", memory=600 << 20) as workspace, workspace.in_use():
        ...  # ``room`` gives large arrays in files; counting goes part by part through stages

=================  ==================================================================================================
``mapped_arrays``  arrays in mapped files, and the keeper, which gives their pages back when memory is short
``stages``         files that grow part by part, with a journal of the parts that are complete
``checkpoints``    the state of work that goes round by round
``memory``         how much of it the machine has left
``workspace``      the folder of all of them, who may use it, and how much memory there is
=================  ==================================================================================================

Learners get arrays as ever, so that models are the same, byte for byte; their solvers ask for checkpoints.
"""

from __future__ import annotations

from contextvars import ContextVar

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import DTypeLike, NDArray

    from lindy.stream.workspace import Workspace

_LARGE = 1 << 20  # bytes from which on an array is worth a file
in_use: ContextVar[Workspace | None] = ContextVar("workspace", default=None)


def current() -> Workspace | None:
    """Return the workspace that is in use, if any is."""
    return in_use.get()


def room(size: int, dtype: DTypeLike) -> NDArray[Any]:
    """Return a new array, in a file if it is large and a workspace is in use."""
    import numpy as np

    workspace = in_use.get()
    if workspace is None or size * np.dtype(dtype).itemsize < _LARGE:
        return np.empty(size, dtype)
    return workspace.array(size, dtype)
