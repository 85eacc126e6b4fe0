// A file through the service, piece by piece. Browsers do not read an answer before the whole request is sent, so that
// one long request could neither show its progress nor be answered by a service that keeps nothing: pieces can.

import { call } from "./api.js";
import { parse, pieces } from "./csv.js";
import { h } from "./dom.js";
import { bytes as size, count, percent } from "./format.js";
import { problemPlace } from "./page.js";

const TYPES = { jsonl: "application/x-ndjson", ndjson: "application/x-ndjson", tsv: "text/tab-separated-values" };

/** Return how a file is read: as JSON Lines, or as a table with a header. */
function formatOf(file) {
  const extension = file.name.split(".").pop().toLowerCase();
  if (["xlsx", "xls", "ods"].includes(extension))
    throw new Error("This is a workbook. Save the sheet as CSV and drop that.");
  if (["gz", "zip", "zst", "bz2", "parquet"].includes(extension))
    throw new Error(
      `This is a .${extension} file. Unpack or convert it to CSV first; \`lindy predict\` reads more formats.`,
    );
  const type = TYPES[extension] ?? "text/csv";
  return { type, isJson: type === TYPES.jsonl, extension: TYPES[extension] ? extension : "csv" };
}

/**
 * Send a file through `/v1/table` with this query; `arrived({header, rows, text, delimiter})` gets every piece of the answer,
 * `progress(share)` how much of the file has been answered. Returns the whole answer as a Blob.
 */
export async function runTable(file, query, { arrived, progress, signal }) {
  const { type, isJson } = formatOf(file);
  const address = `/v1/table?${new URLSearchParams(query)}`;
  const parts = [];
  let header = null;
  for await (const { bytes, read } of pieces(file, { hasHeader: !isJson, quotes: !isJson })) {
    const response = await call(address, {
      method: "POST",
      headers: { "Content-Type": type },
      body: bytes,
      signal,
    });
    const text = await response.text();
    const answer = isJson ? fromJson(text) : fromDelimited(text);
    parts.push(header === null || isJson ? text : text.slice(answer.headerLength));
    header ??= answer.header;
    arrived(answer);
    progress(file.size === 0 ? 1 : read / file.size);
  }
  if (parts.length === 0) throw new Error("This file has no rows.");
  return new Blob(parts, { type });
}

function fromDelimited(text) {
  const length = headerLength(text);
  const times = (c) => text.slice(0, length).split(c).length;
  const [header, ...rows] = parse(
    text,
    [",", "\t", ";", "|"].reduce((best, c) => (times(c) > times(best) ? c : best)),
  );
  return { header, rows, headerLength: length };
}

/** Return how long the first row is, whose names may hold line ends within quotes. */
function headerLength(text) {
  let inside = false;
  for (let i = 0; i < text.length; i += 1) {
    if (text[i] === '"') inside = !inside;
    else if (text[i] === "\n" && !inside) return i + 1;
  }
  return text.length;
}

function fromJson(text) {
  const records = text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
  const header = [...new Set(records.flatMap(Object.keys))];
  const cell = (value) =>
    value === null || value === undefined ? "" : typeof value === "string" ? value : JSON.stringify(value);
  return { header, rows: records.map((record) => header.map((column) => cell(record[column]))) };
}

/** Return a place to drop a file, with progress; `run(file, report)` does the work and may be cancelled by its signal. */
export function dropZone(run) {
  const field = h("input", { type: "file", id: "file", accept: ".csv,.tsv,.txt,.jsonl,.ndjson,text/csv" });
  const zone = h(
    "div",
    { class: "drop" },
    h("p", {}, h("label", { for: "file" }, "Drop a CSV here, or choose a file")),
    field,
    h("p", { class: "note" }, "With the columns that the model was trained on. JSON Lines works, too."),
  );
  const bar = h("progress", { max: "1", "aria-label": "How much of the file is done" });
  const state = h("p", { class: "note", role: "status" });
  const stop = h("button", { type: "button" }, "Stop");
  const progress = h("div", { class: "progress", hidden: true }, bar, stop);
  const { place, tell } = problemPlace();
  const start = async (file) => {
    const abort = new AbortController();
    const stopped = () => abort.abort();
    stop.addEventListener("click", stopped);
    tell(null);
    progress.hidden = false;
    let rows = 0;
    const report = (added, share) => {
      rows += added;
      bar.value = share;
      state.textContent = `${count(rows)} rows, ${percent(share)} of ${size(file.size)}`;
    };
    try {
      bar.value = 0;
      await run(file, report, abort.signal);
      state.textContent = `Done: ${count(rows)} rows.`;
    } catch (error) {
      state.textContent = error.name === "AbortError" ? `Stopped after ${count(rows)} rows.` : "";
      if (error.name !== "AbortError")
        tell(rows > 0 ? new Error(`After ${count(rows)} rows: ${error.message}`) : error);
    } finally {
      progress.hidden = true;
      stop.removeEventListener("click", stopped);
      field.value = "";
    }
  };
  field.addEventListener("change", () => field.files.length > 0 && start(field.files[0]));
  zone.addEventListener("dragover", (event) => {
    event.preventDefault();
    zone.classList.add("over");
  });
  zone.addEventListener("dragleave", () => zone.classList.remove("over"));
  zone.addEventListener("drop", (event) => {
    event.preventDefault();
    zone.classList.remove("over");
    if (event.dataTransfer.files.length > 0) start(event.dataTransfer.files[0]);
  });
  return h("div", {}, zone, progress, state, place);
}
