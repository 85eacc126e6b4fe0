"""Formulas as MathML, made when the page is built: browsers draw it themselves, so the pages need no network."""

import re
from typing import Any
from xml.etree import ElementTree as ET

from docutils import nodes
from latex2mathml.converter import convert

SPACE = "http://www.w3.org/1998/Math/MathML"
LIMITS = {"min", "max"}
KNOWN = {r"\arg": r"\operatorname{arg}", r"\lVert": r"\|", r"\rVert": r"\|"}
"""What the converter does not know, or draws as high as the whole line, and what it knows."""


def inline(writer: Any, node: Any) -> None:
    """Write a formula inside a sentence."""
    _write(writer, node, "inline")


def block(writer: Any, node: Any) -> None:
    """Write a formula on a line of its own."""
    _write(writer, node, "block")


def _write(writer: Any, node: Any, display: str) -> None:
    writer.body.append(formula(node.astext(), display))
    raise nodes.SkipNode


def formula(text: str, display: str) -> str:
    """Return a formula of LaTeX as MathML; on its own line, what belongs below min and max is below them."""
    text = re.sub(r"\\tag\{([^}]*)\}", r"\\qquad \\text{(\1)}", text)
    for unknown, known in KNOWN.items():
        text = text.replace(unknown, known)
    tree = ET.fromstring(convert(text, display=display))
    if display == "block":
        for element in tree.iter(f"{{{SPACE}}}msub"):
            if (element[0].text or "") in LIMITS:
                element.tag = f"{{{SPACE}}}munder"
    ET.register_namespace("", SPACE)
    return ET.tostring(tree, encoding="unicode")


def setup(app: Any) -> dict[str, bool]:
    """Register the renderer under the name ``mathml``."""
    app.add_html_math_renderer("mathml", (inline, None), (block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
