// The answer to one text: a label, or that the model is unsure, or that it knows none of the words; and how probable
// every label is. The elements stay while their contents change, so that neither focus nor bars jump as one types.

import { h, name, setShare, shortened } from "./dom.js";
import { percent, plural } from "./format.js";

const FEW = 6;

/** Return the answer within an explanation, which may explain another label than the one that is given. */
export function answered(explained) {
  const label = explained.predicted;
  return { ...explained, label, probability: explained.probabilities?.[label] ?? null };
}

/** Return what an explanation amounts to if a label must be this probable. */
export function verdict(result, sure) {
  if (result.known === 0) return "unknown";
  if (result.probability !== null && result.probability < sure) return "unsure";
  return "sure";
}

/** Return the answer in a line that can be read out. */
export function spoken(result, sure) {
  const label = shortened(result.label, 40);
  if (verdict(result, sure) === "unknown") return "No known word.";
  if (verdict(result, sure) === "unsure") return `Unsure. Perhaps ${label}, ${percent(result.probability)}.`;
  return result.probability === null ? `${label}.` : `${label}, ${percent(result.probability)} sure.`;
}

/** Return the place of an answer, with `show(result, sure)` and `clear()`. */
export function answerPlace(labels) {
  const headline = h("p", { class: "label" });
  const remark = h("p", { class: "remark" });
  const bars = barList(labels);
  const part = h("div", { class: "answer" }, headline, remark, bars.part);
  const clear = () => {
    part.dataset.verdict = "none";
    headline.replaceChildren("No text yet");
    remark.replaceChildren("The answer appears here as you type: ", ...choices(labels), ".");
    bars.part.hidden = true;
  };
  const show = (result, sure) => {
    const kind = verdict(result, sure);
    part.dataset.verdict = kind;
    headline.replaceChildren(...HEADLINES[kind](result));
    remark.replaceChildren(...REMARKS[kind](result, sure));
    bars.part.hidden = result.probabilities === null;
    if (result.probabilities !== null) bars.show(result.probabilities, kind === "sure" ? result.label : null);
  };
  clear();
  return { part, show, clear };
}

/** Return the labels that an answer can be, as they are read: of many the first. */
function choices(labels) {
  if (labels.length > FEW) return [`one of ${plural(labels.length, "label")}, such as `, ...inARow(labels.slice(0, 3))];
  return inARow(labels);
}

const inARow = (labels) =>
  labels.flatMap((label, i) => [i === 0 ? "" : i < labels.length - 1 ? ", " : " or ", name(label, 24)]);

const HEADLINES = {
  sure: ({ label }) => [name(label)],
  unsure: () => ["Unsure"],
  unknown: () => ["No known word"],
};

const REMARKS = {
  sure: ({ probability }) =>
    probability === null ? ["This model gives no probabilities."] : [`${percent(probability)} sure`],
  unsure: ({ label, probability }, sure) => [
    "Perhaps ",
    name(label, 40),
    `, ${percent(probability)}; a label must be at least ${percent(sure)} sure. `,
    h("a", { href: "/sure" }, "Change this"),
  ],
  unknown: ({ label }) => [
    "The model knows nothing in this text, so it can only guess. Unasked it would say ",
    name(label, 40),
    ".",
  ],
};

/** Return the bars of all labels: few in their own order, many with the most probable first. */
function barList(labels) {
  const slots = labels.map(() => slot());
  const list = h("ol", { class: labels.length > FEW ? "bars sorted" : "bars", "aria-label": "Probabilities" });
  let all = false;
  let last = null;
  const toggle = h("button", {
    type: "button",
    class: "quiet",
    "aria-expanded": "false",
    hidden: labels.length <= FEW,
    click: () => {
      all = !all;
      toggle.setAttribute("aria-expanded", String(all));
      show(...last);
    },
  });
  const show = (probabilities, given) => {
    last = [probabilities, given];
    const order =
      labels.length > FEW ? labels.toSorted((a, b) => (probabilities[b] ?? 0) - (probabilities[a] ?? 0)) : labels;
    const shown = all ? order.length : Math.min(FEW, order.length);
    for (let i = 0; i < shown; i += 1) slots[i].show(order[i], probabilities[order[i]] ?? 0, order[i] === given);
    if (list.childElementCount !== shown) list.replaceChildren(...slots.slice(0, shown).map(({ part }) => part));
    toggle.textContent = all ? `Show the ${FEW} most probable` : `Show all ${plural(labels.length, "label")}`;
  };
  return { part: h("div", {}, list, toggle), show };
}

function slot() {
  const label = h("span", { class: "of" });
  const number = h("span", { class: "number" });
  const fill = h("span", { class: "fill" });
  const part = h("li", {}, label, number, h("span", { class: "track", "aria-hidden": "true" }, fill));
  let shown = null;
  const show = (text, p, isGiven) => {
    if (shown !== text) label.replaceChildren(name(text, 40));
    shown = text;
    number.textContent = percent(p);
    setShare(fill, p);
    part.classList.toggle("given", isGiven);
  };
  return { part, show };
}
