// From a text to its terms, with the place of each: what lindy.text.analysis.analyzer makes of it.
//
// A sequence is units of a text, words or characters, and terms that cover some that follow one another:
//   spans    where each unit is in the text, in code points
//   words    whether units are words; apart: whether they stand apart like words, though they are characters
//   terms    {term, first, last, single}: units first … last − 1; single: one word, which may be unknown

import { Merges } from "./subwords.mjs";
import { Spelt } from "./unicode.mjs";
import { strings } from "./unpack.mjs";

const LONGEST_IN_RUN = 3;
const LONGEST_SHAPE = 12;
const TOKEN = "(?<run>s[smj]*)|w[wmj]*|[yx][mx]*(?:j[yx][mx]*)*|rr?m*";

/** A token of folded text: from character begin to end, a run of a script without spaces or not, after so many runs. */
function token(begin, end, isRun = false, after = 0) {
  return { begin, end, isRun, after };
}

/** Words of letters, digits and underscores, and single marks if they are wanted. */
function plainTokens(characters, points, { marks, least }) {
  const found = [];
  for (let i = 0; i < points.length; ) {
    let end = i;
    while (end < points.length && characters.isWord(points[end])) ++end;
    if (end > i) {
      if (end - i >= least) found.push(token(i, end));
      i = end;
    } else {
      if (marks && !characters.isSpace(points[i])) found.push(token(i, i + 1));
      ++i;
    }
  }
  return found;
}

/** Words of all scripts, symbols, and the runs of scripts without spaces. */
function unicodeTokens(characters, points, { marks, least }) {
  let parts = "";
  for (const c of points) parts += characters.part(c);
  const found = [];
  let runs = 0;
  for (const match of parts.matchAll(new RegExp(marks ? `${TOKEN}|p` : TOKEN, "g"))) {
    const [begin, size] = [match.index, match[0].length];
    if (size < least && match[0][0] === "w") continue;
    const isRun = match.groups.run !== undefined;
    found.push(token(begin, begin + size, isRun, runs));
    runs += isRun ? 1 : 0;
  }
  return found;
}

/** Sequences of min to max units within [begin, end), as put(first, n). */
function ngrams(begin, end, min, max, put) {
  for (let n = min; n <= Math.min(max, end - begin); ++n) for (let i = begin; i + n <= end; ++i) put(i, n);
}

/** Where a stretch of folded characters came from. */
function origin(places, { begin, end }) {
  return [places[begin], places[end - 1] + 1];
}

/** Pieces of one character of the text, such as İ in lower case, are one unit. */
function unitsOf(spans, terms) {
  if (spans.every(([begin], i) => i === 0 || begin >= spans[i - 1][1])) return { spans, terms };
  const units = [];
  const unit = spans.map(([begin, end]) => {
    const last = units.at(-1);
    if (last !== undefined && begin < last[1]) last[1] = Math.max(last[1], end);
    else units.push([begin, end]);
    return units.length - 1;
  });
  return { spans: units, terms: terms.map((own) => ({ ...own, first: unit[own.first], last: unit[own.last - 1] + 1 })) };
}

/** Characters as units of their own. */
function characterSpans(n) {
  return Array.from({ length: n }, (_, i) => [i, i + 1]);
}

/** Makes the sequences of texts. */
export class Analyzer {
  constructor(config, characters) {
    Object.assign(this, config);
    this.characters = characters;
    this.stopWords = new Set(config.stopWords);
    this.tokens = ["unicode_words", "bpe"].includes(config.analyzer) ? unicodeTokens : plainTokens;
    this.merges = config.merges ? new Merges(strings(config.merges)) : undefined;
  }

  /** The sequences of a text, given as code points. */
  sequences(text) {
    const { points, places } = this.characters.fold(text, this.folding);
    if (this.analyzer === "char") return [this.ofCharacters(points, places, text.length)];
    if (this.analyzer === "char_wb") return [this.ofCharactersInWords(points, places, text.length)];
    const spelt = new Spelt(points);
    const tokens = this.tokens(this.characters, points, this);
    if (this.merges) return [this.ofWords(this.pieces(tokens, spelt), spelt, places)];
    const found = [this.ofWords(tokens, spelt, places)];
    if (this.analyzer === "unicode_words" && this.min === 1) found.push(this.ofRuns(tokens, spelt, places));
    if (this.shapes) found.push(this.ofShapes(text));
    return found;
  }

  ofWords(tokens, spelt, places) {
    const kept = [];
    for (const own of tokens) {
      const word = own.isRun ? "" : (own.piece ?? spelt.slice(own.begin, own.end));
      if (!own.isRun && !this.stopWords.has(word)) kept.push({ ...own, word });
    }
    const terms = [];
    const put = (i, n) => {
      let term = kept[i].word;
      for (let k = i + 1; k < i + n; ++k) term += ` ${kept[k].word}`;
      terms.push({ term, first: i, last: i + n, single: n === 1 });
    };
    for (let begin = 0, end; begin < kept.length; begin = end) {
      end = begin + 1;
      while (end < kept.length && kept[end].after === kept[begin].after) ++end;
      ngrams(begin, end, this.min, this.max, put);
    }
    return { words: true, apart: false, ...unitsOf(kept.map((own) => origin(places, own)), terms) };
  }

  /** The pieces of words and runs, as tokens. */
  pieces(tokens, spelt) {
    return tokens.flatMap(({ begin, end }) => {
      const characters = Array.from({ length: end - begin }, (_, i) => spelt.slice(begin + i, begin + i + 1));
      return this.merges.cut(characters).map(({ piece, length }) => {
        begin += length;
        return { ...token(begin - length, begin), piece };
      });
    });
  }

  /** Character n-grams of runs in the place of words; stop words are left out. */
  ofRuns(tokens, spelt, places) {
    const terms = [];
    const units = [];
    for (const { begin, end } of tokens.filter((own) => own.isRun)) {
      const unit = [];
      for (let i = begin; i < end; ++i) {
        if (units.at(-1) !== places[i]) units.push(places[i]);
        unit.push(units.length - 1);
      }
      ngrams(0, end - begin, 1, LONGEST_IN_RUN, (i, n) => {
        const term = spelt.slice(begin + i, begin + i + n);
        if (!this.stopWords.has(term)) terms.push({ term, first: unit[i], last: unit[i + n - 1] + 1, single: false });
      });
    }
    return { words: false, apart: true, spans: units.map((place) => [place, place + 1]), terms };
  }

  /** The shapes of words as they are written: McDonald is <XxXx>. */
  ofShapes(text) {
    const spans = [];
    const terms = [];
    for (const { begin, end, isRun } of this.tokens(this.characters, text, this)) {
      if (isRun || !this.characters.isWord(text[begin])) continue;
      let shape = "";
      for (let i = begin; i < end && shape.length < LONGEST_SHAPE; ++i) {
        const letter = this.characters.shape(text[i]);
        if (letter !== shape.at(-1)) shape += letter;
      }
      terms.push({ term: `<${shape}>`, first: spans.length, last: spans.length + 1, single: false });
      spans.push([begin, end]);
    }
    return { words: false, apart: false, spans, terms };
  }

  /** Two or more characters of white space count as one space. */
  ofCharacters(points, places, size) {
    const joined = [];
    const units = [];
    for (let i = 0, end; i < points.length; i = end) {
      end = i + 1;
      if (this.characters.isSpace(points[i])) while (end < points.length && this.characters.isSpace(points[end])) ++end;
      joined.push(end > i + 1 ? 0x20 : points[i]);
      units.push(places[i]);
    }
    const spelt = new Spelt(joined);
    const terms = [];
    ngrams(0, joined.length, this.min, this.max, (i, n) => {
      terms.push({ term: spelt.slice(i, i + n), first: units[i], last: units[i + n - 1] + 1, single: false });
    });
    return { words: false, apart: false, spans: characterSpans(size), terms };
  }

  /** Each word with a space on both sides, which belong to its first and last character; a short word counts once. */
  ofCharactersInWords(points, places, size) {
    const terms = [];
    for (let begin = 0, end; begin < points.length; begin = end + 1) {
      end = begin;
      while (end < points.length && !this.characters.isSpace(points[end])) ++end;
      if (end === begin) continue;
      const length = end - begin + 2;
      const spelt = new Spelt([0x20, ...points.slice(begin, end), 0x20]);
      const unit = (i) => places[Math.min(Math.max(begin + i - 1, begin), end - 1)];
      const put = (i, n) => {
        terms.push({ term: spelt.slice(i, i + n), first: unit(i), last: unit(i + n - 1) + 1, single: false });
      };
      if (length < this.min) put(0, length);
      else ngrams(0, length, this.min, this.max, put);
    }
    return { words: false, apart: false, spans: characterSpans(size), terms };
  }
}
