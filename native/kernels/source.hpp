// A kernel between two lists of examples x_0 … x_{n−1} and z_0 … z_{m−1}: what Gram matrices, the dual
// learners and predictions are made of. Nothing here ever holds n × m numbers; rows are computed where they
// are wanted.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/threads.hpp"

namespace lindy {

// The examples z_j of positions begin … end−1: those listed, or z_k itself without a list.
struct Targets {
    const std::int32_t* list;
    std::int64_t begin, end;

    std::int64_t size() const { return end - begin; }
    std::int64_t at(std::int64_t k) const { return list ? list[k] : k; }
};

// Several x_i at once cost little more than one where a kernel can share the reading of z_j.
inline constexpr int kernel_lanes = 16;

class KernelSource {
  public:
    KernelSource(std::int64_t n_rows, std::int64_t n_columns) : n_rows(n_rows), n_columns(n_columns) {}
    virtual ~KernelSource() = default;
    KernelSource(const KernelSource&) = delete;
    KernelSource& operator=(const KernelSource&) = delete;

    // out[r·stride + k − begin] = κ(x_{ids[r]}, z_{targets.at(k)}) for r = 0 … count−1
    virtual void rows(const std::int64_t* ids, int count, Targets targets, double* out,
                      std::int64_t stride) const = 0;
    virtual double self_row(std::int64_t i) const = 0;     // κ(x_i, x_i)
    virtual double self_column(std::int64_t j) const = 0;  // κ(z_j, z_j)
    // κ of each of x_first … x_{last−1} (or z) with itself
    virtual void selves(bool of_rows, std::int64_t first, std::int64_t last, double* out) const {
        for (std::int64_t i = first; i < last; ++i) out[i - first] = of_rows ? self_row(i) : self_column(i);
    }
    virtual bool shares_reading() const { return false; }  // whether 16 rows cost far less than 16 times one
    virtual double cost() const { return 2; }              // of a value, in nanoseconds, roughly

    const std::int64_t n_rows, n_columns;
};

using Source = std::shared_ptr<const KernelSource>;

// κ₁ + κ₂ or κ₁ · κ₂
class PairKernel final : public KernelSource {
  public:
    PairKernel(Source a, Source b, bool product)
        : KernelSource(a->n_rows, a->n_columns), a_(std::move(a)), b_(std::move(b)), product_(product) {}

    void rows(const std::int64_t* ids, int count, Targets targets, double* out,
              std::int64_t stride) const override {
        a_->rows(ids, count, targets, out, stride);
        const std::int64_t n = targets.size();
        std::vector<double> other(static_cast<std::size_t>(count * n));
        b_->rows(ids, count, targets, other.data(), n);
        for (int r = 0; r < count; ++r)
            for (std::int64_t k = 0; k < n; ++k) {
                double& value = out[r * stride + k];
                const double second = other[static_cast<std::size_t>(r * n + k)];
                value = product_ ? value * second : value + second;
            }
    }
    double self_row(std::int64_t i) const override { return both(a_->self_row(i), b_->self_row(i)); }
    double self_column(std::int64_t j) const override { return both(a_->self_column(j), b_->self_column(j)); }
    bool shares_reading() const override { return a_->shares_reading() || b_->shares_reading(); }
    double cost() const override { return a_->cost() + b_->cost(); }

  private:
    double both(double a, double b) const { return product_ ? a * b : a + b; }

    const Source a_, b_;
    const bool product_;
};

// factor · κ
class ScaledKernel final : public KernelSource {
  public:
    ScaledKernel(Source inner, double factor)
        : KernelSource(inner->n_rows, inner->n_columns), inner_(std::move(inner)), factor_(factor) {}

    void rows(const std::int64_t* ids, int count, Targets targets, double* out,
              std::int64_t stride) const override {
        inner_->rows(ids, count, targets, out, stride);
        for (int r = 0; r < count; ++r)
            for (std::int64_t k = 0; k < targets.size(); ++k) out[r * stride + k] *= factor_;
    }
    double self_row(std::int64_t i) const override { return factor_ * inner_->self_row(i); }
    double self_column(std::int64_t j) const override { return factor_ * inner_->self_column(j); }
    bool shares_reading() const override { return inner_->shares_reading(); }
    double cost() const override { return inner_->cost(); }

  private:
    const Source inner_;
    const double factor_;
};

// κ(x, z) / √(κ(x, x)·κ(z, z)), 0 where a length is 0
class NormalisedKernel final : public KernelSource {
  public:
    // `same` says that x and z are the same examples
    NormalisedKernel(Source inner, bool same, int n_threads)
        : KernelSource(inner->n_rows, inner->n_columns),
          inner_(std::move(inner)),
          row_(lengths(true, n_rows, n_threads)),
          column_(same ? row_ : lengths(false, n_columns, n_threads)) {}

    void rows(const std::int64_t* ids, int count, Targets targets, double* out,
              std::int64_t stride) const override {
        inner_->rows(ids, count, targets, out, stride);
        for (int r = 0; r < count; ++r) {
            const double length = row_[static_cast<std::size_t>(ids[r])];
            for (std::int64_t k = 0; k < targets.size(); ++k)
                divide(out[r * stride + k],
                       length * column_[static_cast<std::size_t>(targets.at(targets.begin + k))]);
        }
    }
    double self_row(std::int64_t i) const override { return row_[static_cast<std::size_t>(i)] > 0 ? 1 : 0; }
    double self_column(std::int64_t j) const override {
        return column_[static_cast<std::size_t>(j)] > 0 ? 1 : 0;
    }
    bool shares_reading() const override { return inner_->shares_reading(); }
    double cost() const override { return inner_->cost(); }

  private:
    static void divide(double& value, double lengths) { value = lengths > 0 ? value / lengths : 0; }

    std::vector<double> lengths(bool of_rows, std::int64_t n, int n_threads) const {
        std::vector<double> length(static_cast<std::size_t>(n));
        constexpr std::int64_t chunk_size = 64;
        parallel_chunks((n + chunk_size - 1) / chunk_size, n_threads, [&](std::int64_t chunk) {
            const std::int64_t first = chunk * chunk_size, last = std::min(n, first + chunk_size);
            inner_->selves(of_rows, first, last, length.data() + first);
            for (std::int64_t i = first; i < last; ++i) {
                double& square = length[static_cast<std::size_t>(i)];
                square = square > 0 ? std::sqrt(square) : 0;
            }
        });
        return length;
    }

    const Source inner_;
    const std::vector<double> row_, column_;
};

// A matrix that somebody computed; κ(x_i, z_j) = matrix[i][j]. Both diagonals are its own.
template <class Value>
class PrecomputedKernel final : public KernelSource {
  public:
    PrecomputedKernel(const Value* matrix, std::int64_t n_rows, std::int64_t n_columns)
        : KernelSource(n_rows, n_columns), matrix_(matrix) {}

    void rows(const std::int64_t* ids, int count, Targets targets, double* out,
              std::int64_t stride) const override {
        for (int r = 0; r < count; ++r) {
            const Value* line = matrix_ + ids[r] * n_columns;
            for (std::int64_t k = targets.begin; k < targets.end; ++k)
                out[r * stride + k - targets.begin] = static_cast<double>(line[targets.at(k)]);
        }
    }
    double self_row(std::int64_t i) const override { return diagonal(i); }
    double self_column(std::int64_t j) const override { return diagonal(j); }

  private:
    double diagonal(std::int64_t i) const {
        return i < std::min(n_rows, n_columns) ? static_cast<double>(matrix_[i * n_columns + i]) : 0;
    }

    const Value* matrix_;
};

// Some examples of a square kernel, on both sides: the problem of a pair of classes within that of all.
class SubsetKernel final : public KernelSource {
  public:
    SubsetKernel(Source inner, std::vector<std::int32_t> members)
        : KernelSource(static_cast<std::int64_t>(members.size()), static_cast<std::int64_t>(members.size())),
          inner_(std::move(inner)),
          members_(std::move(members)) {}

    void rows(const std::int64_t* ids, int count, Targets targets, double* out,
              std::int64_t stride) const override {
        std::vector<std::int64_t> outer(ids, ids + count);
        for (std::int64_t& id : outer) id = members_[static_cast<std::size_t>(id)];
        std::vector<std::int32_t> list(static_cast<std::size_t>(targets.size()));
        for (std::int64_t k = 0; k < targets.size(); ++k)
            list[static_cast<std::size_t>(k)] =
                members_[static_cast<std::size_t>(targets.at(targets.begin + k))];
        inner_->rows(outer.data(), count, {list.data(), 0, targets.size()}, out, stride);
    }
    double self_row(std::int64_t i) const override {
        return inner_->self_row(members_[static_cast<std::size_t>(i)]);
    }
    double self_column(std::int64_t j) const override {
        return inner_->self_column(members_[static_cast<std::size_t>(j)]);
    }
    bool shares_reading() const override { return inner_->shares_reading(); }
    double cost() const override { return inner_->cost(); }

  private:
    const Source inner_;
    const std::vector<std::int32_t> members_;
};

inline constexpr std::int64_t targets_per_chunk = 2048;

// Rows ids[0 … count−1], all targets: chunks of 16 rows × 2048 targets in parallel, each with its own
// results.
inline void kernel_block(const KernelSource& source, const std::int64_t* ids, std::int64_t count,
                         Targets targets, double* out, int n_threads) {
    const std::int64_t row_chunks = (count + kernel_lanes - 1) / kernel_lanes;
    const std::int64_t n = targets.size();
    const std::int64_t width = source.cost() > 1000 ? kernel_lanes * 8 : targets_per_chunk;
    const std::int64_t target_chunks = (n + width - 1) / width;
    parallel_chunks(row_chunks * target_chunks, n_threads, [&](std::int64_t chunk) {
        const std::int64_t first = chunk / target_chunks * kernel_lanes;
        const std::int64_t begin = chunk % target_chunks * width;
        const std::int64_t end = std::min(n, begin + width);
        source.rows(ids + first, static_cast<int>(std::min<std::int64_t>(kernel_lanes, count - first)),
                    {targets.list, targets.begin + begin, targets.begin + end}, out + first * n + begin, n);
    });
}

// The rows first … last−1 of a kernel between examples and themselves, up to the column last − 1, and the
// same values mirrored: called from top to bottom, these fill the whole n × n matrix in half the time.
template <class Value>
void symmetric_block(const KernelSource& source, std::int64_t first, std::int64_t last, Value* matrix,
                     int n_threads) {
    const std::int64_t count = last - first, n = source.n_columns;
    std::vector<std::int64_t> ids(static_cast<std::size_t>(count));
    for (std::int64_t r = 0; r < count; ++r) ids[static_cast<std::size_t>(r)] = first + r;
    std::vector<double> block(static_cast<std::size_t>(count * last));
    kernel_block(source, ids.data(), count, {nullptr, 0, last}, block.data(), n_threads);
    // in tiles: a line of the cache is then read once and written once
    constexpr std::int64_t tall = 16, broad = 64;
    for (std::int64_t top = 0; top < count; top += tall)
        for (std::int64_t left = 0; left < first + std::min(count, top + tall); left += broad) {
            const std::int64_t bottom = std::min(count, top + tall), right = std::min(last, left + broad);
            for (std::int64_t r = top; r < bottom; ++r)
                for (std::int64_t j = left; j < std::min(right, first + r + 1); ++j)
                    matrix[(first + r) * n + j] =
                        static_cast<Value>(block[static_cast<std::size_t>(r * last + j)]);
            for (std::int64_t j = left; j < right; ++j)
                for (std::int64_t r = std::max(top, j - first); r < bottom; ++r)
                    matrix[j * n + first + r] =
                        static_cast<Value>(block[static_cast<std::size_t>(r * last + j)]);
        }
}

// scores[i·K + c] = Σ_j κ(x_i, z_j)·weight[j·K + c], every sum in the order of j.
inline void kernel_scores(const KernelSource& source, std::int64_t first_row, std::int64_t last_row,
                          const double* weight, std::int64_t K, double* scores, int n_threads) {
    const std::int64_t n = last_row - first_row;
    parallel_chunks((n + kernel_lanes - 1) / kernel_lanes, n_threads, [&](std::int64_t chunk) {
        std::int64_t ids[kernel_lanes];
        const std::int64_t first = chunk * kernel_lanes;
        const int count = static_cast<int>(std::min<std::int64_t>(kernel_lanes, n - first));
        for (int r = 0; r < count; ++r) ids[r] = first_row + first + r;
        std::fill_n(scores + first * K, count * K, 0.0);
        const std::int64_t width = std::min(targets_per_chunk, source.n_columns);
        std::vector<double> part(static_cast<std::size_t>(count * width));
        for (std::int64_t begin = 0; begin < source.n_columns; begin += targets_per_chunk) {
            const std::int64_t end = std::min(source.n_columns, begin + targets_per_chunk);
            source.rows(ids, count, {nullptr, begin, end}, part.data(), width);
            for (int r = 0; r < count; ++r) {
                double* __restrict__ sum = scores + (first + r) * K;
                for (std::int64_t j = begin; j < end; ++j) {
                    const double value = part[static_cast<std::size_t>(r * width + j - begin)];
                    const double* line = weight + j * K;
                    for (std::int64_t c = 0; c < K; ++c) sum[c] += value * line[c];
                }
            }
        }
    });
}

}  // namespace lindy
