// Reads a lindy model file, as "Model files" describes it: the header, the arrays, and the terms of a vectorizer.
//
//     node read_model.mjs model.lindy [COLUMN …]
//
// prints the header, the arrays' types and shapes, and the terms of the given columns. Nothing but Node is needed.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const ARRAYS = {
  F64: Float64Array, I64: BigInt64Array, U64: BigUint64Array, F32: Float32Array, I32: Int32Array, U32: Uint32Array, U8: Uint8Array,
};
const CHECKSUM_AT = 65;
const NONE = 0xffffffff;

/** Return {version, header, arrays}; an array is {dtype, shape, values}. A damaged file is an error. */
export function readModel(path) {
  const bytes = readFileSync(path);
  if (bytes.length < 8) throw new Error("too short for a model file");
  const headEnd = 8n + bytes.readBigUInt64LE(0);
  if (headEnd > bytes.length || headEnd % 64n !== 0n) throw new Error("the length of the head is wrong");
  const head = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes.subarray(8, Number(headEnd))));
  const { __metadata__: metadata, ...entries } = head;
  if (metadata?.format !== "lindy") throw new Error("not a lindy model");

  const blank = Buffer.from(bytes);
  blank.write("00000000", CHECKSUM_AT, "latin1");
  const sum = crc32(blank).toString(16).padStart(8, "0");
  if (sum !== metadata.crc32) throw new Error(`the checksum is ${sum}, the file says ${metadata.crc32}`);

  const arrays = {};
  for (const [name, { dtype, shape, data_offsets: [begin, end] }] of Object.entries(entries)) {
    const piece = bytes.subarray(Number(headEnd) + begin, Number(headEnd) + end);
    const aligned = new Uint8Array(piece).buffer; // a copy, which begins at a multiple of eight
    arrays[name] = { dtype, shape, values: new ARRAYS[dtype](aligned) };
  }
  return { version: Number(metadata.version), header: JSON.parse(metadata.header), arrays };
}

/** Return the terms of a vectorizer in the order of its columns. */
export function termsOf(arrays, prefix = "vectorizer.") {
  const get = (name) => arrays[prefix + name]?.values;
  if (get("terms")) return strings(get("terms"), get("offsets"));
  const texts = strings(get("words"), get("word_offsets"));
  const terms = [];
  get("word_columns").forEach((column, word) => { terms[column] = texts[word]; });
  const starts = get("starts");
  const slots = get("phrases"); // pairs of a last word and a column; parents come before their children
  for (let node = 0; node + 1 < starts.length; node++) {
    for (let slot = starts[node]; slot < starts[node + 1]; slot++) {
      const [word, column] = [slots[2 * slot], slots[2 * slot + 1]];
      const text = word === NONE ? "" : `${texts[node]} ${texts[word]}`;
      texts.push(text);
      if (column !== NONE) terms[column] = text;
    }
  }
  return terms;
}

/** The CRC-32 of zip, gzip and PNG, bit by bit through a table of all bytes. */
function crc32(bytes) {
  const table = Uint32Array.from({ length: 256 }, (_, byte) => {
    let rest = byte;
    for (let bit = 0; bit < 8; bit++) rest = rest & 1 ? (rest >>> 1) ^ 0xedb88320 : rest >>> 1;
    return rest;
  });
  let sum = 0xffffffff;
  for (const byte of bytes) sum = (sum >>> 8) ^ table[(sum ^ byte) & 0xff];
  return (sum ^ 0xffffffff) >>> 0;
}

function strings(bytes, offsets) {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  const ends = Array.from(offsets, Number);
  return ends.slice(1).map((end, i) => decoder.decode(bytes.subarray(ends[i], end)));
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const [path, ...columns] = process.argv.slice(2);
  const { version, header, arrays } = readModel(path);
  const shapes = Object.fromEntries(Object.entries(arrays).map(([name, { dtype, shape }]) => [name, `${dtype} ${shape.join("×")}`]));
  console.log(JSON.stringify({ version, header, arrays: shapes }, null, 2));
  if (columns.length > 0) {
    const terms = termsOf(arrays);
    for (const column of columns) console.log(`${column}\t${terms[column]}`);
  }
}
