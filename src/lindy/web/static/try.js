// Try: one text, answered and explained as it is typed.

import { get, post } from "./api.js";
import { answerPlace, answered, spoken } from "./answer.js";
import { h, name } from "./dom.js";
import { examplesPart } from "./examples.js";
import { feedbackPart } from "./feedback.js";
import { TOP_FEATURES } from "./highlight.js";
import { forMany, inputs } from "./inputs.js";
import { givesSeveral, labelsPlace, spokenLabels } from "./labels.js";
import { announcer, howSure, newest, problemPlace, remember, title } from "./page.js";
import { fromProgram } from "./program.js";
import { whyPart } from "./why.js";

export async function show(main, model, service) {
  title("Try");
  const fields = inputs(model, (event) => ask(event.timeStamp));
  const several = givesSeveral(model);
  const why = whyPart(model, () => ask());
  const answer = several ? labelsPlace(model, why.choose) : answerPlace(model.classes);
  const feedback = feedbackPart(model, service.feedback && model.takes !== "features", service.new_labels);
  const program = fromProgram("/index.json");
  const { region, say } = announcer();
  const { place, tell } = problemPlace();
  let typed = null;

  const update = newest(async () => {
    const began = typed;
    const asked = fields.value();
    program.show("/v1/explain", { model: model.name, ...asked });
    program.query({ model: model.name, text: asked.text });
    if (fields.isEmpty()) return nothing();
    try {
      const explained = await explain({ model: model.name, ...asked, ...why.label(), top_features: TOP_FEATURES });
      const result = several ? explained : answered(explained);
      const sure = howSure(result.label);
      answer.show(result, sure);
      why.show(explained);
      feedback.show(asked, explained.predicted);
      say(several ? spokenLabels(explained) : spoken(result, sure));
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
    remember({ text: example });
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
  // who came here wants to type; who chose another model goes on from there
  if (document.activeElement === document.body) fields.first.focus({ preventScroll: true });
  await ask();
  const found = await get(`/v1/examples?model=${encodeURIComponent(model.name)}`);
  if (found.examples.length > 0) examples.replaceChildren(examplesPart(found.examples, take));
}

/** Return an explanation, or the answer alone for what is too long to be explained. */
async function explain(asked) {
  try {
    return await post("/v1/explain", asked);
  } catch (error) {
    if (error.status !== 413) throw error;
    const { label, top_features: _, ...rest } = asked;
    const { results } = await post("/v1/predict", forMany(rest));
    const { label: given, best } = results[0];
    return { ...results[0], predicted: given, label: label ?? [given].flat()[0] ?? best, text: null };
  }
}

/** Keep how long the last answer took, from the keystroke to the changed page, where tools and tests find it. */
function measured(began) {
  performance.clearMeasures("answer");
  performance.measure("answer", { start: began, end: performance.now() });
}
