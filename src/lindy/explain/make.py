"""Making an explanation: the row of a text and its contributions; the rest is found when it is asked for (`Origin`)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lindy.core.csr import Csr
from lindy.explain.by_examples import by_examples
from lindy.explain.counterfactuals import Predict
from lindy.explain.explanation import Explanation
from lindy.explain.origin import Origin
from lindy.features.inputs import KINDS
from lindy.features.table_input import RowText
from lindy.text.analysis.occurrences import Array

Example = Any  # a text, a row of a table or a dictionary of features (a mapping), or an image (an array)


def explain(
    vectorizer: Any,
    learner: Any,
    x: Example,
    *,
    row: Csr,
    label: Any,
    predict: Predict,
    score: NDArray[Any] | None = None,
    probabilities: Array | None = None,
    calibration: str | None = None,
    flips: int = 50,
) -> Explanation:
    """Explain the prediction of a text, or of a row of a table, by a fitted vectorizer and learner.

    Parameters
    ----------
    row : Csr
        What the vectorizer makes of the text: one row.
    label : label
        What the model as a whole predicts for it.
    predict : function from texts (or rows) to labels
        What the model as a whole predicts, for the texts without one word each; called when flips are asked for.
    score : array or None
        What the learner's decision function gives for the row; None asks it.
    probabilities : array (classes,) or None
        What the model as a whole gives as P(y | x).
    calibration : str or None
        How they were made of the scores, if they are calibrated.
    flips : int
        So many words, those that count most for the label, are tried: without which one would it be another?
    """
    shown = KINDS[vectorizer.takes].shown(x, vectorizer)
    text = shown.text if isinstance(shown, RowText) else shown
    score = np.asarray(learner.decision_function(row) if score is None else score).reshape(-1)
    decision = score.astype(np.float64)
    if learner.has_influences:
        by = by_examples(vectorizer, learner, row, decision)
    else:
        by = _by_features(learner, row.without_zeros(), score)
        by["origin"] = Origin(vectorizer, by["columns"], shown, predict, flips)
    return Explanation(
        text=text,
        label=label,
        classes=learner.classes_.tolist(),
        decision=decision,
        probabilities=probabilities,
        calibration=calibration,
        image=x if isinstance(x, np.ndarray) else None,
        **by,
    )


def _by_features(learner: Any, row: Csr, score: NDArray[Any]) -> dict[str, Any]:
    """Return the fields of an explanation by what each feature adds to the scores."""
    added, bias = learner.contributions(row)
    in_32_bits = score.dtype == np.float32
    return {
        "bias": bias,
        "length": learner._length_part(row),
        "rounding": score - (bias + added.sum(axis=0)) if in_32_bits else np.zeros(len(bias)),
        "columns": row.indices.astype(np.int64),
        "values": row.values.astype(np.float64),
        "added": added,
        "log_probabilities": learner.has_log_probabilities,
    }
