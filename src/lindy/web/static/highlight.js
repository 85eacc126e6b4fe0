// A text whose words are marked by what they add. Colour is never alone: a sign stands before every marked word, and
// the words that speak against are underlined.

import { feature, h, haveLetters, lettersNote, name, setShare, table, visible } from "./dom.js";
import { count, decimal, signed } from "./format.js";

const MOST_CHARACTERS = 20_000;
/** How many features the service is asked for; the others are one line of the sum. */
export const TOP_FEATURES = 12;
// the shares of the largest credit from which a word is marked once and twice, as in lindy.explain.terminal
const MARKED = 0.1;
const STRONG = 0.4;

/**
 * Return a paragraph for explained texts, with `show(explanation)`. Only what has changed since the last text is
 * changed in the page: of a long text, one keystroke changes few words.
 */
export function markedText(attributes = {}) {
  const part = h("p", { class: "text", dir: "auto", ...attributes });
  let shown = [];
  let cut = null;
  const show = (explained) => {
    const { pieces, left } = piecesOf(explained);
    let same = 0;
    while (same < Math.min(shown.length, pieces.length) && shown[same].text === pieces[same].text) same += 1;
    let after = 0;
    const most = Math.min(shown.length, pieces.length) - same;
    while (after < most && shown.at(-1 - after).text === pieces.at(-1 - after).text) after += 1;
    const end = shown.length - after;
    for (const { node } of shown.slice(same, end)) node.remove();
    const made = pieces.slice(same, pieces.length - after);
    for (const piece of made) piece.node = nodeOf(piece);
    const next = shown[end]?.node ?? cut;
    const nodes = made.map(({ node }) => node);
    if (next === null) part.append(...nodes);
    else next.before(...nodes);
    for (let i = 0; i < same; i += 1) mark(shown[i], pieces[i]);
    for (let i = 1; i <= after; i += 1) mark(shown.at(-i), pieces.at(-i));
    shown = pieces;
    cut?.remove();
    cut = left > 0 ? h("i", {}, ` … ${left} more characters`) : null;
    if (cut !== null) part.append(cut);
  };
  // what a word adds is said where the pointer is: a long text would have thousands of titles
  part.addEventListener("pointerover", ({ target }) => {
    const word = target.closest("mark, .unknown");
    const piece = word && shown.find(({ node }) => node === word);
    if (piece) word.title = piece.known ? signed(piece.weight, 3) : "not known to the model";
  });
  return { part, show };
}

/** Return the words of a text and what stands between them; places in it are counted in code points. */
function piecesOf({ text, spans }) {
  const points = [...text];
  const shown = points.slice(0, MOST_CHARACTERS);
  const largest = Math.max(1e-12, ...spans.slice(0, MOST_CHARACTERS).map(({ weight }) => Math.abs(weight)));
  const pieces = [];
  const between = (start, end) => {
    if (start < end) pieces.push({ text: visible(shown.slice(start, end).join("")), kind: "", share: 0 });
  };
  let place = 0;
  for (const { start, end, weight, known } of spans) {
    if (start >= shown.length) break;
    between(place, start);
    const share = Math.abs(weight) / largest;
    const kind = !known ? "unknown" : share < MARKED ? "" : weight > 0 ? "for" : "against";
    pieces.push({ text: visible(shown.slice(start, end).join("")), kind, known, weight, share });
    place = end;
  }
  between(place, shown.length);
  return { pieces, left: points.length - shown.length };
}

const SIGNS = { for: "+", against: "−" };

const signOf = ({ kind, share }) => SIGNS[kind].repeat(share >= STRONG ? 2 : 1);

function nodeOf(piece) {
  if (piece.kind === "") return document.createTextNode(piece.text);
  if (piece.kind === "unknown") return h("span", { class: "unknown" }, piece.text);
  const made = h("mark", { class: piece.kind }, h("sup", {}, signOf(piece)), piece.text);
  setShare(made, strength(piece));
  return made;
}

// steps that the eye tells apart: each keystroke moves all weights a little
const strength = ({ share }) => Math.max(Math.round(20 * share) / 20, 0.15);

/** Mark the same word as before by what it adds now. */
function mark(before, now) {
  now.node = before.node;
  if (now.kind !== before.kind) {
    now.node = nodeOf(now);
    before.node.replaceWith(now.node);
  } else if (now.kind in SIGNS) {
    if (signOf(now) !== signOf(before)) now.node.firstChild.textContent = signOf(now);
    if (strength(now) !== strength(before)) setShare(now.node, strength(now));
  }
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
export function sumTable({ bias, features, others, score, label, against }) {
  const largest = Math.max(...features.map(({ addend }) => Math.abs(addend)), Math.abs(bias), 1e-12);
  const line = (what, value, addend) => [what, bar(addend, largest), value, signed(addend, 3)];
  const rows = [
    line("start (bias)", "", bias),
    ...features.map(({ name: own, value, addend }) => line(feature(own), decimal(value), addend)),
    ...(others === null ? [] : [line(`${count(others.count)} more`, "", others.addend)]),
    [h("b", {}, "sum"), "", "", h("b", {}, signed(score, 3))],
  ];
  const lead = [
    against === null ? "what it adds to the score of " : "what it adds to the lead of ",
    name(label, 24),
    ...(against === null ? [] : [" over ", name(against, 24)]),
  ];
  return [
    h("p", { class: "note" }, "Each line is ", lead, ". ", against === null ? null : ["Above 0, ", name(label, 24), " wins."].flat()),
    table("What was added up", ["word or feature", barHead(), "value", "adds"], rows, "sum"),
    ...(haveLetters(features.map(({ name: own }) => own)) ? [lettersNote()] : []),
  ];
}

/** Return the head of a column of bars, which only needs a name for those who do not see them. */
export const barHead = () => h("span", { class: "unseen" }, "as a bar");

/** Return a bar to the right of the middle for what is positive, to the left for what is negative. */
export function bar(value, largest) {
  const inner = h("span", { class: value > 0 ? "for" : "against", share: Math.abs(value) / largest });
  return h("span", { class: "bar", "aria-hidden": "true" }, inner);
}
