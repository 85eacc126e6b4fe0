// Any bytes as delimited text: fed in pieces or at once, with all columns or some, with a limit of the rows'
// length or without, the same rows or the same refusal. Input: how many columns and which delimiter; which
// columns are kept; how many bytes are fed at a time, and the limit; the text.
#include "data/delimited.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

using namespace lindy;

using Column = std::vector<std::string>;

static void check(bool holds) {
    if (!holds) __builtin_trap();
}

// The columns that are kept, or nothing if the text is refused.
static std::optional<std::vector<Column>> parse(char delimiter, const std::vector<bool>& wanted,
                                                const char* text, std::size_t size, std::size_t step,
                                                std::size_t longest) {
    DelimitedParser parser(delimiter, wanted, size, longest);
    for (std::size_t i = 0; i < size; i += step) parser.feed(text + i, std::min(step, size - i));
    parser.finish();
    if (parser.failed()) return std::nullopt;
    const std::size_t n_rows = parser.n_rows();
    std::vector<Column> columns;
    for (std::size_t k = 0; k < wanted.size(); ++k) {
        if (!wanted[k]) continue;
        const StringColumn column = parser.take(k);
        check(column.offsets.size() == n_rows + 1 && column.offsets[0] == 0);
        Column& strings = columns.emplace_back();
        for (std::size_t i = 0; i < n_rows; ++i) {
            const auto begin = static_cast<std::size_t>(column.offsets[i]);
            const auto end = static_cast<std::size_t>(column.offsets[i + 1]);
            check(begin <= end && end <= column.bytes.size());
            strings.emplace_back(reinterpret_cast<const char*>(column.bytes.data()) + begin, end - begin);
            check(is_text(strings.back().data(), strings.back().data() + strings.back().size()));
        }
    }
    return columns;
}

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
    if (size < 3) return -1;
    const std::size_t n_columns = data[0] % 4u + 1;
    const char delimiter = ",;\t|"[data[0] / 4u % 4u];
    const std::size_t step = data[2] % 32u + 1;
    const char* text = reinterpret_cast<const char*>(data) + 3;
    const std::vector<bool> all(n_columns, true);
    const auto whole = parse(delimiter, all, text, size - 3, size, size);
    std::vector<bool> some;
    for (std::size_t k = 0; k < n_columns; ++k) some.push_back(data[1] >> k & 1);
    const auto part = parse(delimiter, some, text, size - 3, step, size);
    check(whole.has_value() == part.has_value());
    const std::size_t longest = data[2] / 32u * 8;
    const auto limited = parse(delimiter, all, text, size - 3, size, longest);
    check(!limited || limited == whole);
    check(limited == parse(delimiter, all, text, size - 3, step, longest));
    if (!whole) return 0;
    for (std::size_t k = 0, kept = 0; k < n_columns; ++k)
        if (some[k]) check((*part)[kept++] == (*whole)[k]);
    return 0;
}
