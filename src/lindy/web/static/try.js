// Try: one text, answered and explained as it is typed.

import { get, post } from "./api.js";
import { answerPlace, answered, spoken } from "./answer.js";
import { h, labelOptions, name } from "./dom.js";
import { feedbackPart } from "./feedback.js";
import { legend, markedText, sumTable } from "./highlight.js";
import { examplesPart, inputs } from "./inputs.js";
import { announcer, fromProgram, howSure, newest, problemPlace, remember, title } from "./page.js";

export async function show(main, model) {
  title("Try");
  const fields = inputs(model, (event) => ask(event.timeStamp));
  const answer = answerPlace(model.classes);
  const why = whyPart(model, () => ask());
  const feedback = feedbackPart(model);
  const program = fromProgram("/index.json");
  const { region, say } = announcer();
  const { place, tell } = problemPlace();
  let typed = null;

  const update = newest(async () => {
    const began = typed;
    const asked = fields.value();
    program.show("/v1/explain", { model: model.name, ...asked });
    if (fields.isEmpty()) return nothing();
    try {
      const explained = await post("/v1/explain", { model: model.name, ...asked, ...why.label() });
      const result = answered(explained);
      answer.show(result, howSure());
      why.show(explained);
      feedback.show(asked, result.label);
      say(spoken(result, howSure()));
      tell(null);
      if (began !== null) measured(began);
    } catch (error) {
      tell(error);
    }
  });
  const nothing = () => {
    answer.clear();
    why.clear();
    feedback.clear();
    say("");
    tell(null);
  };
  const ask = (time = null) => {
    typed = time;
    return update();
  };
  const take = (example) => {
    fields.set(example);
    remember(typeof example === "string" ? { text: example } : { record: JSON.stringify(example) });
    ask();
    fields.first.focus();
  };
  const examples = h("div");
  main.replaceChildren(
    h("h1", {}, "What would ", name(model.name, 30), " say?"),
    h(
      "div",
      { class: "two asked" },
      fields.part,
      h("section", { "aria-label": "Answer" }, answer.part, feedback.part, place, region),
      why.part,
      examples,
    ),
    program.part,
  );
  fields.first.focus({ preventScroll: true });
  await ask();
  const found = await get(`/v1/examples?model=${encodeURIComponent(model.name)}`);
  examples.replaceChildren(...[examplesPart(found.examples, take)].filter(Boolean));
}

/** Keep how long the last answer took, from the keystroke to the changed page, where tools and tests find it. */
function measured(began) {
  performance.clearMeasures("answer");
  performance.measure("answer", { start: began, end: performance.now() });
}

/** Return the part that says why: for the label that was given, or for another that the user chooses. */
function whyPart(model, again) {
  const chosen = h(
    "select",
    { id: "why-label" },
    h("option", { value: "" }, "its answer"),
    labelOptions(model.classes),
  );
  chosen.addEventListener("change", again);
  const text = h("p", {
    class: "text",
    dir: "auto",
    tabindex: "0",
    role: "region",
    "aria-label": "The text with its words marked",
  });
  const meaning = h("div");
  const sum = h("div");
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
    text,
    h("details", {}, h("summary", {}, "All that was added up"), sum),
  );
  const clear = () => (part.hidden = true);
  const show = (result) => {
    part.hidden = false;
    meaning.replaceChildren(legend(result));
    text.replaceChildren(...markedText(result));
    sum.replaceChildren(...sumTable(result));
  };
  const label = () => (chosen.value === "" ? {} : { label: model.classes[Number(chosen.value)] });
  return { part, show, clear, label };
}
