"""An explanation as HTML: highlighted text, bars, table; a piece of a page or a page of its own.

Nothing that comes from a text, a label or a feature reaches the page other than through ``inert``; colours and widths
are numbers. A page needs no network, runs no script, and its Content-Security-Policy allows neither.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from lindy.explain.explanation import Explanation, worth_showing
from lindy.explain.explanation_parts import Line, no_word_decides
from lindy.explain.terminal import marks
from lindy.sanitize import html_name, html_table, inert

_MOST_CHARACTERS = 20_000
_STYLE = Path(__file__).with_name("page.css")
POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"


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
    body = f"<h1>Why {html_name(explanation.label)}?</h1>\n{fragment(explanation, top=top, label=label, other=other)}"
    return page(f"Why {explanation.label}?", body)


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
        f"<p>{_outcome(e)}</p>",
        f"<p>{_flips(e)}</p>" if e.tried else "",
        "</section>",
    ]
    return "\n".join(part for part in parts if part)


def _legend(e: Explanation, label: Any, other: Any) -> str:
    unknown = ' <span class="unknown">not known</span>' if e.unknown else ""
    return (
        f'<p class="legend"><span class="for">+ speaks for {html_name(label)}</span>'
        f' <span class="against">− speaks for {html_name(other)}</span>{unknown}</p>'
    )


def _example(e: Explanation, label: Any, other: Any) -> str:
    if e.image is None:
        return f'<p class="text" dir="auto">{_marked_text(e, label, other)}</p>'
    from lindy.explain.explanation_images import svg

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
    heads = ["feature", f"lead of {html_name(label, 24)}", "value"]
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
    a, b = added[e.classes.index(label)], added[e.classes.index(other)]
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


def _flips(e: Explanation) -> str:
    if not e.flips:
        return no_word_decides(e.tried)
    words = ", ".join(f"{html_name(flip.word)} (→ {html_name(flip.label)})" for flip in e.flips)
    return f"Without any one of these words the label would be another: {words}."
