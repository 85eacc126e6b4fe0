// What Newton's method asks of a loss over rows: products with its Hessian, and its Hessian factored.
//
// Points, gradients and directions are columns × outputs arrays, with a last row for a bias. The factor is
// that of the whole Hessian, or of its diagonal blocks, one per output: for losses whose outputs do not
// depend on each other that is the whole.
#pragma once

#include <algorithm>
#include <vector>

#include "core/cholesky.hpp"
#include "linear/primal/hessian.hpp"
#include "linear/primal/objective.hpp"

namespace lindy {

// G = ∇²·V without the penalty. The rows are cut into as many pieces as their partial sums are worth.
template <class Value>
void hessian_product(CsrView<Value> x, const LabelledRows& rows, bool bias, const double* curves,
                     const double* V, double* G, int n_threads) {
    const std::int64_t size = (x.n_columns + bias) * rows.n_outputs;
    const std::int64_t work = x.indptr[x.n_rows] * rows.n_outputs;
    const std::int64_t pieces = std::clamp<std::int64_t>(work / (16 * std::max<std::int64_t>(size, 1)), 1, 8);
    const auto kernel = LINDY_SELECT(hessian_rows<Value>);
    std::vector<double> part(static_cast<std::size_t>((pieces - 1) * size), 0.0);
    std::fill(G, G + size, 0.0);
    parallel_chunks(pieces, n_threads, [&](std::int64_t p) {
        kernel(x, rows, bias, curves, V, p ? part.data() + (p - 1) * size : G, p * x.n_rows / pieces,
               (p + 1) * x.n_rows / pieces);
    });
    for (std::size_t at = 0; at < part.size(); at += static_cast<std::size_t>(size))
        for (std::int64_t j = 0; j < size; ++j) G[j] += part[at + static_cast<std::size_t>(j)];
}

// The diagonal of the same, by which conjugate gradient is preconditioned where there is no factor.
template <class Value>
void hessian_diagonal(CsrView<Value> x, const LabelledRows& rows, bool bias, const double* curves,
                      double* G) {
    std::fill(G, G + (x.n_columns + bias) * rows.n_outputs, 0.0);
    LINDY_SELECT(diagonal_rows<Value>)(x, rows, bias, curves, G);
}

template <class Value>
class NewtonFactor {
  public:
    NewtonFactor(CsrView<Value> x, bool bias) : hessian_(x, bias) {}

    // Factors ∇² + diag(penalty), which has an entry per column and for the bias: the whole or its blocks.
    void form(const LabelledRows& rows, const double* curves, const double* penalty, bool whole,
              int n_threads) {
        K_ = rows.n_outputs, whole_ = whole;
        const std::int64_t M = hessian_.size();
        stride_ = whole ? M * K_ : M;
        L_.assign(static_cast<std::size_t>(stride_ * M * K_), 0.0);
        if (whole) return form_whole(rows, curves, penalty, n_threads);
        parallel_chunks(K_, n_threads, [&](std::int64_t k) {
            if (repeats(rows, curves, k)) return;
            fill(rows, curves, k, k, block(k));
            for (std::int64_t a = 0; a < M; ++a) block(k)[a * M + a] += penalty[a];
            factor_cholesky(block(k), M, M);
        });
        for (std::int64_t k = 1; k < K_; ++k)
            if (repeats(rows, curves, k)) std::copy_n(block(k - 1), M * M, block(k));
    }

    // Z = (∇² + penalty)⁻¹·R, columns × outputs.
    void solve(const double* R, double* Z) const {
        const std::int64_t M = hessian_.size();
        std::vector<double> z(static_cast<std::size_t>(M * K_));
        for (std::int64_t k = 0; k < K_; ++k)
            for (std::int64_t a = 0; a < M; ++a) z[static_cast<std::size_t>(k * M + a)] = R[a * K_ + k];
        if (whole_) solve_cholesky(L_.data(), stride_, stride_, z.data());
        for (std::int64_t k = 0; !whole_ && k < K_; ++k)
            solve_cholesky(L_.data() + k * M * M, M, stride_, z.data() + k * M);
        for (std::int64_t k = 0; k < K_; ++k)
            for (std::int64_t a = 0; a < M; ++a) Z[a * K_ + k] = z[static_cast<std::size_t>(k * M + a)];
    }

    std::int64_t size() const { return hessian_.size(); }
    std::int64_t n_outputs() const { return K_; }
    double form_cost() const { return hessian_.cost(); }

  private:
    // Row i's second derivative in the scores of outputs k and j.
    static double curvature(const LabelledRows& rows, const double* curves, std::int64_t i, std::int64_t k,
                            std::int64_t j) {
        const double* d = curves + i * rows.n_outputs;
        if (!rows.joint()) return k == j ? d[k] : 0.0;
        const double w = rows.scale * (rows.weight ? rows.weight[i] : 1.0);
        return w * ((k == j ? d[k] : 0.0) - curve_share(rows, d) * d[k] * d[j]);
    }

    // Whether output k has the curvatures of the one before it, as at the start.
    static bool repeats(const LabelledRows& rows, const double* curves, std::int64_t k) {
        for (std::int64_t i = 0; k > 0 && i < rows.n_rows; ++i)
            if (curvature(rows, curves, i, k, k) != curvature(rows, curves, i, k - 1, k - 1)) return false;
        return k > 0;
    }

    void form_whole(const LabelledRows& rows, const double* curves, const double* penalty, int n_threads) {
        const std::int64_t M = hessian_.size();
        parallel_chunks(K_ * K_, n_threads, [&](std::int64_t pair) {
            const std::int64_t k = pair / K_, j = pair % K_;
            if (j > k) return;
            double* to = L_.data() + k * M * stride_ + j * M;
            fill(rows, curves, k, j, to);
            for (std::int64_t a = 0; j < k && a < M; ++a)
                for (std::int64_t c = 0; c < a; ++c) to[c * stride_ + a] = to[a * stride_ + c];
            for (std::int64_t a = 0; j == k && a < M; ++a) to[a * stride_ + a] += penalty[a];
        });
        factor_cholesky(L_.data(), stride_, stride_);
    }

    void fill(const LabelledRows& rows, const double* curves, std::int64_t k, std::int64_t j, double* to) {
        std::vector<double> h(static_cast<std::size_t>(rows.n_rows));
        for (std::int64_t i = 0; i < rows.n_rows; ++i)
            h[static_cast<std::size_t>(i)] = curvature(rows, curves, i, k, j);
        hessian_.form(h.data(), to, stride_);
    }

    double* block(std::int64_t k) { return L_.data() + k * hessian_.size() * stride_; }

    Hessian<Value> hessian_;
    std::int64_t K_ = 0, stride_ = 0;
    bool whole_ = false;
    std::vector<double> L_;
};

}  // namespace lindy
