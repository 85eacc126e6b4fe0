"""From the inputs of a request, and its thresholds, to the results of a model, one for each, in their order."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Generic, TypeVar

from msgspec import UNSET, UnsetType

from lindy.errors import LindyError
from lindy.evaluation.decisions import Decision, LabelLimits, named_numbers
from lindy.evaluation.predictions import REJECTED, LabelLists, Predictions
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
Decide = Callable[[Predictions], Predictions]
Reply = TypeVar("Reply")
T = TypeVar("T")
Waiting = tuple["asyncio.Future[Reply]", str]


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
    text = request.text if others and not _has_wishes(request) else UNSET
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
    served.check_input(inputs[0])
    if served.mail_words is not None:
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


def predictions(served: LoadedModel, examples: Any) -> Predictions:
    """Return what the model says of examples; what it cannot take is a problem of the request."""
    try:
        return served.classifier.predictions(examples)
    except (LindyError, ValueError) as error:
        raise from_error(error) from error


def predict(served: LoadedModel, inputs: Inputs, request: PredictRequest | None = None) -> PredictReply:
    """Return the results of a model."""
    decide = None if request is None or not _has_wishes(request) else _decision(served, request)
    examples, quick = examples_for(served, inputs), None
    if decide is None and isinstance(inputs[0], str):
        quick = served.classifier.quick_predictions(examples)
    if quick is None:
        made = predictions(served, examples)
        made = made if decide is None else decide(made)
        known = [None] * len(made) if made.known is None else made.known.tolist()
        chosen = made.chosen
        given = chosen.rows() if isinstance(chosen, LabelLists) else chosen.tolist()
        sure = made.confidence.tolist()
        rows = zip(made.best.tolist(), made.values.tolist(), known, given, sure, strict=True)
    else:
        given, values, known = quick
        best = list(map(_best, given, values))
        sure = [own[k] for own, k in zip(values, best, strict=True)]
        rows = zip(best, values, known, given, sure, strict=True)
    top_k = None if request is None or isinstance(request.top_k, UnsetType) else request.top_k
    return PredictReply(served.name, served.version, results(served, rows, top_k))


def _best(given: int | list[int], values: list[float]) -> int:
    """Return the class that comes first: the one that is given, or the best of all where none is."""
    if isinstance(given, int):
        return given
    return given[0] if given else values.index(max(values))


def _has_wishes(request: PredictRequest) -> bool:
    """Whether a request asks for another rule than the model's own."""
    return request.coverage is not UNSET or _has_limits(request)


def _has_limits(request: PredictRequest) -> bool:
    wishes = (request.threshold, request.thresholds, request.at_least_one, request.at_most)
    return any(wish is not UNSET for wish in wishes)


def _decision(served: LoadedModel, request: PredictRequest) -> Decide:
    """Return the rule that a request asks for."""

    def or_none(wish: T | UnsetType) -> T | None:
        return None if isinstance(wish, UnsetType) else wish

    if not isinstance(request.coverage, UnsetType):
        if _has_limits(request):
            raise Problem(400, "wrong-inputs", "send 'coverage' without thresholds and limits of labels")
        return _label_sets(served, request.coverage)
    limits = LabelLimits(request.at_least_one is True, or_none(request.at_most))
    return decision_of(served, or_none(request.threshold), or_none(request.thresholds), limits)


def _label_sets(served: LoadedModel, coverage: float) -> Decide:
    """Return the decision that gives each input a set of labels that holds the right one so often."""
    try:
        return served.classifier.label_sets(coverage)
    except LindyError as error:
        raise Problem(400, "no-coverage", f"the model {served.name!r} cannot say that: {error}") from error


def decision_of(
    served: LoadedModel, threshold: float | None, by_label: Mapping[str, float] | None, limits: LabelLimits
) -> Decide:
    """Return the rule that gives labels of a model from these probabilities on, and not more or fewer than so many."""
    if limits != LabelLimits() and served.thresholds is None:
        raise Problem(
            400,
            "one-label",
            f"the model {served.name!r} gives one label to each text; ask without 'at_least_one' and 'at_most'",
        )
    if threshold is None and by_label is None:
        return limits
    sure = _thresholds(served, threshold or 0.0, by_label or {})
    return lambda predictions: limits(sure(predictions))


def _thresholds(served: LoadedModel, threshold: float, by_label: Mapping[str, float]) -> Decision:
    """Return the rule that gives a label of a model only from these probabilities on."""
    if not served.classifier.has_probabilities:
        raise Problem(
            400,
            "no-probabilities",
            f"the model {served.name!r} has no probabilities, which thresholds need; ask without them",
        )
    for label in by_label:
        if label not in served.all_labels:
            served.known_label(label)
    hierarchy = served.classifier.hierarchy_
    return Decision(thresholds=named_numbers(by_label, served.all_labels, threshold), hierarchy=hierarchy)


def results(
    served: LoadedModel,
    rows: Iterable[tuple[int, Sequence[float], int | None, int | list[int], float]],
    top_k: int | None,
) -> list[Result]:
    """Return rows of predictions as they are sent: best class, all values, known features, what is given, its value."""
    labels = served.labels
    are_probabilities = served.classifier.has_probabilities
    made = []
    for best, values, known, given, sure in rows:
        ranked = by_label(labels, values, top_k)
        result = Result(labels[best], values[best], ranked, False, known)
        if isinstance(given, list):
            result.label, result.rejected = [labels[k] for k in given], not given
        elif given == REJECTED:
            result.label, result.rejected = None, True
        elif given >= len(labels):
            above = served.all_labels[given]
            result.label, result.probability, result.best = above, sure, labels[best]
        if result.rejected:
            result.best = labels[best]
        if not are_probabilities:
            result.probability, result.probabilities, result.scores = None, None, ranked
        made.append(result)
    return made


def by_label(labels: list[str], values: Sequence[float], most: int | None = None) -> dict[str, float]:
    """Return the values of the best labels, the highest first."""
    if len(labels) == 2 and most is None:  # without a sort, which takes as long as all the rest
        first = 0 if values[0] > values[1] else 1
        return {labels[first]: values[first], labels[1 - first]: values[1 - first]}
    order = sorted(range(len(labels)), key=values.__getitem__, reverse=True)
    return {labels[k]: values[k] for k in order[:most]}


def compare(models: Sequence[LoadedModel], inputs: Inputs) -> CompareReply:
    """Return the results of several models, and about which inputs they disagree."""
    replies = [predict(served, inputs) for served in models]
    given = zip(*([as_set(result.label) for result in reply.results] for reply in replies), strict=True)
    return CompareReply(replies, [len(set(own)) > 1 for own in given])


def as_set(label: str | list[str] | None) -> Any:
    """Return a label, or several of them, such that the same ones in another order are equal."""
    return frozenset(label) if isinstance(label, list) else label


class MicroBatcher(Generic[Reply]):
    """Collects the texts of a turn of the loop.

    Parameters
    ----------
    predict : function of a model and texts, which returns one reply for each; an error is that of the text that it is
        also raised for alone
    most : int
        As many texts at most are given to it at once.

    Between two requests the loop parses, decodes, encodes and sends, which drives the model's tables out of the
    processor's cache, and the model drives out all of that. So a request for one short text waits until the loop has
    begun all requests that have arrived, and their texts then go through the model in a row. Nobody waits for
    requests that are still to come.
    """

    def __init__(self, predict: Callable[[LoadedModel, list[str]], list[Reply]], most: int) -> None:
        self._predict, self._most = predict, most
        self._waiting: dict[LoadedModel, list[Waiting[Reply]]] = {}

    def __call__(self, served: LoadedModel, text: str) -> asyncio.Future[Reply]:
        """Return the reply to come."""
        loop = asyncio.get_running_loop()
        reply: asyncio.Future[Reply] = loop.create_future()
        if not self._waiting:
            loop.call_soon(self._answer)
        self._waiting.setdefault(served, []).append((reply, text))
        return reply

    def _answer(self) -> None:
        collected, self._waiting = self._waiting, {}
        for served, waiting in collected.items():
            for first in range(0, len(waiting), self._most):
                self._reply(served, waiting[first : first + self._most])

    def _reply(self, served: LoadedModel, waiting: list[Waiting[Reply]]) -> None:
        try:
            replies = self._predict(served, [text for _, text in waiting])
        except Exception as error:
            if len(waiting) > 1:  # what is wrong with one text must not become another's error
                for one in waiting:
                    self._reply(served, [one])
            elif not waiting[0][0].done():
                waiting[0][0].set_exception(error)
            return
        for (future, _), reply in zip(waiting, replies, strict=True):
            if not future.done():  # its client may be gone
                future.set_result(reply)
