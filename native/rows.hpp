// Putting the entries of many short rows in order at once.
#pragma once

#include <bit>
#include <cstdint>

#include "buffer.hpp"

namespace lindy {

// Entries of up to 256 rows, sorted by a 32-bit key with a few passes that stay in the cache, then dealt out
// to their rows: much cheaper than sorting every row by itself.
class RowSorter {
  public:
    static constexpr std::size_t max_rows = 256;
    static constexpr std::uint32_t max_count = (1u << 24) - 1;

    void clear() { entries_.clear(); }
    std::size_t size() const { return entries_.size(); }
    // A count above max_count needs a group of one row (row 0).
    void push(std::uint32_t key, std::uint32_t row, std::uint32_t count) {
        entries_.push(static_cast<std::uint64_t>(key) << 32 | static_cast<std::uint64_t>(row) << 24 | count);
    }

    // Calls visit(row, key, count) in the order of keys below n_keys.
    template <class Visit>
    void deal(std::uint32_t n_keys, bool one_row, Visit visit) {
        sort(n_keys);
        for (const std::uint64_t entry : entries_)
            visit(one_row ? 0 : (entry >> 24 & 255), static_cast<std::uint32_t>(entry >> 32),
                  static_cast<std::uint32_t>(one_row ? entry : entry & max_count));
    }

    // Adds a signed count; several entries of one key and row are summed by for_each_sum.
    void push_signed(std::uint32_t key, std::uint32_t row, std::int32_t count) {
        constexpr std::int32_t most = max_count / 2;
        for (; count > most; count -= most) push(key, row, static_cast<std::uint32_t>(most));
        for (; count < -most; count += most) push(key, row, static_cast<std::uint32_t>(-most) & max_count);
        push(key, row, static_cast<std::uint32_t>(count) & max_count);
    }

    // Sorts, and sums what fits into one entry.
    void combine(std::uint32_t n_keys) {
        sort(n_keys);
        std::size_t to = 0;
        for (const std::uint64_t entry : entries_) {
            constexpr std::int32_t most = max_count / 2;
            if (to && (entries_[to - 1] ^ entry) >> 24 == 0) {
                const std::int32_t sum = signed_count(entries_[to - 1]) + signed_count(entry);
                if (-most <= sum && sum <= most) {
                    entries_[to - 1] =
                        (entry & ~std::uint64_t{max_count}) | (static_cast<std::uint32_t>(sum) & max_count);
                    continue;
                }
            }
            entries_[to++] = entry;
        }
        entries_.resize(to);
    }

    // After combine: calls visit(row, key, sum) in the order of keys.
    template <class Visit>
    void for_each_sum(Visit visit) const {
        for (std::size_t i = 0; i < entries_.size();) {
            const std::uint64_t entry = entries_[i];
            std::int32_t sum = signed_count(entry);
            while (++i < entries_.size() && (entries_[i] ^ entry) >> 24 == 0)
                sum += signed_count(entries_[i]);
            visit(static_cast<std::size_t>(entry >> 24 & 255), static_cast<std::uint32_t>(entry >> 32), sum);
        }
    }

  private:
    static std::int32_t signed_count(std::uint64_t entry) {
        return static_cast<std::int32_t>(static_cast<std::uint32_t>(entry) << 8) >> 8;
    }

    void sort(std::uint32_t n_keys) {
        if (entries_.size() < 64) return std::sort(entries_.begin(), entries_.end());
        const int bits = std::bit_width(n_keys > 0 ? n_keys - 1 : 0);
        const int widest = entries_.size() < 2048 ? 8 : 11;
        const int passes = std::max(1, (bits + widest - 1) / widest);
        const int digit = (bits + passes - 1) / passes;
        other_.resize(entries_.size());
        for (int shift = 32; shift < 32 + bits; shift += digit) pass(shift, digit);
    }

    void pass(int shift, int digit) {
        const std::uint64_t mask = (1u << digit) - 1;
        std::uint32_t starts[2048] = {};
        for (const std::uint64_t entry : entries_) ++starts[entry >> shift & mask];
        std::uint32_t sum = 0;
        for (std::uint64_t value = 0; value <= mask; ++value) sum += std::exchange(starts[value], sum);
        for (const std::uint64_t entry : entries_) other_[starts[entry >> shift & mask]++] = entry;
        std::swap(entries_, other_);
    }

    Buffer<std::uint64_t> entries_, other_;
};

}  // namespace lindy
