// Why: the words of the text by what they add, for the label that was given or for another that the user chooses, here
// or among the labels of the answer.

import { h, labelOptions } from "./dom.js";
import { legend, markedText, sumTable } from "./highlight.js";
import { givesSeveral } from "./labels.js";

/** Return the part, with `show(explanation)`, `clear()` and `label()`: what the service is asked about the label. */
export function whyPart(model, again) {
  const chosen = h(
    "select",
    { id: "why-label", change: again },
    h("option", { value: "" }, givesSeveral(model) ? "the first label" : "its answer"),
    labelOptions(model.classes),
  );
  const text = markedText({ tabindex: "0", role: "region", "aria-label": "The text with its words marked" });
  const meaning = h("div");
  const sum = h("div");
  const added = h("details", {}, h("summary", {}, "All that was added up"), sum);
  const part = h(
    "section",
    { class: "why", "aria-labelledby": "why-title", hidden: true },
    h(
      "div",
      { class: "headed" },
      h("h2", { id: "why-title" }, "What each word adds"),
      h("p", {}, h("label", { for: "why-label" }, "Explain "), chosen),
    ),
    meaning,
    text.part,
    added,
  );
  const show = (result) => {
    const isExplained = result.text !== null;
    const hasWords = isExplained && result.spans.length > 0;
    part.hidden = false;
    added.hidden = !isExplained;
    text.part.hidden = !hasWords;
    if (!isExplained)
      meaning.replaceChildren(h("p", { class: "note" }, "This text is too long to be taken apart word by word."));
    else meaning.replaceChildren(...(hasWords ? [legend(result)] : []));
    if (isExplained) sum.replaceChildren(...sumTable(result));
    if (hasWords) text.show(result);
    else added.open = true; // there is no text to mark: the sum is all there is
  };
  const clear = () => (part.hidden = true);
  const label = () => (chosen.value === "" ? {} : { label: model.classes[Number(chosen.value)] });
  const choose = (label) => {
    chosen.value = String(model.classes.indexOf(label));
    again();
  };
  return { part, show, clear, label, choose };
}
