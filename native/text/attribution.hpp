// What the characters of a text get of what its features add.
#pragma once

#include <algorithm>

#include "core/buffer.hpp"

namespace lindy {

// n occurrences, each with its part of what a feature adds, and the units from first to last that it covers.
struct CreditedOccurrences {
    const double* part;
    const std::int64_t *first, *last;
    std::size_t n;
};

// Divides each part equally among the units that it covers, and what a unit gets equally among its
// characters: unit u has those from spans[2u] to spans[2u + 1], or the one at its begin if that is its end.
// The sums are taken in the order of the NumPy twin (lindy.textbook.attribution): first units of all occurrences
// first.
inline void spread_credit(const CreditedOccurrences& o, const std::int64_t* spans, std::size_t n_units,
                          std::size_t n_characters, double* credit) {
    Buffer<double> units(n_units), level(n_units);
    std::fill(units.begin(), units.end(), 0.0);
    std::int64_t longest = 0;
    for (std::size_t i = 0; i < o.n; ++i) longest = std::max(longest, o.last[i] - o.first[i]);
    for (std::int64_t k = 0; k < longest; ++k) {
        std::fill(level.begin(), level.end(), 0.0);
        for (std::size_t i = 0; i < o.n; ++i)
            if (o.first[i] + k < o.last[i])
                level[static_cast<std::size_t>(o.first[i] + k)] +=
                    o.part[i] / static_cast<double>(o.last[i] - o.first[i]);
        for (std::size_t u = 0; u < n_units; ++u) units[u] += level[u];
    }
    std::fill(credit, credit + n_characters, 0.0);
    if (n_characters == 0) return;
    for (std::size_t u = 0; u < n_units; ++u) {
        const auto begin = std::min(static_cast<std::size_t>(spans[2 * u]), n_characters - 1);
        const auto end = std::max(static_cast<std::size_t>(spans[2 * u + 1]), begin + 1);
        const double each = units[u] / static_cast<double>(end - begin);
        for (std::size_t c = begin; c < end; ++c) credit[c] += each;
    }
}

}  // namespace lindy
