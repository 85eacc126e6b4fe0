"""The examples of a model that was asked to keep them, so that it can be trained again together with new ones.

Texts (of a table of several columns: its rows as JSON) are kept as UTF-8 bytes, compressed together; class numbers
and lengths in the smallest type that holds them. A model file holds them only if that was asked for: whoever has the
file can read them.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from lindy import _native
from lindy.core.column import is_column, string_arrays
from lindy.core.csr import is_sparse
from lindy.core.inputs import as_inputs
from lindy.core.targets import ManyLabels, OneLabel, Targets
from lindy.errors import ModelFileError, UpdateError
from lindy.estimators.serialization import narrowest
from lindy.text.vocabulary.encoding import encode_terms

CALIBRATIONS = ("auto", "best", "sigmoid", "temperature", "vector", "isotonic", "none")
MOST_BYTES = 1 << 40


@dataclass(frozen=True, slots=True)
class Kept:
    """Examples in the order in which they were learned.

    Attributes
    ----------
    packed : compressed bytes of all texts
    lengths : array (examples,), bytes of each text
    codes : array (examples,), class numbers; of several labels per example, those of all examples
    n_labels : array (examples,) or None, how many labels each example has
    weight : array (examples,) or None, what each counted, without the weights of classes
    calibration : how the model was asked to make probabilities
    records : whether the examples are rows of a table, each a text of JSON
    """

    packed: NDArray[np.uint8]
    lengths: NDArray[np.integer[Any]]
    codes: NDArray[np.integer[Any]]
    weight: NDArray[np.float64] | None
    calibration: str
    records: bool
    n_labels: NDArray[np.integer[Any]] | None = None

    @classmethod
    def of(
        cls,
        texts: Any,
        labels: Targets | NDArray[Any],
        weight: NDArray[np.float64] | None,
        calibration: str,
    ) -> Self:
        """Keep texts, which must be a column or a list of them, or the rows of an Arrow table or a list of them."""
        records = hasattr(texts, "column_names") or (
            isinstance(texts, list) and isinstance(texts[0], Mapping)
        )
        if records:
            rows = texts.to_pylist() if hasattr(texts, "to_pylist") else texts
            texts = [_record(row) for row in rows]
        data, lengths = _bytes_of(texts)
        packed = np.frombuffer(zlib.compress(data.tobytes(), 6), np.uint8)
        labels = OneLabel.of(labels)
        ends = labels.label_ends
        n_labels = None if ends is None else narrowest(np.diff(ends))
        return cls(
            packed, narrowest(lengths), narrowest(labels.codes), weight, calibration, records, n_labels
        )

    def __len__(self) -> int:
        return len(self.lengths)

    def targets(self, names: NDArray[Any]) -> Targets:
        """Return the labels of the examples, whose numbers are those of ``names``."""
        codes = self.codes.astype(np.int32)
        if self.n_labels is None:
            return OneLabel(names, codes)
        return ManyLabels(names, codes, np.concatenate([[0], np.cumsum(self.n_labels, dtype=np.int64)]))

    def examples(self) -> list[Any]:
        """Return the texts, or the rows of a table as dictionaries; ModelFileError if they were damaged or forged."""
        if not self.records:
            return list(self.texts())
        try:
            rows = [json.loads(text) for text in self.texts()]
        except ValueError as error:
            raise ModelFileError(f"the kept rows of the model are no rows ({error})") from None
        if not all(isinstance(row, dict) for row in rows):
            raise ModelFileError("the kept rows of the model are no rows of a table")
        return rows

    def texts(self) -> list[str]:
        """Return the texts; ModelFileError if they were damaged or forged."""
        total = int(self.lengths.sum(dtype=np.int64))
        inflate = zlib.decompressobj()
        try:
            data = inflate.decompress(self.packed.tobytes(), total + 1)
        except zlib.error as error:
            raise ModelFileError(f"the kept rows of the model are damaged ({error})") from None
        if len(data) != total or not inflate.eof:
            raise ModelFileError("the kept rows of the model are not as long as it says")
        offsets = np.concatenate([[0], np.cumsum(self.lengths, dtype=np.int64)])
        try:
            return _native.strings(np.frombuffer(data, np.uint8), offsets)
        except ValueError as error:
            raise ModelFileError(f"the kept rows of the model are no texts ({error})") from None

    def to_state(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """Return what a model file holds."""
        arrays: dict[str, NDArray[Any]] = {"texts": self.packed, "lengths": self.lengths, "codes": self.codes}
        arrays |= {} if self.weight is None else {"weight": self.weight}
        arrays |= {} if self.n_labels is None else {"n_labels": self.n_labels}
        return {"calibration": self.calibration} | ({"records": True} if self.records else {}), arrays

    @classmethod
    def from_state(
        cls, stored: Any, arrays: Mapping[str, Any], n_classes: int, *, several: bool = False
    ) -> Self:
        """Return what a model file holds; ValueError for anything else. The texts are read when they are needed."""
        names = {"texts", "lengths", "codes"} | ({"n_labels"} if several else set())
        if (
            not isinstance(stored, dict)
            or set(stored) - {"records"} != {"calibration"}
            or set(arrays) - {"weight"} != names
        ):
            raise ValueError("the kept rows are malformed")
        packed, lengths, codes = (np.asarray(arrays[name]) for name in ("texts", "lengths", "codes"))
        weight, n_labels = arrays.get("weight"), arrays.get("n_labels")
        sound = packed.dtype == np.uint8 and lengths.dtype.kind == codes.dtype.kind == "u"
        sound = sound and packed.ndim == lengths.ndim == codes.ndim == 1
        if n_labels is not None:
            sound = sound and n_labels.dtype.kind == "u" and n_labels.shape == lengths.shape
        n_codes = len(lengths) if n_labels is None else n_labels.sum(dtype=np.float64)
        if (
            not sound
            or n_codes != len(codes)
            or not len(lengths)
            or int(codes.max(initial=0)) >= n_classes
            or lengths.sum(dtype=np.float64) > MOST_BYTES
        ):
            raise ValueError("the kept rows must have a length and a class each")
        if weight is not None:
            weight = np.asarray(weight)
            if (
                weight.dtype != np.float64
                or weight.shape != lengths.shape
                or not (np.isfinite(weight) & (weight >= 0)).all()
            ):
                raise ValueError("the weights of the kept rows must be numbers of at least 0")
        if stored["calibration"] not in CALIBRATIONS or stored.get("records", True) is not True:
            raise ValueError("the kept rows name no calibration")
        return cls(packed, lengths, codes, weight, stored["calibration"], "records" in stored, n_labels)


def _record(row: Any) -> str:
    """Return a row of a table, or a dictionary of features, as JSON."""
    try:
        return json.dumps(row, ensure_ascii=False)
    except TypeError as error:
        raise UpdateError(f"a row cannot be kept with a model: {error}", "leave out `keep_rows=`") from None


def _bytes_of(texts: Any) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Return the bytes of all texts, and how many each has."""
    is_text = not is_sparse(texts) and as_inputs(texts).has_words
    if is_column(texts) and is_text:
        bytes_of, lengths_of = [np.zeros(0, np.uint8)], [np.zeros(0, np.int64)]
        for places, own in string_arrays(texts):
            bytes_of.append(np.asarray(own[places[0] : places[-1]]))
            lengths_of.append(np.diff(places).astype(np.int64))
        return np.concatenate(bytes_of), np.concatenate(lengths_of)
    if not is_text or not all(isinstance(text, str) for text in texts):
        raise UpdateError(
            "only texts can be kept with a model: these examples are features with values or images",
            "leave out `keep_rows=`",
        )
    data, offsets = encode_terms(list(texts))
    return data, np.diff(offsets)
