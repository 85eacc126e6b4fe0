// The scores of a row, X·W + b, added in the order of the core and in the precision of the weights.

import { decoded } from "./unpack.mjs";

const { fround } = Math;

/** Weights with a row for every column: in 32 bits every product and every sum is rounded to them. */
class Dense {
  constructor({ weights, bias }) {
    this.weights = decoded(weights);
    this.bias = bias;
    this.rounded = this.weights instanceof Float32Array ? fround : (x) => x;
  }

  of(column) {
    const n = this.bias.length;
    return Array.from(this.weights.subarray(column * n, (column + 1) * n));
  }

  /** One column of weights: four partial sums. */
  dot({ columns, values }) {
    const { weights, rounded } = this;
    const sums = [0, 0, 0, 0];
    for (let k = 0; k < columns.length; ++k) {
      sums[k & 3] = rounded(sums[k & 3] + rounded(rounded(values[k]) * weights[columns[k]]));
    }
    const total = rounded(rounded(sums[0] + sums[1]) + rounded(sums[2] + sums[3]));
    return [rounded(total + this.bias[0])];
  }

  scores(row) {
    const { weights, bias, rounded } = this;
    const n = bias.length;
    if (n === 1) return this.dot(row);
    const scores = new Array(n).fill(0);
    for (let k = 0; k < row.columns.length; ++k) {
      const [begin, value] = [row.columns[k] * n, rounded(row.values[k])];
      for (let c = 0; c < n; ++c) scores[c] = rounded(scores[c] + rounded(value * weights[begin + c]));
    }
    return scores.map((score, c) => rounded(score + bias[c]));
  }
}

/** Weights of which many rows are the same, or none: added in 64 bits, and rounded at the end if they are of 32. */
class Shared {
  constructor({ rows, rowOf, features, bias, single }) {
    this.rows = decoded(rows);
    this.bias = bias;
    this.rounded = single ? fround : (x) => x;
    if (features) this.places = new Map(Array.from(features, (feature, place) => [feature, place]));
    else this.rowOf = rowOf;
  }

  /** Where the weights of a column begin; −1 if it has none. */
  begin(column) {
    const row = this.places ? (this.places.get(column) ?? -1) : this.rowOf[column];
    return row < 0 ? -1 : row * this.bias.length;
  }

  of(column) {
    const [n, begin] = [this.bias.length, this.begin(column)];
    return begin < 0 ? new Array(n).fill(0) : Array.from(this.rows.subarray(begin, begin + n));
  }

  scores({ columns, values }) {
    const n = this.bias.length;
    const scores = new Array(n).fill(0);
    for (let k = 0; k < columns.length; ++k) {
      const begin = this.begin(columns[k]);
      if (begin < 0 || values[k] === 0) continue;
      for (let c = 0; c < n; ++c) scores[c] += values[k] * this.rows[begin + c];
    }
    return scores.map((score, c) => this.rounded(score + this.bias[c]));
  }
}

/** The weights that a header describes. */
export function makeWeights(config) {
  return config.rows ? new Shared(config) : new Dense(config);
}

/** What each value of a row adds to each score. */
export function contributions(weights, { columns, values }) {
  return columns.map((column, k) => weights.of(column).map((w) => (values[k] === 0 ? 0 : values[k] * w)));
}
