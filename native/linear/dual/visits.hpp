// The order in which a pass of dual coordinate ascent visits rows: random, and such that rows that lie side
// by side are read together.
//
//     blocks    rows side by side, as many as have 64 KB of indices: what a disk or the system's cache of
//               files hands out at once; no more than leave 32,768 blocks, so that few rows are visited each
//               by itself
//     a pass    the blocks in random order; the rows of each 64 blocks of that order in random order
//
// It depends on the rows and the seed alone: rows in memory and rows in files are visited in the same order.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/buffer.hpp"
#include "core/csr.hpp"

namespace lindy {

// Random numbers that depend on the seed alone (SplitMix64).
class Draws {
  public:
    explicit Draws(std::uint64_t seed) : state_(seed) {}

    // A number below `end`.
    std::int64_t below(std::int64_t end) {
        std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        const std::uint64_t high = (z ^ (z >> 31)) >> 32;
        return static_cast<std::int64_t>((high * static_cast<std::uint64_t>(end)) >> 32);
    }

    // Fisher–Yates.
    void shuffle(std::int32_t* items, std::int64_t n) {
        for (std::int64_t k = n - 1; k > 0; --k) std::swap(items[k], items[below(k + 1)]);
    }

  private:
    std::uint64_t state_;
};

class VisitOrder {
  public:
    template <class Value>
    explicit VisitOrder(const CsrView<Value>& x) {
        constexpr std::int64_t bytes = 1 << 16, least_blocks = 1 << 15;
        const std::int64_t stored = x.indptr[x.n_rows] * std::int64_t{sizeof(std::int32_t)};
        const std::int64_t per_row = std::max<std::int64_t>(stored / std::max<std::int64_t>(x.n_rows, 1), 1);
        block_ = std::max<std::int64_t>(std::min(bytes / per_row, x.n_rows / least_blocks), 1);
        if (block_ == 1) return;
        const auto n_blocks = static_cast<std::size_t>((x.n_rows + block_ - 1) / block_);
        ends_.resize(n_blocks), windows_.resize(n_blocks);
    }

    // Puts rows[0 … n) into the order of a pass.
    void shuffle(std::int32_t* rows, std::int64_t n, std::uint64_t seed) {
        Draws draws(seed);
        if (block_ == 1) return draws.shuffle(rows, n);
        std::fill(ends_.begin(), ends_.end(), 0);
        for (std::int64_t k = 0; k < n; ++k) ++ends_[block_of(rows[k])];
        blocks_.clear();
        for (std::size_t block = 0; block < ends_.size(); ++block)
            if (ends_[block] > 0) blocks_.push(static_cast<std::int32_t>(block));
        const auto n_blocks = static_cast<std::int64_t>(blocks_.size());
        draws.shuffle(blocks_.data(), n_blocks);
        std::int64_t end = 0;
        for (const std::int32_t block : blocks_) {
            std::int64_t& own = ends_[static_cast<std::size_t>(block)];
            end = own += end;  // of this block; its rows are put there from the last to the first
        }
        sorted_.resize(static_cast<std::size_t>(n));
        for (std::int64_t k = n - 1; k >= 0; --k)
            sorted_[static_cast<std::size_t>(--ends_[block_of(rows[k])])] = rows[k];
        std::copy(sorted_.begin(), sorted_.end(), rows);
        for (std::int64_t first = 0; first < n_blocks; first += together) {
            const std::int64_t next = first + together;
            const std::int64_t begin = begin_of(first), after = next < n_blocks ? begin_of(next) : n;
            draws.shuffle(rows + begin, after - begin);
            for (std::int64_t k = first; k < std::min(next, n_blocks); ++k)
                windows_[static_cast<std::size_t>(blocks_[static_cast<std::size_t>(k)])] = first;
        }
    }

    // How many of the rows that come next in such an order are read together: those of the 64 blocks, as long
    // as they have some megabytes.
    template <class Value>
    std::int64_t read_together(const CsrView<Value>& x, const std::int32_t* rows, std::int64_t n) const {
        constexpr std::int64_t most_rows = 4096, most_entries = 1 << 21;
        std::int64_t count = 0;
        for (std::int64_t entries = 0; count < n && entries < most_entries; ++count) {
            if (block_ == 1 ? count == most_rows : window_of(rows[count]) != window_of(rows[0])) break;
            entries += x.row(rows[count]).size;
        }
        return count;
    }

  private:
    static constexpr std::int64_t together = 64;  // blocks

    std::size_t block_of(std::int32_t row) const { return static_cast<std::size_t>(row / block_); }

    // Where the rows of the k-th block that is visited begin.
    std::int64_t begin_of(std::int64_t k) const {
        return ends_[static_cast<std::size_t>(blocks_[static_cast<std::size_t>(k)])];
    }

    std::int64_t window_of(std::int32_t row) const { return windows_[block_of(row)]; }

    std::int64_t block_ = 1;     // rows
    Buffer<std::int64_t> ends_;  // of each block, first its rows, then where they end, then where they begin
    Buffer<std::int64_t> windows_;  // of each block, the first block that it is visited together with
    Buffer<std::int32_t> blocks_;   // those that have rows, in the order in which they are visited
    Buffer<std::int32_t> sorted_;
};

}  // namespace lindy
