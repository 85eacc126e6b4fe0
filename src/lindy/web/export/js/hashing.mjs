// Terms to columns by a hash alone: scikit-learn's MurmurHash3, or one with a key.

import { codePoints } from "./unicode.mjs";

export const HALF = /\p{Surrogate}/u;
const BITS = 0xffffffffffffffffn;

function rotated(x, by) {
  return (x << by) | (x >>> (32 - by));
}

/** MurmurHash3 (x86, 32 bits, seed 0) by Austin Appleby, which he placed in the public domain; as a signed number. */
export function murmur3(bytes) {
  const whole = bytes.length & ~3;
  let h = 0;
  for (let i = 0; i < whole; i += 4) {
    const k = bytes[i] | (bytes[i + 1] << 8) | (bytes[i + 2] << 16) | (bytes[i + 3] << 24);
    h ^= Math.imul(rotated(Math.imul(k, 0xcc9e2d51), 15), 0x1b873593);
    h = (Math.imul(rotated(h, 13), 5) + 0xe6546b64) | 0;
  }
  let rest = 0;
  for (let i = bytes.length - 1; i >= whole; --i) rest = (rest << 8) | bytes[i];
  h ^= Math.imul(rotated(Math.imul(rest, 0xcc9e2d51), 15), 0x1b873593);
  h ^= bytes.length;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return h ^ (h >>> 16);
}

/** Both halves of a product of 64 bits, one over the other. */
function folded(x, y) {
  const product = x * y;
  return (product & BITS) ^ (product >> 64n);
}

/** Up to eight bytes as a number. */
function number(bytes, begin, end) {
  let value = 0n;
  for (let i = Math.min(end, bytes.length) - 1; i >= begin; --i) value = (value << 8n) | BigInt(bytes[i]);
  return value;
}

/** The hash of the core (native/core/dictionary.hpp) with a key of three numbers. */
function keyedHash(bytes, [a, b, c]) {
  let low = number(bytes, 0, 8);
  let high = number(bytes, 8, 16) | (BigInt(bytes.length) << 56n);
  if (bytes.length > 15) {
    let state = c ^ BigInt(bytes.length);
    let at = 0;
    for (; bytes.length - at > 16; at += 16) {
      state = folded(number(bytes, at, at + 8) ^ a ^ state, number(bytes, at + 8, at + 16) ^ b);
    }
    low = folded(number(bytes, at, at + 8) ^ a ^ state, number(bytes, at + 8, at + 16) ^ b);
    high = (0xffn << 56n) | BigInt(bytes.length);
  }
  return folded(low ^ a, high ^ b);
}

/** UTF-8 in which halves of characters are written like others; TextEncoder would replace them. */
function utf8(string) {
  const bytes = [];
  const put = (c, lead, n) => {
    bytes.push(lead | (c >> (6 * n)));
    for (let k = n - 1; k >= 0; --k) bytes.push(0x80 | ((c >> (6 * k)) & 0x3f));
  };
  for (const c of codePoints(string)) {
    if (c < 0x80) bytes.push(c);
    else if (c < 0x800) put(c, 0xc0, 1);
    else put(c, c < 0x10000 ? 0xe0 : 0xf0, c < 0x10000 ? 2 : 3);
  }
  return bytes;
}

/** Finds the column and the sign of terms. */
export class Hasher {
  constructor({ columns, signs, key }) {
    this.columns = columns;
    this.signs = signs;
    this.key = key && key.map((own) => BigInt(own));
    this.encoder = new TextEncoder();
  }

  find(term) {
    const bytes = HALF.test(term) ? utf8(term) : this.encoder.encode(term);
    if (this.key) {
      const hash = keyedHash(bytes, this.key);
      return { column: Number(((hash >> 32n) * BigInt(this.columns)) >> 32n), sign: this.signs && hash & 1n ? -1 : 1 };
    }
    const hash = murmur3(bytes);
    return { column: Math.abs(hash) % this.columns, sign: this.signs && hash < 0 ? -1 : 1 };
  }
}
