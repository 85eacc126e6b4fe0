// Model: what it was made of, how good it is, where it errs and what it looks at.

import { get } from "./api.js";
import { countBars } from "./bars.js";
import { feature, h, haveLetters, labelOptions, lettersNote, name, table, visible } from "./dom.js";
import { bytes, count, decimal, percent, plural } from "./format.js";
import { bar, barHead } from "./highlight.js";
import { givesSeveral } from "./labels.js";
import { title } from "./page.js";
import { fromProgram } from "./program.js";

const MOST_IN_MATRIX = 20;
const MOST_LISTED = 12;
const FEW = 6;

export async function show(main, model) {
  title(model.name);
  const address = `/v1/models/${encodeURIComponent(model.name)}`;
  const card = await get(address);
  const program = fromProgram(`/models/${encodeURIComponent(model.name)}.json`);
  program.show(address);
  main.replaceChildren(
    h("h1", {}, name(card.name)),
    h("p", { class: "lead" }, visible(card.recipe)),
    numbers(card),
    ...section("How good it is", howGood(card, givesSeveral(model))),
    ...(givesSeveral(model) ? [] : section("Where it errs", errors(card))),
    ...section("What it looks at", words(card)),
    ...section("What it learned from", data(card)),
    program.part,
  );
}

const section = (heading, contents) => [h("h2", {}, heading), ...contents.filter(Boolean)];

function numbers({ metrics, classes, file, trained, held_out: heldOut }) {
  const tile = (value, what) => h("div", {}, h("dt", {}, what), h("dd", {}, h("b", {}, value)));
  return h(
    "dl",
    { class: "numbers" },
    metrics.slice(0, 2).map((m) => tile(figure(m, m.value), interval(m) ? `${m.name}, ${interval(m)}` : m.name)),
    heldOut ? tile(count(heldOut), "texts it was tested on") : null,
    tile(count(trained.examples), "texts it learned from"),
    tile(count(classes.length), "labels"),
    tile(bytes(file.bytes), "size of the file"),
  );
}

const figure = ({ name: metric }, x) => (metric === "accuracy" ? percent(x, 1) : decimal(x));

const interval = (m) =>
  m.low === null || m.low === undefined ? "" : `${figure(m, m.low)} to ${figure(m, m.high)}`;

function howGood({ metrics, classes, held_out: heldOut, tested_on: testedOn }, several) {
  if (metrics.length === 0) {
    return [
      h(
        "p",
        {},
        "Nobody knows: the file of this model holds no answers to texts that it did not learn from. ",
        "Whoever runs the service can give it a table to test the model on.",
      ),
    ];
  }
  const { together, each } = byLabel(metrics, classes);
  const rows = together.map((m) => [m.name, figure(m, m.value), interval(m)]);
  const where =
    testedOn === "test file" ? "of the file that the service was started with" : "that it did not learn from";
  return [
    table("Metrics with their intervals", ["figure", "value", "95 % interval"], rows),
    h(
      "p",
      { class: "note" },
      `On ${plural(heldOut, "text")} ${where}. On other texts of this kind, expect values within the interval `,
      "19 times out of 20. ",
      several ? null : h("a", { href: "/sure" }, "What if it only answers when it is sure?"),
    ),
    each.length > 0 ? eachLabel(each) : null,
  ];
}

/** Part the figures of single labels, "precision of …" and "recall of …", from those of all labels together. */
function byLabel(metrics, classes) {
  const named = new Map(metrics.map((m) => [m.name, m]));
  const each = classes
    .map(({ label }) => ({
      label,
      precision: named.get(`precision of ${label}`),
      recall: named.get(`recall of ${label}`),
    }))
    .filter(({ precision, recall }) => precision && recall);
  const own = new Set(each.flatMap(({ precision, recall }) => [precision, recall]));
  return { together: metrics.filter((m) => !own.has(m)), each };
}

/** Return how good the model is at each label; of many, the weakest are shown and the others folded. */
function eachLabel(each) {
  const value = (m) =>
    h(
      "span",
      {},
      percent(m.value),
      " ",
      h("small", {}, `${(100 * m.low).toFixed(0)}–${(100 * m.high).toFixed(0)}`),
    );
  const weakest = (one) => Math.min(one.precision.value, one.recall.value);
  const isLong = each.length > MOST_LISTED;
  const order = isLong ? each.toSorted((a, b) => weakest(a) - weakest(b)) : each;
  const part = (caption, some) =>
    table(
      caption,
      ["label", "precision", "recall"],
      some.map((one) => [name(one.label, 40), value(one.precision), value(one.recall)]),
    );
  return h(
    "div",
    {},
    h("h3", {}, isLong ? `The ${MOST_LISTED} weakest labels` : "Each label"),
    part("Precision and recall", order.slice(0, MOST_LISTED)),
    isLong
      ? h(
          "details",
          {},
          h("summary", {}, `The other ${plural(order.length - MOST_LISTED, "label")}`),
          part("Precision and recall of the others", order.slice(MOST_LISTED)),
        )
      : null,
    h(
      "p",
      { class: "note" },
      "Precision: how often a given label is right. Recall: how many of the texts of a label get it. ",
      "The small numbers are 95 % intervals.",
    ),
  );
}

function errors({ confusion, label_errors: suspects }) {
  return [
    confusion && confusion.labels.length <= MOST_IN_MATRIX ? matrix(confusion) : null,
    confusion
      ? largestConfusions(confusion)
      : h("p", {}, "Which labels are confused is not known for this model."),
    suspects.length > 0 ? labelErrors(suspects) : null,
  ];
}

function matrix({ labels, counts }) {
  const cell = (n, row) => {
    if (n === 0) return h("td", { class: "none" }, "0");
    return h("td", { share: n / row }, count(n));
  };
  const rows = counts.map((row, i) => [
    name(labels[i], 32),
    ...row.map((n) =>
      cell(
        n,
        row.reduce((a, b) => a + b, 0),
      ),
    ),
  ]);
  const kind = labels.length > 3 ? "matrix upright" : "matrix";
  return h(
    "div",
    {},
    table(
      "How often each label was taken for which",
      ["true ↓ given →", ...labels.map((label) => name(label, 24))],
      rows,
      kind,
    ),
    h("p", { class: "note" }, "Shades are shares of the row."),
  );
}

function largestConfusions({ labels, counts }) {
  const found = counts
    .flatMap((row, i) => row.map((n, j) => ({ n, i, j, of: row.reduce((a, b) => a + b, 0) })))
    .filter(({ n, i, j }) => n > 0 && i !== j);
  if (found.length === 0) return h("p", {}, "No label was taken for another.");
  found.sort((a, b) => b.n - a.n);
  const item = ({ n, i, j, of }) =>
    h(
      "li",
      {},
      name(labels[i]),
      " taken for ",
      name(labels[j]),
      ": ",
      h("b", {}, count(n)),
      ` of ${count(of)} (${percent(n / of)})`,
    );
  return h(
    "div",
    {},
    h(
      "h3",
      {},
      found.length > MOST_LISTED
        ? `The ${MOST_LISTED} most frequent of ${count(found.length)} confusions`
        : "The confusions, the most frequent first",
    ),
    h("ol", { class: "cases" }, found.slice(0, MOST_LISTED).map(item)),
  );
}

function labelErrors(suspects) {
  const item = ({ row, text, label, predicted, probability }) =>
    h(
      "li",
      {},
      "Labelled ",
      name(label, 40),
      ", but looks like ",
      h("b", {}, name(predicted, 40)),
      ` (${percent(probability)})`,
      h(
        "small",
        {},
        [
          row === undefined ? null : `${typeof row === "number" ? `row ${row}` : row}`,
          text === undefined ? null : excerpt(text),
        ]
          .filter(Boolean)
          .join(": "),
      ),
    );
  return h(
    "div",
    {},
    h("h3", {}, "Labels that look wrong"),
    h("p", { class: "note" }, "Check these in the data: if they are wrong, mend them and train again."),
    h("ol", { class: "cases" }, suspects.slice(0, MOST_LISTED).map(item)),
  );
}

function excerpt(text) {
  const whole = typeof text === "string" ? text : Object.values(text).join(" · ");
  return visible(whole.length > 160 ? `${whole.slice(0, 159)}…` : whole);
}

/** What the numbers beside words are, as their learner has them. */
const MEASURES = {
  weight: "What a word adds to the label's score is its weight times its value in the text.",
  "odds ratio": "The odds ratio is how many times as probable the word is in a text of the label as in one of the others.",
  separation: "The separation is how far the mean of the label is from that of the others, in standard deviations.",
};

function words({ words: byLabel, classes, measure }) {
  const labels = classes.map(({ label }) => label).filter((label) => byLabel?.[label]?.length > 0);
  if (labels.length === 0) return [h("p", {}, "This model does not weigh single words.")];
  const one = (label) =>
    h(
      "section",
      { class: "words", "aria-label": `Words of ${label}` },
      h("h3", {}, name(label, 40)),
      wordTable(label, byLabel[label], measure),
    );
  const shown = labels.flatMap((label) => byLabel[label].slice(0, 10)).map(({ name: word }) => word);
  const meaning = h("p", { class: "note" }, MEASURES[measure] ?? "");
  const note = haveLetters(shown) ? [meaning, lettersNote()] : [meaning];
  if (labels.length <= FEW) return [h("div", { class: "grid" }, labels.map(one)), ...note];
  const place = h("div");
  const chosen = h("select", { id: "words-of" }, labelOptions(labels));
  const choose = () => place.replaceChildren(one(labels[Number(chosen.value)]));
  chosen.addEventListener("change", choose);
  choose();
  return [
    h("p", { class: "field inline" }, h("label", { for: "words-of" }, "The words that speak most for "), chosen),
    place,
    ...note,
  ];
}

function wordTable(label, list, measure) {
  const size = measure === "odds ratio" ? Math.log : (x) => x; // a ratio of 1 says nothing
  const largest = Math.max(...list.map(({ weight }) => Math.abs(size(weight))), 1e-12);
  return table(
    `Words that speak for ${visible(label)}`,
    ["word", measure, barHead()],
    list.slice(0, 10).map(({ name: word, weight }) => [feature(word), decimal(weight, 2), bar(size(weight), largest)]),
  );
}

const aboutFile = (file, version) => [
  ["file", file.name],
  ["written", file.trained_at],
  ["version", version],
  ["fingerprint of the file", file.fingerprint],
];

function data({ classes, trained, certificate, why, file, version }) {
  const most = Math.max(...classes.map((c) => c.count), 1);
  const order = classes.toSorted((a, b) => b.count - a.count);
  const lines = order.map((c) => ({ label: c.label, said: count(c.count), share: c.count / most }));
  const facts = Object.entries(trained ?? {}).filter(([, value]) => typeof value !== "object");
  return [
    countBars(lines, MOST_LISTED),
    why.length > 0
      ? h(
          "div",
          {},
          h("h3", {}, "Why this recipe"),
          why.map((reason) => h("p", {}, visible(reason))),
        )
      : null,
    h("h3", {}, "How it was trained"),
    certificate
      ? h("p", {}, proof(certificate))
      : h("p", {}, "Nothing was proved about the optimum: this kind of learner has no certificate."),
    h(
      "dl",
      { class: "facts" },
      [...facts, ...aboutFile(file, version)].flatMap(([key, value]) => [
        h("dt", {}, visible(key)),
        h("dd", {}, typeof value === "number" ? count(value) : visible(value)),
      ]),
    ),
  ];
}

function proof({ objective, reached, "relative gap": gap }) {
  const digits = gap > 0 ? Math.min(12, Math.max(0, Math.ceil(-Math.log10(gap)) - 1)) : 0; // two that are not 0
  const most = percent(gap, digits);
  const above = `the objective ${objective.toPrecision(6)} is at most ${most} above the best that any weights can reach`;
  return reached ? `Certified: ${above}.` : `Not certified: ${above}, which is more than was asked for.`;
}
