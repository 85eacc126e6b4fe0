// Words of all scripts, in the spirit of UAX #29; letters in the patterns are those of WordPart.
//
//   word    letter (letter | mark | joiner)*, of at least so many: vowel signs and joiners do not cut
//   run     spaceless (spaceless | mark | joiner)*: what a script without spaces has in place of words
//   symbol  (symbol | modifier) (mark | modifier)*, several of them with a joiner between each two: an emoji
//   flag    regional regional? mark*
//   mark    punctuation, if it is wanted
//
// A run gives its character n-grams of 1 to 3 in place of single words; no n-gram of words reaches across it.
#pragma once

#include "core/buffer.hpp"
#include "text/unicode.hpp"

namespace lindy {

// Writes folded code points such that a space, which is no token, is on both sides of every token. Only words
// are left open, so that ASCII can be written after them without looking; other tokens are opened again where
// they go on.
class UnicodeWords {
  public:
    explicit UnicodeWords(bool punctuation) : punctuation_(punctuation) {}

    // Bytes from one code point: a space, or a joiner in place of one, four, and a space.
    static constexpr std::size_t longest = 8;

    // To be called where something else was written.
    void close() { open_ = Open::nothing; }

    // `out` has been written before: there is a byte in front of it.
    unsigned char* put(unsigned char* out, char32_t c, WordPart part) {
        switch (part) {
            case WordPart::letter:
                open_ = Open::nothing;
                return put_utf8(out, c);
            case WordPart::spaceless:
                return open_ == Open::run ? further(out, c, Open::run) : first(out, c, Open::run);
            case WordPart::mark:
            case WordPart::joiner:
                return put_mark(out, c, part == WordPart::joiner);
            case WordPart::symbol:
            case WordPart::modifier:
                if (open_ == Open::joined) return further(put_utf8(out - 1, joiner) + 1, c, Open::symbol);
                return part == WordPart::modifier && open_ == Open::symbol ? further(out, c, Open::symbol)
                                                                           : first(out, c, Open::symbol);
            case WordPart::regional:
                return open_ == Open::half_flag ? further(out, c, Open::flag)
                                                : first(out, c, Open::half_flag);
            case WordPart::punctuation:
                if (punctuation_) return first(out, c, Open::nothing);
                [[fallthrough]];
            case WordPart::other:
                break;
        }
        open_ = Open::nothing;
        return apart(out);
    }

  private:
    static constexpr char32_t joiner = 0x200D;
    enum class Open { nothing, run, symbol, joined, half_flag, flag };  // joined: a symbol and a joiner

    static unsigned char* apart(unsigned char* out) {
        if (out[-1] != ' ') *out++ = ' ';
        return out;
    }
    unsigned char* first(unsigned char* out, char32_t c, Open open) {
        return further(apart(out) + 1, c, open);
    }
    // Writes over the space after the token.
    unsigned char* further(unsigned char* out, char32_t c, Open open) {
        open_ = open;
        out = put_utf8(out - 1, c);
        *out++ = ' ';
        return out;
    }
    unsigned char* put_mark(unsigned char* out, char32_t c, bool is_joiner) {
        if (out[-1] != ' ') return put_utf8(out, c);
        if (open_ == Open::run) return further(out, c, Open::run);
        if (open_ == Open::symbol && is_joiner) return open_ = Open::joined, out;
        if (open_ == Open::symbol) return further(out, c, Open::symbol);
        if (!is_joiner && (open_ == Open::half_flag || open_ == Open::flag))
            return further(out, c, Open::flag);
        return open_ = Open::nothing, out;
    }

    bool punctuation_;
    Open open_ = Open::nothing;
};

// The character n-grams of runs.
class RunReader {
  public:
    static constexpr std::size_t longest = 3;

    bool is_run(const unsigned char* token) const {
        return *token >= 0x80 && begins_with(WordPart::spaceless, token);
    }
    bool is_word(const unsigned char* token) const { return begins_with(WordPart::letter, token); }

    // Calls ngram(data, size) for the n-grams of a run, short ones first.
    template <class Ngram>
    void operator()(const unsigned char* data, std::size_t size, Ngram ngram) {
        starts_.clear();
        for (std::size_t i = 0; i < size; ++i)
            if ((data[i] & 0xC0) != 0x80) starts_.push(i);
        starts_.push(size);
        for (std::size_t n = 1; n <= longest; ++n)
            for (std::size_t i = 0; i + n < starts_.size(); ++i)
                ngram(data + starts_[i], starts_[i + n] - starts_[i]);
    }

  private:
    bool begins_with(WordPart part, const unsigned char* token) const {
        return FoldTable::part(plain_.entry(written_utf8(token).first)) == part;
    }

    FoldTable plain_ = fold_table(false, Accents::keep);
    Buffer<std::size_t> starts_;
};

}  // namespace lindy
