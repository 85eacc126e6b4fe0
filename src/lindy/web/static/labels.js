// The answer of a model of several labels: chips for the labels that a text gets, and for those nearest to their
// thresholds. The chip that is chosen says which label is explained.

import { h, name, setShare, shortened } from "./dom.js";
import { percent, plural, signed } from "./format.js";

const MOST_NEAR = 6;

/** Whether a model gives several labels to a text. */
export const givesSeveral = (model) => model.thresholds !== null;

/** Return labels as they are read, one after the other. */
export const listed = (labels) => labels.flatMap((label, i) => [i === 0 ? "" : ", ", name(label, 40)]);

/** Whether two answers are the same label, or the same labels in any order. */
export function sameAnswer(one, other) {
  const [a, b] = [one, other].map((given) => [given].flat());
  return a.length === b.length && a.every((label) => b.includes(label));
}

/** Return the answer in a line that can be read out. */
export function spokenLabels({ predicted, known, probabilities }) {
  if (known === 0) return "No known word.";
  if (predicted.length === 0) return "No label.";
  const one = (label) => shortened(label, 40) + (probabilities ? ` ${percent(probabilities[label])}` : "");
  return `${plural(predicted.length, "label")}: ${predicted.map(one).join(", ")}.`;
}

/** Return the place of an answer, with `show(explained)` and `clear()`; `choose(label)` is called for a clicked chip. */
export function labelsPlace(model, choose) {
  const headline = h("p", { class: "label" });
  const remark = h("p", { class: "remark" });
  const list = h("ul", { class: "chips", "aria-label": "Labels: choose one to see its words" });
  const about = aboutPart(model);
  const part = h("div", { class: "answer" }, headline, remark, list, about.part);
  const clear = () => {
    part.dataset.verdict = "none";
    headline.replaceChildren("No text yet");
    remark.replaceChildren(`The labels that fit appear here as you type: any number of ${plural(model.classes.length, "label")}.`);
    list.replaceChildren();
    about.clear();
  };
  const show = (explained) => {
    const { predicted, known } = explained;
    part.dataset.verdict = known === 0 ? "unknown" : predicted.length > 0 ? "sure" : "unsure";
    headline.replaceChildren(
      known === 0 ? "No known word" : predicted.length > 0 ? plural(predicted.length, "label") : "No label",
    );
    remark.replaceChildren(
      known === 0 ? "The model knows nothing in this text, so it can only guess." : "Choose a label to see why, or why not.",
    );
    const focused = list.contains(document.activeElement) ? document.activeElement.value : null;
    list.replaceChildren(...shownLabels(model, explained).map((label) => h("li", {}, chip(model, label, explained, choose))));
    [...list.querySelectorAll("button")].find(({ value }) => value === focused)?.focus();
    about.show(explained);
  };
  clear();
  return { part, show, clear };
}

const valuesOf = ({ probabilities, scores }) => probabilities ?? scores ?? {};

const said = ({ probabilities }, value) => (value === undefined ? "" : probabilities ? percent(value) : signed(value));

/** Return the labels that are given, those that miss their thresholds by least, and the one that is explained. */
function shownLabels({ thresholds }, explained) {
  const values = valuesOf(explained);
  const others = Object.keys(values).filter((label) => !explained.predicted.includes(label));
  const missing = (label) => thresholds[label] - values[label];
  const near = others.sort((a, b) => missing(a) - missing(b)).slice(0, MOST_NEAR);
  return [...new Set([...explained.predicted, ...near, explained.label])];
}

function chip({ thresholds }, label, explained, choose) {
  const isGiven = explained.predicted.includes(label);
  return h(
    "button",
    {
      type: "button",
      class: isGiven ? "chip" : "chip near",
      value: label,
      "aria-pressed": String(label === explained.label),
      title: `given from ${said(explained, thresholds[label])} on`,
      click: () => choose(label),
    },
    name(label, 40),
    " ",
    h("span", { class: "number" }, said(explained, valuesOf(explained)[label])),
    isGiven ? null : h("span", { class: "unseen" }, ", not given"),
  );
}

/** Return the sentence about the label that is explained: its probability, or score, and from where on it is given. */
function aboutPart({ thresholds }) {
  const words = h("p", { class: "note" });
  const fill = h("span", { class: "fill" });
  const limit = h("span", { class: "limit" });
  const track = h("span", { class: "track", "aria-hidden": "true" }, fill, limit);
  const show = (explained) => {
    const { label, predicted, probabilities } = explained;
    const value = valuesOf(explained)[label];
    words.replaceChildren(
      name(label, 40),
      predicted.includes(label) ? " is given: " : " is not given: ",
      `${said(explained, value)}; it is given from ${said(explained, thresholds[label])} on.`,
    );
    track.hidden = !probabilities;
    setShare(fill, value ?? 0);
    setShare(limit, thresholds[label]);
  };
  const clear = () => {
    words.replaceChildren();
    track.hidden = true;
  };
  return { part: h("div", { class: "about" }, words, track), show, clear };
}
