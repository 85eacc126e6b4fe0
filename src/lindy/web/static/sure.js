// How sure: what it costs and gains to give a label only where it is probable enough, counted on held-out texts.

import { get } from "./api.js";
import { h, name, setShare, svg, table } from "./dom.js";
import { count, decimal, percent, plural } from "./format.js";
import { cumulated, placeFor, thresholds, together, total } from "./held.js";
import { givesSeveral } from "./labels.js";
import { announcer, howSure, ownSure, title } from "./page.js";
import { fromProgram } from "./program.js";
import { classTable, placeSlider } from "./sureclasses.js";

export async function show(main, model) {
  title("How sure");
  if (givesSeveral(model)) return main.replaceChildren(...ownThresholds(model));
  const decisions = await get(`/v1/models/${encodeURIComponent(model.name)}/decisions`);
  const heading = h("h1", {}, "How sure must an answer be?");
  if (!decisions.bins) return main.replaceChildren(heading, ...withoutAnswers(model));
  const held = cumulated(decisions);
  const set = thresholds(held, howSure(), ownSure());
  const slider = placeSlider(held, { id: "sure" });
  const shown = h("output", { for: "sure", class: "label" });
  const outcome = outcomePart();
  const chart = chartPart(held);
  const classes = classTable(held, set, () => moved());
  const program = fromProgram("/sure.json");
  program.query({ model: model.name });
  const { region, say } = announcer();

  const moved = () => {
    const edge = held.edges[set.common];
    const all = total(held, set.places());
    slider.show(set.common);
    shown.textContent = percent(edge);
    outcome.show(all, held.n);
    chart.show(set.common);
    classes.show();
    set.remember();
    say(`Of 1,000 texts ${summary(all, held.n)}.`);
    const own = [...set.own].map(([label, place]) => [label, held.edges[place]]);
    const asked = { model: model.name, text: "…", threshold: edge };
    program.show("/v1/predict", own.length > 0 ? { ...asked, thresholds: Object.fromEntries(own) } : asked);
  };
  slider.part.addEventListener("input", () => {
    set.common = Number(slider.part.value);
    moved();
  });
  main.replaceChildren(
    heading,
    h(
      "p",
      { class: "lead" },
      "A label that is less probable than this is not given: the text is left to a person. Counted on ",
      plural(held.n, "text"),
      " that ",
      name(model.name, 30),
      " did not learn from.",
    ),
    h(
      "div",
      { class: "slider" },
      h("label", { for: "sure" }, "At least this sure"),
      shown,
      slider.part,
      targetPart(held, set, moved),
    ),
    region,
    outcome.part,
    chart.part,
    h("h2", {}, "Label by label"),
    h("p", { class: "note" }, "A label can be made to be surer than the others, or less sure, with its own slider."),
    classes.part,
    h(
      "p",
      { class: "note" },
      "The pages Try and Table now call answers below this “unsure”. Precision: how often a given label is ",
      "right; beside it, what can be expected on other texts, 19 times out of 20. Coverage: how many of the ",
      "texts that would get this label still get it. Right, wrong and left: of 1,000 texts.",
    ),
    program.part,
  );
  moved();
}

/** Return the thresholds of a model of several labels, which are part of it. */
function ownThresholds(model) {
  const rows = Object.entries(model.thresholds).sort((a, b) => a[1] - b[1]);
  return [
    h("h1", {}, "How sure must an answer be?"),
    h(
      "p",
      { class: "lead" },
      name(model.name),
      " gives any number of labels to a text: each from a threshold of its own on, which was found on texts that it did not learn from.",
    ),
    table("Labels and their thresholds", ["label", "given from"], rows.map(([label, from]) => [name(label, 40), decimal(from)])),
    h("p", { class: "note" }, "Programs may ask for more: a threshold in a request leaves out labels that are less probable."),
  ];
}

function withoutAnswers(model) {
  return [
    h(
      "p",
      { class: "lead" },
      "Nobody knows for ",
      name(model.name),
      ": its file holds no probabilities of texts that it did not learn from. ",
      "Whoever runs the service can give it labelled texts to test on.",
    ),
    h("p", { class: "note" }, "A model that gives labels without probabilities must be trained again, with them."),
  ];
}

function summary({ right, wrong }, n) {
  const [rightly, wrongly, left] = [right, wrong, n - right - wrong].map((part) => count((1000 * part) / n));
  return `${rightly} get the right label, ${wrongly} a wrong one, and ${left} are left to a person`;
}

/** Return the outcome for 1,000 texts: one bar of three parts, and three numbers. */
function outcomePart() {
  const kinds = [
    ["right", "get the right label"],
    ["wrong", "get a wrong label"],
    ["left", "are left to a person"],
  ];
  const parts = Object.fromEntries(kinds.map(([kind]) => [kind, h("span", { class: kind })]));
  const numbers = Object.fromEntries(kinds.map(([kind]) => [kind, h("b")]));
  const precision = h("b");
  const coverage = h("b");
  const part = h(
    "section",
    { "aria-labelledby": "outcome-title" },
    h("h2", { id: "outcome-title" }, "Of 1,000 texts"),
    h("div", { class: "stack", "aria-hidden": "true" }, Object.values(parts)),
    h(
      "dl",
      { class: "numbers" },
      kinds.map(([kind, words]) =>
        h(
          "div",
          {},
          h("dt", {}, h("span", { class: `key ${kind}`, "aria-hidden": "true" }), words),
          h("dd", {}, numbers[kind]),
        ),
      ),
      h("div", {}, h("dt", {}, "precision: given labels that are right"), h("dd", {}, precision)),
      h("div", {}, h("dt", {}, "coverage: texts that get a label"), h("dd", {}, coverage)),
    ),
  );
  const show = ({ right, wrong }, n) => {
    const shares = { right: right / n, wrong: wrong / n, left: 1 - (right + wrong) / n };
    for (const [kind] of kinds) {
      setShare(parts[kind], shares[kind]);
      numbers[kind].textContent = count(1000 * shares[kind]);
    }
    precision.textContent = right + wrong > 0 ? percent(right / (right + wrong), 1) : "–";
    coverage.textContent = percent((right + wrong) / n, 1);
  };
  return { part, show };
}

/** Return the field that finds the lowest places at which enough of the given labels are right. */
function targetPart(held, set, moved) {
  const field = h("input", { type: "number", id: "target", min: "1", max: "100", step: "0.1", value: "95" });
  const said = h("span", { class: "note", role: "status" });
  const wanted = () => Number(field.value) / 100;
  const forAll = (event) => {
    event.preventDefault();
    const place = placeFor(held, wanted(), (i) => together(held, i));
    said.textContent = place < 0 ? "No setting reaches that on these texts." : "";
    if (place < 0) return;
    set.common = place;
    set.own.clear();
    moved();
  };
  const forEach = () => {
    const found = held.labels.map((label, k) => [
      label,
      placeFor(held, wanted(), (i) => ({ right: held.right[i][k], wrong: held.wrong[i][k] })),
    ]);
    const missed = found.filter(([, place]) => place < 0);
    for (const [label, place] of found) if (place >= 0) set.own.set(label, place);
    said.textContent = missed.length > 0 ? `Out of reach for ${plural(missed.length, "label")}.` : "";
    moved();
  };
  return h(
    "form",
    { class: "target", submit: forAll },
    h("label", { for: "target" }, "or: given labels shall be right in"),
    field,
    " % ",
    h("button", {}, "Find"),
    " ",
    h("button", { type: "button", click: forEach }, "Find for each label"),
    " ",
    said,
  );
}

// on a telephone the drawing is as high as on a desk, only narrower
const WIDE = matchMedia("(max-width: 34rem)").matches ? 330 : 640;
const HIGH = 200;

/** Return precision and coverage as curves over the places of the slider. */
function chartPart(held) {
  const last = held.edges.length - 1;
  const x = (edge) => 40 + (WIDE - 60) * edge;
  const y = (share) => 10 + (HIGH - 40) * (1 - share);
  const points = held.edges.map((edge, i) => ({ edge, ...together(held, i) }));
  const path = (value) =>
    points
      .filter((p) => value(p) !== null)
      .map((p, i) => `${i ? "L" : "M"}${x(p.edge).toFixed(1)} ${y(value(p)).toFixed(1)}`)
      .join("");
  const precision = ({ right, wrong }) => (right + wrong > 0 ? right / (right + wrong) : null);
  const coverage = ({ right, wrong }) => (right + wrong) / held.n;
  const marker = svg("line", { class: "marker", y1: y(1), y2: y(0) });
  const ticks = [0, 0.25, 0.5, 0.75, 1];
  const drawing = svg(
    "svg",
    {
      viewBox: `0 0 ${WIDE} ${HIGH}`,
      role: "img",
      "aria-label": "Precision rises and coverage falls the surer an answer must be",
    },
    ticks.flatMap((t) => [
      svg("line", { class: "rule", x1: x(0), x2: x(1), y1: y(t), y2: y(t) }),
      svg("text", { x: x(0) - 6, y: y(t) + 4, "text-anchor": "end" }, `${100 * t}`),
      svg("text", { x: x(t), y: HIGH - 12, "text-anchor": "middle" }, `${100 * t} %`),
    ]),
    svg("path", { class: "precision", d: path(precision) }),
    svg("path", { class: "coverage", d: path(coverage) }),
    marker,
  );
  const part = h(
    "figure",
    { class: "curve" },
    drawing,
    h(
      "figcaption",
      {},
      h("span", { class: "key precision" }),
      "precision ",
      h("span", { class: "key coverage" }),
      "coverage, in %, by how sure every label must be",
    ),
  );
  const show = (place) => {
    const at = x(held.edges[Math.min(place, last)]);
    marker.setAttribute("x1", at);
    marker.setAttribute("x2", at);
  };
  return { part, show };
}
