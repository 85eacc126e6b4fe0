// Lines of delimited text out of columns of words and numbers.
#pragma once

#include <charconv>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

namespace lindy {

// A column: words[codes[i]] (nothing where the code is −1), or numbers with six significant digits as
// printf's %g writes them (nothing where one is NaN).
struct LineColumn {
    std::vector<std::string> words;
    const std::int64_t* codes = nullptr;
    const double* numbers = nullptr;
};

inline std::string lines_of(const std::vector<LineColumn>& columns, std::size_t n_rows, char delimiter) {
    std::string lines;
    lines.reserve(n_rows * columns.size() * 12);
    for (std::size_t i = 0; i < n_rows; ++i) {
        for (std::size_t k = 0; k < columns.size(); ++k) {
            const LineColumn& column = columns[k];
            if (column.codes) {
                if (column.codes[i] >= 0) lines += column.words[static_cast<std::size_t>(column.codes[i])];
            } else if (!std::isnan(column.numbers[i])) {
                char digits[32];
                const auto end = std::to_chars(digits, digits + sizeof digits, column.numbers[i],
                                               std::chars_format::general, 6);
                lines.append(digits, end.ptr);
            }
            lines += k + 1 < columns.size() ? delimiter : '\n';
        }
    }
    return lines;
}

}  // namespace lindy
