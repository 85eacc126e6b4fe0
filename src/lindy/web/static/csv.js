// Delimited text: cut into pieces between rows, and parsed for a preview. The service reads the pieces itself, so that
// only quotes and line ends matter here, which are the same bytes in every encoding the service reads.

const QUOTE = 0x22;
const NEWLINE = 0x0a;
const BEFORE_A_CELL = new Set([..."\n\r,;\t|\ufeff"].flatMap((c) => [...new TextEncoder().encode(c)]));
const NOTHING = new Uint8Array(0);

// bytes of the first piece, of the others, and of the longest row that is waited for
const SOON = 1;
const SIZE = 1_000_000;
const LARGEST = 8_000_000;

/**
 * Cut a file into pieces of whole rows: yields `{bytes, read}`, where every piece of a table with a header begins with
 * it, and `read` is how much of the file has gone by. The first piece is small: there is soon something to see.
 */
export async function* pieces(file, { hasHeader, quotes }) {
  const reader = inUtf8(file, await file.slice(0, 2).arrayBuffer()).getReader();
  const rows = new Rows(quotes);
  let header = hasHeader ? null : NOTHING;
  let wanted = SOON;
  let read = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    rows.push(value);
    read = Math.min(read + value.length, file.size);
    header ??= rows.takeFirst();
    if (header === null || rows.length < wanted) continue;
    if (rows.length > LARGEST)
      throw new Error("A row of this file has more than 8 MB. Perhaps a quote is opened and never closed.");
    const bytes = rows.take();
    if (bytes.length === 0) continue;
    yield { bytes: joined(header, bytes), read };
    wanted = SIZE;
  }
  const rest = rows.takeAll();
  if (rest.length > 0) yield { bytes: joined(header ?? NOTHING, rest), read: file.size };
}

/** Return the file's bytes; what a spreadsheet wrote as UTF-16 becomes UTF-8. */
function inUtf8(file, start) {
  const [a, b] = new Uint8Array(start);
  const encoding = a === 0xff && b === 0xfe ? "utf-16le" : a === 0xfe && b === 0xff ? "utf-16be" : null;
  if (encoding === null) return file.stream();
  return file.stream().pipeThrough(new TextDecoderStream(encoding)).pipeThrough(new TextEncoderStream());
}

/** Bytes that know where their rows end: a line end within quotes ends none, and quotes open only where a cell begins. */
class Rows {
  constructor(quotes) {
    this.quotes = quotes;
    this.bytes = NOTHING;
    this.ends = { first: 0, last: 0 };
    this.inside = false;
    this.atStart = true; // of a cell, or just behind a closing quote, which a second one opens again
  }

  get length() {
    return this.bytes.length;
  }

  push(more) {
    const before = this.bytes.length;
    this.bytes = joined(this.bytes, more);
    for (let i = 0; i < more.length; i += 1) {
      const byte = more[i];
      if (this.quotes && byte === QUOTE && (this.inside || this.atStart)) {
        this.inside = !this.inside;
        this.atStart = !this.inside;
      } else if (!this.inside) {
        this.atStart = BEFORE_A_CELL.has(byte);
        if (byte === NEWLINE) {
          this.ends.last = before + i + 1;
          this.ends.first ||= before + i + 1;
        }
      }
    }
  }

  takeFirst() {
    if (this.ends.first === 0) return null;
    const row = this.bytes.slice(0, this.ends.first);
    this.bytes = this.bytes.slice(row.length);
    this.ends = { first: 0, last: this.ends.last - row.length };
    return row;
  }

  take() {
    const rows = this.bytes.slice(0, this.ends.last);
    this.bytes = this.bytes.slice(rows.length);
    this.ends = { first: 0, last: 0 };
    return rows;
  }

  takeAll() {
    return this.bytes;
  }
}

function joined(a, b) {
  const both = new Uint8Array(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  return both;
}

/** Return the rows of delimited text as lists of cells. */
export function parse(text, delimiter = ",") {
  const rows = [];
  let row = [];
  let cell = "";
  let inside = false;
  for (let i = 0; i < text.length; i += 1) {
    const c = text[i];
    if (inside) {
      if (c !== '"') cell += c;
      else if (text[i + 1] === '"') cell += text[(i += 1)];
      else inside = false;
    } else if (c === '"') inside = true;
    else if (c === delimiter) {
      row.push(cell);
      cell = "";
    } else if (c === "\n") {
      row.push(cell.endsWith("\r") ? cell.slice(0, -1) : cell);
      rows.push(row);
      row = [];
      cell = "";
    } else cell += c;
  }
  if (cell !== "" || row.length > 0) rows.push([...row, cell]);
  return rows;
}

/** Return a row as delimited text. */
export const line = (cells, delimiter = ",") =>
  `${cells.map((cell) => (/["\r\n]/.test(cell) || cell.includes(delimiter) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(delimiter)}\n`;
