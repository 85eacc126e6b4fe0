#include "text/unicode.hpp"

namespace lindy {

namespace {
#include "unicode_tables.inc"
}

FoldTable fold_table(bool lower, Accents accents) {
    constexpr std::size_t blocks = n_code_points / 128;
    const std::size_t table = 2 * static_cast<std::size_t>(accents) + (lower ? 1 : 0);
    return {fold_index + table * blocks, fold_blocks, fold_sequences, lower && accents != Accents::ascii};
}

CaseContext case_context(char32_t c) {
    return static_cast<CaseContext>(case_blocks[case_index[c >> 7] * 128u + (c & 127)]);
}

unsigned char shape_of(char32_t c) {
    return shape_blocks[shape_index[c >> 7] * 128u + (c & 127)];
}

}  // namespace lindy
