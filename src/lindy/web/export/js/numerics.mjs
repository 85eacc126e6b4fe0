// exp, log and sums with the bits of lindy.core.numerics and of NumPy's sums: plain arithmetic in the same order.

const LN2_HIGH = 0.6931471803691238; // its last 20 bits are 0, so that n·LN2_HIGH is exact
const LN2_LOW = 1.9082149292705877e-10;
const SHIFT = 6755399441055744; // 1.5·2⁵²: what is added to it is rounded to a whole number
const SMALLEST = 2.2250738585072014e-308;
const ROOT_HALF = [0x667f3bcd, 0x3fe6a09e]; // the bits of √½

const real = new Float64Array(1);
const words = new Uint32Array(real.buffer);

const inverseFactorials = [1];
for (let k = 1, factorial = 1; k <= 13; ++k) inverseFactorials.push(1 / (factorial *= k));

/** 2ⁿ, for −1022 ≤ n ≤ 1023. */
function powerOfTwo(n) {
  words[0] = 0;
  words[1] = (n + 1023) << 20;
  return real[0];
}

/** eˣ, with x clamped to where the result is a normal number. */
function clampedExp(x) {
  x = Math.min(Math.max(x, -708), 709);
  const n = x * 1.4426950408889634 + SHIFT - SHIFT;
  const r = x - n * LN2_HIGH - n * LN2_LOW;
  let sum = inverseFactorials[13];
  for (let k = 12; k >= 0; --k) sum = sum * r + inverseFactorials[k];
  return sum * powerOfTwo(n);
}

/** eˣ; 0 where it would be below the normal numbers, ∞ beyond the largest. */
export function exp(x) {
  if (x < -708) return 0;
  return x > 709 ? Infinity : clampedExp(x);
}

/** ln x; −∞ for 0. */
export function log(x) {
  if (x === 0) return -Infinity;
  if (x === Infinity) return x;
  if (!(x > 0)) return NaN;
  if (x < SMALLEST) return log(x * 18014398509481984) - 37.42994775023705; // 2⁵⁴ and its logarithm
  // x = 2ᵉ·m with m in [√½, √2): subtract the bits of √½, whose exponent then counts the doublings
  real[0] = x;
  const borrow = words[0] < ROOT_HALF[0] ? 1 : 0;
  const low = (words[0] - ROOT_HALF[0]) >>> 0;
  const high = (words[1] - ROOT_HALF[1] - borrow) | 0;
  const n = high >> 20;
  const fraction = low + ROOT_HALF[0];
  words[0] = fraction >>> 0;
  words[1] = (high & 0xfffff) + ROOT_HALF[1] + (fraction > 0xffffffff ? 1 : 0);
  const m = real[0];
  const s = (m - 1) / (m + 1); // log m = 2·atanh s
  const square = s * s;
  let sum = 0;
  for (let k = 12; k >= 1; --k) sum = (sum + 2 / (2 * k + 1)) * square;
  return n * LN2_HIGH + (s * sum + s * 2 + n * LN2_LOW);
}

/** ln(1 + x), accurate for small x ≥ 0. */
export function log1p(x) {
  const u = 1 + x;
  return log(u) - (u - 1 - x) / u;
}

/** ln(1 + eˣ). */
export function softplus(x) {
  const t = clampedExp(x > 0 ? -x : x);
  const u = t + 1;
  return (x > 0 ? x : 0) + (log(u) + (t - (u - 1)) / u);
}

/** 1 / (1 + e⁻ˣ). */
export function sigmoid(x) {
  const t = clampedExp(x > 0 ? -x : x);
  return (x > 0 ? 1 : t) / (t + 1);
}

/** The sum of numbers, in the order in which NumPy adds those of a row. */
export function sum(numbers, begin = 0, end = numbers.length) {
  const n = end - begin;
  if (n < 8) {
    let total = 0;
    for (let i = begin; i < end; ++i) total += numbers[i];
    return total;
  }
  if (n > 128) {
    const middle = begin + (n >> 1) - ((n >> 1) % 8);
    return sum(numbers, begin, middle) + sum(numbers, middle, end);
  }
  const r = numbers.slice(begin, begin + 8);
  let i = begin + 8;
  for (; i < end - (n % 8); i += 8) for (let j = 0; j < 8; ++j) r[j] += numbers[i + j];
  let total = r[0] + r[1] + (r[2] + r[3]) + (r[4] + r[5] + (r[6] + r[7]));
  for (; i < end; ++i) total += numbers[i];
  return total;
}

/** The place of the largest number; of equal ones the first. */
export function argmax(numbers) {
  let best = 0;
  for (let k = 1; k < numbers.length; ++k) if (numbers[k] > numbers[best]) best = k;
  return best;
}

/** The largest number. */
export function largest(numbers) {
  return numbers[argmax(numbers)];
}

/** eˣ / Σ eˣ. */
export function softmax(x) {
  const top = largest(x);
  const e = x.map((own) => exp(own - top));
  const total = sum(e);
  return e.map((own) => own / total);
}

/** ln Σ eˣ; −∞ where all terms are. */
export function logSumExp(x) {
  const best = largest(x);
  const top = Number.isFinite(best) ? best : 0;
  return top + log(sum(x.map((own) => exp(own - top))));
}
