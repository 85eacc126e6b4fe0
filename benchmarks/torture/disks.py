"""Disks that are full or fail: every output of lindy's command line, and the models of other toolkits.

    python -m benchmarks.torture.disks [--every N]

Every call of every command that writes (open, write, sync, rename, close …) fails once for each of ENOSPC, EIO, EDQUOT,
EROFS and EACCES. The old file must stay, no temporary file may be left, and the command must end with exit code 1 and
one line that names file and reason. Then models are saved over older ones where there is room for half of them.
"""

from __future__ import annotations

import argparse
import os
import resource
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from tests.hostile.disks import OUTPUTS, prepared, problems

from benchmarks.torture._saving import NotTrainedError, Rival, installed

SIZE = 10_000  # words: models of a megabyte or more


def fail_everywhere(every: int) -> int:
    """Print what was wrong with the outputs of the command line; return how much."""
    runs, wrong = 0, []
    with tempfile.TemporaryDirectory() as folder:
        prepared(Path(folder))
        for name in OUTPUTS:
            tried, found = problems(name, Path(folder), every=every)
            runs += tried
            wrong += found
    said = "" if every == 1 else f" (each {every}th)"
    print(
        f"lindy, {len(OUTPUTS)} outputs of its commands: {runs:,} failing calls{said}, {len(wrong)} handled badly"
    )
    print("".join(f"  {line}\n" for line in wrong), flush=True)
    return len(wrong)


def save_in_half(kind: type[Rival], full: Path | None) -> tuple[str, str]:
    """Save over an older, small model where half of the new one has room; return what the save said and what is left.

    ``full`` is a small file system; without one, the size of files is limited.
    """
    with tempfile.TemporaryDirectory(dir=full) as name, tempfile.TemporaryDirectory() as roomy:
        path, old, rival = Path(name) / "model", kind(), kind(SIZE)
        rival.save(Path(roomy) / "model", 1)
        size = (Path(roomy) / "model").stat().st_size
        old.save(path, 0)
        before = old.answers(path)
        if full is not None:
            room = os.statvfs(full)
            (Path(name) / "filler").write_bytes(bytes(room.f_bavail * room.f_frsize - size // 2))
        child = os.fork()
        if child == 0:
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            if full is None:
                resource.setrlimit(resource.RLIMIT_FSIZE, (size // 2, size // 2))
            try:
                rival.save(path, 1)
            except Exception:
                os._exit(1)
            os._exit(0)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        said = {0: "success", 1: "an error"}.get(code, f"a crash ({code})")
        try:
            kept = np.array_equal(old.answers(path), before)
        except Exception:
            return said, "nothing that can be loaded"
        return said, "the old model" if kept else "another model"


def small_disk(folder: Path) -> bool:
    """Whether a file system of 64 MB could be mounted."""
    command = ["mount", "-t", "tmpfs", "-o", "size=64m", "lindy-torture", str(folder)]
    try:
        return subprocess.run(command, capture_output=True, check=False).returncode == 0
    except FileNotFoundError:
        return False


def compare_full_disks() -> int:
    """Print what toolkits do on a full disk; return whether lindy lost a model or said nothing."""
    kinds, missing = installed()
    failed = 0
    print(f"{'half has room':24}{'the save says':>18}   what is left")
    with tempfile.TemporaryDirectory() as name:
        mounted = small_disk(Path(name))
        try:
            for kind in kinds:
                for full in (None, Path(name)) if mounted else (None,):
                    try:
                        said, left = save_in_half(kind, full)
                    except NotTrainedError:
                        said, left = "", "not measured: it could not be trained"
                    where = "a full disk" if full else "ulimit -f"
                    print(f"{kind.name:24}{said:>18}   {left} ({where})", flush=True)
                    failed += kind.name == "lindy" and (said, left) != ("an error", "the old model")
        finally:
            if mounted:
                subprocess.run(
                    ["umount", "--lazy", name], check=False
                )  # a toolkit may not have closed its file
    if not mounted:
        print("No small file system could be mounted, which takes root.")
    if missing:
        print(f"Not measured, because not installed: {', '.join(missing)}")
    return failed


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--every", type=int, default=1, help="try only each so-manieth failure")
    options = parser.parse_args()
    failed = compare_full_disks() + fail_everywhere(options.every)
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
