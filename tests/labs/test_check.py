"""Checks of students' code: right functions pass, and usual mistakes are told apart."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lindy.cli.app import run
from lindy.errors import DataError
from lindy.labs import check
from lindy.labs.checks import outcome
from lindy.labs.grading import code_cells, grade


@pytest.fixture(autouse=True)
def nothing_before(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outcome, "_results", [])
    monkeypatch.setattr(outcome, "_failures", {})


def perceptron(W, x, y, *, sign=1, bias=True, ties=False, last=False, both=True, always=False):
    W, scores = W.copy(), x @ W
    y_hat = int(np.argmax(scores))
    if last:
        y_hat = len(scores) - 1 - int(np.argmax(scores[::-1]))
    if ties:
        rest = np.where(np.arange(len(scores)) == y, -np.inf, scores)
        y_hat = int(np.argmax(rest)) if rest.max() >= scores[y] else y
    if always:
        y_hat = int(np.argmax(np.where(np.arange(len(scores)) == y, -np.inf, scores)))
    step = x if bias else np.append(x[:-1], 0)
    if y_hat != y:
        W[:, y] += sign * step
        if both:
            W[:, y_hat] -= sign * step
    return W


def averaged(X, y, K, epochs, *, how="after"):
    W = np.zeros((X.shape[1], K))
    total, n = np.zeros_like(W), 0
    for _ in range(epochs):
        for x, label in zip(X, y, strict=True):
            if how == "before":
                total += W
            W = perceptron(W, x, label)
            total += W if how != "before" else 0
            n += 1
    return {"last": W, "sum": total, "off by one": total / (n + 1)}.get(how, total / n)


def mira(W, x, y, C, *, cap=True, length=2, sign=1, bias=True):
    W, scores = W.copy(), x @ W
    y_hat = int(np.argmax(scores))
    if y_hat != y:
        tau = (scores[y_hat] - scores[y] + 1) / (length * x @ x)
        tau = min(C, tau) if cap else tau
        step = x if bias else np.append(x[:-1], 0)
        W[:, y] += sign * tau * step
        W[:, y_hat] -= sign * tau * step
    return W


def probabilities(scores):
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def maxent(W, X, y, lam, *, sign=1, mean=True, penalty=1.0):
    G = X.T @ (probabilities(X @ W) - np.eye(W.shape[1])[y])
    return sign * ((G / len(y) if mean else G) + penalty * lam * W)


def maxent_step(W, x, y, eta, lam, *, shrink=True, sign=1):
    step = np.outer(x, np.eye(W.shape[1])[y] - probabilities(x @ W))
    return (1 - lam * eta if shrink else 1) * W + sign * eta * step


def svm_step(W, x, y, eta, lam, *, cost=1.0, shrink=True):
    scores = x @ W + cost * (np.arange(W.shape[1]) != y)
    worst = int(np.argmax(scores))
    W = (1 - lam * eta if shrink else 1) * W
    if worst != y:
        W[:, y] += eta * x
        W[:, worst] -= eta * x
    return W


def pegasos(w, x, y, lam, t, *, off=0, shrink=True, sign=1, bias=True, late=False, margin=1):
    eta, inside = 1 / (lam * (t + off)), y * (w @ x) < margin
    w = (1 - eta * lam if shrink else 1) * w
    if late:
        inside = y * (w @ x) < margin
    step = x if bias else np.append(x[:-1], 0)
    return w + sign * eta * y * step if inside else w


def naive_bayes(X, y, *, k=1.0, how="tokens"):
    K = int(y.max()) + 1
    n_y = np.array([(y == c).sum() for c in range(K)])
    counts = np.stack([X[y == c].sum(axis=0) for c in range(K)], axis=1) + k
    P = counts / (counts.sum(axis=0) if how != "documents" else n_y + X.shape[1])
    P_y = n_y / len(y)
    return (np.log(P_y), np.log(P)) if how == "logs" else (P_y, P)


def gaussian(X, y, *, ddof=0, root=False):
    K = int(y.max()) + 1
    var = np.stack(
        [X[y == c].var(axis=0) * (n / max(n - ddof, 1)) for c in range(K) for n in [(y == c).sum()]], axis=1
    )
    mu = np.stack([X[y == c].mean(axis=0) for c in range(K)], axis=1)
    return np.array([(y == c).mean() for c in range(K)]), mu, np.sqrt(var) if root else var


def kernel_perceptron(K, y, epochs, *, zero=1):
    alpha = np.zeros(len(y))
    for _ in range(epochs):
        for t in range(len(y)):
            score = (alpha * y) @ K[:, t]
            alpha[t] += (np.sign(score) or zero) != y[t]
    return alpha


RIGHT: dict[str, Callable[..., Any]] = {
    "perceptron": perceptron,
    "averaged_perceptron": averaged,
    "mira": mira,
    "maxent": maxent,
    "maxent_step": maxent_step,
    "svm_step": svm_step,
    "pegasos": pegasos,
    "naive_bayes": naive_bayes,
    "gaussian_naive_bayes": gaussian,
    "polynomial_kernel": lambda x, z, d: (x @ z + 1) ** d,
    "rbf_kernel": lambda x, z, gamma: np.exp(-gamma * ((x - z) ** 2).sum()),
    "kernel_perceptron": kernel_perceptron,
}
MISTAKES = [
    ("perceptron", {"sign": -1}, "wrong sign"),
    ("perceptron", {"bias": False}, "weight of the bias"),
    ("perceptron", {"ties": True}, "did you update on ties?"),
    ("perceptron", {"last": True}, "of equal ones the first is predicted, not another"),
    ("perceptron", {"both": False}, "Only the weights of one class changed"),
    ("perceptron", {"always": True}, "the example is right already"),
    ("averaged_perceptron", {"how": "last"}, "you forgot the average"),
    ("averaged_perceptron", {"how": "sum"}, "divide by how many"),
    ("averaged_perceptron", {"how": "off by one"}, "one more than there are"),
    ("averaged_perceptron", {"how": "before"}, "before every example"),
    ("mira", {"cap": False}, "too long"),
    ("mira", {"length": 1}, "too long"),
    ("mira", {"sign": -1}, "wrong sign"),
    ("mira", {"bias": False}, "weight of the bias"),
    ("maxent", {"sign": -1}, "other sign"),
    ("maxent", {"mean": False}, "their mean"),
    ("maxent", {"penalty": 0.0}, "penalty's is missing"),
    ("maxent", {"penalty": 2.0}, "derivative of λ/2"),
    ("maxent_step", {"shrink": False}, "not shrunk by λ"),
    ("maxent_step", {"sign": -1}, "wrong sign"),
    ("svm_step", {"shrink": False}, "not shrunk by λ"),
    ("svm_step", {"cost": 0.0}, "step along the loss is missing"),
    ("pegasos", {"off": 1}, "step of t = 2, and t is 1"),
    ("pegasos", {"off": -1}, "t counts from 1"),
    ("pegasos", {"late": True}, "after w had shrunk"),
    ("pegasos", {"margin": 2}, "should only have shrunk"),
    ("pegasos", {"shrink": False}, "not shrunk by λ"),
    ("pegasos", {"sign": -1}, "wrong sign"),
    ("pegasos", {"bias": False}, "weight of the bias"),
    ("naive_bayes", {"k": 0.0}, "not smoothed"),
    ("naive_bayes", {"how": "documents"}, "word tokens"),
    ("naive_bayes", {"how": "logs"}, "logarithms"),
    ("gaussian_naive_bayes", {"ddof": 1}, "n − 1"),
    ("gaussian_naive_bayes", {"root": True}, "standard deviations"),
    ("kernel_perceptron", {"zero": -1}, "counts for +1"),
]


@pytest.mark.parametrize("name", RIGHT)
def test_right_functions_pass(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    getattr(check, name)(RIGHT[name])
    assert check.results()[-1].passed
    assert f"{name}: ✓ all " in capsys.readouterr().out


@pytest.mark.parametrize(("name", "mistake", "told"), MISTAKES, ids=str)
def test_mistakes_are_told_apart(name: str, mistake: dict[str, Any], told: str) -> None:
    def wrong(*arguments: Any) -> Any:
        with np.errstate(all="ignore"):
            return RIGHT[name](*arguments, **mistake)

    getattr(check, name)(wrong)
    found = check.results()[-1]
    assert not found.passed
    assert told in found.message


def test_every_check_has_mistakes_and_every_name_is_told_in_the_docstring() -> None:
    checks = set(check.__all__) - {"Outcome", "results"}
    assert checks == set(RIGHT)
    assert checks - {name for name, _, _ in MISTAKES} == {"polynomial_kernel", "rbf_kernel"}
    assert all(f"``{name}(" in (check.__doc__ or "") for name in checks)


@pytest.mark.parametrize(
    ("name", "kernel", "told"),
    [
        ("polynomial_kernel", lambda x, z, d: (x @ z) ** d, "The 1 is missing"),
        ("polynomial_kernel", lambda x, z, _: x @ z + 1, "The power is missing"),
        ("rbf_kernel", lambda x, z, gamma: np.exp(-gamma * np.linalg.norm(x - z)), "not squared"),
        ("rbf_kernel", lambda x, z, gamma: np.exp(gamma * ((x - z) ** 2).sum()), "a sign is missing"),
    ],
)
def test_mistakes_of_kernels(name: str, kernel: Callable[..., Any], told: str) -> None:
    getattr(check, name)(kernel)
    assert told in check.results()[-1].message


def test_in_place_is_as_good() -> None:
    def update(W, x, y):
        W[:] = perceptron(W, x, y)

    check.perceptron(update)
    assert check.results()[-1].passed


def test_what_goes_wrong_in_a_function_is_told() -> None:
    check.perceptron(lambda W, x, y: W + undefined)  # type: ignore[name-defined]  # noqa: F821
    assert "your function raised NameError: name 'undefined' is not defined" in check.results()[-1].message
    check.perceptron(lambda W, x, y: W.T)
    assert "(is it transposed?)" in check.results()[-1].message
    check.perceptron(lambda W, x, y: "words")
    assert "returned str, expected numbers" in check.results()[-1].message
    check.naive_bayes(lambda X, y: X)
    assert "expected 2 arrays" in check.results()[-1].message
    for silent in (check.naive_bayes, check.polynomial_kernel, check.averaged_perceptron):
        silent(lambda *_: None)
        assert "returned nothing" in check.results()[-1].message
    check.naive_bayes(naive_bayes(np.eye(2), np.array([0, 1])))
    assert "check.naive_bayes(my_function), got tuple" in check.results()[-1].message
    assert not check.results()[-1].passed


def test_hints_grow_and_are_forgotten_when_it_works() -> None:
    def wrong(W, x, y):
        return perceptron(W, x, y, sign=-1)

    told = []
    for _ in range(4):
        check.perceptron(wrong)
        told.append(check.results()[-1].message.count("Hint: "))
    assert told == [0, 1, 2, 2]
    check.perceptron(perceptron)
    check.perceptron(wrong)
    assert "Hint: " not in check.results()[-1].message


def notebook(path: Path, *cells: str) -> Path:
    made = {"cells": [{"cell_type": "code", "source": [cell]} for cell in cells], "nbformat": 4}
    path.write_text(json.dumps(made))
    return path


GOOD = "def kernel(x, z, d):\n    return (x @ z + 1) ** d"


def test_notebooks_are_graded(tmp_path: Path) -> None:
    path = notebook(
        tmp_path / "n.ipynb",
        "%matplotlib inline\nfrom lindy.labs import check",
        GOOD + "\ncheck.polynomial_kernel(kernel)",
        "check.rbf_kernel(kernel)\nprint('done')",
        "1 / 0\ncheck.perceptron(kernel)",
    )
    grades = grade(path)
    assert [(own.check, own.result) for own in grades] == [
        ("polynomial_kernel", "passed"),
        ("rbf_kernel", "failed"),
        ("perceptron", "not run"),
    ]
    assert "cell 4: ZeroDivisionError" in grades[2].message


def test_notebooks_that_end_early_or_never(tmp_path: Path) -> None:
    start = "from lindy.labs import check\n"
    ended = notebook(tmp_path / "e.ipynb", f"{start}import os\nos._exit(3)\ncheck.pegasos(None)")
    assert "ended early" in grade(ended)[0].message
    endless = notebook(tmp_path / "l.ipynb", f"{start}while True: pass\ncheck.pegasos(None)")
    assert "longer than 3 s" in grade(endless, seconds=3)[0].message


@pytest.mark.parametrize(
    ("text", "told"),
    [("{}", "not a Jupyter notebook"), ('{"cells": []}', "no cell calls a check"), (None, "no such file")],
)
def test_what_is_no_notebook_is_refused(tmp_path: Path, text: str | None, told: str) -> None:
    path = tmp_path / "x.ipynb"
    if text is not None:
        path.write_text(text)
    with pytest.raises(DataError, match=told):
        grade(path)


def test_the_hand_out_calls_the_checks_and_the_command_grades_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["lab", "4", "--part", "yourself", "--notebook", "--output", str(tmp_path)]) == 0
    handout, solved = tmp_path / "yourself.ipynb", tmp_path / "yourself-solutions.ipynb"
    assert "# your solution" in handout.read_text(encoding="utf-8")
    assert "inside" not in handout.read_text(encoding="utf-8"), "the solution is not handed out"
    capsys.readouterr()
    assert run(["lab", "--grade", str(solved), str(handout)]) == 0
    told = capsys.readouterr().out
    assert f"{solved}: 1 of 1 checks passed" in told
    assert f"{handout}: 0 of 1 checks passed" in told
    assert "NameError: name 'step' is not defined" in told
    assert run(["lab", "4", "--grade", str(solved)]) == 2
    assert "argument N: " in capsys.readouterr().err


@pytest.mark.parametrize("lab", ["1", "3", "4"])
def test_every_check_of_a_hand_out_is_in_a_cell_of_its_own(lab: str, tmp_path: Path) -> None:
    assert (
        run(["lab", lab, "--part", "yourself", "--notebook", "--exercises", "--output", str(tmp_path)]) == 0
    )
    calls = [cell.count("check.") for cell in code_cells(tmp_path / "yourself.ipynb")]
    assert sum(calls) >= 1
    assert max(calls) == 1, "one that is not solved yet must not keep another from being run"
