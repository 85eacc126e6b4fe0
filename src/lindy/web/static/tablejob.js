// A file through the service. The whole file is one request, so that what is wrong with it is told with its line; the
// first rows are asked for beforehand, because a browser gets to an answer only when all of the file has been sent.

import { ServiceError, call, problemIn, tokenHeader } from "./api.js";
import { beginningOf, inUtf8, rowsOf } from "./csv.js";
import { h } from "./dom.js";
import { bytes as size, percent } from "./format.js";
import { problemPlace } from "./page.js";

const TYPES = { jsonl: "application/x-ndjson", ndjson: "application/x-ndjson", tsv: "text/tab-separated-values" };
const WORKBOOKS = ["xlsx", "xls", "ods"];
const OTHERS = ["gz", "zip", "zst", "bz2", "xz", "parquet", "feather"];

function typeOf(file) {
  const extension = file.name.split(".").pop().toLowerCase();
  if (WORKBOOKS.includes(extension)) throw new Error("This is a workbook. Save its sheet as CSV, and drop that.");
  if (OTHERS.includes(extension))
    throw new Error(`This is a .${extension} file. Unpack it, or convert it to CSV with lindy convert.`);
  return TYPES[extension] ?? "text/csv";
}

/**
 * Send a file through `/v1/table` with this query. Returns the answer as a Blob, and `rows()`, its rows in batches;
 * `preview` gets the first batch as soon as it is there, `progress` the share of the file that has been taken.
 */
export async function runTable(file, query, added, { preview, progress, signal }) {
  const type = typeOf(file);
  const isJson = type === TYPES.jsonl;
  const address = `/v1/table?${new URLSearchParams(query)}`;
  const whole = await inUtf8(file);
  const beginning = await beginningOf(whole, isJson);
  if (beginning !== null) {
    const response = await call(address, {
      method: "POST",
      headers: { "Content-Type": type },
      body: beginning,
      signal,
    });
    for await (const batch of rowsOf(await response.blob(), isJson, added)) preview(batch);
  }
  const answer = await send(address, type, whole, progress, signal);
  return { answer, rows: () => rowsOf(answer, isJson, added) };
}

/** Post a file and return the answer; only the older of the browser's two ways tells how much has been sent. */
function send(address, type, body, progress, signal) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", address);
    request.responseType = "blob";
    const headers = { "Content-Type": type, ...tokenHeader() };
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    request.upload.addEventListener("progress", ({ loaded, total }) => progress(total ? loaded / total : 1));
    request.addEventListener("load", async () => {
      if (request.status < 400) resolve(request.response);
      else reject(problemIn(request.status, await request.response.text()));
    });
    request.addEventListener("error", () => reject(brokenOff()));
    request.addEventListener("abort", () => reject(new DOMException("stopped", "AbortError")));
    signal.addEventListener("abort", () => request.abort());
    request.send(body);
  });
}

const brokenOff = () =>
  new ServiceError(
    0,
    "broken-off",
    "The answer broke off. The service has ended, or a row further down cannot be read: lindy predict says which.",
  );

/** Return a place to drop a file, with progress; `run(file, options)` does the work and returns what to say of it. */
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
    progress(0);
    running.hidden = false;
    try {
      state.textContent = await run(file, { progress, signal: abort.signal });
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
  return h("div", {}, zone, running, state, place);
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
