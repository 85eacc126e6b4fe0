// Areas below the curves of a ranking, for rows that count more or less often.
#pragma once

#include <cstdint>
#include <limits>

namespace lindy {

struct Areas {
    double roc, precision_recall;  // NaN where there is no weight of hits, or for roc of misses
};

// What is marked of a row in falling order of its score: it is a hit, and no later row has the same score.
constexpr std::uint8_t kHit = 1, kLastOfScore = 2;

// `order` has the rows from the highest score down, `marks` what is marked of them in that order, and
// `weight` how often each row counts. Whole numbers are added, so the area is exact: twice the area grows by
// the misses of a score times the hits above it, before and after.
inline Areas ranked_areas(const std::int32_t* order, const std::uint8_t* marks, std::int64_t n,
                          const std::int32_t* weight) {
    std::int64_t hits = 0, misses = 0, hits_above = 0, misses_above = 0, doubled = 0;
    double precision = 0;
    for (std::int64_t i = 0; i < n; ++i) {
        const std::int64_t w = weight[order[i]];
        const std::int64_t hit = marks[i] & kHit ? w : 0;
        hits += hit;
        misses += w - hit;
        if (!(marks[i] & kLastOfScore)) continue;
        doubled += (misses - misses_above) * (hits + hits_above);
        if (hits != hits_above)
            precision += static_cast<double>(hits - hits_above) * static_cast<double>(hits) /
                         static_cast<double>(hits + misses);
        hits_above = hits;
        misses_above = misses;
    }
    constexpr double none = std::numeric_limits<double>::quiet_NaN();
    const double pairs = static_cast<double>(hits) * static_cast<double>(misses);
    return {pairs ? static_cast<double>(doubled) / 2 / pairs : none,
            hits ? precision / static_cast<double>(hits) : none};
}

}  // namespace lindy
