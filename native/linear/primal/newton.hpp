// What Newton's method asks of a loss over rows: products with its Hessian, and its Hessian factored.
//
// Points, gradients and directions are columns × outputs arrays, with a last row for a bias. The factor is that of
// the whole Hessian, or of its diagonal blocks, one per output: for losses whose outputs do not depend on each
// other that is the whole.
#pragma once

#include <algorithm>
#include <vector>

#include "linear/primal/cholesky.hpp"
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

template <class Value>
class NewtonFactor {
  public:
    NewtonFactor(CsrView<Value> x, bool bias) : hessian_(x, bias) {}

    // Factors ∇² + diag(penalty), which has an entry per column and for the bias.
    void form(const LabelledRows& rows, const double* curves, const double* penalty, bool whole,
              int n_threads) {
        K_ = rows.n_outputs, whole_ = whole;
        const std::int64_t M = hessian_.size(), n_blocks = whole ? K_ * (K_ + 1) / 2 : K_;
        stride_ = whole ? M * K_ : M;
        L_.assign(static_cast<std::size_t>(stride_ * M * K_), 0.0);
        parallel_chunks(n_blocks, n_threads, [&](std::int64_t block) {
            std::int64_t k = block, j = block;
            if (whole)
                for (k = 0; (k + 1) * (k + 2) / 2 <= block; ++k) {
                }
            if (whole) j = block - k * (k + 1) / 2;
            if (!whole && block > 0 && repeats(rows, curves, block)) return;
            std::vector<double> h(static_cast<std::size_t>(rows.n_rows));
            for (std::int64_t i = 0; i < rows.n_rows; ++i)
                h[static_cast<std::size_t>(i)] = curvature(rows, curves, i, k, j);
            fill(h, k, j);
        });
        for (std::int64_t k = 1; !whole && k < K_; ++k)
            if (repeats(rows, curves, k)) std::copy_n(block(k - 1), M * M, block(k));
        for (std::int64_t k = 0; k < K_; ++k)
            for (std::int64_t a = 0; a < M; ++a) entry(k, a) += penalty[a];
        if (whole) return factor_cholesky(L_.data(), stride_, stride_);
        parallel_chunks(K_, n_threads, [&](std::int64_t k) { factor_cholesky(block(k), M, stride_); });
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
        if (!is_joint(rows.loss)) return k == j ? d[k] : 0.0;
        const double w = rows.scale * (rows.weight ? rows.weight[i] : 1.0);
        return w * ((k == j ? d[k] : 0.0) - curve_share(rows, d) * d[k] * d[j]);
    }

    // Whether output k has the curvatures of the one before it, as at the start.
    static bool repeats(const LabelledRows& rows, const double* curves, std::int64_t k) {
        const std::int64_t K = rows.n_outputs;
        for (std::int64_t i = 0; i < rows.n_rows; ++i)
            if (curvature(rows, curves, i, k, k) != curvature(rows, curves, i, k - 1, k - 1)) return false;
        return K > 1;
    }

    void fill(const std::vector<double>& h, std::int64_t k, std::int64_t j) {
        const std::int64_t M = hessian_.size();
        double* to = whole_ ? L_.data() + k * M * stride_ + j * M : block(k);
        hessian_.form(h.data(), to, stride_);
        for (std::int64_t a = 0; whole_ && k != j && a < M; ++a)
            for (std::int64_t c = 0; c < a; ++c) to[c * stride_ + a] = to[a * stride_ + c];
    }

    double* block(std::int64_t k) { return L_.data() + k * hessian_.size() * stride_; }
    double& entry(std::int64_t k, std::int64_t a) {
        const std::int64_t M = hessian_.size(), at = whole_ ? k * M + a : a;
        return whole_ ? L_[static_cast<std::size_t>(at * stride_ + at)]
                      : L_[static_cast<std::size_t>(k * M * M + a * M + a)];
    }

    Hessian<Value> hessian_;
    std::int64_t K_ = 0, stride_ = 0;
    bool whole_ = false;
    std::vector<double> L_;
};

}  // namespace lindy
