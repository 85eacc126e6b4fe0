"""The explanation of one prediction: plain data, from which the renderers draw."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lindy.estimators.notebook import shown
from lindy.explain.explanation_parts import (
    Feature,
    Flip,
    GivenLabels,
    Line,
    Segment,
    SupportExample,
    character_credit,
    cut,
    finite,
    sums,
)
from lindy.text.analysis.occurrences import Array, Occurrences

if TYPE_CHECKING:
    from lindy.explain.make import Origin

BIAS, LENGTH, ROUNDING = "(bias)", "(length)", "(rounding)"


@dataclass(frozen=True)
class Explanation:
    """Why a text got its label.

    What is asked of ``origin`` is found when it is first wanted, and kept: names and places of features, flips. An
    explanation that is pickled has found everything, and needs the model no more.

    Attributes
    ----------
    text, label : the text and its predicted label; of several labels the one that comes first
    classes : the labels in the order of the scores
    decision : array, what ``decision_function`` gives
    probabilities : array (classes,) or None, what ``predict_proba`` gives
    calibration : str or None, the method that made them of the scores
    bias : array (columns,), what the scores begin with
    length : array (columns,) or None, what of the bias is the length of the text, where that has a distribution
    rounding : array (columns,), what ``decision_function`` loses by adding in 32 bits; 0 where it adds in 64
    columns, values : arrays (features,), the text's row
    added : array (features, columns), what each feature adds to each score
    log_probabilities : whether features add log probabilities, as in multinomial naive Bayes; those of other learners
        add weights or log odds
    image : array (rows, columns) or None, the image in the place of a text
    support : of kernel models, a function of two labels that returns the support examples, those that add most to the
        lead of the first over the second first
    origin : what names, places and flips are asked of; None for kernel models, which have none of them
    several : of a model of several labels those that the text gets, and from where on; None for one of one label
    """

    text: str
    label: Any
    classes: list[Any]
    decision: Array
    probabilities: Array | None
    bias: Array
    rounding: Array
    columns: NDArray[np.int64]
    values: Array
    added: Array
    log_probabilities: bool = False
    calibration: str | None = None
    length: Array | None = None
    support: Callable[[Any, Any], list[SupportExample]] | None = field(default=None, repr=False)
    image: NDArray[Any] | None = field(default=None, repr=False)
    origin: Origin | None = field(default=None, repr=False)
    several: GivenLabels | None = None

    @cached_property
    def found(self) -> list[Occurrences]:
        """Where the features are in the text."""
        return [] if self.origin is None else self.origin.found()

    @cached_property
    def names(self) -> list[str]:
        """The features' names."""
        return [] if self.origin is None else self.origin.names(self.found)

    @cached_property
    def recorded(self) -> dict[int, list[str]]:
        """The terms that were recorded of hashed columns."""
        return {} if self.origin is None else self.origin.recorded()

    @cached_property
    def pixels(self) -> NDArray[np.int64] | None:
        """Which pixel of an image each feature is; −1 for those that are none."""
        return None if self.origin is None else self.origin.pixels()

    @cached_property
    def _flips(self) -> tuple[list[Flip], int]:
        return ([], 0) if self.origin is None else self.origin.flips(self)

    @property
    def flips(self) -> list[Flip]:
        """Words without which the label would be another, or of several labels others would be given."""
        return self._flips[0]

    @property
    def tried(self) -> int:
        """How many words were tried for that."""
        return self._flips[1]

    @property
    def stays(self) -> str:
        """The end of the sentence that no word changes the answer."""
        return "the label stays" if self.several is None else "the labels stay"

    def __getstate__(self) -> dict[str, Any]:
        found = {name: getattr(self, name) for name in ("found", "names", "recorded", "pixels", "_flips")}
        return vars(self) | found | {"origin": None}

    @property
    def what(self) -> str:
        """The kind of the example: a text or an image."""
        return "text" if self.image is None else "image"

    def heat(self, label: Any = None, other: Any = None) -> Array | None:
        """Return what each pixel of an image adds to ``label``'s lead over ``other``; None if pixels add nothing."""
        if self.image is None or self.pixels is None or not (self.pixels >= 0).any():
            return None
        own = self.pixels >= 0
        added = finite(self.against(label, other)[0])
        heat = np.bincount(self.pixels[own], added[own], self.image.size)
        return heat.reshape(self.image.shape).astype(np.float64)

    @property
    def score_labels(self) -> list[Any]:
        """The label of each column of the scores; a single column is the score of the second class."""
        only_second = len(self.bias) == 1 and len(self.classes) == 2
        return self.classes[1:] if only_second else self.classes[: len(self.bias)]

    @property
    def scores(self) -> Array:
        """The sums: bias and everything that was added."""
        total: Array = self.bias + self.added.sum(axis=0) + self.rounding
        return total

    @property
    def summed_decision(self) -> Array:
        """The decision by the sums: equal to ``decision`` up to rounding."""
        scores = self.scores
        if len(self.classes) == 2 and len(scores) == 2 and self.several is None:
            return difference(scores[1:], scores[:1])
        return scores

    @property
    def runner_up(self) -> Any:
        """The label with the next best score."""
        scores = self.class_scores(self.scores[None, :])[0]
        others = [i for i, label in enumerate(self.classes) if label != self.label]
        return self.classes[max(others, key=lambda i: scores[i])] if others else self.label

    def class_scores(self, per_column: Array) -> Array:
        """Return numbers per column as numbers per class; of a single column s the two classes get −s/2 and s/2."""
        if per_column.shape[-1] == 1 and len(self.classes) == 2:
            halves: Array = per_column * np.array([-0.5, 0.5])
            return halves
        return per_column

    def _number(self, label: Any) -> int:
        for i, known in enumerate(self.classes):
            if known == label or str(known) == str(label):
                return i
        raise ValueError(f"{label!r} is not among the classes {self.classes}")

    def pair(self, label: Any = None, other: Any = None) -> tuple[Any, Any]:
        """Return the two labels to compare: by default the predicted one, and the best of the others.

        Several labels do not compete: by default there is no other one, and None is returned for it.
        """
        label = self.label if label is None else label
        if other is None and self.several is None:
            other = self.runner_up if label == self.label else self.label
        return label, other

    def against(self, label: Any = None, other: Any = None) -> tuple[Array, float]:
        """Return what each feature adds to ``label``'s lead over ``other``, and the bias's part; see `pair`.

        Without another label it is what each adds to the label's own score.
        """
        label, other = self.pair(label, other)
        a = self._number(label)
        if other is None:
            return self.added[:, a], float(self.bias[a])
        b = self._number(other)
        if len(self.bias) == 1 and len(self.classes) == 2:
            sign = 0.0 if a == b else (1.0 if a == 1 else -1.0)
            return self.added[:, 0] * sign, float(self.bias[0] * sign)
        if len(self.bias) < len(self.classes):
            return self.added[:, 0], float(self.bias[0])
        bias = difference(self.bias[[a]], self.bias[[b]])
        return difference(self.added[:, a], self.added[:, b]), float(bias[0])

    def order(self, label: Any = None, other: Any = None) -> NDArray[np.intp]:
        """Return the features, those that move the lead most first."""
        return np.argsort(-np.abs(self.against(label, other)[0]), kind="stable")

    def features(self, top: int | None = None, label: Any = None, other: Any = None) -> list[Feature]:
        """Return the features, those that move ``label``'s lead over ``other`` most first."""
        spans, names, recorded = self._spans(), self.names, self.recorded
        order = self.order(label, other)[:top]
        rows = (order, self.columns[order], self.values[order], self.added[order])
        return [
            Feature(
                name=names[i],
                column=column,
                value=value,
                added=tuple(added),
                spans=tuple(sorted(spans(i))),
                also=tuple(t for t in recorded.get(column, ()) if t not in names[i].split(" | ")),
            )
            for i, column, value, added in zip(*(row.tolist() for row in rows), strict=True)
        ]

    def _spans(self) -> Callable[[int], list[tuple[int, int]]]:
        """Return the function that finds the places of a feature."""
        parts = []
        for o in self.found:
            order = np.argsort(o.feature, kind="stable")
            places = np.stack([o.spans[o.first, 0], o.spans[o.last - 1, 1]], axis=1)[order]
            bounds = np.searchsorted(o.feature[order], np.arange(len(self.columns) + 1))
            parts.append((bounds.tolist(), places))

        def find(feature: int) -> list[tuple[int, int]]:
            return [
                (begin, end)
                for bounds, places in parts
                for begin, end in places[bounds[feature] : bounds[feature + 1]].tolist()
            ]

        return find

    def running_total(
        self, top: int | None = None, label: Any = None, other: Any = None, *, in_text_order: bool = False
    ) -> list[Line]:
        """Return the table of running totals: the bias, the features, and the sums after each.

        With ``top``, the features beyond are one line; the last total is the score, whatever the order.
        """
        order = self.order(label, other)
        shown = order if top is None else order[:top]
        if in_text_order:
            shown = shown[np.argsort(self._first_places()[shown], kind="stable")]
        steps: list[tuple[str, float | None, Array]] = [(BIAS, None, self.bias)]
        if self.length is not None:
            steps = [
                (BIAS, None, self.bias - self.length),
                (LENGTH, float(self.values.sum()), self.length),
            ]
        steps += [(self.names[i], float(self.values[i]), self.added[i]) for i in shown.tolist()]
        if rest := len(order) - len(shown):
            steps.append((f"({rest:,} more features)", None, self.added[order[len(shown) :]].sum(axis=0)))
        if np.abs(self.rounding).max(initial=0.0) > 0:
            steps.append((ROUNDING, None, self.rounding))
        total = np.zeros(len(self.bias))
        lines = []
        for name, value, added in steps:
            total = total + added
            lines.append(Line(name, value, tuple(added.tolist()), tuple(total.tolist())))
        return lines

    def _first_places(self) -> NDArray[np.int64]:
        """Return where each feature occurs first in the text."""
        first = np.full(len(self.columns), len(self.text), np.int64)
        for o in self.found:
            np.minimum.at(first, o.feature, o.spans[o.first, 0])
        return first

    def credit(self, label: Any = None, other: Any = None) -> Array:
        """Return what each character of the text adds to ``label``'s lead over ``other``, by the package's rule."""
        added = finite(self.against(label, other)[0])
        return character_credit(len(self.text), self.found, added)

    def segments(self, label: Any = None, other: Any = None, *, most: int | None = None) -> list[Segment]:
        """Return the text cut into words and what stands between them, with what each piece adds.

        With ``most``, only the pieces that begin within so many characters.
        """
        spans, credit, known = self.pieces(label, other)
        largest = float(np.abs(credit[1::2]).max(initial=0.0)) or 1.0
        shown = len(spans) if most is None else int(np.searchsorted(spans[:, 0], most))
        parts = zip(spans[:shown].tolist(), credit[:shown].tolist(), known[:shown].tolist(), strict=True)
        return [
            Segment(self.text[begin:end], own, own / largest, i % 2 == 1, is_known)
            for i, ((begin, end), own, is_known) in enumerate(parts)
            if end > begin
        ]

    def pieces(
        self, label: Any = None, other: Any = None
    ) -> tuple[NDArray[np.int64], Array, NDArray[np.bool_]]:
        """Return begins and ends of what `segments` returns, what each adds, and whether it is known.

        Every second one is a word, the others are what stands between, which may be empty.
        """
        words = cut(self.text, self.found)
        edges = np.concatenate([[0], words.reshape(-1), [len(self.text)]])
        spans = np.stack([edges[:-1], edges[1:]], axis=1)
        unknown = [o.spans[o.unknown, 0] for o in self.found if o.word is not None]
        known = ~np.isin(spans[:, 0], np.concatenate([words[:0, 0], *unknown]))
        known[::2] = True
        return spans, sums(self.credit(label, other), spans), known

    @property
    def unknown(self) -> list[str]:
        """The words of the text that are in no feature, each once, in the order of the text."""
        spans = [o.spans[o.unknown].tolist() for o in self.found if o.word is not None]
        return list(dict.fromkeys(self.text[begin:end] for part in spans for begin, end in part))

    def support_examples(
        self, top: int | None = None, label: Any = None, other: Any = None
    ) -> list[SupportExample]:
        """Return the examples that move ``label``'s lead over ``other`` most; [] for models without a kernel."""
        if self.support is None:
            return []
        return self.support(*self.pair(label, other))[:top]

    def score_columns(self, label: Any, other: Any) -> dict[int, Any]:
        """Return the columns of the scores that compare two labels, and what each is the score of."""
        if len(self.bias) == 1:
            return {0: (self.score_labels or ["score"])[0]}
        return {self._number(name): name for name in (label, other) if name is not None}

    def measured(self, label: Any, most: int = 5) -> list[tuple[Any, float, float]]:
        """Return the best of several labels, and ``label``: its probability or score, and the threshold of each."""
        assert self.several is not None
        values = self.decision if self.probabilities is None else self.probabilities
        ranked = self.best(values, len(values))
        most = max(most, len(self.several.labels))
        shown = [(own, value) for i, (own, value) in enumerate(ranked) if i < most or own == label]
        return [(own, value, self.several.thresholds[self._number(own)].item()) for own, value in shown]

    def best(self, numbers: Array, most: int = 5) -> list[tuple[Any, float]]:
        """Return the classes with the highest of some numbers, such as scores, and these, the highest first."""
        pairs = zip(self.classes, numbers.tolist(), strict=False)
        return sorted(pairs, key=lambda pair: -pair[1])[:most]

    def __str__(self) -> str:
        """Return what ``lindy explain`` prints: the marked text, the table of running totals, the outcome."""
        from lindy.explain.terminal import render

        return render(self).rstrip("\n")

    def _repr_html_(self) -> str:
        from lindy.explain.explanation_html import fragment

        return shown(fragment(self))

    def to_dict(self, top: int | None = None) -> dict[str, Any]:
        """Return everything as plain values, ready for JSON; infinities become None."""
        labels = [str(label) for label in self.score_labels]
        margin = self.against()[0]
        return {
            "label": str(self.label),
            **self._compared(),
            "classes": [str(label) for label in self.classes],
            "decision": _plain(self.decision),
            "probabilities": None if self.probabilities is None else _by(self.classes, self.probabilities),
            "calibration": self.calibration,
            "score_labels": labels,
            "log_probabilities": self.log_probabilities,
            "bias": _plain(self.bias),
            **({} if self.length is None else {"length": _plain(self.length)}),
            "features": [
                {
                    "feature": feature.name,
                    "value": feature.value,
                    "weight": _plain(feature.weights),
                    "added": _plain(feature.added),
                    "lead": _plain([margin[i]])[0],
                    "spans": [list(span) for span in feature.spans],
                    **({"also": list(feature.also)} if feature.also else {}),
                }
                for i, feature in zip(self.order()[:top].tolist(), self.features(top), strict=True)
            ],
            "scores": _plain(self.scores),
            "unknown": self.unknown,
            "flips": [{"without": flip.word} | flip.outcome for flip in self.flips],
            "tried": self.tried,
            **({} if (heat := self.heat()) is None else {"pixels": [_plain(line) for line in heat]}),
            **(
                {"support": [asdict(example) for example in self.support_examples(top)]}
                if self.support
                else {}
            ),
        }

    def _compared(self) -> dict[str, Any]:
        """Return what the label is compared with: the next best one, or the threshold of each of several."""
        if self.several is None:
            return {"against": str(self.runner_up)}
        labels, thresholds = self.several
        return {
            "against": None,
            "labels": list(map(str, labels)),
            "thresholds": _by(self.classes, thresholds),
        }


def worth_showing(lines: list[Line]) -> list[Line]:
    """Return the lines without a rounding that would be shown as 0."""
    return [line for line in lines if line.name != ROUNDING or max(map(abs, line.added)) >= 5e-5]


def difference(a: Array, b: Array) -> Array:
    """Return a − b, where −∞ − (−∞) = 0."""
    with np.errstate(invalid="ignore"):
        return np.where(a == b, 0.0, a - b)


def _plain(values: Array | Sequence[float]) -> list[float | None]:
    return [float(v) if np.isfinite(v) else None for v in values]


def _by(labels: list[Any], values: Array) -> dict[str, float]:
    return {str(label): float(v) for label, v in zip(labels, values, strict=True)}
