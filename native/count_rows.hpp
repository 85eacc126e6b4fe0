// The matrix of counted texts.
#pragma once

#include "pieces.hpp"
#include "radix.hpp"

namespace lindy {

// Entries of up to 256 rows, sorted by the places where their terms were first seen with a few passes that
// stay in the cache, then dealt out to their rows: much cheaper than sorting every row by itself.
class RowGroup {
  public:
    static constexpr std::size_t max_rows = 256, max_entries = 1 << 14;

    void clear() { order_.clear(), entries_.clear(), one_row_ = true; }
    bool full() const { return entries_.size() >= max_entries; }
    // Rows are numbered from 0 within the group.
    void push(std::size_t row, std::uint32_t place, std::uint32_t column, std::uint32_t count) {
        one_row_ &= row == 0;
        order_.push(static_cast<std::uint64_t>(place) << 32 | row << row_shift | entries_.size());
        Entry& entry = entries_.next();
        entry.column = column, entry.count = count;
    }

    // Calls visit(row, column, count) in the order of the places, which are below n_places.
    template <class Visit>
    void deal(std::uint64_t n_places, Visit visit) {
        radix_sort(order_, other_, 32, 32 + std::bit_width(n_places));
        // one row may have more entries than the bits beside a row's number can count
        const std::uint32_t mask = one_row_ ? ~0u : (1u << row_shift) - 1;
        for (const std::uint64_t item : order_) {
            const auto low = static_cast<std::uint32_t>(item);
            const Entry& entry = entries_[low & mask];
            visit(one_row_ ? 0 : low >> row_shift, entry.column, entry.count);
        }
    }

  private:
    static constexpr int row_shift = 24;
    struct Entry {
        std::uint32_t column, count;
    };
    Buffer<std::uint64_t> order_, other_;
    Buffer<Entry> entries_;
    bool one_row_ = true;
};

// How many terms the rows of a piece have.
inline void copy_sizes(const Piece& piece, std::int64_t* sizes) {
    for (std::size_t row = 0; row < piece.n_rows; ++row) {
        std::int64_t stored = piece.words.sizes[row];
        for (const PairEntries& pairs : piece.pairs) stored += pairs.sizes[row];
        sizes[piece.first_row + row] = stored;
    }
}

// How many features the rows of a piece have.
inline void count_sizes(const Piece& piece, const std::vector<Level>& levels, std::int64_t* sizes) {
    RowReader reader(piece, levels, true);
    for (std::size_t row = 0; row < piece.n_rows; ++row) {
        std::int64_t stored = 0;
        reader.next([&](std::uint32_t, std::uint32_t, std::uint32_t) { ++stored; });
        sizes[piece.first_row + row] = stored;
    }
}

// Writes the rows of a piece: put(k, column, count) for the entry at position k of the matrix, finish(row)
// after a row. In each row the terms come in the order in which the texts first had them.
template <class Put, class Finish>
void write_sorted_rows(const Piece& piece, const std::vector<Level>& levels, std::uint64_t n_places,
                       const std::int64_t* starts, Put put, Finish finish) {
    thread_local RowGroup own;
    RowGroup& group = own;
    RowReader reader(piece, levels, true);
    for (std::size_t row = 0; row < piece.n_rows;) {
        const std::size_t first = row;
        std::array<std::int64_t, RowGroup::max_rows> cursors;
        group.clear();
        for (; row < piece.n_rows && row - first < RowGroup::max_rows && !group.full(); ++row) {
            cursors[row - first] = starts[piece.first_row + row];
            reader.next([&](std::uint32_t column, std::uint32_t place, std::uint32_t count) {
                group.push(row - first, place, column, count);
            });
        }
        group.deal(n_places, [&](std::size_t r, std::uint32_t column, std::uint32_t count) {
            put(cursors[r]++, column, count);
        });
        for (std::size_t r = first; r < row; ++r) finish(piece.first_row + r);
    }
}

// The same with each row in the order in which its own text has the terms.
template <class Put, class Finish>
void write_rows(const Piece& piece, const std::vector<Level>& levels, const std::int64_t* starts, Put put,
                Finish finish) {
    RowReader reader(piece, levels, true);
    for (std::size_t row = piece.first_row; row < piece.first_row + piece.n_rows; ++row) {
        std::int64_t k = starts[row];
        reader.next(
            [&](std::uint32_t column, std::uint32_t, std::uint32_t count) { put(k++, column, count); });
        finish(row);
    }
}

}  // namespace lindy
