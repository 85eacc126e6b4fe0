// The data of a model: base64 of a zlib stream of a length, a header in JSON, and arrays.

const TYPES = {
  u1: Uint8Array, u2: Uint16Array, u4: Uint32Array, i4: Int32Array, f4: Float32Array, f8: Float64Array,
};

/** The bytes that base64 stands for. */
function fromBase64(text) {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < bytes.length; ++i) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

/** The header of a model with its arrays in the place of their descriptions. */
export async function unpack(base64) {
  const stream = new Blob([fromBase64(base64.trim())]).stream().pipeThrough(new DecompressionStream("deflate"));
  const buffer = await new Response(stream).arrayBuffer();
  const size = new DataView(buffer).getUint32(0, true);
  const first = Math.ceil((4 + size) / 8) * 8;
  const arrays = (key, value) => {
    if (value === null || typeof value !== "object" || !("$" in value)) return value;
    const [type, begin, length] = value.$;
    if (type !== "text") return new TYPES[type](buffer, first + begin, length);
    return new TextDecoder("utf-8", { ignoreBOM: true }).decode(new Uint8Array(buffer, first + begin, length));
  };
  return JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, size)), arrays);
}

/** An array whose entries are `table[codes[i]]`, or the array itself if it was not packed so. */
export function decoded(packed) {
  if (!packed || !packed.table) return packed;
  const { table, codes } = packed;
  const values = new table.constructor(codes.length);
  for (let i = 0; i < values.length; ++i) values[i] = table[codes[i]];
  return values;
}

/** Strings out of one text: each shares some code units with the one before, and brings its own. */
export function strings({ text, shared, own }) {
  const made = new Array(own.length);
  let at = 0;
  let last = "";
  for (let i = 0; i < made.length; ++i) {
    const suffix = text.slice(at, (at += own[i]));
    made[i] = last = shared ? last.slice(0, shared[i]) + suffix : suffix;
  }
  return made;
}
