"""The record of a small model: how many features it was made of, and what making it small has cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from operator import eq, ne
from typing import Any, Self

import numpy as np


@dataclass(frozen=True, slots=True)
class Loss:
    """The cost of making a model smaller, on labelled examples."""

    examples: int
    accuracy: float
    smaller_accuracy: float
    different: int

    def __str__(self) -> str:
        points = 0.0 - self.points
        return (
            f"accuracy {self.accuracy:.2%} before, {self.smaller_accuracy:.2%} after ({points:+.2f} points) on"
            f" {self.examples:,} examples; {self.different:,} of them get another label"
        ).replace("%", " %")

    @property
    def points(self) -> float:
        """How many points of accuracy are lost."""
        return 100 * (self.accuracy - self.smaller_accuracy)


def lost(model: Any, small: Any, examples: Any, labels: Any) -> Loss:
    """Return what a smaller model has lost against the model that it was made of, on labelled examples."""
    truth, before, after = map(_comparable, (labels, model.predict(examples), small.predict(examples)))
    right, still_right = (
        sum(map(eq, own, truth)) / len(truth) for own in (before, after)
    )  # of several labels: all of a text's
    return Loss(len(truth), right, still_right, sum(map(ne, before, after)))


def _comparable(labels: Any) -> list[Any]:
    """Return labels as text; several of a row as a set."""
    labels = labels.tolist() if isinstance(labels, np.ndarray) else labels
    return [frozenset(map(str, label)) if isinstance(label, tuple | list) else str(label) for label in labels]


@dataclass(frozen=True, slots=True)
class Small:
    """The origin of a small model, and its loss.

    Attributes
    ----------
    features : int, of the whole model
    loss : Loss or None, against the whole model on held-out examples, if there were any
    """

    features: int
    loss: Loss | None = None

    def __str__(self) -> str:
        of = f"made of a model of {self.features:,} features, weights of 8 bits"
        return of if self.loss is None else f"{of}; {self.loss}"

    def to_state(self) -> dict[str, Any]:
        """Return what the header of a model file holds."""
        return {"features": self.features} | ({} if self.loss is None else {"loss": asdict(self.loss)})

    @classmethod
    def from_state(cls, stored: Any) -> Self:
        """Return what the header of a model file holds; ValueError for anything else."""
        if not isinstance(stored, Mapping) or not {"features"} <= set(stored) <= {"features", "loss"}:
            raise ValueError("what a small model was made of is malformed")
        loss = stored.get("loss")
        known = {own.name: int if own.type == "int" else float for own in fields(Loss)}
        if loss is not None and (
            not isinstance(loss, dict)
            or loss.keys() != known.keys()
            or any(type(loss[name]) is not kind for name, kind in known.items())
        ):
            raise ValueError("what a small model has lost is malformed")
        if type(stored["features"]) is not int or stored["features"] < 1:
            raise ValueError("a small model was made of at least one feature")
        return cls(stored["features"], None if loss is None else Loss(**loss))
