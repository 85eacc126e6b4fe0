"""Models in other people's pages: one HTML page with a classifier in it, or an ES module.

The JavaScript cuts texts into the same features as the library, with the tables of characters of the Python that it was
built for, and adds the same weights in the same order and precision: scores are the same to the last bit, and so are
probabilities, whose exponential is the library's own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lindy.lazy import lazy_names

if TYPE_CHECKING:
    from lindy.web.export.export_page import page_text
    from lindy.web.export.module import module_text, module_types
    from lindy.web.export.small import Loss, lost, smaller

__all__ = ["Loss", "lost", "module_text", "module_types", "page_text", "smaller"]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "module": "module_text module_types",
        "export_page": "page_text",
        "small": "Loss lost smaller",
    },
)
