// Balanced clusters of labels: those whose examples have words in common stand together.
//
//     z_k = (Σ_{i with label k} x_i / ‖x_i‖), scaled to length 1          a label's mean features
//
// A set of labels is halved by two means (spherical k-means): centres c₁, c₂ begin at two labels drawn at
// random; the half of the labels with the largest z_k·(c₁ − c₂) goes to the first, the others to the second;
// centres become the means of their labels, scaled to length 1, until nothing changes. Halves are halved
// again, `depth` times. (Prabhu et al., Parabel, 2018.)
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/buffer.hpp"
#include "core/csr.hpp"
#include "core/sparse_rows.hpp"
#include "core/threads.hpp"
#include "linear/dual/visits.hpp"

namespace lindy {

inline double inverse_length(double squared) {
    return squared > 0 ? 1 / std::sqrt(squared) : 0;
}

// The mean features of labels, of which label k has rows[ends[k]] … rows[ends[k + 1] − 1]: no more than the
// `most` largest ones each, because the rest of a frequent label's many words says little and costs most.
template <class Value>
SparseRows<float> label_means(CsrView<Value> x, const std::int64_t* ends, const std::int32_t* rows,
                              std::int64_t n_labels, std::size_t most) {
    SparseRows<float> means;
    means.end_row();
    Buffer<double> sum(static_cast<std::size_t>(x.n_columns));
    std::fill(sum.begin(), sum.end(), 0.0);
    std::vector<std::uint8_t> seen(static_cast<std::size_t>(x.n_columns));
    std::vector<std::int32_t> features;
    for (std::int64_t k = 0; k < n_labels; ++k) {
        features.clear();
        for (std::int64_t at = ends[k]; at < ends[k + 1]; ++at) {
            const Row<Value> row = x.row(rows[at]);
            const double scale = inverse_length(sq_norm(row));
            for (std::ptrdiff_t j = 0; j < row.size; ++j) {
                const auto feature = static_cast<std::size_t>(row.index[j]);
                if (!std::exchange(seen[feature], std::uint8_t{1})) features.push_back(row.index[j]);
                sum[feature] += scale * static_cast<double>(row.value[j]);
            }
        }
        const auto value = [&](std::int32_t feature) { return sum[static_cast<std::size_t>(feature)]; };
        const auto larger = [&](std::int32_t a, std::int32_t b) {
            const double left = std::abs(value(a)), right = std::abs(value(b));
            return left != right ? left > right : a < b;
        };
        const std::size_t kept = std::min(most, features.size());
        if (kept < features.size())
            std::nth_element(features.begin(), features.begin() + static_cast<std::ptrdiff_t>(kept),
                             features.end(), larger);
        std::sort(features.begin(), features.begin() + static_cast<std::ptrdiff_t>(kept));
        double squared = 0;
        for (std::size_t j = 0; j < kept; ++j) squared += value(features[j]) * value(features[j]);
        const double scale = inverse_length(squared);
        for (std::size_t j = 0; j < kept; ++j)
            means.push(features[j], static_cast<float>(scale * value(features[j])));
        means.end_row();
        for (const std::int32_t feature : features) {
            sum[static_cast<std::size_t>(feature)] = 0;
            seen[static_cast<std::size_t>(feature)] = 0;
        }
    }
    return means;
}

// Halves sets of labels; it has room for the features of two centres.
class TwoMeans {
  public:
    explicit TwoMeans(CsrView<float> means)
        : means_(means), centre_(room()), first_(room()), second_(room()), seen_(room()) {
        for (std::vector<double>* own : {&centre_, &first_, &second_}) std::fill(own->begin(), own->end(), 0);
    }

    // Moves the labels of the first half to the front, both halves in the order of their numbers.
    void halve(std::int32_t* labels, std::int64_t n, std::uint64_t seed) {
        Draws draws(seed);
        const std::int64_t a = draws.below(n), b = draws.below(n - 1);
        std::fill(seen_.begin(), seen_.end(), 0);
        features_.clear();
        for (std::int64_t i = 0; i < n; ++i) note(means_.row(labels[i]));
        add(1.0, means_.row(labels[a]), centre_);
        add(-1.0, means_.row(labels[b + (b >= a)]), centre_);
        std::vector<std::int32_t> before;
        for (int round = 0; round < most_rounds; ++round) {
            assign(labels, n);
            const std::int64_t half = (n + 1) / 2;
            if (std::equal(before.begin(), before.end(), labels, labels + half)) break;
            before.assign(labels, labels + half);
            move_centres(labels, half, n);
        }
        for (const std::int32_t j : features_) centre_[static_cast<std::size_t>(j)] = 0;
    }

  private:
    static constexpr int most_rounds = 10;

    std::size_t room() const { return static_cast<std::size_t>(means_.n_columns); }

    void note(Row<float> row) {
        for (std::ptrdiff_t j = 0; j < row.size; ++j)
            if (seen_[static_cast<std::size_t>(row.index[j])]++ == 0) features_.push_back(row.index[j]);
    }
    static void add(double share, Row<float> row, std::vector<double>& to) { axpy(share, row, to.data()); }

    void assign(std::int32_t* labels, std::int64_t n) {
        side_.clear();
        for (std::int64_t i = 0; i < n; ++i)
            side_.emplace_back(-dot(means_.row(labels[i]), centre_.data()), labels[i]);
        const auto middle = side_.begin() + (n + 1) / 2;
        if (middle != side_.end()) std::nth_element(side_.begin(), middle, side_.end());
        for (std::int64_t i = 0; i < n; ++i) labels[i] = side_[static_cast<std::size_t>(i)].second;
        std::sort(labels, labels + (n + 1) / 2);
        std::sort(labels + (n + 1) / 2, labels + n);
    }

    void move_centres(const std::int32_t* labels, std::int64_t half, std::int64_t n) {
        for (std::int64_t i = 0; i < n; ++i) add(1.0, means_.row(labels[i]), i < half ? first_ : second_);
        double squares[2] = {};
        for (const std::int32_t feature : features_) {
            const auto j = static_cast<std::size_t>(feature);
            squares[0] += first_[j] * first_[j];
            squares[1] += second_[j] * second_[j];
        }
        const double scales[2] = {inverse_length(squares[0]), inverse_length(squares[1])};
        for (const std::int32_t feature : features_) {
            const auto j = static_cast<std::size_t>(feature);
            centre_[j] = scales[0] * first_[j] - scales[1] * second_[j];
            first_[j] = second_[j] = 0;
        }
    }

    CsrView<float> means_;
    std::vector<double> centre_, first_, second_;
    std::vector<std::int32_t> seen_, features_;  // how often a feature was met; those that the labels have
    std::vector<std::pair<double, std::int32_t>> side_;
};

// Orders the labels such that cluster c has those from ends[c] to ends[c + 1]; returns the ends, of 2^depth
// clusters. There must be as many labels.
inline std::vector<std::int64_t> cluster_labels(CsrView<float> means, int depth, std::uint64_t seed,
                                                std::int32_t* labels, int threads) {
    std::vector<std::int64_t> ends{0, means.n_rows};
    for (std::int64_t k = 0; k < means.n_rows; ++k) labels[k] = static_cast<std::int32_t>(k);
    for (int level = 0; level < depth; ++level) {
        const std::size_t n_sets = ends.size() - 1;
        parallel_workers(static_cast<std::int64_t>(n_sets), threads, [&](auto take) {
            TwoMeans two(means);
            for (std::int64_t set; take(set);) {
                const std::int64_t* const end = ends.data() + set;
                two.halve(labels + end[0], end[1] - end[0],
                          seed + (static_cast<std::uint64_t>(level) << 32) + static_cast<std::uint64_t>(set));
            }
        });
        std::vector<std::int64_t> halves{0};
        for (std::size_t set = 0; set < n_sets; ++set) {
            halves.push_back(ends[set] + (ends[set + 1] - ends[set] + 1) / 2);
            halves.push_back(ends[set + 1]);
        }
        ends = std::move(halves);
    }
    return ends;
}

}  // namespace lindy
