"""A model as one HTML page that needs nothing else: type a text, see its label, probabilities and words.

The page works from a file, without a network. Its Content-Security-Policy allows the one script and the one style that
are in it, by their hashes, and nothing else; what comes from the model or from a text is never markup.
"""

from __future__ import annotations

import base64
import hashlib
from pathlib import Path

from lindy.evaluation.decisions import Decision
from lindy.textclassifier import TextClassifier
from lindy.visible import inert
from lindy.web.export.bundle import bundled
from lindy.web.export.header import model_header
from lindy.web.export.packing import pack

_HERE = Path(__file__).parent


def page_text(model: TextClassifier, decision: Decision | None = None, *, title: str = "") -> str:
    """Return a page with a classifier in it.

    Parameters
    ----------
    model : TextClassifier
        Fitted, and linear.
    decision : Decision or None
        Costs and thresholds; None takes the best class always.
    title : str
        The heading; none names the labels.

    Raises
    ------
    ExportError
        If JavaScript cannot follow the model exactly.
    """
    header = model_header(model, decision or Decision())
    script, style = f"\n{bundled('page')}", f"\n{_source('page.css')}"
    policy = (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; img-src data:;"
        " base-uri 'none'; form-action 'none'"
    )
    return _source("page.html").format(
        title=inert(title or _title(header["names"])),
        policy=policy,
        style=style,
        script=script,
        data=pack(header),
        measure="Probabilities" if model.has_probabilities else "Scores",
        footer=_footer(header["about"]),
    )


def _title(labels: list[str]) -> str:
    shown = ", ".join(labels[:4])
    return f"{shown} …" if len(labels) > 4 else shown.replace(", ", " or ") if len(labels) == 2 else shown


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
