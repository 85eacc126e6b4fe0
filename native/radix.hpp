// Sorting numbers by their digits.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>

#include "buffer.hpp"

namespace lindy {

// A key and what it belongs to.
struct Numbered {
    std::uint64_t key;
    std::uint32_t number;
};

inline std::uint64_t sort_key(std::uint64_t item) {
    return item;
}
inline std::uint64_t sort_key(const Numbered& item) {
    return item.key;
}

// One pass over the digit of the keys at `shift`; items end up in `other`, and the two are swapped.
template <class Item>
void radix_pass(Buffer<Item>& items, Buffer<Item>& other, int shift, int digit) {
    constexpr int widest = 11;
    const std::uint64_t mask = (std::uint64_t{1} << digit) - 1;
    std::uint32_t starts[1 << widest] = {};
    for (const Item& item : items) ++starts[sort_key(item) >> shift & mask];
    std::uint32_t sum = 0;
    for (std::uint64_t value = 0; value <= mask; ++value) sum += std::exchange(starts[value], sum);
    for (const Item& item : items) other[starts[sort_key(item) >> shift & mask]++] = item;
    std::swap(items, other);
}

// Sorts by the bits of the keys from `low` to below `high`, which are all in which they differ as far as it
// matters; stable. `other` is scratch memory.
template <class Item>
void radix_sort(Buffer<Item>& items, Buffer<Item>& other, int low, int high) {
    const int bits = std::max(high - low, 1);
    const int widest = items.size() < 512 ? 6 : items.size() < 4096 ? 8 : 11;
    const int passes = (bits + widest - 1) / widest;
    const int digit = (bits + passes - 1) / passes;
    other.resize(items.size());
    for (int shift = low; shift < high; shift += digit)
        radix_pass(items, other, shift, std::min(digit, 64 - shift));
}

// Sorts by the whole keys; bits in which none differ cost nothing.
template <class Item>
void radix_sort(Buffer<Item>& items, Buffer<Item>& other) {
    std::uint64_t differing = 0;
    for (const Item& item : items) differing |= sort_key(item) ^ sort_key(items[0]);
    while (differing) {
        const int low = std::countr_zero(differing);
        int high = low;
        while (high < 64 && differing >> high & 1) ++high;  // a stretch of bits, small gaps included
        while (high < 64 && differing >> high && std::countr_zero(differing >> high) < 4) {
            high += std::countr_zero(differing >> high);
            while (high < 64 && differing >> high & 1) ++high;
        }
        radix_sort(items, other, low, high);
        differing = high < 64 ? differing >> high << high : 0;
    }
}

}  // namespace lindy
