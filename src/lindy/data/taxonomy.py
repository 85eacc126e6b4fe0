"""Taxonomies of files: a table of labels and what is right above them, or SKOS as RDF.

    separator    "/" in labels such as science/physics/optics: no file at all
    table        two columns in any format that can be read: a label, and one that is right above it, or nothing
    SKOS         .ttl, .rdf, .xml, .nt, .jsonld (extra ``skos``): skos:broader, skos:narrower, skos:topConceptOf

In SKOS a concept has an address, notations, and preferred labels in languages. Labels may be written in any of these
ways; the one in which most of them are found is taken for all.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from lindy.core.hierarchy import CycleError, Taxonomy
from lindy.data.chunks.chunks import read_table
from lindy.errors import DataError, MissingPackageError, invalid_parameter

RDF = {".ttl": "turtle", ".rdf": "xml", ".xml": "xml", ".nt": "nt", ".jsonld": "json-ld"}
"""The formats of SKOS by the end of a file's name, as rdflib calls them."""
_LONGEST_SEPARATOR = 3
_SHOWN = 5


def taxonomy_of(given: Any, labels: Sequence[Any]) -> Taxonomy | None:
    """Return the taxonomy that ``TextClassifier(hierarchy=…)`` was given: a separator, a file, pairs; None for none."""
    if given is None:
        return None
    if isinstance(given, os.PathLike) or (isinstance(given, str) and not _is_separator(given)):
        given = read_taxonomy(os.fspath(given), labels)
    if not isinstance(given, str | Taxonomy) and not _are_pairs(given):
        raise invalid_parameter(
            "hierarchy must be a separator, a file, or pairs of a label and the one above it; got"
            f" {repr(given)[:80]}"
        )
    return Taxonomy.of(given, labels)


def unplaced_labels(taxonomy: Taxonomy | None, labels: Sequence[Any]) -> list[str]:
    """Return what is to be said about labels that a taxonomy does not have; nothing if it has them all."""
    if taxonomy is None or taxonomy.separator:
        return []
    known = set(taxonomy.names)
    missing = [name for name in map(str, labels) if name not in known]
    if not missing:
        return []
    listed = ", ".join(map(repr, missing[:_SHOWN])) + (" and others" if len(missing) > _SHOWN else "")
    return [
        f"{len(missing):,} of {len(labels):,} labels are not in the taxonomy, and stand by themselves: {listed}"
    ]


def _are_pairs(given: Any) -> bool:
    if isinstance(given, Mapping):
        return True
    return isinstance(given, list | tuple) and all(
        isinstance(own, list | tuple) and len(own) == 2 for own in given
    )


def _is_separator(text: str) -> bool:
    return 0 < len(text) <= _LONGEST_SEPARATOR and not any(letter.isalnum() for letter in text)


def read_taxonomy(path: str, labels: Sequence[Any] = ()) -> Taxonomy:
    """Read a taxonomy from a file; ``labels`` are those that it shall name the way they are written.

    Raises
    ------
    DataError
        If it is no taxonomy, or has a cycle.
    """
    if not path:
        raise DataError(
            "the hierarchy is empty", "give the separator of labels, such as /, or the name of a file"
        )
    kind = RDF.get(os.path.splitext(path)[1].lower())
    return _read_pairs(path) if kind is None else _read_skos(path, kind, set(map(str, labels)))


def _read_pairs(path: str) -> Taxonomy:
    table = read_table(path)
    if len(table.column_names) != 2:
        raise DataError(
            f"{path}: a taxonomy is a table of two columns; this one has {len(table.column_names)}",
            "give a label in the first column and what is right above it in the second, such as label,broader",
        )
    columns = [table.column(name).to_pylist() for name in table.column_names]
    pairs = [tuple((name or "").strip() for name in pair) for pair in zip(*columns, strict=True)]
    names = {name for pair in pairs for name in pair}
    if as_data := [name for name in table.column_names if name in names]:
        raise DataError(
            f"{path}, line 1: {as_data[0]!r} is the name of a column, and occurs below it",
            "put the names of the columns into the first line, such as label,broader",
        )
    for row, (narrower, broader) in enumerate(pairs):
        if not narrower and broader:
            raise DataError(
                f"{table.place(row)}: nothing stands below {broader!r}: the first column is empty",
                "write the narrower label first",
            )
    try:
        return Taxonomy.of_pairs((narrower, broader) for narrower, broader in pairs if narrower)
    except CycleError as error:
        raise DataError(f"{table.place(pairs.index(error.pair))}: {error}", error.hint) from None


def _read_skos(path: str, kind: str, labels: set[str]) -> Taxonomy:
    try:
        from rdflib import RDF as TYPE
        from rdflib import SKOS, Graph, Literal
    except ImportError:
        raise MissingPackageError("SKOS files need rdflib", 'pip install "lindy[skos]"') from None
    graph = Graph()
    try:
        with open(path, "rb") as file:
            graph.parse(file, format=kind)
    except OSError as error:
        raise DataError(f"{path}: {error.strerror}") from None
    except Exception as error:  # rdflib's parsers raise whatever they meet
        raise DataError(f"{path}: not {kind} that rdflib understands: {str(error)[:200]}") from error
    pairs = {(str(own), str(above)) for own, above in graph.subject_objects(SKOS.broader)}
    pairs |= {(str(own), str(above)) for above, own in graph.subject_objects(SKOS.narrower)}
    concepts = sorted(
        {*map(str, graph.subjects(TYPE.type, SKOS.Concept)), *(c for pair in pairs for c in pair)}
    )
    if not pairs:
        raise DataError(
            f"{path}: no concept stands above another", "SKOS says so by skos:broader or skos:narrower"
        )
    written: dict[str, dict[str, str]] = {"": {concept: concept for concept in concepts}}
    for predicate in (SKOS.notation, SKOS.prefLabel):
        for concept, name in sorted(graph.subject_objects(predicate)):
            if isinstance(name, Literal):
                way = f"{predicate} {name.language or ''}"
                written.setdefault(way, {}).setdefault(str(concept), str(name))
    found = {way: len(labels.intersection(names.values())) for way, names in written.items()}
    names = written[max(found, key=found.__getitem__)]
    often = Counter(names.values())
    if twice := sorted(name for name in labels if often[name] > 1):
        same = sorted(concept for concept, name in names.items() if name == twice[0])
        raise DataError(
            f"{path}: {len(same)} concepts are called {twice[0]!r}: {', '.join(same[:_SHOWN])}",
            "label the texts with addresses or notations of concepts",
        )
    unique = {concept: name for concept, name in names.items() if often[name] == 1}
    called = {concept: unique.get(concept, concept) for concept in concepts}
    try:
        return Taxonomy.of_pairs(
            [
                *((called[own], called[above]) for own, above in sorted(pairs)),
                *((name, "") for name in called.values()),
            ]
        )
    except CycleError as error:
        raise DataError(f"{path}: {error}", error.hint) from None
