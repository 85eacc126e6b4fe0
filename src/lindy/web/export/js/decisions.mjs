// From scores to probabilities that come true, and to a label or several: lindy.evaluation.calibration and decisions.

import { argmax, exp, largest, sigmoid, sum } from "./numerics.mjs";

const HUGE = 1e100; // in the place of ±∞ where a score is used
const UNMOVED = 1e9; // in the place of scores that no offset can move
const LOWEST_EXPONENT = -708; // where eˣ leaves the normal numbers

/** The sum in the order of the classes, as the core's calibrators take it. */
function sumInOrder(values) {
  return values.reduce((total, own) => total + own, 0);
}

/** eˣ as shares of their sum. */
function softmax(x) {
  const top = largest(x);
  const e = x.map((own) => (own - top < LOWEST_EXPONENT ? 0 : exp(own - top)));
  const total = sumInOrder(e);
  return e.map((own) => own / total);
}

function clipped(x, most) {
  return Math.min(Math.max(x, -most), most);
}

/** One score per class, with mean 0; 0 and s for two classes, whose margin is s. */
function logits(scores) {
  const s = scores.map((own) => clipped(own, HUGE));
  if (s.length === 1) return [0, s[0]];
  const mean = sumInOrder(s) / s.length;
  return s.map((own) => own - mean);
}

/** By how much each class leads the best other one; the margin itself for two classes. */
function leads(scores) {
  const s = scores.map((own) => clipped(own, HUGE));
  if (s.length === 1) return s;
  const [first, second] = [...s].sort((a, b) => b - a);
  return s.map((own) => own - (own === first ? second : first));
}

/** Probabilities that sum to 1: p and 1 − p, or shares of the sum. */
function oneVsRest(p) {
  if (p.length === 1) return [1 - p[0], p[0]];
  const total = sumInOrder(p);
  return p.map((own) => (total > 0 ? own / total : 1 / p.length));
}

/** The height of a curve that is linear between its knots, as np.interp has it. */
function interpolated(x, knots, heights) {
  const last = knots.length - 1;
  if (x >= knots[last]) return heights[last];
  if (x < knots[0]) return heights[0];
  let [low, high] = [0, last];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (x >= knots[middle]) low = middle;
    else high = middle;
  }
  if (x === knots[low]) return heights[low];
  const slope = (heights[low + 1] - heights[low]) / (knots[low + 1] - knots[low]);
  return slope * (x - knots[low]) + heights[low];
}

const CALIBRATIONS = {
  sigmoid: ({ slope, shift }, s) => oneVsRest(leads(s).map((own, k) => sigmoid(own * slope[k] + shift[k]))),
  temperature: ({ temperature }, s) => softmax(logits(s).map((own) => own / temperature[0])),
  vector: ({ slope, shift }, s) => softmax(logits(s).map((own, k) => own * slope[k] + shift[k])),
  isotonic: ({ starts, knots, heights }, s) => {
    const cut = (array, k) => array.subarray(starts[k], starts[k + 1]);
    return oneVsRest(leads(s).map((own, k) => interpolated(own, cut(knots, k), cut(heights, k))));
  },
  "per-label": ({ slope, shift }, s) => s.map((own, k) => sigmoid(slope[k] * clipped(own, HUGE) + shift[k])),
};

/** The class of the highest score after an offset for each class has been added. */
function byOffsets(offsets, decision) {
  const s = decision.map((own) => clipped(own, UNMOVED));
  const values = s.length === 1 ? [-s[0] / 2, s[0] / 2] : s;
  return argmax(values.map((own, k) => own + offsets[k]));
}

/** The most probable class; of two equal ones, that of the higher score. */
function mostProbable(p, decision) {
  return decision.length === 1 && p[0] === p[1] ? Number(decision[0] >= 0) : argmax(p);
}

/** The class of least expected cost. */
function cheapest(p, cost) {
  const expected = cost.map((own) => sum(own.map((each, y) => p[y] * each)));
  return argmax(expected.map((own) => -own));
}

/** From the answer of a learner to probabilities, the best class, and what is given. */
export class Decision {
  constructor({ calibration, several, offsets, cost, thresholds }) {
    Object.assign(this, { calibration, several, offsets, cost, thresholds });
  }

  /** Whether a class is sure enough for who has asked for that. */
  accepts(k, p) {
    return !this.thresholds || p[k] >= this.thresholds[k];
  }

  /** All labels whose probability, or score, reaches their threshold, the surest first, and not too many or too few. */
  decideSeveral({ decision }) {
    const p = this.calibration ? CALIBRATIONS[this.calibration.method](this.calibration, decision) : null;
    const values = p ?? decision;
    const { thresholds, atLeastOne, atMost } = this.several;
    const reached = values.map((_, k) => k).filter((k) => values[k] >= thresholds[k]);
    reached.sort((a, b) => values[b] - values[a]);
    const best = reached[0] ?? argmax(values);
    const given = reached.filter((k) => this.accepts(k, p)).slice(0, atMost ?? undefined);
    if (atLeastOne && given.length === 0) given.push(best);
    return { best, given, probabilities: p, scores: decision };
  }

  /** Of what a learner answers: {best, given, probabilities, scores}; given is a class, null or a list of several. */
  decide({ decision, label, probabilities: own }) {
    if (this.several) return this.decideSeveral({ decision });
    let [best, p] = [label, own];
    if (this.calibration) {
      p = CALIBRATIONS[this.calibration.method](this.calibration, decision);
      best = mostProbable(p, decision);
    } else if (own) {
      const top = argmax(own);
      best = own.filter((each) => each === own[top]).length > 1 ? label : top;
    }
    if (this.offsets) best = byOffsets(this.offsets, decision);
    if (this.cost) best = cheapest(p, this.cost);
    const scores = decision.length === 1 ? [-decision[0], decision[0]] : decision;
    return { best, given: this.accepts(best, p) ? best : null, probabilities: p, scores };
  }
}
