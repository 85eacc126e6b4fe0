"""svmlight rows as feature rows, with the names of columns and labels that comments at the top may tell."""

from __future__ import annotations

import io
import os
import re
from collections.abc import Iterable, Sequence
from typing import Any, TextIO

import numpy as np

from lindy.core.array_validation import MAX_COLUMNS
from lindy.core.csr import Csr
from lindy.core.feature_rows import FeatureRows, Numbering
from lindy.data.chunks.source import BLOCK, Source
from lindy.data.columns.literals import literal
from lindy.data.columns.table import first_repeated
from lindy.data.formats.feature_lines import Collected, FeatureLine, lost_weights, sparse_rows
from lindy.data.formats.svmlight import has_several, read_svmlight, write_svmlight
from lindy.errors import DataError

WHOLE_NUMBER = re.compile("0|[1-9][0-9]{0,8}")
"""A feature, or label, that is called by its number."""

_NAME = re.compile(r"# (label|column) (\S+) is (.+)")


def rows(source: Source, threads: int | None = None, *, spaces: bool = True) -> Collected:  # noqa: ARG001
    """Return the rows, only of the columns that occur; a column without a name is called by its number."""
    labels, names = read_names(source)
    several = False
    try:
        data = read_svmlight(source, threads=threads, zero_based=True)
    except DataError:
        if not has_several(source):
            raise
        data, several = read_svmlight(source, threads=threads, zero_based=True, several=True), True
    used, indices = np.unique(data.X.indices, return_inverse=True)
    called = [names.get(j, str(j)) for j in used.tolist()]
    if len(set(called)) != len(called):
        twice = next(name for i, name in enumerate(called) if name in called[:i])
        raise source.error(
            f"two columns are called {twice!r}", "Give every column its own name in the comments at the top."
        )
    made = Csr(data.X.indptr, indices.astype(np.int32), data.X.values, len(called))
    numbering = Numbering(used.astype(np.int32), bool(names), labels)
    remark = f"{source.path}: the qid of its lines is not used: rows are classified one by one, not ranked"
    separator = "," if several else None
    if separator and (wrong := next((name for name in labels.values() if separator in name), None)):
        raise source.error(
            f"the label {wrong!r} contains the {separator!r} between labels", "Rename the label."
        )
    own = [
        ",".join(labels.get(word, word) for word in label.split(separator))
        if separator
        else labels.get(label, label)
        for label in data.labels
    ]
    remarks = () if data.queries is None else (remark,)
    return Collected(FeatureRows(made, called, numbering=numbering), own, None, remarks, separator)


def read_names(source: Source) -> tuple[dict[str, str], dict[int, str]]:
    """Return the labels by their numbers and the columns' names by their written numbers."""
    labels: dict[str, str] = {}
    names: dict[int, str] = {}
    with io.BufferedReader(source.open(), BLOCK) as file:
        for line in file:
            if not line.startswith(b"#"):
                break
            if found := _NAME.match(line.decode(errors="replace").rstrip("\r\n")):
                name = _quoted(found[3])
                if found[1] == "label":
                    labels[found[2]] = name
                elif found[2].isdecimal():
                    names[int(found[2])] = name
    return labels, names


def _quoted(text: str) -> str:
    """Return the string that Python writes so; anything else is taken as it stands."""
    value = literal(text)
    return value if isinstance(value, str) else text


def write(
    file: TextIO,
    examples: Sequence[FeatureLine],
    _place: str = "",
    columns: str | os.PathLike[str] | None = None,
) -> list[str]:
    """Write feature rows with numbered columns and their names; ``columns`` is a file that tells columns and labels.

    Features that are numbers already, in all rows, keep them. Returns remarks on what was not written as it was.
    """
    several = any(isinstance(example.label, list) for example in examples)
    none: Any = [] if several else "0"
    labels = [example.label if example.label is not None else none for example in examples]
    remarks = lost_weights(examples)
    if not several and any(example.label is None for example in examples):
        remarks.append("rows without a label got the label 0, which the format needs")
    if columns is not None:
        numbers, names = _numbering(columns)
        made, _, unknown = sparse_rows(examples, names)
        if unknown:
            remarks.append(f"{unknown:,} features are not among the columns of {columns} and were left out")
        write_svmlight(
            file,
            made,
            [
                [numbers.get(word, word) for word in own] if isinstance(own, list) else numbers.get(own, own)
                for own in labels
            ],
        )
        return remarks
    features = {name for example in examples for name, _ in example.pairs}
    if features and all(map(WHOLE_NUMBER.fullmatch, features)):
        write_svmlight(file, rows_by_number(examples, features), labels, zero_based=True)
    else:
        made, names, _ = sparse_rows(examples)
        write_svmlight(file, made, labels, names=names)
    return remarks


def rows_by_number(examples: Sequence[FeatureLine], features: Iterable[str]) -> Csr:
    """Return the rows, each feature in the column that it is called by."""
    made, names, _ = sparse_rows(examples, sorted(features, key=int))
    own = np.array([int(name) for name in names], np.int32)[made.indices]
    return Csr(made.indptr, own, made.values, MAX_COLUMNS)


def _numbering(path: str | os.PathLike[str]) -> tuple[dict[str, str], list[str]]:
    """Return the numbers of a file's labels and the names of its columns."""
    labels, names = read_names(Source(path))
    if not names or sorted(names) != list(range(1, len(names) + 1)):
        raise DataError(
            f"{path}: there are no comments that name its columns 1, 2, …",
            "Give a file that 'lindy convert' wrote.",
        )
    if twice := first_repeated(list(names.values())):
        raise DataError(f"{path}: two columns are called {twice!r}", "Give every column its own name.")
    return {label: number for number, label in labels.items()}, [names[j + 1] for j in range(len(names))]
