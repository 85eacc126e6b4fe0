// From an example to its row: the columns that are not empty, ascending, and their values in 32 bits.
//
// Every vectorizer has width (how many columns), row(example) → {columns, values}, names(columns), and
// occurrences(example) → sequences whose terms have a column and a sign, for explanations.

import { Analyzer } from "./analyzers.mjs";
import { HALF, Hasher } from "./hashing.mjs";
import { log1p, sum } from "./numerics.mjs";
import { PatternFinder } from "./patterns.mjs";
import { codePoints } from "./unicode.mjs";
import { decoded, strings } from "./unpack.mjs";
import { weighed } from "./weighting.mjs";

const { fround } = Math;
const NUMBER = /^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$/;

/** A row out of sums by column. */
function sorted(sums) {
  const columns = [...sums.keys()].sort((a, b) => a - b);
  return { columns, values: columns.map((column) => sums.get(column)) };
}

/** Terms by their names. */
class Vocabulary {
  constructor({ terms, oov }) {
    this.terms = strings(terms);
    this.columns = new Map(this.terms.map((term, column) => [term, column]));
    this.oov = oov ? this.terms.length - 1 : -1; // the last term stands for all unknown words
    this.width = this.terms.length;
    this.complete = false;
  }

  find(term, single) {
    const column = this.columns.get(term);
    if (column !== undefined && column !== this.oov) return { column, sign: 1 };
    return single && this.oov >= 0 ? { column: this.oov, sign: 1 } : undefined;
  }

  names(columns) {
    return columns.map((column) => this.terms[column]);
  }
}

/** Terms by a hash: every term has a column, and columns have numbers for names. */
class Hashes extends Hasher {
  constructor(config) {
    super(config);
    this.width = config.columns;
    this.complete = true;
  }

  names(columns) {
    return columns.map((column) => `#${column}`);
  }
}

/** Counted, hashed and weighted terms. */
class Terms {
  constructor({ analysis, lookup, binary, weighting }, characters) {
    this.analyzer = new Analyzer(analysis, characters);
    this.lookup = lookup.terms ? new Vocabulary(lookup) : new Hashes(lookup);
    this.binary = binary;
    this.weighting = { ...weighting, scale: decoded(weighting.scale) };
    this.width = this.lookup.width;
    this.takesHalves = !this.lookup.complete || !analysis.analyzer.startsWith("char");
  }

  row(text) {
    if (!this.takesHalves && HALF.test(text)) throw new RangeError("the text has half of a character (a lone surrogate)");
    const counts = new Map();
    for (const { terms } of this.analyzer.sequences(codePoints(text))) {
      for (const { term, single } of terms) {
        const found = this.lookup.find(term, single);
        if (found) counts.set(found.column, this.binary ? 1 : (counts.get(found.column) ?? 0) + found.sign);
      }
    }
    const { columns, values } = sorted(counts);
    return { columns, values: weighed(columns, values.map(fround), this.weighting) };
  }

  names(columns) {
    return this.lookup.names(columns);
  }

  occurrences(text) {
    const { complete } = this.lookup;
    return this.analyzer.sequences(codePoints(text)).map((own) => {
      const terms = [];
      for (const term of own.terms) {
        const found = this.lookup.find(term.term, term.single);
        if (found) terms.push({ ...term, ...found, sign: this.binary ? 1 : found.sign });
      }
      return { ...own, terms, complete };
    });
  }
}

/** Rows of ln(1 + n), n or [n > 0], out of counts n; scaled to a length. */
function fromCounts(counts, { values, length }) {
  let n = counts;
  if (values === "log") n = n.map((own) => fround(log1p(own)));
  if (values === "presence") n = n.map((own) => (own > 0 ? 1 : 0));
  if (length !== null) {
    const norm = Math.sqrt(sum(n.map((own) => own * own)));
    const factor = length / Math.max(norm, 1.1754943508222875e-38);
    n = n.map((own) => fround(own * factor));
  }
  return sorted(new Map([...n.entries()].filter(([, own]) => own !== 0)));
}

/** Places of features that are no terms, as a sequence. */
function placed(found) {
  const spans = found.map(({ begin, end }) => [begin, end]);
  const terms = found.map(({ column }, i) => ({ column, sign: 1, first: i, last: i + 1 }));
  return [{ words: false, apart: false, spans, terms }];
}

class Patterns {
  constructor({ names, ...options }, characters) {
    this.columns = new Map(names.map((name, column) => [name, column]));
    this.options = options;
    this.characters = characters;
    this.width = names.length;
  }

  places(text) {
    const found = [];
    const put = (name, begin, end) => {
      const column = this.columns.get(name);
      if (column !== undefined) found.push({ column, begin, end });
    };
    new PatternFinder(this.characters, codePoints(text), put).read();
    return found;
  }

  row(text) {
    const counts = new Array(this.width).fill(0);
    for (const { column } of this.places(text)) counts[column] += 1;
    return fromCounts(counts, this.options);
  }

  names(columns) {
    const names = [...this.columns.keys()];
    return columns.map((column) => `pattern=${names[column]}`);
  }

  occurrences(text) {
    return placed(this.places(text));
  }
}

/** How many words of a text are in each of some lists. */
class Lexicons {
  constructor({ analysis, lists, ...options }, characters) {
    this.analyzer = new Analyzer(analysis, characters);
    this.lists = lists.map(({ name, words }) => ({ name, words: new Set(strings(words)) }));
    this.options = options;
    this.width = lists.length;
  }

  row(text) {
    const counts = new Array(this.width).fill(0);
    for (const { terms } of this.analyzer.sequences(codePoints(text))) {
      for (const { term } of terms) this.lists.forEach(({ words }, i) => (counts[i] += words.has(term) ? 1 : 0));
    }
    return fromCounts(counts, this.options);
  }

  names(columns) {
    return columns.map((column) => `lexicon=${this.lists[column].name}`);
  }

  occurrences() {
    return [];
  }
}

/** Rows side by side: columns of the second part come after those of the first. */
function sideBySide(parts, rows) {
  const [columns, values] = [[], []];
  let begin = 0;
  parts.forEach((part, i) => {
    for (const column of rows[i].columns) columns.push(begin + column);
    for (const value of rows[i].values) values.push(value);
    begin += part.width;
  });
  return { columns, values };
}

/** Columns as {part, column} of vectorizers side by side. */
function partOf(parts, column) {
  let number = 0;
  while (column >= parts[number].width) column -= parts[number++].width;
  return { number, column };
}

/** The occurrences of vectorizers side by side, those of part i moved by `moves[i]` in the text. */
function allOccurrences(parts, found, moves) {
  const all = [];
  let begin = 0;
  parts.forEach((part, i) => {
    for (const own of found[i]) {
      const spans = own.spans.map(([from, to]) => [from + moves[i], to + moves[i]]);
      all.push({ ...own, spans, terms: own.terms.map((term) => ({ ...term, column: begin + term.column })) });
    }
    begin += part.width;
  });
  return all;
}

class Union {
  constructor({ parts }, characters) {
    this.prefixes = parts.map(({ name }) => (name ? `${name}__` : ""));
    this.parts = parts.map(({ config }) => makeVectorizer(config, characters));
    this.width = this.parts.reduce((total, part) => total + part.width, 0);
  }

  row(text) {
    return sideBySide(this.parts, this.parts.map((part) => part.row(text)));
  }

  names(columns) {
    return columns.map((own) => {
      const { number, column } = partOf(this.parts, own);
      return this.prefixes[number] + this.parts[number].names([column])[0];
    });
  }

  occurrences(text) {
    return allOccurrences(this.parts, this.parts.map((part) => part.occurrences(text)), this.parts.map(() => 0));
  }
}

/** A column of numbers, scaled, and whether one is missing. */
class Numeric {
  constructor({ name, shift, scale, missing, range }) {
    Object.assign(this, { name, shift, scale, limits: range });
    this.width = missing ? 2 : 1;
  }

  number(value) {
    if (value === undefined || value === null || Number.isNaN(value)) return undefined;
    if (typeof value === "string") {
      const written = value.trim();
      if (written === "") return undefined;
      value = NUMBER.test(written) ? Number(written) : NaN;
    }
    value = Number(value);
    if (!Number.isFinite(value)) throw new TypeError(`the column "${this.name}" is not a number`);
    return value;
  }

  row(given) {
    const number = this.number(given);
    const scaled = number === undefined ? 0 : number / this.scale - this.shift / this.scale;
    const value = fround(Math.min(Math.max(scaled, this.limits[0]), this.limits[1]));
    const sums = new Map();
    if (value !== 0) sums.set(0, value);
    if (number === undefined && this.width === 2) sums.set(1, 1);
    return sorted(sums);
  }

  names(columns) {
    return columns.map((column) => (column ? `${this.name} missing` : this.name));
  }
}

/** A column of categories: 1 for the value that it has. */
class Category {
  constructor({ name, values }) {
    this.name = name;
    this.values = strings(values);
    this.width = this.values.length;
  }

  row(given) {
    const column = this.values.indexOf(asText(given));
    return column < 0 ? { columns: [], values: [] } : { columns: [column], values: [1] };
  }

  names(columns) {
    return columns.map((column) => `${this.name}=${this.values[column]}`);
  }
}

function asText(value) {
  return value === undefined || value === null ? "" : String(value);
}

/** Texts, numbers and categories of a record. */
class Table {
  constructor({ texts, numbers, categories }, characters) {
    this.texts = texts.map(({ name, config }) => ({ name, own: makeVectorizer(config, characters) }));
    const others = [
      ...numbers.map((own) => ({ name: own.name, own: new Numeric(own) })),
      ...categories.map((own) => ({ name: own.name, own: new Category(own) })),
    ];
    this.parts = [...this.texts.map(({ own }) => own), ...others.map(({ own }) => own)];
    this.others = others;
    this.width = this.parts.reduce((total, part) => total + part.width, 0);
  }

  row(record) {
    const rows = [
      ...this.texts.map(({ name, own }) => own.row(asText(record[name]))),
      ...this.others.map(({ name, own }) => own.row(record[name])),
    ];
    return sideBySide(this.parts, rows);
  }

  names(columns) {
    return columns.map((given) => {
      const { number, column } = partOf(this.parts, given);
      const [name] = this.parts[number].names([column]);
      return number < this.texts.length ? `${this.texts[number].name}:${name}` : name;
    });
  }

  /** The texts of a record one under the other, with the names of their columns before them. */
  shown(record) {
    let text = "";
    const begins = [];
    for (const { name } of this.texts) {
      text += `${name}: `;
      begins.push(codePoints(text).length);
      text += `${asText(record[name])}\n`;
    }
    return { text, begins };
  }

  occurrences(record) {
    const found = this.parts.map((part, i) => {
      return i < this.texts.length ? part.occurrences(asText(record[this.texts[i].name])) : [];
    });
    const { begins } = this.shown(record);
    return allOccurrences(this.parts, found, this.parts.map((_, i) => begins[i] ?? 0));
  }
}

const KINDS = { terms: Terms, patterns: Patterns, lexicons: Lexicons, union: Union, table: Table };

/** The vectorizer that a header describes. */
export function makeVectorizer(config, characters) {
  return new KINDS[config.kind](config, characters);
}
