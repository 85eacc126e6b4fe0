// What the analyser knows about characters, for tests and for what is exported.
#include "bind/text.hpp"
#include "text/shapes.hpp"

namespace lindy {

// What each character of a text is for the analyser of Unicode words, by a letter each.
static nb::bytes word_parts(nb::str text) {
    static const FoldTable plain = fold_table(false, Accents::keep);
    const auto n = static_cast<std::size_t>(PyUnicode_GET_LENGTH(text.ptr()));
    const auto width = PyUnicode_KIND(text.ptr());
    const void* data = PyUnicode_DATA(text.ptr());
    std::string parts(n, ' ');
    for (std::size_t i = 0; i < n; ++i) {
        const std::uint32_t bits = plain.entry(PyUnicode_READ(width, data, i));
        parts[i] = " wsmjyxrp"[static_cast<std::size_t>(FoldTable::part(bits))];
    }
    return nb::bytes(parts.data(), parts.size());
}

// What folding makes of every code point: how many successors each has, and all of them one after the other.
static std::tuple<Buffer<std::uint8_t>, Buffer<std::uint32_t>> fold_successors(bool lower, int accents) {
    require(0 <= accents && accents <= 2, "accents are 0 (kept), 1 (stripped) or 2 (ASCII only)");
    const FoldTable table = fold_table(lower, static_cast<Accents>(accents));
    Buffer<std::uint8_t> counts(n_code_points);
    Buffer<std::uint32_t> successors;
    for (char32_t c = 0; c < n_code_points; ++c) {
        counts[c] = 0;
        table(c, [&](char32_t folded, std::uint32_t) {
            ++counts[c];
            successors.push(static_cast<std::uint32_t>(folded));
        });
    }
    return {std::move(counts), std::move(successors)};
}

// What every code point is: bit 0 part of a word, bit 1 white space, from bit 2 on its part of Unicode words;
// how it counts beside a capital sigma; and the letter of its shape.
static std::tuple<Buffer<std::uint8_t>, Buffer<std::uint8_t>, Buffer<std::uint8_t>> character_kinds() {
    const FoldTable plain = fold_table(false, Accents::keep);
    Buffer<std::uint8_t> kinds(n_code_points), contexts(n_code_points), shapes(n_code_points);
    for (char32_t c = 0; c < n_code_points; ++c) {
        const std::uint32_t bits = plain.entry(c);
        kinds[c] =
            static_cast<std::uint8_t>((bits & FoldTable::word ? 1 : 0) | (bits & FoldTable::space ? 2 : 0) |
                                      static_cast<int>(FoldTable::part(bits)) << 2);
        contexts[c] = static_cast<std::uint8_t>(case_context(c));
        shapes[c] = shape_of(c);
    }
    return {std::move(kinds), std::move(contexts), std::move(shapes)};
}

void bind_characters(nb::module_& module) {
    module.def(
        "word_parts", &word_parts, "text"_a,
        "What each character is for the analyser of Unicode words: w part of a word, s of a script without "
        "spaces, m mark, j joiner, y symbol, x skin tone, r letter of a flag, p punctuation, or a space.");
    module.def("fold_successors", unlocked(&fold_successors), "lower"_a, "accents"_a,
               "How many characters each code point becomes by folding, and these, one after the other.");
    module.def("character_kinds", unlocked(&character_kinds),
               "Of every code point: its bits (1 part of a word, 2 white space, then its part of Unicode "
               "words), how it counts beside a capital sigma, and the letter of its shape.");
}

}  // namespace lindy
