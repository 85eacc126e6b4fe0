// Text as Python sees it: code points out of UTF-8 or of Python's own strings, folded (lower case, accents)
// exactly as str.lower and unicodedata of the interpreter that built this would (generate_unicode.py asks
// it).
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <utility>

namespace lindy {

inline constexpr char32_t n_code_points = 0x110000;

enum class Accents { keep = 0, strip = 1, ascii = 2 };
enum class CaseContext : std::uint8_t { none = 0, cased = 1, ignored = 2 };

// One document, borrowed: UTF-8 bytes, or the 1, 2 or 4 byte units of a Python string.
struct Document {
    enum class Units : std::uint8_t { ascii, utf8, latin1, ucs2, ucs4 };
    const void* data;
    std::size_t size;  // in units
    Units units;
};

// What a code point is for the analyser of Unicode words (text/unicode_words.hpp).
enum class WordPart : std::uint8_t {
    other,        // white space, controls, what is not assigned
    letter,       // or digit or underscore
    spaceless,    // a letter or mark of a script without spaces between words
    mark,         // combining marks, the zero-width non-joiner
    joiner,       // the zero-width joiner
    symbol,       // emoji among them
    modifier,     // the colour of an emoji's skin
    regional,     // half a flag
    punctuation,  // with the symbols of ASCII
};

// What folding makes of each code point.
struct FoldTable {
    static constexpr std::uint32_t word = 1u << 21, space = 1u << 22, sequence = 1u << 31, value = word - 1;
    static constexpr int part_shift = 23;
    static WordPart part(std::uint32_t bits) { return static_cast<WordPart>(bits >> part_shift & 15); }
    const std::uint16_t* index;
    const std::uint32_t* blocks;
    const std::uint32_t* sequences;
    bool sigma;  // whether a capital sigma depends on its neighbours

    std::uint32_t entry(char32_t c) const { return blocks[index[c >> 7] * 128u + (c & 127)]; }

    // Calls emit(code point, bits) for each successor of c.
    template <class Emit>
    void operator()(char32_t c, Emit emit) const {
        const std::uint32_t found = entry(c);
        if (!(found & sequence)) [[likely]]
            return emit(static_cast<char32_t>((c + found) & value), found);
        const std::uint32_t* successors = sequences + (found & value);
        for (std::uint32_t k = 1; k <= successors[0]; ++k)
            emit(static_cast<char32_t>(successors[k] & value), successors[k]);
    }
};

FoldTable fold_table(bool lower, Accents accents);
CaseContext case_context(char32_t c);
unsigned char shape_of(char32_t c);

// Bytes that are not UTF-8, or a lone surrogate of a Python string where UTF-8 is needed.
struct BadText : std::runtime_error {
    explicit BadText(bool surrogate) : std::runtime_error("not valid UTF-8"), is_surrogate(surrogate) {}
    bool is_surrogate;
    std::size_t document = 0;  // its number, set by who reads several
};

// read(), saying which document was bad.
template <class Read>
inline void read_document(std::size_t number, Read read) {
    try {
        read();
    } catch (BadText& error) {
        error.document = number;
        throw;
    }
}

// Strings of fixed-width units (Python's own).
template <class Unit>
struct Units {
    const Unit* data;
    std::size_t size;
    char32_t next(std::size_t& i) const { return data[i++]; }
    char32_t previous(std::size_t& i) const { return data[--i]; }
};

// UTF-8; next() refuses what is not well-formed (surrogates included), previous() may trust what next() has
// passed.
struct Utf8 {
    const unsigned char* data;
    std::size_t size;

    unsigned continuation(std::size_t i) const {
        if (i >= size || (data[i] & 0xC0) != 0x80) throw BadText(false);
        return data[i] & 0x3F;
    }
    char32_t next(std::size_t& i) const {
        const unsigned lead = data[i];
        if (lead < 0x80) return ++i, lead;
        if (lead < 0xC2 || lead > 0xF4) throw BadText(false);
        if (lead < 0xE0) {
            const char32_t c = (lead & 0x1F) << 6 | continuation(i + 1);
            return i += 2, c;
        }
        if (lead < 0xF0) {
            const char32_t c = (lead & 0x0F) << 12 | continuation(i + 1) << 6 | continuation(i + 2);
            if (c < 0x800 || (c >= 0xD800 && c < 0xE000)) throw BadText(false);
            return i += 3, c;
        }
        const char32_t c =
            (lead & 0x07) << 18 | continuation(i + 1) << 12 | continuation(i + 2) << 6 | continuation(i + 3);
        if (c < 0x10000 || c > 0x10FFFF) throw BadText(false);
        return i += 4, c;
    }
    char32_t previous(std::size_t& i) const {
        do --i;
        while (i > 0 && (data[i] & 0xC0) == 0x80);
        std::size_t start = i;
        return next(start);
    }
};

// The code point at data[i] of text that put_utf8 has written, and how many bytes it takes.
inline std::pair<char32_t, std::size_t> written_utf8(const unsigned char* data) {
    const char32_t lead = data[0];
    auto rest = [&](std::size_t k) { return static_cast<char32_t>(data[k] & 0x3F); };
    if (lead < 0x80) return {lead, 1};
    if (lead < 0xE0) return {(lead & 0x1F) << 6 | rest(1), 2};
    if (lead < 0xF0) return {(lead & 0x0F) << 12 | rest(1) << 6 | rest(2), 3};
    return {(lead & 0x07) << 18 | rest(1) << 12 | rest(2) << 6 | rest(3), 4};
}

// Appends one code point as UTF-8 (surrogates too: they come from Python strings and go back to them).
inline unsigned char* put_utf8(unsigned char* out, char32_t c) {
    if (c < 0x80) {
        *out++ = static_cast<unsigned char>(c);
    } else if (c < 0x800) {
        *out++ = static_cast<unsigned char>(0xC0 | c >> 6);
        *out++ = static_cast<unsigned char>(0x80 | (c & 0x3F));
    } else if (c < 0x10000) {
        *out++ = static_cast<unsigned char>(0xE0 | c >> 12);
        *out++ = static_cast<unsigned char>(0x80 | (c >> 6 & 0x3F));
        *out++ = static_cast<unsigned char>(0x80 | (c & 0x3F));
    } else {
        *out++ = static_cast<unsigned char>(0xF0 | c >> 18);
        *out++ = static_cast<unsigned char>(0x80 | (c >> 12 & 0x3F));
        *out++ = static_cast<unsigned char>(0x80 | (c >> 6 & 0x3F));
        *out++ = static_cast<unsigned char>(0x80 | (c & 0x3F));
    }
    return out;
}

// Whether the capital sigma before position `after` ends a word: a cased letter comes before it and none
// after it, passing over what case ignores (Unicode's Final_Sigma, as str.lower applies it).
template <class Text>
bool final_sigma(const Text& text, std::size_t at, std::size_t after) {
    CaseContext before = CaseContext::ignored, behind = CaseContext::ignored;
    while (at > 0 && before == CaseContext::ignored) before = case_context(text.previous(at));
    if (before != CaseContext::cased) return false;
    while (after < text.size && behind == CaseContext::ignored) behind = case_context(text.next(after));
    return behind != CaseContext::cased;
}

}  // namespace lindy
