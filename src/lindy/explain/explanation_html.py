"""An explanation as HTML: highlighted text, bars, table; a piece of a page or a page of its own.

Nothing that comes from a text, a label or a feature reaches the page other than through ``inert``; colours and widths
are numbers. A page needs no network, runs no script, and its Content-Security-Policy allows neither.

An image is shown as its pixels, and what each adds to the label's lead. Large images are shown smaller: a square of
pixels becomes one, with their mean value and the sum of what they add.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lindy.explain.explanation import Explanation, worth_showing
from lindy.explain.explanation_parts import Line, no_word_decides
from lindy.explain.terminal import marks, written
from lindy.sanitize import html_name, html_table, inert
from lindy.text.analysis.occurrences import Array

_MOST_CHARACTERS = 20_000
_STYLE = Path(__file__).with_name("page.css")
POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
_WIDEST_PAGE, _WIDEST_TERMINAL = 64, 38  # pixels each way
_PIXEL = 16  # screen pixels of one
_GREYS = 9


def page(title: str, body: str) -> str:
    """Return a whole page around a body that is safe HTML."""
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="referrer" content="no-referrer">\n'
        f"<title>{inert(title)}</title>\n<style>\n{_STYLE.read_text(encoding='utf-8')}</style>\n</head>\n"
        f"<body>\n<main>\n{body}\n</main>\n</body>\n</html>\n"
    )


def explanation_page(explanation: Explanation, *, top: int = 25, label: Any = None, other: Any = None) -> str:
    """Return an explanation as a page of its own."""
    label = explanation.label if label is None and explanation.several is not None else label
    asked = explanation.label if explanation.several is None else label
    body = f"<h1>Why {html_name(asked)}?</h1>\n{fragment(explanation, top=top, label=label, other=other)}"
    return page(f"Why {asked}?", body)


def fragment(explanation: Explanation, *, top: int = 25, label: Any = None, other: Any = None) -> str:
    """Return an explanation as a piece of a page."""
    e = explanation
    label, other = e.pair(label, other)
    parts = [
        '<section class="explanation">',
        "" if e.support else _legend(e, label, other),
        _example(e, label, other),
        _support(e, top, label, other)
        if e.support
        else _table(e, e.running_total(top, label, other), label, other),
        f"<p>{_outcome(e)}</p>" if e.several is None else _labels(e, label),
        f"<p>{_flips(e)}</p>" if e.tried else "",
        "</section>",
    ]
    return "\n".join(part for part in parts if part)


def _legend(e: Explanation, label: Any, other: Any) -> str:
    unknown = ' <span class="unknown">not known</span>' if e.unknown else ""
    against = "against it" if other is None else f"for {html_name(other)}"
    return (
        f'<p class="legend"><span class="for">+ speaks for {html_name(label)}</span>'
        f' <span class="against">− speaks {against}</span>{unknown}</p>'
    )


def _example(e: Explanation, label: Any, other: Any) -> str:
    if e.image is None:
        return f'<p class="text" dir="auto">{_marked_text(e, label, other)}</p>'
    return svg(e, label, other)


def _marked_text(e: Explanation, label: Any, other: Any) -> str:
    pieces, length = [], 0
    for s in e.segments(label, other, most=_MOST_CHARACTERS):
        length += len(s.text)
        if mark := marks(s.share):
            kind, sign = ("for" if s.share > 0 else "against"), mark.replace("-", "−")
            pieces.append(
                f'<mark class="{kind}" style="--strength:{min(max(abs(s.share), 0.15), 1.0):.2f}"'
                f' title="{s.credit:+.4g}"><sup>{sign}</sup>{inert(s.text)}</mark>'
            )
        elif not s.is_known:
            pieces.append(f'<span class="unknown" title="not known">{inert(s.text)}</span>')
        else:
            pieces.append(inert(s.text))
    if length < len(e.text):
        pieces.append(f"<i> … {len(e.text) - length:,} more characters</i>")
    return "".join(pieces)


def _table(e: Explanation, lines: list[Line], label: Any, other: Any) -> str:
    columns = e.score_columns(label, other)
    names = [html_name(name, 24) for name in columns.values()]
    adds = "log P" if e.log_probabilities else "adds to"
    heads = ["feature", "as a bar" if other is None else f"lead of {html_name(label, 24)}", "value"]
    heads += [*(f"{adds} {name}" for name in names), *(f"total {name}" for name in names)]
    lines = worth_showing(lines)
    margin = [_lead(e, line.added, label, other) for line in lines]
    largest = max((abs(m) for m in margin if abs(m) < float("inf")), default=0.0)
    rows = [
        [html_name(line.name), bar(m, largest), "" if line.value is None else f"{line.value:.4g}"]
        + [_signed(line.added[c]) for c in columns]
        + [_signed(line.total[c]) for c in columns]
        for line, m in zip(lines, margin, strict=True)
    ]
    return html_table([heads, *rows])


def _support(e: Explanation, top: int, label: Any, other: Any) -> str:
    found = e.support_examples(top, label, other)
    largest = max((abs(s.added) for s in found), default=0.0)
    heads = ["training example", f"lead of {html_name(label, 24)}", "adds", "share", "label", "text"]
    rows = [
        [
            str(s.number),
            bar(s.added, largest),
            _signed(s.added),
            f"{s.share:.1%}",
            html_name(s.label),
            html_name(s.text, 300),
        ]
        for s in found
    ]
    return f'<div class="examples">{html_table([heads, *rows])}</div>'


def _lead(e: Explanation, added: tuple[float, ...], label: Any, other: Any) -> float:
    if len(added) == 1:
        return added[0] if len(e.classes) != 2 or label == e.classes[1] else -added[0]
    a = added[e.classes.index(label)]
    if other is None:
        return a
    b = added[e.classes.index(other)]
    return 0.0 if a == b else a - b


def bar(value: float, largest: float) -> str:
    """Return a bar to the right of the middle for what is positive, to the left for what is negative."""
    share = min(1.0, abs(value) / largest) if largest > 0 else 0.0
    kind = "for" if value > 0 else "against"
    return f'<span class="bar"><span class="{kind}" style="--share:{share:.3f}"></span></span>'


def _signed(value: float) -> str:
    return f"{value:+.4f}".replace("-", "−").replace("inf", "∞")


def _outcome(e: Explanation) -> str:
    if len(e.decision) == 1 and len(e.classes) == 2:
        above, below = (html_name(label) for label in (e.classes[1], e.classes[0]))
        said = f"Score {_signed(e.decision[0])} (above 0: {above}, below: {below})."
    else:
        best = ", ".join(f"{html_name(c)} {_signed(s)}" for c, s in e.best(e.decision))
        said = f"Scores: {best}."
    if e.probabilities is not None:
        by = f" (by {inert(e.calibration)} calibration)" if e.calibration else ""
        shares = ", ".join(f"{html_name(c)} {p:.1%}" for c, p in e.best(e.probabilities))
        said += f" P(label | {e.what}): {shares}{by}."
    return f"<strong>Label {html_name(e.label)}.</strong> {said}"


def _labels(e: Explanation, explained: Any) -> str:
    """Return which of several labels are given, each with its probability, or score, and its threshold as a bar."""
    assert e.several is not None
    shares = e.probabilities is not None
    rows = [["label", "probability" if shares else "score", "", "threshold", ""]]
    found = e.measured(explained)
    largest = max(abs(value) for _, value, _ in found)
    for label, value, threshold in found:
        numbers = [f"{number:.1%}" if shares else _signed(number) for number in (value, threshold)]
        shown = meter(value, threshold) if shares else bar(value, largest)
        rows.append(
            [html_name(label), numbers[0], shown, numbers[1], "given" if label in e.several.labels else ""]
        )
    by = f"<p>Probabilities by {inert(e.calibration)} calibration.</p>" if e.calibration else ""
    return f"<p><strong>Labels: {written(e.several.labels, html_name)}.</strong></p>\n{html_table(rows)}{by}"


def meter(share: float, threshold: float) -> str:
    """Return a bar for a share from 0 to 1 with a line at its threshold."""
    return (
        f'<span class="meter"><span class="for" style="--share:{share:.3f}"></span>'
        f'<span class="threshold" style="--share:{min(threshold, 1.0):.3f}"></span></span>'
    )


def _flips(e: Explanation) -> str:
    if not e.flips:
        return no_word_decides(e.tried, e.stays)
    words = ", ".join(f"{html_name(flip.word)} (→ {written(flip.label, html_name)})" for flip in e.flips)
    others = "the label would be another" if e.several is None else "the labels would be others"
    return f"Without any one of these words {others}: {words}."


class Picture(NamedTuple):
    """Grey values from 0, paper, to 1; and what the pixels add, as shares of the largest, where they add anything."""

    grey: Array
    share: Array | None


def picture(e: Explanation, most: int, label: Any, other: Any) -> Picture:
    """Return the explanation of an image, with at most so many pixels each way."""
    image = np.asarray(e.image)
    heat = e.heat(label, other)
    if heat is None:
        return Picture(_shrunk(image, most), None)
    heat = _blocks(heat, _side(image.shape, most))
    return Picture(_shrunk(image, most), heat / (float(np.abs(heat).max()) or 1.0))


def _side(shape: tuple[int, ...], most: int) -> int:
    """Return the side of the squares that become one pixel."""
    return -(-max(shape) // most)


def _shrunk(image: NDArray[Any], most: int) -> Array:
    """Return grey values from 0 to 1, with at most so many pixels each way."""
    values = image.astype(np.float64)
    low, high = float(values.min(initial=0.0)), float(values.max(initial=0.0))
    grey = (values - low) / ((high - low) or 1.0)
    side = _side(image.shape, most)
    means: Array = _blocks(grey, side) / _blocks(np.ones_like(grey), side)
    return means


def _blocks(values: Array, side: int) -> Array:
    """Return the sums of squares of values, those at the edges as far as they go."""
    starts = [np.arange(0, size, side) for size in values.shape]
    lines: Array = np.add.reduceat(values, starts[0], axis=0)
    sums: Array = np.add.reduceat(lines, starts[1], axis=1)
    return sums


def drawing(e: Explanation, label: Any, other: Any) -> str:
    """Return the picture in characters, two for each pixel: signs for what they add, · for ink that adds little."""
    grey, share = picture(e, _WIDEST_TERMINAL, label, other)
    ink = np.where(grey > 0.3, "· ", "  ").astype(object)
    if share is not None:
        ink = np.array(
            [
                [marks(s).ljust(2) if marks(s) else own for s, own in zip(*line, strict=True)]
                for line in zip(share.tolist(), ink.tolist(), strict=True)
            ],
            object,
        )
    return "\n".join("".join(line).rstrip() for line in ink.tolist())


def svg(e: Explanation, label: Any, other: Any) -> str:
    """Return the picture, and beside it the same under what its pixels add, as figures of a page."""
    grey, share = picture(e, _WIDEST_PAGE, label, other)
    figures = [_figure(_greys(grey), grey.shape, "the image")]
    if share is not None:
        added = [_greys(grey * 0.35)]
        for (i, j), s in np.ndenumerate(share):
            if s:
                kind = "for" if s > 0 else "against"
                added.append(_square(i, j, f'class="{kind}" fill-opacity="{max(abs(s), 0.05):.2f}"'))
        over = "" if other is None else f" over {html_name(other, 24)}"
        said = f"what its pixels add to the lead of {html_name(label, 24)}{over}"
        figures.append(_figure("".join(added), share.shape, said))
    return f'<div class="pictures">{"".join(figures)}</div>'


def thumbnail(image: NDArray[Any]) -> str:
    """Return a small picture of an image, as a piece of a page."""
    grey = _shrunk(image, _WIDEST_TERMINAL)
    return (
        f'<svg class="pixels" viewBox="0 0 {grey.shape[1]} {grey.shape[0]}" width="40">{_greys(grey)}</svg>'
    )


def _figure(squares: str, shape: tuple[int, ...], caption: str) -> str:
    rows, columns = shape
    size = max(min(_PIXEL, 640 // max(rows, columns)), 4)
    return (
        f'<figure><svg class="pixels" viewBox="0 0 {columns} {rows}" width="{columns * size}" height="{rows * size}"'
        f' role="img">{squares}</svg><figcaption>{caption}</figcaption></figure>'
    )


def _greys(grey: Array) -> str:
    """Return squares for what is not paper, in a few greys."""
    steps = np.rint(grey * _GREYS).astype(int)
    return "".join(
        _square(i, j, f'fill-opacity="{step / _GREYS:.2f}"')
        for (i, j), step in np.ndenumerate(steps)
        if step > 0
    )


def _square(row: int, column: int, look: str) -> str:
    return f'<rect x="{column}" y="{row}" width="1" height="1" {look}/>'
