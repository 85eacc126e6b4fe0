"""The page ``reference``, which lists every public name: what ``lindy`` and its rooms have in ``__all__``."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from pathlib import Path
from typing import Any

import lindy

ORIGIN = "<!-- written by docs/extensions/reference_page.py -->"

TITLES = {
    "text": "Text to features",
    "features": "Features beyond words",
    "data": "Files and tables",
    "data.mail": "Mail",
    "images": "ImageColumn",
    "linear": "Linear learners",
    "bayes": "Naive Bayes",
    "baselines": "Baselines",
    "kernels": "Kernels",
    "joint": "Joint features",
    "evaluation": "Evaluation",
    "tuning": "Tuning",
    "updating": "Updating and merging",
    "explain": "Explanations",
    "plots": "Plots",
    "report": "Reports",
    "web.export": "Models in pages",
    "modelfile": "Model files",
    "labs": "The course",
    "accel": "Acceleration of scikit-learn",
    "errors": "Errors",
}
"""The rooms in the order of the page; a test sees to it that none is missing."""


def rooms() -> list[str]:
    """Return the packages of lindy, and modules in them, that say which of their names are public."""
    found = pkgutil.walk_packages(lindy.__path__, "lindy.")
    packages = [importlib.import_module(each.name) for each in found if each.ispkg]
    return [
        package.__name__.removeprefix("lindy.") for package in packages if getattr(package, "__all__", None)
    ]


def page() -> str:
    """Return the page; what lindy itself exports is documented under that name, in its room."""
    first = _block([_entry("lindy", name) for name in ("TextClassifier", "load", "JointClassifier")])
    parts = [ORIGIN, "# Reference", "## Texts in, labels out", first]
    at_top = set(lindy.__all__)
    for room, title in TITLES.items():
        module = importlib.import_module(f"lindy.{room}")
        entries = [f".. automodule:: lindy.{room}\n"]
        for name in module.__all__:
            shared = name in at_top and getattr(lindy, name) is getattr(module, name)
            entries.append(_entry("lindy" if shared else module.__name__, name))
        parts += [f"## {title}", _block(entries)]
    return "\n\n".join(parts) + "\n"


def _entry(module: str, name: str) -> str:
    """Return the directive that documents a name."""
    value = getattr(importlib.import_module(module), name)
    if inspect.ismodule(value):
        return f".. automodule:: {module}.{name}\n   :members:\n"
    if name == "TextClassifier":  # what a fitted one answers is in a class of its own
        return f".. autoclass:: {module}.{name}\n   :members:\n   :inherited-members: Estimator\n"
    if inspect.isclass(value):
        return f".. autoclass:: {module}.{name}\n   :members:\n"
    return f".. {'autofunction' if callable(value) else 'autodata'}:: {module}.{name}\n"


def _block(entries: list[str]) -> str:
    return "```{eval-rst}\n" + "\n".join(entries) + "```"


def write_page(app: Any) -> None:
    """Write the page."""
    path = Path(app.srcdir) / "reference.md"
    if not path.exists() or path.read_text(encoding="utf-8") != page():
        path.write_text(page(), encoding="utf-8")


def setup(app: Any) -> dict[str, bool]:
    """Write the page when a build begins."""
    app.connect("builder-inited", write_page)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
