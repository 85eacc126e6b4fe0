// Dense linear algebra in float64 with the same bits on every machine: every sum is taken in one order, from
// the first term to the last, whatever the width of the vectors and the number of threads. BLAS and LAPACK
// promise neither, and the sizes here are small enough to do without them.
//
// Matrices are row-major. Loops run along rows, where neighbours are independent of each other.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "core/cholesky.hpp"
#include "core/isa.hpp"
#include "core/threads.hpp"

#define LINDY_KERNELS "core/dense.inl"
#include "core/for_each_isa.hpp"

namespace lindy {

// C = A·B with A (n × k), B (k × m).
inline void matmul(const double* A, const double* B, double* C, std::int64_t n, std::int64_t k,
                   std::int64_t m, int threads) {
    constexpr std::int64_t rows = 32;
    const auto kernel = LINDY_SELECT(add_product);
    std::fill(C, C + n * m, 0.0);
    parallel_chunks((n + rows - 1) / rows, n * k * m < 1 << 16 ? 1 : threads, [&](std::int64_t chunk) {
        const std::int64_t begin = chunk * rows, size = std::min(rows, n - begin);
        kernel(A + begin * k, B, C + begin * m, size, k, m);
    });
}

// a · b, in chunks whose sums are added from the first to the last.
inline double ordered_dot(const double* a, const double* b, std::int64_t size, int n_threads) {
    const auto kernel = LINDY_SELECT(dot_range);
    return sum_chunks(size, 1 << 14, n_threads,
                      [&](std::int64_t first, std::int64_t last) { return kernel(a, b, first, last); });
}

// B (n × m) becomes A⁻¹·B for a symmetric positive definite A, which is replaced by its factor. False if it
// is not positive definite.
inline bool solve_positive(double* A, double* B, std::int64_t n, std::int64_t m) {
    factor_cholesky(A, n, n);
    for (std::int64_t i = 0; i < n; ++i)
        if (!std::isfinite(A[i * n + i])) return false;
    std::vector<double> column(static_cast<std::size_t>(n));
    for (std::int64_t c = 0; c < m; ++c) {
        for (std::int64_t i = 0; i < n; ++i) column[static_cast<std::size_t>(i)] = B[i * m + c];
        solve_cholesky(A, n, n, column.data());
        for (std::int64_t i = 0; i < n; ++i) B[i * m + c] = column[static_cast<std::size_t>(i)];
    }
    return true;
}

// The eigenvalues of a symmetric A, and its eigenvectors as the rows of V (which begins as A): Householder's
// reflections make it tridiagonal, then shifted QL steps make it diagonal (Golub and Van Loan, Matrix
// Computations, 8.3). False if a value does not settle.
class SymmetricEigen {
  public:
    SymmetricEigen(double* V, double* values, std::int64_t n)
        : V_(V), d_(values), n_(n), e_(static_cast<std::size_t>(n)), w_(static_cast<std::size_t>(n)) {}

    bool run() {
        tridiagonalise();
        return diagonalise();
    }

  private:
    double* row(std::int64_t i) { return V_ + i * n_; }

    // A = QTQᵀ: step i takes column i to one entry below the diagonal by the reflection I − β·u·uᵀ of rows
    // i+1 … n−1; u is kept in row i of A, right of the diagonal. Then V becomes Qᵀ.
    void tridiagonalise() {
        const auto subtract = LINDY_SELECT(subtract_multiple);
        std::vector<double> beta(static_cast<std::size_t>(n_), 0.0);
        for (std::int64_t i = 0; i + 1 < n_; ++i) {
            double* u = row(i);
            double largest = 0, square = 0;
            for (std::int64_t j = i + 1; j < n_; ++j) largest = std::max(largest, std::abs(u[j]));
            d_[i] = u[i];
            e_[i] = u[i + 1];
            if (largest == 0 || (i + 2 == n_)) continue;
            for (std::int64_t j = i + 1; j < n_; ++j) square += (u[j] / largest) * (u[j] / largest);
            const double length = std::copysign(largest * std::sqrt(square), u[i + 1]);
            e_[i] = -length;
            u[i + 1] += length;
            const double scale = u[i + 1];
            for (std::int64_t j = i + 1; j < n_; ++j) u[j] /= scale;
            beta[i] = scale / length;
            reflect(i, beta[i], u, subtract);
        }
        if (n_ > 0) d_[n_ - 1] = row(n_ - 1)[n_ - 1], e_[n_ - 1] = 0;
        // Qᵀ from the last reflection to the first, in the rows below that of each u
        for (std::int64_t i = n_ - 1; i >= 0; --i) {
            double* u = row(i);
            if (beta[i] != 0) {
                // rows j > i of Qᵀ lie in columns i+1 …: Qᵀ ← Qᵀ·(I − β·u·uᵀ)
                for (std::int64_t j = i + 1; j < n_; ++j) {
                    double along = 0;
                    for (std::int64_t c = i + 1; c < n_; ++c) along += row(j)[c] * u[c];
                    subtract(row(j) + i + 1, u + i + 1, beta[i] * along, n_ - i - 1);
                }
            }
            std::fill(u + i, u + n_, 0.0);
            for (std::int64_t j = i + 1; j < n_; ++j) row(j)[i] = 0;
            u[i] = 1;
        }
    }

    // A ← (I − β·u·uᵀ)·A·(I − β·u·uᵀ) = A − u·wᵀ − w·uᵀ with p = β·A·u, w = p − ½·β·(pᵀu)·u, below and right
    // of i.
    template <class Subtract>
    void reflect(std::int64_t i, double beta, const double* u, Subtract subtract) {
        std::fill(w_.begin(), w_.end(), 0.0);
        double* w = w_.data();
        for (std::int64_t j = i + 1; j < n_; ++j)
            subtract(w + i + 1, row(j) + i + 1, -beta * u[j], n_ - i - 1);
        double along = 0;
        for (std::int64_t j = i + 1; j < n_; ++j) along += w[j] * u[j];
        subtract(w + i + 1, u + i + 1, 0.5 * beta * along, n_ - i - 1);
        for (std::int64_t j = i + 1; j < n_; ++j) {
            subtract(row(j) + i + 1, w + i + 1, u[j], n_ - i - 1);
            subtract(row(j) + i + 1, u + i + 1, w[j], n_ - i - 1);
        }
    }

    // Shifted QL steps on the tridiagonal (d, e); a rotation of two neighbouring eigenvectors is one of rows
    // of V.
    bool diagonalise() {
        const auto rotate = LINDY_SELECT(rotate_rows);
        for (std::int64_t low = 0; low < n_; ++low) {
            for (int tries = 0;; ++tries) {
                std::int64_t high = low;
                while (high + 1 < n_ && !negligible(high)) ++high;
                if (high == low) break;
                if (tries == 60) return false;
                double g = (d_[low + 1] - d_[low]) / (2 * e_[low]);
                double r = std::sqrt(g * g + 1);
                g = d_[high] - d_[low] + e_[low] / (g + std::copysign(r, g));
                double s = 1, c = 1, p = 0;
                std::int64_t i = high - 1;
                for (; i >= low; --i) {
                    const double f = s * e_[i], b = c * e_[i];
                    r = std::sqrt(f * f + g * g);
                    e_[i + 1] = r;
                    if (r == 0) {
                        d_[i + 1] -= p;
                        e_[high] = 0;
                        break;
                    }
                    s = f / r, c = g / r;
                    g = d_[i + 1] - p;
                    r = (d_[i] - g) * s + 2 * c * b;
                    p = s * r;
                    d_[i + 1] = g + p;
                    g = c * r - b;
                    rotate(row(i), row(i + 1), c, s, n_);
                }
                if (r == 0 && i >= low) continue;
                d_[low] -= p;
                e_[low] = g;
                e_[high] = 0;
            }
        }
        return true;
    }

    bool negligible(std::int64_t i) const {
        const double size = std::abs(d_[i]) + std::abs(d_[i + 1]);
        return std::abs(e_[i]) + size == size;
    }

    double* V_;
    double* d_;
    std::int64_t n_;
    std::vector<double> e_, w_;
};

}  // namespace lindy
