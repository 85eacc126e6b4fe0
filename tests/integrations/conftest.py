"""Annif 1.4 has no release for Python 3.14."""

from __future__ import annotations

import sys

collect_ignore = ["test_annif.py"] if sys.version_info >= (3, 14) else []
