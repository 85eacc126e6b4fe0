"""The page ``concepts/learners``, which lists every learner, its options, what it wants and what it offers."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

from lindy.estimators.learners import OFFERS, UPDATES, WANTS, learner_classes, options_of

ORIGIN = "<!-- written by docs/extensions/learner_pages.py -->"


def page() -> str:
    """Return the page."""
    rows = ["| name | class | wants | offers | further rows |", "| --- | --- | --- | --- | --- |"]
    options = []
    for name, kind in learner_classes().items():
        declared = kind.spec
        capabilities = ", ".join(offer for offer in OFFERS if offer in kind().capabilities)
        more = kind().updates or "–"
        rows.append(
            f"| `{name}` | `lindy.{kind.__name__}` | {declared.input_kind} | {capabilities} | {more} |"
        )
        defaults = inspect.signature(kind).parameters
        own = ["| option | default | |", "| --- | --- | --- |"]
        own += [
            f"| `{option}` | `{defaults[option].default!r}` | {says.replace('|', chr(92) + '|')} |"
            for option, says in options_of(kind).items()
        ]
        options.append(f"## {name}\n\n" + ("\n".join(own) if len(own) > 2 else "No options."))
    text = [
        ORIGIN,
        "# Learners",
        "`lindy train --learner NAME` and `TextClassifier(learner=…)` take these. `auto` chooses among some, see"
        " [recipes](recipe.md); `lindy train --learner NAME --param help` shows the options in the terminal.",
        "\n".join(rows),
        "What they want: " + "; ".join(f"**{want}**, {says}" for want, says in WANTS.items()) + ".",
        "What they offer: " + "; ".join(f"**{offer}**, {says}" for offer, (_, says) in OFFERS.items()) + ".",
        "What they do with further rows ([updating](../guide/updating.md)): "
        + "; ".join(f"**{how or '–'}**, {says}" for how, says in UPDATES.items())
        + ".",
        *options,
    ]
    return "\n\n".join(text) + "\n"


def write_page(app: Any) -> None:
    """Write the page."""
    path = Path(app.srcdir) / "concepts" / "learners.md"
    if not path.exists() or path.read_text(encoding="utf-8") != page():
        path.write_text(page(), encoding="utf-8")


def setup(app: Any) -> dict[str, bool]:
    """Write the page when a build begins."""
    app.connect("builder-inited", write_page)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
