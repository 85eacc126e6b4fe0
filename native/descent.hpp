// Minimises the quadratic model of proximal Newton: coordinate descent finds which weights are zero and the
// signs of the others, then conjugate gradient moves all of these together.
//
// Coordinate descent is quick to find the signs and slow to balance features that occur together. With the
// signs held, what is left is a smooth quadratic: conjugate gradient with the diagonal as preconditioner. A
// weight that would change its sign stops at zero.
#pragma once

#include <limits>

#include "coordinate.hpp"

namespace lindy {

template <class Value>
class Descent {
  public:
    Descent(const Columns<Value>& x, const QuadraticModel& model, const Pairs& pairs, const BiasSteps& bias)
        : x_(x), model_(model), pairs_(pairs), bias_(bias) {}

    // At most max_epochs of coordinate descent, fewer when the violations of a full epoch sum to at most
    // `tolerance`; then at most max_products of conjugate gradient. After a full epoch, only pairs that were
    // not at rest are visited. Returns the number of epochs and products.
    int run(double tolerance, int max_epochs, int max_products) {
        std::vector<std::int64_t> awake(static_cast<std::size_t>(pairs_.size));
        bool full = true;
        std::size_t n_awake = 0;
        for (int epoch = 1; epoch <= max_epochs; ++epoch) {
            double violation = 0;
            const std::size_t visits = full ? awake.size() : n_awake;
            n_awake = 0;
            for (std::size_t v = 0; v < visits; ++v) {
                const std::int64_t q = full ? static_cast<std::int64_t>(v) : awake[v];
                const double missed = minimise_pair(x_, model_, pairs_, q);
                violation += missed;
                if (missed > 0 || pairs_.w[q] != 0) awake[n_awake++] = q;
            }
            if (bias_.b)
                for (std::int64_t k = 0; k < model_.n_outputs; ++k) minimise_bias(model_, bias_, k);
            const bool done = violation <= tolerance;
            if (done && full) return epoch;
            full = done;
        }
        return max_epochs + polish(max_products);
    }

  private:
    using Vector = std::vector<double>;

    // A coordinate that is not at zero: a pair, or the bias of an output (pair < 0).
    struct Free {
        std::int64_t pair;
        std::int64_t output;
        double* z;
        double slope;  // of the model with the signs held
        double curvature;
        double l1;
        double l2;
    };

    // Conjugate gradient, again and again from where a sign would have changed; returns the products.
    int polish(int max_products) {
        int products = 0;
        while (products < max_products) {
            collect_free();
            crossed_ = false;
            products += conjugate_gradient(max_products - products);
            move();
            if (!crossed_) break;
        }
        return products;
    }

    void collect_free() {
        free_.clear();
        curve(model_.step, !model_.p);
        for (std::int64_t q = 0; q < pairs_.size; ++q)
            if (pairs_.w[q] != 0)
                add_free({q, pairs_.output[q], pairs_.w + q, pairs_.slope[q], pairs_.curvature[q], model_.l1,
                          model_.l2});
        for (std::int64_t k = 0; bias_.b && k < model_.n_outputs; ++k)
            if (bias_.l1 == 0 || bias_.b[k] != 0)
                add_free({-1, k, bias_.b + k, bias_.slope[k], bias_.curvature[k], bias_.l1, bias_.l2});
    }

    void add_free(Free f) {
        f.curvature += f.l2;
        if (!(f.curvature > 0)) return;
        f.slope += along_column(f) + f.l2 * *f.z + (*f.z > 0 ? f.l1 : -f.l1);
        free_.push_back(f);
    }

    // curved_ ← D·s; `done` says that s is D·s already.
    void curve(const double* s, bool done) {
        const std::int64_t n = model_.n_rows, size = model_.n_outputs * n;
        curved_.assign(s, s + size);
        if (done) return;
        for (std::int64_t i = 0; !model_.p && i < size; ++i)
            curved_[static_cast<std::size_t>(i)] *= model_.h[i];
        if (!model_.p) return;
        Vector mean(static_cast<std::size_t>(n), 0.0);
        for (std::int64_t i = 0; i < size; ++i) mean[static_cast<std::size_t>(i % n)] += model_.p[i] * s[i];
        for (std::int64_t i = 0; i < size; ++i)
            curved_[static_cast<std::size_t>(i)] =
                model_.h[i] * (s[i] - mean[static_cast<std::size_t>(i % n)]);
    }

    // Σ_i x_i·curved_i of a coordinate.
    double along_column(const Free& f) const {
        const double* u = curved_.data() + f.output * model_.n_rows;
        if (f.pair >= 0) return dot(x_.column(pairs_.column[f.pair]), u);
        double sum[4] = {0, 0, 0, 0};
        for (std::int64_t i = 0; i < model_.n_rows; ++i) sum[i & 3] += u[i];
        return (sum[0] + sum[1]) + (sum[2] + sum[3]);
    }

    // s ← Xv over the free coordinates.
    void scores(const Vector& v, Vector& s) const {
        s.assign(static_cast<std::size_t>(model_.n_outputs * model_.n_rows), 0.0);
        for (std::size_t c = 0; c < free_.size(); ++c) {
            double* to = s.data() + free_[c].output * model_.n_rows;
            if (free_[c].pair >= 0)
                axpy(v[c], x_.column(pairs_.column[free_[c].pair]), to);
            else
                for (std::int64_t i = 0; i < model_.n_rows; ++i) to[i] += v[c];
        }
    }

    // direction_ ≈ the way from here to the minimum with signs held, direction_scores_ = X·direction_.
    int conjugate_gradient(int max_products) {
        const std::size_t m = free_.size();
        Vector residual(m), p(m), scores_p;
        direction_.assign(m, 0.0);
        direction_scores_.assign(static_cast<std::size_t>(model_.n_outputs * model_.n_rows), 0.0);
        double square = 0;
        for (std::size_t c = 0; c < m; ++c) {
            residual[c] = -free_[c].slope;
            p[c] = residual[c] / free_[c].curvature;
            square += residual[c] * p[c];
        }
        const double enough = forcing * forcing * square;
        int products = 0;
        while (square > enough && products < max_products) {
            ++products;
            scores(p, scores_p);
            curve(scores_p.data(), false);
            Vector product(m);
            double bend = 0;
            for (std::size_t c = 0; c < m; ++c) {
                product[c] = along_column(free_[c]) + free_[c].l2 * p[c];
                bend += p[c] * product[c];
            }
            double t = square / bend;
            if (!(bend > 0) || !std::isfinite(t)) break;
            const double room = to_first_crossing(p);
            if (room <= t) t = room, crossed_ = true;
            for (std::size_t i = 0; i < scores_p.size(); ++i) direction_scores_[i] += t * scores_p[i];
            double next = 0;
            for (std::size_t c = 0; c < m; ++c) {
                direction_[c] += t * p[c];
                residual[c] -= t * product[c];
                next += residual[c] * residual[c] / free_[c].curvature;
            }
            for (std::size_t c = 0; c < m; ++c)
                p[c] = residual[c] / free_[c].curvature + next / square * p[c];
            square = next;
            if (crossed_) break;
        }
        return std::max(products, 1);
    }

    // How far from z + direction along p the first sign changes.
    double to_first_crossing(const Vector& p) const {
        double room = std::numeric_limits<double>::infinity();
        for (std::size_t c = 0; c < free_.size(); ++c) {
            const double z = *free_[c].z + direction_[c];
            if (free_[c].l1 > 0 && z * p[c] < 0) room = std::min(room, -z / p[c]);
        }
        return room;
    }

    // Takes the coordinates and the steps of the rows along the direction.
    void move() {
        const std::int64_t n = model_.n_rows, size = model_.n_outputs * n;
        for (std::size_t c = 0; c < free_.size(); ++c) {
            const double z = *free_[c].z, moved = z + direction_[c];
            const bool stops = free_[c].l1 > 0 && std::abs(moved) <= 1e-12 * std::abs(z);
            *free_[c].z = stops ? 0.0 : moved;
        }
        for (std::int64_t i = 0; i < size; ++i) {
            const double moved = direction_scores_[static_cast<std::size_t>(i)];
            model_.step[i] += model_.p ? moved : model_.h[i] * moved;
            if (model_.p) model_.mean[i % n] += model_.p[i] * moved;
        }
    }

    static constexpr double forcing = 0.03;  // the residual of conjugate gradient shrinks by this

    Columns<Value> x_;
    QuadraticModel model_;
    Pairs pairs_;
    BiasSteps bias_;
    bool crossed_ = false;
    Vector direction_, direction_scores_, curved_;
    std::vector<Free> free_;
};

}  // namespace lindy
