"""Coverage-guided fuzzing of everything that reads what others wrote: libFuzzer, from the inputs kept in the tests.

    python -m benchmarks.torture.fuzzing [--minutes 1] [--targets analyser mail] [--keep] [--plain]

The compiled readers (analyser, delimited, svmlight) are fuzzed without Python, by harnesses that clang builds with its
address and undefined-behaviour sanitizers; they compare the core with itself (in pieces, at other types, counted and
found). What they reach is then compared with the twins in Python. The readers in Python (modelfile: the layout of model
files; loader: whole models; mail) are fuzzed by atheris on the core with sanitizers, which takes long to build;
``--plain`` takes the installed core. ``--minutes`` are those of each target; ``--keep`` renews the kept inputs: the
smallest ones that reach what was reached.
"""

from __future__ import annotations

import argparse
import itertools
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

from tests.hostile.fuzz.corpus import keep, unpack

from benchmarks.harness import ROOT

BUILD = ROOT / "build" / "fuzz"
SANITIZED = ROOT / "build" / "sanitize"
SOURCES = ROOT / "tests" / "hostile" / "fuzz"
COMPILED = ("analyser", "delimited", "svmlight")
MOST_KEPT = 30_000  # bytes of a target
LONGEST = {
    "analyser": 200,
    "delimited": 200,
    "svmlight": 200,
    "modelfile": 1000,
    "loader": 6000,
    "mail": 1000,
}
REPLAY = """
import sys
from collections import Counter
from pathlib import Path
from tests.hostile.fuzz.targets import TARGETS
outcomes = Counter()
for path in sorted(Path(sys.argv[2]).iterdir()):
    try:
        outcomes[TARGETS[sys.argv[1]](path.read_bytes())] += 1
    except BaseException as error:
        print(f"{path}: {type(error).__name__}: {error}", file=sys.stderr)
        outcomes["wrong"] += 1
print(*(outcomes[what] for what in ("read", "refused", "wrong")))
"""


def python_of(target: str, plain: bool) -> str | Path:
    """Return the Python that a target runs in."""
    return sys.executable if plain or target in COMPILED else SANITIZED / "venv" / "bin" / "python"


def make(targets: list[str], plain: bool) -> None:
    """Build the harnesses, and for what is written in Python the core with sanitizers."""
    if set(targets) - set(COMPILED) and not plain:
        subprocess.run(["make", "--silent", "build/sanitize/.built"], cwd=ROOT, stdout=sys.stderr, check=True)
    (BUILD / "unicode").mkdir(parents=True, exist_ok=True)
    tables = [ROOT / "native" / "text" / "generate_unicode.py", BUILD / "unicode" / "unicode_tables.inc"]
    subprocess.run([sys.executable, *tables], check=True)
    sanitizers = "-fsanitize=fuzzer,address,undefined,float-cast-overflow"
    flags = [
        "-std=gnu++20",
        "-O1",
        "-g1",
        "-DLINDY_BASELINE_ONLY",
        sanitizers,
        "-fno-sanitize-recover=undefined",
    ]
    folders = [f"-I{ROOT / 'native'}", f"-I{BUILD / 'unicode'}"]
    shared = [ROOT / "native" / "text" / "unicode.cpp", ROOT / "native" / "core" / "isa.cpp"]
    newest = max(path.stat().st_mtime for path in [*(ROOT / "native").rglob("*.*"), *SOURCES.glob("*.cpp")])
    for target in [target for target in targets if target in COMPILED]:
        if (BUILD / target).exists() and (BUILD / target).stat().st_mtime > newest:
            continue
        command = [
            "clang++",
            *flags,
            *folders,
            "-w",
            SOURCES / f"{target}.cpp",
            *shared,
            "-o",
            BUILD / target,
        ]
        subprocess.run(command, check=True)


def fuzzer(target: str, plain: bool) -> list[str | Path]:
    """Return the command that fuzzes a target."""
    if target not in COMPILED:  # a program of its own, for libFuzzer starts itself again
        command = f'exec {python_of(target, plain)} -m tests.hostile.fuzz.guided {target} "$0" "$@"'
        (BUILD / target).write_text(f"#!/bin/sh\n{command}\n")
        (BUILD / target).chmod(0o755)
    return [BUILD / target]


def run(target: str, plain: bool, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Run a target's fuzzer; what it says is also written into a file."""
    environment = os.environ | {"ASAN_OPTIONS": "detect_leaks=0"}
    command = [
        *fuzzer(target, plain),
        *arguments,
        f"-artifact_prefix={BUILD}/{target}-",
        f"-max_len={LONGEST[target]}",
    ]
    done = subprocess.run(
        command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        errors="replace", check=False,
    )  # fmt: skip
    (BUILD / f"{target}.log").write_text(done.stdout)
    return done


def fuzz(target: str, plain: bool, minutes: float) -> tuple[int, int, Counter[str]]:
    """Fuzz a target; return how many inputs ran, how many places they reached, and what came of it."""
    folder = BUILD / "corpus" / target
    shutil.rmtree(folder, ignore_errors=True)
    unpack(target, folder)
    done = run(
        target, plain, folder, f"-max_total_time={60 * minutes:.0f}", "-timeout=30", "-print_final_stats=1"
    )
    units = re.search(r"(?:number_of_executed_units: |Done )(\d+)", done.stdout)
    reached = re.findall(r"cov: (\d+)", done.stdout)
    replay = subprocess.run(
        [python_of(target, plain), "-c", REPLAY, target, folder],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    sys.stderr.write(replay.stderr)
    numbers = replay.stdout.split() if replay.returncode == 0 else ["0", "0", "1"]
    outcomes = Counter(dict(zip(("read", "refused", "wrong"), map(int, numbers), strict=True)))
    if done.returncode:
        outcomes["findings"] += 1
        sys.stderr.write("\n".join(done.stdout.splitlines()[-40:]) + "\n")
    return int(units[1]) if units else 0, int(reached[-1]) if reached else 0, outcomes


def keep_smallest(target: str, plain: bool) -> None:
    """Keep the smallest inputs that reach what the whole corpus reaches."""
    smallest = BUILD / "smallest" / target
    shutil.rmtree(smallest, ignore_errors=True)
    smallest.mkdir(parents=True)
    run(target, plain, "-merge=1", smallest, BUILD / "corpus" / target)
    inputs = sorted((path.read_bytes() for path in smallest.iterdir()), key=len)
    sizes = itertools.accumulate(map(len, inputs))
    keep(target, [data for data, size in zip(inputs, sizes, strict=True) if size <= MOST_KEPT])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=1, help="of each target (default: 1)")
    parser.add_argument("--targets", nargs="*", default=list(LONGEST), choices=list(LONGEST))
    parser.add_argument("--keep", action="store_true", help="renew the inputs that are kept in the tests")
    parser.add_argument("--plain", action="store_true", help="fuzz what is Python on the installed core")
    options = parser.parse_args()
    targets = options.targets
    if shutil.which("clang++") is None:
        print("not fuzzed, for clang++ is missing (apt-get install clang):", ", ".join(COMPILED))
        targets = [target for target in targets if target not in COMPILED]
    make(targets, options.plain)
    print(
        f"{options.minutes:g} minutes each; then every input that reached something new is compared with the twin\n"
    )
    heads = ("inputs run", "places", "compared", "read", "refused", "wrong", "findings")
    print(f"{'target':<10}" + "".join(f" {head:>10}" for head in heads))
    broken = False
    for target in targets:
        ran, reached, outcomes = fuzz(target, options.plain, options.minutes)
        known = outcomes["read"] + outcomes["refused"] + outcomes["wrong"]
        counts = (ran, reached, known, *(outcomes[kind] for kind in ("read", "refused", "wrong", "findings")))
        print(f"{target:<10}" + "".join(f" {count:>10,}" for count in counts), flush=True)
        broken |= bool(outcomes["wrong"] or outcomes["findings"])
        if options.keep:
            keep_smallest(target, options.plain)
    if broken:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
