"""Why a text gets its label, as it is sent: the library's explanation of one label's lead over another."""

from __future__ import annotations

import math

import numpy as np
from msgspec import UnsetType

from lindy.errors import LindyError
from lindy.explain import Explanation
from lindy.explain.explanation_parts import finite
from lindy.web.http.problems import Problem, from_error
from lindy.web.messages import ExplainedFeature, ExplainReply, ExplainRequest, Others, Span
from lindy.web.model_registry import LoadedModel
from lindy.web.predicting import by_label, examples_for, input_of, size_of


def explain(served: LoadedModel, request: ExplainRequest, longest: int) -> ExplainReply:
    """Return the explanation of a text or record."""
    given = input_of(request)
    if size_of([given]) > longest:
        raise Problem(
            413,
            "too-long",
            f"a text of more than {longest:,} characters is not explained; /v1/predict takes longer ones",
            {"most": longest},
        )
    label, other = (
        None if isinstance(named, UnsetType) else served.known_label(named)
        for named in (request.label, request.against)
    )
    (example,) = examples_for(served, [given])
    try:
        explanation = served.classifier.explain(example, flips=0)
    except (LindyError, ValueError) as error:
        raise from_error(error) from error
    top = None if isinstance(request.top_features, UnsetType) else request.top_features
    return _reply(served, explanation, explanation.pair(label, other), top)


def _reply(
    served: LoadedModel, explanation: Explanation, pair: tuple[object, object], top: int | None
) -> ExplainReply:
    label, other = pair
    given = explanation.label if explanation.several is None else explanation.several.labels
    added, bias = explanation.against(label, other)
    added = finite(added)
    order = np.argsort(-np.abs(added), kind="stable").tolist()
    values, contributions = explanation.values.tolist(), added.tolist()
    listed, rest = order[:top], order[len(order[:top]) :]
    score = bias
    for i in order:
        score += contributions[i]
    p = explanation.probabilities
    probabilities = None if p is None else by_label(served.labels, p.tolist())
    return ExplainReply(
        model=served.name,
        model_version=served.version,
        label=str(label),
        probability=None if probabilities is None else probabilities[str(label)],
        probabilities=probabilities,
        scores=by_label(served.labels, explanation.decision.tolist())
        if p is None and explanation.several is not None
        else None,
        known=None if explanation.support is not None else len(order),
        text=explanation.text,
        spans=_spans(explanation, label, other),
        features=[
            ExplainedFeature(
                explanation.names[i],
                values[i],
                contributions[i] / values[i] if values[i] else 0.0,
                contributions[i],
            )
            for i in listed
        ],
        others=Others(len(rest), math.fsum(contributions[i] for i in rest)) if rest else None,
        bias=bias,
        score=score,
        against=None if other is None or other == label else str(other),
        predicted=list(map(str, given)) if isinstance(given, tuple) else str(given),
    )


def _spans(explanation: Explanation, label: object, other: object) -> list[Span]:
    """Return the words of the text with what each adds."""
    spans, credit, known = (own[1::2].tolist() for own in explanation.pieces(label, other))
    return [
        Span(begin, end, own, is_known)
        for (begin, end), own, is_known in zip(spans, credit, known, strict=True)
        if end > begin
    ]
