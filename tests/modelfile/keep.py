"""Keep small models of this version for ever: one of every kind in ``files/VERSION.tar.xz``, with what they predict.

    python -m tests.modelfile.keep

Run it once for every release, before it is published; a file that exists is not written again.
"""

from __future__ import annotations

import io
import json
import sys
import tarfile
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from tests.hostile.zoo import zoo

import lindy

FILES = Path(__file__).parent / "files"


def keep(target: Path) -> int:
    """Write an archive of the models of the zoo; return how many they are."""
    models, _ = zoo()
    with tarfile.open(target, "x:xz", preset=9) as archive:
        expected = {}
        for name, (kind, model) in models.items():
            with tempfile.TemporaryDirectory() as folder:
                model.save(Path(folder) / "model")
                _add(archive, f"{name}.lindy", (Path(folder) / "model").read_bytes())
            expected[name] = {"examples": to_json(kind.examples), **predictions(model, kind.examples)}
        _add(archive, "expected.json", json.dumps(expected, ensure_ascii=False).encode())
    return len(models)


def _add(archive: tarfile.TarFile, name: str, data: bytes) -> None:
    entry = tarfile.TarInfo(name)  # of nobody, from 1970: the same models give the same archive
    entry.size = len(data)
    archive.addfile(entry, io.BytesIO(data))


def predictions(model: Any, examples: Any) -> dict[str, Any]:
    """Return labels, and a probability or score of every class."""
    answers = model.predictions(examples)
    return {"labels": model.predict(examples).tolist(), "values": answers.values.tolist()}


def to_json(examples: Any) -> Any:
    """Return examples as JSON holds them; pictures are an object."""
    return {"pictures": examples.tolist()} if isinstance(examples, np.ndarray) else examples


def from_json(examples: Any) -> Any:
    """Return the examples that ``to_json`` was given."""
    return np.array(examples["pictures"]) if isinstance(examples, dict) else examples


if __name__ == "__main__":
    release = ".".join(lindy.__version__.split(".")[:2])
    file = FILES / f"{release}.tar.xz"
    if file.exists():
        sys.exit(f"{file} exists: the files of a release are never changed")
    number = keep(file)
    print(f"wrote {number} models, {file.stat().st_size:,} bytes, to {file}")  # noqa: T201
