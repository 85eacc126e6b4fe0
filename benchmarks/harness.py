"""Corpora and timing shared by the benchmarks."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pyarrow as pa

ROOT = Path(__file__).resolve().parent.parent


def corpus_folder(name: str) -> Path | None:
    """Return the folder of a corpus below LINDY_DATA (default: ../shared/data), or None if it is absent."""
    folder = Path(os.environ.get("LINDY_DATA", ROOT.parent / "shared" / "data")) / name
    return folder if folder.is_dir() else None


def unpacked(folder: Path, part: str, into: Path) -> Path:
    """Write the decompressed table of a corpus (``train`` or ``test``) into a folder and return its path."""
    (source,) = folder.glob(f"{part}.csv*")
    target = into / f"{part}.csv"
    with pa.input_stream(str(source), compression="detect") as packed, target.open("wb") as plain:
        shutil.copyfileobj(packed, plain)
    return target
