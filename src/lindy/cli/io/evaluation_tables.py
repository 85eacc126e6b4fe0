"""Evaluations as tables for people to read."""

from __future__ import annotations

import math
import shlex
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

from lindy.cli.io.console import clean, table
from lindy.evaluation.metrics.metric_registry import REPORTED, TOP

if TYPE_CHECKING:
    from lindy.evaluation import Evaluation, LabelEvaluation, Reliability

_WIDEST_CONFUSION = 12
_BAR = 40
_MOST_LABELS = 50  # of several per text, in the table


def render_reliability(curve: Reliability, before: float | None) -> str:
    """Return the reliability curve as bars: how often labels of each confidence were right."""
    rows = [["sure of", "right in", "", "texts"]]
    for p, share, n in zip(curve.confidence, curve.accuracy, curve.counts, strict=True):
        bar = "█" * round(share * _BAR)
        mark = min(round(p * _BAR), _BAR - 1)
        bar = bar.ljust(_BAR)
        rows.append([f"{p:.3f}", f"{share:.3f}", f"{bar[:mark]}│{bar[mark + 1 :]}", f"{n:,}"])
    without = "" if before is None else f" ({before:.4f} without calibration)"
    return f"{table(rows)}\n\ncalibration error {curve.error:.4f}{without}; bars should end at the line │\n\n"


def render_thresholds(thresholds: dict[str, float]) -> str:
    """Return thresholds as the option that takes them."""
    pairs = ",".join(f"{label}={math.ceil(t * 1e4) / 1e4:.4g}" for label, t in thresholds.items())
    return f"for that precision: lindy predict --reject {shlex.quote(clean(pairs))}\n"


def render_coverage(
    asked: float, reached: float, interval: Sequence[float], mean_size: float, single: float
) -> str:
    """Return how often sets of labels hold the right one, and how large they are, as a line."""
    low, high = interval
    return (
        f"\nsets of labels for a coverage of {asked:g}: {reached:.4f} ({low:.4f} to {high:.4f} with 95 % confidence);"
        f" {mean_size:.2f} labels on average, {single:.1%} of the sets have one\n"
    )


def render(result: Evaluation, unknown: Collection[str] = ()) -> str:
    """Return an evaluation as text; labels that the model does not know are marked."""
    low, high = result.interval
    lines = [
        f"accuracy  {result.accuracy:.4f}  ({low:.4f} to {high:.4f} with 95 % confidence,"
        f" {result.examples:,} examples)",
        *_confidence(result),
        *(
            f"{spec.title}  {result.figures[name]:.4f}"
            for name, spec in REPORTED.items()
            if spec.prominent and name != "macro_f1"  # which ends the table below
        ),
        *_hierarchical(result.figures),
        "",
    ]
    rows = [["", "precision", "recall", "F1", "examples"]]
    rows += [
        [
            clean(c.label) + " (unknown)" * (c.label in unknown),
            f"{c.precision:.4f}",
            f"{c.recall:.4f}",
            f"{c.f1:.4f}",
            f"{c.support:,}",
        ]
        for c in result.classes
    ]
    rows.append(["(macro mean)", "", "", f"{result.macro_f1:.4f}", ""])
    lines += [table(rows), ""]
    names = [clean(label) for label in result.labels]
    if len(names) <= _WIDEST_CONFUSION:
        grid = [["true \\ predicted", *names]]
        grid += [
            [name, *(f"{n:,}" for n in counts)] for name, counts in zip(names, result.confusion, strict=True)
        ]
        lines += [table(grid), ""]
    else:
        lines += ["most frequent confusions (true → predicted)", *_confusions(result, names), ""]
    return "\n".join(lines)


def render_labels(result: LabelEvaluation) -> str:
    """Return an evaluation of several labels as text, the most frequent labels first."""
    figures, present = result.figures, [own for own in result.labels if own.support]
    low, high = result.intervals["micro_f1"]
    names = ("precision", "recall", "f1")
    averages = [["", "precision", "recall", "F1"]]
    averages += [
        [f"{average} mean", *(f"{figures[f'{average}_{name}']:.4f}" for name in names)]
        for average in ("micro", "macro", "example")
    ]
    of_these = "" if result.labelled == result.examples else f", of {result.labelled:,} with a label"
    ranked = [[f"among the first{of_these}", *map(str, TOP)]]
    ranked += [
        [title, *(f"{figures[f'{name}_at_{k}']:.4f}" for k in TOP)]
        for title, name in (("precision", "precision"), ("nDCG", "ndcg"))
    ]
    rows = [["", "threshold", "precision", "recall", "F1", "examples"]]
    rows += [
        [
            clean(own.label) + " (unknown)" * (not own.known),
            "" if own.threshold is None else f"{own.threshold:.4f}",
            *(f"{getattr(own, name):.4f}" for name in names),
            f"{own.support:,}",
        ]
        for own in sorted(present, key=lambda own: -own.support)[:_MOST_LABELS]
    ]
    more = len(present) - _MOST_LABELS
    return "\n".join(
        [
            f"micro F1  {figures['micro_f1']:.4f}  ({low:.4f} to {high:.4f} with 95 % confidence,"
            f" {result.examples:,} examples with {len(present):,} different labels)",
            f"exactly right  {figures['subset_accuracy']:.4f}   Hamming loss {figures['hamming_loss']:.4f}",
            f"R-precision  {figures['r_precision']:.4f}   F1@5 {figures['f1_at_5']:.4f}   nDCG@10"
            f" {figures['ndcg_at_10']:.4f}   label-ranking average precision"
            f" {figures['label_ranking_average_precision']:.4f}",
            *_hierarchical(figures),
            "",
            table(averages),
            "",
            table(ranked),
            "",
            table(rows),
            *([f"and {more:,} rarer labels: --json has all"] if more > 0 else []),
            "",
            "",
        ]
    )


def _hierarchical(figures: Mapping[str, float]) -> list[str]:
    if "hierarchical_f1" not in figures:
        return []
    p, r, f = (figures[f"hierarchical_{name}"] for name in ("precision", "recall", "f1"))
    return [f"hierarchical F1  {f:.4f}   precision {p:.4f}   recall {r:.4f}"]


def _confidence(result: Evaluation) -> list[str]:
    if result.probabilities is None:
        return []
    p = result.probabilities
    area = f"   ROC area {p.roc_auc:.4f}" if p.roc_auc is not None else ""
    return [f"log loss  {p.log_loss:.4f}   calibration error {p.reliability.error:.4f}{area}"]


def _confusions(result: Evaluation, names: list[str], most: int = 10) -> list[str]:
    pairs = [
        (int(result.confusion[i, j]), f"{names[i]} → {names[j]}")
        for i, j in zip(*(own.tolist() for own in result.confusion.nonzero()), strict=True)
        if i != j
    ]
    pairs.sort(key=lambda pair: (-pair[0], pair[1]))
    return [f"{count:6,}  {pair}" for count, pair in pairs[:most]]
