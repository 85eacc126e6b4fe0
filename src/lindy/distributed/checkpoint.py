"""The weights of the last round in a file, from which an interrupted training goes on."""

from __future__ import annotations

import os
import zipfile
from contextlib import suppress

import numpy as np

from lindy.distributed.sums import Array
from lindy.errors import DataError
from lindy.files.atomic import atomic_write


class Checkpoint:
    """A file beside the model; ``resume`` says whether to go on from it.

    A training that goes on has the weights of the last round, but not the steps before: it ends with the same proof,
    perhaps with other last digits than one that was not interrupted.
    """

    def __init__(self, path: str, *, resume: bool = False) -> None:
        self.path, self.resume = path, resume
        self._mark = ""

    def start(self, mark: str, size: int) -> Array | None:
        """Return the weights of an interrupted training of the same problem; DataError if it was another one."""
        self._mark = mark
        if not self.resume or not os.path.exists(self.path):
            return None
        try:
            with open(self.path, "rb") as file, np.load(file, allow_pickle=False) as stored:
                known, x = str(stored["mark"]), np.asarray(stored["x"])
        except (OSError, ValueError, KeyError, EOFError, TypeError, zipfile.BadZipFile) as error:
            raise DataError(
                f"{self.path}: not a checkpoint: {error}", "remove it, or leave out `resume=`"
            ) from error
        if known != mark or x.shape != (size,) or x.dtype != np.float64 or not np.isfinite(x).all():
            raise DataError(
                f"{self.path}: the checkpoint is of other data or of other options",
                "give the same ones, or leave out `resume=`",
            )
        kept: Array = x
        return kept

    def keep(self, x: Array) -> None:
        """Keep the weights of a round."""
        with atomic_write(self.path) as file:
            np.savez(file, mark=np.array(self._mark), x=x)

    def done(self) -> None:
        """Remove the file: the model is there."""
        with suppress(FileNotFoundError):
            os.remove(self.path)
