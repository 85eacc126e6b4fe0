// How many scores of each label lie between cuts.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <vector>

namespace lindy {

// Adds to `counts` (labels × cuts) how many scores (rows × labels) lie from each cut up to the next, or above
// the last one; scores below all cuts, and NaN, are not counted. `cuts` ascend.
inline void count_between_cuts(const double* scores, std::int64_t rows, std::int64_t labels,
                               const double* cuts, std::int64_t n_cuts, std::int64_t* counts) {
    const auto size = std::bit_ceil(static_cast<std::uint64_t>(n_cuts));
    std::vector<double> padded(size, std::numeric_limits<double>::infinity());
    std::copy(cuts, cuts + n_cuts, padded.begin());
    for (std::int64_t row = 0; row < rows; ++row, scores += labels)
        for (std::int64_t label = 0; label < labels; ++label) {
            const double score = scores[label];
            if (!(score >= cuts[0])) continue;
            std::uint64_t place = 0;
            for (std::uint64_t step = size / 2; step; step /= 2)
                place += padded[place + step] <= score ? step : 0;
            // of the infinite ones, only the last cut can be one
            const auto cut = std::min<std::uint64_t>(place, static_cast<std::uint64_t>(n_cuts - 1));
            ++counts[label * n_cuts + static_cast<std::int64_t>(cut)];
        }
}

}  // namespace lindy
