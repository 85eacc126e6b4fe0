// Byte-pair encoding: words cut into the pieces that learned merges leave, as lindy.text.analysis.byte_pairs has it.

const MARK = "##";

/** Merges in their order, as left and right pieces in turn. */
export class Merges {
  constructor(pieces) {
    this.ranks = new Map(); // of "left right": at which places it stands in the order
    this.merged = [];
    for (let i = 0; i < pieces.length; i += 2) {
      const pair = `${pieces[i]} ${pieces[i + 1]}`;
      if (!this.ranks.has(pair)) this.ranks.set(pair, []);
      this.ranks.get(pair).push(this.merged.length);
      this.merged.push(pieces[i] + pieces[i + 1].slice(MARK.length));
    }
  }

  /** The pieces of a word given as characters: {piece, length in characters}, from left to right. */
  cut(characters) {
    let pieces = characters.map((own, i) => ({ piece: i === 0 ? own : MARK + own, length: 1 }));
    for (let done = -1, next; (next = this.first(pieces, done)) < this.merged.length; done = next)
      pieces = this.apply(pieces, next);
    return pieces;
  }

  /** The first merge behind one that was done which has something to do. */
  first(pieces, done) {
    let best = this.merged.length;
    for (let i = 1; i < pieces.length; ++i)
      for (const rank of this.ranks.get(`${pieces[i - 1].piece} ${pieces[i].piece}`) ?? [])
        if (rank > done && rank < best) best = rank;
    return best;
  }

  apply(pieces, rank) {
    const out = [];
    for (let i = 0; i < pieces.length; ++i) {
      const pair = i + 1 < pieces.length ? this.ranks.get(`${pieces[i].piece} ${pieces[i + 1].piece}`) : undefined;
      if (pair?.includes(rank)) {
        out.push({ piece: this.merged[rank], length: pieces[i].length + pieces[i + 1].length });
        ++i;
      } else {
        out.push(pieces[i]);
      }
    }
    return out;
  }
}
