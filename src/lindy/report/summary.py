"""The summary of a report: five sentences for somebody who reads nothing else, from what was measured."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lindy.evaluation import Evaluation
from lindy.evaluation.audit.pair_noise import FEW
from lindy.evaluation.metrics.significance import mcnemar
from lindy.report.confusion import Confusion
from lindy.report.measure import LearningCurve
from lindy.sanitize import html_name

_PROBABLY, _PERHAPS = 0.1, 0.03  # share of the errors that went away when the training examples were doubled


@dataclass(frozen=True, slots=True)
class Measured:
    """The measurements that the sentences are made of.

    ``right`` says which answers were right; ``usual_right``, which would be if the answer were always ``usual``, the
    most common label in training; ``simple_right``, which answers of a simple method were. ``learned`` counts the
    training examples of each class. ``curve`` and ``doubted``, how many training labels are in doubt, need the
    training examples, and are None without them.
    """

    result: Evaluation
    right: NDArray[np.bool_]
    usual: str
    usual_right: NDArray[np.bool_]
    simple_right: NDArray[np.bool_] | None
    confusions: list[Confusion]
    learned: dict[str, int]
    curve: LearningCurve | None = None
    doubted: int | None = None
    was_trained_on: bool = False
    noun: str = "text"

    @property
    def errors(self) -> int:
        """How many answers are wrong."""
        return int((~self.right).sum())

    @property
    def unknown(self) -> int:
        """How many examples have a label that the model has not learned."""
        return sum(c.support for c in self.result.classes if str(c.label) not in self.learned)

    def some(self, n: int) -> str:
        """Return a number with the noun: 1 text, 2 texts."""
        return f"{n:,} {self.nouns(n)}"

    def nouns(self, n: int) -> str:
        """Return the noun for a number: text, texts."""
        return self.noun if n == 1 else f"{self.noun}s"


def sentences(m: Measured) -> list[str]:
    """Return the five sentences as safe HTML: how good, against what, where it errs, what would help, how sure."""
    return [_how_good(m), _against_what(m), _where_it_errs(m), _what_would_help(m), _how_sure(m)]


def _quoted(label: Any) -> str:
    return f"“{html_name(label)}”"


def percent(share: float, n: int) -> str:
    """Return a share of n as people say it, with a decimal where n has earned it; only all is 100%, only none 0%."""
    digits = 0 if n < 200 else 1
    least = 10.0**-digits
    value = 100 * share
    if 0 < value < 100:
        value = min(max(value, least), 100 - least)
    return f"{value:.{digits}f}%"


def _counted(k: int, n: int) -> str:
    if k == 0:
        return "none of them" if n > 1 else "none"
    if k == n:
        return "this one" if n == 1 else "both of them" if n == 2 else "all of them"
    return f"{k:,} of them ({percent(k / n, n)})"


def _how_good(m: Measured) -> str:
    n, right = m.result.examples, int(m.right.sum())
    if n == 1:
        return (
            f"The model gave the one {m.noun} it was tested on {'the right' if right else 'a wrong'} label."
        )
    if right in (0, n):
        every = f"both {m.noun}s" if n == 2 else f"all {m.some(n)}"
        return f"The model gave {'the right' if right else 'a wrong'} label to {every} it was tested on."
    return f"The model gave the right label to {right:,} of the {m.some(n)} it was tested on ({percent(right / n, n)})."


def _against_what(m: Measured) -> str:
    n = m.result.examples
    usual = int(m.usual_right.sum())
    most = max(m.learned.values())
    is_tied = list(m.learned.values()).count(most) > 1
    common = "one of the most common labels" if is_tied else "the most common label"
    said = f"Always answering {_quoted(m.usual)}, {common}, would be right for {_counted(usual, n)}"
    rival, name = m.usual_right, "that"
    if m.simple_right is not None:
        said += f", and simply counting words for {_counted(int(m.simple_right.sum()), n)}"
        if m.simple_right.sum() >= usual:
            rival, name = m.simple_right, "counting words"
    return f"{said}; {_verdict(m.right, rival, name)}."


def _verdict(right: NDArray[np.bool_], rival: NDArray[np.bool_], name: str) -> str:
    lead = int(right.sum()) - int(rival.sum())
    surely = mcnemar(right, rival) < 0.05
    if lead == 0:
        return f"the model is no better than {name}"
    if lead > 0:
        return f"the model is clearly better than {name}" if surely else f"its lead over {name} may be luck"
    return (
        f"the model is clearly worse than {name}" if surely else f"the model did slightly worse than {name}"
    )


def _where_it_errs(m: Measured) -> str:
    if not m.errors:
        return f"It made no error on {'this' if m.result.examples == 1 else 'these'} {m.nouns(m.result.examples)}."
    return f"{_errors(m)}{_unavoidable(m)}."


def _errors(m: Measured) -> str:
    largest = m.confusions[0]
    pair = f"{_quoted(largest.truth)} taken for {_quoted(largest.predicted)}"
    if m.errors == 1:
        return f"Its only error is {pair}"
    if largest.count == m.errors:
        return f"{'Both' if m.errors == 2 else f'All {m.errors:,}'} of its errors are {pair}"
    if len(m.confusions) == 2 and m.confusions[1].truth == largest.predicted:
        are = "is" if largest.count == 1 else "are"
        rest = m.errors - largest.count
        return f"Of its {m.errors:,} errors, {largest.count:,} {are} {pair} and {rest:,} the reverse"
    if largest.count == 1:
        return f"It made {m.errors:,} errors, no two of them alike; one is {pair}"
    tested = [c for c in m.result.classes if c.support]
    worst = min(tested, key=lambda c: (c.recall, -c.support))
    found = round(worst.recall * worst.support)
    return (
        f"The most frequent of its {m.errors:,} errors is {pair}, {largest.count:,} times; it is worst at recognising"
        f" {_quoted(worst.label)}, where it found {f'{found:,}' if found else 'none'} of {m.some(worst.support)}"
    )


def _unavoidable(m: Measured) -> str:
    """Return which of the errors are examples whose label the model cannot know."""
    if not m.unknown:
        return ""
    if m.errors == 1:
        return ", a label that was not in the training data"
    which = "none of them" if m.unknown == m.errors else f"{m.unknown:,} of them"
    could = "could" if m.unknown == m.errors else "could not"
    return f"; {which} {could} be avoided, since the label was not in the training data"


def _what_would_help(m: Measured) -> str:
    if not m.errors:
        return (
            f"With no error to learn from, the next step is to test it on more {m.noun}s, and on harder ones."
        )
    if m.unknown:
        missing = [c.label for c in m.result.classes if c.support and str(c.label) not in m.learned]
        more = f" and {len(missing) - 3:,} more" if len(missing) > 3 else ""
        names = ", ".join(_quoted(label) for label in missing[:3]) + more
        never = "the label" if len(missing) == 1 else "the labels"
        return f"First of all it needs training {m.noun}s with {never} that it never saw: {names}."
    return f"{_more_examples(m)}{_first_steps(m)}."


def _more_examples(m: Measured) -> str:
    if m.doubted is None:
        return (
            f"Whether more training {m.noun}s would help cannot be said without those that it learned from"
            " (lindy report --train takes them)"
        )
    if m.curve is None or len(m.curve.sizes) < 2 or m.curve.n_held_out < FEW:
        return f"It needs more training {m.noun}s: there are too few even to tell how much each further one helps"
    (fewer, more), (before, after) = m.curve.sizes[-2:], m.curve.held_out[-2:]
    gone = (after - before) / (1 - before) if before < 1 else 0.0
    help_ = (
        "would probably help"
        if gone >= _PROBABLY
        else "may help"
        if gone >= _PERHAPS
        else "would hardly help"
    )
    went = "rose" if after > before else "fell" if after < before else "stayed at"
    n = m.curve.n_held_out
    shares = f"from {percent(before, n)} to {percent(after, n)}" if before != after else percent(after, n)
    seen = f"with {more:,} instead of {fewer:,} of them, the share of right labels on others {went} {shares}"
    return f"More training {m.noun}s {help_}: {seen}"


def _first_steps(m: Measured) -> str:
    """Return what is worth doing beside collecting more examples: labels to check, or a class with few examples."""
    if m.doubted == 1:
        return f"; one training {m.noun} has a label that looks wrong and should be checked"
    if m.doubted:
        return f"; {m.doubted:,} training {m.noun}s have labels that look wrong and should be checked"
    few = min(m.result.classes, key=lambda c: m.learned[str(c.label)])
    if (n := m.learned[str(few.label)]) < FEW and few.support and few.recall < 1:
        return f"; {_quoted(few.label)} was learned from only {m.some(n)}"
    return ""


def _how_sure(m: Measured) -> str:
    if m.was_trained_on:
        return (
            f"These figures are too good: the model has learned from the very {m.noun}s it was tested on,"
            " so they say nothing about new ones."
        )
    n, (low, high) = m.result.examples, m.result.interval
    width = high - low
    worth = (
        "say little"
        if width > 0.3
        else "are rough"
        if width > 0.1
        else "are fairly reliable"
        if width > 0.03
        else "are reliable"
    )
    only = "only " if width > 0.3 else ""
    return (
        f"With {only}{m.some(n)} to test on, these figures {worth}: on new {m.noun}s of the same kind, expect between"
        f" {percent(low, n)} and {percent(high, n)} right (19 times out of 20)."
    )
