// Tables as text: their beginning for a preview, and their rows as they are read. The service reads tables itself; this
// is for showing what it answers.

const QUOTE = '"';
const DELIMITERS = [",", "\t", ";", "|"];
const BEGINNING = 1 << 16;
const NO_LINES = [[0x50, 0x4b, 3, 4], [0x50, 0x41, 0x52, 0x31], [0x1f, 0x8b], [0x28, 0xb5, 0x2f, 0xfd]]; // packed files

/** Return the first rows of a longer file, whole, or null if there is nothing to be gained, or no rows to be seen. */
export async function beginningOf(file) {
  if (file.size <= BEGINNING) return null;
  const bytes = new Uint8Array(await file.slice(0, BEGINNING).arrayBuffer());
  if (NO_LINES.some((magic) => magic.every((byte, i) => byte === bytes[i])) || bytes.includes(0)) return null;
  const ends = [...rowEnds(bytes, bytes[0] === 0x7b)];
  return ends.length < 2 ? null : file.slice(0, ends.at(-1));
}

/** Yield the places behind the rows that end in these bytes; a line end within quotes ends none. */
function* rowEnds(bytes, isJson) {
  let inside = false;
  for (let i = 0; i < bytes.length; i += 1) {
    if (bytes[i] === 0x22 && !isJson) inside = !inside;
    else if (bytes[i] === 0x0a && !inside) yield i + 1;
  }
}

/** Yield the rows of a table in batches, as `{header, rows}`; the last `added` columns are those of the service. */
export async function* rowsOf(table, isJson, added) {
  const parser = isJson ? new JsonLines(added) : new Delimited();
  const reader = table.stream().pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const { done, value } = await reader.read();
    const rows = parser.push(done ? "" : value, done);
    if (rows.length > 0) yield { header: parser.header, rows };
    if (done) return;
  }
}

/** Delimited text, whose first row is the header and says what the delimiter is. */
class Delimited {
  header = null;
  #delimiter = null;
  #held = "";
  #row = [];
  #cell = "";
  #inside = false;
  #closed = false;

  /** Return the rows that are complete with this text. */
  push(text, isEnd) {
    const rows = [];
    for (const c of this.#ready(text, isEnd)) {
      if (this.#inside && c !== QUOTE) this.#cell += c;
      else if (c === QUOTE) this.#quote();
      else if (c === this.#delimiter) this.#endCell();
      else if (c === "\n") rows.push(this.#endRow());
      else this.#cell += c;
    }
    if (isEnd && (this.#cell !== "" || this.#row.length > 0)) rows.push(this.#endRow());
    if (this.header === null && rows.length > 0) this.header = rows.shift();
    return rows;
  }

  /** Return what can be cut: nothing before the header is there, whose delimiter is the one it has most of. */
  #ready(text, isEnd) {
    if (this.#delimiter !== null) return text;
    this.#held += text;
    const end = this.#held.indexOf("\n");
    if (end < 0 && !isEnd) return "";
    const first = this.#held.slice(0, end < 0 ? undefined : end);
    const times = (c) => first.split(c).length;
    this.#delimiter = DELIMITERS.reduce((best, c) => (times(c) > times(best) ? c : best));
    return this.#held;
  }

  /** A quote opens or closes a cell, and the second of two in a row is one of the cell. */
  #quote() {
    if (!this.#inside && this.#closed) this.#cell += QUOTE;
    this.#closed = this.#inside;
    this.#inside = !this.#inside;
  }

  #endCell() {
    this.#row.push(this.#cell);
    this.#cell = "";
    this.#closed = false;
  }

  #endRow() {
    if (this.#cell.endsWith("\r")) this.#cell = this.#cell.slice(0, -1);
    this.#endCell();
    const row = this.#row;
    this.#row = [];
    return row;
  }
}

/** One object in a line; the names of the first rows are the header. */
class JsonLines {
  header = null;
  #added;
  #held = "";

  constructor(added) {
    this.#added = added;
  }

  /** Return the rows that are complete with this text. */
  push(text, isEnd) {
    const lines = (this.#held + text).split("\n");
    this.#held = isEnd ? "" : lines.pop();
    const records = lines.filter((line) => line.trim() !== "").map((line) => JSON.parse(line));
    if (this.header === null && records.length > 0) this.header = this.#headerOf(records);
    return records.map((record) => this.header.map((column) => asText(record[column])));
  }

  #headerOf(records) {
    const own = Object.keys(records[0]).slice(-this.#added);
    const others = new Set(records.flatMap(Object.keys));
    return [...[...others].filter((column) => !own.includes(column)), ...own];
  }
}

function asText(value) {
  if (value === null || value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Return a row as delimited text. */
export const line = (cells) =>
  `${cells.map((cell) => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(",")}\n`;
