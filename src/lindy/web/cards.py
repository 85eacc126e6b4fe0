"""A model's card: what it is made of, how good it is, and what speaks for its labels."""

from __future__ import annotations

from typing import Any

import numpy as np

from lindy.explain import inspect
from lindy.web.messages import Card, ClassCount, DecisionsReply, FileFacts, Word
from lindy.web.shelf import Served

_WORDS = 20  # of each label


def card(served: Served) -> Card:
    """Return the card of a model."""
    model = served.classifier
    found = inspect(model, top=_WORDS)
    trained: dict[str, Any] = {
        "examples": int(model.class_counts_.sum()),
        "features": found.n_features,
        "weights": found.n_weights,
        "learner": found.learner,
        "metric": found.metric,
        "calibration": found.calibration,
        **{name: value for name, value in found.training.items() if name != "certificate"},
        **({} if found.rule is None else {"rule": {str(k): v for k, v in found.rule.items()}}),
    }
    return Card(
        name=served.name,
        recipe=model.recipe_,
        why=model.why_,
        classes=[
            ClassCount(label, n) for label, n in zip(served.labels, model.class_counts_.tolist(), strict=True)
        ],
        trained=trained,
        certificate=found.training.get("certificate"),
        metrics=[],
        confusion=None,
        words={
            str(label): [Word(name, value) for name, value in ranked if np.isfinite(value)]
            for label, ranked in found.top.items()
        },
        label_errors=[],
        held_out=None,
        tested_on=None,
        file=FileFacts(served.size, served.fingerprint),
    )


def decisions(served: Served) -> DecisionsReply:
    """Return how sure the model was of held-out examples."""
    return DecisionsReply(None, served.labels, None, None)
