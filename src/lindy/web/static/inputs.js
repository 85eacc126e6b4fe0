// What a model is asked about: one text, or one field for each column of its table.

import { h, name } from "./dom.js";
import { remember, settings } from "./page.js";

/**
 * Return the fields of a model, with `value()` (what the service is asked: a text or a record), `set(value)` and
 * `isEmpty()`; `changed` is called with the event of every change.
 */
export function inputs(model, changed) {
  const made = KINDS[model.takes](model, changed);
  const kept = settings();
  made.set(isOfTexts(model) ? (kept.text ?? "") : parsed(kept.record));
  return made;
}

const isOfTexts = ({ takes }) => takes === "texts" || takes === "mail";

const KINDS = {
  texts: (model, changed) => oneText("Text", "Type or paste a text", changed),
  mail: (model, changed) => oneText("Message", "Paste a whole message, with its headers", changed),
  features: (model, changed) => featureLines(changed),
  records: (model, changed) => onePerColumn(model.columns, changed),
};

/** Return what `/v1/predict` and its like are asked, which take several records at once. */
export const forMany = ({ record, ...rest }) => (record === undefined ? rest : { ...rest, records: [record] });

function area(label, placeholder, changed, kept) {
  const field = h("textarea", { id: "text", rows: "5", dir: "auto", spellcheck: "false", placeholder });
  field.addEventListener("input", (event) => {
    remember(kept(field));
    changed(event);
  });
  return {
    part: h("div", { class: "field" }, h("label", { for: "text" }, label), field),
    first: field,
    isEmpty: () => field.value.trim() === "",
  };
}

function oneText(label, placeholder, changed) {
  const made = area(label, placeholder, changed, (field) => ({ text: field.value }));
  return { ...made, value: () => ({ text: made.first.value }), set: (text) => (made.first.value = text) };
}

/** Features with values, one in a line: `excellent 2`, or only `excellent`. */
function featureLines(changed) {
  const read = (field) =>
    Object.fromEntries(
      field.value
        .split("\n")
        .filter((line) => line.trim() !== "")
        .map((line) => /^\s*(.*?)(?:[\s:]\s*([-+]?[\d.]+(?:e[-+]?\d+)?))?\s*$/i.exec(line))
        .map(([, feature, value]) => [feature, Number(value ?? 1)]),
    );
  const made = area("Features, one in a line, with their values", "excellent 2", changed, (field) => ({
    record: JSON.stringify(read(field)),
  }));
  const set = (record) =>
    (made.first.value = Object.entries(record)
      .map(([key, value]) => `${key} ${value}`)
      .join("\n"));
  return { ...made, value: () => ({ record: read(made.first) }), set };
}

function onePerColumn(columns, changed) {
  const fields = Object.entries(columns).flatMap(([kind, names]) =>
    names.map((column) => ({ kind, column, field: fieldOf(kind) })),
  );
  const value = () =>
    Object.fromEntries(
      fields.map(({ kind, column, field }) => [column, kind === "numeric" ? numberIn(field) : field.value]),
    );
  fields.forEach(({ field }, i) => {
    field.id = `column-${i}`;
    field.addEventListener("input", (event) => {
      remember({ record: JSON.stringify(value()) });
      changed(event);
    });
  });
  const set = (record) => fields.forEach(({ column, field }) => (field.value = record?.[column] ?? ""));
  return {
    part: h(
      "fieldset",
      { class: "columns" },
      h("legend", {}, "One row of the model's table"),
      fields.map(({ kind, column, field }) =>
        h(
          "div",
          { class: "field" },
          h(
            "label",
            { for: field.id },
            name(column),
            kind === "text"
              ? null
              : h("span", { class: "note" }, ` ${kind === "numeric" ? "a number" : "a category"}`),
          ),
          field,
        ),
      ),
    ),
    first: fields[0].field,
    value: () => ({ record: value() }),
    isEmpty: () => fields.every(({ field }) => field.value.trim() === ""),
    set,
  };
}

function fieldOf(kind) {
  if (kind === "text") return h("textarea", { rows: "2", dir: "auto", spellcheck: "false" });
  return h("input", {
    type: "text",
    dir: "auto",
    autocomplete: "off",
    inputmode: kind === "numeric" ? "decimal" : null,
  });
}

/** Return the number in a field; what is none is sent as it is, so that the service says what is wrong with it. */
function numberIn(field) {
  const text = field.value.trim();
  return text === "" ? null : Number.isNaN(Number(text)) ? text : Number(text);
}

function parsed(record) {
  try {
    return JSON.parse(record ?? "{}");
  } catch {
    return {};
  }
}
