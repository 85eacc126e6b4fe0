"""Types of requests and answers: they decode the one, encode the other, and make the OpenAPI document."""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import UNSET, Meta, Struct, UnsetType

from lindy.evaluation.predictions import FIELDS
from lindy.web.http.request_limits import TEXTS

Value = str | int | float | bool | None
Record = Annotated[
    dict[str, Value], Meta(description="The values of the model's columns, or features with values.")
]
Text = Annotated[str, Meta(description="One text.")]
Texts = Annotated[list[str], Meta(min_length=1, max_length=TEXTS)]
Records = Annotated[list[Record], Meta(min_length=1, max_length=TEXTS)]
ModelName = Annotated[str, Meta(description="A name of /v1/models; without one, the default model answers.")]
Share = Annotated[float, Meta(ge=0, le=1)]
Count = Annotated[int, Meta(ge=0)]
Version = Annotated[str, Meta(description="Names the file that answered: the first digits of its SHA-256.")]


class _Inputs(Struct, forbid_unknown_fields=True, kw_only=True):
    text: Text | UnsetType = UNSET
    texts: Texts | UnsetType = UNSET
    records: Records | UnsetType = UNSET


class PredictRequest(_Inputs, kw_only=True):
    """Exactly one of text, texts and records."""

    model: ModelName | UnsetType = UNSET
    top_k: (
        Annotated[int, Meta(ge=1, description="So many labels in `probabilities`, the best ones.")]
        | UnsetType
    ) = UNSET
    threshold: (
        Annotated[float, Meta(ge=0, le=1, description="A label less probable than this is not given.")]
        | UnsetType
    ) = UNSET
    thresholds: Annotated[dict[str, Share], Meta(description="The same, for single labels.")] | UnsetType = (
        UNSET
    )
    coverage: (
        Annotated[
            float,
            Meta(
                gt=0,
                lt=1,
                description="Give sets of labels: the smallest that hold the right one in this share of all texts.",
            ),
        ]
        | UnsetType
    ) = UNSET
    at_least_one: (
        Annotated[
            bool,
            Meta(
                description="Of several labels: give the most probable one where none reaches its threshold."
            ),
        ]
        | UnsetType
    ) = UNSET
    at_most: (
        Annotated[int, Meta(ge=1, description="Of several labels: give so many at most, the most probable.")]
        | UnsetType
    ) = UNSET


_SAID = {name: Meta(description=meaning) for name, meaning in FIELDS.items()}


class Result(Struct, omit_defaults=True):
    """The prediction for one text. `best` is there if it was rejected, `scores` if there are no probabilities."""

    label: Annotated[str | list[str] | None, _SAID["label"]]
    probability: Annotated[Share | None, _SAID["probability"]]
    probabilities: Annotated[dict[str, Share] | None, _SAID["probabilities"]]
    rejected: Annotated[bool, _SAID["rejected"]]
    known: Annotated[int | None, _SAID["known"]]
    best: Annotated[str, _SAID["best"]] | UnsetType = UNSET
    scores: Annotated[dict[str, float], _SAID["scores"]] | UnsetType = UNSET


class PredictReply(Struct):
    """One result for each input, in their order."""

    model: str
    model_version: Version
    results: list[Result]


class CompareRequest(_Inputs, kw_only=True):
    """Exactly one of text, texts and records, and two or more models."""

    models: Annotated[list[str], Meta(min_length=2, max_length=8)]


class CompareReply(Struct):
    """The results of every model, and which inputs they disagree about."""

    results: list[PredictReply]
    differs: list[bool]


class ExplainRequest(Struct, forbid_unknown_fields=True, kw_only=True):
    """Exactly one of text and record."""

    text: Text | UnsetType = UNSET
    record: Record | UnsetType = UNSET
    model: ModelName | UnsetType = UNSET
    label: (
        Annotated[str, Meta(description="The label to explain; without one, the predicted one.")] | UnsetType
    ) = UNSET
    against: (
        Annotated[
            str,
            Meta(
                description="The label to compare it with; without one, the next best one, and of several labels none."
            ),
        ]
        | UnsetType
    ) = UNSET
    top_features: (
        Annotated[int, Meta(ge=0, description="So many features at most, those that add most; default: all.")]
        | UnsetType
    ) = UNSET


class Span(Struct):
    """A word of the text, by characters (Unicode code points), and what it adds to the label's lead."""

    start: Count
    end: Count
    weight: float
    known: bool


class ExplainedFeature(Struct):
    """A feature of the text: addend = value · weight."""

    name: str
    value: float
    weight: float
    addend: float


class Others(Struct):
    """Features that are not listed: how many, and what they add together."""

    count: Count
    addend: float


class ExplainReply(Struct, kw_only=True):
    """Why a text gets its label. The score is exactly the bias and all contributions, added in the order of the list.

    With `top_features`, the contributions of the other features are in `others` as one number.
    """

    model: str
    model_version: Version
    label: str
    probability: Share | None
    probabilities: dict[str, Share] | None
    scores: Annotated[
        dict[str, float] | None, Meta(description="Of several labels without probabilities; otherwise null.")
    ]
    known: int | None
    text: str
    spans: list[Span]
    features: Annotated[list[ExplainedFeature], Meta(description="The largest contributions first.")]
    others: Annotated[Others | None, Meta(description="The features that are not listed; null if all are.")]
    bias: float
    score: Annotated[float, Meta(description="The label's lead over `against`; without one, its own score.")]
    against: Annotated[
        str | None, Meta(description="The label that it is compared with; null for one of several labels.")
    ]
    predicted: Annotated[
        str | list[str], Meta(description="The label that the model gives; a list where it may give several.")
    ]


class ModelEntry(Struct):
    """A model that can be asked; `columns` are those of its records, null for a model of texts."""

    name: str
    classes: list[str]
    recipe: str
    default: bool
    columns: dict[str, list[str]] | None
    text_column: Annotated[
        str | None, Meta(description="Where tables have its texts; null for other models.")
    ]
    takes: Annotated[str, Meta(description="What it classifies: texts, records, features or mail.")]
    version: Version
    trained_at: Annotated[str, Meta(description="When its file was written, in UTC.")]
    file: Annotated[str, Meta(description="The name of its file.")]
    thresholds: Annotated[
        dict[str, float] | None,
        Meta(
            description="Of a model of several labels: from which probability (without any: score) on each is given."
        ),
    ]


class ModelsReply(Struct):
    """All models, whether the service keeps corrections, and whether these may bring labels that no model knows."""

    models: list[ModelEntry]
    feedback: bool
    new_labels: bool


class ClassCount(Struct):
    """A label and how many training examples had it."""

    label: str
    count: Count


class Metric(Struct):
    """A figure on held-out examples; 19 times out of 20 the truth is between low and high."""

    name: str
    value: float
    low: float | None
    high: float | None


class Confusion(Struct):
    """How often examples of a label (a row) got a label (a column)."""

    labels: list[str]
    counts: list[list[int]]


class Word(Struct):
    """A feature that speaks for a label; the card's `measure` says what its weight is."""

    name: str
    weight: float


class LabelError(Struct):
    """An example whose label is probably wrong."""

    row: int
    text: str
    label: str
    predicted: str
    probability: Share


class FileFacts(Struct):
    """The file of a model: its name, its size, the SHA-256 of what is in it, and when it was written."""

    name: str
    bytes: int
    fingerprint: str
    trained_at: str


class Card(Struct, kw_only=True):
    """A model's card. Figures are of the file given with --test, or of examples held out of its training."""

    name: str
    version: Version
    recipe: str
    why: list[str]
    classes: list[ClassCount]
    trained: dict[str, Any]
    certificate: dict[str, Any] | None
    metrics: list[Metric]
    confusion: Confusion | None
    words: dict[str, list[Word]]
    measure: Annotated[
        str, Meta(description="What the numbers of words are: weight, odds ratio or separation.")
    ]
    label_errors: list[LabelError]
    held_out: int | None
    tested_on: Annotated[str | None, Meta(description="'test file' or 'held-out examples'; null for none.")]
    file: FileFacts


class Bins(Struct):
    """Counts of held-out examples: `right[b][k]` of label k with a probability in bin b, edges[b] ≤ p < edges[b+1]."""

    edges: list[float]
    right: list[list[int]]
    wrong: list[list[int]]


class DecisionsReply(Struct):
    """How sure the model was of held-out examples, and whether it was right; null where none are known."""

    model_version: Version
    n: int | None
    labels: list[str]
    bins: Bins | None
    tested_on: str | None


LabelName = Annotated[str, Meta(min_length=1, max_length=1000)]
LabelNames = Annotated[list[LabelName], Meta(max_length=1000)]


class FeedbackRequest(Struct, forbid_unknown_fields=True, kw_only=True):
    """A correction. Exactly one of text and record."""

    label: Annotated[
        LabelName | LabelNames,
        Meta(description="The right label; for a model of several labels a list of them."),
    ]
    text: Text | UnsetType = UNSET
    record: Record | UnsetType = UNSET
    model: ModelName | UnsetType = UNSET
    predicted: Annotated[str, Meta(max_length=1000)] | LabelNames | UnsetType | None = UNSET


class FeedbackReply(Struct):
    """The correction is on disk."""

    model_version: Version
    stored: bool


class ExamplesReply(Struct):
    """Texts to try."""

    examples: list[str]


class StateReply(Struct):
    """That the service runs, or which models are ready."""

    status: str


class TryView(Struct):
    """The contents of the first page; the explanation is that of a text in the address."""

    models: list[ModelEntry]
    examples: list[str]
    explanation: ExplainReply | None


class CompareView(Struct):
    """The contents of the page that compares models; the comparison is that of a text in the address."""

    models: list[ModelEntry]
    examples: list[str]
    comparison: CompareReply | None


class ErrorBody(Struct):
    """An error, as a code for programs and in words."""

    code: str
    message: str
    detail: dict[str, Any] | UnsetType = UNSET


class ErrorReply(Struct):
    """The shape of every answer with a status of 400 or more."""

    error: ErrorBody
