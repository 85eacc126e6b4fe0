"""The command line: ``lindy train | predict | evaluate | demo``, one file per command."""

from __future__ import annotations

import os
import sys


def main() -> int:
    """Run the command line and return its exit code."""
    args = sys.argv[1:]
    if args == ["--version"]:
        # answered before anything else is imported
        from lindy import __version__

        sys.stdout.write(f"lindy {__version__}\n")
        return 0
    # NumPy's BLAS would start its threads with the process; the kernels have their own
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from lindy.cli.app import run

    return run(args)
