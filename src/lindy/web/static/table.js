// Table: a file of many texts, given back with predictions.

import { countBars } from "./bars.js";
import { cellText, h, name, table, visible } from "./dom.js";
import { count, percent, plural } from "./format.js";
import { givesSeveral } from "./labels.js";
import { howSure, ownSure, title } from "./page.js";
import { fromProgram } from "./program.js";
import { dropZone, runTable } from "./tablejob.js";

const PREVIEWED = 20;
const SEPARATOR = "|"; // between several labels in a cell
const ADDED = 2; // the prediction, and its probability or score

export async function show(main, model) {
  title("Table");
  const result = h("section", { "aria-label": "Predictions" });
  const run = async (file, query, options) => {
    const outcome = outcomePart(file, givesSeveral(model));
    result.replaceChildren(outcome.part);
    const { answer, rows } = await runTable(file, { ...query, model: model.name }, ADDED, {
      ...options,
      preview: outcome.preview,
    });
    outcome.offer(answer);
    let n = 0;
    for await (const batch of rows()) {
      outcome.preview(batch);
      outcome.count(batch);
      n += batch.rows.length;
    }
    return { said: `Done: ${plural(n, "row")}.`, remarks: answer.remarks };
  };
  const program = fromProgram("/table.json");
  program.show(`/v1/table?${new URLSearchParams({ model: model.name })}`, null, [
    "-H 'Content-Type: text/csv'",
    "--data-binary @texts.csv",
    "-o predictions.csv",
  ]);
  main.replaceChildren(
    h("h1", {}, "A whole table at once"),
    h(
      "p",
      { class: "lead" },
      "Every row is answered by ",
      name(model.name, 40),
      ", and you get the file back with two more columns: the prediction and how sure it is. ",
      "The file goes to this service and nowhere else, and is not kept.",
    ),
    dropZone(expected(model), run),
    result,
    program.part,
  );
}

/** Return which columns a table must have. */
function expected({ columns, text_column: text }) {
  if (columns === null) return `The texts are in the column “${visible(text)}”, or in one that looks like it.`;
  const names = Object.values(columns).flat().map((column) => `“${visible(column)}”`);
  return `With the columns ${names.join(", ")}.`;
}

/** Return what came out: the file to download, how many rows of each label, and the first rows. */
function outcomePart(file, several) {
  const counts = new Map();
  const known = new Map(); // how sure each label must be, which is asked once and not for every row
  const sureOf = (label) => known.get(label) ?? known.set(label, howSure(label)).get(label);
  const summary = h("div");
  const first = h("div");
  const download = h("p");
  let rows = 0;
  let unsure = 0;
  let isPreviewed = false;

  const preview = (batch) => {
    if (!isPreviewed) first.replaceChildren(h("h2", {}, "The first rows"), previewTable(batch));
    isPreviewed = true;
  };
  const countRows = (batch) => {
    for (const row of batch.rows) {
      const [label, probability] = row.slice(-ADDED);
      for (const own of several ? label.split(SEPARATOR) : [label]) counts.set(own, (counts.get(own) ?? 0) + 1);
      if (Number(probability) < sureOf(label)) unsure += 1;
    }
    rows += batch.rows.length;
    const hasProbabilities = batch.header.at(-1).endsWith("probability");
    summary.replaceChildren(
      h("h2", {}, "What came out"),
      labelCounts(counts, rows),
      hasProbabilities && !several ? unsureNote(unsure) : "",
    );
  };
  const offer = ({ blob, extension }) => {
    const unpacked = file.name.replace(/\.(gz|zst)$/i, "");
    const named = `${unpacked.replace(/(?<=.)\.[^.]*$/, "")}-predictions.${extension}`;
    const link = h(
      "a",
      { class: "button main", href: URL.createObjectURL(blob), download: named },
      `Download ${visible(named)}`,
    );
    download.replaceChildren(link);
    link.focus();
  };
  return { part: h("div", {}, download, summary, first), preview, count: countRows, offer };
}

function labelCounts(counts, rows) {
  const order = [...counts].sort((a, b) => b[1] - a[1]);
  const line = ([label, n]) => ({ label: label || "(no label)", said: `${count(n)} (${percent(n / rows)})`, share: n / rows });
  return countBars(order.map(line), 8);
}

const unsureNote = (unsure) =>
  h(
    "p",
    { class: "note" },
    `${count(unsure)} of them are less than ${percent(howSure())} sure`,
    ownSure().size > 0 ? ", or than their label must be. " : ". ",
    h("a", { href: "/sure" }, "How sure should an answer be?"),
  );

/** Return the first rows, with what was added first: on a narrow screen that is what must be seen. */
function previewTable({ header, rows }) {
  const asProbability = (text) => (header.at(-1).endsWith("probability") ? percent(Number(text)) : text);
  const cells = (row) => [name(row.at(-2), 40), asProbability(row.at(-1)), ...row.slice(0, -ADDED).map(cellText)];
  const heads = [...header.slice(-ADDED), ...header.slice(0, -ADDED)].map((column) => name(column, 30));
  return table("The first rows with their predictions", heads, rows.slice(0, PREVIEWED).map(cells), "rows");
}
