// Table: a file of many texts, given back with predictions.

import { h, name, table, visible } from "./dom.js";
import { count, percent } from "./format.js";
import { fromProgram, howSure, title } from "./page.js";
import { dropZone, runTable } from "./tablejob.js";

const PREVIEWED = 20;
const ADDED = ["prediction", "probability"];

export async function show(main, model) {
  title("Table");
  const result = h("section", { "aria-label": "Predictions" });
  const run = async (file, report, signal) => {
    const outcome = outcomePart(model, file);
    result.replaceChildren(outcome.part);
    let rows = 0;
    const whole = await runTable(
      file,
      { model: model.name },
      {
        signal,
        arrived: (answer) => {
          outcome.add(answer);
          rows = answer.rows.length;
        },
        progress: (share) => report(rows, share),
      },
    );
    outcome.finish(whole);
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
      ", and you get the file back with two more columns: the prediction and how sure it is. The file goes to this service and nowhere else, and is not kept.",
    ),
    dropZone(run),
    result,
    program.part,
  );
}

/** Return what came out: how many rows of each label, the first rows, and the file to download. */
function outcomePart(model, file) {
  const counts = new Map();
  let rows = 0;
  let unsure = 0;
  const summary = h("div");
  const preview = h("div");
  const download = h("p");
  const sure = howSure();

  const add = (answer) => {
    const [label, probability] = ADDED.map((column) => answer.header.lastIndexOf(column));
    for (const row of answer.rows) {
      counts.set(row[label], (counts.get(row[label]) ?? 0) + 1);
      if (Number(row[probability]) < sure) unsure += 1;
    }
    if (rows === 0) preview.replaceChildren(h("h2", {}, "The first rows"), previewTable(answer));
    rows += answer.rows.length;
    summary.replaceChildren(h("h2", {}, "What came out"), labelCounts(counts, rows), unsureNote(unsure, sure));
  };
  const finish = (whole) => {
    const dot = file.name.lastIndexOf(".");
    const named =
      dot > 0 ? `${file.name.slice(0, dot)}-predictions${file.name.slice(dot)}` : `${file.name}-predictions.csv`;
    const link = h(
      "a",
      { class: "button main", href: URL.createObjectURL(whole), download: named },
      `Download ${visible(named)}`,
    );
    download.replaceChildren(link);
    link.focus();
  };
  return { part: h("div", {}, download, summary, preview), add, finish };
}

function labelCounts(counts, rows) {
  const order = [...counts].sort((a, b) => b[1] - a[1]);
  const line = ([label, n]) =>
    h(
      "li",
      {},
      h("span", { class: "of" }, name(label, 40)),
      h("span", { class: "number" }, `${count(n)} (${percent(n / rows)})`),
      h("span", { class: "track", "aria-hidden": "true" }, h("span", { class: "fill", share: n / rows })),
    );
  const first = h("ol", { class: "bars sorted" }, order.slice(0, 8).map(line));
  if (order.length <= 8) return first;
  return h(
    "div",
    {},
    first,
    h(
      "details",
      {},
      h("summary", {}, `The other ${order.length - 8} labels`),
      h("ol", { class: "bars sorted" }, order.slice(8).map(line)),
    ),
  );
}

function unsureNote(unsure, sure) {
  return h(
    "p",
    { class: "note" },
    `${count(unsure)} of them are less than ${percent(sure)} sure. `,
    h("a", { href: "/sure" }, "How sure should an answer be?"),
  );
}

/** Return the first rows, with what was added first: on a narrow screen that is what must be seen. */
function previewTable({ header, rows }) {
  const added = ADDED.map((column) => header.lastIndexOf(column));
  const order = [...added, ...[...header.keys()].filter((i) => !added.includes(i))];
  const cell = (text, i) =>
    i === added[0]
      ? name(text, 40)
      : i === added[1]
        ? percent(Number(text))
        : h("span", { class: "cell", dir: "auto" }, visible(text.length > 300 ? `${text.slice(0, 300)}…` : text));
  return table(
    "The first rows with their predictions",
    order.map((i) => name(header[i], 30)),
    rows.slice(0, PREVIEWED).map((row) => order.map((i) => cell(row[i] ?? "", i))),
    "rows",
  );
}
