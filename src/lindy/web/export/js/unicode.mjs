// Characters as the Python that trained the model sees them; the browser may know another version of Unicode.

export const CODE_POINTS = 0x110000;
const SIGMA = 0x3a3;
const GONE = 0x7fffffff; // of what becomes nothing
const [CASED, IGNORED] = [1, 2];
const LETTERS_OF_PARTS = " wsmjyxrp"; // as in lindy.text.analysis.unicode_words

/** One entry per code point, out of runs of equal ones. */
function expanded({ lengths, values }) {
  const made = new values.constructor(CODE_POINTS);
  let at = 0;
  for (let i = 0; i < values.length; ++i) made.fill(values[i], at, (at += lengths[i]));
  return made;
}

/** Lower case and accents, by a table. */
class Folding {
  constructor({ moved, sequences, sigma }) {
    this.moved = expanded(moved); // what is added to a code point
    this.sigma = sigma; // whether a capital sigma depends on its neighbours
    this.sequences = new Map(); // several code points in the place of one
    for (let i = 0; i < sequences.length; ) {
      const [c, n] = [sequences[i], sequences[i + 1]];
      this.sequences.set(c, sequences.subarray(i + 2, i + 2 + n));
      i += 2 + n;
    }
  }
}

/** Everything that is asked about characters. */
export class Characters {
  constructor({ kinds, contexts, shapes, foldings }) {
    this.kinds = expanded(kinds);
    this.contexts = contexts && expanded(contexts);
    this.shapes = shapes && expanded(shapes);
    this.foldings = foldings.map((own) => new Folding(own));
  }

  isWord(c) {
    return (this.kinds[c] & 1) !== 0;
  }

  isSpace(c) {
    return (this.kinds[c] & 2) !== 0;
  }

  /** What a character is for the analyser of Unicode words, as a letter. */
  part(c) {
    return LETTERS_OF_PARTS[this.kinds[c] >> 2];
  }

  /** X for capitals, x for small letters, 9 for digits, a for other letters, _ for itself. */
  shape(c) {
    return String.fromCharCode(this.shapes[c]);
  }

  /** The folded code points of a text, and the place in the text that each came from. */
  fold(text, number) {
    const { moved, sigma, sequences } = this.foldings[number];
    const points = [];
    const places = [];
    for (let i = 0; i < text.length; ++i) {
      let c = text[i];
      if (c === SIGMA && sigma) c = this.endsWord(text, i) ? 0x3c2 : 0x3c3;
      const several = moved[c] === 0 ? sequences.get(c) : undefined;
      if (several !== undefined) {
        for (const own of several) {
          points.push(own);
          places.push(i);
        }
      } else if (moved[c] !== GONE) {
        points.push(c + moved[c]);
        places.push(i);
      }
    }
    return { points, places };
  }

  /** Whether a capital sigma comes after a cased letter and before none, passing over what case ignores. */
  endsWord(text, at) {
    const { contexts } = this;
    let [before, behind] = [at - 1, at + 1];
    while (before >= 0 && contexts[text[before]] === IGNORED) --before;
    if (before < 0 || contexts[text[before]] !== CASED) return false;
    while (behind < text.length && contexts[text[behind]] === IGNORED) ++behind;
    return behind === text.length || contexts[text[behind]] !== CASED;
  }
}

/** The code points of a string; lone surrogates are code points of their own, as in Python. */
export function codePoints(string) {
  const points = [];
  for (let i = 0; i < string.length; ++i) {
    const c = string.codePointAt(i);
    points.push(c);
    if (c > 0xffff) ++i;
  }
  return points;
}

/** Code points as a string whose stretches can be cut out by their numbers. */
export class Spelt {
  constructor(points) {
    this.starts = new Array(points.length + 1);
    const pieces = new Array(points.length);
    let at = 0;
    for (let i = 0; i < points.length; ++i) {
      this.starts[i] = at;
      // two lone surrogates that have come together must not make a character
      const pair = points[i] >> 10 === 0x37 && points[i - 1] >> 10 === 0x36;
      pieces[i] = String.fromCodePoint(pair ? 0xdc00 : points[i]);
      at += pieces[i].length;
    }
    this.starts[points.length] = at;
    this.string = pieces.join("");
  }

  slice(begin, end) {
    return this.string.slice(this.starts[begin], this.starts[end]);
  }
}
