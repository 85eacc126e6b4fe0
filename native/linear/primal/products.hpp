// Products of sparse rows with dense matrices of a few columns: XW, rows in parallel, and XᵀR, ranges of
// columns in parallel, each owner reading all rows. None needs a transposed copy of X or one result per
// thread, and none adds in an order that depends on the number of threads.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/csr.hpp"
#include "core/isa.hpp"
#include "core/threads.hpp"

namespace lindy {

struct ColumnRange {
    std::int64_t first;
    std::int64_t last;
};

}  // namespace lindy

#define LINDY_KERNELS "linear/primal/products.inl"
#include "core/for_each_isa.hpp"

namespace lindy {

template <class Value>
bool rows_sorted(CsrView<Value> x) {
    for (std::int64_t i = 0; i < x.n_rows; ++i) {
        const Row<Value> row = x.row(i);
        for (std::ptrdiff_t k = 1; k < row.size; ++k)
            if (row.index[k] <= row.index[k - 1]) return false;
    }
    return true;
}

// Cuts the columns into n_ranges with about equally many stored values each. The cut changes who adds, not
// what is added.
template <class Value>
std::vector<ColumnRange> balanced_columns(CsrView<Value> x, std::int64_t n_ranges) {
    const std::int64_t stored = x.indptr[x.n_rows];
    std::vector<std::int64_t> count(static_cast<std::size_t>(x.n_columns) + 1,
                                    1 + (x.dense() ? x.n_rows : 0));
    for (std::int64_t k = 0; !x.dense() && k < stored; ++k) ++count[static_cast<std::size_t>(x.indices[k])];
    std::vector<ColumnRange> ranges;
    std::int64_t seen = 0;
    std::int64_t first = 0;
    for (std::int64_t j = 0; j < x.n_columns; ++j) {
        seen += count[static_cast<std::size_t>(j)];
        const bool full =
            seen * n_ranges >= static_cast<std::int64_t>(ranges.size() + 1) * (stored + x.n_columns);
        if (!full && j + 1 < x.n_columns) continue;
        ranges.push_back({first, j + 1});
        first = j + 1;
    }
    return ranges;
}

// X with what its products need beside it: K columns of W and R, and who adds which columns of X.
template <class Value>
class Products {
  public:
    Products(CsrView<Value> x, std::int64_t K, int n_threads)
        : x_(x), K_(K), n_threads_(std::max(n_threads, 1)) {
        if (n_threads_ == 1) return;
        sorted_ = x.dense() || rows_sorted(x);
        ranges_ = balanced_columns(x, n_threads_);
        for (std::int64_t i = 0; i < x.n_rows; ++i)
            longest_ = std::max(longest_, x.indptr[i + 1] - x.indptr[i]);
    }

    // S = XW
    void scores(const double* W, double* S) const {
        const auto kernel = LINDY_SELECT(score_rows<Value>);
        range_chunks(
            x_.n_rows, rows_per_chunk, n_threads_,
            [&](std::int64_t first, std::int64_t last, std::int64_t) { kernel(x_, W, K_, S, first, last); });
    }

    // G = XᵀR
    void transposed(const double* R, double* G) const {
        std::fill(G, G + x_.n_columns * K_, 0.0);
        if (ranges_.size() <= 1) return LINDY_SELECT(add_rows<Value>)(x_, R, K_, G);
        const auto room = sorted_ ? std::size_t{0} : static_cast<std::size_t>(longest_) + 1;
        const auto kernel = LINDY_SELECT(add_columns<Value>);
        const auto n_ranges = static_cast<std::int64_t>(ranges_.size());
        parallel_chunks(n_ranges, static_cast<int>(n_ranges), [&](std::int64_t r) {
            std::vector<std::int32_t> index(room);
            std::vector<Value> value(room);
            kernel(x_, R, K_, G, ranges_[static_cast<std::size_t>(r)], sorted_, index.data(), value.data());
        });
    }

    const CsrView<Value>& rows() const { return x_; }
    int n_threads() const { return n_threads_; }

  private:
    static constexpr std::int64_t rows_per_chunk = 256;

    CsrView<Value> x_;
    std::int64_t K_;
    int n_threads_;
    bool sorted_ = false;
    std::vector<ColumnRange> ranges_;
    std::int64_t longest_ = 0;
};

// Column sums of an n × K array, from top to bottom.
inline void column_sums(const double* values, std::int64_t n_rows, std::int64_t K, double* out) {
    std::fill(out, out + K, 0.0);
    for (std::int64_t i = 0; i < n_rows; ++i)
        for (std::int64_t c = 0; c < K; ++c) out[c] += values[i * K + c];
}

}  // namespace lindy
