// Putting the entries of many short rows in order at once.
#pragma once

#include <bit>
#include <cstdint>

#include "radix.hpp"

namespace lindy {

// Entries of up to 256 rows, sorted by a 32-bit key with a few passes that stay in the cache, then dealt out
// to their rows: much cheaper than sorting every row by itself.
class RowSorter {
  public:
    static constexpr std::size_t max_rows = 256;
    static constexpr std::uint32_t max_count = (1u << 24) - 1;

    void clear() { entries_.clear(); }
    std::size_t size() const { return entries_.size(); }
    void push(std::uint32_t key, std::uint32_t row, std::uint32_t count) {
        entries_.push(static_cast<std::uint64_t>(key) << 32 | static_cast<std::uint64_t>(row) << 24 | count);
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
        radix_sort(entries_, other_, 32, 32 + std::bit_width(n_keys > 0 ? n_keys - 1 : 0));
    }

    Buffer<std::uint64_t> entries_, other_;
};

}  // namespace lindy
