"""From the inputs of a request to the results of a model, one for each, in their order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from msgspec import UNSET, UnsetType

from lindy.errors import LindyError
from lindy.evaluation.decisions import REJECTED, Answers, Decision, named_numbers
from lindy.web.http.problems import Problem, from_error
from lindy.web.messages import (
    CompareReply,
    CompareRequest,
    ExplainRequest,
    FeedbackRequest,
    PredictReply,
    PredictRequest,
    Result,
    Value,
)
from lindy.web.model_registry import LoadedModel

Inputs = list[Any]


def inputs_of(request: PredictRequest | CompareRequest) -> Inputs:
    """Return the texts or records of a request that names them in exactly one way."""
    given = [value for value in (request.text, request.texts, request.records) if value is not UNSET]
    if len(given) != 1:
        raise Problem(400, "wrong-inputs", "send exactly one of 'text', 'texts' and 'records'")
    (value,) = given
    return [value] if isinstance(value, str) else list(value)


def text_alone(request: PredictRequest) -> str | None:
    """Return the text of a request that holds nothing else beside the model's name; None for any other."""
    others = request.texts is request.records is request.top_k is UNSET
    text = request.text if others and _has_no_threshold(request) else UNSET
    return text if isinstance(text, str) else None


def input_of(request: ExplainRequest | FeedbackRequest) -> Any:
    """Return the text or record of a request about a single one."""
    given = [value for value in (request.text, request.record) if value is not UNSET]
    if len(given) != 1:
        raise Problem(400, "wrong-inputs", "send exactly one of 'text' and 'record'")
    return given[0]


def size_of(inputs: Inputs) -> int:
    """Return about how many characters the inputs have."""
    if len(inputs) == 1 and isinstance(inputs[0], str):
        return len(inputs[0])
    return sum(len(one) if isinstance(one, str) else 20 * len(one) + _texts_in(one) for one in inputs)


def _texts_in(record: dict[str, Value]) -> int:
    return sum(len(value) for value in record.values() if isinstance(value, str))


def examples_for(served: LoadedModel, inputs: Inputs) -> Any:
    """Return inputs as the model takes them.

    Raises
    ------
    Problem
        If the model takes others, or if a column is missing or unknown.
    """
    of_texts = isinstance(inputs[0], str)
    if of_texts != (served.takes in ("texts", "mail")):
        wanted = "'text' or 'texts'" if of_texts is False else "'records'"
        raise Problem(400, "wrong-inputs", f"the model {served.name!r} takes {served.takes}: send {wanted}")
    if served.takes == "mail":
        from lindy.data.mail import read_message

        return [served.mail_words.text(read_message(message)) for message in inputs]
    return [record_for(served, record) for record in inputs] if served.columns is not None else inputs


def record_for(served: LoadedModel, record: dict[str, Value]) -> dict[str, Any]:
    """Return a record with exactly the columns of the model, each value of its kind."""
    columns = served.columns or {}
    names = [name for own in columns.values() for name in own]
    if missing := [name for name in names if name not in record]:
        raise Problem(
            400,
            "missing-column",
            f"a record has no column {missing[0]!r}, which the model {served.name!r} was trained on;"
            " send null where there is no value",
            {"columns": names},
        )
    if unknown := [name for name in record if name not in names]:
        raise Problem(
            400,
            "unknown-column",
            f"the model {served.name!r} has no column {unknown[0][:100]!r}; it has {', '.join(names)}",
            {"columns": names},
        )
    return {name: _value(role, name, record[name]) for role, own in columns.items() for name in own}


def _value(role: str, name: str, value: Value) -> Any:
    if role != "numeric":
        return "" if value is None else str(value)
    try:
        return None if value is None else float(value)
    except (ValueError, OverflowError):
        raise Problem(
            400, "wrong-value", f"the column {name!r} holds numbers; got {str(value)[:100]!r}"
        ) from None


def answers(served: LoadedModel, inputs: Inputs) -> Answers:
    """Return what the model says of inputs; what it cannot take is a problem of the request."""
    examples = examples_for(served, inputs)
    try:
        return served.classifier.answers(examples)
    except (LindyError, ValueError) as error:
        raise from_error(error) from error


def predict(served: LoadedModel, inputs: Inputs, request: PredictRequest | None = None) -> PredictReply:
    """Return the results of a model."""
    top_k = None if request is None else request.top_k
    if served.takes == "texts" and (request is None or _has_no_threshold(request)):
        quick = served.classifier.quick_answers(inputs) if isinstance(inputs[0], str) else None
        if quick is not None:
            best, values, known = quick
            return PredictReply(
                served.name, served.version, results(served, best, best, values, known, top_k)
            )
    answer = answers(served, inputs)
    codes = _decision(served, request)(answer) if request is not None else answer.best
    counts: list[int | None] = [None] * len(codes) if answer.known is None else answer.known.tolist()
    parts = codes.tolist(), answer.best.tolist(), answer.values.tolist(), counts
    return PredictReply(served.name, served.version, results(served, *parts, top_k))


def _has_no_threshold(request: PredictRequest) -> bool:
    return request.threshold is UNSET and request.thresholds is UNSET


def _decision(served: LoadedModel, request: PredictRequest) -> Decision:
    """Return the rule that a request asks for."""
    if _has_no_threshold(request):
        return _PLAIN
    by_label = {} if isinstance(request.thresholds, UnsetType) else request.thresholds
    return thresholds_of(
        served, 0.0 if isinstance(request.threshold, UnsetType) else request.threshold, by_label
    )


def thresholds_of(served: LoadedModel, threshold: float, by_label: Mapping[str, float]) -> Decision:
    """Return the rule that gives a label of a model only from these probabilities on."""
    if not served.classifier.has_probabilities:
        raise Problem(
            400,
            "no-probabilities",
            f"the model {served.name!r} has no probabilities, which thresholds need; ask without them",
        )
    for label in by_label:
        served.known_label(label)
    return Decision(thresholds=named_numbers(by_label, served.labels, threshold))


_PLAIN = Decision()


def results(
    served: LoadedModel,
    codes: Sequence[int],
    bests: Sequence[int],
    values_of: Sequence[Sequence[float]],
    known: Sequence[int | None],
    top_k: int | UnsetType | None = None,
) -> list[Result]:
    """Return decisions (class numbers) and what they were made of, as they are sent."""
    labels, K = served.labels, len(served.labels)
    most = top_k if isinstance(top_k, int) and top_k < K else K
    are_probabilities = served.classifier.has_probabilities
    made = []
    for code, best, values, n_known in zip(codes, bests, values_of, known, strict=True):
        if K == 2 == most:  # without a sort, which takes as long as all the rest
            first = 0 if values[0] > values[1] else 1
            ranked = {labels[first]: values[first], labels[1 - first]: values[1 - first]}
        else:
            order = sorted(range(K), key=values.__getitem__, reverse=True)
            ranked = {labels[k]: values[k] for k in order[:most]}
        if are_probabilities and code != REJECTED:
            made.append(Result(labels[code], values[best], ranked, False, n_known))
            continue
        rejected = code == REJECTED
        made.append(
            Result(
                None if rejected else labels[code],
                values[best] if are_probabilities else None,
                ranked if are_probabilities else None,
                rejected,
                n_known,
                labels[best] if rejected else UNSET,
                UNSET if are_probabilities else ranked,
            )
        )
    return made


def compare(models: Sequence[LoadedModel], inputs: Inputs) -> CompareReply:
    """Return the results of several models, and about which inputs they disagree."""
    replies = [predict(served, inputs) for served in models]
    given = np.array([[result.label for result in reply.results] for reply in replies], object)
    return CompareReply(replies, (given != given[0]).any(axis=0).tolist())
