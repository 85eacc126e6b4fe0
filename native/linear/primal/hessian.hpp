// The Hessian XᵀDX of a loss over all columns, with a last column of ones for a bias, D = diag(h).
//
// As in gram.hpp, whose kernels do the sums: columns that many rows store are unpacked, some rows at a time,
// and multiplied as dense matrices, the other columns pair by pair. Rows with h = 0 cost nothing: of the
// hinges these are most.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "core/columns.hpp"
#include "core/csr.hpp"
#include "linear/primal/gram.hpp"

namespace lindy {

template <class Value>
class Hessian {
  public:
    Hessian(CsrView<Value> x, bool bias) : x_(x), place_(static_cast<std::size_t>(x.n_columns)) {
        std::vector<std::int64_t> count(static_cast<std::size_t>(x.n_columns), 0);
        if (x.dense()) std::fill(count.begin(), count.end(), x.n_rows);
        for (std::int64_t k = 0; !x.dense() && k < x.indptr[x.n_rows]; ++k)
            ++count[static_cast<std::size_t>(x.indices[k])];
        for (std::int64_t j = 0; j < x.n_columns; ++j) {
            const auto at = static_cast<std::size_t>(j);
            auto& list = count[at] * dense_share >= x.n_rows ? dense_ : sparse_;
            place_[at] = static_cast<std::int32_t>(list.size());
            if (&list == &sparse_) place_[at] = ~place_[at];
            list.push_back(static_cast<std::int32_t>(j));
        }
        bias_ = bias ? static_cast<std::int64_t>(dense_.size()) : -1;
        if (bias) dense_.push_back(static_cast<std::int32_t>(x.n_columns));
        width_ = (static_cast<std::int64_t>(dense_.size()) + tile - 1) / tile * tile;
    }

    std::int64_t size() const { return static_cast<std::int64_t>(dense_.size() + sparse_.size()); }

    // The lower triangle of XᵀDX of the rows with h ≠ 0, into a matrix whose lines are `stride` apart.
    void form(const double* h, double* H, std::int64_t stride) const {
        const auto width = static_cast<std::size_t>(width_), n_sparse = sparse_.size();
        std::vector<double> dense(width * width, 0), mixed(width * n_sparse, 0),
            pairs(n_sparse * n_sparse, 0);
        Block block(width_);
        const auto add = [&] {
            block.scale();
            LINDY_SELECT(add_gram_block<Value, double>)(block.dense, block.sparse, block.h,
                                                        static_cast<std::int64_t>(n_sparse), dense.data(),
                                                        mixed.data(), pairs.data());
            block.clear();
        };
        for (std::int64_t i = 0; i < x_.n_rows; ++i) {
            if (h[i] == 0) continue;
            unpack(i, h[i], block);
            if (block.dense.n_rows == block_rows) add();
        }
        if (block.dense.n_rows) add();
        const auto put = [&](std::int64_t a, std::int64_t c, double value) {
            H[std::max(a, c) * stride + std::min(a, c)] = value;
        };
        for (std::size_t a = 0; a < dense_.size(); ++a) {
            for (std::size_t c = 0; c <= a; ++c) put(dense_[a], dense_[c], dense[a * width + c]);
            for (std::size_t c = 0; c < n_sparse; ++c) put(dense_[a], sparse_[c], mixed[c * width + a]);
        }
        for (std::size_t a = 0; a < n_sparse; ++a)
            for (std::size_t c = 0; c <= a; ++c) put(sparse_[a], sparse_[c], pairs[a * n_sparse + c]);
    }

    // About the operations of one form() over all rows, in vectors of eight for the dense part.
    double cost() const {
        double pairs = 0;
        for (std::int64_t i = 0; !sparse_.empty() && i < x_.n_rows; ++i) {
            const Row<Value> row = x_.row(i);
            double stored = 0;
            for (std::ptrdiff_t k = 0; k < row.size; ++k)
                stored += place_[static_cast<std::size_t>(row.index[k])] < 0;
            pairs += stored * (stored / 2 + static_cast<double>(width_) / 8);
        }
        const auto width = static_cast<double>(width_);
        return pairs + static_cast<double>(x_.n_rows) * width * width / 16;
    }

  private:
    static constexpr std::int64_t block_rows = 64;
    static constexpr std::int64_t dense_share = 4;  // stored in one of so many rows: a vector of doubles
    static constexpr std::int64_t tile = 8;

    // Some rows: the dense columns side by side, the entries of the others one row after the other.
    struct Block {
        explicit Block(std::int64_t width) {
            dense.width = width;
            dense.dense.assign(static_cast<std::size_t>(block_rows * width), 0);
            dense.scaled = dense.dense;
            clear();
        }
        void clear() {
            std::fill(dense.dense.begin(), dense.dense.end(), 0.0);
            dense.n_rows = 0;
            sparse.starts.assign(1, 0);
        }
        void scale() {
            const std::int64_t width = dense.width;
            for (std::int64_t r = 0; r < dense.n_rows; ++r)
                for (std::int64_t k = 0; k < width; ++k)
                    dense.scaled[static_cast<std::size_t>(r * width + k)] =
                        dense.dense[static_cast<std::size_t>(r * width + k)] * h[r];
        }
        DenseBlock<double> dense;
        RowCopy<Value> sparse;
        double h[block_rows];
    };

    void unpack(std::int64_t i, double h, Block& block) const {
        const std::int64_t r = block.dense.n_rows++;
        double* line = block.dense.dense.data() + r * width_;
        const Row<Value> row = x_.row(i);
        if (x_.dense()) {
            std::copy_n(row.value, row.size, line);
            if (bias_ >= 0) line[bias_] = 1;
            block.sparse.starts.push_back(0);
            block.h[r] = h;
            return;
        }
        const std::int64_t kept = block.sparse.starts.back();
        const auto room = static_cast<std::size_t>(kept + row.size);
        std::int32_t* place = block.sparse.place.resize(room) + kept;
        Value* value = block.sparse.values.resize(room) + kept;
        std::int64_t count = 0;
        bool sorted = true;
        for (std::ptrdiff_t k = 0; k < row.size; ++k) {
            const std::int32_t at = place_[static_cast<std::size_t>(row.index[k])];
            if (at >= 0) {
                line[at] = static_cast<double>(row.value[k]);
                continue;
            }
            sorted &= count == 0 || place[count - 1] < ~at;
            place[count] = ~at;
            value[count++] = row.value[k];
        }
        if (!sorted) sort_pairs(place, value, count);
        if (bias_ >= 0) line[bias_] = 1;
        block.sparse.starts.push_back(kept + count);
        block.h[r] = h;
    }

    static void sort_pairs(std::int32_t* place, Value* value, std::int64_t count) {
        std::vector<std::pair<std::int32_t, Value>> pairs;
        for (std::int64_t k = 0; k < count; ++k) pairs.emplace_back(place[k], value[k]);
        std::sort(pairs.begin(), pairs.end(), [](auto a, auto b) { return a.first < b.first; });
        for (std::int64_t k = 0; k < count; ++k) {
            place[k] = pairs[static_cast<std::size_t>(k)].first;
            value[k] = pairs[static_cast<std::size_t>(k)].second;
        }
    }

    CsrView<Value> x_;
    std::vector<std::int32_t> place_;           // of a dense column, or ~place of another
    std::vector<std::int32_t> dense_, sparse_;  // columns; the bias is one of the dense
    std::int64_t bias_ = -1;
    std::int64_t width_ = 0;
};

}  // namespace lindy
