"""Runs ``lindy demo`` and draws what it printed as docs/images/demo.svg.

python docs/images/record_demo.py
"""

from __future__ import annotations

import html
import re
import subprocess
import sys
import tempfile
from pathlib import Path

LINE, CHARACTER, MARGIN = 19, 8.43, 22
COLOURS = (("$ ", "#7ee787"), ("# ", "#8b949e"))


def recorded() -> list[str]:
    """Return the lines of the demo as a terminal shows them, stdout and stderr together."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-u", "-m", "lindy.cli", "demo", "-o", "demo"]
        done = subprocess.run(
            command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=True
        )
    shown = done.stdout.split("# Look into the model")[0]  # what comes after it fills another screen
    return re.sub(r"after [\d.]+ s", "", shown).strip().splitlines()


def drawn(lines: list[str]) -> str:
    """Return the lines as an SVG picture of a terminal."""
    width = MARGIN * 2 + CHARACTER * max(map(len, lines))
    height = MARGIN * 2 + LINE * len(lines)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height}" width="{width:.0f}"'
        f' role="img" aria-label="lindy demo: train, evaluate and predict in a terminal">',
        f'<rect width="{width:.0f}" height="{height}" rx="8" fill="#0d1117"/>',
        '<g font-family="ui-monospace, Menlo, Consolas, monospace" font-size="14">',
    ]
    for i, line in enumerate(lines):
        colour = next((c for start, c in COLOURS if line.startswith(start)), "#e6edf3")
        shown = html.escape(line).replace(" ", "\N{NO-BREAK SPACE}")  # which no viewer collapses
        parts.append(f'<text x="{MARGIN}" y="{MARGIN + LINE * (i + 1) - 6}" fill="{colour}">{shown}</text>')
    return "\n".join([*parts, "</g>", "</svg>", ""])


if __name__ == "__main__":
    Path(__file__).with_name("demo.svg").write_text(drawn(recorded()), encoding="utf-8")
