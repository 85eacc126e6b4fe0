// Weights of counted terms in 32 bits, every step rounded as the core rounds it.

import { log } from "./numerics.mjs";

const { fround, abs, max, min, sqrt } = Math;
const LARGEST_32 = 3.4028234663852886e38;
const SMALLEST_32 = 1.1754943508222875e-38;
const MEASURES = {
  l1: (size, v) => size + abs(v),
  l2: (size, v) => size + fround(v * v),
  max: (size, v) => max(size, abs(v)),
};

/** The nearest number of 32 bits, the largest finite one where that would overflow. */
function finite(v) {
  return fround(min(max(v, -LARGEST_32), LARGEST_32));
}

/** v / ‖v‖; a row of zeros stays as it is. */
export function divided(values, norm) {
  const measured = (v) => v.reduce(MEASURES[norm], 0);
  let size = measured(values);
  if (!(size >= (norm === "l2" ? SMALLEST_32 : Number.MIN_VALUE) && size <= Number.MAX_VALUE)) {
    // the sum left the range of the numbers, or the row is zero: measure it in units of its largest value
    const top = values.reduce(MEASURES.max, 0);
    if (top === 0) return values;
    values = values.map((v) => fround(v / top));
    size = measured(values);
  }
  const length = norm === "l2" ? sqrt(size) : size;
  return values.map((v) => fround(v / length));
}

/** What becomes of a count: a function of it for each row of counts, by the numbers that the weighting has. */
const TERMS = {
  counts: () => (tf) => tf,
  sublinear: () => (tf) => (tf === 0 ? 0 : fround(1 + log(tf))),
  bm25: saturating,
};

/** What BM25 makes of the counts of a row of such a length. */
function saturating(counts, { k1, b, average }) {
  const length = counts.reduce((total, tf) => total + tf, 0);
  const saturation = k1 * (1 - b + b * min(length / average, Number.MAX_VALUE));
  return (tf) => (tf > 0 ? (k1 + 1) / (1 + saturation / tf) : 0);
}

/** The weights of a row of counts: term(tf) · scale[column], divided by the norm. */
export function weighed(columns, counts, { kind, scale, norm, ...options }) {
  const term = TERMS[kind](counts, options);
  const values = counts.map((tf, i) => finite(scale ? term(tf) * scale[columns[i]] : term(tf)));
  return norm ? divided(values, norm) : values;
}
