// Why an example gets its label: what each column adds to the label's lead over the next best one, or of several
// labels to its own score, and how much of that each character of the text stands for (lindy.explain: equal parts for the occurrences of a column, for the
// units of an occurrence, for the characters of a unit).

import { sum } from "./numerics.mjs";
import { codePoints } from "./unicode.mjs";

/** a − b, where −∞ − (−∞) = 0. */
function difference(a, b) {
  return a === b ? 0 : a - b;
}

/** What is added to the lead of class a over class b, out of what is added to the scores; to a's own without b. */
function lead(added, a, b, classes) {
  if (b === null) return added[a];
  if (added.length === 1) return classes === 2 ? added[0] * (a === 1 ? 1 : -1) : added[0];
  return difference(added[a], added[b]);
}

/** The class other than the label with the best score. */
export function runnerUp(label, { added, bias }, classes) {
  let scores = bias.map((own, c) => own + sum(added.map((each) => each[c])));
  if (scores.length === 1) scores = [-scores[0], scores[0]];
  const others = Array.from({ length: classes }, (_, c) => c).filter((c) => c !== label);
  return others.reduce((best, c) => (scores[c] > scores[best] ? c : best), others[0] ?? label);
}

/** Infinities as large finite numbers, so that they can be divided. */
function finite(numbers) {
  const sizes = numbers.map(Math.abs).filter(Number.isFinite);
  const most = 1e3 * sizes.reduce((a, b) => Math.max(a, b), 1);
  return numbers.map((x) => (Number.isNaN(x) ? 0 : Math.min(Math.max(x, -most), most)));
}

/** Where each code point of a string begins, and where the last one ends. */
function codeUnits(string) {
  const starts = [];
  for (let i = 0; i < string.length; i += string.codePointAt(i) > 0xffff ? 2 : 1) starts.push(i);
  starts.push(string.length);
  return starts;
}

/** What each character adds, given what each column adds. */
function characterCredit(size, found, added) {
  const credit = new Float64Array(size);
  const times = new Map();
  for (const { terms } of found) for (const { column, sign } of terms) times.set(column, (times.get(column) ?? 0) + sign);
  for (const { spans, terms } of found) {
    for (const { column, sign, first, last } of terms) {
      const all = times.get(column);
      const part = all ? ((added.get(column) ?? 0) / all) * sign : 0;
      for (let unit = first; unit < last; ++unit) {
        const begin = Math.min(spans[unit][0], Math.max(size - 1, 0));
        const length = Math.max(spans[unit][1] - begin, 1);
        for (let i = begin; i < begin + length; ++i) credit[i] += part / (last - first) / length;
      }
    }
  }
  return credit;
}

/** Begins and ends of a text's words: the first vectorizer's own if it has any, otherwise what has no space. */
function wordsOf(text, found, characters) {
  const lists = [];
  for (const { words, apart, spans } of found) {
    if (words) lists.push(spans.filter(([begin, end]) => end > begin));
    else if (apart && lists.length) lists.push([...lists.pop(), ...spans].sort((a, b) => a[0] - b[0]));
  }
  const kept = [];
  for (const own of lists) {
    const apart = (part) => own.at(-1)[1] <= part[0][0] || part.at(-1)[1] <= own[0][0];
    if (own.length && kept.every(apart)) kept.push(own);
  }
  if (lists.length) return kept.sort((a, b) => a[0][0] - b[0][0]).flat();
  const spans = [];
  for (let i = 0; i < text.length; ++i) {
    if (characters.isSpace(text[i])) continue;
    const begin = i;
    while (i < text.length && !characters.isSpace(text[i])) ++i;
    spans.push([begin, i]);
  }
  return spans;
}

/** Where words begin that no known column covers. */
function unknownWords(found) {
  const begins = new Set();
  for (const { words, complete, spans, terms } of found) {
    if (!words || complete) continue;
    const covered = new Set();
    for (const { first, last } of terms) for (let unit = first; unit < last; ++unit) covered.add(unit);
    spans.forEach(([begin], unit) => covered.has(unit) || begins.add(begin));
  }
  return begins;
}

/** The text cut into words and what is between them, with what each piece adds. */
function segmentsOf(string, found, added, characters) {
  const text = codePoints(string);
  const starts = codeUnits(string);
  const credit = characterCredit(text.length, found, added);
  const unknown = unknownWords(found);
  const pieces = [];
  let at = 0;
  const put = (begin, end, isWord) => {
    let own = 0;
    for (let i = begin; i < end; ++i) own += credit[i];
    const isKnown = !isWord || !unknown.has(begin);
    if (end > begin) pieces.push({ text: string.slice(starts[begin], starts[end]), credit: own, isWord, isKnown });
    at = end;
  };
  for (const [begin, end] of wordsOf(text, found, characters)) {
    put(at, begin, false);
    put(begin, end, true);
  }
  put(at, text.length, false);
  const most = pieces.reduce((size, own) => (own.isWord ? Math.max(size, Math.abs(own.credit)) : size), 0) || 1;
  return pieces.map((own) => ({ ...own, share: own.credit / most }));
}

/** The names of columns; hashed ones are called by the terms of the text that fell into them. */
function namesOf(columns, names, found) {
  const terms = new Map();
  for (const { complete, terms: own } of found) {
    if (complete) for (const { column, term } of own) terms.set(column, (terms.get(column) ?? new Set()).add(term));
  }
  return names.map((name, i) => (terms.has(columns[i]) ? [...terms.get(columns[i])].join(" | ") : name));
}

/** Where each column occurs, in code units of the string. */
function placesOf(string, found) {
  const starts = codeUnits(string);
  const places = new Map();
  for (const { spans, terms } of found) {
    for (const { column, first, last } of terms) {
      const span = [starts[spans[first][0]], starts[spans[last - 1][1]]];
      if (!places.has(column)) places.set(column, []);
      places.get(column).push(span);
    }
  }
  return places;
}

/** What each column adds to the lead of class a over class b: the bias, the columns, and pieces of the text. */
export function explained(string, { columns, values, names, found }, { added, bias }, [a, b], classes, characters) {
  const leads = added.map((own) => lead(own, a, b, classes));
  const moderate = finite(leads);
  const places = placesOf(string, found);
  const called = namesOf(columns, names, found);
  const features = columns.map((column, i) => ({
    name: called[i], value: values[i], lead: leads[i], spans: places.get(column) ?? [],
  }));
  const byColumn = new Map(columns.map((column, i) => [column, moderate[i]]));
  const segments = segmentsOf(string, found, byColumn, characters);
  return {
    bias: a === b ? 0 : lead(bias, a, b, classes),
    features: features.sort((one, other) => Math.abs(other.lead) - Math.abs(one.lead)),
    segments,
    unknown: [...new Set(segments.filter((own) => !own.isKnown).map((own) => own.text))],
  };
}
