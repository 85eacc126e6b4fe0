// Rows of a matrix whose arrays are mapped files, read in any order, some thousand at a time, without the
// map.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/csr.hpp"
#include "core/mapped_file.hpp"
#include "core/sparse_rows.hpp"

namespace lindy {

// Copies of some rows.
template <class Value>
class RowFiles : public SparseRows<Value> {
  public:
    using SparseRows<Value>::indptr, SparseRows<Value>::indices, SparseRows<Value>::values;

    RowFiles() = default;
    explicit RowFiles(const CsrView<Value>& x) : x_(x) {
        const auto stored = static_cast<std::size_t>(x.indptr[x.n_rows]);
        indices_ = Maps::get().place(x.indices, stored * sizeof(std::int32_t));
        values_ = Maps::get().place(x.values, stored * sizeof(Value));
    }

    // Whether the matrix is in files; otherwise its rows are read where they are.
    explicit operator bool() const {
        return indices_.file != system::no_file && values_.file != system::no_file;
    }

    // Reads the rows order[0 … n), one after the other: row k of the view is order[k].
    void read(const std::int32_t* order, std::int64_t n) {
        clear();
        for (std::int64_t k = 0; k < n; ++k) read_run(order[k], order[k]);
    }

    // Reads the rows order[0 … n), those that lie side by side (or nearly) at once: row places[k] of the view
    // is order[k].
    void read_runs(const std::int32_t* order, std::int64_t n) {
        clear();
        sorted_.resize(static_cast<std::size_t>(n));
        places.resize(static_cast<std::size_t>(n));
        for (std::int64_t k = 0; k < n; ++k)
            sorted_[static_cast<std::size_t>(k)] =
                static_cast<std::uint64_t>(order[k]) << 32 | static_cast<std::uint64_t>(k);
        std::sort(sorted_.begin(), sorted_.end());
        for (std::size_t begin = 0, end; begin < sorted_.size(); begin = end) {
            const std::int64_t first = row_of(sorted_[begin]);
            const auto before = static_cast<std::int64_t>(indptr.size()) - 1;
            std::int64_t last = first;
            for (end = begin; end < sorted_.size(); ++end) {
                const std::int64_t row = row_of(sorted_[end]);
                if (row > last && x_.indptr[row] - x_.indptr[last + 1] > near) break;
                last = row;
                places[static_cast<std::uint32_t>(sorted_[end])] =
                    static_cast<std::int32_t>(before + row - first);
            }
            read_run(first, last);
        }
    }

    CsrView<Value> view() const {
        return {indptr.data(), indices.data(), values.data(), static_cast<std::int64_t>(indptr.size()) - 1,
                x_.n_columns};
    }

    Buffer<std::int32_t> places;

  private:
    // Entries between two rows that are read with them: a page, which costs less than another call.
    static constexpr std::int64_t near = 1024;

    static std::int64_t row_of(std::uint64_t item) { return static_cast<std::int64_t>(item >> 32); }

    void clear() {
        indptr.clear(), indices.clear(), values.clear();
        indptr.push(0);
    }

    // Reads the rows from the first to the last.
    void read_run(std::int64_t first, std::int64_t last) {
        const std::int64_t begin = x_.indptr[first];
        const auto size = static_cast<std::size_t>(x_.indptr[last + 1] - begin);
        const std::size_t before = indices.size();
        read_bytes(indices_, begin * std::int64_t{sizeof(std::int32_t)},
                   indices.resize(before + size) + before, size * sizeof(std::int32_t));
        read_bytes(values_, begin * std::int64_t{sizeof(Value)}, values.resize(before + size) + before,
                   size * sizeof(Value));
        for (std::int64_t row = first; row <= last; ++row)
            indptr.push(static_cast<std::int64_t>(before) + x_.indptr[row + 1] - begin);
    }

    CsrView<Value> x_{};
    FilePlace indices_, values_;
    Buffer<std::uint64_t> sorted_;  // rows, and which of those that were asked for they are
};

}  // namespace lindy
