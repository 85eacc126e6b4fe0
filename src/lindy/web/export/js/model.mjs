// A model: predict and explain.

import { Decision } from "./decisions.mjs";
import { explained, runnerUp } from "./explain.mjs";
import { makeLearner } from "./learners.mjs";
import { Characters } from "./unicode.mjs";
import { unpack } from "./unpack.mjs";
import { makeVectorizer } from "./vectorizers.mjs";

/** What a value is, for messages. */
function typeName(value) {
  return value === null ? "null" : Array.isArray(value) ? "an array" : `a value of type ${typeof value}`;
}

export class Model {
  constructor(header) {
    this.labels = header.labels; // the classes as they are, and as text
    this.names = header.names;
    this.about = header.about;
    this.examples = header.examples ?? []; // texts or records to try, on a page
    this.inputs = header.inputs; // the columns of a record; null for a model of texts
    this.characters = new Characters(header.characters);
    this.vectorizer = makeVectorizer(header.vectorizer, this.characters);
    this.learner = makeLearner({ ...header.learner, classes: this.labels.length });
    this.decision = new Decision(header.decision);
  }

  /** The model that a module or a page has in it. */
  static async from(base64) {
    return new Model(await unpack(base64));
  }

  check(example) {
    const isText = typeof example === "string";
    const isRecord = typeof example === "object" && example !== null && !Array.isArray(example);
    if (this.inputs ? isRecord : isText) return;
    const expected = this.inputs ? `a record with the columns ${this.inputs.map((own) => own.name).join(", ")}` : "a text";
    throw new TypeError(`the model takes ${expected}, and got ${typeName(example)}`);
  }

  byLabel(values) {
    return Object.fromEntries(this.names.map((name, k) => [name, values[k]]));
  }

  /** The row of an example: its columns that are not empty and their values. */
  row(example) {
    this.check(example);
    return this.vectorizer.row(example);
  }

  decided(row) {
    const { best, given, probabilities, scores } = this.decision.decide(this.learner.answer(row));
    const isList = Array.isArray(given);
    return {
      best,
      // the fields of lindy.evaluation.predictions
      answer: {
        label: isList ? given.map((k) => this.labels[k]) : given === null ? null : this.labels[best],
        probability: probabilities && probabilities[best],
        probabilities: probabilities && this.byLabel(probabilities),
        rejected: isList ? given.length === 0 : given === null,
        known: row.columns.length,
        best: this.labels[best],
        scores: this.byLabel(scores),
      },
    };
  }

  /** The label, probabilities and scores of a text or record. */
  predict(example) {
    return this.decided(this.row(example)).answer;
  }

  /** The number of a label, or of the best one if none is asked for. */
  number(label, best) {
    if (label === undefined) return best;
    const k = this.labels.indexOf(label);
    if (k < 0) throw new RangeError(`the model has no label ${JSON.stringify(label)}`);
    return k;
  }

  /** The same, and what every word adds for a label: the best one, or another. */
  explain(example, { label } = {}) {
    const whole = this.row(example);
    const { best, answer } = this.decided(whole);
    const stored = whole.columns.map((_, k) => k).filter((k) => whole.values[k] !== 0);
    const row = { columns: stored.map((k) => whole.columns[k]), values: stored.map((k) => whole.values[k]) };
    const added = this.learner.contributions(row);
    const classes = this.labels.length;
    const explaining = this.number(label, best);
    const other = explaining === best ? runnerUp(best, added, classes) : best;
    const against = this.decision.several ? null : other; // several labels do not compete
    const string = this.inputs ? this.vectorizer.shown(example).text : example;
    const found = this.vectorizer.occurrences(example);
    const what = { ...row, names: this.vectorizer.names(row.columns), found };
    return {
      ...answer,
      explained: this.labels[explaining],
      against: against === null ? null : this.labels[against],
      ...explained(string, what, added, [explaining, against], classes, this.characters),
    };
  }
}
