"""Ctrl-C at random moments: in every kind of fit, and in commands from the start of their process on; and rivals.

    python -m benchmarks.torture.interrupts [--times 50] [--commands 50]

A fit ends with KeyboardInterrupt within 1.5 seconds of the processor. A command ends with code 130 and one line, or was
done before; it leaves no half-written file. Only Python's own start, before lindy's ``main``, answers otherwise.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.hostile.long_fits import hard_rows, long_fits, texts

from benchmarks.torture._rivals import Liblinear
from lindy import load

LIMIT = 1.5  # seconds of the processor after the signal
MOMENTS = 0.25  # seconds within which the signal is sent
PATIENCE = 120.0  # seconds by the clock
MOST = 0.8  # seconds of the processor within which a command is interrupted


def cpu_seconds(pid: int) -> float:
    """Return how much of the processor a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def interrupted_fit(fit: Callable[[], Any], delay: float) -> tuple[str, float]:
    """Fork, fit, interrupt; return what became of it and after how many seconds of the processor."""
    sys.stdout.flush()
    # in a fork Python first runs handlers of its own, which swallow an interrupt
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    pid = os.fork()
    if pid == 0:
        _fit_and_exit(fit)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])
    time.sleep(delay)
    before = cpu_seconds(pid)
    os.kill(pid, signal.SIGINT)
    waited = 0.0
    while True:
        done, status, used = os.wait4(pid, os.WNOHANG)
        if done:
            spent = used.ru_utime + used.ru_stime - before
            break
        time.sleep(0.01)
        waited += 0.01
        spent = cpu_seconds(pid) - before
        if spent > 4 * LIMIT or waited > PATIENCE:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            return "ignored", spent
    if os.WIFSIGNALED(status) or os.WEXITSTATUS(status) != 130:
        return "wrong", spent
    return "stopped" if spent <= LIMIT else "late", spent


def _fit_and_exit(fit: Callable[[], Any]) -> None:
    code = 1
    try:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        quiet = os.open(os.devnull, os.O_WRONLY)
        os.dup2(quiet, 1)
        os.dup2(quiet, 2)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])
        while True:
            fit()
    except KeyboardInterrupt:
        code = 130
    finally:
        os._exit(code)


def rival_fits() -> dict[str, Callable[[], Any]]:
    """Return fits of the rivals on the same rows that take long."""
    from sklearn.linear_model import LogisticRegression, SGDClassifier
    from sklearn.naive_bayes import MultinomialNB
    from sklearn.svm import LinearSVC

    X, y = hard_rows(1000, 60)
    models = {
        "LinearSVC": LinearSVC(C=1e6, max_iter=10**6, tol=1e-15),
        "LinearSVC(dual=True)": LinearSVC(C=1e6, max_iter=10**6, tol=1e-15, dual=True),
        "LogisticRegression": LogisticRegression(C=1e6, max_iter=10**6, tol=1e-15),
        "SGDClassifier": SGDClassifier(max_iter=10**6, tol=None),
        "MultinomialNB": MultinomialNB(),
        "Liblinear": Liblinear(C=1e6),
    }
    return {name: lambda model=model: model.fit(X, y) for name, model in models.items()}


def fit_table(title: str, fits: dict[str, Callable[[], Any]], times: int, rng: random.Random) -> list[str]:
    """Print a line per fit; return those that did not stop."""
    print(f"\n{title:32}{'stopped':>9}{'late':>7}{'ignored':>9}{'wrong':>7}{'longest':>10}")
    failed = []
    for name, fit in fits.items():
        outcomes = [interrupted_fit(fit, rng.uniform(0, MOMENTS)) for _ in range(times)]
        counts = Counter(outcome for outcome, _ in outcomes)
        words = f"{counts['stopped']:>9}{counts['late']:>7}{counts['ignored']:>9}{counts['wrong']:>7}"
        print(f"{name:32}{words}{max(spent for _, spent in outcomes):>8.2f} s", flush=True)
        if counts["stopped"] < times:
            failed.append(f"{title}, {name}: {dict(counts)}")
    return failed


def interrupted_command(words: list[str], output: Path, delay: float) -> str:
    """Start a command, interrupt it when it has used so much of the processor, and return what became of it."""
    output.unlink(missing_ok=True)
    process = subprocess.Popen(
        [str(Path(sys.executable).with_name("lindy")), *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONFAULTHANDLER": "1"},
    )
    while process.poll() is None and cpu_seconds(process.pid) < delay:
        time.sleep(0.005)
    process.send_signal(signal.SIGINT)
    try:
        _, err = process.communicate(timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGABRT)  # shows where it is
        err = process.communicate()[1]
    if (found := answer(process.returncode, err)).startswith("wrong"):
        print(err, file=sys.stderr)
    left = [entry.name for entry in output.parent.iterdir() if entry.name.startswith(".lindy")]
    if left:
        return f"left {left}"
    if output.exists() and output.suffix == ".lindy":
        load(output)
    return found


def answer(code: int, err: str) -> str:
    """Return how a process answered the interrupt.

    In Python's own start, before the first line of lindy's ``main``, the signal ends the process at once, or Python
    prints a traceback without that function, or one of an exception that it ignores; then the command is done as usual.
    Later an exception that Python ignores is not printed.
    """
    lines = err.strip().splitlines()
    if code == 130 and "Traceback" not in err and lines and lines[-1].startswith("error: interrupted"):
        return "told"
    if code == 0 and "Traceback" not in err:
        return "done before"
    in_main = re.search(r'cli/__init__\.py", line \d+, in main', err)
    of_python = not err or "KeyboardInterrupt" in err
    if code in (0, 1, -signal.SIGINT) and of_python and not in_main:
        return "start"
    return f"wrong: code {code}, {lines[-1:] or 'no line'}"


def command_table(times: int, rng: random.Random) -> list[str]:
    """Print a line per command; return those that were answered wrongly."""
    print(f"\n{'command, from its process on':32}{'told':>9}{'done':>7}{'start':>9}{'wrong':>7}")
    failed = []
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "texts.csv"
        lines = [f"{text},{'good' if number % 2 else 'bad'}" for number, text in enumerate(texts(1500))]
        table.write_text("text,label\n" + "\n".join(lines) + "\n")
        model, page = Path(folder) / "m.lindy", Path(folder) / "found.json"
        commands = {
            "train": (["train", str(table), "-o", str(model)], model),
            **{
                f"train {name}": (["train", str(table), "-o", str(model), "--learner", name], model)
                for name in ("svm", "naive-bayes", "kernel-svm")
            },
            "tune": (["tune", str(table), "-o", str(model), "--trials", "5"], model),
            "compare": (["compare", str(table)], page),
        }
        for name, (words, output) in commands.items():
            counts = Counter(interrupted_command(words, output, rng.uniform(0, MOST)) for _ in range(times))
            wrong = sum(n for what, n in counts.items() if what not in ("told", "done before", "start"))
            shown = f"{counts['told']:>9}{counts['done before']:>7}{counts['start']:>9}"
            print(f"{name:32}{shown}{wrong:>7}", flush=True)
            if wrong:
                failed.append(f"{name}: {dict(counts)}")
    return failed


def main() -> int:
    """Print the tables; 1 if lindy breaks the promise."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=50, help="interrupts of each kind of fit")
    parser.add_argument("--commands", type=int, default=50, help="interrupts of each command")
    options = parser.parse_args()
    # a run in the background ignores Ctrl-C and would hand that down to the commands
    signal.signal(signal.SIGINT, signal.default_int_handler)
    rng = random.Random(0)
    print(f"{options.times} interrupts of each fit, {options.commands} of each command")
    print(
        f"stopped: within {LIMIT} s of the processor after Ctrl-C; ignored: still running after {4 * LIMIT:g} s"
    )
    print("told: code 130 and one line; start: in Python's own start, before lindy's main")
    failed = fit_table("lindy", long_fits(), options.times, rng)
    try:
        fit_table("rivals", rival_fits(), min(options.times, 3), rng)
    except ImportError as error:
        print(f"rivals: not installed, not measured ({error})")
    failed += command_table(options.commands, rng)
    for what in failed:
        print("lindy breaks its promise:", what)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
