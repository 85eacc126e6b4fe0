// Folding a document into a buffer where words are separated by spaces and nothing else needs looking at.
#pragma once

#include <algorithm>
#include <bit>
#include <cstring>
#include <memory>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "text/unicode.hpp"
#include "text/unicode_words.hpp"

namespace lindy {

// What survives folding; everything else becomes a space.
enum class Keep { words, words_and_marks, unicode_words, unicode_words_and_marks, non_space, everything };

// A buffer that is reused from document to document. Spaces lie before and after its text, so that reading a
// whole vector at its end is harmless, its last word is closed, and every word has a space on both sides.
class Folded {
  public:
    static constexpr std::size_t front = 16, margin = 128;

    const unsigned char* data() const { return buffer_.get() + front; }
    unsigned char* data() { return buffer_.get() + front; }
    std::size_t size() const { return size_; }
    bool has_surrogates = false;  // lone ones, from a Python string

    // Room for `more` bytes after the first `used`; returns where they begin.
    unsigned char* reserve(std::size_t used, std::size_t more) {
        if (front + used + more + margin > capacity_) {
            const std::size_t capacity = std::max(2 * capacity_, front + used + more + margin);
            auto bigger = std::make_unique_for_overwrite<unsigned char[]>(capacity);
            if (capacity_)
                std::copy_n(buffer_.get(), front + used, bigger.get());
            else
                std::memset(bigger.get(), ' ', front);
            buffer_ = std::move(bigger);
            capacity_ = capacity;
        }
        return data() + used;
    }
    void finish(std::size_t size) {
        size_ = size;
        std::memset(reserve(size, 0), ' ', margin);
    }

  private:
    std::unique_ptr<unsigned char[]> buffer_;
    std::size_t capacity_ = 0, size_ = 0;
};

// One bit for each of 64 bytes that is a space.
inline std::uint64_t space_mask(const unsigned char* data) {
    std::uint64_t spaces = 0;
#if defined(__SSE2__)
    const __m128i space = _mm_set1_epi8(' ');
    for (int k = 0; k < 4; ++k) {
        const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(data) + k);
        const auto mask = static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, space)));
        spaces |= static_cast<std::uint64_t>(mask) << 16 * k;
    }
#else
    for (int k = 0; k < 64; ++k) spaces |= static_cast<std::uint64_t>(data[k] == ' ') << k;
#endif
    return spaces;
}

class Folder {
  public:
    Folder(bool lower, Accents accents, Keep keep)
        : table_(fold_table(lower, accents)),
          keep_(keep),
          unicode_words_(keep == Keep::unicode_words || keep == Keep::unicode_words_and_marks) {
        for (char32_t c = 0; c < 128; ++c) {
            unsigned char* end = ascii_[c];
            table_(c, [&](char32_t folded, std::uint32_t bits) { end = put(end, folded, bits); });
            ascii_size_[c] = static_cast<unsigned char>(end - ascii_[c]);
            single_[c] = ascii_[c][0];
            all_single_ = all_single_ && ascii_size_[c] == 1;
        }
        find_form();
    }

    void operator()(const Document& document, Folded& out) const {
        const std::size_t n = document.size;
        out.has_surrogates = false;
        switch (document.units) {
            case Document::Units::ascii:
            case Document::Units::utf8:
                return fold(Utf8{static_cast<const unsigned char*>(document.data), n}, out);
            case Document::Units::latin1:
                return fold(Units<std::uint8_t>{static_cast<const std::uint8_t*>(document.data), n}, out);
            case Document::Units::ucs2:
                return fold(Units<std::uint16_t>{static_cast<const std::uint16_t*>(document.data), n}, out);
            case Document::Units::ucs4:
                return fold(Units<std::uint32_t>{static_cast<const std::uint32_t*>(document.data), n}, out);
        }
    }

  private:
    // Bytes from one code point: NFKD has at most 18 successors.
    static constexpr std::size_t longest = 18 * UnicodeWords::longest;
    static constexpr std::size_t block = 64;        // units that are folded at once if they are ASCII
    static constexpr std::size_t most_others = 64;  // code points that are folded before more room is made

    unsigned char* put(unsigned char* out, char32_t c, std::uint32_t bits) const {
        const bool word = bits & FoldTable::word, space = bits & FoldTable::space;
        switch (keep_) {
            case Keep::words:
            case Keep::unicode_words:  // ASCII only
                if (!word) return *out++ = ' ', out;
                break;
            case Keep::unicode_words_and_marks:  // ASCII only
                if (FoldTable::part(bits) == WordPart::other) return *out++ = ' ', out;
                [[fallthrough]];
            case Keep::words_and_marks:
                if (space) return *out++ = ' ', out;
                if (!word) {
                    *out++ = ' ';
                    out = put_utf8(out, c);
                    return *out++ = ' ', out;
                }
                break;
            case Keep::non_space:
                if (space) return *out++ = ' ', out;
                break;
            case Keep::everything:
                break;
        }
        return put_utf8(out, c);
    }

    static bool is_letter(unsigned char low) { return static_cast<unsigned char>(low - 'a') < 26; }
    static bool is_digit(unsigned char c) { return static_cast<unsigned char>(c - '0') < 10; }

    // The common cases without a branch per byte, so that the compiler can use vectors. They return all bits
    // that were seen. Lower case, words only: letters and digits have the bit of a space when they are lower,
    // an underscore has not.
    [[gnu::always_inline]] static unsigned char lower_words(const unsigned char* in, std::size_t n,
                                                            unsigned char* out) {
        unsigned char seen = 0;
        for (std::size_t i = 0; i < n; ++i) {
            const unsigned char c = in[i];
            const auto low = static_cast<unsigned char>(c | ' ');
            const bool kept = int{is_letter(low)} | int{is_digit(c)};
            const auto word = static_cast<unsigned char>((kept ? low : 0) | ' ');
            out[i] = static_cast<unsigned char>(word ^ (c == '_' ? '_' ^ ' ' : 0));
            seen |= c;
        }
        return seen;
    }

    // Lower case, and all white space becomes a space.
    [[gnu::always_inline]] static unsigned char lower_spaces(const unsigned char* in, std::size_t n,
                                                             unsigned char* out) {
        unsigned char seen = 0;
        for (std::size_t i = 0; i < n; ++i) {
            const unsigned char c = in[i];
            const bool upper = static_cast<unsigned char>(c - 'A') < 26;
            const bool space =
                (static_cast<unsigned char>(c - '\t') < 5) | (static_cast<unsigned char>(c - 28) < 4);
            const auto low = static_cast<unsigned char>(c | (upper ? ' ' : 0));
            out[i] = space ? ' ' : low;
            seen |= c;
        }
        return seen;
    }

    // Lower case, words and marks: a mark stays itself, and `marks` has a space where there is one.
    [[gnu::always_inline]] static unsigned char lower_marks(const unsigned char* in, std::size_t n,
                                                            unsigned char* out, unsigned char* marks) {
        unsigned char seen = 0;
        for (std::size_t i = 0; i < n; ++i) {
            const unsigned char c = in[i];
            const auto low = static_cast<unsigned char>(c | ' ');
            const bool word = int{is_letter(low)} | int{is_digit(c)} | int{c == '_'};
            const bool is_seen = static_cast<unsigned char>(c - '!') < 94;
            const auto kept = is_letter(low) ? low : c;
            out[i] = is_seen ? kept : ' ';
            marks[i] = (is_seen & !word) ? ' ' : 0;
            seen |= c;
        }
        return seen;
    }

    // Which of them, if any, does with ASCII what the table says.
    void find_form() {
        unsigned char all[128], folded[128], marks[128];
        for (unsigned char c = 0; c < 128; ++c) all[c] = c;
        const auto right = [&] { return all_single_ && std::equal(folded, folded + 128, single_); };
        lower_words(all, 128, folded);
        if (right()) form_ = Form::lower_words;
        lower_spaces(all, 128, folded);
        if (right()) form_ = Form::lower_spaces;
        lower_marks(all, 128, folded, marks);
        bool same = true;
        for (unsigned char c = 0; c < 128; ++c) {
            const unsigned char apart[4] = {' ', folded[c], ' ', 0};
            same &= marks[c] ? ascii_size_[c] == 3 && std::equal(apart, apart + 3, ascii_[c])
                             : ascii_size_[c] == 1 && ascii_[c][0] == folded[c];
        }
        if (same) form_ = Form::lower_marks;
    }

    [[gnu::always_inline]] unsigned char fold_singles(const unsigned char* in, std::size_t n,
                                                      unsigned char* out) const {
        if (form_ == Form::lower_words) return lower_words(in, n, out);
        if (form_ == Form::lower_spaces) return lower_spaces(in, n, out);
        unsigned char seen = 0;
        for (std::size_t i = 0; i < n; ++i) {
            const unsigned char c = in[i];  // once, because `out` might be where `in` is
            out[i] = single_[c];
            seen |= c;
        }
        return seen;
    }

    unsigned char* put_ascii(unsigned char* to, unsigned char c) const {
        std::memcpy(to, ascii_[c], 4);
        return to + ascii_size_[c];
    }

    // Where the first unit that is not ASCII is; there is one.
    static std::size_t first_other(const unsigned char* in, std::size_t n) {
        std::size_t k = 0;
        for (std::uint64_t word; k + sizeof(word) <= n; k += sizeof(word)) {
            std::memcpy(&word, in + k, sizeof(word));
            if (word & 0x8080808080808080) break;
        }
        while (in[k] < 128) ++k;
        return k;
    }

    // Folds the ASCII that n units begin with to `to`, which moves on; returns how many units that were. What
    // comes after it in the output is overwritten later.
    std::size_t fold_ascii(const unsigned char* in, std::size_t n, unsigned char*& to) const {
        std::size_t k = 0;
        if (form_ == Form::lower_marks) return fold_marks(in, n, to);
        if (!all_single_) {
            for (; k < n && in[k] < 128; ++k) to = put_ascii(to, in[k]);
            return k;
        }
        while (k < n) {
            if (k + block > n && n >= block) k = n - block;  // the last ones again rather than one by one
            const std::size_t size = std::min(block, n - k);
            const unsigned char seen =
                size == block ? fold_singles(in + k, block, to + k) : fold_singles(in + k, size, to + k);
            if (seen >= 128) {
                k += first_other(in + k, size);
                break;
            }
            k += size;
        }
        to += k;
        return k;
    }
    // The same where marks get a space on both sides: stretches between them are copied as a whole, and what
    // is copied after their ends is overwritten.
    std::size_t fold_marks(const unsigned char* in, std::size_t n, unsigned char*& to) const {
        unsigned char padded[block], kept[2 * block], marks[block];
        for (std::size_t k = 0; k < n; k += block) {
            const std::size_t size = std::min(block, n - k);
            const unsigned char* from = in + k;
            if (size < block) {
                std::memset(padded, ' ', block);
                from = static_cast<unsigned char*>(std::memcpy(padded, from, size));
            }
            const bool all = lower_marks(from, block, kept, marks) < 128;
            const std::size_t end = all ? size : first_other(from, size);
            std::uint64_t at = space_mask(marks);
            if (end < block) at &= (std::uint64_t{1} << end) - 1;
            std::size_t begin = 0;
            for (; at; at &= at - 1) {
                const auto mark = static_cast<std::size_t>(std::countr_zero(at));
                std::memcpy(to, kept + begin, block);
                to += mark - begin;
                to[0] = ' ', to[1] = kept[mark], to[2] = ' ';
                to += 3;
                begin = mark + 1;
            }
            std::memcpy(to, kept + begin, block);
            to += end - begin;
            if (!all) return k + end;
        }
        return n;
    }
    template <class Unit>
    std::size_t fold_ascii(const Unit* in, std::size_t n, unsigned char*& to) const {
        unsigned char narrow[block];
        n = std::min(n, block);
        for (std::size_t k = 0; k < n; ++k) narrow[k] = static_cast<unsigned char>(in[k] < 128 ? in[k] : 128);
        return fold_ascii(narrow, n, to);
    }

    template <class Text>
    void fold(const Text& text, Folded& out) const {
        std::size_t used = 0;
        UnicodeWords words(keep_ == Keep::unicode_words_and_marks);
        for (std::size_t i = 0; i < text.size;) {
            const std::size_t ascii = (all_single_ ? 1 : 4) * (text.size - i);  // bytes of the rest, if it is
            unsigned char* const begin = out.reserve(used, ascii + most_others * longest);
            unsigned char* to = begin;
            const std::size_t n_ascii = fold_ascii(text.data + i, text.size - i, to);
            if (n_ascii) words.close();
            i += n_ascii;
            for (std::size_t n = 0; i < text.size && text.data[i] >= 128 && n < most_others; ++n)
                to = fold_one(text, i, to, out.has_surrogates, words);
            used += static_cast<std::size_t>(to - begin);
        }
        out.finish(used);
    }

    template <class Text>
    unsigned char* fold_one(const Text& text, std::size_t& i, unsigned char* to, bool& surrogates,
                            UnicodeWords& words) const {
        const std::size_t at = i;
        char32_t c = text.next(i);
        if (c == 0x3A3 && table_.sigma) c = final_sigma(text, at, i) ? 0x3C2 : 0x3C3;
        table_(c, [&](char32_t folded, std::uint32_t bits) {
            surrogates |= folded >> 11 == 0xD800 >> 11;
            to = unicode_words_ ? words.put(to, folded, FoldTable::part(bits)) : put(to, folded, bits);
        });
        return to;
    }

    FoldTable table_;
    Keep keep_;
    bool unicode_words_;
    enum class Form { any, lower_words, lower_spaces, lower_marks } form_ = Form::any;
    unsigned char ascii_[128][4] = {};
    unsigned char ascii_size_[128];
    bool all_single_ = true;          // whether all of ASCII becomes one byte each …
    unsigned char single_[256] = {};  // … namely this
};

// Calls token(begin, size) for every stretch of the buffer between spaces.
template <class Token>
inline void split(const Folded& text, Token token) {
    const unsigned char* data = text.data();
    const std::size_t n = text.size() + 1;  // the first space of the margin closes the last word
    std::size_t begin = 0;
    std::uint64_t outside = 1;  // whether the byte before was a space
    for (std::size_t base = 0; base < n; base += 64) {
        const std::uint64_t spaces = space_mask(data + base);
        std::uint64_t edges = spaces ^ (spaces << 1 | outside);
        while (edges) {
            const std::size_t at = base + static_cast<std::size_t>(__builtin_ctzll(edges));
            edges &= edges - 1;
            if (outside)
                begin = at;
            else
                token(data + begin, at - begin);
            outside ^= 1;
        }
        outside = spaces >> 63;
    }
}

}  // namespace lindy
