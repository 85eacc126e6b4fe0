// Putting the entries of many short rows in order at once.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "core/radix.hpp"

namespace lindy {

// Entries of up to 256 rows, sorted by a 32-bit key with a few passes that stay in the cache, then dealt out
// to their rows: much cheaper than sorting every row by itself. Counts are signed; several entries of one key
// and row are summed.
class RowSorter {
  public:
    static constexpr std::size_t max_rows = 256;

    // Begins anew; keys are below n_keys.
    void clear(std::uint32_t n_keys) {
        n_keys_ = n_keys;
        n_entries_ = 0;
        entries_.resize(std::max<std::size_t>(entries_.size(), 256));
    }

    [[gnu::always_inline]] void push(std::uint32_t key, std::uint32_t row, std::int32_t count) {
        if (count < -most || count > most) [[unlikely]]
            return push_large(key, row, count);
        entries_[n_entries_++] = entry(key, row, count);
        if (n_entries_ == entries_.size()) [[unlikely]]
            make_room(1);
    }

    // Adds a count of one for each key, which comes doubled, plus one if the count is to be −1.
    void push_codes(const std::uint32_t* codes, std::size_t n, std::uint32_t row) {
        if (entries_.size() - n_entries_ <= n) make_room(n);
        std::uint64_t* to = entries_.data() + n_entries_;
        const std::uint64_t positive = entry(0, row, 1), negative = entry(0, row, -1);
        for (std::size_t i = 0; i < n; ++i)
            to[i] = static_cast<std::uint64_t>(codes[i] >> 1) << 32 | (codes[i] & 1 ? negative : positive);
        n_entries_ += n;
    }

    // Sorts and sums; returns how many entries each row has.
    const std::array<std::uint32_t, max_rows>& finish() {
        combine();
        return sizes_;
    }

    // After finish: calls visit(row, key, sum) in the order of keys.
    template <class Visit>
    void for_each_sum(Visit visit) const {
        for (std::size_t i = 0; i < n_entries_;) {
            const std::uint64_t entry = entries_[i];
            std::int32_t sum = count_of(entry);
            while (++i < n_entries_ && (entries_[i] ^ entry) >> count_bits == 0) [[unlikely]]
                sum += count_of(entries_[i]);
            visit(static_cast<std::size_t>(entry >> count_bits & (max_rows - 1)),
                  static_cast<std::uint32_t>(entry >> 32), sum);
        }
    }

  private:
    static constexpr std::size_t usual_entries = 1 << 16;
    static constexpr int count_bits = 24;
    static constexpr std::int32_t most = (1 << (count_bits - 1)) - 1;

    static std::uint64_t entry(std::uint32_t key, std::uint32_t row, std::int32_t count) {
        return static_cast<std::uint64_t>(key) << 32 | static_cast<std::uint64_t>(row) << count_bits |
               (static_cast<std::uint32_t>(count) & ((1u << count_bits) - 1));
    }
    static std::int32_t count_of(std::uint64_t entry) {
        return static_cast<std::int32_t>(static_cast<std::uint32_t>(entry) << 8) >> 8;
    }

    [[gnu::noinline]] void push_large(std::uint32_t key, std::uint32_t row, std::int32_t count) {
        for (; count > most; count -= most) push(key, row, most);
        for (; count < -most; count += most) push(key, row, -most);
        push(key, row, count);
    }

    // Makes room for n more entries, and one.
    [[gnu::noinline]] void make_room(std::size_t n) {
        if (n_entries_ >= usual_entries) combine();
        entries_.resize(std::max(entries_.size(), std::bit_ceil(2 * n_entries_ + n + 1)));
    }

    // Sorts, and sums what fits into one entry.
    void combine() {
        const std::size_t room = entries_.size();
        entries_.resize(n_entries_);
        if (n_entries_ < 64)
            std::sort(entries_.begin(), entries_.end());
        else
            radix_sort(entries_, other_, 32, 32 + std::bit_width(n_keys_ > 0 ? n_keys_ - 1 : 0));
        sizes_.fill(0);
        std::size_t to = 0;
        for (const std::uint64_t entry : entries_) {
            const auto row = static_cast<std::uint32_t>(entry >> count_bits & (max_rows - 1));
            if (to && (entries_[to - 1] ^ entry) >> count_bits == 0) {
                const std::int32_t sum = count_of(entries_[to - 1]) + count_of(entry);
                if (-most <= sum && sum <= most) {
                    entries_[to - 1] = RowSorter::entry(static_cast<std::uint32_t>(entry >> 32), row, sum);
                    continue;
                }
                --sizes_[row];
            }
            ++sizes_[row];
            entries_[to++] = entry;
        }
        n_entries_ = to;
        entries_.resize(room);
    }

    Buffer<std::uint64_t> entries_, other_;
    std::size_t n_entries_ = 0;
    std::uint32_t n_keys_ = 0;
    std::array<std::uint32_t, max_rows> sizes_;
};

}  // namespace lindy
