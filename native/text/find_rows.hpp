// The matrix of new texts over known terms: each row sorted by column.
#pragma once

#include <array>
#include <memory>
#include <mutex>
#include <shared_mutex>

#include "core/csr.hpp"
#include "core/sort_rows.hpp"
#include "core/sparse_rows.hpp"
#include "core/threads.hpp"
#include "text/analyze.hpp"

namespace lindy {

// A matrix that grows by groups of rows, which several threads may write at once.
template <class Value>
class GrowingRows : private SparseRows<Value> {
  public:
    using SparseRows<Value>::indptr, SparseRows<Value>::indices, SparseRows<Value>::values;

    GrowingRows() { indptr.push(0); }

    // Adds rows of the given sizes, in their turn; returns the number of the first.
    std::size_t add(const std::uint32_t* sizes, std::size_t n) {
        std::unique_lock<std::shared_mutex> alone(moving_, std::defer_lock);
        std::size_t end = static_cast<std::size_t>(indptr[indptr.size() - 1]);
        for (std::size_t row = 0; row < n; ++row) end += sizes[row];
        if (end > room_ || indptr.size() + n > row_room_) {
            alone.lock();
            room_ = std::max(end, 2 * room_), row_room_ = std::max(indptr.size() + n, 2 * row_room_);
            indices.reserve(room_), values.reserve(room_), indptr.reserve(row_room_);
        }
        const std::size_t first = indptr.size() - 1;
        for (std::size_t row = 0; row < n; ++row) indptr.push(indptr[first + row] + sizes[row]);
        indices.resize(end), values.resize(end);
        return first;
    }
    // Hands out all rows, and begins anew.
    SparseRows<Value> take() {
        SparseRows<Value> taken = std::exchange(static_cast<SparseRows<Value>&>(*this), {});
        indptr.push(0);
        room_ = row_room_ = 0;
        return taken;
    }
    // While this is held, rows that have been added stay where they are.
    std::shared_lock<std::shared_mutex> hold() { return std::shared_lock(moving_); }

  private:
    std::shared_mutex moving_;
    std::size_t room_ = 0, row_room_ = 0;
};

// Reads documents and sorts what they have by rows and columns; one per thread.
template <class Finder>
class RowCollector {
  public:
    RowCollector(Finder finder, std::size_t n_columns)
        : find_(std::move(finder)), n_columns_(static_cast<std::uint32_t>(n_columns)) {}

    // Reads n documents, of which the first has the given number, for messages; returns the sizes of their
    // rows.
    const std::uint32_t* read(const Document* documents, std::size_t n, std::size_t first) {
        sorter_.clear(n_columns_);
        for (std::uint32_t row = 0; row < n; ++row)
            read_document(first + row, [&] { find_(documents[row], Found{sorter_, row}); });
        return sorter_.finish().data();
    }

    // Writes what was read, rows from `first` on.
    template <class Value>
    void write(GrowingRows<Value>& rows, std::size_t first, std::size_t n, bool binary) {
        std::array<std::int64_t, RowSorter::max_rows> cursors;
        std::copy_n(rows.indptr.data() + first, n, cursors.data());
        std::int32_t* indices = rows.indices.data();
        Value* values = rows.values.data();
        sorter_.for_each_sum([&](std::size_t row, std::uint32_t column, std::int32_t sum) {
            const std::int64_t k = cursors[row]++;
            indices[k] = static_cast<std::int32_t>(column);
            values[k] = binary ? Value{1} : static_cast<Value>(sum);
        });
    }

  private:
    // What a finder tells about one document.
    struct Found {
        RowSorter& sorter;
        std::uint32_t row;
        // A column; times is negative (modulo 2³²) for a negative sign.
        void operator()(std::uint32_t column, std::uint32_t times) const {
            sorter.push(column, row, static_cast<std::int32_t>(times));
        }
        void all(const std::uint32_t* columns, std::size_t n, std::uint32_t times) const {
            for (std::size_t i = 0; i < n; ++i) (*this)(columns[i], times);
        }
        // Columns, doubled, plus one for a negative sign.
        void codes(const std::uint32_t* codes, std::size_t n) const { sorter.push_codes(codes, n, row); }
    };

    Finder find_;
    std::uint32_t n_columns_;
    RowSorter sorter_;
};

// Objects that wait for the next short text, which would take less time than making one.
template <class T, std::size_t most = 1>
class Spares {
  public:
    // One of them, or null.
    std::unique_ptr<T> take() {
        std::lock_guard guard(lock_);
        if (spare_.empty()) return nullptr;
        std::unique_ptr<T> one = std::move(spare_.back());
        spare_.pop_back();
        return one;
    }
    void give(std::unique_ptr<T> one) {
        std::lock_guard guard(lock_);
        if (spare_.size() < most) spare_.push_back(std::move(one));
    }

  private:
    std::mutex lock_;
    std::vector<std::unique_ptr<T>> spare_;
};
template <class Finder>
using SpareCollector = Spares<RowCollector<Finder>>;

template <class MakeFinder>
using FinderOf = std::invoke_result_t<MakeFinder>;

// Reads a batch of documents with several threads and appends their rows; weigh(indices, values, size) may
// change the values of a finished row. A collector that holds little memory when it is done may be kept for
// the next short text.
template <class MakeFinder, class Value, class Weigh>
void find_rows(MakeFinder make_finder, SpareCollector<FinderOf<MakeFinder>>* spare, std::size_t n_columns,
               const std::vector<Document>& documents, bool binary, int n_threads, GrowingRows<Value>& rows,
               Weigh weigh) {
    using Finder = FinderOf<MakeFinder>;
    const std::vector<std::size_t> cuts = cut(documents, Finder::piece_bytes, RowSorter::max_rows);
    const bool is_short = spare && documents.size() == 1 && documents[0].size < Finder::piece_bytes;
    in_turns(cuts.size() - 1, n_threads, [&](Turns& turns) {
        std::unique_ptr<RowCollector<Finder>> own = is_short ? spare->take() : nullptr;
        if (!own) own = std::make_unique<RowCollector<Finder>>(make_finder(), n_columns);
        RowCollector<Finder>& collect = *own;
        Weigh own_weigh = weigh;
        for (std::size_t p; turns.take(p);) {
            const std::size_t n = cuts[p + 1] - cuts[p];
            const std::uint32_t* sizes = collect.read(documents.data() + cuts[p], n, cuts[p]);
            if (!turns.wait(p)) return;
            const std::size_t first = rows.add(sizes, n);
            turns.done(p);
            const auto held = rows.hold();
            collect.write(rows, first, n, binary);
            for (std::size_t row = first; row < first + n; ++row)
                own_weigh(rows.indices.data() + rows.indptr[row], rows.values.data() + rows.indptr[row],
                          rows.indptr[row + 1] - rows.indptr[row]);
        }
        if (is_short) spare->give(std::move(own));
    });
}

}  // namespace lindy
