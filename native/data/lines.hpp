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

// Writes 0.1 ≤ v < 1, as most probabilities are, and returns the end; null where v is another number, or so
// close to the middle of two numbers of six digits that only all its digits tell which is nearer.
inline char* short_fraction(char* out, double v) {
    if (!(v >= 0.1 && v < 1)) return nullptr;
    const double scaled = v * 1e6;  // to 1e-10
    auto whole = static_cast<std::uint32_t>(scaled);
    const double rest = scaled - whole;
    if (std::abs(rest - 0.5) < 1e-6) return nullptr;
    whole += rest > 0.5;
    if (whole == 1000000) return *out = '1', out + 1;
    out[0] = '0', out[1] = '.';
    for (int k = 7; k >= 2; --k, whole /= 10) out[k] = static_cast<char>('0' + whole % 10);
    char* end = out + 8;
    while (end[-1] == '0') --end;
    return end;
}

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
                const char* end = short_fraction(digits, column.numbers[i]);
                if (!end)
                    end = std::to_chars(digits, digits + sizeof digits, column.numbers[i],
                                        std::chars_format::general, 6)
                              .ptr;
                lines.append(digits, static_cast<std::size_t>(end - digits));
            }
            lines += k + 1 < columns.size() ? delimiter : '\n';
        }
    }
    return lines;
}

}  // namespace lindy
