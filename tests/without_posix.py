"""A process that has of POSIX no more than Windows has: what only POSIX offers is taken away before lindy is imported.

    python tests/without_posix.py import            # each module of lindy
    python tests/without_posix.py run COMMANDS      # a list of commands of lindy as JSON, one after the other
    python tests/without_posix.py serve ARGUMENTS   # lindy serve

Windows also refuses to rename, to replace and to remove a file that is open or mapped: so does this process.
"""

from __future__ import annotations

import asyncio
import importlib
import json
import mmap
import os
import pkgutil
import signal
import subprocess  # noqa: F401  # before what it is built on is taken away
import sys
import tempfile  # noqa: F401

import numpy  # noqa: F401  # as it is on Linux

MODULES = "fcntl grp posix pty pwd readline resource syslog termios tty uvloop"
OF_OS = (
    "O_CLOEXEC O_DIRECTORY O_NOFOLLOW O_NONBLOCK O_NOCTTY O_DSYNC O_SYNC O_ASYNC O_ACCMODE SCHED_OTHER WNOHANG"
    " chown copy_file_range fchdir fchmod fchown fdatasync fork forkpty fpathconf fstatvfs getegid geteuid getgid"
    " getgroups getloadavg getpgid getpgrp getpriority getsid getuid initgroups killpg lchown lockf major minor mkfifo"
    " mknod nice pathconf pipe2 posix_fadvise posix_fallocate posix_spawn pread preadv pwrite pwritev readv"
    " register_at_fork sched_getaffinity sched_setaffinity sched_yield sendfile set_blocking setegid seteuid setgid"
    " setpgid setpriority setsid setuid statvfs sync sysconf tcgetpgrp ttyname uname wait wait3 wait4 waitid writev"
)
# not SIGKILL, with which subprocess ends a process here
OF_SIGNAL = (
    "ITIMER_PROF ITIMER_REAL ITIMER_VIRTUAL SIGALRM SIGCHLD SIGCONT SIGHUP SIGPIPE SIGQUIT SIGSTOP SIGTSTP SIGTTIN"
    " SIGTTOU SIGUSR1 SIGUSR2 SIG_BLOCK SIG_SETMASK SIG_UNBLOCK alarm getitimer pause pthread_kill pthread_sigmask"
    " setitimer sigpending sigtimedwait sigwait sigwaitinfo"
)
OF_MMAP = "MAP_ANON MAP_ANONYMOUS MAP_POPULATE MAP_PRIVATE MAP_SHARED PROT_EXEC PROT_READ PROT_WRITE"


def take_away() -> None:
    """Leave of POSIX what Windows has."""
    assert "lindy" not in sys.modules, "too late"
    for name in MODULES.split():
        sys.modules[name] = None  # type: ignore[assignment]  # an ImportError for who imports it
    for module, names in ((os, OF_OS), (signal, OF_SIGNAL), (mmap, OF_MMAP)):
        for name in names.split():
            if hasattr(module, name):
                delattr(module, name)
    missing = (
        asyncio.AbstractEventLoop.add_signal_handler
    )  # raises NotImplementedError, as a loop of Windows does
    asyncio.SelectorEventLoop.add_signal_handler = missing  # type: ignore[method-assign]
    sys.addaudithook(Refusals())


class Refusals:
    """Answers for what cannot be deleted: the files of Linux, and names of files that somebody has open."""

    def __init__(self) -> None:
        self._is_looking = False

    def __call__(self, event: str, given: tuple[object, ...]) -> None:
        """Called by Python before it does something."""
        if self._is_looking:
            return
        if event == "open" and str(given[0]).startswith(("/proc/", "/sys/")):
            raise FileNotFoundError(2, "No such file or directory", given[0])
        if event in ("os.rename", "os.remove"):
            for path in given[: 2 if event == "os.rename" else 1]:
                self._check(os.fsdecode(path), given)  # type: ignore[arg-type]

    def _check(self, path: str, given: tuple[object, ...]) -> None:
        self._is_looking = True
        try:
            folder = given[1] if len(given) == 2 and isinstance(given[1], int) and given[1] >= 0 else None
            name = os.path.realpath(path if folder is None else f"/proc/self/fd/{folder}/{path}")
            # files of the module tempfile: Windows makes them so that they vanish when they are closed
            if name in self._in_use() and not os.path.basename(name).startswith("tmp"):
                raise PermissionError(13, "The process cannot access the file: it is in use", path)
        finally:
            self._is_looking = False

    @staticmethod
    def _in_use() -> set[str]:
        names = set()
        for number in os.listdir("/proc/self/fd"):
            try:
                names.add(os.readlink(f"/proc/self/fd/{number}"))
            except FileNotFoundError:  # that of the listing itself
                continue
        with open("/proc/self/maps", encoding="utf-8") as file:
            names |= {line.split(maxsplit=5)[5].rstrip("\n") for line in file if "/" in line}
        return names


def import_all() -> None:
    """Import each module of lindy, and say how many there are."""
    import lindy

    names = [found.name for found in pkgutil.walk_packages(lindy.__path__, "lindy.")]
    # scripts of the labs run when they are imported, and __main__ is the command line
    names = [name for name in names if not name.endswith("__main__") and ".labs." not in name]
    for name in names:
        importlib.import_module(name)
    sys.stdout.write(f"{len(names)}\n")


def run_all(commands: list[list[str]]) -> int:
    """Run commands until one of them fails; returns its exit code."""
    from lindy.cli.app import run

    for command in commands:
        sys.stdout.write(f"\n$ lindy {' '.join(command)}\n")
        sys.stdout.flush()
        if code := run(command):
            return int(code)
    return 0


def main() -> int:
    """Do what was asked for."""
    what, *given = sys.argv[1:]
    if what != "everything":
        take_away()
    if what == "import":
        import_all()
        return 0
    if what == "serve":
        return run_all([["serve", *given]])
    return run_all(json.loads(given[0]))


if __name__ == "__main__":
    sys.exit(main())
