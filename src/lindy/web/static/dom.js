// Elements, and text that comes from models and users. Nothing here ever parses HTML: strings become text nodes, so
// that a label that looks like a script is only read.

/**
 * Make an element. Functions among the attributes are listeners, `true` sets an attribute without a value, and
 * `false` or `null` leaves it out; `share` becomes the CSS variable --share, since the page's policy forbids style
 * attributes.
 */
export function h(tag, attributes = {}, ...children) {
  return dress(document.createElement(tag), attributes, children);
}

/** Make an element of a drawing. */
export function svg(tag, attributes = {}, ...children) {
  return dress(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

function dress(element, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(key, value);
    else if (key === "share") setShare(element, value);
    else if (key === "value") element.value = value;
    else element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== false));
  return element;
}

/** Tell the style sheet how much of its room an element takes, from 0 to 1. */
export function setShare(element, share) {
  element.style.setProperty("--share", Math.min(1, Math.max(0, share)).toFixed(4));
}

// Controls, format characters and marks of direction, as in lindy.sanitize; joiners and line ends are fine in a page.
const UNSEEN =
  /[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u0600-\u0605\u061c\u06dd\u070f\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{110bd}\u{110cd}\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e007f}\p{Cs}]/gu;

/** Return text in which what cannot be seen, or would turn the text around, is spelled out. */
export function visible(text) {
  return String(text).replace(UNSEEN, (c) => `\\x${c.codePointAt(0).toString(16).padStart(2, "0")}`);
}

/** Return a label as plain text; the middle of a long one is left out. */
export function shortened(label, most = 60) {
  const points = [...String(label)];
  if (points.length <= most) return visible(label);
  return visible(`${points.slice(0, most - 20).join("")}…${points.slice(-19).join("")}`);
}

/** Return a label or word as an element with its own direction of writing. */
export function name(label, most = 60) {
  const short = shortened(label, most);
  const whole = visible(label);
  // long names made of parts may be broken between them
  const parts = short.split(/(?<=[._/:-])/).flatMap((part, i) => (i ? [h("wbr"), part] : [part]));
  return h("bdi", { title: short === whole ? null : whole.slice(0, 1000) }, parts);
}

const PARTS = /^(words|chars)__([^]+)$/; // how models of words and letters name their features

/** Return a feature as people read it: a word as it is, and a piece of a word as letters, with its edges shown. */
export function feature(label) {
  const [, part, rest] = PARTS.exec(label) ?? [label, "words", label];
  if (part === "words") return name(rest);
  return h("span", {}, name(rest.replaceAll(" ", "␣")), h("small", {}, " letters"));
}

/** Whether some features are letters, of which it must be said what they are. */
export const haveLetters = (labels) => labels.some((label) => label.startsWith("chars__"));

export const lettersNote = () => h("p", { class: "note" }, "Letters are a piece of a word; ␣ is where a word ends or begins.");

/** Return the text of a cell of somebody's table; a long one needs room, and its end is left out. */
export function cellText(text) {
  const kind = text.length > 20 ? "cell long" : "cell";
  return h("span", { class: kind, dir: "auto" }, visible(text.length > 300 ? `${text.slice(0, 300)}…` : text));
}

/** Return the options of a select, one per label, with numbers as values: labels can be anything. */
export function labelOptions(labels, chosen = null) {
  return labels.map((label, i) => {
    const option = h("option", { value: String(i) }, shortened(label, 50));
    option.selected = label === chosen;
    return option;
  });
}

/** Return a table that scrolls by itself where it is too wide; `heads` are texts or elements, `rows` lists of them. */
export function table(caption, heads, rows, kind = "") {
  const head = h(
    "tr",
    {},
    heads.map((cell) => h("th", { scope: "col" }, cell)),
  );
  const body = rows.map((cells) =>
    h(
      "tr",
      {},
      cells.map((cell, i) =>
        i === 0 ? h("th", { scope: "row" }, cell) : cell.tagName === "TD" ? cell : h("td", {}, cell),
      ),
    ),
  );
  const made = h(
    "table",
    { class: kind },
    h("caption", { class: "unseen" }, caption),
    h("thead", {}, head),
    h("tbody", {}, body),
  );
  return h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption }, made);
}
