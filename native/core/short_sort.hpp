// Sorting some hundred numbers by their upper halves, in the nearest cache.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "core/buffer.hpp"
#include "core/radix.hpp"

namespace lindy {

namespace short_sort {

inline constexpr std::size_t most = 1 << 15;  // numbers, so that sixteen bits count them
inline constexpr std::size_t few = 512;  // numbers that are moved once more in the time that wide digits take

// counts[v] becomes the sum of all before it; n is a multiple of eight.
inline void sum_before(std::uint16_t* counts, std::size_t n) {
#if defined(__SSE2__)
    __m128i carry = _mm_setzero_si128();
    for (std::size_t v = 0; v < n; v += 8) {
        auto* place = reinterpret_cast<__m128i*>(counts + v);
        const __m128i own = _mm_load_si128(place);
        __m128i sum = _mm_add_epi16(own, _mm_slli_si128(own, 2));
        sum = _mm_add_epi16(sum, _mm_slli_si128(sum, 4));
        sum = _mm_add_epi16(_mm_add_epi16(sum, _mm_slli_si128(sum, 8)), carry);
        _mm_store_si128(place, _mm_sub_epi16(sum, own));
        carry = _mm_shufflehi_epi16(sum, 0xFF);
        carry = _mm_unpackhi_epi64(carry, carry);
    }
#else
    std::uint16_t sum = 0;
    for (std::size_t v = 0; v < n; ++v) sum += std::exchange(counts[v], sum);
#endif
}

// Puts a few numbers in order.
inline void insert(std::uint64_t* items, std::size_t n) {
    for (std::size_t i = 1; i < n; ++i) {
        const std::uint64_t item = items[i];
        std::size_t to = i;
        for (; to > 0 && items[to - 1] >> 32 > item >> 32; --to) items[to] = items[to - 1];
        items[to] = item;
    }
}

// Moves n numbers from `from` to `to` and back, digit by digit, all of which are counted in one reading.
template <int passes, int digit>
[[gnu::noinline]] void sort(std::uint64_t* from, std::uint64_t* to, std::size_t n) {
    constexpr std::uint32_t values = 1u << digit;
    alignas(16) std::uint16_t starts[passes][values] = {};
    for (std::size_t i = 0; i < n; ++i) {
        const auto key = static_cast<std::uint32_t>(from[i] >> 32);
        for (int pass = 0; pass < passes; ++pass) ++starts[pass][key >> pass * digit & (values - 1)];
    }
    for (int pass = 0; pass < passes; ++pass) {
        sum_before(starts[pass], values);
        const int shift = 32 + pass * digit;
        for (std::size_t i = 0; i < n; ++i) {
            const std::uint64_t item = from[i];
            to[starts[pass][item >> shift & (values - 1)]++] = item;
        }
        std::swap(from, to);
    }
}

}  // namespace short_sort

// Sorts numbers by their upper halves, which are below n_keys; stable. `other` is scratch memory. Wide digits
// need fewer passes, narrow ones fewer counters.
inline void sort_by_key(Buffer<std::uint64_t>& items, Buffer<std::uint64_t>& other, std::uint32_t n_keys) {
    using namespace short_sort;
    const std::size_t n = items.size();
    const int bits = std::bit_width(n_keys > 0 ? n_keys - 1 : 0);
    if (n < 32) return insert(items.data(), n);
    if (n > most || bits > 22) return radix_sort(items, other, 32, 32 + bits);
    std::uint64_t *const a = items.data(), *const b = other.resize(n);
    if (n < few && bits > 14) {
        bits > 21 ? sort<3, 8>(a, b, n) : sort<3, 7>(a, b, n);
        std::swap(items, other);
        return;
    }
    bits <= 14   ? sort<2, 7>(a, b, n)
    : bits <= 18 ? sort<2, 9>(a, b, n)
    : bits <= 20 ? sort<2, 10>(a, b, n)
                 : sort<2, 11>(a, b, n);
}

}  // namespace lindy
