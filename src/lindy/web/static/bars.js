// Bars with a label and a number.

import { h, name } from "./dom.js";
import { plural } from "./format.js";

/** Return bars of `{label, said, share}`, the first of them open and the others folded. */
export function countBars(lines, most) {
  const list = (some) => h("ol", { class: "bars sorted" }, some.map(bar));
  if (lines.length <= most) return list(lines);
  const others = plural(lines.length - most, "label");
  return h(
    "div",
    {},
    list(lines.slice(0, most)),
    h("details", {}, h("summary", {}, `The other ${others}`), list(lines.slice(most))),
  );
}

const bar = ({ label, said, share }) =>
  h(
    "li",
    {},
    h("span", { class: "of" }, name(label, 40)),
    h("span", { class: "number" }, said),
    h("span", { class: "track", "aria-hidden": "true" }, h("span", { class: "fill", share })),
  );
