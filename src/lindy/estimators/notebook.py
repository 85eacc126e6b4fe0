"""The HTML that a notebook shows of an object: it runs nothing, and is readable on light and on dark.

Text and lines have the notebook's own colour; only marks have one of ours, half transparent. Everything that comes
from data passes ``inert`` on its way.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lindy.sanitize import html_name, html_table, inert

_STYLE = """<style>
.lindy { font: 14px/1.5 system-ui, sans-serif; color: inherit; --for: 40, 140, 220; --against: 225, 120, 20; }
.lindy .scroll { overflow-x: auto; max-width: 100%; }
.lindy table { border-collapse: collapse; font-variant-numeric: tabular-nums; color: inherit; margin: .3em 0; }
.lindy th, .lindy td { padding: .1em .7em; text-align: right; border-bottom: 1px solid #8886; background: none; }
.lindy th:first-child, .lindy td:first-child, .lindy table.facts td { text-align: left; padding-left: 0; }
.lindy td:first-child, .lindy table.facts td + td, .lindy p { overflow-wrap: anywhere; min-width: 6em; }
.lindy table.facts td + td { white-space: pre-line; }
.lindy table.facts td:first-child { overflow-wrap: normal; vertical-align: top; }
.lindy .examples td:last-child, .lindy .examples th:last-child { text-align: left; min-width: 14em; }
.lindy bdi { unicode-bidi: isolate; }
.lindy .title { font-weight: 600; margin: .3em 0; }
.lindy .text { white-space: pre-wrap; overflow-wrap: anywhere; border-left: 3px solid #8886; padding-left: .8em; }
.lindy mark { color: inherit; background: none; border-radius: 3px; padding: 0 .1em; }
.lindy mark.for { background: rgba(var(--for), calc(var(--strength) * .5)); }
.lindy mark.against { background: rgba(var(--against), calc(var(--strength) * .5)); }
.lindy .legend span { padding: 0 .4em; border-radius: 3px; margin-right: .6em; }
.lindy .legend .for { background: rgba(var(--for), .35); }
.lindy .legend .against { background: rgba(var(--against), .35); }
.lindy .unknown { text-decoration: underline dotted; }
.lindy .bar { display: inline-block; width: 6em; height: .8em; position: relative; }
.lindy .bar span { position: absolute; top: 0; bottom: 0; width: calc(var(--share) * 50%); }
.lindy .bar .for { left: 50%; background: rgb(var(--for)); }
.lindy .bar .against { right: 50%; background: rgb(var(--against)); }
.lindy .meter { display: inline-block; width: 6em; height: .8em; position: relative; border: 1px solid; }
.lindy .meter span { position: absolute; left: 0; top: 0; bottom: 0; width: calc(var(--share) * 100%); }
.lindy .meter .for { background: rgb(var(--for)); }
.lindy .meter .threshold { border-right: 2px solid; top: -.2em; bottom: -.2em; }
</style>"""


def shown(*parts: str) -> str:
    """Return pieces of safe HTML as a notebook shows them."""
    return f'{_STYLE}<div class="lindy">{"".join(parts)}</div>'


def facts(title: str, said: Mapping[str, str]) -> str:
    """Return a title and what is said about a thing, line by line, as safe HTML."""
    rows = "".join(f"<tr><td>{inert(what)}</td><td>{inert(value)}</td></tr>" for what, value in said.items())
    return f'<p class="title">{inert(title)}</p><table class="facts">{rows}</table>'


def table(rows: Sequence[Sequence[object]]) -> str:
    """Return rows, the first of which is the head, as a table of safe HTML."""
    head, *body = rows
    cells = [[html_name(name) for name in head]]
    cells += [[html_name(name), *(inert(cell) for cell in rest)] for name, *rest in body]
    return html_table(cells)


def progress_html(share: float, news: str) -> str:
    """Return a bar, and what is being done, as safe HTML."""
    return f'<div><progress max="1" value="{share:.4f}"></progress> {share:4.0%} {inert(news)}</div>'


def listed(values: Sequence[object], most: int = 10) -> str:
    """Return values with commas between them; of many, the first and how many more there are."""
    rest = f" and {len(values) - most:,} more" if len(values) > most else ""
    return ", ".join(str(value) for value in values[:most]) + rest
