"""A file that remembers the finished trials of a search, so that an interrupted one goes on where it was."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lindy.data.chunks.source import Source
from lindy.errors import DataError
from lindy.files.atomic import atomic_write

_FORMAT = "lindy tuning journal 1"


class Journal:
    """Accuracies by recipe and split; the whole file is replaced atomically after every path.

    Parameters
    ----------
    path : str, path or None
        None keeps the results in memory only.
    settings : dict
        What the results depend on (data, split, seed); a file with other settings is refused.
    """

    def __init__(self, path: str | os.PathLike[str] | None, settings: Mapping[str, Any]) -> None:
        self.path = None if path is None else Path(path)
        self.settings = json.loads(json.dumps(dict(settings)))
        self.results: dict[str, dict[int, float]] = {}
        if self.path is not None and self.path.exists():
            self._read(self.path)

    def _read(self, path: Path) -> None:
        try:
            content = json.loads(Source(path).read())
            form, settings, results = content["format"], content["settings"], content["results"]
            found = {
                str(key): {int(split): float(accuracy) for split, accuracy in own.items()}
                for key, own in results.items()
            }
        except DataError:  # it cannot be read
            raise
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise DataError(
                f"{path}: not a tuning journal ({error})", "name another file, or remove it"
            ) from error
        if form != _FORMAT or settings != self.settings:
            raise DataError(
                f"{path}: the journal belongs to other data or to a search with other settings",
                "name another file, or remove it to begin anew",
            )
        self.results = found

    def known(self, key: str, split: int) -> bool:
        """Whether a recipe has been tried on a split."""
        return split in self.results.get(key, {})

    def note(self, accuracies: Mapping[str, float], split: int) -> None:
        """Add results of one split and write the file."""
        for key, accuracy in accuracies.items():
            self.results.setdefault(key, {})[split] = accuracy
        if self.path is not None:
            content = {"format": _FORMAT, "settings": self.settings, "results": self.results}
            with atomic_write(self.path, text=True) as file:
                json.dump(content, file, ensure_ascii=False, indent=0)
