// Patterns of texts that words do not show: money, capitals, links, addresses, numbers, rows of marks. What each of
// them is, lindy.features.pattern_counts says; this follows native/features/text_patterns.hpp.

const CURRENCIES = "$£€¥";
const CURRENCY_NAMES = new Set(["dollar", "dollars", "euro", "euros", "pound", "pounds", "usd", "eur", "gbp"]);

/** Finds the patterns of one text, given as code points. */
export class PatternFinder {
  constructor(characters, text, found) {
    this.text = text;
    this.shapes = text.map((c) => (characters.isWord(c) ? characters.shape(c) : ""));
    this.characters = characters;
    this.found = found; // called with the name of a pattern, its begin and its end
    this.numberUntil = this.amountUntil = this.timeUntil = this.urlUntil = 0;
  }

  read() {
    for (let i = 0; i < this.text.length; ) {
      if (this.isWord(i)) {
        const end = this.wordEnd(i);
        this.readWord(i, end);
        i = end;
      } else {
        this.readMark(i);
        ++i;
      }
    }
  }

  isDigit(i) {
    return this.shapes[i] === "9";
  }

  isLetter(i) {
    return this.shapes[i] === "x" || this.shapes[i] === "X" || this.shapes[i] === "a";
  }

  isWord(i) {
    return this.isLetter(i) || this.isDigit(i) || this.is(i, "_");
  }

  /** Whether there is one of some ASCII or Latin marks. */
  is(i, marks) {
    const c = this.text[i];
    return c > 0 && c < 0x10000 && marks.includes(String.fromCharCode(c));
  }

  wordEnd(i) {
    while (this.isWord(i)) ++i;
    return i;
  }

  allDigits(begin, end) {
    for (let i = begin; i < end; ++i) if (!this.isDigit(i)) return false;
    return begin < end;
  }

  /** The word in small ASCII letters; "" if it has others. */
  spelling(begin, end) {
    let word = "";
    for (let i = begin; i < end; ++i) {
      const c = this.text[i] | 0x20;
      if (c < 0x61 || c > 0x7a) return "";
      word += String.fromCharCode(c);
    }
    return word;
  }

  readWord(begin, end) {
    const { text } = this;
    let [digits, letters, capitals, elongated] = [0, 0, 0, false];
    for (let i = begin; i < end; ++i) {
      digits += this.isDigit(i);
      letters += this.isLetter(i);
      capitals += this.shapes[i] === "X";
      elongated ||= this.isLetter(i) && text[i] === text[i + 1] && text[i] === text[i + 2];
    }
    if (capitals === end - begin && capitals >= 2) this.found("capitals", begin, end);
    if (digits && letters) this.found("mixed", begin, end);
    if (elongated) this.found("elongated", begin, end);
    if (digits === end - begin) this.readNumber(begin, end);
    else this.readUrl(begin, end);
  }

  /** A word of digits. */
  readNumber(begin, end) {
    if (begin >= this.numberUntil) {
      let until = end; // words of digits with a point or a comma between them are one number
      while (this.is(until, ".,") && this.allDigits(until + 1, this.wordEnd(until + 1))) until = this.wordEnd(until + 1);
      this.numberUntil = until;
      this.found("number", begin, until);
    }
    if (end - begin >= 5) this.found("long_number", begin, end);
    const next = end + (this.is(end, " ") ? 1 : 0);
    if (this.is(next, "%")) this.found("percent", begin, next + 1);
    const nameEnd = this.wordEnd(next);
    const sign = this.is(next, CURRENCIES) && !this.isDigit(next + 1);
    const isAmount = sign || CURRENCY_NAMES.has(this.spelling(next, nameEnd));
    if (begin >= this.amountUntil && isAmount) this.found("money", begin, sign ? next + 1 : nameEnd);
    const isTime =
      begin >= this.timeUntil && end - begin <= 2 && this.is(end, ":") &&
      this.wordEnd(end + 1) === end + 3 && this.allDigits(end + 1, end + 3);
    if (isTime) {
      this.found("time", begin, end + 3);
      this.timeUntil = end + 3;
    }
  }

  readUrl(begin, end) {
    const word = this.spelling(begin, end);
    const isScheme = word === "http" || word === "https";
    const scheme = isScheme && this.is(end, ":") && this.is(end + 1, "/") && this.is(end + 2, "/");
    const host = word === "www" && this.is(end, ".");
    if ((!scheme && !host) || begin < this.urlUntil) return;
    const first = end + (scheme ? 3 : 1);
    let last = first;
    while (last < this.text.length && !this.characters.isSpace(this.text[last])) ++last;
    if (last > first) this.found("url", begin, last);
    this.urlUntil = last;
  }

  readMark(i) {
    if (this.is(i, "!?")) {
      this.found(this.is(i, "!") ? "exclamation" : "question", i, i + 1);
      this.readRun(i, "!?", 2);
    } else if (this.is(i, ".")) this.readRun(i, ".", 3);
    else if (this.is(i, "@")) this.readAt(i);
    else if (this.is(i, "#")) {
      if (!this.isWord(i - 1) && this.isWord(i + 1)) this.found("hashtag", i, this.wordEnd(i + 1));
    } else if (this.is(i, ":;=")) this.readEmoticon(i);
    else if (this.is(i, CURRENCIES)) this.readAmount(i);
  }

  readRun(i, marks, least) {
    if (this.is(i - 1, marks)) return;
    let end = i;
    while (this.is(end, marks)) ++end;
    if (end - i >= least) this.found("repeated", i, end);
  }

  /** name@host.more, or @name */
  readAt(i) {
    const isLocal = (k) => this.isWord(k) || this.is(k, ".+%-");
    const isHost = (k) => this.isWord(k) || this.is(k, "-");
    if (!isLocal(i - 1)) {
      if (this.isWord(i + 1)) this.found("mention", i, this.wordEnd(i + 1));
      return;
    }
    let [begin, end] = [i, i + 1];
    while (isHost(end)) ++end;
    if (end === i + 1 || !this.is(end, ".") || !isHost(end + 1)) return;
    while (isLocal(begin - 1)) --begin;
    while (isHost(end) || (this.is(end, ".") && isHost(end + 1))) ++end;
    this.found("email", begin, end);
  }

  readEmoticon(i) {
    const mouth = i + 1 + (this.is(i + 1, "'-") ? 1 : 0);
    if (!this.isWord(i - 1) && this.is(mouth, ")(DPpO/|\\") && !this.isWord(mouth + 1)) this.found("emoticon", i, mouth + 1);
  }

  readAmount(i) {
    let end = i + 1 + (this.is(i + 1, " ") ? 1 : 0);
    if (!this.isDigit(end)) return;
    while (this.isDigit(end) || (this.is(end, ".,") && this.isDigit(end + 1))) ++end;
    this.amountUntil = end;
    this.found("money", i, end);
  }
}
