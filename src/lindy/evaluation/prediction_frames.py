"""Predictions as a data frame."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lindy.errors import MissingPackageError
from lindy.evaluation.decisions import Answers, Codes


def prediction_frame(answers: Answers, codes: Codes, classes: NDArray[Any], X: Any) -> Any:
    """Return predictions as a pandas data frame: label, its probability, and the probabilities of all classes.

    The index is that of X, if it is of pandas. Where there are only scores, the second column is called "score".
    A class that is called as one of the first two columns has "P(…)" around its name.
    """
    try:
        import pandas as pd
    except ImportError:
        raise MissingPackageError("as_frame=True needs pandas", "pip install pandas") from None
    what = "probability" if answers.are_probabilities else "score"
    columns = {"label": classes[codes], what: answers.values[np.arange(len(codes)), codes]}
    own = {f"P({c})" if c in columns else c: answers.values[:, k] for k, c in enumerate(classes.tolist())}
    return pd.DataFrame(columns | own, index=X.index if hasattr(X, "iloc") else None)
