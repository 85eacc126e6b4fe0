// Compare: two models about one text, and the rows of a table on which they differ.

import { post } from "./api.js";
import { answerPlace, spoken } from "./answer.js";
import { line } from "./csv.js";
import { cellText, h, name, shortened, table } from "./dom.js";
import { count, percent, plural } from "./format.js";
import { legend, markedText } from "./highlight.js";
import { forMany, inputs } from "./inputs.js";
import { givesSeveral, labelsPlace, listed, sameAnswer, spokenLabels } from "./labels.js";
import { announcer, howSure, modelNamed, newest, problemPlace, remember, settings, title } from "./page.js";
import { fromProgram } from "./program.js";
import { dropZone, runTable } from "./tablejob.js";

const MOST_ROWS = 200;
const ADDED = 5; // prediction and probability of both models, and whether they differ

export async function show(main, model, service) {
  const { models } = service;
  title("Compare");
  if (models.length < 2) return alone(main, model);
  const a = modelNamed(models, settings().a ?? model.name);
  const b =
    models.find(({ name: other }) => other === settings().b && other !== a.name) ??
    models.find(({ name: other }) => other !== a.name);
  const again = () => show(main, model, service);
  const sides = [side("a", "First model", models, a, again), side("b", "Second model", models, b, again)];
  const fields = inputs(a, () => update());
  const program = fromProgram("/compare.json");
  const { region, say } = announcer();
  const { place, tell } = problemPlace();
  const agreement = h("p", { class: "agreement" });

  const update = newest(async () => {
    const asked = fields.value();
    program.query({ model: a.name, other: b.name, text: asked.text });
    program.show("/v1/compare", { models: [a.name, b.name], ...forMany(asked) });
    agreement.replaceChildren();
    if (fields.isEmpty()) return sides.forEach(({ clear }) => clear());
    try {
      const [first, second] = await Promise.all(
        [a, b].map(({ name: of }) => post("/v1/explain", { model: of, ...asked, top_features: 0 })),
      );
      sides[0].show(first, asked);
      sides[1].show(second, asked);
      const same = sameAnswer(first.predicted, second.predicted);
      const [one, other] = [first, second].map(({ predicted }) => named(predicted));
      agreement.replaceChildren(...(same ? ["Both take it for ", ...one, "."] : ["They differ: ", ...one, " or ", ...other, "?"]));
      const [aloud, louder] = [first, second].map((own) => (Array.isArray(own.predicted) ? spokenLabels(own) : spoken(own, 0)));
      say(
        same
          ? `Both: ${aloud}`
          : `They differ. ${shortened(a.name, 20)}: ${aloud} ${shortened(b.name, 20)}: ${louder}`,
      );
      tell(null);
    } catch (error) {
      tell(error);
    }
  });
  main.replaceChildren(
    h("h1", {}, "Two models, side by side"),
    h("div", { class: "brief" }, fields.part),
    place,
    region,
    agreement,
    h(
      "div",
      { class: "two sides" },
      sides.map(({ part }) => part),
    ),
    h(
      "section",
      { "aria-labelledby": "differ-title" },
      h("h2", { id: "differ-title" }, "Where they differ in a table"),
      h("p", {}, "Drop a table of texts: the rows that the two models answer differently are listed here."),
      differences(a, b),
    ),
    program.part,
  );
  await update();
}

function alone(main, model) {
  main.replaceChildren(
    h("h1", {}, "Two models, side by side"),
    h(
      "p",
      { class: "lead" },
      "This service has one model, ",
      name(model.name),
      ". Whoever runs it can serve two, which are then compared here.",
    ),
  );
}

/** Return the answer of one model and why, under the choice of the model. */
function side(key, label, models, model, again) {
  const chosen = h(
    "select",
    { id: `model-${key}` },
    models.map(({ name: of }) => h("option", { value: of }, shortened(of, 30))),
  );
  chosen.value = model.name;
  chosen.addEventListener("change", async () => {
    const other = key === "a" ? "b" : "a";
    const taken = document.querySelector(`#model-${other}`).value === chosen.value;
    remember({ [key]: chosen.value, ...(taken ? { [other]: model.name } : {}) }); // the same twice: they change places
    await again();
    document.querySelector(`#model-${key}`).focus();
  });
  let shownText = null; // what a chip that is clicked asks about
  const explainOther = async (label) => show(await post("/v1/explain", { ...shownText, model: model.name, label, top_features: 0 }), shownText);
  const answer = givesSeveral(model) ? labelsPlace(model, explainOther) : answerPlace(model.classes);
  const meaning = h("div");
  const text = markedText();
  const why = h("div", { class: "why", hidden: true }, meaning, text.part);
  const show = (result, asked) => {
    shownText = asked;
    answer.show(result, howSure(result.label));
    why.hidden = false;
    meaning.replaceChildren(legend(result));
    text.show(result);
  };
  return {
    part: h(
      "section",
      { class: "side", "aria-label": label },
      h("p", { class: "field" }, h("label", { for: chosen.id }, label), chosen),
      answer.part,
      why,
    ),
    clear: () => {
      answer.clear();
      why.hidden = true;
    },
    show,
  };
}

/** Return an answer as it is read: a label, or several. */
const named = (answer) => (Array.isArray(answer) ? (answer.length > 0 ? listed(answer) : ["no label"]) : [name(answer, 40)]);

function differences(a, b) {
  const result = h("div");
  const run = async (file, query, options) => {
    const found = differing(a, b);
    result.replaceChildren(found.part);
    const { answer, rows } = await runTable(file, { ...query, model: a.name, other: b.name }, ADDED, {
      ...options,
      preview: found.add,
    });
    found.begin();
    for await (const batch of rows()) found.add(batch);
    return { said: found.finish(), remarks: answer.remarks };
  };
  return h("div", {}, dropZone("With the columns that both models were trained on.", run), result);
}

/** Return the list of rows that differ, which grows as they arrive. */
function differing(a, b) {
  const said = h("p");
  const list = h("div");
  const download = h("p");
  let kept = [];
  let seen = 0;
  let header = null;
  const begin = () => {
    kept = [];
    seen = 0;
  };
  const add = (batch) => {
    header = batch.header;
    const isNew = kept.length < MOST_ROWS;
    kept.push(...batch.rows.filter((row) => row.at(-1) === "true"));
    seen += batch.rows.length;
    const share = percent(kept.length / seen, 1);
    said.textContent = `They differ on ${count(kept.length)} of ${plural(seen, "row")} (${share}).`;
    if (isNew && kept.length > 0) list.replaceChildren(rowsTable(header, kept.slice(0, MOST_ROWS), a, b));
  };
  const finish = () => {
    if (kept.length > 0) {
      const file = new Blob([line(header), ...kept.map(line)], { type: "text/csv" });
      const link = h(
        "a",
        { class: "button", href: URL.createObjectURL(file), download: "differences.csv" },
        `Download ${plural(kept.length, "row")}`,
      );
      download.replaceChildren(link);
    }
    if (kept.length > MOST_ROWS) list.append(h("p", { class: "note" }, `The first ${MOST_ROWS} are shown.`));
    return `Done: ${plural(seen, "row")}.`;
  };
  return { part: h("div", {}, said, download, list), begin, add, finish };
}

/** Return rows with the answers of both models first. */
function rowsTable(header, rows, a, b) {
  const answer = (label, probability) =>
    h("span", {}, name(label, 30), h("br"), h("small", {}, percent(Number(probability))));
  const cells = (row) => {
    const [first, sure, second, surer] = row.slice(-ADDED);
    return [answer(first, sure), answer(second, surer), ...row.slice(0, -ADDED).map(cellText)];
  };
  const heads = [a.name, b.name, ...header.slice(0, -ADDED)].map((column) => name(column, 30));
  return table("Rows on which the models differ", heads, rows.map(cells), "rows");
}
