// Rows of a matrix whose arrays are mapped files, read in any order, some thousand at a time.
#pragma once

#include "core/buffer.hpp"
#include "core/csr.hpp"
#include "core/mapped_file.hpp"

namespace lindy {

// Copies of some rows: row k is the k-th that was asked for.
template <class Value>
class RowFiles {
  public:
    RowFiles() = default;
    explicit RowFiles(const CsrView<Value>& x) : x_(x) {
        const auto stored = static_cast<std::size_t>(x.indptr[x.n_rows]);
        indices_ = Maps::get().place(x.indices, stored * sizeof(std::int32_t));
        values_ = Maps::get().place(x.values, stored * sizeof(Value));
    }

    // Whether the matrix is in files; otherwise its rows are read where they are.
    explicit operator bool() const { return indices_.file >= 0 && values_.file >= 0; }

    // Reads rows from order[0] on, n at most, until they have some megabytes (or all of them); returns how
    // many.
    std::int64_t read(const std::int32_t* order, std::int64_t n, bool all = false) {
        indptr.clear(), indices.clear(), values.clear();
        indptr.push(0);
        std::int64_t count = 0;
        for (; count < n && (all || (count < most_rows && indices.size() < most_entries)); ++count) {
            const std::int64_t begin = x_.indptr[order[count]];
            const auto size = static_cast<std::size_t>(x_.indptr[order[count] + 1] - begin);
            const std::size_t before = indices.size();
            read_bytes(indices_, begin * std::int64_t{sizeof(std::int32_t)},
                       indices.resize(before + size) + before, size * sizeof(std::int32_t));
            read_bytes(values_, begin * std::int64_t{sizeof(Value)}, values.resize(before + size) + before,
                       size * sizeof(Value));
            indptr.push(static_cast<std::int64_t>(indices.size()));
        }
        return count;
    }

    CsrView<Value> view() const {
        return {indptr.data(), indices.data(), values.data(), static_cast<std::int64_t>(indptr.size()) - 1,
                x_.n_columns};
    }

    Buffer<std::int64_t> indptr;
    Buffer<std::int32_t> indices;
    Buffer<Value> values;

  private:
    static constexpr std::int64_t most_rows = 4096;
    static constexpr std::size_t most_entries = std::size_t{1} << 20;
    CsrView<Value> x_{};
    FilePlace indices_, values_;
};

}  // namespace lindy
