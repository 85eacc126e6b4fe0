// Sketches of sets: how many entries of two sketches agree tells how much of the two sets is shared.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/threads.hpp"

namespace lindy {

// The finaliser of SplitMix64 (Steele, Lea and Flood 2014): every bit of the result depends on every bit of
// x.
inline std::uint64_t mixed(std::uint64_t x) {
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
    x = (x ^ x >> 27) * 0x94D049BB133111EBu;
    return x ^ x >> 31;
}

constexpr std::uint32_t kEmptyBin = 0xFFFFFFFF;

// One-permutation MinHash (Li, Owen and Zhang 2012): every member falls into one of n_bins (a power of two)
// by its hash, and a bin keeps its smallest hash. Empty bins take the value of the next filled bin to the
// right, plus the distance to it (Shrivastava and Li 2014). A row without members keeps kEmptyBin everywhere.
inline void minhash_row(const std::int32_t* members, std::int64_t size, std::uint64_t seed, int n_bins,
                        std::uint32_t* sketch) {
    for (int bin = 0; bin < n_bins; ++bin) sketch[bin] = kEmptyBin;
    for (std::int64_t k = 0; k < size; ++k) {
        const std::uint64_t h = mixed(seed + static_cast<std::uint64_t>(members[k]) * 0x9E3779B97F4A7C15u);
        const auto bin = static_cast<int>(h & static_cast<std::uint64_t>(n_bins - 1));
        const auto value = static_cast<std::uint32_t>(h >> 33);  // 31 bits: never kEmptyBin
        if (value < sketch[bin]) sketch[bin] = value;
    }
    if (size == 0) return;
    int filled = 0;  // where the run of borrowing begins: any bin with a member
    while (sketch[filled] == kEmptyBin) ++filled;
    std::uint32_t value = sketch[filled], distance = 0;
    for (int step = 1; step < n_bins; ++step) {  // leftwards from there, around the end
        const int bin = (filled - step) & (n_bins - 1);
        if (sketch[bin] == kEmptyBin) {
            sketch[bin] = value + ++distance * 0x01000193u;
        } else {
            value = sketch[bin];
            distance = 0;
        }
    }
}

// sketches: n_rows × n_bins.
inline void minhash_rows(const std::int64_t* indptr, const std::int32_t* indices, std::int64_t n_rows,
                         std::uint64_t seed, int n_bins, std::uint32_t* sketches, int n_threads) {
    constexpr std::int64_t kRows = 256;
    parallel_chunks((n_rows + kRows - 1) / kRows, n_threads, [=](std::int64_t chunk) {
        const std::int64_t end = std::min((chunk + 1) * kRows, n_rows);
        for (std::int64_t i = chunk * kRows; i < end; ++i)
            minhash_row(indices + indptr[i], indptr[i + 1] - indptr[i], seed, n_bins, sketches + i * n_bins);
    });
}

// How many members two rows share; both ascend.
inline std::int64_t shared_members(const std::int32_t* a, std::int64_t n_a, const std::int32_t* b,
                                   std::int64_t n_b) {
    std::int64_t i = 0, j = 0, shared = 0;
    while (i < n_a && j < n_b) {
        shared += a[i] == b[j];
        const bool left = a[i] <= b[j], right = b[j] <= a[i];
        i += left;
        j += right;
    }
    return shared;
}

}  // namespace lindy
