"""Frames of Dask and Spark in the place of texts: ``TextClassifier.fit(frame)`` and ``predict(frame)``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from lindy.data.columns.choose import find_columns
from lindy.data.columns.label_cleaning import LabelRules
from lindy.data.columns.several_labels import found_separator
from lindy.data.columns.table import Table
from lindy.distributed.cluster_fit import fit_partitions
from lindy.distributed.engine import Engine, begun
from lindy.distributed.partitions import Wanted, frame_part
from lindy.distributed.tasks import LabelCounts
from lindy.errors import DataError
from lindy.evaluation.predictions import PredictionColumns


def fit_frame(
    model: Any, frame: Any, label: Any, source: Mapping[str, str] | None, weight: Any = None
) -> None:
    """Fit a ``TextClassifier`` to a Dask frame or bag, or to a Spark frame; ``weight`` is a column of it."""
    if weight is not None and not isinstance(weight, str):
        raise TypeError(
            f"with a frame, sample_weight is the name of its column of weights; got {type(weight).__name__}"
        )
    if label is not None and not isinstance(label, str):
        raise TypeError(f"with a frame, y is the name of its label column; got {type(label).__name__}")
    given = dict(source or {})
    separator = given.get("label_separator")
    wanted = replace(wanted_of(frame, given.get("text"), label or given.get("label")), weight=weight)
    wanted = replace(wanted, rules=None if separator is None else LabelRules(separator=separator))
    with engine_of(frame, wanted) as engine:
        if separator is None:
            _check_joined(engine.total("labels_of"), wanted.label)
        fit_partitions(model, engine)
    model.columns_ = {"text": wanted.text, "label": wanted.label or ""}


def _check_joined(labels: LabelCounts, name: str | None) -> None:
    """Refuse strings that are several labels, of which nobody has said so."""
    if labels.several or not (mark := found_separator([*map(str, labels.classes)], labels.counts)):
        return
    raise DataError(
        f"the column {name!r} has several labels per row, joined by {mark!r}",
        f"Say so, source={{'label_separator': {mark!r}}}, or 'none', which keeps them whole. Lists that Dask has made"
        " strings of stay lists with its option dataframe.convert-string=False.",
    )


def predict_frame(model: Any, frame: Any, *, as_frame: bool = False) -> Any:
    """Return the labels that a model gives the texts of a frame: a Dask series (or bag), or a column of Spark.

    ``frame.withColumn("predicted", model.predict(frame))`` adds it to a Spark frame. With ``as_frame`` it is a frame of
    Dask, or for Spark a column of structures, with the columns that ``predict`` has for a table of pandas.
    """
    wanted = wanted_of(frame, model.columns_.get("text"), None, need_label=False)
    columns = PredictionColumns(model.classes_, every=as_frame)
    if is_spark(frame):
        return _spark_column(model, frame, wanted.text, columns)
    if hasattr(frame, "map_partitions") and hasattr(frame, "columns"):
        empty = columns.frame(model.predictions([]))
        meta = empty if as_frame else empty["label"]
        return frame.map_partitions(_predicted, model, wanted, columns, meta=meta)
    return frame.map_partitions(_labels_of_bag, model, wanted)


def is_spark(frame: Any) -> bool:
    """Whether it is a frame of Spark; the others are of Dask."""
    return type(frame).__module__.partition(".")[0] == "pyspark"


def wanted_of(frame: Any, text: str | None, label: str | None, *, need_label: bool = True) -> Wanted:
    """Return the columns to take: those given, or those whose names say so."""
    columns = getattr(frame, "columns", None)
    if columns is None:  # a bag
        return Wanted(text or "text", (label or "label") if need_label else None)
    names = [str(name) for name in columns]

    def unread(name: str) -> Any:
        raise DataError(f"the column {name!r} was not read")

    table = Table("the frame", names, 1, unread, lambda _row: None)
    try:
        found = find_columns(table, text, label, need_label)
    except DataError as error:
        hint = "Name them: fit(frame, source={'text': …, 'label': …})."
        raise DataError(str(error), f"{hint} The columns are: {', '.join(map(repr, names))}.") from error
    return Wanted(found.text, found.label)


def engine_of(frame: Any, wanted: Wanted) -> Engine:
    """Return the engine that holds the partitions of a frame."""
    if is_spark(frame):
        from lindy.distributed.spark import Spark, column_of

        names = [name for name in (wanted.text, wanted.label, wanted.weight) if name]
        taken = frame.select(*(column_of(frame, name) for name in names))
        return Spark(frame.sparkSession, "frame_part", taken, (wanted,))
    import dask

    from lindy.distributed.clusters import dask_client_in_use
    from lindy.distributed.dask import Dask

    names = [name for name in (wanted.text, wanted.label, wanted.weight) if name]
    chosen = frame[names] if hasattr(frame, "columns") else frame
    pair = dask.delayed(lambda number, part: (number, part), pure=False)
    parts = [pair(number, part) for number, part in enumerate(chosen.to_delayed())]
    client, end = dask_client_in_use()
    return begun(lambda: Dask(client, "frame_part", parts, (wanted,)), end)


def _predicted(
    part: Any, model: Any, wanted: Wanted, columns: PredictionColumns, partition_info: Any = None
) -> Any:
    checked = frame_part(((partition_info or {}).get("number", 0), part), wanted)
    made = columns.frame(model.predictions(checked.texts), part.index)
    return made if columns.every else made["label"]


def _labels_of_bag(items: Any, model: Any, wanted: Wanted) -> list[Any]:
    checked = frame_part((0, list(items)), wanted)
    return model.predict(checked.texts).tolist() if len(checked.texts) else []


def _spark_column(model: Any, frame: Any, text: str, columns: PredictionColumns) -> Any:
    import pandas as pd
    from pyspark.sql.functions import pandas_udf

    from lindy.distributed.spark import column_of

    kind = {"b": "boolean", "i": "long", "u": "long"}.get(model.classes_.dtype.kind, "string")
    kind = f"array<{kind}>" if model.several_labels else kind
    if columns.every:
        names = {str(name).replace("`", "``"): name for name in columns.frame(model.predictions([]))}
        kind = ", ".join(f"`{own}` {kind if name == 'label' else 'double'}" for own, name in names.items())

    def predicted(texts: Any) -> Any:
        if texts.isna().any():
            row = int(texts.isna().to_numpy().argmax())
            raise DataError(f"row {row + 1} of a batch: no text: {text!r} is null or missing")
        made = columns.frame(model.predictions(texts.tolist()))
        return made.rename(columns=str) if columns.every else made["label"]

    # where Spark looks for what it is
    predicted.__annotations__ = {"texts": pd.Series, "return": pd.DataFrame if columns.every else pd.Series}
    return pandas_udf(predicted, kind)(column_of(frame, text)).alias(
        "predictions" if columns.every else "label"
    )
