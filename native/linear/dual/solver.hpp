// Dual coordinate ascent over the arrays of one problem, pass by pass.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <type_traits>
#include <vector>

#include "core/isa.hpp"
#include "core/row_files.hpp"
#include "core/threads.hpp"
#include "linear/dual/bias.hpp"
#include "linear/dual/dual.hpp"
#include "linear/dual/visits.hpp"
#include "linear/losses.hpp"

#define LINDY_KERNELS "linear/dual/kernels.inl"
#include "core/for_each_isa.hpp"

namespace lindy {

// What a pass met: the sum of the rows' gap terms, and how many rows stay for the next.
struct DualMet {
    double gap;
    std::int64_t kept;
};

// What an audit found: the sums of the rows' gap terms and losses, and ‖W / S‖².
struct DualAudit {
    double gap, loss, squared_norm;
};

template <class Value, class Weight>
class DualSolver {
  public:
    DualSolver(const DualPass<Value, Weight>& problem, LossName loss)
        : problem_(problem),
          loss_(loss),
          kernels_(LINDY_SELECT(dual_kernels<Value, Weight>)(loss, problem.n_outputs == 1)),
          order_(problem.x),
          files_(problem.x) {}

    // Shuffles the n rows and solves for the dual variables of each in turn. Rows that are settled further
    // than `reach` then leave the front of the array.
    DualMet pass(std::int32_t* rows, std::int64_t n, std::uint64_t seed, double bias_step, double reach) {
        order_.shuffle(rows, n, seed);
        DualPass<Value, Weight> pass = problem_;
        pass.bias_step = bias_step;
        visit(pass, rows, n);
        DualMet met{0, 0};
        for (std::int64_t k = 0; k < n; ++k) {
            const double gap = problem_.gap[rows[k]];
            met.gap += std::max(gap, 0.0);
            if (gap > -reach) rows[met.kept++] = rows[k];
        }
        return met;
    }

    // The same for a first pass, from W = 0, whose scores look ahead: after k of the n rows W stands for
    // (n + before) / (k + before) times itself, what it will be when it has seen all. In pieces of an eighth
    // of the rows seen.
    void look_ahead(std::int32_t* rows, std::int64_t n, std::uint64_t seed, double bias_step, double before) {
        order_.shuffle(rows, n, seed);
        DualPass<Value, Weight> pass = problem_;
        pass.bias_step = bias_step;
        for (std::int64_t begin = 0, end; begin < n; begin = end) {
            end = std::min(n, begin + std::max<std::int64_t>(begin / 8, 1));
            pass.lead = (static_cast<double>(n) + before) / (static_cast<double>(begin) + before);
            visit(pass, rows + begin, end - begin);
        }
    }

    // Every row's term and loss from the present weights; their sums do not depend on the threads. The terms of
    // each output are added to output_gap, for losses with an output of their own for each label.
    DualAudit audit(int threads, double* output_gap) {
        constexpr std::int64_t size = 1024;
        const std::int64_t n = problem_.x.n_rows, n_chunks = (n + size - 1) / size;
        std::vector<double> parts(static_cast<std::size_t>(n_chunks * problem_.stride));
        parallel_chunks(n_chunks, threads, [&](std::int64_t chunk) {
            kernels_.audit(problem_, chunk * size, std::min(n, (chunk + 1) * size),
                           parts.data() + chunk * problem_.stride);
            if (files_) Maps::get().keep_down();
        });
        for (std::size_t at = 0; at < parts.size(); ++at)
            output_gap[at % static_cast<std::size_t>(problem_.stride)] += parts[at];
        DualAudit found{0, 0, squared_norm()};
        for (std::int64_t i = 0; i < n; ++i) {
            found.gap += problem_.gap[i];
            found.loss += problem_.loss[i];
        }
        return found;
    }

    // W from the dual variables.
    void rebuild() {
        std::fill(problem_.w, problem_.w + problem_.x.n_columns * problem_.stride, Weight{0});
        add_differences();
    }

    // Adds to W what the dual variables say, which are differences from those behind it.
    void add_differences() {
        if (!files_) return kernels_.rebuild(problem_);
        constexpr std::int64_t size = 1024;
        for (std::int64_t begin = 0; begin < problem_.x.n_rows; begin += size) {
            DualPass<Value, Weight> part = problem_;
            part.x.indptr += begin, part.c += begin, part.dual += begin * part.stride;
            if (part.label_ends)
                part.label_ends += begin;
            else
                part.y += begin;
            part.x.n_rows = std::min(size, problem_.x.n_rows - begin);
            kernels_.rebuild(part);
            Maps::get().keep_down();
        }
    }

    // Σ_i of the rows' coefficients, per output: what the equation of the bias is about.
    void residual(double* out) const { bias_residual(problem_, joint(), out); }

    // Changes a few dual variables so that no residual exceeds `enough`.
    void repair(double* residual, double enough) {
        if (joint())
            repair_simplex(problem_, residual, enough);
        else
            repair_signed(problem_, losses::with_margin_loss(loss_, [](auto loss) { return loss.bounded; }),
                          residual, enough);
    }

  private:
    // Solves for the rows in their order; those of a matrix in files are read some thousand at a time, with
    // copies of their variables, so that the arithmetic is the same.
    void visit(const DualPass<Value, Weight>& pass, const std::int32_t* rows, std::int64_t n) {
        if (!files_) return kernels_.pass(pass, rows, n);
        for (std::int64_t begin = 0, count; begin < n; begin += count) {
            const std::int32_t* const some = rows + begin;
            count = order_.read_together(problem_.x, some, n - begin);
            files_.read_runs(some, count);
            DualPass<Value, Weight> part = pass;
            part.x = files_.view();
            if (pass.label_ends)
                take_labels(part, pass, some, count);
            else
                part.y = taken(y_, pass.y, some, count, 1);
            part.c = taken(c_, pass.c, some, count, 1);
            part.q = taken(q_, pass.q, some, count, pass.q_stride);
            part.gap = taken(gap_, static_cast<const double*>(pass.gap), some, count, 1);
            part.dual = taken(dual_, static_cast<const Weight*>(pass.dual), some, count, pass.stride);
            kernels_.pass(part, files_.places.data(), count);
            for (std::int64_t k = 0; k < count; ++k) {
                const std::int64_t i = some[k], place = files_.places[static_cast<std::size_t>(k)];
                pass.gap[i] = part.gap[place];
                std::copy_n(part.dual + place * pass.stride, pass.stride, pass.dual + i * pass.stride);
            }
        }
    }

    // Copies of what some rows have, in the places of their copies.
    template <class T>
    T* taken(Buffer<T>& to, const T* from, const std::int32_t* rows, std::int64_t count,
             std::int64_t stride) {
        to.resize((files_.indptr.size() - 1) * static_cast<std::size_t>(stride));
        for (std::int64_t k = 0; k < count; ++k)
            std::copy_n(from + rows[k] * stride, stride,
                        to.data() + files_.places[static_cast<std::size_t>(k)] * stride);
        return to.data();
    }

    // The same for labels, of which a row has any number.
    void take_labels(DualPass<Value, Weight>& part, const DualPass<Value, Weight>& pass,
                     const std::int32_t* rows, std::int64_t count) {
        label_ends_.assign(files_.indptr.size(), 0);
        for (std::int64_t k = 0; k < count; ++k)
            label_ends_[static_cast<std::size_t>(files_.places[static_cast<std::size_t>(k)]) + 1] =
                static_cast<std::int64_t>(pass.labels(rows[k]).size());
        std::partial_sum(label_ends_.begin(), label_ends_.end(), label_ends_.begin());
        y_.resize(static_cast<std::size_t>(label_ends_.back()));
        for (std::int64_t k = 0; k < count; ++k) {
            const auto own = pass.labels(rows[k]);
            std::copy(own.begin(), own.end(),
                      y_.data() +
                          label_ends_[static_cast<std::size_t>(files_.places[static_cast<std::size_t>(k)])]);
        }
        part.y = y_.data(), part.label_ends = label_ends_.data();
    }

    bool joint() const { return problem_.n_outputs > 1 && is_joint(loss_); }

    // ‖W‖², by the scales where there are some; a weight whose scale is 0 is 0.
    double squared_norm() const {
        const std::int64_t size = problem_.x.n_columns * problem_.stride;
        if (!problem_.scale) return sq_norm(Row<Weight>{nullptr, problem_.w, size});
        double sum = 0;
        for (std::int64_t at = 0; at < size; ++at) {
            const double w = problem_.w[at];
            if (w != 0) sum += w * w / static_cast<double>(problem_.scale[at]);
        }
        return sum;
    }

    DualPass<Value, Weight> problem_;
    LossName loss_;
    DualKernels<Value, Weight> kernels_;
    VisitOrder order_;
    RowFiles<Value> files_;
    Buffer<std::int32_t> y_;
    std::vector<std::int64_t> label_ends_;
    Buffer<double> c_, q_, gap_;
    Buffer<Weight> dual_;
};

}  // namespace lindy
