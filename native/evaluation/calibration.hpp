// From the scores of a row to its probabilities; lindy.evaluation.calibration states the formulas. Sums are
// taken in the order of the classes. A single score is the margin of the second of two classes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/fastmath.hpp"

namespace lindy {

// Differences and multiples of scores are then still numbers.
inline double moderate(double score) {
    return std::clamp(score, -1e100, 1e100);
}

// p_k = probability(k, lead of k), as shares of their sum; for two classes 1 − p and p of the margin.
template <class Probability>
void one_vs_rest(const double* scores, std::int64_t n, double* out, Probability probability) {
    if (n == 1) {
        out[1] = probability(0, moderate(scores[0]));
        out[0] = 1 - out[1];
        return;
    }
    double first = -2e100, second = -2e100;
    for (std::int64_t k = 0; k < n; ++k) {
        const double s = moderate(scores[k]);
        second = std::max(second, std::min(s, first));
        first = std::max(s, first);
    }
    double total = 0;
    for (std::int64_t k = 0; k < n; ++k) {
        const double s = moderate(scores[k]);
        out[k] = probability(k, s - (s == first ? second : first));
        total += out[k];
    }
    for (std::int64_t k = 0; k < n; ++k) out[k] = total > 0 ? out[k] / total : 1 / static_cast<double>(n);
}

// softmax of logit(k, score of k, centred in the row); of two classes the scores are 0 and the margin.
template <class Logit>
void centred_softmax(const double* scores, std::int64_t n, double* out, Logit logit) {
    const std::int64_t K = std::max<std::int64_t>(n, 2);
    double mean = 0;
    if (n > 1) {
        for (std::int64_t k = 0; k < n; ++k) mean += moderate(scores[k]);
        mean /= static_cast<double>(n);
    }
    for (std::int64_t k = 0; k < K; ++k) {
        const double s = n > 1 ? moderate(scores[k]) - mean : k ? moderate(scores[0]) : 0.0;
        out[k] = logit(k, s);
    }
    const double top = *std::max_element(out, out + K);
    double total = 0;
    for (std::int64_t k = 0; k < K; ++k) {
        const double x = out[k] - top;
        out[k] = x < -708.0 ? 0.0 : fastmath::exp(x);
        total += out[k];
    }
    for (std::int64_t k = 0; k < K; ++k) out[k] /= total;
}

// The height at x of the line through n ascending knots, level beyond its ends.
inline double interpolated(const double* knots, const double* heights, std::int64_t n, double x) {
    const std::int64_t after = std::upper_bound(knots, knots + n, x) - knots;
    if (after == 0) return heights[0];
    const std::int64_t i = after - 1;
    if (after == n || knots[i] == x) return heights[i];
    const double slope = (heights[i + 1] - heights[i]) / (knots[i + 1] - knots[i]);
    return slope * (x - knots[i]) + heights[i];
}

// A fitted calibrator: what it is called, and its numbers as its model file has them.
struct Calibration {
    enum class Method { none, sigmoid, temperature, vector, isotonic } method = Method::none;
    std::vector<double> first, second;  // slopes and shifts; the temperature; knots and heights
    std::vector<std::int64_t> starts;   // of the knots of each class

    // The probabilities of n scores, or of the two classes of a single one.
    void operator()(const double* scores, std::int64_t n, double* out) const {
        const auto linear = [&](std::int64_t k, double x) { return x * first[at(k)] + second[at(k)]; };
        switch (method) {
            case Method::sigmoid:
                one_vs_rest(scores, n, out,
                            [&](std::int64_t k, double x) { return fastmath::sigmoid(linear(k, x)); });
                break;
            case Method::temperature:
                centred_softmax(scores, n, out, [&](std::int64_t, double x) { return x / first[0]; });
                break;
            case Method::vector:
                centred_softmax(scores, n, out, linear);
                break;
            case Method::isotonic:
                one_vs_rest(scores, n, out, [&](std::int64_t k, double x) {
                    const auto begin = starts[at(k)];
                    return interpolated(&first[at(begin)], &second[at(begin)], starts[at(k + 1)] - begin, x);
                });
                break;
            case Method::none:
                for (std::int64_t k = 0; k < n; ++k) out[k] = scores[k];
                if (n == 1) {
                    out[1] = scores[0];
                    out[0] = -scores[0];
                }
        }
    }
    static std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }
    // Whether the numbers are enough for n scores.
    bool fits(std::size_t n) const {
        const std::size_t own = method == Method::none          ? 0
                                : method == Method::temperature ? 1
                                : method == Method::vector      ? std::max<std::size_t>(n, 2)
                                                                : n;
        if (method != Method::isotonic)
            return first.size() == own && (method == Method::temperature || second.size() == own);
        bool sound = starts.size() == n + 1 && starts[0] == 0 && first.size() == second.size() &&
                     starts[n] == static_cast<std::int64_t>(first.size());
        for (std::size_t k = 0; sound && k < n; ++k) sound = starts[k] < starts[k + 1];
        return sound;
    }
};

}  // namespace lindy
