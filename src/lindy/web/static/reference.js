// API: the service's own OpenAPI document, as something to read.

import { get } from "./api.js";
import { h, table } from "./dom.js";
import { title } from "./page.js";
import { fromProgram } from "./program.js";

export async function show(main) {
  title("API");
  const document = await get("/openapi.json");
  const types = document.components.schemas;
  main.replaceChildren(
    h("h1", {}, "How the service is called"),
    h("p", { class: "lead" }, document.info.description),
    h("h2", {}, "What it can be asked"),
    ...Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => operationPart(method, path, operation)),
    ),
    h("h2", {}, "What is sent and answered"),
    ...Object.entries(types).map(([name, type]) => typePart(name, type)),
    fromProgram("/docs.json").part,
  );
  if (location.hash.startsWith("#type-"))
    main.querySelector(`#${CSS.escape(location.hash.slice(1))}`)?.scrollIntoView();
}

function operationPart(method, path, operation) {
  const query = (operation.parameters ?? []).filter((parameter) => parameter.in === "query");
  const body = Object.entries(operation.requestBody?.content ?? {});
  const answer = Object.entries(operation.responses["200"]?.content ?? {});
  const refusals = Object.entries(operation.responses).filter(([status]) => Number(status) >= 400);
  const line = (what, contents) =>
    contents.length > 0 &&
    h(
      "p",
      {},
      `${what} `,
      contents.flatMap(([kind, { schema }], i) => [
        i > 0 ? ", or " : "",
        ...typeText(schema ?? {}),
        h("small", {}, ` (${kind})`),
      ]),
    );
  return h(
    "section",
    { class: "operation" },
    h("h3", {}, h("code", {}, h("b", {}, method.toUpperCase()), ` ${path}`)),
    h("p", {}, operation.summary),
    query.length > 0 ? parametersTable(path, query) : null,
    line("Takes", body),
    line("Gives", answer),
    h("p", { class: "note" }, "May refuse with ", refusals.map(([status]) => status).join(", "), "."),
  );
}

function parametersTable(path, parameters) {
  const rows = parameters.map(({ name, description, required }) => [
    h("code", {}, `?${name}=`),
    h("span", {}, description ?? "", required ? "" : h("small", {}, " optional")),
  ]);
  return table(`Parameters of ${path}`, ["behind the address", "meaning"], rows, "rows");
}

function typePart(name, type) {
  const required = new Set(type.required ?? []);
  const fields = Object.entries(type.properties ?? {});
  const rows = fields.map(([field, schema]) => [
    h("code", {}, field),
    h("span", {}, typeText(schema), required.has(field) ? "" : h("small", {}, " optional")),
    schema.description ?? described(schema) ?? "",
  ]);
  return h(
    "section",
    { class: "operation" },
    h("h3", { id: `type-${name}` }, name),
    type.description ? h("p", {}, type.description) : null,
    fields.length > 0 ? table(`Fields of ${name}`, ["field", "type", "meaning"], rows, "rows") : null,
  );
}

const described = (schema) => schema.anyOf?.map(({ description }) => description).find(Boolean);

/** Return the type that a schema describes, in words and links. */
function typeText(schema) {
  if (schema.$ref) {
    const name = schema.$ref.split("/").pop();
    return [h("a", { href: `#type-${name}` }, name)];
  }
  if (schema.anyOf) return schema.anyOf.flatMap((one, i) => [i > 0 ? " or " : "", ...typeText(one)]);
  if (schema.type === "array") return ["list of ", ...typeText(schema.items ?? {})];
  if (schema.type === "object" && schema.additionalProperties)
    return ["names with ", ...typeText(schema.additionalProperties)];
  if (schema.enum) return [schema.enum.join(", ")];
  const range = ["minimum", "maximum"]
    .filter((key) => key in schema)
    .map((key) => `${key === "minimum" ? "≥" : "≤"} ${schema[key]}`);
  return [[schema.type ?? "any value", range.join(", ")].filter(Boolean).join(" ")];
}
