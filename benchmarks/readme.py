"""Tables of the README and of the manual, RESULTS.md and the pictures, from the records of the benchmarks.

    python -m benchmarks.readme

A table has the name of its record, and stands between ``<!-- table: NAME -->`` and ``<!-- end of table -->``; a test
fails where a table is not what the record says.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks import pictures, results
from benchmarks.harness import RECORDS, ROOT

NAMES = {
    "sms-spam": "SMS spam",
    "trec6": "TREC-6",
    "amazon-books-raw": "Amazon books",
    "movie-polarity": "movie polarity",
    "reuters-r8": "R8",
    "ag-news-10k": "AG News 10k",
    "20news-bydate": "20 Newsgroups",
    "imdb": "IMDB",
    "clinc150": "CLINC150",
    "germeval2018": "GermEval 2018",
    "app-reviews": "app reviews",
    "wisesight": "Wisesight",
    "go-emotions": "go-emotions",
    "reuters-topics": "Reuters",
    "cooking-tags": "cooking",
    "jrte-pn": "JRTE hotel reviews (Japanese)",
    "mahasent-gt": "MahaSent (Marathi)",
    "chnsenticorp-hotel": "ChnSentiCorp hotels (Chinese)",
    "nsmc-raw-60k": "NSMC 60k (Korean)",
}
README = ROOT / "README.md"
TABLE = re.compile(r"<!-- table: (\w+) -->\n.*?<!-- end of table -->", re.DOTALL)


def endtoend(rows: list[dict[str, Any]]) -> str:
    """One row per corpus and recipe, the largest first; Vowpal Wabbit, another learner, where it was run."""
    lines = [
        "| wall seconds (accuracy) | scikit-learn | Vowpal Wabbit | lindy | faster than scikit-learn | memory |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for row in sorted(rows, key=lambda row: -float(row["scikit-learn"]["wall"])):
        cells = [
            f"{row[name]['wall']:.1f} s ({row[name]['accuracy']:.2f} %)" if name in row else ""
            for name in ("scikit-learn", "Vowpal Wabbit", "lindy")
        ]
        rival, mine = row["scikit-learn"], row["lindy"]
        lines.append(
            f"| {NAMES[row['corpus']]}, {row['recipe']} | "
            + " | ".join(cells)
            + f" | {rival['wall'] / mine['wall']:.1f}×"
            f" | {rival['peak_mb'] / mine['peak_mb']:.1f}× less |"
        )
    return "\n".join(lines)


def accuracy(rows: list[dict[str, Any]]) -> str:
    """One column per corpus, one row per toolkit."""
    lines = [
        "| % | " + " | ".join(NAMES[row["corpus"]] for row in rows) + " | mean |",
        "| --- |" + " --- |" * (len(rows) + 1),
    ]
    for rival, name in (("lindy", "lindy"), ("sklearn", "scikit-learn"), ("fasttext", "fastText")):
        figures = [row[rival]["accuracy"] for row in rows]
        cells = [f"{figure:.2f}" for figure in figures]
        lines.append(f"| {name} | " + " | ".join(cells) + f" | {sum(figures) / len(figures):.1f} |")
    cost = ", ".join(
        f"{NAMES[row['corpus']]} {row['lindy']['cpu']:.1f} s against {row['sklearn']['cpu']:.1f} s"
        for row in rows
    )
    lines += ["", f"CPU time of the whole search, against one fit of scikit-learn's pipeline: {cost}."]
    return "\n".join(lines)


def default(rows: list[dict[str, Any]]) -> str:
    """One row per corpus, the largest first."""
    lines = [
        "| CPU seconds | scikit-learn, one fit | `lindy train` | faster | `lindy train --fast` | faster |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for row in sorted(rows, key=lambda row: -float(row["scikit-learn"]["cpu"])):
        rival, mine, fast = (row[name]["cpu"] for name in ("scikit-learn", "lindy", "lindy --fast"))
        lines.append(
            f"| {NAMES[row['corpus']]} | {rival:.1f} s | {mine:.1f} s | {rival / mine:.1f}× | {fast:.1f} s"
            f" | {rival / fast:.1f}× |"
        )
    return "\n".join(lines)


def _times(of: dict[str, Any]) -> str:
    """CPU seconds with their spread."""
    low, high = of["cpu_spread"]
    return f"{of['cpu']:.3f} s ({low:.3f} to {high:.3f})"


def learners(rows: list[dict[str, Any]]) -> str:
    """One row per corpus and task, one column per toolkit; lost ones are marked."""
    known = ("lindy", "scikit-learn", "Vowpal Wabbit", "River", "NLTK", "Spark MLlib")
    names = [name for name in known if any(name in row for row in rows)]
    lines = ["| | " + " | ".join(names) + " |", "| --- |" + " --- |" * len(names)]
    for row in rows:
        cells = [f"{_times(row[n])}, {row[n]['accuracy']:.1f} %" if n in row else "" for n in names]
        lost = any(name in row and row[name]["cpu"] < row["lindy"]["cpu"] for name in names[1:])
        title = f"{NAMES[row['corpus']]}, {row['task']}{' (lost)' if lost else ''}"
        lines.append(f"| {title} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def curves(rows: list[dict[str, Any]]) -> str:
    """CPU seconds to a gap of 1e-4: one row per corpus and solver."""
    from benchmarks.curves import AT, time_to

    lines = [f"| CPU seconds to a gap of {AT:g} | lindy | rival | faster |", "| --- | --- | --- | --- |"]
    for row in rows:
        mine = time_to(row["curves"]["lindy"], AT)
        for name, points in row["curves"].items():
            if name == "lindy" or mine is None:
                continue
            there = time_to(points, AT)
            cells = "never | |" if there is None else f"{there:.3f} s | {there / mine:.1f}× |"
            title = f"{NAMES[row['corpus']]}, {pictures.TITLES[row['loss']]}, {name}"
            lines.append(f"| {title} | {mine:.3f} s | {cells}")
    return "\n".join(lines)


def distributed(rows: list[dict[str, Any]]) -> str:
    """One row per measurement of texts in partitions, with its commit, and whether the machine was busy."""
    from benchmarks.distributed_table import cells

    lines = ["| measured | seconds | commit |", "| --- | --- | --- |"]
    for row in rows:
        when = f"{row['commit']}{', busy' if row['busy'] else ''}"
        lines += [f"| {what} | {told} | {when} |" for what, told in cells(row["part"], row["found"])]
    return "\n".join(lines)


def several_labels(rows: list[dict[str, Any]]) -> str:
    """One column per corpus: times, as multiples of lindy's, memory, and the figures of the test file."""
    cells = {"": [NAMES[row["corpus"]] for row in rows]}
    cells["fit, lindy"] = [f"{row['solver']['lindy']:.2f} s" for row in rows]
    for rival in ("LibMultiLabel", "LinearSVC"):
        cells[f"fit, {rival}"] = [f"{row['solver'][rival] / row['solver']['lindy']:.1f}×" for row in rows]
    cells["scores differ by at most"] = [f"{row['scores']:.0e}" for row in rows]
    for name in ("lindy train", "scikit-learn"):
        cells[f"from CSV, {name}"] = [
            f"{row['train'][name][0]:.1f} s, {row['train'][name][1]:.0f} MB" for row in rows
        ]
    cells["thresholds, times a fit without"] = [f"{row['thresholds']:.1f}" for row in rows]
    cells["texts per second and core"] = [f"{row['texts per second']:,.0f}" for row in rows]
    for k in (1, 3, 5):
        cells[f"P@{k}"] = [f"{row['quality']['micro-f1'][f'precision_at_{k}']:.1f} %" for row in rows]
    for metric, figure in (("micro-f1", "micro_f1"), ("macro-f1", "macro_f1")):
        name = f"{metric.replace('f1', 'F1')} with `--metric {metric}`"
        cells[name] = [f"{row['quality'][metric][figure]:.1f} %" for row in rows]
    head, *others = (f"| {name} | {' | '.join(own)} |" for name, own in cells.items())
    return "\n".join([head, "| --- |" + " --- |" * len(rows), *others])


def label_errors(rows: list[dict[str, Any]]) -> str:
    """One row per corpus: F1 with labels changed to any other class, and to the one they are confused with."""
    from benchmarks.label_errors import OPTIONS

    lines = [
        "| % | precision | recall | F1 | cleanlab F1, default | best of seven"
        " | confused labels: F1 | cleanlab F1, default | best of seven | listed if clean | cleanlab |",
        "| --- |" + " --- |" * 10,
    ]
    for row in sorted(rows, key=lambda row: row["developed"]):
        cells = [f"{row['found']['lindy'][what]:.0f}" for what in ("precision", "recall")]
        for found in (row["found"], row["confused"]):
            if found is None:
                cells += [""] * 3
                continue
            mine, rivals = found["lindy"]["f1"], [found[option]["f1"] for option in OPTIONS]
            mark = "**" if mine > max(rivals) else ""
            cells += [f"{mark}{mine:.1f}{mark}", f"{rivals[0]:.1f}", f"{max(rivals):.1f}"]
        cells += [f"{row['clean'][name]:,.0f}" for name in ("lindy", OPTIONS[0])]
        name = f"{NAMES[row['corpus']]}{' ¹' if row['developed'] else ''}"
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    lines += ["", "¹ The rule was developed on these corpora; the others were only measured."]
    return "\n".join(lines)


def coverage(rows: list[dict[str, Any]]) -> str:
    """One row per corpus: what sets of labels reach at each level, and their size, with MAPIE's in brackets."""
    from benchmarks.coverage import LEVELS

    levels = " | ".join(f"{level:.0%} asked: reached, labels" for level in LEVELS)
    lines = [f"| % (MAPIE's in brackets) | accuracy | {levels} |", "| --- |" + " --- |" * (len(LEVELS) + 1)]
    for row in rows:
        cells = [f"{100 * row['accuracy']:.1f}"]
        for k in range(len(LEVELS)):
            mine, rival = ((100 * row[who][k]["reached"], row[who][k]["size"]) for who in ("lindy", "mapie"))
            cells.append(f"{mine[0]:.1f}, {mine[1]:.2f} ({rival[0]:.1f}, {rival[1]:.2f})")
        lines.append(f"| {NAMES[row['corpus']]} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def languages(figures: list[dict[str, Any]]) -> str:
    """Return the table of the guide to languages."""
    lines = [
        "| model | file | right | calibration error | unknown rejected |",
        "| --- | --- | --- | --- | --- |",
        *(
            f"| {own['model']} | {own['MB']:.1f} MB | {100 * own['right']:.1f} % | {own['calibration']:.3f} |"
            f" {100 * own['unknown']:.0f} % |"
            for own in figures
        ),
    ]
    first = figures[0]
    about = (
        f"{first['languages']} languages, {first['texts']:,} texts; {first['strangers']} unknown languages."
    )
    return "\n".join([*lines, "", about])


TABLES: dict[str, Callable[[list[dict[str, Any]]], str]] = {
    "endtoend": endtoend,
    "default": default,
    "accuracy": accuracy,
    "learners": learners,
    "curves": curves,
    "distributed": distributed,
    "label_errors": label_errors,
    "several_labels": several_labels,
    "coverage": coverage,
    "languages": languages,
}


def pages() -> dict[Path, str]:
    """Return the README and the pages of the manual that have tables, with their texts."""
    found = {}
    for path in (README, *sorted((ROOT / "docs").rglob("*.md"))):
        text = path.read_text(encoding="utf-8")
        if TABLE.search(text):
            found[path] = text
    return found


def renewed(text: str) -> str:
    """Return a page with its tables as the records say."""

    def table(found: re.Match[str]) -> str:
        name = found[1]
        path = RECORDS / f"{name}.json"
        if not path.exists():
            return found[0]
        kept = json.loads(path.read_text(encoding="utf-8"))
        source = f"Measured on {kept['date']} at commit {kept['commit']}: {kept['machine']}."
        if wrong := kept.get("quiet", {}).get("wrong"):
            source += f" The machine was busy: {'; '.join(wrong)}."
        body = f"{TABLES[name](kept['figures'])}\n\n{source}"
        return f"<!-- table: {name} -->\n\n{body}\n\n<!-- end of table -->"

    return TABLE.sub(table, text)


def renew() -> None:
    """Write all tables, RESULTS.md and the pictures anew."""
    for path, text in pages().items():
        path.write_text(renewed(text), encoding="utf-8")
    pictures.draw()
    results.RESULTS.write_text(results.rendered(results.records(), pictures.shown()), encoding="utf-8")


if __name__ == "__main__":
    renew()
