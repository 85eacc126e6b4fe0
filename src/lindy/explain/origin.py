"""The origin of an explanation: model and text, from which names, places and decisive words are computed when asked.

A label, its score and what each feature adds cost little beside the rest: what the features are called, where they
are in the text, and which words decide. Who does not look at these does not wait for them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lindy.explain.counterfactuals import Predict, find_flips
from lindy.explain.explanation import Explanation
from lindy.explain.explanation_parts import Flip
from lindy.features.table_input import RowText
from lindy.text.analysis.occurrences import Occurrences


@dataclass(frozen=True, slots=True)
class Origin:
    """The vectorizer, the columns of the text's row, the text (or row) as it is shown, and the model's predictions."""

    vectorizer: Any
    columns: NDArray[np.int64]
    shown: str | RowText
    predict: Predict
    most_flips: int

    def found(self) -> list[Occurrences]:
        """Return where the features are in the text."""
        found: list[Occurrences] = self.vectorizer.occurrences(self.shown, self.columns)
        return found

    def names(self, found: list[Occurrences]) -> list[str]:
        """Return what the features are called: hashed columns by the terms of the text that fell into them."""
        names: list[str] = self.vectorizer.names_of(self.columns)
        terms: dict[int, list[str]] = {}
        for o in found:
            for feature, spelt in o.terms.items():
                if names[feature].rpartition("#")[2].isdecimal():
                    terms.setdefault(feature, []).extend(spelt)
        return (
            [" | ".join(terms[i]) if i in terms else name for i, name in enumerate(names)] if terms else names
        )

    def recorded(self) -> dict[int, list[str]]:
        """Return the terms that were recorded of hashed columns."""
        recorded: dict[int, list[str]] = self.vectorizer.recorded_terms(self.columns)
        return recorded

    def pixels(self) -> NDArray[np.int64]:
        """Return which pixel of an image each feature is."""
        pixels: NDArray[np.int64] = self.vectorizer.pixels_of(self.columns)
        return pixels

    def flips(self, explanation: Explanation) -> tuple[list[Flip], int]:
        """Return the words without which the label is another, and how many were tried."""
        return find_flips(explanation, self.shown, self.predict, self.most_flips)
