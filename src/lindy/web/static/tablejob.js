// A file through the service. The whole file is one request, so that what is wrong with it is told with its line; the
// first rows are asked for beforehand, because a browser gets to an answer only when all of the file has been sent.

import { ServiceError, call, problemIn, tokenHeader } from "./api.js";
import { beginningOf, rowsOf } from "./csv.js";
import { h, visible } from "./dom.js";
import { bytes as size, percent } from "./format.js";
import { problemPlace } from "./page.js";

const OCTETS = "application/octet-stream"; // what the file is, the service tells from its name and its first bytes
const JSON_LINES = "application/x-ndjson";
const EXTENSIONS = {
  "text/csv": "csv",
  "text/tab-separated-values": "tsv",
  [JSON_LINES]: "jsonl",
  "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "xlsx",
};
const ACCEPTED = ".csv,.tsv,.tab,.txt,.jsonl,.ndjson,.xlsx,.xlsm,.parquet,.gz,.zst,text/csv";

/**
 * Send a file through `/v1/table` with this query. Returns the answer (a Blob, the extension of its name, and what the
 * service remarks on the file), and `rows()`, its rows in batches; `preview` gets the first batch as soon as it is
 * there, `progress` the share of the file that has been taken. A workbook is also asked for as text, to be shown.
 */
export async function runTable(file, query, added, { preview, progress, signal }) {
  const address = `/v1/table?${new URLSearchParams({ ...query, name: file.name })}`;
  const isJson = (type) => type.startsWith(JSON_LINES);
  const beginning = await beginningOf(file);
  if (beginning !== null) {
    const response = await call(address, {
      method: "POST",
      headers: { "Content-Type": OCTETS },
      body: beginning,
      signal,
    });
    const type = response.headers.get("Content-Type");
    for await (const batch of rowsOf(await response.blob(), isJson(type), added)) preview(batch);
  }
  const answer = await send(address, file, progress, signal);
  const shown = answer.extension === "xlsx" ? await send(`${address}&to=csv`, file, progress, signal) : answer;
  return { answer, rows: () => rowsOf(shown.blob, isJson(shown.type), added) };
}

/** Post a file and return the answer; only the older of the browser's two ways tells how much has been sent. */
function send(address, body, progress, signal) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", address);
    request.responseType = "blob";
    const headers = { "Content-Type": OCTETS, ...tokenHeader() };
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    request.upload.addEventListener("progress", ({ loaded, total }) => progress(total ? loaded / total : 1));
    request.addEventListener("load", async () => {
      if (request.status < 400) resolve(answered(request));
      else reject(problemIn(request.status, await request.response.text()));
    });
    request.addEventListener("error", () => reject(brokenOff()));
    request.addEventListener("abort", () => reject(new DOMException("stopped", "AbortError")));
    signal.addEventListener("abort", () => request.abort());
    request.send(body);
  });
}

function answered(request) {
  const type = request.getResponseHeader("Content-Type");
  const remarks = JSON.parse(request.getResponseHeader("Lindy-Remarks") ?? "[]");
  return { blob: request.response, type, extension: EXTENSIONS[type.split(";")[0]] ?? "csv", remarks };
}

const brokenOff = () =>
  new ServiceError(
    0,
    "broken-off",
    "The answer broke off. The service has ended, or a row further down cannot be read: its log says which.",
  );

/**
 * Return a place to drop a file, with progress; `run(file, query, options)` does the work and returns what to say of it:
 * `{ said, remarks }`. `expected` says what the file must hold.
 */
export function dropZone(expected, run) {
  const field = h("input", { type: "file", id: "file", accept: ACCEPTED });
  const headless = h("input", { type: "checkbox", id: "headless" });
  const zone = h(
    "div",
    { class: "drop" },
    h("p", {}, h("label", { for: "file" }, "Drop a table here, or choose a file")),
    field,
    h("p", { class: "note" }, expected, " CSV, Excel, Parquet, JSON Lines, or a text in each line."),
    h("p", { class: "note" }, headless, " ", h("label", { for: "headless" }, "The first line of the CSV is data, not names")),
  );
  const notes = h("ul", { class: "note remarks", hidden: true, "aria-label": "How the file was read" });
  const remark = (remarks) => {
    notes.hidden = remarks.length === 0;
    notes.replaceChildren(...remarks.map((said) => h("li", {}, visible(said))));
  };
  const bar = h("progress", { max: "1", "aria-label": "How much of the file is done" });
  const state = h("p", { class: "note", role: "status" });
  const stop = h("button", { type: "button" }, "Stop");
  const running = h("div", { class: "progress", hidden: true }, bar, stop);
  const { place, tell } = problemPlace();
  const start = async (file) => {
    const abort = new AbortController();
    const progress = (share) => {
      bar.value = share;
      state.textContent = `${percent(share)} of ${size(file.size)}`;
    };
    stop.onclick = () => abort.abort();
    tell(null);
    remark([]);
    progress(0);
    running.hidden = false;
    try {
      const { said, remarks } = await run(file, headless.checked ? { header: "no" } : {}, {
        progress,
        signal: abort.signal,
      });
      state.textContent = said;
      remark(remarks);
    } catch (error) {
      state.textContent = error.name === "AbortError" ? "Stopped." : "";
      if (error.name !== "AbortError") tell(error);
    } finally {
      running.hidden = true;
      field.value = "";
    }
  };
  field.addEventListener("change", () => field.files.length > 0 && start(field.files[0]));
  takeDrops(zone, start);
  return h("div", {}, zone, running, state, notes, place);
}

function takeDrops(zone, start) {
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
}
