"""Every command called wrongly in every way that its own parser tells, and with every bad file in every place.

    python -m benchmarks.torture.commands [--most N] [--processes 40]

Most run in one process, one after the other; a sample of them as a user starts them.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from tests.hostile.command_files import make
from tests.hostile.commands import Call, Outcome, broken, calls, outcomes

from lindy.cli.app import COMMANDS


def in_a_process(call: Call, folder: Path) -> Outcome:
    """Run an invocation as a shell does: its words are bytes, and its files are found by their names."""
    words = [os.fsencode(word) for word in call.words]
    command = [os.fsencode(sys.executable), b"-m", b"lindy", *words]
    done = subprocess.run(
        command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, timeout=300, check=False
    )
    return Outcome(done.returncode, err=done.stderr.decode("utf-8", "replace"))


def main() -> None:
    """Call them all, and print how often what was promised was kept."""
    parser = argparse.ArgumentParser()
    parser.add_argument(
        "--most", type=int, default=1_000_000, help="invocations, drawn at random if there are more"
    )
    parser.add_argument(
        "--processes", type=int, default=40, help="invocations that also run as processes of their own"
    )
    args = parser.parse_args()
    begin = time.perf_counter()
    every = calls()
    chosen = every if len(every) <= args.most else random.Random(0).sample(every, args.most)
    wrong: list[tuple[Call, list[str]]] = []
    codes: dict[str, Counter[int | None]] = {command: Counter() for command in (*COMMANDS, "(none)")}
    with tempfile.TemporaryDirectory() as base:
        folder = Path(base) / "files"
        make(folder)
        for call, outcome in outcomes(chosen, folder):
            codes.get(call.words[0], codes["(none)"])[outcome.code] += 1
            if found := broken(call, outcome):
                wrong.append((call, found))
        as_processes = random.Random(1).sample(chosen, min(args.processes, len(chosen)))
        wrong += [
            (call, found) for call in as_processes if (found := broken(call, in_a_process(call, folder)))
        ]
    print(
        f"{len(chosen):,} of {len(every):,} bad or odd invocations, {len(as_processes)} of them also as processes.\n"
    )
    print(f"{'command':10}{'calls':>8}{'0, done':>9}{'1, data':>9}{'2, usage':>9}{'other':>7}")
    for command, own in codes.items():
        done, data, usage = (own[code] for code in (0, 1, 2))
        print(
            f"{command:10}{own.total():>8,}{done:>9,}{data:>9,}{usage:>9,}{own.total() - done - data - usage:>7,}"
        )
    print(
        "\nExpected of each: one of the documented exit codes, no traceback, no control character; where it fails,"
    )
    print("one line of error with the culprit's name and at most one of hint, and not a file changed.")
    print(f"Broken by {len(wrong):,} invocations. {time.perf_counter() - begin:.0f} s")
    for call, found in wrong[:50]:
        print(f"\n{call.shown}\n  {'; '.join(found)}")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
