"""The kept inputs of every target: one line each, as in a bytes literal of Python; libFuzzer wants a file for each."""

from __future__ import annotations

from pathlib import Path

HERE = Path(__file__).parent / "corpus"


def kept(target: str) -> list[bytes]:
    """Return the kept inputs of a target."""
    lines = (HERE / f"{target}.txt").read_text(encoding="ascii").splitlines()
    return [line.encode("ascii").decode("unicode_escape").encode("latin-1") for line in lines]


def keep(target: str, inputs: list[bytes]) -> None:
    """Keep these inputs of a target, and no others."""
    lines = sorted(data.decode("latin-1").encode("unicode_escape").decode("ascii") for data in set(inputs))
    (HERE / f"{target}.txt").write_text("".join(f"{line}\n" for line in lines), encoding="ascii")


def unpack(target: str, folder: Path) -> None:
    """Write the kept inputs of a target into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, data in enumerate(kept(target)):
        (folder / f"kept{number}").write_bytes(data)
