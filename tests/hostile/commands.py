"""Bad invocations of every command, made from the parser itself, and what is demanded of each.

An invocation is one that works, with one thing wrong in it: a value of an option that its type does not take, a file
that is missing, empty, binary or of another kind, a column that is not there, a name with a line break. Some of them
are unusual rather than wrong and may succeed; those that cannot are marked.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import select
import signal
import subprocess
import sys
import tempfile
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.hostile.command_files import BAD_FILES, GOOD, MISSING, ODD_NAMES, REFUSED, UNUSUAL

from lindy.cli.app import COMMANDS, parser

ROOT = Path(__file__).parents[2]
CODES = (0, 1, 2)
"""The documented ones, without that of Ctrl-C."""
DRIFTED = 3
"""That of drift, where something has changed."""

LONGEST_MESSAGE = 2000
"""Characters of an error and its hint: both are read by a person."""

BASES: dict[str, list[str]] = {
    "train": ["good.csv", "-o", "new.lindy", "--learner", "naive-bayes"],
    "predict": ["model.lindy", "good.csv", "-o", "new.csv"],
    "evaluate": ["model.lindy", "good.csv"],
    "update": ["model.lindy", "good.csv", "-o", "new.lindy"],
    "calibrate": ["model.lindy", "good.csv", "-o", "new.lindy"],
    "merge": ["model.lindy", "model.lindy", "-o", "new.lindy", "--test", "good.csv"],
    "drift": ["model.lindy", "good.csv"],
    "shrink": ["linear.lindy", "-o", "new.lindy", "--size", "1MB", "--texts", "good.csv"],
    "compare": ["good.csv", "--learner", "naive-bayes", "--learner", "majority"],
    "tune": ["good.csv", "-o", "new.lindy", "--learner", "naive-bayes", "--points", "2", "--ngrams", "1"],
    "audit": ["good.csv"],
    "split": ["good.csv", "--folder", "parts"],
    "convert": ["good.csv", "new.jsonl"],
    "embed": ["good.csv", "-o", "new.safetensors", "--dimensions", "2", "--min-df", "1"],
    "convert-model": ["model.lindy", "new.lindy"],
    "explain": ["model.lindy", "a wonderful book"],
    "inspect": ["model.lindy"],
    "plot": ["confusion", "model.lindy", "good.csv", "-o", "new.png"],
    "report": ["model.lindy", "good.csv", "-o", "new.html"],
    "serve": ["--check", "--port", "0", "model.lindy"],  # in front: prefixes of the words must not serve
    "export": ["model.lindy", "new.html", "--small", "--test", "good.csv"],
    "lab": ["1", "--exercises"],
    "demo": ["-o", "good.csv"],  # fails as it is: the whole demo would take seconds, a thousand times
}
"""Words after each command that work; a command without any is an error of the test."""

NUMBERS = [
    "",
    " ",
    "-1",
    "0",
    "1.5",
    "nan",
    "inf",
    "-inf",
    "1e400",
    "9" * 20,
    "0x10",
    "1_0",
    "٣",
    "2-",
    "--",
    "x",
]
STRANGE = [
    "",
    " ",
    "no such thing",
    "a\nb",
    "\x1b[31mred",
    "\udcff\udcfe",
    "x" * 10_000,
    "=",
    ",",
    "a=",
    "=1",
    "a=nan",
    "'\"",
]
WRITTEN = {
    "output",
    "mistakes",
    "html",
    "page",
    "js",
    "folder",
}  # not the report of a model that is kept without it
PATHS = {"FILE", "TABLE", "SHEET", "PATH", "FOLDER", "P or FILE"}


@dataclass(frozen=True)
class Call:
    """One invocation: its words, whether it cannot succeed, and of what a message must name at least one."""

    words: tuple[str, ...]
    must_fail: bool = False
    names: tuple[str, ...] = ()

    @property
    def shown(self) -> str:
        """The words as one line, long ones cut."""
        return " ".join(
            repr(word)[:60] if not word.isalnum() else word[:60] for word in ("lindy", *self.words)
        )


@dataclass
class Outcome:
    """What happened: the exit code, what was printed, the files that changed, and an exception that escaped."""

    code: int | None
    out: str = ""
    err: str = ""
    changed: list[str] = field(default_factory=list)
    escaped: str = ""


def subparsers() -> dict[str, Any]:
    """Return the parser of every command."""
    found = next(a for a in parser()._actions if isinstance(a, argparse._SubParsersAction))
    assert set(found.choices) == set(COMMANDS)
    return dict(found.choices)


def calls() -> list[Call]:
    """Return every invocation, always the same ones in the same order."""
    made = [*_of_no_command()]
    for command, own in subparsers().items():
        base = [command, *BASES[command]]
        made += _of_usage(base, own)
        for action in own._actions:
            made += _of_option(base, action) if action.option_strings else _of_positional(base, action, own)
        made += _of_pairs(base, own)
    return list(dict.fromkeys(made))


def _of_no_command() -> Iterator[Call]:
    for word in [
        *STRANGE,
        "tarin",
        "--no-such-option",
        "-x",
        "--completion",
        "--completion=fish",
        "supervised",
    ]:
        yield Call((word,), must_fail=True)


def _of_usage(base: list[str], own: Any) -> Iterator[Call]:
    """Yield words too many, words too few, and options that do not exist."""
    yield Call((*base, "--no-such-option"), True, ("--no-such-option",))
    yield Call((*base, "--no-such-option=1"), True, ("--no-such-option",))
    takes_many = any(a.nargs in ("+", "*") for a in own._actions if not a.option_strings)
    yield Call((*base, "-"), not takes_many, () if takes_many else ("-",))
    for length in range(1, len(base)):
        if base[0] not in ("lab", "demo", "tune"):  # which would run for long
            yield Call(tuple(base[:length]))
    yield Call((*base, "one", "two", "three"), must_fail=not takes_many or base[0] == "plot")
    yield Call((*base, "\x1b[2J", "\udcff"), must_fail=not takes_many)


def _of_option(base: list[str], action: Any) -> Iterator[Call]:
    option = max(action.option_strings, key=len)
    if action.nargs == 0:
        yield Call((*base, f"{option}=yes"), must_fail=True, names=(option,))
        return
    yield Call((*base, option), must_fail=action.nargs != "?", names=(option,))
    demo = base[0] == "demo"  # in a folder that can be made, all of it would run, which takes seconds
    for value in ("", "x" * 10_000) if demo else (*NUMBERS, *STRANGE):
        wrong = _is_wrong(action, value)
        yield Call((*base, f"{option}={value}"), wrong, (option, *_spellings(value)) if wrong else ())
    if action.metavar in PATHS:
        for name in BAD_FILES if demo else _bad_names(action.dest in WRITTEN):
            yield Call((*base, f"{option}={name}"))
    if not demo:
        yield Call((*base, option, "a", option, "b"))


def _bad_names(written: bool) -> list[str]:
    """Return names of files; a device that can be written, but holds no end of bytes, only where one is written."""
    return [*MISSING, *REFUSED, *UNUSUAL, *ODD_NAMES, *(["/dev/full"] if written else [])]


def _is_wrong(action: Any, value: str) -> bool:
    """Whether the option's own type refuses a value."""
    if action.choices is not None and value not in action.choices:
        return True
    if action.metavar == "COLUMN":
        return value not in GOOD.partition("\n")[0].split(",")
    if action.type is None:
        return False
    try:
        action.type(value)
    except Exception:
        return True
    return False


def _of_positional(base: list[str], action: Any, own: Any) -> Iterator[Call]:
    """Yield bad files in the place of a file, bad words in the place of a word."""
    place = 1 + [a.dest for a in own._actions if not a.option_strings].index(action.dest)
    if place >= len(base):
        return
    is_path = action.dest in ("data", "model", "source", "target", "input")
    for name in [*STRANGE, *(_bad_names(action.dest == "target") if is_path else [])]:
        words = [*base[:place], name, *base[place + 1 :]]
        reads = is_path and action.dest != "target"
        refused = name in REFUSED and (base[0], name) != ("convert", "twice.csv")  # which writes both columns
        wrong = reads and (name in MISSING or refused)
        yield Call(tuple(words), wrong, _spellings(name) if wrong else ())
        if reads and action.dest != "model" and "--format" in own._option_string_actions:
            for kind in ("jsonl", "parquet", "svmlight") if name in UNUSUAL else ():
                yield Call((*words, "--format", kind))


def _of_pairs(base: list[str], own: Any, n: int = 60) -> Iterator[Call]:
    """Yield two options that may contradict each other, drawn at random with values that each accepts alone."""
    rng = random.Random(base[0])
    likely = [
        "1",
        "2",
        "1-2",
        "0.5",
        "good",
        "text",
        "label",
        "price",
        "good.csv",
        "svm",
        "majority",
        "model.lindy",
        "-",
    ]
    options = [a for a in own._actions if a.option_strings and a.dest != "help"]

    def drawn(action: Any) -> list[str]:
        option = max(action.option_strings, key=len)
        if action.nargs == 0:
            return [option]
        accepted = [v for v in likely if not _is_wrong(action, v)]
        return [f"{option}={rng.choice(list(action.choices or accepted or ['x']))}"]

    for _ in range(n if len(options) > 3 else 0):
        first, second = rng.sample(options, 2)
        yield Call((*base, *drawn(first), *drawn(second)))


def _spellings(value: str) -> tuple[str, ...]:
    """Return how a message may write a value: as it is, escaped, or its beginning."""
    start = value[:30]
    spelt = {start, repr(start)[1:-1], ascii(start)[1:-1], _harmless(start)} - {"", " "}
    return tuple(sorted(spelt)) or (repr(start),)


def _harmless(text: str) -> str:
    return "".join(f"\\x{ord(c):02x}" if unicodedata.category(c) in ("Cc", "Cf", "Cs") else c for c in text)


def broken(call: Call, outcome: Outcome) -> list[str]:
    """Return the promises that were broken; none in the best case."""
    if outcome.escaped:
        return [f"escaped: {outcome.escaped}"]
    found = []
    err = outcome.err
    if outcome.code not in CODES and (outcome.code != DRIFTED or call.words[0] != "drift"):
        found.append(f"exit code {outcome.code}")
    if outcome.code and outcome.changed:
        found.append(f"failed, and changed {outcome.changed}")
    if call.must_fail and outcome.code == 0:
        found.append("accepted")
    if "Traceback" in err or re.search(r"^\S+:\d+: \w*Warning", err, re.MULTILINE):
        found.append("shows Python's own words")
    if any(unicodedata.category(c) in ("Cc", "Cs") and c != "\n" for c in err):
        found.append("control characters on stderr")
    if outcome.code:
        found += _of_message(call, err)
    return found


def _of_message(call: Call, err: str) -> list[str]:
    """Return what is wrong with the message of a failure: one error, at most one hint, and the culprit's name."""
    lines = err.splitlines()
    starts = [i for i, line in enumerate(lines) if line.startswith("error: ")]
    if len(starts) != 1:
        return [f"{len(starts)} errors: {err[-200:]!r}"]
    told = lines[starts[0] :]
    found = []
    if len(told) > 2 or (len(told) == 2 and not told[1].startswith("hint:  ")):
        found.append(f"an error of {len(told)} lines: {told[:4]}")
    if not told[0].removeprefix("error: ").strip():
        found.append("an error without words")
    if sum(map(len, told)) > LONGEST_MESSAGE:
        found.append(f"a message of {sum(map(len, told)):,} characters")
    if call.names and not any(name in err for name in call.names):
        found.append(f"names none of {call.names[:2]}: {told}")
    return found


def sample(n: int, seed: int) -> list[Call]:
    """Return some of the invocations, all commands among them."""
    every = calls()
    return random.Random(seed).sample(every, n)


def outcomes(chosen: list[Call], folder: Path, patience: float = 280) -> Iterator[tuple[Call, Outcome]]:
    """Run invocations among the files of a folder and yield what each did; one that kills or hangs does only that."""
    done = 0
    while done < len(chosen):
        with _started(chosen[done:], folder) as process:
            assert process.stdout is not None
            while done < len(chosen) and (line := _next_line(process, patience)):
                yield chosen[done], Outcome(**json.loads(line))
                done += 1
            if done < len(chosen):
                process.kill()
                code = process.wait()
                hung = code == -signal.SIGKILL
                what = f"no answer in {patience:.0f} s" if hung else f"the process ended with {code}"
                yield chosen[done], Outcome(None, escaped=what)
                done += 1


def _next_line(process: subprocess.Popen[bytes], patience: float) -> bytes:
    ready, _, _ = select.select([process.stdout], [], [], patience)
    return process.stdout.readline() if ready and process.stdout else b""


@contextmanager
def _started(chosen: list[Call], folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    with tempfile.TemporaryFile("w+", encoding="utf-8") as words:
        json.dump([call.words for call in chosen], words)
        words.seek(0)
        command = [sys.executable, "-m", "tests.hostile.run_commands", str(folder)]
        # unbuffered, so that select sees every line
        with subprocess.Popen(
            command, stdin=words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, bufsize=0, cwd=ROOT
        ) as process:
            yield process
