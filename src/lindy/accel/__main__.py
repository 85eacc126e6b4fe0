"""``python -m lindy.accel script.py …`` or ``-m module …``: runs a script with scikit-learn accelerated."""

from __future__ import annotations

import sys

USAGE = """\
usage: python -m lindy.accel [--profile] (script.py | -m module) [argument ...]

Run a Python script or module with scikit-learn accelerated.

  --profile  say on standard error which calls ran in lindy, which in scikit-learn, and why
  -m module  run a module, as python -m does
  --help     show this message"""


def main(arguments: list[str]) -> None:
    """Run a script or module as Python does, accelerated."""
    from lindy.accel.installing import install

    rest = list(arguments)
    profiled = rest[:1] == ["--profile"]
    rest = rest[profiled:]
    if rest[:1] == ["--help"] or rest[:1] == ["-h"]:
        print(USAGE)  # noqa: T201 - what was asked for
        return
    as_module = rest[:1] == ["-m"]
    rest = rest[as_module:]
    if not rest or (rest[0].startswith("-") and not as_module):
        wrong = f"unknown option {rest[0]!r}" if rest else "a script or -m module is missing"
        raise SystemExit(f"{USAGE}\nerror: {wrong}")
    install(profile_workers=profiled)
    if profiled:
        import atexit

        from lindy.accel.profiling import print_profile

        atexit.register(print_profile)
    _run(rest, as_module=as_module)


def _run(arguments: list[str], *, as_module: bool) -> None:
    import os
    import runpy

    sys.argv[:] = arguments
    if as_module:
        sys.path[0] = os.getcwd()
        runpy.run_module(arguments[0], run_name="__main__", alter_sys=True)
        return
    if not os.path.exists(arguments[0]):
        raise SystemExit(f"error: there is no script {arguments[0]!r}")
    sys.path[0] = os.path.dirname(os.path.abspath(arguments[0]))
    runpy.run_path(arguments[0], run_name="__main__")


if __name__ == "__main__":
    main(sys.argv[1:])
