// MurmurHash3 (x86, 32 bits) by Austin Appleby, which he placed in the public domain: the hash of
// scikit-learn.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "core/isa.hpp"

namespace lindy {

inline constexpr std::size_t murmur_margin = 64;

// Sixteen bytes at data are read, and three after its end.
inline std::uint32_t murmur3(const unsigned char* data, std::size_t size, std::uint32_t seed) {
    const std::uint32_t c1 = 0xCC9E2D51, c2 = 0x1B873593;
    auto rotate = [](std::uint32_t x, int r) { return x << r | x >> (32 - r); };
    auto mixed = [&](std::uint32_t h, std::size_t i) {
        std::uint32_t k;
        std::memcpy(&k, data + i, 4);
        return rotate(h ^ rotate(k * c1, 15) * c2, 13) * 5 + 0xE6546B64;
    };
    std::uint32_t h = seed;
    if (size <= 16) {  // nearly always; without a branch on the length, which nothing could foresee
        for (std::size_t i = 0; i < 16; i += 4) {
            const std::uint32_t next = mixed(h, i);
            h = i + 4 <= size ? next : h;
        }
    } else {
        for (std::size_t i = 0; i + 4 <= size; i += 4) h = mixed(h, i);
    }
    std::uint32_t k;  // the rest; the bytes after it are cut off
    std::memcpy(&k, data + (size & ~std::size_t{3}), 4);
    k &= (1u << 8 * (size & 3)) - 1;
    h ^= rotate(k * c1, 15) * c2;
    h ^= static_cast<std::uint32_t>(size);
    h = (h ^ h >> 16) * 0x85EBCA6B;
    h = (h ^ h >> 13) * 0xC2B2AE35;
    return h ^ h >> 16;
}

}  // namespace lindy

#define LINDY_KERNELS "text/murmur.inl"
#include "core/for_each_isa.hpp"

namespace lindy {

// The hashes of all stretches of n words in a text whose words have one space between: word i begins at
// starts[i], and starts has one more entry, for the word that would come next. With `longer`, also those of
// the stretches of n + 1 words that begin at the same words, whose first bytes are hashed once for both.
// murmur_margin bytes after the text can be read.
inline void murmur3_of_terms(const unsigned char* text, const std::uint32_t* starts, std::size_t n_terms,
                             std::size_t n, std::uint32_t* hashes, std::uint32_t* longer = nullptr) {
    LINDY_SELECT(murmur3_of_terms)(text, starts, n_terms, n, hashes, longer);
}

}  // namespace lindy
