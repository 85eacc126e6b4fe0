// What the learners make of a row: scores, probabilities of their own, and what each column adds.
//
// Every learner has answer(row) → {decision, label, probabilities}: what decision_function gives (one number for two
// classes), the number of the class that predict would take, and P(y | x) or null; and contributions(row) → {added, bias}.

import { argmax, exp, largest, logSumExp, softmax, softplus, sum } from "./numerics.mjs";
import { contributions, makeWeights } from "./scores.mjs";

const LARGE = 1e6; // in a number beyond that, log Σ would get lost

/** Scores as sums of weights: perceptron, MIRA, SVM. */
class Linear {
  constructor(config) {
    this.weights = makeWeights(config);
    this.classes = config.classes;
  }

  answer(row) {
    const decision = this.weights.scores(row);
    const best = decision.length === 1 ? Number(decision[0] >= 0) : argmax(decision);
    return { decision, label: Math.min(best, this.classes - 1), probabilities: this.probabilities(decision) };
  }

  probabilities() {
    return null;
  }

  contributions(row) {
    return { added: contributions(this.weights, row), bias: Array.from(this.weights.bias) };
  }
}

class MaxEnt extends Linear {
  constructor(config) {
    super(config);
    this.oneVsRest = config.oneVsRest;
  }

  probabilities(decision) {
    if (decision.length === 1) return [decision[0], -decision[0]].map((s) => exp(-softplus(s)));
    let scores = this.oneVsRest ? decision.map((s) => -softplus(-s)) : decision;
    const top = largest(scores);
    if (Math.abs(top) > LARGE) scores = scores.map((s) => s - top);
    const total = logSumExp(scores);
    return scores.map((s) => exp(s - total));
  }
}

/** (1 + score) / 2 cut to [0, 1], made to sum to 1. */
class LeastSquares extends Linear {
  probabilities(decision) {
    const columns = (decision.length === 1 ? [-decision[0], decision[0]] : decision).slice(0, this.classes);
    let shares = columns.map((s) => Math.min(Math.max((1 + s) / 2, 0), 1));
    if (shares.every((share) => share === 0)) shares = shares.map(() => 1);
    const total = sum(shares);
    return shares.map((share) => share / total);
  }
}

/** Naive Bayes: scores are log P(x, y). Where no class could have produced the row, the prior decides. */
class Joint {
  constructor(config) {
    this.weights = makeWeights(config);
    this.prior = Array.from(config.prior);
    this.slope = config.slope && Array.from(config.slope);
  }

  joint(row) {
    return this.weights.scores(row);
  }

  /** What the words add; the length of the text, whose slope is in every weight, belongs to the bias. */
  jointAddends(row) {
    const added = contributions(this.weights, row);
    const bias = Array.from(this.weights.bias);
    if (!this.slope) return { added, bias };
    const length = sum(row.values);
    return {
      added: added.map((own, k) => own.map((each, c) => each - row.values[k] * this.slope[c])),
      bias: bias.map((own, c) => own + length * this.slope[c]),
    };
  }

  answer(row) {
    let joint = this.joint(row);
    if (largest(joint) === -Infinity) joint = this.prior;
    const decision = joint.length === 2 ? [joint[1] - joint[0]] : joint;
    return { decision, label: argmax(joint), probabilities: softmax(joint) };
  }

  contributions(row) {
    const { added, bias } = this.jointAddends(row);
    const impossible = bias.every((own, c) => added.reduce((total, each) => total + each[c], own) === -Infinity);
    return impossible ? { added: added.map((own) => own.map(() => 0)), bias: this.prior } : { added, bias };
  }
}

/** A row is the set of columns that are present; contradictions count probabilities of 0 and 1. */
class Bernoulli extends Joint {
  constructor(config) {
    super(config);
    this.above = config.above;
    this.contradictions = config.contradictions && makeWeights(config.contradictions);
  }

  present({ columns, values }) {
    const kept = columns.filter((_, k) => values[k] > this.above);
    return { columns: kept, values: kept.map(() => 1) };
  }

  joint(row) {
    const present = this.present(row);
    const joint = this.weights.scores(present);
    if (!this.contradictions) return joint;
    const against = this.contradictions.scores(present);
    return joint.map((score, c) => (against[c] > 0.5 ? -Infinity : score));
  }

  jointAddends({ columns, values }) {
    const zeros = this.prior.map(() => 0);
    const here = (weights, k) => (values[k] > this.above ? weights.of(columns[k]) : zeros);
    let added = columns.map((_, k) => here(this.weights, k));
    let bias = Array.from(this.weights.bias);
    if (this.contradictions) {
      const against = columns.map((_, k) => here(this.contradictions, k));
      added = added.map((own, k) => own.map((each, c) => (against[k][c] > 0.5 ? -Infinity : each)));
      const always = Array.from(this.contradictions.bias);
      bias = bias.map((own, c) => {
        const lacking = against.reduce((total, each) => total + Math.min(each[c], 0), always[c]);
        return lacking > 0.5 ? -Infinity : own;
      });
    }
    return { added, bias };
  }
}

/** Shares of votes; without votes, the shares of the training rows. */
class Votes {
  constructor(config) {
    this.weights = config.bias && makeWeights(config);
    this.counts = Array.from(config.counts);
  }

  probabilities(row) {
    let votes = this.weights ? this.weights.scores(row).map((vote) => Math.max(vote, 0)) : [0];
    const top = largest(votes);
    const most = largest(this.counts);
    votes = top > 0 ? votes.map((vote) => vote / top) : this.counts.map((count) => count / most);
    const total = sum(votes);
    return votes.map((vote) => vote / total);
  }

  answer(row) {
    const p = this.probabilities(row);
    return { decision: p.length === 2 ? [p[1] - p[0]] : p, label: argmax(p), probabilities: p };
  }

  contributions(row) {
    const counts = this.counts;
    const all = sum(counts);
    const none = { added: row.columns.map(() => counts.map(() => 0)), bias: counts.map((count) => count / all) };
    if (!this.weights) return none;
    const votes = contributions(this.weights, row);
    const positive = counts.map((_, c) => votes.reduce((total, own) => total + own[c], 0) > 0);
    const added = votes.map((own) => own.map((vote, c) => (positive[c] ? vote : 0)));
    const total = added.reduce((sofar, own) => sofar + sum(own), 0);
    if (total <= 0) return none;
    return { added: added.map((own) => own.map((vote) => vote / total)), bias: counts.map(() => 0) };
  }
}

/** The most frequent label, whatever the row. */
class Majority {
  constructor({ counts }) {
    const total = sum(Array.from(counts));
    this.shares = Array.from(counts, (count) => count / total);
  }

  answer() {
    const p = this.shares;
    return { decision: p.length === 2 ? [p[1] - p[0]] : p, label: argmax(p), probabilities: p };
  }

  contributions(row) {
    const bias = this.answer().decision;
    return { added: row.columns.map(() => bias.map(() => 0)), bias };
  }
}

const KINDS_OF_LEARNERS = {
  linear: Linear, maxent: MaxEnt, "least-squares": LeastSquares, joint: Joint, bernoulli: Bernoulli, votes: Votes,
  majority: Majority,
};

/** The learner that a header describes. */
export function makeLearner(config) {
  return new KINDS_OF_LEARNERS[config.kind](config);
}
