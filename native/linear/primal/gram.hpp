// H = XᵀDX of some columns of X, D = diag(h): the matrix of a quadratic model in its own coordinates.
//
// Words that most texts have make most of the pairs of values in a row. So columns that are stored in more
// than a few rows are unpacked, block of rows by block of rows, and multiplied as dense matrices; the others
// are laid out row by row, and each pair of their values is added where it belongs.
//
// Entries may be float: they say how far to step, not where to stop.
#pragma once

#include <algorithm>
#include <vector>

#include "core/columns.hpp"
#include "core/isa.hpp"

namespace lindy {

// Some rows of the dense columns, side by side, zeros included; `scaled` is the same times h.
template <class Entry>
struct DenseBlock {
    std::int64_t first = 0;
    std::int64_t n_rows = 0;
    std::int64_t width = 0;  // columns, filled up to whole tiles with zeros
    std::vector<Entry> dense, scaled;
};

}  // namespace lindy

#define LINDY_KERNELS "linear/primal/gram.inl"
#include "core/for_each_isa.hpp"

namespace lindy {

template <class Value, class Entry>
class Gram {
  public:
    // The m columns named by `which`, and with `bias` a last one of ones; `rows` is room for a copy of them.
    Gram(const Columns<Value>& x, const std::int32_t* which, std::int64_t m, bool bias, std::int64_t n_rows,
         RowCopy<Value>& rows)
        : x_(x), which_(which), m_(m), bias_(bias), n_rows_(n_rows), rows_(rows) {}

    // The whole matrix, of M × M entries.
    void form(const double* h, Entry* H) {
        split();
        const std::int64_t M = m_ + (bias_ ? 1 : 0);
        std::fill(H, H + M * M, Entry{0});
        const auto width = static_cast<std::size_t>(block_.width);
        std::vector<Entry> T(width * width, 0), mixed(width * static_cast<std::size_t>(M), 0);
        for (block_.first = 0; block_.first < n_rows_; block_.first += block_rows) {
            unpack(h);
            LINDY_SELECT(add_gram_block<Value, Entry>)(block_, rows_, h, M, T.data(), mixed.data(), H);
        }
        for (std::size_t a = 0; a < dense_.size(); ++a) {
            for (std::size_t c = 0; c <= a; ++c) H[dense_[a] * M + dense_[c]] = T[a * width + c];
            for (const std::int32_t s : sparse_)
                H[std::max<std::int64_t>(s, dense_[a]) * M + std::min<std::int64_t>(s, dense_[a])] =
                    mixed[static_cast<std::size_t>(s) * width + a];
        }
        mirror(H, M, 0);
    }

    // The entries of columns from `first` on; those of the columns before, and of the bias with them and
    // itself, are there already. Meant for few new columns.
    void extend(std::int64_t first, const double* h, Entry* H) {
        const std::int64_t M = m_ + (bias_ ? 1 : 0);
        lay_out_rows(x_, which_, m_, n_rows_, rows_);
        for (std::int64_t a = first; a < m_; ++a) {
            std::fill(H + a * M, H + a * M + m_, Entry{0});
            if (bias_) H[m_ * M + a] = 0;
        }
        for (std::int64_t i = 0; i < n_rows_; ++i) {
            const Row<Value> row = rows_.row(static_cast<std::size_t>(i));
            for (std::ptrdiff_t a = row.size; a-- > 0 && row.index[a] >= first;) {
                const Entry scaled = static_cast<Entry>(h[i] * static_cast<double>(row.value[a]));
                Entry* line = H + row.index[a] * M;
                for (std::ptrdiff_t c = 0; c <= a; ++c)
                    line[row.index[c]] += scaled * static_cast<Entry>(row.value[c]);
                if (bias_) H[m_ * M + row.index[a]] += scaled;
            }
        }
        mirror(H, M, first);
    }

  private:
    static constexpr std::int64_t block_rows = 64;
    // Columns stored in one of so many rows are dense: what a vector of 32 bytes holds.
    static constexpr std::int64_t dense_share = 32 / sizeof(Entry);
    static constexpr std::int64_t tile = 64 / sizeof(Entry);

    // Decides which columns are dense, and lays out the others row by row.
    void split() {
        std::vector<std::int32_t> columns;
        for (std::int64_t q = 0; q < m_; ++q) {
            const bool dense = x_.column(which_[q]).size * dense_share >= n_rows_;
            (dense ? dense_ : sparse_).push_back(static_cast<std::int32_t>(q));
            if (!dense) columns.push_back(which_[q]);
        }
        if (bias_) dense_.push_back(static_cast<std::int32_t>(m_));
        lay_out_rows(x_, columns.data(), static_cast<std::int64_t>(columns.size()), n_rows_, rows_);
        for (std::int32_t& place : rows_.place) place = sparse_[static_cast<std::size_t>(place)];
        block_.width = (static_cast<std::int64_t>(dense_.size()) + tile - 1) / tile * tile;
        next_.assign(dense_.size(), 0);
    }

    // Fills the block with the rows from block_.first on.
    void unpack(const double* h) {
        const std::int64_t width = block_.width;
        block_.n_rows = std::min(block_rows, n_rows_ - block_.first);
        block_.dense.assign(static_cast<std::size_t>(block_.n_rows * width), Entry{0});
        for (std::size_t k = 0; k < dense_.size(); ++k) {
            Entry* to = block_.dense.data() + k;
            if (dense_[k] == m_) {
                for (std::int64_t i = 0; i < block_.n_rows; ++i) to[i * width] = 1;
                continue;
            }
            const Row<Value> column = x_.column(which_[dense_[k]]);
            const std::int64_t end = block_.first + block_.n_rows;
            for (; next_[k] < column.size && column.index[next_[k]] < end; ++next_[k])
                to[(column.index[next_[k]] - block_.first) * width] =
                    static_cast<Entry>(column.value[next_[k]]);
        }
        block_.scaled = block_.dense;
        for (std::int64_t i = 0; i < block_.n_rows; ++i)
            for (std::int64_t k = 0; k < width; ++k)
                block_.scaled[static_cast<std::size_t>(i * width + k)] *=
                    static_cast<Entry>(h[block_.first + i]);
    }

    static void mirror(Entry* H, std::int64_t M, std::int64_t first) {
        for (std::int64_t a = first; a < M; ++a)
            for (std::int64_t c = 0; c < a; ++c) H[c * M + a] = H[a * M + c];
    }

    Columns<Value> x_;
    const std::int32_t* which_;
    std::int64_t m_;
    bool bias_;
    std::int64_t n_rows_;
    RowCopy<Value>& rows_;
    std::vector<std::int32_t> dense_, sparse_;  // positions in `which`; the bias is dense, at m
    std::vector<std::ptrdiff_t> next_;          // of each dense column, the first value that is not unpacked
    DenseBlock<Entry> block_;
};

}  // namespace lindy
