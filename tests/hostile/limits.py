"""Limits of what one case of many may take, by the process's own clock: others that are busy do not count."""

from __future__ import annotations

import resource
import time


def limit_cpu(seconds: int) -> None:
    """Let the system end this process when it has computed for so long from now on."""
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (int(time.process_time()) + seconds + 1, hard))
