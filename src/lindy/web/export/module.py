"""A model as an ES module for pages and for Node, and its type declarations."""

from __future__ import annotations

import json
from typing import Any

from lindy.evaluation.decisions import Decision, LabelLimits
from lindy.evaluation.predictions import FIELDS
from lindy.files.output_guard import EXPORTED
from lindy.sanitize import sanitize
from lindy.textclassifier import TextClassifier
from lindy.web.export.header import NO_LIMITS, model_header
from lindy.web.export.packing import bundled, pack
from lindy.web.export.vectorizers import inputs_of


def module_text(
    model: TextClassifier, decision: Decision | None = None, limits: LabelLimits = NO_LIMITS
) -> str:
    """Return a model as an ES module that exports ``predict`` and ``explain``.

    Parameters
    ----------
    model : TextClassifier
        Fitted, and linear.
    decision : Decision or None
        Costs and thresholds; None takes the best class always.
    limits : LabelLimits
        How many of several labels a text gets at least and at most.

    Raises
    ------
    ExportError
        If JavaScript cannot follow the model exactly.
    """
    data = pack(model_header(model, decision or Decision(), limits))
    said = sanitize(model.recipe_).replace("*/", "* /")
    return (
        f"{EXPORTED}: a text classifier, {said} */\n\n{bundled('module')}\n"
        f'/** The model: base64 of a zlib stream. */\nfunction data() {{\n  return "{data}";\n}}\n'
    )


_TYPES = """\
{exported}: the types of a text classifier */

/** A label of the model. */
export type Label = {label};

/** What the model takes. */
export type Example = {example};

export interface Prediction {{
{prediction}}}

export interface Feature {{
  name: string;
  value: number;
  /** What it adds to the label's lead over the other one, or to its own score where there is none. */
  lead: number;
  /** Where it occurs in the text, as for String.slice. */
  spans: [number, number][];
}}

export interface Segment {{
  text: string;
  /** What this piece of the text adds to the lead. */
  credit: number;
  /** The same as a share of what the most important word adds. */
  share: number;
  isWord: boolean;
  isKnown: boolean;
}}

export interface Explanation extends Prediction {{
  /** The label that is explained. */
  explained: Label;
  /** The label that it is compared with; null for one of several labels. */
  against: Label | null;
  /** What the lead begins with. */
  bias: number;
  /** The features of the example, those that move the lead most first. */
  features: Feature[];
  /** The text, cut into words and what is between them. */
  segments: Segment[];
  /** The words that no feature has. */
  unknown: string[];
}}

/** The label, probabilities and scores of an example. */
export function predict(example: Example): Prediction;

/** The same, and what every word adds for a label: the best one, or another. */
export function explain(example: Example, options?: {{ label?: Label }}): Explanation;

/** The labels in the order of the model. */
export const labels: readonly Label[];

/** What the model is made of, and how it was exported. */
export const about: Readonly<{{
  recipe: string;
  features: number;
  examples: number;
  calibration: string | null;
  /** From which probability (or score) on each of several labels is given; null where a text gets one. */
  thresholds: Readonly<Record<string, number>> | null;
  lindy: string;
}}>;
"""


def module_types(model: TextClassifier) -> str:
    """Return the TypeScript declarations of ``module_text``."""
    labels = model.classes_.tolist()
    by_label = f"Record<{_either([str(label) for label in labels])}, number>"
    null = "null" if not model.has_probabilities else ""
    types = {
        "label": "Label[]" if model.several_labels else "Label | null",
        "probability": null or "number",
        "probabilities": null or by_label,
        "rejected": "boolean",
        "known": "number",
        "best": "Label",
        "scores": by_label,
    }
    return _TYPES.format(
        exported=EXPORTED,
        label=_either(labels),
        example=_example(inputs_of(model.vectorizer_)),
        prediction="".join(f"  /** {FIELDS[name]} */\n  {name}: {kind};\n" for name, kind in types.items()),
    )


def _either(labels: list[Any]) -> str:
    return " | ".join(json.dumps(label) for label in labels)


def _example(inputs: list[dict[str, Any]] | None) -> str:
    if inputs is None:
        return "string"
    types = {"text": "string", "number": "number | string", "category": "string"}
    columns = [f"  {json.dumps(own['name'])}?: {types[own['is']]} | null;\n" for own in inputs]
    return f"{{\n{''.join(columns)}}}"
