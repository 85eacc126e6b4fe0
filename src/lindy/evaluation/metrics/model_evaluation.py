"""The evaluation of a model's predictions, whether it gives one label to a text or several."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lindy.core.hierarchy import Hierarchy
from lindy.core.targets import ManyLabels, Targets, as_lists
from lindy.errors import DataError
from lindy.evaluation.metrics.class_metrics import Evaluation, evaluate
from lindy.evaluation.metrics.hierarchical import with_hierarchy
from lindy.evaluation.metrics.label_metrics import LabelEvaluation, evaluate_labels
from lindy.evaluation.predictions import LabelLists, Predictions


def evaluate_predictions(
    predictions: Predictions,
    truth: Targets,
    classes: ArrayLike,
    *,
    thresholds: ArrayLike | None = None,
    hierarchy: Hierarchy | None = None,
    of_probabilities: bool = True,
    resamples: int = 0,
    random_state: int = 0,
) -> Evaluation | LabelEvaluation:
    """Compare what a model said of rows with their labels.

    Labels are compared by their names as text where those of the model are of another type than those of the rows.

    Parameters
    ----------
    predictions : Predictions
    truth : Targets
        One label per row, or any number of them if that is what was predicted.
    classes : list of labels, the columns of the predictions' values
    thresholds : array (classes,) or None
        Of several labels, for the table of labels.
    hierarchy : Hierarchy or None
        What stands above the classes, for hierarchical precision, recall and F1.
    of_probabilities : bool
        Whether the probabilities of one label per row are judged as well, where there are some.
    resamples, random_state : int
        Bootstrap resamples for the intervals of the figures of one label per row, and their seed.
    """
    own = np.asarray(classes)
    if isinstance(predictions.chosen, LabelLists):
        return evaluate_labels(as_lists(truth), predictions, own, thresholds, hierarchy)
    if isinstance(truth, ManyLabels):
        raise DataError(
            "rows have several labels, and the model gives one to each text",
            "Give one label per row, or train a model of several labels.",
        )
    names: NDArray[np.object_] = truth.names.astype(object)
    own = own.astype(object)
    if len({type(name) for name in (*names, *own)}) > 1:
        names, own = (np.array([str(name) for name in each], object) for each in (names, own))
    judged = of_probabilities and predictions.are_probabilities
    result = evaluate(
        names[truth.codes],
        own[predictions.best],
        *((predictions.values, own) if judged else ()),
        resamples=resamples,
        random_state=random_state,
    )
    return with_hierarchy(result, hierarchy)
