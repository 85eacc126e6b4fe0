"""The JavaScript as one file: the modules in ``js/`` one after the other, each in a scope of its own.

What a module exports becomes an object of its name, from which others take what they import:

    const numerics = (() => { …; return { exp, log }; })();
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

SOURCES = Path(__file__).with_name("js")
_IMPORT = re.compile(r'^import (\{[^}]*\}) from "\./([a-z]+)\.mjs";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|class|const) (\w+))", re.MULTILINE)


@cache
def bundled(name: str) -> str:
    """Return a module of ``js/`` with everything that it imports; what it exports itself stays exported."""
    *needed, _ = _needed(name)
    return "\n".join([*map(_scoped, needed), _linked(name)])


def _needed(name: str, found: tuple[str, ...] = ()) -> tuple[str, ...]:
    """Return the names of the modules that one needs, each after those that it needs itself."""
    if name in found:
        return found
    for _, other in _IMPORT.findall(_source(name)):
        found = _needed(other, found)
    return (*found, name)


def _scoped(name: str) -> str:
    exported = ", ".join(_EXPORT.findall(_source(name)))
    return f"const {name}Module = (() => {{\n{_EXPORT.sub('', _linked(name))}\nreturn {{ {exported} }};\n}})();\n"


def _linked(name: str) -> str:
    return _IMPORT.sub(r"const \1 = \2Module;\n", _source(name))


def _source(name: str) -> str:
    return (SOURCES / f"{name}.mjs").read_text(encoding="utf-8")
