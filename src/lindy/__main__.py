"""``python -m lindy`` is the command ``lindy``."""

from __future__ import annotations

from lindy.cli import main

raise SystemExit(main())
