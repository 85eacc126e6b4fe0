"""Pages of the labs and of the course companion, made by running their scripts when the documentation is built.

A page has every exercise, its hint, its solution, what that printed and the figures it drew. Nothing of it is kept:
pages and figures are written anew into ``docs/labs`` and ``docs/textbook`` before Sphinx reads them.
"""

from __future__ import annotations

import inspect
import os
import pydoc
import re
from pathlib import Path
from typing import Any

from lindy.labs.catalog import LABS, Lab
from lindy.labs.running import Played, play
from lindy.labs.script import paragraphs, read_script

ORIGIN = "<!-- written by docs/extensions/labs.py -->"


def write_pages(app: Any) -> None:
    """Run all labs and write their pages."""
    source = Path(app.srcdir)
    for lab in LABS:
        write(source / "labs" / f"{lab.number}-{lab.name}.md", lab_page(lab, source / "labs" / "figures"))

    for path in sorted((source / "textbook").glob("*.py")):
        write(path.with_suffix(".md"), companion_page(path, source / "textbook" / "figures"))


def write(path: Path, text: str) -> None:
    """Write a page unless it is there already, so that Sphinx reads only what changed."""
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def lab_page(lab: Lab, figures: Path) -> str:
    """Return the page of a lab."""
    data = os.environ.get("LINDY_DATA")
    run = f"lindy lab {lab.number}"
    page = [
        ORIGIN,
        f"# {lab.title}",
        f"{lab.lecture}. Run it with `{run}`; `{run} --exercises` hands out the exercises without their solutions, and"
        f" `{run} --notebook` writes notebooks.",
    ]
    for path in lab.scripts:
        script = read_script(path)
        page += [f"## {script.title}", script.introduction]
        place = figures / lab.name
        for played in play(script, place, None if data is None else Path(data), capture=True):
            page += cell(played, place.relative_to(figures.parent))
    return "\n\n".join(page) + "\n"


def companion_page(path: Path, figures: Path) -> str:
    """Return the page of an algorithm: formula, the textbook's code, and lindy's calls with what they print."""
    script = read_script(path)
    page, imports = [ORIGIN, f"# {script.title}"], ""
    for played in play(script, figures, None, capture=True):
        if played.cell.prose:
            for text in paragraphs(played.cell.text):
                name = text.removeprefix("Code: ")
                page.append(text if name == text else python(inspect.getsource(pydoc.locate(name))))
        elif not played.text and not played.figures:
            imports = f"{played.cell.text}\n\n"  # shown where they are used, after the formula
        else:
            page += [python(imports + played.cell.text), *results(played, Path(figures.name))]
            imports = ""
    return "\n\n".join(page) + "\n"


def cell(played: Played, figures: Path) -> list[str]:
    """Return the blocks of a cell: a question, what is given, or a solution that is folded with its output."""
    if played.cell.prose:
        return [paragraph(text) for text in paragraphs(played.cell.text)]
    code = [python(played.cell.text), *results(played, figures)]
    if not played.cell.given:
        return folded("Solution", *code)
    return folded("Imports", *code) if "import" in played.cell.text else code


def python(code: str) -> str:
    """Return code as a block."""
    return f"```{{code-block}} python\n{code.rstrip()}\n```"


def results(played: Played, figures: Path) -> list[str]:
    """Return what a cell printed, drew and said of it."""
    page = []
    if played.text.strip():
        page += [f"```{{code-block}} text\n{played.text.rstrip()}\n```"]
    page += [f"![{figure.caption}]({figures / figure.path.name})" for figure in played.figures]
    return [*page, *played.remarks]


def paragraph(text: str) -> str:
    """Return a paragraph of prose: headings one level lower, hints folded, corrections boxed."""
    kind, _, rest = text.partition(": ")
    rest = rest[:1].upper() + rest[1:]
    if kind == "Hint":
        return "\n\n".join(folded("Hint", rest))
    if kind == "Correction":
        return f"```{{admonition}} Correction\n:class: warning\n{rest}\n```"
    return re.sub("^#", "##", text)


def folded(summary: str, *blocks: str) -> list[str]:
    """Return blocks that open when their summary is clicked."""
    return [f"<details><summary>{summary}</summary>", *blocks, "</details>"]


def setup(app: Any) -> dict[str, bool]:
    """Write the pages when a build begins."""
    app.connect("builder-inited", write_pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
