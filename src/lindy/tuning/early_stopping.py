"""Learners that go over the texts in epochs, and stop before they get worse on texts that they have not seen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from lindy.estimators.learners import learners_with
from lindy.tuning.recipe import Recipe

PATIENCE = 5
"""Epochs without improvement on the held-out texts after which a learner stops."""
MOST_EPOCHS = 100


def options_for(share: float) -> dict[str, Any]:
    """Return the options of a learner that holds out this share of the texts.

    Raises
    ------
    ValueError
        If that is no share.
    """
    if not 0 < share < 1:
        raise ValueError(f"early_stop={share:g} is not a share of the texts between 0 and 1, such as 0.1")
    return {"held_out": share, "patience": PATIENCE, "epochs": MOST_EPOCHS}


def stop_early(learner: Any, share: float | None) -> None:
    """Tell a learner to hold texts out, if it is asked to and goes over them in epochs.

    Raises
    ------
    ValueError
        If it does not.
    """
    if share is None:
        return
    options, known = options_for(share), learner.get_params()
    if not options.keys() <= known.keys():
        raise ValueError(
            f"{learner.class_name} does not learn in epochs: stop {' or '.join(learners_with('patience'))} early; where"
            " a learner has C, a smaller one helps"
        )
    learner.set_params(**options)


def early_candidates(candidates: Sequence[Recipe], share: float) -> list[Recipe]:
    """Return the features of candidates with the learners that can stop early in the place of theirs.

    Both are made for weights: counts stay only where nothing else was left open.
    """
    features = list(dict.fromkeys(recipe.features for recipe in candidates))
    weighted = [own for own in features if own.weighting != "counts"] or features
    return [
        replace(candidates[0], features=own, learner=learner, params=options_for(share))
        for learner in ("mira", "perceptron")
        for own in weighted
    ]
