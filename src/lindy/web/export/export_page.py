"""A model as one HTML page that needs nothing else: type a text, see its label, probabilities and words.

The page works from a file, without a network. Its Content-Security-Policy allows the one script and the one style that
are in it, by their hashes, and nothing else; what comes from the model or from a text is never markup.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from lindy.evaluation.decisions import Decision, LabelLimits
from lindy.sanitize import inert
from lindy.textclassifier import TextClassifier
from lindy.web.export.header import NO_LIMITS, model_header
from lindy.web.export.packing import bundled, pack
from lindy.web.page_examples import telling_words

_HERE = Path(__file__).parent


_MOST_EXAMPLES = 6
_FEW = 4  # labels that a heading names


def page_text(
    model: TextClassifier,
    decision: Decision | None = None,
    limits: LabelLimits = NO_LIMITS,
    *,
    title: str = "",
    examples: Sequence[str | Mapping[str, Any]] | None = None,
) -> str:
    """Return a page with a classifier in it.

    Parameters
    ----------
    model : TextClassifier
        Fitted, and linear.
    decision : Decision or None
        Costs and thresholds; None takes the best class always.
    limits : LabelLimits
        How many of several labels a text gets at least and at most.
    title : str
        The heading; none asks which of the labels it is.
    examples : sequence of texts or records, optional
        What can be clicked instead of typing; default: for a model of texts, words that speak for its labels.

    Raises
    ------
    ExportError
        If JavaScript cannot follow the model exactly.
    """
    header = model_header(model, decision or Decision(), limits)
    takes_records = header["inputs"] is not None
    if examples is None:
        examples = [] if takes_records else telling_words(model, _MOST_EXAMPLES)
    header["examples"] = list(examples)[:_MOST_EXAMPLES]
    script, style = f"\n{bundled('page')}", f"\n{_source('page.css')}"
    policy = (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; img-src data:;"
        " base-uri 'none'; form-action 'none'"
    )
    return _source("page.html").format(
        title=inert(title or _title(header["names"], several=model.several_labels)),
        lead=_LEADS[takes_records],
        policy=policy,
        style=style,
        script=script,
        data=pack(header),
        measure="Labels"
        if model.several_labels
        else "Probabilities"
        if model.has_probabilities
        else "Scores",
        footer=_footer(header["about"]),
    )


_LEADS = {
    False: "Type or paste a text. The answer appears as you type, with what each word adds to it.",
    True: "Fill in the fields. The answer appears as you type, with what each of them adds to it.",
}


def _title(labels: list[str], *, several: bool) -> str:
    """Return the question that the page answers."""
    if several and len(labels) > 1:
        if len(labels) > _FEW:
            return f"Which of {len(labels):,} labels fit?"
        return f"Which of {', '.join(labels[:-1])} and {labels[-1]} fit?"
    if len(labels) > _FEW:
        return f"Which of {len(labels):,} labels fits?"
    if len(labels) == 1:
        return f"How much does {labels[0]} fit?"
    return f"Is it {', '.join(labels[:-1])} or {labels[-1]}?"


def _footer(about: dict[str, object]) -> str:
    return inert(
        f"Learned from {about['examples']:,} examples: {about['recipe']}. This page works without a network, and"
        f" what you type stays in it. Made by lindy {about['lindy']}."
    )


def _source(name: str) -> str:
    return (_HERE / name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    """Return the hash of an inline script or style as a Content-Security-Policy has it."""
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return f"sha256-{base64.b64encode(digest).decode('ascii')}"
