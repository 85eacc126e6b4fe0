// The multiclass hinge of Crammer and Singer with a kernel, without a bias:
//
//     min  ½·Σ_c ‖w_c‖² + Σ_i C_i·(max_c (ρ(c, y_i) + w_c·φ(x_i)) − w_{y_i}·φ(x_i)),
//     w_c = Σ_i (C_i·[c = y_i] − z_ic)·φ(x_i),   z_i ≥ 0,  Σ_c z_ic = C_i.
//
// With R_ic = ρ(c, y_i) + w_c·φ(x_i), the duality gap is Σ_i (C_i·max_c R_ic − z_i·R_i): a sum over examples.
// A step takes the example with the largest share of it, whose best z_i is a projection on a simplex.
#pragma once

#include <chrono>

#include "core/isa.hpp"
#include "kernels/cache.hpp"
#include "linear/losses.hpp"

#define LINDY_KERNELS "kernels/crammer_singer.inl"
#include "core/for_each_isa.hpp"

namespace lindy {

template <class K>
class KernelCrammerSinger {
  public:
    // cost[c·classes + y] is ρ(c, y)
    KernelCrammerSinger(Source source, const std::int32_t* y, const double* C, const double* cost,
                        std::int64_t classes, std::int64_t cache_bytes)
        : rows_(std::move(source), cache_bytes),
          n_(rows_.source().n_rows),
          classes_(classes),
          C_(C, C + n_),
          r_(static_cast<std::size_t>(n_ * classes)),
          z_(r_.size()),
          gap_(static_cast<std::size_t>(n_)),
          top_(gap_.size()) {
        for (std::int64_t c = 0; c < classes; ++c)
            for (std::int64_t i = 0; i < n_; ++i) {
                r_[at(c, i)] = cost[c * classes + y[i]];
                z_[at(c, i)] = c == y[i] ? C[i] : 0;
            }
        measure();
    }

    // Takes steps until the gap is at most `goal`, or `most` of them, or some tenths of a second have passed.
    std::int64_t run(double goal, std::int64_t most) {
        const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(200);
        std::int64_t done = 0;
        while (done < most && gap() > goal) {
            if (!step()) break;
            ++done;
            if (std::chrono::steady_clock::now() > until) break;
        }
        return done;
    }

    double gap() const {
        double sum = 0;
        for (double part : gap_) sum += part;
        return sum;
    }

    std::size_t size() const { return z_.size(); }

    // z (examples × classes) and R (examples × classes)
    void read(double* z, double* r) const {
        for (std::int64_t i = 0; i < n_; ++i)
            for (std::int64_t c = 0; c < classes_; ++c) {
                z[i * classes_ + c] = z_[at(c, i)];
                r[i * classes_ + c] = r_[at(c, i)];
            }
    }

  private:
    std::size_t at(std::int64_t c, std::int64_t i) const { return static_cast<std::size_t>(c * n_ + i); }

    void measure() {
        LINDY_SELECT(crammer_gaps)(r_.data(), z_.data(), C_.data(), n_, classes_, top_.data(), gap_.data());
    }

    bool step() {
        const std::int64_t i = std::max_element(gap_.begin(), gap_.end()) - gap_.begin();
        const double self = rows_.source().self_row(i);
        std::vector<double> wanted(static_cast<std::size_t>(classes_));
        for (std::int64_t c = 0; c < classes_; ++c)
            wanted[static_cast<std::size_t>(c)] = z_[at(c, i)] + r_[at(c, i)] / std::max(self, 1e-12);
        const double tau =
            losses::MulticlassHinge::threshold(wanted.data(), classes_, C_[static_cast<std::size_t>(i)]);
        for (double& entry : wanted) entry = std::max(entry - tau, 0.0);
        const K* row = rows_.row(i);
        bool moved = false;
        for (std::int64_t c = 0; c < classes_; ++c) {
            const double change = wanted[static_cast<std::size_t>(c)] - z_[at(c, i)];
            if (change == 0) continue;
            moved = true;
            z_[at(c, i)] = wanted[static_cast<std::size_t>(c)];
            LINDY_SELECT(add_row<K>)(r_.data() + c * n_, row, -change, n_);
        }
        measure();
        return moved;
    }

    RowCache<K> rows_;
    const std::int64_t n_, classes_;
    const std::vector<double> C_;
    std::vector<double> r_, z_;  // one class after the other
    std::vector<double> gap_, top_;
};

}  // namespace lindy
