"""Processes that are killed with ``kill -9`` while they overwrite a model.

    python -m benchmarks.torture.kills [--kills N] [--rivals N] [--seed N]

After every kill the file must hold the old model or the new one, byte by byte, and what is left beside it must be gone
after the next save. A tenth of lindy's kills hit ``lindy train -o``, the rest ``TextClassifier.save``.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from pathlib import Path

import numpy as np
from tests.hostile.kill_writer import kill_rounds, run

from benchmarks.torture._saving import NotTrainedError, Rival, installed

SIZE = 10_000  # words: models of a megabyte or more, so that saving takes a while


def kill_rival(kind: type[Rival], kills: int, seed: int) -> Counter[str]:
    """Return how often what was left of a toolkit's models."""
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as other:
        rival, expected = kind(SIZE), []
        for number in (0, 1):
            rival.save(Path(other) / "sound", number)
            expected.append(rival.answers(Path(other) / "sound"))

        def generation(path: Path) -> int:
            found = rival.answers(path)
            return [bool(np.array_equal(found, one)) for one in expected].index(True)

        return kill_rounds(Path(folder), kills, seed, rival.save, generation)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=1000, help="of lindy")
    parser.add_argument("--rivals", type=int, default=20, help="kills of every other toolkit")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    kinds, missing = installed()
    columns = ("kills", "old", "new", "lost", "amid", "left over")
    print(f"{'':26}" + "".join(f"{name:>11}" for name in columns))
    failed = 0
    trained = options.kills // 10
    for way, kills in (("save", options.kills - trained), ("train", trained)):
        found = run(way, kills, options.seed)
        failed += found["lost"] + found["left over"] + (found["old"] + found["new"] != kills)
        print(f"{'lindy, ' + way:26}" + "".join(f"{found[name]:11,}" for name in columns), flush=True)
    for kind in kinds:
        if kind.name != "lindy":
            try:
                found = kill_rival(kind, options.rivals, options.seed)
            except NotTrainedError:
                missing.append(kind.name)
                continue
            print(f"{kind.name:26}" + "".join(f"{found[name]:11,}" for name in columns), flush=True)
    print(
        "\nlost: the file could not be loaded, or holds neither model. amid: the kill left another file behind."
    )
    print("left over: files beside the model after a last save that nobody killed.")
    if missing:
        print(f"Not measured, because it is not installed or could not be trained: {', '.join(missing)}")
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
