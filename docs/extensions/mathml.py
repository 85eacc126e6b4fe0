"""Formulas as MathML, made when the page is built: browsers draw it themselves, so the pages need no network."""

from typing import Any

from docutils import nodes
from latex2mathml.converter import convert


def inline(writer: Any, node: Any) -> None:
    """Write a formula inside a sentence."""
    _write(writer, node, "inline")


def block(writer: Any, node: Any) -> None:
    """Write a formula on a line of its own."""
    _write(writer, node, "block")


def _write(writer: Any, node: Any, display: str) -> None:
    formula = node.astext().replace(r"\arg", r"\operatorname{arg}")  # which the converter does not know
    writer.body.append(convert(formula, display=display))
    raise nodes.SkipNode


def setup(app: Any) -> dict[str, bool]:
    """Register the renderer under the name ``mathml``."""
    app.add_html_math_renderer("mathml", (inline, None), (block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
