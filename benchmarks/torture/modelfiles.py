"""Model files that are cut, flipped and forged: lindy's of every kind, and those of other toolkits.

    python -m benchmarks.torture.modelfiles [--forgeries N] [--damages N] [--seconds S] [--seed N]

Every truncation and every flipped bit of a model of every learner with every vectorizer must be refused. Forgeries have
a right checksum and wrong contents: loading refuses them, or gives a model that answers (labels of the file, finite
probabilities, explanation, inspection), in a second and a gigabyte.
"""

from __future__ import annotations

import argparse
import pickle
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from tests.hostile.damage import accepted, flips, truncations
from tests.hostile.forging import judge_forgeries, keep_zoo
from tests.hostile.supervised import supervised

from benchmarks.torture._saving import NotTrainedError, Rival, installed

PATIENCE = 30.0  # seconds without any work, which loading such a model takes milliseconds of


def damage_zoo(folder: Path, step: int) -> int:
    """Print what became of damaged models of the zoo; return how many were loaded."""
    cut, flipped = Counter[str](), Counter[str]()
    files = sorted(folder.glob("*.lindy"))
    for file in files:
        whole = file.read_bytes()
        accepted(truncations, whole, cut, step)
        accepted(flips, whole, flipped, step)
    every = "every" if step == 1 else f"each {step}th"
    print(
        f"lindy, {len(files)} models of every learner with every vectorizer: {every} truncation, {every} flipped bit"
    )
    loaded = cut["loaded"] + flipped["loaded"]
    print(f"truncations {cut.total():,}, flipped bits {flipped.total():,}: {loaded} not refused\n")
    return loaded


def damage_rival(kind: type[Rival], damage: str, count: int, seconds: float) -> Counter[str]:
    """Return how often what happened to damaged models of a toolkit, within a time."""
    outcomes: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        kind().save(Path(folder) / kind.name, 0)

        def command(begin: int) -> list[str]:
            words = [sys.executable, "-m", "benchmarks.torture._saving", kind.name, folder, damage]
            return [*words, str(begin), str(count)]

        end = time.monotonic() + seconds
        for _, _, outcome in supervised(command, count, PATIENCE):
            hang = outcome == f"crash ({-signal.SIGPROF})"  # it took SLOW seconds of CPU
            outcomes["hang" if hang else outcome.partition(" (")[0]] += 1
            if time.monotonic() > end:
                break
    return outcomes


def compare_damage(kinds: list[type[Rival]], count: int, seconds: float) -> int:
    """Print a table of all toolkits; return what went wrong with lindy."""
    columns = ("refused", "the same answers", "WRONG answers", "crash", "hang")
    print(f"{'':22}{'damage':14}{'tried':>7}" + "".join(f"{name:>18}" for name in columns))
    failed = 0
    for kind in kinds:
        for damage in ("truncations", "flips"):
            try:
                outcomes = damage_rival(kind, damage, count, seconds)
            except NotTrainedError:
                print(f"{kind.name:22}{damage:14} not measured: it could not be trained")
                continue
            counts = "".join(f"{outcomes[name]:18,}" for name in columns)
            print(f"{kind.name:22}{damage:14}{sum(outcomes.values()):7,}{counts}", flush=True)
            if kind.name == "lindy":
                failed += sum(outcomes[name] for name in columns[1:])
    print()
    return failed


class _Attack:
    """Unpickled, it writes a file."""

    def __init__(self, marker: str) -> None:
        self.marker = marker

    def __reduce__(self) -> tuple[object, tuple[str, str]]:
        return open, (self.marker, "w")


def attack(kinds: list[type[Rival]]) -> int:
    """Print who runs the code in a malicious file; return whether lindy does."""
    ran = []
    with tempfile.TemporaryDirectory() as folder:
        for kind in kinds:
            marker, path = Path(folder) / f"{kind.name}.ran", Path(folder) / "malicious"
            path.write_bytes(pickle.dumps(_Attack(str(marker))))
            code = (
                "from benchmarks.torture._saving import RIVALS; import sys; from pathlib import Path\n"
                "kind = RIVALS[sys.argv[1]]; kind.__new__(kind).answers(Path(sys.argv[2]))"
            )
            subprocess.run(
                [sys.executable, "-c", code, kind.name, str(path)],
                capture_output=True,
                check=False,
                timeout=60,
            )
            if marker.exists():
                ran.append(kind.name)
    print(f"A malicious pickle in the place of the model: its code is run by {', '.join(ran) or 'none'}.")
    print(f"It is not run by {', '.join(kind.name for kind in kinds if kind.name not in ran)}.")
    return int("lindy" in ran)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--forgeries", type=int, default=100_000)
    parser.add_argument("--damages", type=int, default=600, help="truncations and flips of each toolkit")
    parser.add_argument("--seconds", type=float, default=60, help="for each of a toolkit's two rows")
    parser.add_argument("--step", type=int, default=1, help="only each …th truncation and bit")
    parser.add_argument("--seed", type=int, default=7)
    options = parser.parse_args()
    kinds, missing = installed()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        refused = keep_zoo(folder, pairs=True)
        print(
            f"{len(refused)} pairs of learner and vectorizer are refused when they are fitted, with their reason."
        )
        failed = damage_zoo(folder, options.step)
        counts, broken = judge_forgeries(folder, options.forgeries, options.seed)
    said = ", ".join(f"{times:,} {what}" for what, times in counts.most_common())
    print(f"{options.forgeries:,} forgeries with a right checksum: {said}")
    print("".join(f"  {line}\n" for line in broken))
    failed += len(broken) + compare_damage(kinds, options.damages, options.seconds) + attack(kinds)
    if missing:
        print(f"Not measured, because not installed: {', '.join(missing)}")
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
