"""The page itself, section by section."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from string import Template
from typing import Any

import numpy as np

from lindy import __version__, plots
from lindy.core.column import pick
from lindy.core.targets import as_targets
from lindy.data.splits.split_policy import FREE, SplitPolicy
from lindy.errors import DataError
from lindy.evaluation import Evaluation, evaluate_predictions
from lindy.evaluation.audit.table_audit import Finding
from lindy.evaluation.metrics.intervals import wilson
from lindy.evaluation.metrics.metric_registry import REPORTED
from lindy.explain import Inspection, inspect
from lindy.explain.explanation_html import fragment, page
from lindy.explain.inspection import called_with
from lindy.report.confusion import confusion_section, excerpt, largest_confusions
from lindy.report.figures import canvas, figure
from lindy.report.measure import (
    LearningCurve,
    Outcome,
    RowNaming,
    baseline_right,
    learning_curve,
    listed,
    numbered,
    outcome,
    suspected_labels,
    unfitted,
)
from lindy.report.summary import Measured, sentences
from lindy.sanitize import html_name, html_table, inert
from lindy.textclassifier import TextClassifier

_TEMPLATE = Path(__file__).with_name("page.html")
_RESAMPLES = 500  # for the intervals that have no formula
_MOST_ROWS = 500  # of a table of classes; others are a list
_TAG = re.compile("<[^>]*>")
_FEW = 10  # classes that are shown in their own order and with all their words


def report(
    model: TextClassifier,
    texts: Any,
    labels: Any,
    *,
    train: tuple[Any, Any] | None = None,
    rows: RowNaming = numbered,
    train_rows: RowNaming = numbered,
    title: str = "Model report",
    facts: Mapping[str, str] | None = None,
    commands: str = "",
    mistakes: int = 8,
    random_state: int = 0,
    division: SplitPolicy = FREE,
) -> str:
    """Return a report on a model as one HTML page.

    Parameters
    ----------
    model : fitted TextClassifier
    texts, labels : the labelled texts to test on, which the model must not have seen
    train : (texts, labels) or None
        What it was trained on, for the learning curve.
    rows, train_rows : callable
        What an example (from 0) to test on, or trained on, is called: its row in a file, for example.
    title : str
    facts : dict from str to str
        What else is to be said about the data: files, how they were split.
    commands : str
        The commands that make the model and the report.
    mistakes : int
        How many of the most confident mistakes are explained.
    random_state : int
        Of the examples that the learning curve holds out.
    division : SplitPolicy
        How the examples it was trained on may be divided: with groups, or by time.
    """
    if model.several_labels:
        from lindy.report.label_page import label_sections

        sections = label_sections(
            model,
            texts,
            labels,
            curve=None if train is None else _learned(model, train, random_state, division),
            rows=rows,
            facts=facts or {},
            mistakes=mistakes,
            was_trained_on=bool(model.seen_) and bool(model.roles_of(texts, labels)),
        )
        return _page(title, sections, commands, random_state)
    found = inspect(model, top=12)
    seen = outcome(model, texts, labels)
    truth, names = as_targets(seen.truth), [str(label) for label in model.classes_]
    result = evaluate_predictions(seen.said, truth, names, resamples=_RESAMPLES, random_state=random_state)
    assert isinstance(result, Evaluation)
    confusions = largest_confusions(result, seen)
    curve = None if train is None else _learned(model, train, random_state, division)
    doubted = None if train is None else suspected_labels(model, *train, random_state, division)
    usual = max(found.classes, key=lambda c: c.examples)
    said = Measured(
        result=result,
        right=seen.right,
        usual=str(usual.label),
        usual_right=seen.truth == str(usual.label),
        simple_right=None if train is None else baseline_right(model, *train, texts, seen.truth),
        confusions=confusions,
        learned={str(c.label): c.examples for c in found.classes},
        curve=curve,
        doubted=None if doubted is None else len(doubted),
        was_trained_on=bool(model.seen_) and bool(model.roles_of(texts, labels)),
        noun="text" if model.columns is None else "row",
    )
    sections = {
        "summary": f'<div class="summary">{"".join(f"<p>{line}</p>" for line in sentences(said))}</div>',
        "numbers": number_cells(_numbers(result, found)),
        "metrics": _metrics(result),
        "figures": "\n".join([_reliability(seen), curve_section(curve), _objective(model)]),
        "confusion": confusion_section(result, confusions, texts, rows),
        "mistakes": _mistakes(model, texts, seen, mistakes, rows),
        "label_errors": "" if train is None else _label_errors(doubted or [], train[0], train_rows),
        "words": words_section(found),
        "trained": trained_section(found, facts or {}),
    }
    return _page(title, sections, commands, random_state)


def _page(title: str, sections: Mapping[str, str], commands: str, random_state: int) -> str:
    common = {"title": inert(title), "again": _again(commands, random_state), "label_errors": ""}
    return page(title, Template(_TEMPLATE.read_text(encoding="utf-8")).substitute(common | dict(sections)))


def _learned(
    model: TextClassifier, train: tuple[Any, Any], random_state: int, division: SplitPolicy
) -> LearningCurve | None:
    """Return the learning curve; None if there are too few examples for one."""
    try:
        return learning_curve(unfitted(model), *train, random_state, division=division)
    except DataError:
        return None


def bounds(interval: tuple[float, float] | None) -> str:
    """Return an interval in words."""
    return "" if interval is None else f"{interval[0]:.3f} to {interval[1]:.3f}"


def share(value: float, n: int) -> str:
    """Return a share of n with its interval."""
    low, high = wilson(value, n)
    return f"{value:.3f} <small>{low:.2f}–{high:.2f}</small>"


def meter(value: float, largest: float, shown: str) -> str:
    """Return a number with a bar behind it."""
    share = min(1.0, value / largest) if largest > 0 else 0.0
    return f'<span class="meter" style="--share:{share:.3f}">{shown}</span>'


def folded(rows: list[list[str]], first: int, what: str = "classes", brief: int = 1) -> str:
    """Return a table of classes below its head; those beyond the first ones are behind a line to open.

    Of thousands, the last are a list of names, each with the cell ``brief``: the page stays light, and a name can
    still be found in it.
    """
    if len(rows) <= first + 2:  # the head, and one more would not be worth a fold
        return html_table(rows)
    summary = f"<summary>{len(rows) - first - 1:,} more {what}</summary>"
    behind, listed = rows[first + 1 : _MOST_ROWS], rows[_MOST_ROWS:]
    names = "; ".join(f"{row[0]} {_TAG.sub('', row[brief])}" for row in listed)
    head = f"<p>{len(listed):,} more, each with its {rows[0][brief]}:</p><p>{names}</p>" if listed else ""
    return (
        f"{html_table(rows[: first + 1])}<details>{summary}{html_table([rows[0], *behind])}{head}</details>"
    )


def _numbers(result: Evaluation, found: Inspection) -> list[tuple[str, str]]:
    low, high = result.interval
    return [
        (f"{result.accuracy:.1%}", f"accuracy<br>{low:.1%} to {high:.1%} with 95% confidence"),
        (f"{result.macro_f1:.3f}", f"mean F1 of the classes<br>{bounds(result.intervals.get('macro_f1'))}"),
        (f"{result.examples:,}", "examples tested on"),
        (f"{sum(c.examples for c in found.classes):,}", "examples learned from"),
        (f"{len(found.classes):,}", "classes"),
        (f"{found.n_features:,}", "features"),
    ]


def number_cells(cells: list[tuple[str, str]]) -> str:
    """Return the largest figures of the page, each with what it is."""
    return (
        '<div class="numbers">'
        + "".join(f"<div><b>{value}</b><small>{what}</small></div>" for value, what in cells)
        + "</div>"
    )


def trained_section(found: Inspection, facts: Mapping[str, str]) -> str:
    """Return what the model was made of, and how often its classes occurred."""
    rows = [[inert(key), inert(value)] for key, value in facts.items()]
    if found.columns.get("text"):
        said = f"text “{found.columns['text']}”, label “{found.columns.get('label', '')}”"
        rows.append(["columns", inert(said)])
    rows += [
        ["recipe", inert(found.recipe)],
        ["learner", f"<code>{inert(called_with(found.learner, found.parameters))}</code>"],
        ["weights", f"{found.n_weights:,}, of which {found.nonzero:,} are not 0"],
        *([key, inert(value)] for key, value in found.facts().items()),
    ]
    classes = [["class", "training examples", "share"]]
    largest = sorted(found.classes, key=lambda c: -c.examples) if len(found.classes) > _FEW else found.classes
    classes += [[html_name(c.label), f"{c.examples:,}", f"{c.share:.1%}"] for c in largest]
    pairs = "".join(f"<dt>{key}</dt><dd>{value}</dd>" for key, value in rows)
    return f'<div class="grid"><dl>{pairs}</dl><div>{folded(classes, _FEW)}</div></div>'


def _metrics(result: Evaluation) -> str:
    called = dict(zip(result.labels, result.confusion.sum(axis=0).tolist(), strict=True))
    classes, order = result.classes, ""
    if len(classes) > _FEW:
        classes = sorted(classes, key=lambda c: (c.f1, -c.support))
        order = " The classes with the lowest F1 come first."
    rows = [["class", "precision", "recall", "F1", "examples"]]
    rows += [
        [
            html_name(c.label),
            share(c.precision, called[c.label]),
            share(c.recall, c.support),
            meter(c.f1, 1.0, f"{c.f1:.3f}"),
            f"{c.support:,}",
        ]
        for c in classes
    ]
    said = (
        "Precision: how often the model is right when it gives the class. Recall: how many of the class's examples"
        f" it finds. F1: both in one number. The small numbers are 95% intervals.{order}"
    )
    own = f"<div><h3>Each class</h3>{folded(rows, 2 * _FEW, brief=3)}</div>"
    overall = f"<div><h3>All classes together</h3>{html_table(_overall(result))}</div>"
    return f'<div class="side">{own}{overall}</div><p class="note">{said}</p>'


def _overall(result: Evaluation) -> list[list[str]]:
    """Return the figures of all classes together, with their intervals."""
    figures: list[tuple[str, float | None, tuple[float, float] | None]] = [
        ("accuracy", result.accuracy, result.interval),
        *(
            (spec.meaning, result.figures[name], result.intervals.get(name))
            for name, spec in REPORTED.items()
        ),
    ]
    if (p := result.probabilities) is not None:
        figures += [
            ("log loss", p.log_loss, p.intervals.get("log_loss")),
            ("Brier score", p.brier, p.intervals.get("brier")),
            ("area under the ROC curve", p.roc_auc, p.intervals.get("roc_auc")),
            ("expected calibration error", p.reliability.error, None),
        ]
    rows = [["figure", "value", "95% interval"]]
    rows += [[name, f"{value:.3f}", bounds(between)] for name, value, between in figures if value is not None]
    return rows


def _reliability(seen: Outcome) -> str:
    if not seen.said.are_probabilities:
        return ""
    ax = plots.reliability(seen.right, seen.confidence, ax=canvas())
    said = "Predictions by the probability they were given, and how many of them were right."
    return f"<div><h3>Do probabilities come true?</h3>{figure(ax, said)}</div>"


def curve_section(curve: LearningCurve | None) -> str:
    """Return the picture of a learning curve."""
    if curve is None:
        return ""
    scores = {"training": curve.training, "held out": curve.held_out}
    ax = plots.learning_curve(
        curve.sizes, scores, {"held out": curve.intervals}, measure=curve.measure, ax=canvas()
    )
    said = (
        f"{curve.measure.capitalize()} by the number of training examples, tested on"
        f" {curve.n_held_out:,} training examples that were"
        " held out; the band is its 95 % interval. If the upper curve falls and the lower one still rises, more"
        " examples help."
    )
    return f"<div><h3>Would more examples help?</h3>{figure(ax, said)}</div>"


def _objective(model: TextClassifier) -> str:
    history = getattr(model.learner_, "history_", None)
    if history is None or len(history.objective) <= 2 or len(history.seconds) != len(history.objective):
        return ""
    ax = plots.objective_by_round(history.objective, ax=canvas())
    return f"<div><h3>Training</h3>{figure(ax, 'The objective, round by round.')}</div>"


def words_section(found: Inspection, most: int | None = None) -> str:
    """Return the features of each class: as a table with weights, of many classes in a line each.

    Of more than ``most`` classes those with the most examples are shown.
    """
    what = found.measure
    shown = found.classes
    if most is not None and len(shown) > most:
        shown = sorted(shown, key=lambda c: -c.examples)[:most]
    ranked = {c.label: found.top[c.label] for c in shown if found.top.get(c.label)}
    if not ranked:
        return "<p>This learner has no weights to show.</p>"
    said = f"<p>The features with the largest {what} for each class.</p>"
    if len(ranked) > _FEW:
        rows = [["class", f"features, the largest {what} first"]]
        rows += [
            [html_name(label), ", ".join(html_name(name, 30) for name, _ in own)]
            for label, own in ranked.items()
        ]
        return f'{said}<div class="lines">{html_table(rows)}</div>'
    blocks = []
    for label, own in ranked.items():
        top = max((value for _, value in own if np.isfinite(value)), default=1.0)
        rows = [["feature", what]]
        rows += [
            [html_name(name), meter(value, top, f"{value:.3g}".replace("inf", "∞"))] for name, value in own
        ]
        blocks.append(f'<div class="words"><h3>{html_name(label)}</h3>{html_table(rows)}</div>')
    return f'{said}<div class="grid">{"".join(blocks)}</div>'


def _mistakes(model: TextClassifier, texts: Any, seen: Outcome, most: int, rows: RowNaming) -> str:
    worst = seen.confident_mistakes(most)
    if not len(worst):
        return "<p>No text got a wrong label.</p>"
    wrong = int((~seen.right).sum())
    are = "is" if wrong == 1 else "are"
    parts = [
        "<h3>The most confident mistakes</h3>",
        f"<p>{wrong:,} of {len(seen.truth):,} labels {are} wrong; open a line to see why.</p>",
    ]
    known = {str(label): label for label in model.classes_.tolist()}
    for i, text in zip(worst.tolist(), listed(pick(texts, worst)), strict=True):
        truth, predicted = seen.truth[i], seen.predicted[i]
        sure = (
            f"{seen.confidence[i]:.1%}" if seen.said.are_probabilities else f"score {seen.confidence[i]:.3g}"
        )
        other = known.get(truth)
        x = text if isinstance(text, dict | np.ndarray) else str(text)
        piece = fragment(model.explain(x, flips=20), top=10, other=other)
        parts.append(
            f"<details><summary>{inert(rows(i))}: {html_name(predicted)} ({sure}), but the label is {html_name(truth)}"
            f"</summary>{piece}</details>"
        )
    return "\n".join(parts)


def _label_errors(found: list[Finding], texts: Any, rows: RowNaming, most: int = 12) -> str:
    said = "learners that had not seen the example contradict its label, the most probable errors first"
    if not found:
        return f"<h3>Likely label errors</h3><p>None among the training examples where {said}.</p>"
    doubtful = listed(pick(texts, np.array([finding.row for finding in found[:most]])))
    items = (
        f"<li>{inert(rows(f.row))} has the label {html_name(f.label)}; suggested: {html_name(f.suggestion)}"
        f" (wrong with probability {f.score or 0.0:.2f}) <small>{excerpt(text)}</small></li>"
        for f, text in zip(found[:most], doubtful, strict=True)
    )
    one = "example" if len(found) == 1 else "examples"
    real = f"about {sum(f.score or 0.0 for f in found):,.0f} of them should be real"
    intro = f"<p>{len(found):,} training {one} where {said}; {real}:</p>"
    return f'<h3>Likely label errors</h3>{intro}<ol class="cases">{"".join(items)}</ol>'


def _again(commands: str, random_state: int) -> str:
    about = f"lindy {__version__}; the seed of the learning curve is {random_state}."
    lines = [f"<p>{about} Results do not depend on the number of threads.</p>"]
    if commands:
        lines.append(f"<pre>{inert(commands)}</pre>")
    return "\n".join(lines)
