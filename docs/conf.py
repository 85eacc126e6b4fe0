"""Sphinx settings."""

import importlib.metadata

project = "lindy"
author = "the lindy developers"
release = importlib.metadata.version("lindy")
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
exclude_patterns = ["README.md"]
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 3
napoleon_google_docstring = False
autodoc_member_order = "bysource"
autodoc_typehints = "description"
html_theme = "furo"
html_title = "lindy"
suppress_warnings = ["myst.xref_missing"]
