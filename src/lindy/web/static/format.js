// Numbers as they are read.

const whole = new Intl.NumberFormat("en");

export const count = (n) => whole.format(Math.round(n));

export const plural = (n, one, many = `${one}s`) => `${count(n)} ${Math.round(n) === 1 ? one : many}`;

/** A share as a percentage; what is nearly all or nearly nothing is not rounded to it. */
export function percent(p, digits = 0) {
  if (p === null || !Number.isFinite(p)) return "–";
  const shown = (100 * p).toFixed(digits);
  if (p < 1 && Number(shown) === 100) return `>${(100 - 10 ** -digits).toFixed(digits)}\u00a0%`;
  if (p > 0 && Number(shown) === 0) return `<${(10 ** -digits).toFixed(digits)}\u00a0%`;
  return `${shown}\u00a0%`;
}

export const decimal = (x, digits = 3) => (x === null || !Number.isFinite(x) ? "–" : x.toFixed(digits));

export const signed = (x, digits = 2) => `${x < 0 ? "−" : "+"}${Math.abs(x).toFixed(digits)}`;

export function bytes(n) {
  const units = ["bytes", "kB", "MB", "GB"];
  const unit = Math.min(3, Math.floor(Math.log10(Math.max(n, 1)) / 3));
  return `${unit ? (n / 1000 ** unit).toFixed(1) : count(n)} ${units[unit]}`;
}

/** Wilson's interval of a share: `right` of `n`, 19 times out of 20. */
export function wilson(right, n) {
  if (n === 0) return [0, 1];
  const z = 1.959964;
  const p = right / n;
  const middle = (p + (z * z) / (2 * n)) / (1 + (z * z) / n);
  const half = (z / (1 + (z * z) / n)) * Math.sqrt((p * (1 - p)) / n + (z * z) / (4 * n * n));
  return [Math.max(0, middle - half), Math.min(1, middle + half)];
}
