"""Progress: what listeners hear, that shares never fall, and that terminals are left as they were."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

from lindy import KernelSVM, MaxEnt, Perceptron, TextClassifier
from lindy import progress as told
from lindy.data import read_examples, samples

Heard = list[tuple[float, str]]


def listener(heard: Heard) -> Any:
    return lambda share, news: heard.append((share, news))


def test_steps_nest_and_shares_never_fall() -> None:
    heard: Heard = []
    with told.listening(listener(heard)):
        with told.step(0.5, 1.0, "second half"), told.step(0.5, 0.75, "part 3", "of four"):
            pass
        with told.step(0.0, 0.1, "late news"):
            pass
    assert heard == [(0.5, "second half"), (0.75, "second half, part 3 (of four)"), (0.75, "late news")]


def test_nobody_listens_afterwards() -> None:
    heard: Heard = []
    with pytest.raises(RuntimeError), told.listening(listener(heard)):
        raise RuntimeError
    with told.step(0, 1, "unheard"):
        told.round_done(1, 0.5, 1e-4)
    assert heard == []


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_fit_tells_recipes_parts_and_rounds(n_jobs: int) -> None:
    data = read_examples(samples.path("reviews-train"))
    heard: Heard = []
    with told.listening(listener(heard), every=0):
        model = TextClassifier(n_jobs=n_jobs).fit(data.texts, data.labels)
    shares, news = [share for share, _ in heard], [said for _, said in heard]
    assert shares == sorted(shares)
    assert shares[0] < 0.05
    assert 0.9 < shares[-1] <= 1
    assert any(said.startswith("recipe 2 of 2, part 1 of 5") for said in news)
    assert any("round 2, gap " in said and "→ 5e-03" in said for said in news)
    assert any(said.startswith("strength, part 1 of 5") for said in news)
    assert any(said.startswith(f"{type(model.learner_).__name__} on all texts, round") for said in news)


@pytest.mark.parametrize(
    ("learner", "says"),
    [
        (MaxEnt(), "gap"),
        (MaxEnt(solver="lbfgs"), "gap"),
        (MaxEnt(penalty="l1"), "round"),
        (Perceptron(epochs=3, average=False), "pass 2 of 3"),
        (KernelSVM(), "gap"),
    ],
    ids=str,
)
def test_every_long_fit_tells_its_rounds(learner: Any, says: str) -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 30)), rng.integers(2, size=200)
    heard: Heard = []
    with told.listening(listener(heard), every=0), told.step(0, 1, "learning"):
        learner.fit(X, y)
    assert any(says in news for _, news in heard), heard


def test_rounds_are_told_only_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr(told.time, "monotonic", lambda: now[0])
    heard: Heard = []
    with told.listening(listener(heard)), told.step(0, 1, "learning"):
        for number in range(1000):
            now[0] += 0.01
            told.round_done(number, 0.1, 1e-4)
    assert 50 < len(heard) < 110


def test_progress_is_no_metadata_and_changes_no_model(tmp_path: Path) -> None:
    texts, labels = ["a good book", "a bad film", "good", "bad"] * 10, ["x", "y"] * 20
    files = []
    for name, progress in (("a", None), ("b", listener([])), ("c", True)):
        TextClassifier().fit(texts, labels, progress=progress).save(tmp_path / name)
        files.append((tmp_path / name).read_bytes())
    assert files[0] == files[1] == files[2]
    with pytest.raises(AttributeError):
        TextClassifier().set_predict_request(progress=True)


def test_a_notebook_gets_a_bar_that_goes_away(monkeypatch: pytest.MonkeyPatch) -> None:
    updates: list[str] = []
    handle = SimpleNamespace(update=updates.append)
    display: Any = ModuleType("IPython.display")
    display.HTML = str
    display.display = lambda page, display_id: updates.append(page) or handle
    shell: Any = ModuleType("IPython")
    shell.get_ipython = lambda: SimpleNamespace(kernel=None)
    monkeypatch.setitem(sys.modules, "IPython", shell)
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    with told.shown(True, "learning"), told.step(0.5, 1.0, "<b>recipe"):
        pass
    assert '<progress max="1" value="0.5000">' in updates[1]
    assert "&lt;b&gt;recipe" in updates[1]
    assert updates[-1] == ""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs a pseudo-terminal")
@pytest.mark.parametrize("interrupted", [False, True])
def test_a_terminal_shows_moving_frames_and_is_left_as_it_was(interrupted: bool) -> None:
    import pty

    script = (
        "import time\nfrom lindy import progress as p\n"
        "with p.shown(True, 'learning'):\n"
        "    for i in range(1, 400):\n"
        "        with p.step(min(i / 40, 0.99), 1, f'recipe {i}'): time.sleep(0.05)\n"
        "        if i == 40 and not INTERRUPTED: break\n"
    ).replace("INTERRUPTED", str(interrupted))
    pid, terminal = pty.fork()
    if pid == 0:
        os.environ.update(COLUMNS="100", TERM="xterm")
        os.execv(sys.executable, [sys.executable, "-c", script])
    seen, sent, end = b"", not interrupted, time.monotonic() + 60
    while time.monotonic() < end:
        try:
            piece = os.read(terminal, 65536)
        except OSError:
            break
        if not piece:
            break
        seen += piece
        if not sent and b"recipe" in seen:
            os.write(terminal, b"\x03")
            sent = True
    os.waitpid(pid, 0)
    os.close(terminal)
    assert b"learning: recipe" in seen
    assert b"left" in seen
    assert seen.count(b"\x1b[?25l") == seen.count(b"\x1b[?25h") == 1  # the cursor was hidden, and is back
    assert (b"KeyboardInterrupt" in seen) is interrupted
