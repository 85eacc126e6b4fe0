"""Sphinx settings."""

import importlib.metadata
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "extensions"))

project = "lindy"
author = "the lindy developers"
project_copyright = "the lindy developers, Apache-2.0"
release = importlib.metadata.version("lindy")
extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "mathml",
    "examples",
    "labs",
    "lecture_coverage",
    "learner_pages",
    "command_pages",
    "reference_page",
]
html_math_renderer = "mathml"
exclude_patterns = ["README.md"]
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 3
napoleon_google_docstring = False
napoleon_use_ivar = True
autodoc_member_order = "bysource"
autodoc_typehints = "description"
html_theme = "furo"
html_title = "lindy"
html_static_path = ["static"]
html_css_files = ["page.css"]
toc_object_entries_show_parents = "hide"
# every reference must lead somewhere, except types: "array (rows, columns)" is no name to link to
nitpicky = True
nitpick_ignore_regex = [("py:class", ".*")]
suppress_warnings = ["ref.python"]
