"""The page about a model of several labels per text: what differs from that of one label."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lindy import plots
from lindy.core.column import pick
from lindy.core.targets import as_lists
from lindy.evaluation import LabelEvaluation, LabelLists, LabelMetrics, Predictions, evaluate_labels
from lindy.evaluation.audit.pair_noise import FEW
from lindy.explain import inspect
from lindy.report import page
from lindy.report.confusion import excerpt
from lindy.report.figures import canvas, figure
from lindy.report.measure import LearningCurve, RowNaming, listed
from lindy.report.summary import percent
from lindy.sanitize import html_name, html_table, inert
from lindy.textclassifier import TextClassifier

_FIRST = 20  # labels that are shown before those behind a line to open
_MOST_PAIRS = 12

Rows = NDArray[np.int64]


class LabelOutcome:
    """Predictions of rows with several labels: the pairs of a row and a label that are right, missed and wrong."""

    def __init__(self, model: TextClassifier, texts: Any, labels: Any) -> None:
        self.truth = as_lists(labels)
        self.said: Predictions = model.predictions(texts)
        assert isinstance(self.said.chosen, LabelLists)
        self.result: LabelEvaluation = evaluate_labels(
            self.truth, self.said, model.classes_, model.label_thresholds
        )
        self.names = [str(name) for name in model.classes_]
        names = np.unique([*self.names, *map(str, self.truth.names.tolist())]).astype(object)
        self._names = names
        place = {name: k for k, name in enumerate(names.tolist())}
        of_class = np.array([place[name] for name in self.names], np.int64)
        of_truth = np.array([place[str(name)] for name in self.truth.names.tolist()], np.int64)
        given = self.said.chosen
        true_cells = _cells(self.truth.indptr, of_truth[self.truth.codes], len(names))
        given_cells = _cells(given.indptr, of_class[given.codes], len(names))
        self.missed = np.setdiff1d(true_cells, given_cells)
        self.wrong = np.setdiff1d(given_cells, true_cells)
        self._of_name = {place[name]: k for k, name in enumerate(self.names)}

    def apart(self, cells: Rows) -> tuple[Rows, list[str]]:
        """Return the rows and the labels of pairs."""
        rows, codes = np.divmod(cells, len(self._names))
        return rows, self._names[codes].tolist()

    def probability(self, cells: Rows) -> NDArray[np.float64]:
        """Return the probability, or score, of pairs; −∞ where the model does not know the label."""
        rows, codes = np.divmod(cells, len(self._names))
        column = np.array([self._of_name.get(code, -1) for code in codes.tolist()], np.int64)
        values = self.said.values[rows, column].astype(np.float64)
        return np.where(column < 0, -np.inf, values)

    def pairs(self) -> tuple[Counter[tuple[str, str]], Counter[tuple[str, str]]]:
        """Count rows that miss a label and have another one wrongly, and rows that miss two labels."""
        missed, wrong = _by_row(*self.apart(self.missed)), _by_row(*self.apart(self.wrong))
        instead = Counter((a, b) for row, own in missed.items() for a in own for b in wrong.get(row, ()))
        together = Counter((a, b) for own in missed.values() for a in own for b in own if a < b)
        return instead, together


def _cells(indptr: NDArray[Any], codes: NDArray[Any], width: int) -> Rows:
    cells: Rows = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr)) * width + codes
    return cells


def _by_row(rows: Rows, names: list[str]) -> dict[int, list[str]]:
    found: dict[int, list[str]] = {}
    for row, name in zip(rows.tolist(), names, strict=True):
        found.setdefault(row, []).append(name)
    return found


def label_sections(
    model: TextClassifier,
    texts: Any,
    labels: Any,
    *,
    curve: LearningCurve | None,
    rows: RowNaming,
    facts: Mapping[str, str],
    mistakes: int,
    was_trained_on: bool,
) -> dict[str, str]:
    """Return the sections of the page that are about the figures, the errors and what the model is made of."""
    seen, found = LabelOutcome(model, texts, labels), inspect(model, top=12)
    learned = {str(own.label): own.examples for own in found.classes}
    said = _sentences(seen, learned, curve, was_trained_on)
    made_for = {"thresholds": "; ".join(model.why_) or "a label from the score 0 on"}
    return {
        "summary": f'<div class="summary">{"".join(f"<p>{line}</p>" for line in said)}</div>',
        "numbers": _numbers(seen, found.n_features),
        "metrics": _metrics(seen.result),
        "figures": _figures(seen, learned, curve),
        "confusion": _pairs_section(seen),
        "mistakes": _mistakes(seen, texts, mistakes, rows),
        "words": page.words_section(found, most=2 * _FIRST),
        "trained": page.trained_section(found, {**facts, **made_for}),
    }


def _sentences(
    seen: LabelOutcome, learned: Mapping[str, int], curve: LearningCurve | None, was_trained_on: bool
) -> list[str]:
    """Return five sentences as safe HTML: how good, against what, where it errs, what would help, how sure."""
    result, n = seen.result, seen.result.examples
    right = sum(own.support for own in result.labels) - len(seen.missed)
    total, given = right + len(seen.missed), right + len(seen.wrong)
    lines = [
        f"Of the {total:,} labels of the {n:,} texts it was tested on, the model found {right:,}"
        f" ({percent(right / max(total, 1), max(total, 1))}), and of the {given:,} that it gave,"
        f" {percent(right / max(given, 1), max(given, 1))} are right; {percent(result.figures['subset_accuracy'], n)}"
        " of the texts got exactly their labels."
    ]
    usual = max(learned, key=lambda name: learned[name])
    has = next((own.support for own in result.labels if str(own.label) == usual), 0)
    alone = 2 * has / max(n + total, 1)
    lines.append(
        f"Giving every text {_quoted(usual)}, the most frequent label, would reach a micro-F1 of {alone:.3f};"
        f" the model reaches {result.figures['micro_f1']:.3f}."
    )
    missed = Counter(seen.apart(seen.missed)[1]).most_common(1)
    wrong = Counter(seen.apart(seen.wrong)[1]).most_common(1)
    errs = [f"{_quoted(name)} is missed most often ({count:,} texts)" for name, count in missed]
    errs += [f"{_quoted(name)} given wrongly most often ({count:,})" for name, count in wrong]
    lines.append(f"{' and '.join(errs) or 'It made no error'}.")
    rare = [name for name, count in learned.items() if count < FEW]
    helps = (
        [f"{len(rare):,} of its {len(learned):,} labels were learned from fewer than {FEW} texts"]
        if rare
        else []
    )
    if curve is not None and len(curve.sizes) > 1:
        (few, many), (before, after) = curve.sizes[-2:], curve.held_out[-2:]
        helps.append(
            f"with {many:,} instead of {few:,} training texts, micro-F1 on others went from {before:.3f} to {after:.3f}"
        )
    lines.append(
        f"{'; '.join(helps) or 'Every label was learned from enough texts to say something about it'}."
    )
    low, high = result.intervals["micro_f1"]
    lines.append(
        "These figures are too good: the model has learned from the very texts it was tested on."
        if was_trained_on
        else f"On new texts of the same kind, expect a micro-F1 between {low:.3f} and {high:.3f} (19 times out of 20)."
    )
    return lines


def _quoted(label: Any) -> str:
    return f"“{html_name(label)}”"


def _numbers(seen: LabelOutcome, n_features: int) -> str:
    result = seen.result
    cells = [
        (f"{result.figures[name]:.3f}", f"{what}<br>{page.bounds(result.intervals[name])}")
        for name, what in (
            ("micro_f1", "micro-F1: all labels together"),
            ("macro_f1", "macro-F1: mean of the labels"),
            ("example_f1", "example-F1: mean of the texts"),
        )
    ]
    per_text = len(seen.truth.codes) / max(len(seen.truth), 1)
    cells += [
        (f"{result.examples:,}", f"texts tested on,<br>{per_text:.2f} labels each"),
        (f"{len(seen.names):,}", "labels"),
        (f"{n_features:,}", "features"),
    ]
    return page.number_cells(cells)


def _row(own: LabelMetrics) -> list[str]:
    return [
        html_name(own.label),
        f"{own.support:,}",
        "not known" if not own.known else "" if own.threshold is None else f"{own.threshold:.2f}",
        page.share(own.precision, own.called),
        page.share(own.recall, own.support),
        page.meter(own.f1, 1.0, f"{own.f1:.3f}"),
    ]


_HEAD = ["label", "texts", "threshold", "precision", "recall", "F1"]


def _metrics(result: LabelEvaluation) -> str:
    labels = sorted(result.labels, key=lambda own: -own.support)
    parts = []
    if len(labels) > _FIRST + 2:
        known = [own for own in labels if own.support >= FEW]
        for what, chosen in (
            (f"The worst, of labels with at least {FEW} texts", sorted(known, key=lambda own: own.f1)[:8]),
            (f"The best, of labels with at least {FEW} texts", sorted(known, key=lambda own: -own.f1)[:8]),
        ):
            parts.append(f"<h3>{what}</h3>{html_table([_HEAD, *map(_row, chosen)])}" if chosen else "")
    frequent = page.folded([_HEAD, *map(_row, labels)], _FIRST, "labels", _HEAD.index("F1"))
    parts.insert(0, f"<h3>Each label, the most frequent first</h3>{frequent}")
    overall = [["figure", "value", "95% interval"]]
    overall += [
        [
            name.replace("_at_", "@").replace("_", " "),
            f"{value:.{3 + (value < 0.01)}f}",
            page.bounds(result.intervals[name]),
        ]
        for name, value in result.figures.items()
    ]
    said = (
        "Micro: all labels of all texts together. Macro: the mean of the labels. Example: the mean of the texts. A text"
        " gets a label from the label's threshold on. The small numbers are 95% intervals."
    )
    return (
        f'<div class="side"><div>{"".join(parts)}</div><div><h3>All labels</h3>{html_table(overall)}</div></div>'
        f'<p class="note">{said}</p>'
    )


def _figures(seen: LabelOutcome, learned: Mapping[str, int], curve: LearningCurve | None) -> str:
    tested = [own for own in seen.result.labels if own.support]
    counts = [learned.get(str(own.label), 0) for own in tested]
    ax = plots.f1_by_frequency(counts, [own.f1 for own in tested], [own.label for own in tested], ax=canvas())
    parts = [
        f"<div><h3>Rare and frequent labels</h3>{figure(ax, 'F1 of each label, by its training texts.')}</div>"
    ]
    if seen.said.are_probabilities:
        own = set(seen.names)
        known = np.array([str(name) in own for name in seen.truth.names.tolist()], bool)
        truth = seen.truth.only(np.flatnonzero(known)).among(np.array(seen.names, object))
        ax = plots.label_reliability(truth, seen.said.values, ax=canvas())
        said = "All pairs of a text and a label by the probability they were given, and how many of them are right."
        parts.append(f"<div><h3>Do probabilities come true?</h3>{figure(ax, said)}</div>")
    return "\n".join([*parts, page.curve_section(curve)])


def _pairs_section(seen: LabelOutcome) -> str:
    instead, together = seen.pairs()
    parts = ["<h3>Which labels are confused</h3>"]
    for found, what, said in (
        (instead, "taken for", "Texts that miss a label and were given another one wrongly:"),
        (together, "and", "Texts that miss two labels together:"),
    ):
        most = [(pair, count) for pair, count in found.most_common(_MOST_PAIRS) if count > 1]
        items = "".join(
            f"<li>{html_name(a)} {what} {html_name(b)}: <b>{count:,}</b></li>" for (a, b), count in most
        )
        parts.append(f'<p>{said}</p><ol class="cases">{items}</ol>' if most else "")
    return "\n".join(parts)


def _mistakes(seen: LabelOutcome, texts: Any, most: int, rows: RowNaming) -> str:
    if not len(seen.missed) and not len(seen.wrong):
        return "<p>Every text got exactly its labels.</p>"
    of_missed, of_wrong = _by_row(*seen.apart(seen.missed)), _by_row(*seen.apart(seen.wrong))
    true = seen.truth.labels
    parts = []
    for cells, what, order in (
        (
            seen.wrong,
            "Labels that were given wrongly, the most probable first",
            -seen.probability(seen.wrong),
        ),
        (seen.missed, "Labels that are missing, the least probable first", seen.probability(seen.missed)),
    ):
        first = dict.fromkeys(seen.apart(cells[np.argsort(order, kind="stable")])[0].tolist())
        worst = [*first][:most]
        items = "".join(
            f"<li>{inert(rows(row))}: {_marked(true[row], of_missed.get(row, []), of_wrong.get(row, []))}"
            f" <small>{excerpt(text)}</small></li>"
            for row, text in zip(worst, listed(pick(texts, np.array(worst, np.int64))), strict=True)
        )
        parts.append(f'<h3>{what}</h3><ol class="cases">{items}</ol>' if worst else "")
    return "\n".join(parts)


def _marked(true: tuple[Any, ...], gone: list[str], added: list[str]) -> str:
    """Return the labels of a row in words: which are right, missing and wrong."""
    kinds = {"right": [str(name) for name in true if str(name) not in gone], "missing": gone, "wrong": added}
    return "; ".join(f"{what}: {', '.join(map(html_name, own))}" for what, own in kinds.items() if own)
