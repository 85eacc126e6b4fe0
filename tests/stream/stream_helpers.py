"""Tables that are large because parts are small, and work on them that is interrupted."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

import lindy.data.chunks.delimited_parts
import lindy.text.analysis.documents
from lindy import stream
from lindy.cli.app import run
from lindy.cli.io import large
from lindy.stream import memory
from lindy.stream import workspace as workspaces

WORDS = [
    f"{a}{b}" for a in ("ka", "lo", "mi", "nu", "so", "té", "ри") for b in ("ba", "do", "fi", "gu", "x", "日")
]


def rows(n: int = 900, seed: int = 0) -> list[tuple[str, str]]:
    """Return labels and texts, in which some words are more frequent in one class; one text has many repetitions."""
    draw = random.Random(seed)
    made = []
    for i in range(n):
        label = draw.choice(["good", "bad", "so so"])
        own = draw.sample(WORDS, 8) if i % 7 else []
        start = ["good", "bad", "so so"].index(label) * 12
        own += draw.choices(WORDS[start : start + 14], k=6)
        made.append((label, " ".join(own) if i != n // 2 else "many " * 400))
    return made


def write_csv(path: Path, table: list[tuple[str, str]]) -> Path:
    path.write_text("label,text\n" + "".join(f"{label},{text}\n" for label, text in table), encoding="utf-8")
    return path


def write_jsonl(path: Path, table: list[tuple[str, str]]) -> Path:
    """Write objects of which the first line is not the first one, and some have keys of their own."""
    lines = [
        json.dumps({"label": label, "text": text} | ({"more": i} if i % 5 == 4 else {})) + "\n"
        for i, (label, text) in enumerate(table)
    ]
    path.write_text("\n" + "".join(lines), encoding="utf-8")
    return path


def write_fasttext(path: Path, table: list[tuple[str, str]]) -> Path:
    lines = (f"__label__{label.replace(' ', '-')} {text}\n" for label, text in table)
    path.write_text("".join(lines), encoding="utf-8")
    return path


FORMATS = {"csv": write_csv, "jsonl": write_jsonl, "fasttext": write_fasttext}


def shrink(monkeypatch: pytest.MonkeyPatch, part: int) -> None:
    monkeypatch.setattr(workspaces, "LEAST", part << 5)
    monkeypatch.setattr(workspaces, "LEAST_PART", part)
    for module in (memory, workspaces):
        monkeypatch.setattr(module, "default_memory", lambda: part << 5)
    monkeypatch.setattr(stream, "_LARGE", 256)
    monkeypatch.setattr(large, "PART", 3 * part)
    monkeypatch.setattr(
        lindy.data.chunks.delimited_parts, "BLOCK", part
    )  # otherwise a small table is one part
    monkeypatch.setattr(lindy.text.analysis.documents, "BATCH_BYTES", part // 3)


def trained(target: Path, *args: object) -> bytes:
    assert run(["train", *map(str, args), "-o", str(target), "--quiet"]) == 0
    return target.read_bytes()


class Interrupted:
    """Interrupts the process when a stage notes its n-th complete part, or in the middle of writing it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, number: int, torn: bool) -> None:
        from lindy.stream.stages import Stage

        self.commits, commit = 0, Stage.commit

        def stopped(stage: Stage, **facts: Any) -> None:
            self.commits += 1
            if self.commits == number and torn:
                stage.append(next(iter(stage._ends)), b"torn" * 100)
            if self.commits == number:
                raise KeyboardInterrupt
            commit(stage, **facts)

        monkeypatch.setattr(Stage, "commit", stopped)


def failed(capsys: pytest.CaptureFixture[str], *args: object) -> str:
    capsys.readouterr()
    assert run([*map(str, args)]) == 1
    return capsys.readouterr().err


def interrupted_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, data: Path) -> None:
    with monkeypatch.context() as interrupting:
        Interrupted(interrupting, 3, torn=False)
        assert (
            run(["train", str(data), "--learner", "svm", "-o", str(tmp_path / "m.lindy"), "--quiet"]) == 130
        )
