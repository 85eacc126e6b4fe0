"""An explanation for the terminal: words marked with signs, and in colour where there is one."""

from __future__ import annotations

from collections.abc import Callable
from itertools import groupby
from typing import Any

from lindy.explain.explanation import Explanation, worth_showing
from lindy.explain.explanation_parts import Line, no_word_decides
from lindy.sanitize import aligned, sanitize

MARKED, STRONG = 0.1, 0.4  # of the largest credit: words from here on are marked, and marked twice
_MOST_CHARACTERS = 3000
_BLUE, _ORANGE, _DIM, _PLAIN = "\x1b[1;34m", "\x1b[1;33m", "\x1b[2m", "\x1b[0m"


def render(
    explanation: Explanation,
    *,
    top: int = 15,
    label: Any = None,
    other: Any = None,
    colour: bool = False,
    in_text_order: bool = False,
) -> str:
    """Return the explanation as text: the marked text, the table of running totals, the outcome, the flips."""
    e = explanation
    label, other = e.pair(label, other)
    if e.support:
        legend, why = "", _support(e, top, label, other)
    else:
        legend = f"[+] speaks for {sanitize(label)}, [-] "
        legend += "against it" if other is None else f"for {sanitize(other)}"
        legend += ", [?] is not known" if _has_unmarked(e, label, other) else ""
        why = _table(e, e.running_total(top, label, other, in_text_order=in_text_order), label, other)
    blocks = [_example(e, label, other, colour), legend, why, _outcome(e, label), _flips(e)]
    return "\n\n".join(block for block in blocks if block) + "\n"


def marks(share: float) -> str:
    """Return "++", "+", "-", "--" or nothing: how a piece is marked that adds this share of the most."""
    if abs(share) < MARKED:
        return ""
    sign = "+" if share > 0 else "-"
    return sign * 2 if abs(share) >= STRONG else sign


def _has_unmarked(e: Explanation, label: Any, other: Any) -> bool:
    """Whether a word is shown as not known; one of which only parts are known may still add something."""
    segments = e.segments(label, other, most=_MOST_CHARACTERS) if e.unknown else ()
    return any(not segment.is_known and not marks(segment.share) for segment in segments)


def _example(e: Explanation, label: Any, other: Any, colour: bool) -> str:
    if e.image is None:
        return _marked_text(e, label, other, colour)
    from lindy.explain.explanation_html import drawing

    return drawing(e, label, other)


def _marked_text(e: Explanation, label: Any, other: Any, colour: bool) -> str:
    pieces, length = [], 0
    for segment in e.segments(label, other, most=_MOST_CHARACTERS):
        length += len(segment.text)
        shown = "\n".join(sanitize(line) for line in segment.text.split("\n"))
        mark = marks(segment.share) or ("?" if not segment.is_known else "")
        if mark and shown.strip():
            shown = f"[{mark}{shown.strip()}]"
            if colour:
                shown = {"+": _BLUE, "-": _ORANGE, "?": _DIM}[mark[0]] + shown + _PLAIN
        pieces.append(shown)
    if length < len(e.text):
        pieces.append(f" … ({len(e.text) - length:,} more characters)")
    return "".join(pieces).strip()


def _table(e: Explanation, lines: list[Line], label: Any, other: Any) -> str:
    columns = e.score_columns(label, other)
    names = [sanitize(name) for name in columns.values()]
    adds = "log P " if e.log_probabilities else "adds "
    rows = [["feature", "value", *(adds + name for name in names), *(f"total {name}" for name in names)]]
    rows += [
        [
            sanitize(line.name)[:40],
            "" if line.value is None else f"{line.value:.4g}",
            *(f"{line.added[c]:+.4f}" for c in columns),
            *(f"{line.total[c]:+.4f}" for c in columns),
        ]
        for line in worth_showing(lines)
    ]
    return aligned(rows)


def _support(e: Explanation, top: int, label: Any, other: Any) -> str:
    """Return the examples that a kernel model compares the text with."""
    found = e.support_examples(None, label, other)
    rows = [["adds", "share", "label", "training example"]]
    rows += [
        [f"{s.added:+.4f}", f"{s.share:.1%}", sanitize(s.label), f"{s.number}: {sanitize(s.text)[:70]}"]
        for s in found[:top]
    ]
    shown = f"what speaks for {sanitize(label)} against {sanitize(other)}:\n{aligned(rows, (2, 3))}"
    if rest := found[top:]:
        shown += f"\nand {len(rest):,} more with a share of {sum(s.share for s in rest):.1%}"
    return shown


def _outcome(e: Explanation, label: Any) -> str:
    if e.several is not None:
        return _labels(e, label)
    if len(e.decision) == 1 and len(e.classes) == 2:
        above, below = sanitize(e.classes[1]), sanitize(e.classes[0])
        score = f"score {e.decision[0]:+.4f} (above 0: {above}, below: {below})"
    else:
        score = "scores " + ", ".join(f"{sanitize(c)} {s:+.4f}" for c, s in e.best(e.decision))
    lines = [f"label {sanitize(e.label)}", score]
    if e.probabilities is not None:
        by = f" (by {e.calibration} calibration)" if e.calibration else ""
        shares = ", ".join(f"{sanitize(c)} {p:.1%}" for c, p in e.best(e.probabilities))
        lines.append(f"P(label | {e.what}) {shares}{by}")
    return "\n".join(lines)


def _labels(e: Explanation, explained: Any) -> str:
    """Return which of several labels are given: those whose probability, or score, reaches their threshold."""
    assert e.several is not None
    shares = e.probabilities is not None
    rows = [["label", "probability" if shares else "score", "threshold", ""]]
    for label, value, threshold in e.measured(explained):
        numbers = (f"{number:.1%}" if shares else f"{number:+.4f}" for number in (value, threshold))
        rows.append([sanitize(label), *numbers, "given" if label in e.several.labels else ""])
    by = f"\nprobabilities by {e.calibration} calibration" if e.calibration else ""
    return f"labels {written(e.several.labels)}\n\n{aligned(rows, (0, 3))}{by}"


def written(label: Any, show: Callable[[Any], str] = sanitize) -> str:
    """Return a label, or several of them, as they are read."""
    if not isinstance(label, tuple):
        return show(label)
    return ", ".join(map(show, label)) or "none"


def _flips(e: Explanation) -> str:
    if not e.tried:
        return ""
    if not e.flips:
        return no_word_decides(e.tried, e.stays)
    by_label = groupby(
        sorted(e.flips, key=lambda flip: str(flip.label)), key=lambda flip: written(flip.label)
    )
    subject = "it" if e.several is None else "the labels"
    return "\n".join(
        f"Without any one of these words {subject} would be {label}: {', '.join(sanitize(flip.word) for flip in flips)}"
        for label, flips in by_label
    )
