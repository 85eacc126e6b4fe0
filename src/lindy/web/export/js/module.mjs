// What the module gives to others.

import { Model } from "./model.mjs";

const model = await Model.from(data());

/** The label, probabilities and scores of a text (of a record, for a model of several columns). */
export function predict(example) {
  return model.predict(example);
}

/** The same, and what every word adds to the lead of the best label, or of `options.label`, over the next best one. */
export function explain(example, options) {
  return model.explain(example, options);
}

/** The labels in the order of the model. */
export const labels = Object.freeze(model.labels);

/** What the model is made of, and how it was exported. */
export const about = Object.freeze(model.about);
