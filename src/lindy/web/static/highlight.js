// A text whose words are marked by what they add. Colour is never alone: a sign stands before every marked word, and
// the words that speak against are underlined.

import { h, name, setShare, table, visible } from "./dom.js";
import { decimal, signed } from "./format.js";

const MOST_CHARACTERS = 20_000;
// the shares of the largest credit from which a word is marked once and twice, as in lindy.explain.terminal
const MARKED = 0.1;
const STRONG = 0.4;

/** Return the pieces of an explained text; places in it are counted in code points. */
export function markedText({ text, spans }) {
  const points = [...text];
  const shown = points.slice(0, MOST_CHARACTERS);
  const largest = Math.max(...spans.map(({ weight }) => Math.abs(weight)), 1e-12);
  const pieces = [];
  let place = 0;
  for (const { start, end, weight, known } of spans) {
    if (start >= shown.length) break;
    const word = shown.slice(start, end).join("");
    pieces.push(
      visible(shown.slice(place, start).join("")),
      known ? piece(word, weight, weight / largest) : unknown(word),
    );
    place = end;
  }
  pieces.push(visible(shown.slice(place).join("")));
  if (points.length > shown.length) pieces.push(h("i", {}, ` … ${points.length - shown.length} more characters`));
  return pieces;
}

const unknown = (word) => h("span", { class: "unknown", title: "not known to the model" }, visible(word));

function piece(text, credit, share) {
  if (Math.abs(share) < MARKED) return visible(text);
  const sign = (share > 0 ? "+" : "−").repeat(Math.abs(share) >= STRONG ? 2 : 1);
  const mark = h(
    "mark",
    { class: share > 0 ? "for" : "against", title: signed(credit, 3) },
    h("sup", {}, sign),
    visible(text),
  );
  setShare(mark, Math.max(Math.abs(share), 0.15));
  return mark;
}

/** Return what the marks mean. */
export function legend({ label, against, spans }) {
  return h(
    "p",
    { class: "legend" },
    h("span", { class: "for" }, "+ speaks for ", name(label, 40)),
    " ",
    h("span", { class: "against" }, "− speaks ", against === null ? "against it" : ["for ", name(against, 40)]),
    spans.every(({ known }) => known) ? null : [" ", h("span", { class: "unknown" }, "not known")],
  );
}

/** Return the sum as a table: where it begins, what each feature adds, and what comes out. */
export function sumTable({ bias, features, score, label, against }, most = 12) {
  const shown = features.slice(0, most);
  const rest = features.slice(most).reduce((sum, { addend }) => sum + addend, 0);
  const largest = Math.max(...shown.map(({ addend }) => Math.abs(addend)), Math.abs(bias), 1e-12);
  const line = (what, value, addend) => [what, bar(addend, largest), value, signed(addend, 3)];
  const rows = [
    line("start (bias)", "", bias),
    ...shown.map(({ name: feature, value, addend }) => line(name(feature), decimal(value), addend)),
    ...(features.length > most ? [line(`${features.length - most} more`, "", rest)] : []),
    [h("b", {}, "sum"), "", "", h("b", {}, signed(score, 3))],
  ];
  const lead = [
    "what it adds to the lead of ",
    name(label, 24),
    ...(against === null ? [] : [" over ", name(against, 24)]),
  ];
  return [
    h("p", { class: "note" }, "Each line is ", lead, ". Above 0, ", name(label, 24), " wins."),
    table("What was added up", ["word or feature", barHead(), "value", "adds"], rows, "sum"),
  ];
}

/** Return the head of a column of bars, which only needs a name for those who do not see them. */
export const barHead = () => h("span", { class: "unseen" }, "as a bar");

/** Return a bar to the right of the middle for what is positive, to the left for what is negative. */
export function bar(value, largest) {
  const inner = h("span", { class: value > 0 ? "for" : "against", share: Math.abs(value) / largest });
  return h("span", { class: "bar", "aria-hidden": "true" }, inner);
}
