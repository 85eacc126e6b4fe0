"""Which classes are taken for which: a matrix as long as it can be read, and a list of the largest confusions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lindy.core.column import pick
from lindy.evaluation import Evaluation
from lindy.explain.explanation_html import thumbnail
from lindy.report.measure import Outcome, RowNaming, listed
from lindy.sanitize import html_name, inert

MOST_IN_MATRIX = 20
_MOST_LISTED = 12


@dataclass(frozen=True, slots=True)
class Confusion:
    """How many examples of one class were taken for another, of how many, and the surest of these mistakes."""

    truth: Any
    predicted: Any
    count: int
    of: int
    row: int


def largest_confusions(result: Evaluation, seen: Outcome, most: int = _MOST_LISTED) -> list[Confusion]:
    """Return the confusions with the most examples, the largest first."""
    n = result.confusion * ~np.eye(len(result.labels), dtype=bool)
    found = []
    for place in np.argsort(-n, axis=None, kind="stable")[:most].tolist():
        i, j = divmod(place, len(result.labels))
        if n[i, j]:
            truth, predicted = result.labels[i], result.labels[j]
            rows = np.flatnonzero((seen.truth == truth) & (seen.predicted == predicted))
            surest = int(rows[np.argmax(seen.confidence[rows])])
            found.append(Confusion(truth, predicted, int(n[i, j]), int(result.confusion[i].sum()), surest))
    return found


def confusion_section(result: Evaluation, confusions: list[Confusion], texts: Any, rows: RowNaming) -> str:
    """Return the matrix and the list."""
    parts = ["<h3>Which classes are confused</h3>"]
    if len(result.labels) <= MOST_IN_MATRIX:
        parts.append(_matrix(result.labels, result.confusion))
    if not confusions:
        return "\n".join([*parts, "<p>None.</p>"])
    kinds = int((result.confusion > 0).sum() - (result.confusion.diagonal() > 0).sum())
    if kinds > len(confusions):
        parts.append(
            f"<p>The {len(confusions)} most frequent of {kinds:,} confusions, each with an example:</p>"
        )
    else:
        parts.append("<p>The confusions, the most frequent first, each with an example:</p>")
    examples = listed(pick(texts, np.array([c.row for c in confusions])))
    items = (
        f"<li>{html_name(c.truth)} taken for {html_name(c.predicted)}: <b>{c.count:,}</b> of {c.of:,}"
        f" ({c.count / c.of:.0%}) <small>{inert(rows(c.row))}: {excerpt(x)}</small></li>"
        for c, x in zip(confusions, examples, strict=True)
    )
    return "\n".join([*parts, f'<ol class="cases">{"".join(items)}</ol>'])


def _matrix(labels: list[Any], n: NDArray[np.int64]) -> str:
    """Return the counts as a table, shaded by their shares of the row."""
    whole = np.maximum(n.sum(axis=1, keepdims=True), 1)
    upright = " upright" if len(labels) > 3 else ""
    head = "".join(f"<th>{html_name(label, 24)}</th>" for label in labels)
    rows = (
        f"<tr><th>{html_name(label, 32)}</th>"
        + "".join(
            f'<td style="--share:{share:.3f}">{count:,}</td>' if count else '<td class="none">0</td>'
            for count, share in zip(counts, shares, strict=True)
        )
        + "</tr>"
        for label, counts, shares in zip(labels, n.tolist(), (n / whole).tolist(), strict=True)
    )
    return (
        f'<div class="scroll"><table class="matrix{upright}"><thead><tr><th>true ↓ predicted →</th>{head}</tr></thead>'
        f'<tbody>{"".join(rows)}</tbody></table></div><p class="note">Shades are shares of the row.</p>'
    )


def excerpt(x: Any, most: int = 160) -> str:
    """Return the beginning of a text, or of a row's columns, or a small image, as safe HTML."""
    if isinstance(x, np.ndarray):
        return thumbnail(x)
    text = ", ".join(f"{name}: {value}" for name, value in x.items()) if isinstance(x, dict) else str(x)
    shown = text if len(text) <= most else text[: most - 1] + "…"
    return f'<span dir="auto">{inert(shown)}</span>'
