"""Model files of fastText (``.bin``, ``.ftz``) as the header and arrays that a model file of lindy would have.

The file is mapped, and its matrices are used where they lie. ``native/fasttext/model_file.hpp`` takes it apart; here
its parts get the names of ``FasttextVectorizer`` and ``FasttextClassifier``, whose ``from_state`` check them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lindy import _native
from lindy.errors import DataError, ModelFileError

MAGIC = b"\xba\x16\x4f\x2f"
"""How such a file begins."""

LABEL = "__label__"
_LOSSES = {1: "hs", 2: "ns", 3: "softmax", 4: "ova"}
_SETTINGS = ("n_words", "bucket", "min_n", "max_n", "word_ngrams")
_WORDS = "Give a supervised model: one that 'fasttext supervised' has trained."


def parts_of(name: str, file: NDArray[np.uint8]) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Return the header and the arrays of a supervised model; anything unsound is a ModelFileError."""
    try:
        found = _native.read_fasttext(file)
    except _native.NotSupervisedError as error:
        raise ModelFileError(f"{name} is a fastText model, and {error}", _WORDS) from None
    except _native.FasttextFileError as error:
        raise ModelFileError(
            f"{name} is a damaged fastText model: {error}", "Copy or download the file again."
        ) from None
    n_words, ends = found["n_words"], found["ends"]
    entries = found["entries"].tobytes()
    begins = np.append(0, ends)[n_words:-1].tolist()
    labels = [
        entries[begin:end].decode("utf-8", "backslashreplace").removeprefix(LABEL)
        for begin, end in zip(begins, ends[n_words:].tolist(), strict=True)
    ]
    if len(set(labels)) < 2:
        raise ModelFileError(f"{name} is a fastText model with the single label {labels[0]!r}", _WORDS)
    order = sorted(range(len(labels)), key=labels.__getitem__)
    places = np.empty(len(order), np.int32)
    places[order] = np.arange(len(order), dtype=np.int32)
    arrays = {"vectorizer.entries": found["entries"], "vectorizer.ends": ends}
    if "kept" in found:
        ascending = np.argsort(found["kept"], kind="stable")
        arrays |= {f"vectorizer.{own}": found[own][ascending] for own in ("kept", "kept_rows")}
    shape = [
        found["input"]["rows"],
        found["input"]["dim"],
        *(found[m].get("dsub", 0) for m in ("input", "output")),
    ]
    arrays |= {
        "learner.shape": np.array(shape, np.int64),
        "learner.counts": found["counts"],
        "learner.places": places,
    }
    for matrix in ("input", "output"):
        for part, place in found[matrix].items():
            if isinstance(place, tuple):
                arrays[f"learner.{matrix}" if part == "values" else f"learner.{matrix}_{part}"] = file[
                    slice(*place)
                ]
    loss = _LOSSES[found["loss"]]
    header = {
        "kind": "text classifier",
        "vectorizer": {"kind": "fasttext", **{own: found[own] for own in _SETTINGS}},
        "learner": {"name": "fasttext", "params": {"loss": loss}},
        "classes": [labels[i] for i in order],
        "class_counts": found["counts"][order].tolist(),
        "columns": {},
        "recipe": _recipe(found, loss),
    }
    return header, arrays


def answer_strictly(model: Any) -> None:
    """Let a model of fastText answer as fastText does where its users complain.

    A text ends with its first line, and probabilities may be above 1. A file of lindy's keeps it.
    """
    from lindy.linear.fasttext_classifier import FasttextClassifier

    if not isinstance(model.learner_, FasttextClassifier):
        raise DataError(
            "the model is none of fastText, whose oddities it could have", "models of lindy's own have none"
        )
    model.learner_.strict = model.vectorizer_.first_line = True


def _recipe(found: dict[str, Any], loss: str) -> str:
    """Return what the model is made of, in a line."""
    said = [f"words 1-{found['word_ngrams']}" if found["word_ngrams"] > 1 else "words"]
    if found["max_n"] > 0:
        said.append(f"subwords {found['min_n']}-{found['max_n']}")
    size = f"{found['input']['dim']} dimensions" + (", quantised" if "codes" in found["input"] else "")
    return f"fastText: {', '.join(said)}; {size}; {loss}"
