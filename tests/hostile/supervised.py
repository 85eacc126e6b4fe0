"""Work that may crash or hang, in a child process that is started again after the task at which it did.

The child writes two lines of JSON for every task: a list of its number and what it is, then the outcome, a string.
"""

from __future__ import annotations

import json
import os
import select
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
SECOND_LOOK = 5.0  # seconds
START = 200.0  # seconds that a child may take to begin, on a machine that does other things as well


def supervised(
    command: Callable[[int], list[str]], total: int, patience: float
) -> Iterator[tuple[int, str, str]]:
    """Yield the number, the description and the outcome of every task: what the child says, "crash …" or "hang".

    Parameters
    ----------
    command : function from the number of the first task to the words of the child
    total : int, tasks
    patience : float, seconds without a line that are taken for a hang
    """
    begin = 0
    while begin < total:
        with subprocess.Popen(
            command(begin), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=ROOT
        ) as child:
            assert child.stdout is not None
            task: Any = None
            ended = False
            unread = b""
            while not ended:
                ready = select.select([child.stdout], [], [], START if task is None else patience)[0]
                if not ready:  # both may have been stopped for a while, and the child goes on only now
                    ready = select.select([child.stdout], [], [], SECOND_LOOK)[0]
                data = os.read(child.stdout.fileno(), 1 << 16) if ready else b""
                *lines, unread = (unread + data).split(b"\n")
                for said in map(json.loads, lines):
                    if isinstance(said, list):
                        task = said
                    else:
                        yield task[0], task[1], said
                        begin, task = task[0] + 1, None
                ended = not data
            if not ready:
                child.kill()
        if task is not None:
            yield task[0], task[1], f"crash ({child.returncode})" if ready else "hang"
            begin = task[0] + 1
        elif begin < total:
            raise RuntimeError(f"the child ended with {child.returncode} between two tasks: {command(begin)}")
