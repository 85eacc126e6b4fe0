// The page: what is typed is judged at once.

import { Model } from "./model.mjs";

const MOST_BARS = 10;
const MOST_NEAR = 5; // labels below their thresholds that are shown
const MOST_FEATURES = 25;
const MOST_SEGMENTS = 20000;
const MARKED = 0.1; // shares of the most important word from which on a word is marked, and marked twice
const STRONG = 0.4;
const LONGEST_CHOICE = 90; // characters of an example that are shown
const PLACEHOLDERS = { text: "Type or paste a text", number: "a number", category: "a value" };

const $ = (id) => document.getElementById(id);

/** An element with a class, and text or elements in it; nothing that comes from a text is ever markup. */
function element(name, className, ...inside) {
  const made = document.createElement(name);
  if (className) made.className = className;
  made.append(...inside);
  return made;
}

/** A label or word with its own direction of writing. */
function named(text) {
  return element("bdi", "", String(text));
}

function percent(p) {
  const digits = p > 0.999 || p < 0.001 ? 2 : 1;
  return `${(100 * p).toFixed(digits)} %`;
}

function signed(x) {
  return `${x < 0 ? "−" : "+"}${Math.abs(x).toPrecision(3)}`;
}

/** One input for each column of a record, or one for a text. */
function makeInputs(inputs) {
  const fields = inputs ?? [{ name: "Text", is: "text" }];
  return fields.map((field, i) => {
    const input = element(field.is === "text" ? "textarea" : "input", "");
    input.id = `input${i}`;
    input.autocomplete = "off";
    input.placeholder = PLACEHOLDERS[field.is] ?? "";
    if (field.is === "text") Object.assign(input, { rows: inputs ? 3 : 6, dir: "auto", spellcheck: false });
    if (field.is === "number") input.inputMode = "decimal";
    if (field.is === "category") {
      const list = element("datalist", "", ...field.values.map((value) => new Option(value, value)));
      list.id = `values${i}`;
      input.setAttribute("list", list.id);
      $("inputs").append(list);
    }
    const label = element("label", "", named(field.name));
    label.htmlFor = input.id;
    $("inputs").append(label, input);
    return { name: field.name, input };
  });
}

/** A label's share, or its score as a share of the largest, as a bar; of several labels with a line at its threshold. */
function meterOf(value, share, threshold = null) {
  const meter = element("span", value < 0 ? "meter below" : "meter");
  meter.style.setProperty("--share", Math.min(Math.abs(share), 1));
  meter.setAttribute("aria-hidden", "true");
  if (threshold !== null) {
    const line = element("span", "threshold");
    line.style.setProperty("--share", Math.min(threshold, 1));
    meter.append(line);
  }
  return meter;
}

/** The labels that are given, and those nearest to their thresholds, as buttons: which one is explained. */
function chips({ label: given, explained, probabilities, scores }, { thresholds }, choose) {
  const values = probabilities ?? scores;
  const said = probabilities ? percent : signed;
  const names = given.map(String);
  const others = Object.keys(values).filter((name) => !names.includes(name));
  others.sort((a, b) => values[b] - thresholds[b] - (values[a] - thresholds[a]));
  const shown = [...names, ...others.slice(0, MOST_NEAR)];
  if (!shown.includes(String(explained))) shown.push(String(explained));
  return shown.map((name) => {
    const button = element("button", names.includes(name) ? "chip" : "chip near", named(name), ` ${said(values[name])}`);
    button.type = "button";
    button.setAttribute("aria-pressed", name === String(explained));
    button.title = `given from ${said(thresholds[name])} on`;
    button.addEventListener("click", () => choose(name));
    return element("li", "", button);
  });
}

/** Whether the label that is explained is given, and why: its probability, or score, and its threshold. */
function aboutLabel({ label: given, explained, probabilities, scores }, { thresholds }) {
  const name = String(explained);
  const value = (probabilities ?? scores)[name];
  const said = probabilities ? percent : signed;
  const verdict = given.includes(explained) ? "given" : "not given";
  const words = element("span", "", named(name), ` is ${verdict}: ${said(value)}, and its threshold is ${said(thresholds[name])}. `);
  return probabilities ? [words, meterOf(value, value, thresholds[name])] : [words];
}

/** The probabilities, or the scores, as bars, the highest first. */
function bars({ probabilities, scores }, best) {
  const values = Object.entries(probabilities ?? scores).sort(([, a], [, b]) => b - a);
  const largest = Math.max(...values.map(([, value]) => Math.abs(value)), Number.MIN_VALUE);
  const made = values.slice(0, MOST_BARS).map(([name, value]) => {
    const meter = meterOf(value, probabilities ? value : value / largest);
    const said = element("span", "value", probabilities ? percent(value) : signed(value));
    return element("li", name === String(best) ? "best" : "", element("span", "name", named(name)), meter, said);
  });
  const others = values.length - made.length;
  return others ? [...made, element("li", "", element("span", "name", `(${others} more labels)`))] : made;
}

/** A piece of the text, marked by what it adds. */
function piece({ text, credit, share, isKnown }) {
  if (Math.abs(share) < MARKED) {
    const plain = element("span", isKnown ? "" : "unknown", text);
    if (!isKnown) plain.title = "not known";
    return plain;
  }
  const sign = (share > 0 ? "+" : "−").repeat(Math.abs(share) >= STRONG ? 2 : 1);
  const mark = element("mark", share > 0 ? "for" : "against", element("sup", "", sign), text);
  mark.style.setProperty("--strength", Math.min(Math.max(Math.abs(share), 0.15), 1));
  mark.title = signed(credit);
  return mark;
}

/** What the bias and the features add, as rows of a table. */
function lines({ bias, features }) {
  const shown = features.slice(0, MOST_FEATURES).map((own) => [own.name, own.value, own.lead]);
  const rest = features.slice(MOST_FEATURES);
  if (rest.length) shown.push([`(${rest.length} more features)`, null, rest.reduce((total, own) => total + own.lead, 0)]);
  return [["(bias)", null, bias], ...shown].map(([name, value, lead]) => {
    const number = value === null ? "" : value.toPrecision(3);
    return element("tr", "", element("td", "", named(name)), element("td", "", number), element("td", "", signed(lead)));
  });
}

let asked; // the label that was chosen to be explained

/** Several labels: chips, what is known of the chosen one, and why. */
function showSeveral(model, example) {
  const said = model.explain(example, { label: asked });
  const choose = (name) => {
    asked = model.labels.find((own) => String(own) === name);
    showSeveral(model, example);
    document.querySelector("#chips [aria-pressed=true]").focus();
  };
  const none = said.known === 0 ? "no known word" : "no label";
  $("label").replaceChildren(...(said.label.length ? said.label.flatMap((own, i) => [i ? ", " : "", named(own)]) : [none]));
  $("chips").replaceChildren(...chips(said, model.about, choose));
  $("about").replaceChildren(...aboutLabel(said, model.about));
  showWhy(said);
}

function show(model, example) {
  if (model.decision.several) return showSeveral(model, example);
  const said = model.explain(example);
  const sure = said.label !== null;
  const why = said.known === 0 ? "no known word: this is what the model says of any such text" : "not sure enough";
  $("label").replaceChildren(sure ? named(said.best) : "unsure", ...(sure && said.known > 0 ? [] : [element("small", "", ` (${why})`)]));
  $("bars").replaceChildren(...bars(said, said.best));
  showWhy(said);
}

/** The text with its words marked for the label that is explained, and the numbers. */
function showWhy(said) {
  $("text").replaceChildren(...said.segments.slice(0, MOST_SEGMENTS).map(piece));
  $("for").replaceChildren("+ speaks for ", named(said.explained));
  $("against").replaceChildren(...(said.against === null ? ["− speaks against it"] : ["− speaks for ", named(said.against)]));
  $("not-known").hidden = said.unknown.length === 0;
  $("lines").replaceChildren(...lines(said));
}

function refresh(model, fields) {
  const record = Object.fromEntries(fields.map(({ name, input }) => [name, input.value]));
  const isEmpty = fields.every(({ input }) => input.value === "");
  $("result").hidden = isEmpty;
  $("problem").textContent = "";
  if (isEmpty) return;
  try {
    show(model, model.inputs ? record : fields[0].input.value);
  } catch (error) {
    $("result").hidden = true;
    $("problem").textContent = error.message; // what was typed in is not what the model takes
  }
}

/** The examples as buttons, which fill the inputs. */
function makeChoices(model, fields) {
  const choice = (example) => {
    const values = fields.map(({ name }) => String((model.inputs ? example[name] : example) ?? ""));
    const said = values.filter(Boolean).join(" · ");
    const shown = said.length > LONGEST_CHOICE ? `${[...said].slice(0, LONGEST_CHOICE - 1).join("")}…` : said;
    const button = element("button", "", named(shown));
    button.type = "button";
    button.title = said;
    button.addEventListener("click", () => {
      fields.forEach(({ input }, i) => (input.value = values[i]));
      refresh(model, fields);
      fields[0].input.focus();
    });
    return element("li", "", button);
  };
  $("choices").replaceChildren(...model.examples.map(choice));
  $("examples").hidden = model.examples.length === 0;
}

const model = await Model.from($("model").textContent);
const fields = makeInputs(model.inputs);
makeChoices(model, fields);
for (const { input } of fields) input.addEventListener("input", () => refresh(model, fields));
model.explain(model.inputs ? {} : document.title); // so that the first answer does not wait for the compiler
refresh(model, fields); // what the browser has kept of an earlier visit
fields[0].input.focus();
document.body.dataset.ready = "true";
