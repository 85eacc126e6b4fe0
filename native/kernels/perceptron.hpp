// The perceptron in its dual form (McDonald): α_{y,t} counts how often label y was wrongly given to example
// t, and
//
//     ŷ_t = argmax_{y'} Σ_{r,y} α_{y,r}·[κ((x_r, y_r), (x_t, y')) − κ((x_r, y), (x_t, y'))],
//
// which for the block kernel κ((x, y), (z, y')) = [y = y']·κ(x, z) is Σ_r c_{r,y'}·κ(x_r, x_t) with
// c_{r,y'} = Σ_y α_{y,r}·([y' = y_r] − [y' = y]). The scores of all examples are kept, so a visit costs
// nothing and a mistake one row of the kernel. Two classes have one column, and a score of exactly 0 counts
// for the second.
#pragma once

#include <chrono>
#include <deque>

#include "kernels/cache.hpp"

namespace lindy {

// A change of one coefficient at a visit (counted from 1).
struct DualChange {
    std::int64_t row;
    std::int32_t output;
    double step;
    std::int64_t visit;
};

class DualPerceptron {
  public:
    // With a budget above 0 at most so many examples have coefficients: the oldest is forgotten.
    DualPerceptron(Source source, const std::int32_t* y, std::int64_t classes, std::int64_t budget,
                   std::int64_t cache_bytes)
        : rows_(std::move(source), cache_bytes),
          n_(rows_.source().n_rows),
          outputs_(classes == 2 ? 1 : classes),
          classes_(classes),
          budget_(budget),
          y_(y, y + n_),
          scores_(static_cast<std::size_t>(n_ * outputs_)),
          coefficient_(scores_.size()),
          weighted_(scores_.size()),
          count_(static_cast<std::size_t>(n_ * classes)) {}

    // Visits the rows of `order` one after the other, for some tenths of a second; returns how many were
    // visited.
    std::int64_t visit(const std::int64_t* order, std::int64_t size) {
        const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(200);
        for (std::int64_t k = 0; k < size; ++k) {
            ++visits;
            const std::int64_t t = order[k];
            const std::int32_t guess = best(t);
            const std::int32_t own = y_[static_cast<std::size_t>(t)];
            if (guess == own) continue;
            mistakes.push_back(t);
            if (!is_support(t)) support_.push_back(t);
            ++count_[static_cast<std::size_t>(t * classes_ + guess)];
            if (outputs_ == 1) {
                change(t, 0, own == 1 ? 1 : -1);
            } else {
                change(t, own, 1);
                change(t, guess, -1);
            }
            if (budget_ > 0 && static_cast<std::int64_t>(support_.size()) > budget_) forget_oldest();
            if (std::chrono::steady_clock::now() > until) return k + 1;
        }
        return size;
    }

    const std::vector<double>& coefficient() const { return coefficient_; }
    const std::vector<double>& weighted() const { return weighted_; }  // Σ step·(visit − 1): for the average
    const std::vector<std::int64_t>& count() const { return count_; }  // α, examples × classes
    std::int64_t outputs() const { return outputs_; }
    std::int64_t classes() const { return classes_; }
    std::int64_t size() const { return n_; }

    std::int64_t visits = 0;
    std::vector<std::int64_t> mistakes;  // the examples, in the order of the mistakes
    std::vector<DualChange> changes;

  private:
    std::int32_t best(std::int64_t t) const {
        const double* score = scores_.data() + t * outputs_;
        if (outputs_ == 1) return score[0] >= 0 ? 1 : 0;
        return static_cast<std::int32_t>(std::max_element(score, score + outputs_) - score);
    }

    bool is_support(std::int64_t t) const {
        const auto own = count_.begin() + t * classes_;
        return std::any_of(own, own + classes_, [](std::int64_t count) { return count > 0; });
    }

    void change(std::int64_t t, std::int32_t output, double step) {
        const double* row = rows_.row(t);
        for (std::int64_t r = 0; r < n_; ++r)
            scores_[static_cast<std::size_t>(r * outputs_ + output)] += step * row[r];
        const auto at = static_cast<std::size_t>(t * outputs_ + output);
        coefficient_[at] += step;
        weighted_[at] += step * static_cast<double>(visits - 1);
        changes.push_back({t, output, step, visits});
    }

    void forget_oldest() {
        const std::int64_t t = support_.front();
        support_.pop_front();
        for (std::int64_t c = 0; c < outputs_; ++c) {
            const double had = coefficient_[static_cast<std::size_t>(t * outputs_ + c)];
            if (had != 0) change(t, static_cast<std::int32_t>(c), -had);
        }
        std::fill_n(count_.begin() + t * classes_, classes_, 0);
    }

    RowCache<double> rows_;
    const std::int64_t n_, outputs_, classes_, budget_;
    const std::vector<std::int32_t> y_;
    std::vector<double> scores_;  // examples × outputs
    std::vector<double> coefficient_, weighted_;
    std::vector<std::int64_t> count_;
    std::deque<std::int64_t> support_;  // the oldest first
};

// Votes of every stage of a dual perceptron for the examples first … last−1 of a kernel against its support:
// coefficients begin at 0 and live `life[0]` visits, then come the changes of group g = 0, 1, …, each of
// which lives life[g + 1]. votes (rows × classes) is filled.
struct DualVotes {
    std::int64_t groups;
    const std::int64_t* begin;  // of the changes of each group; groups + 1 of them
    const std::int64_t* row;
    const std::int32_t* output;
    const double* step;
    const double* life;
};

inline void dual_vote(const KernelSource& source, const DualVotes& log, std::int64_t first, std::int64_t last,
                      std::int64_t classes, double* votes, int n_threads) {
    const std::int64_t outputs = classes == 2 ? 1 : classes;
    const std::int64_t n = last - first;
    parallel_chunks((n + kernel_lanes - 1) / kernel_lanes, n_threads, [&](std::int64_t chunk) {
        std::int64_t ids[kernel_lanes];
        const int count = static_cast<int>(std::min<std::int64_t>(kernel_lanes, n - chunk * kernel_lanes));
        for (int r = 0; r < count; ++r) ids[r] = first + chunk * kernel_lanes + r;
        const std::int64_t m = source.n_columns;
        std::vector<double> kernel(static_cast<std::size_t>(count * m));
        source.rows(ids, count, {nullptr, 0, m}, kernel.data(), m);
        std::vector<double> score(static_cast<std::size_t>(outputs));
        for (int r = 0; r < count; ++r) {
            const double* line = kernel.data() + r * m;
            double* own = votes + (chunk * kernel_lanes + r) * classes;
            std::fill(score.begin(), score.end(), 0.0);
            for (std::int64_t g = 0; g <= log.groups; ++g) {
                const auto top = std::max_element(score.begin(), score.end()) - score.begin();
                own[outputs == 1 ? (score[0] >= 0 ? 1 : 0) : top] += log.life[g];
                if (g == log.groups) break;
                for (std::int64_t a = log.begin[g]; a < log.begin[g + 1]; ++a)
                    score[static_cast<std::size_t>(log.output[a])] += log.step[a] * line[log.row[a]];
            }
        }
    });
}

}  // namespace lindy
