"""An audit as text: the counts, then the first findings of each kind."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lindy.cli.io.console import clean, table

if TYPE_CHECKING:
    from lindy.data import TextData
    from lindy.data.columns.row_ids import RowNames
    from lindy.evaluation.audit.table_audit import Audit, Finding

EXPLAINED = {
    "label error": "the other texts suggest another label",
    "missing label": "the other texts suggest one more label",
    "wrong label": "the other texts contradict one of the labels",
    "contradiction": "the same text has another label elsewhere",
    "duplicate": "another row has the same text and label",
    "near duplicate": "another row has nearly the same words",
    "blank label": "there is no label: the row is left out",
    "empty": "there is no text",
    "no words": "there is no word of at least two letters",
}
_SNIPPET = 72


def render(found: Audit, data: TextData, names: RowNames, show: int, n_rows: int) -> str:
    """Return an audit as text: the counts, then the first findings of each kind."""
    from lindy.evaluation.audit.label_audit import FEWEST
    from lindy.evaluation.audit.pair_noise import FEW

    counts = sorted(found.classes.items(), key=lambda item: -item[1])
    largest = ", ".join(f"{clean(name)} {count:,}" for name, count in counts[:8])
    more = f" and {len(counts) - 8} more" if len(counts) > 8 else ""
    kind = (
        f"class{'es' * (len(counts) != 1)}" if found.separator is None else f"label{'s' * (len(counts) != 1)}"
    )
    lines = [f"{found.rows:,} texts, {len(counts)} {kind}: {largest}{more}"]
    if found.rare:
        listed = ", ".join(map(clean, found.rare[:8])) + (" …" if len(found.rare) > 8 else "")
        lines.append(
            f"rare classes: {listed} (give them more examples, or train with --class-weight balanced)"
            if found.separator is None
            else f"{len(found.rare):,} labels with fewer than {FEW} texts, too rare to learn well: {listed}"
        )
    lines += _pairs(found, show)
    for spellings in data.spellings:
        what = "merged" if spellings.merged else "merge? (--merge-labels case)"
        lines.append(f"label written in several ways: {clean(spellings)}: {what}")
    if found.rows < FEWEST:
        lines.append(f"label errors were not looked for: that takes at least {FEWEST} labelled texts")
    elif found.joined is not None:
        mark, labels = found.joined
        lines.append(
            f"label errors were not looked for: labels such as {clean(labels[0])} are several joined by"
            f" {mark!r}, and any other label would take some of a row's own away"
        )
    numbers = {kind: found.number_of(kind) for kind in EXPLAINED} | {"blank label": n_rows - found.rows}
    if not any(numbers.values()):
        return "\n".join([*lines, "nothing suspicious found"]) + "\n"
    explained = {kind: said + _expected(found, kind) for kind, said in EXPLAINED.items()}
    lines += ["", *(f"{n:>8,}  {kind:<15} {explained[kind]}" for kind, n in numbers.items() if n)]
    for kind in EXPLAINED:
        if (findings := found.of(kind)) and kind != "empty" and show:
            lines += ["", _listed(kind, findings[:show], data, names)]
    return "\n".join(lines) + "\n"


PAIRS = {
    "same spelling": ("labels that may be one, by their spelling", "{first} {n:,}, {second} {m:,}"),
    "always together": (
        "labels that always go together",
        "{first} and {second}: {both:,} of {n:,} and {m:,}",
    ),
    "implies": ("labels that another one implies", "{first} → {second}: {both:,} of {n:,}"),
    "like weights": ("labels with the same words (cosine)", "{first}, {second} {similarity:.2f}"),
}
"""The relations of pairs of labels, and how a pair is written."""


def _pairs(found: Audit, show: int) -> list[str]:
    """Return a line for each kind of pairs of labels that are hardly two."""
    lines = []
    for kind, (what, line) in PAIRS.items():
        pairs = [pair for pair in found.pairs if pair.kind == kind]
        listed = "; ".join(
            line.format(
                first=clean(pair.first),
                second=clean(pair.second),
                n=pair.first_rows,
                m=pair.second_rows,
                both=pair.both,
                similarity=pair.similarity,
            )
            for pair in pairs[:show]
        )
        more = f"; and {len(pairs) - show:,} more" if len(pairs) > show else ""
        lines += [f"{what}: {listed}{more}"] if pairs and show else []
    return lines


def _expected(found: Audit, kind: str) -> str:
    """Return how many of the label errors of a kind should be real, where all of them are listed."""
    findings = found.of(kind)
    if kind not in ("label error", "missing label", "wrong label") or len(findings) < found.number_of(kind):
        return ""
    expected = round(sum(f.score or 0.0 for f in findings))
    real = "missing" if kind == "missing label" else "wrong"
    return f" (about {expected:,} of these labels {'is' if expected == 1 else 'are'} {real})"


def _listed(kind: str, findings: list[Finding], data: TextData, names: RowNames) -> str:
    head = {
        "label error": ["label error", "label", "better", "P(wrong)"],
        "missing label": ["missing label", "missing", "P(missing)", "labels"],
        "wrong label": ["wrong label", "wrong", "P(wrong)", "labels"],
        "contradiction": ["contradiction", "label", "other", "row"],
        "near duplicate": ["near duplicate", "label", "like row", "J"],
        "duplicate": ["duplicate", "label", "of row"],
        "no words": ["no words", "label"],
    }[kind]
    known = ["file"] * names.has_files + ["line"] * names.has_lines + ["id"] * names.has_ids
    rows = [[head[0], *known, *head[1:], "text"]]
    for f, name in zip(findings, names(f.row for f in findings), strict=True):
        cells = {
            "better": f.suggestion or "",
            "other": f.suggestion or "",
            "missing": f.about or "",
            "wrong": f.about or "",
            "labels": f.label,
            "P(wrong)": "" if f.score is None else f"{f.score:.3f}",
            "P(missing)": "" if f.score is None else f"{f.score:.3f}",
            "J": "" if f.score is None else f"{f.score:.2f}",
        }
        row = "" if f.other is None else f"row {data.table.number(f.other):,}"
        cells |= {"row": row, "like row": row, "of row": row, "label": f.label}
        rows.append(
            [
                f"row {name.row:,}",
                *(f"{name.line or 0:,}" if what == "line" else clean(getattr(name, what)) for what in known),
                *(clean(cells[column]) for column in head[1:]),
                snippet(data, f.row),
            ]
        )
    return table(rows, left=len(rows[0]))


def snippet(data: TextData, row: int) -> str:
    """Return the beginning of a text on one line."""
    text = clean(" ".join(data.texts[row].as_py()[: 4 * _SNIPPET].split()))
    return text if len(text) <= _SNIPPET else text[: _SNIPPET - 1] + "…"
