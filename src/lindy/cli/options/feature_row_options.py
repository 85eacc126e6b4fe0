"""Files of features with values (svmlight, Vowpal Wabbit, ``.review``) in commands."""

from __future__ import annotations

import argparse
import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from lindy.cli.options.unused import refuse
from lindy.cli.parsing import UsageError
from lindy.data.formats.registry import FEATURE_FORMATS
from lindy.errors import DataError, ModelFileError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lindy.cli.io.console import Notes
    from lindy.core.feature_rows import FeatureRows
    from lindy.data import Table, TextData
    from lindy.textclassifier import TextClassifier
    from lindy.tuning.space import Space

_ABOUT_TEXTS = (
    "text",
    "numeric",
    "category",
    "text_is",
    "contacts",
    "headers",
    "ngrams",
    "chars",
    "subwords",
    "oov",
    "prefixes",
    "suffixes",
    "patterns",
    "lexicon",
)
_ABOUT_WORDS = ("weighting", "max_features", "min_df")  # of images, which have none
_SHOWN = 5  # features that a remark lists


def refuse_text_options(args: argparse.Namespace, table: Table) -> None:
    """Refuse options that say how texts are read or cut, where the table has none."""
    if not table.has_images:
        why = f"{table.name} holds no images"
        refuse(args, ("pixel_threshold", "no_shapes"), why)
    if not table.has_bags and not table.has_images:
        return
    what = "features with values, which are used as they are" if table.has_bags else "images"
    for name in (*_ABOUT_TEXTS, *(_ABOUT_WORDS if table.has_images else ())):
        given = getattr(args, name, None)
        lists = name == "lexicon" and getattr(args, "learner", None) in ("lexicon", ["lexicon"])
        if not given or given in ("auto", "counts") or (name == "min_df" and given == 1) or lists:
            continue
        raise UsageError(
            f"argument --{name.replace('_', '-')}: {table.name} holds {what}; it has no texts",
            "leave it out",
        )


def check_kind(classifier: TextClassifier, table: Table) -> None:
    """Refuse features or images for a model of texts, and the reverse; and any file for a model of dictionaries."""
    vectorizer = classifier.vectorizer_
    if vectorizer.takes_dicts and not vectorizer.takes_bags:
        raise DataError(
            f"{table.name}: the model was trained on dictionaries of features, and reads no files",
            "Give it dictionaries in Python, lindy.load(…).predict([{…}, …]), or one of them to 'lindy explain'.",
        )
    trained = _kind(vectorizer.takes_bags, vectorizer.takes_pictures)
    given = _kind(table.has_bags, table.has_images)
    if trained == given:
        return
    raise DataError(
        f"{table.name}: the model was trained on {trained}, but this file holds {given}",
        f"Give it a file of {trained}, or train a model on files such as this one.",
    )


def _kind(features: bool, images: bool) -> str:
    return (
        f"features with values ({', '.join(FEATURE_FORMATS)})"
        if features
        else "images"
        if images
        else "texts"
    )


def as_trained(classifier: TextClassifier, table: Table, *, to_test: bool) -> Table:
    """Return a table of features for a model: labels as the training file named them, a remark on what is unknown.

    A table to test on must have at least one feature that the model knows.
    """
    from lindy.data.formats.feature_row_tables import FEATURES, LABEL

    features: FeatureRows = table.texts(FEATURES)
    numbering = features.numbering
    named = _named_labels(classifier)
    if named and numbering is not None and not numbering.labels and LABEL in table.column_names:
        import pyarrow as pa

        labels = [named.get(label, label) for label in table.column(LABEL).to_pylist()]
        table = table.with_column(LABEL, pa.chunked_array([pa.array(labels, pa.large_string())]))
    unknown = classifier.vectorizer_.unknown(features)
    if not unknown:
        return table
    some = ", ".join(map(repr, unknown[:_SHOWN])) + (", …" if len(unknown) > _SHOWN else "")
    known = len(features.names) - len(unknown)
    if to_test and not known:
        raise DataError(
            f"{table.name}: the model knows none of its {len(features.names):,} features: {some}",
            "Give a file whose features are called, or numbered, as in training.",
        )
    what = f"{known:,}" if known else "none"
    remark = f"{table.name}: the model knows {what} of its {len(features.names):,} features; these are ignored: {some}"
    return replace(table, remarks=(*table.remarks, remark))


def _named_labels(classifier: TextClassifier) -> dict[str, str]:
    """Return the labels of an svmlight file by their numbers, as the file of the model has them."""
    try:
        named = json.loads(classifier.columns_.get("labels", "{}"))
    except (ValueError, RecursionError):
        named = None
    if not isinstance(named, dict) or not all(isinstance(label, str) for label in named.values()):
        raise ModelFileError(
            "the model's file has no valid names for the labels of svmlight files", "Train the model again."
        )
    return named


def feature_row_of(classifier: TextClassifier, given: str) -> dict[str, float]:
    """Return a feature row out of a JSON object, or out of a line as in the file that the model was trained on."""
    if given.lstrip().startswith("{"):
        try:
            found = json.loads(given)
        except (ValueError, RecursionError):
            found = None
        if isinstance(found, dict):
            return found
    kind = classifier.columns_.get("features", "review")
    from lindy.data.chunks.source import Source
    from lindy.data.formats.feature_row_tables import FEATURES
    from lindy.data.formats.registry import REGISTRY, Reading

    line, first = given, given.split()[:1]
    if kind == "svmlight" and (not first or ":" in first[0]):
        line = f"0 {given}"
    elif kind == "vw" and "|" not in given:
        line = f"| {given}"
    (table,) = REGISTRY[kind].chunks(Source("-", kept=line.encode()), Reading())
    if table.num_rows != 1:
        raise UsageError(
            f"one line is explained at a time; there are {table.num_rows:,}", "give one, or a JSON object"
        )
    row: dict[str, float] = table.texts(FEATURES)[0]
    return row


def feature_row_vectorizer(examples: TextData, threads: int | None) -> Any:
    """Return the vectorizer of commands that look at feature rows: counts by tf-idf, other values as they are."""
    from lindy.features import BagVectorizer

    return BagVectorizer(weighting="tfidf" if examples.texts.are_counts else "counts", n_jobs=threads)


def takers(examples: TextData, command: str, note: Notes) -> list[str]:
    """Return the learners of a command that can learn from such values, and say which cannot."""
    from lindy.estimators.learners import usual_learners
    from lindy.tuning.feature_row_recipes import usable_learners

    usable, cannot = usable_learners(usual_learners(command), examples.texts)
    usable = [name for name in usable if name != "lexicon"]
    if cannot:
        note(f"left out: {', '.join(cannot)}, which take no negative values")
    return usable


def feature_row_space(space: Space, examples: TextData, args: argparse.Namespace, note: Notes) -> Space:
    """Return what ``lindy tune`` searches for feature rows: weightings of their values, and learners that take them."""
    from lindy.features.row_vectorizer import check_counts
    from lindy.text.weighting.weighting_registry import SEARCHED
    from lindy.tuning.feature_row_recipes import given_features

    features = examples.texts
    weightings = args.weighting or ("counts", *(SEARCHED if features.are_counts else ()))
    for weighting in weightings:
        check_counts([features], weighting)
    learners = dict(space.learners)
    if not args.learner:
        learners = {name: learners[name] for name in takers(examples, "tune", note)}
    return replace(space, features=(given_features(features),), weightings=weightings, learners=learners)


def write_part(examples: TextData, rows: NDArray[Any], path: str) -> None:
    """Write some of the examples in the format of their file."""
    from lindy.data.formats.feature_lines import Collected
    from lindy.data.write.convert import write_feature_lines

    labels: Any = examples.labels
    part = Collected(examples.texts.take(rows), [labels[int(row)].as_py() for row in rows], rows.tolist())
    write_feature_lines(path, examples.table.source["features"], list(part.each()), path)
