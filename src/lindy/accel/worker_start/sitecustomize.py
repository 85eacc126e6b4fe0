"""Accelerates scikit-learn in worker processes, which Python starts with this folder on PYTHONPATH."""

import importlib.util
import os
import sys

_HERE = os.path.dirname(os.path.abspath(__file__))


def _start() -> None:
    """Install the acceleration, where this Python has lindy at all."""
    if os.environ.get("LINDY_ACCEL") == "1" and importlib.util.find_spec("lindy") is not None:
        import lindy.accel

        lindy.accel.install()


def _start_others() -> None:
    """Run the sitecustomize that this one hides."""
    own = sys.modules.pop("sitecustomize", None)
    path = sys.path[:]
    sys.path[:] = [folder for folder in path if os.path.abspath(folder) != _HERE]
    try:
        found = importlib.util.find_spec("sitecustomize")
        if found is not None and found.loader is not None:
            found.loader.exec_module(importlib.util.module_from_spec(found))
    finally:
        sys.path[:] = path
        if own is not None:
            sys.modules["sitecustomize"] = own


_start()
_start_others()
