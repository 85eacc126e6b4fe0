"""Exported models in Node: one process answers for many of them, so that thousands of texts take seconds."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lindy import TextClassifier
from lindy.evaluation.decisions import Decision, LabelLimits
from lindy.web.export.header import model_header
from lindy.web.export.packing import SOURCES, pack


def as_javascript_has_it(text: str) -> str:
    """Return a text in which two halves of a character that follow one another are that character."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


class Node:
    """A process of Node that holds an exported model."""

    def __init__(self) -> None:
        script = Path(__file__).with_name("ask_models.mjs")
        words = ["node", str(script), str(SOURCES / "model.mjs")]
        self._process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self._held: tuple[Any, ...] | None = None

    def close(self) -> None:
        """End the process."""
        self._process.communicate()

    def ask(
        self,
        model: TextClassifier,
        what: str,
        examples: list[Any],
        *,
        decision: Decision | None = None,
        limits: LabelLimits | None = None,
        **options: Any,
    ) -> list[Any]:
        """Return what the exported model's method, with options, says of each example."""
        request: dict[str, Any] = {"ask": what, "examples": examples, "options": options}
        held = (model, decision, limits)
        if self._held is None or any(a is not b for a, b in zip(held, self._held, strict=True)):
            self._held = held
            header = model_header(model, decision or Decision(), limits or LabelLimits())
            request["data"] = pack(header)
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        answers: list[Any] = json.loads(self._process.stdout.readline())
        return answers


def rows_of(vectorizer: Any, texts: list[Any]) -> list[tuple[list[int], list[float]]]:
    """Return the columns and values of each row, as JavaScript gives them."""
    rows = vectorizer.transform_csr(texts)
    ends = zip(rows.indptr[:-1].tolist(), rows.indptr[1:].tolist(), strict=True)
    return [(rows.indices[a:b].tolist(), rows.values[a:b].astype(np.float64).tolist()) for a, b in ends]


def assert_same_rows(node: Node, model: TextClassifier, texts: list[Any]) -> None:
    """Assert that the JavaScript makes the same features of texts, with the same values to the last bit."""
    expected = rows_of(model.vectorizer_, texts)
    for text, row, own in zip(texts, node.ask(model, "row", texts), expected, strict=True):
        require_same(text, row, dict(zip(("columns", "values"), own, strict=True)))


def require_same(example: Any, ours: Any, theirs: Any) -> None:
    """Fail with a short message where two answers differ; pytest's own would compare long lists for minutes."""
    if ours != theirs:
        pytest.fail(
            f"{str(example)[:200]!a}: JavaScript has {str(ours)[:500]}, the library {str(theirs)[:500]}"
        )


def number(value: Any) -> float:
    """Return a number out of JSON, which has infinities as strings."""
    return float(value)


def assert_same_answers(node: Node, model: TextClassifier, texts: list[Any]) -> None:
    """Assert that scores, probabilities and labels are those of the library, to the last bit."""
    answers = model.predictions(texts)
    scores = model.decision_function(texts).astype(np.float64)
    two = np.stack([-scores, scores], axis=1) if scores.ndim == 1 else scores
    names = [str(label) for label in model.classes_.tolist()]
    for i, said in enumerate(node.ask(model, "predict", texts)):
        require_same(texts[i], [number(said["scores"][name]) for name in names], two[i].tolist())
        require_same(texts[i], said["label"], model.classes_.tolist()[answers.best[i]])
        if answers.are_probabilities:
            own = [number(said["probabilities"][name]) for name in names]
            require_same(texts[i], own, answers.values[i].tolist())
        else:
            assert said["probabilities"] is None
