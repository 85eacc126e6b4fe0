// Sorting numbers by their digits.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>

#include "core/buffer.hpp"

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

// One pass over the digits of the keys at `shift`, whose values begin at `starts`; items end up in `other`,
// and the two are swapped.
template <class Item>
void radix_pass(Buffer<Item>& items, Buffer<Item>& other, int shift, std::uint64_t mask,
                std::uint32_t* starts) {
    std::uint32_t sum = 0;
    for (std::uint64_t value = 0; value <= mask; ++value) sum += std::exchange(starts[value], sum);
    Item* to = other.data();
    for (const Item& item : items) to[starts[sort_key(item) >> shift & mask]++] = item;
    std::swap(items, other);
}

// Sorts by the bits of the keys from `low` to below `high`, which are all in which they differ as far as it
// matters; stable. `other` is scratch memory.
template <class Item>
void radix_sort(Buffer<Item>& items, Buffer<Item>& other, int low, int high) {
    constexpr int widest = 12;
    const int bits = std::max(high - low, 1);
    const int wide = items.size() < 512 ? 6 : items.size() < 4096 ? 8 : widest;
    const int passes = (bits + wide - 1) / wide, digit = (bits + passes - 1) / passes;
    const std::uint64_t mask = (std::uint64_t{1} << digit) - 1;
    other.resize(items.size());
    // two digits are counted in one reading
    std::uint32_t starts[2 << widest];
    for (int pass = 0; pass < passes; pass += 2) {
        const int shift = low + pass * digit, next = std::min(shift + digit, 63);
        const bool two = pass + 1 < passes;
        std::fill_n(starts, (1 + two) << digit, 0);
        if (two)
            for (const Item& item : items) {
                ++starts[sort_key(item) >> shift & mask];
                ++starts[(mask + 1) | (sort_key(item) >> next & mask)];
            }
        else
            for (const Item& item : items) ++starts[sort_key(item) >> shift & mask];
        radix_pass(items, other, shift, mask, starts);
        if (two) radix_pass(items, other, next, mask, starts + mask + 1);
    }
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
