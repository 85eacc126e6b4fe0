// Sequential minimal optimisation of the dual of a support vector machine with a bias:
//
//     max_β  Σ_k y_k·β_k − ½·βᵀKβ       with  Σ_k β_k = 0,  0 ≤ y_k·β_k ≤ C_k,
//     f(x) = Σ_k β_k·κ(x_k, x) + b.
//
// With s = y − Kβ, the gradient, a step raises β_i and lowers β_j by t: the i that may rise with the largest
// s and the j that may fall with the largest gain of the quadratic model (Fan, Chen and Lin, 2005). The
// optimum is reached when max s (rising) ≤ min s (falling); examples at a bound that are far beyond are left
// out of the passes (shrinking) until the end is near. t is exact, so β never leaves its bounds.
#pragma once

#include <chrono>
#include <limits>

#include "core/isa.hpp"
#include "kernels/cache.hpp"

namespace lindy {

inline constexpr double smo_flat = 1e-12;  // curvature of a direction in which the kernel has none

struct Extreme {
    double value;
    std::int64_t at;
};

struct Violation {
    Extreme top;    // the largest s of those that may rise
    double bottom;  // the least s of those that may fall
};

// Arrays over the active examples, padded to multiples of 8. up is 0 where β may rise and −∞ where not, down
// is 0 where it may fall and +∞ where not.
struct SmoVectors {
    double* s;
    const double* up;
    const double* down;
    const double* self;  // K_kk
    std::int64_t size;
};

}  // namespace lindy

#define LINDY_KERNELS "kernels/smo.inl"
#include "core/for_each_isa.hpp"

namespace lindy {

template <class K>
class Smo {
  public:
    Smo(Source source, const double* y, const double* C, std::int64_t cache_bytes, bool shrinking)
        : rows_(std::move(source), cache_bytes),
          n_(static_cast<std::size_t>(rows_.source().n_rows)),
          shrinking_(shrinking) {
        whole_.resize(n_);
        for (std::size_t k = 0; k < n_; ++k) {
            const bool positive = y[k] > 0;
            whole_[k] = {y[k], 0, positive ? 0 : -C[k], positive ? C[k] : 0,
                         rows_.source().self_row(static_cast<std::int64_t>(k))};
        }
        spread();
        remember();
    }

    // Takes steps until the violation is at most eps, or `most` of them, or some tenths of a second have
    // passed; returns how many. None means that no step can make progress any more.
    std::int64_t run(double eps, std::int64_t most) {
        const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(200);
        std::int64_t done = 0;
        while (done < most && violation() > eps && step()) {
            ++done;
            ++steps_;
            if (shrinking_ && ++since_shrinking_ >= 1000 && steps_ >= 2 * static_cast<std::int64_t>(n_))
                shrink();
            if (std::chrono::steady_clock::now() > until) break;
        }
        return done;
    }

    // How far the active examples are from the optimum.
    double violation() const { return found_.top.value - found_.bottom; }

    // Makes all examples active again, with s as it is now.
    void restore() {
        if (rows_.active().size() < n_) {
            collect();
            refresh_left_out();
            rows_.restore();
            spread();
        }
        remember();
    }

    void read(double* beta, double* s) {
        collect();
        for (std::size_t k = 0; k < n_; ++k) beta[k] = whole_[k].beta, s[k] = whole_[k].s;
    }

    std::size_t size() const { return n_; }
    std::int64_t active() const { return static_cast<std::int64_t>(rows_.active().size()); }

  private:
    struct Example {
        double s, beta, low, high, self;
    };

    SmoVectors vectors() {
        return {s_.data(), up_.data(), down_.data(), self_.data(), static_cast<std::int64_t>(s_.size())};
    }

    // Writes the state of the active examples to where all examples are.
    void collect() {
        for (std::size_t k = 0; k < rows_.active().size(); ++k) {
            Example& example = whole_[static_cast<std::size_t>(rows_.active()[k])];
            example.s = s_[k];
            example.beta = beta_[k];
        }
    }

    // The opposite: lays the active examples out for the passes.
    void spread() {
        const std::vector<std::int32_t>& active = rows_.active();
        const std::size_t n = padded(active.size());
        const double infinity = std::numeric_limits<double>::infinity();
        s_.assign(n, 0), beta_.assign(n, 0), self_.assign(n, 0);
        up_.assign(n, -infinity), down_.assign(n, infinity);
        for (std::size_t k = 0; k < active.size(); ++k) {
            const Example& example = whole_[static_cast<std::size_t>(active[k])];
            s_[k] = example.s, beta_[k] = example.beta, self_[k] = example.self;
            set_bounds(k);
        }
        zeros_.assign(n, K{0});
        found_ = LINDY_SELECT(smo_update<K>)(vectors(), zeros_.data(), zeros_.data(), 0);
    }

    void set_bounds(std::size_t k) {
        const double infinity = std::numeric_limits<double>::infinity();
        const Example& example = whole_[static_cast<std::size_t>(rows_.active()[k])];
        up_[k] = beta_[k] < example.high ? 0 : -infinity;
        down_[k] = beta_[k] > example.low ? 0 : infinity;
    }

    bool step() {
        const auto i = static_cast<std::size_t>(found_.top.at);
        const K* row_i = row(i);
        const Extreme partner = LINDY_SELECT(smo_partner<K>)(vectors(), row_i, s_[i], self_[i]);
        if (partner.at < 0) return false;
        const auto j = static_cast<std::size_t>(partner.at);
        const double a = std::max(self_[i] + self_[j] - 2 * static_cast<double>(row_i[j]), smo_flat);
        const Example& rising = whole_[static_cast<std::size_t>(rows_.active()[i])];
        const Example& falling = whole_[static_cast<std::size_t>(rows_.active()[j])];
        const double room_i = rising.high - beta_[i], room_j = beta_[j] - falling.low;
        const double t = std::min({(s_[i] - s_[j]) / a, room_i, room_j});
        beta_[i] = t == room_i ? rising.high : beta_[i] + t;
        beta_[j] = t == room_j ? falling.low : beta_[j] - t;
        set_bounds(i);
        set_bounds(j);
        const K* row_j = row(j);
        found_ = LINDY_SELECT(smo_update<K>)(vectors(), row_i, row_j, t);
        return true;
    }

    const K* row(std::size_t k) {
        const std::int64_t id = rows_.active()[k];
        return rows_.has(id) ? rows_.row(id) : rows_.row(id, companions(k));
    }

    // The examples that violate most and whose rows are missing: they are computed along with row k.
    std::vector<std::int64_t> companions(std::size_t k) {
        std::vector<std::int64_t> ids;
        if (!rows_.source().shares_reading() || !rows_.has_room_for(2 * kernel_lanes)) return ids;
        candidates_.clear();
        const std::vector<std::int32_t>& active = rows_.active();
        for (std::size_t c = 0; c < active.size(); ++c) {
            const double excess =
                std::max(s_[c] + up_[c] - found_.bottom, found_.top.value - s_[c] - down_[c]);
            if (excess > 0 && c != k && !rows_.has(active[c])) candidates_.push_back({-excess, active[c]});
        }
        const std::size_t most = std::min<std::size_t>(kernel_lanes - 1, candidates_.size());
        const auto last = candidates_.begin() + static_cast<std::ptrdiff_t>(most);
        std::nth_element(candidates_.begin(), last, candidates_.end());
        for (std::size_t c = 0; c < most; ++c) ids.push_back(candidates_[c].second);
        return ids;
    }

    // Leaves out examples at a bound that would have to come a long way to matter again. What is left out has
    // to be made up for at the end, at the price of about 2n steps: so it begins only after as many.
    void shrink() {
        since_shrinking_ = 0;
        std::vector<std::int32_t> kept;
        const std::vector<std::int32_t>& active = rows_.active();
        for (std::size_t k = 0; k < active.size(); ++k) {
            const bool only_falls = up_[k] < 0 && s_[k] > found_.top.value;
            const bool only_rises = down_[k] > 0 && s_[k] < found_.bottom;
            if (!only_falls && !only_rises) kept.push_back(active[k]);
        }
        if (kept.size() * 10 > active.size() * 9) return;  // cutting the rows would cost more than it saves
        collect();
        rows_.shrink(std::move(kept));
        spread();
    }

    // s of the examples that were left out, from where it was when all were active: only β that changed
    // counts.
    void refresh_left_out() {
        std::vector<std::int64_t> changed;
        std::vector<char> is_active(n_, 0);
        for (std::int32_t k : rows_.active()) is_active[static_cast<std::size_t>(k)] = 1;
        std::vector<std::int32_t> left_out;
        for (std::size_t k = 0; k < n_; ++k) {
            if (whole_[k].beta != remembered_[k].beta) changed.push_back(static_cast<std::int64_t>(k));
            if (!is_active[k])
                left_out.push_back(static_cast<std::int32_t>(k)), whole_[k].s = remembered_[k].s;
        }
        const auto n = static_cast<std::int64_t>(left_out.size());
        std::vector<double> block(static_cast<std::size_t>(kernel_lanes * n));
        for (std::size_t first = 0; first < changed.size(); first += kernel_lanes) {
            const auto count = std::min<std::size_t>(kernel_lanes, changed.size() - first);
            kernel_block(rows_.source(), changed.data() + first, static_cast<std::int64_t>(count),
                         {left_out.data(), 0, n}, block.data(), 1);
            for (std::size_t r = 0; r < count; ++r) {
                const auto j = static_cast<std::size_t>(changed[first + r]);
                const double change = whole_[j].beta - remembered_[j].beta;
                const double* line = block.data() + static_cast<std::int64_t>(r) * n;
                for (std::size_t k = 0; k < left_out.size(); ++k)
                    whole_[static_cast<std::size_t>(left_out[k])].s -= change * static_cast<K>(line[k]);
            }
        }
    }

    void remember() {
        collect();
        remembered_ = whole_;
    }

    RowCache<K> rows_;
    const std::size_t n_;
    const bool shrinking_;
    std::vector<Example> whole_;       // all examples; s and β of the active ones are in the vectors below
    std::vector<Example> remembered_;  // as it was when all examples were last active
    std::vector<double> s_, beta_, self_, up_, down_;
    std::vector<K> zeros_;
    std::vector<std::pair<double, std::int64_t>> candidates_;
    Violation found_{};
    std::int64_t steps_ = 0, since_shrinking_ = 0;
};

}  // namespace lindy
