// From scores to probabilities, row by row; `lindy.evaluation.calibration.calibrators` has the formulas.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "core/fastmath.hpp"

namespace lindy {

enum class CalibrationMethod { sigmoid, temperature, vector, isotonic, per_label };

// What a calibrator has learned; its maker has checked the lengths. Two classes have one score per row; labels that do
// not compete have one each, and probabilities that need not sum to 1.
struct Calibration {
    // in the place of ±∞ where a score is used; differences and multiples of it are still numbers
    static constexpr double huge = 1e100;
    static constexpr double lowest_exponent = -708;  // where e^x leaves the normal numbers

    CalibrationMethod method;
    std::size_t n_scores;              // per row
    std::vector<double> slope, shift;  // of a temperature, its one number is the slope; knots and heights
    std::vector<std::size_t> starts;   // of the knots of each class

    std::size_t n_classes() const {
        return n_scores == 1 && method != CalibrationMethod::per_label ? 2 : n_scores;
    }
    bool is_softmax() const {
        return method == CalibrationMethod::temperature || method == CalibrationMethod::vector;
    }

    // Writes the probabilities of one row to p, and returns the class of the highest; of two equal ones, that
    // of the higher score. s has room for n_classes.
    template <class Score>
    std::int64_t row(const Score* scores, double* s, double* p) const {
        const std::size_t n = n_classes();
        for (std::size_t k = 0; k < n_scores; ++k)
            s[k] = std::min(std::max(static_cast<double>(scores[k]), -huge), huge);
        if (method == CalibrationMethod::per_label)
            for (std::size_t k = 0; k < n; ++k) p[k] = fastmath::sigmoid(slope[k] * s[k] + shift[k]);
        else if (is_softmax())
            softmax(s, p);
        else
            one_vs_rest(s, p);
        const auto best = static_cast<std::size_t>(std::max_element(p, p + n) - p);
        return n_scores < n && p[0] == p[1] ? scores[0] >= 0 : static_cast<std::int64_t>(best);
    }

  private:
    // One score per class, with mean 0; 0 and s for two classes.
    void softmax(double* s, double* p) const {
        const std::size_t n = n_classes();
        if (n_scores == 1) {
            s[1] = s[0], s[0] = 0;
        } else {
            double sum = 0;
            for (std::size_t k = 0; k < n; ++k) sum += s[k];
            const double mean = sum / static_cast<double>(n);
            for (std::size_t k = 0; k < n; ++k) s[k] -= mean;
        }
        const bool one = method == CalibrationMethod::temperature;
        for (std::size_t k = 0; k < n; ++k) s[k] = one ? s[k] / slope[0] : s[k] * slope[k] + shift[k];
        const double top = *std::max_element(s, s + n);
        double total = 0;
        for (std::size_t k = 0; k < n; ++k) {
            const double x = s[k] - top;
            p[k] = x < lowest_exponent ? 0 : fastmath::exp(x);
            total += p[k];
        }
        for (std::size_t k = 0; k < n; ++k) p[k] /= total;
    }

    // p and 1 − p, or shares of the sum of what each class has by its lead over the best other one; equal
    // shares where all have 0.
    void one_vs_rest(const double* s, double* p) const {
        if (n_scores == 1) {
            p[1] = of_lead(0, s[0]);
            p[0] = 1 - p[1];
            return;
        }
        double first = -huge, second = -huge;
        for (std::size_t k = 0; k < n_scores; ++k) {
            second = std::max(second, std::min(first, s[k]));
            first = std::max(first, s[k]);
        }
        double total = 0;
        for (std::size_t k = 0; k < n_scores; ++k) {
            p[k] = of_lead(k, s[k] - (s[k] == first ? second : first));
            total += p[k];
        }
        const double equal = 1 / static_cast<double>(n_scores);
        for (std::size_t k = 0; k < n_scores; ++k) p[k] = total > 0 ? p[k] / total : equal;
    }
    double of_lead(std::size_t k, double lead) const {
        return method == CalibrationMethod::sigmoid ? fastmath::sigmoid(lead * slope[k] + shift[k])
                                                    : interpolated(k, lead);
    }
    // Between the knots of class k, as numpy.interp does it.
    double interpolated(std::size_t k, double x) const {
        const double* knots = slope.data() + starts[k];
        const double* heights = shift.data() + starts[k];
        const std::size_t n = starts[k + 1] - starts[k];
        const auto after = static_cast<std::size_t>(std::upper_bound(knots, knots + n, x) - knots);
        if (after == 0) return heights[0];
        const std::size_t j = after - 1;
        if (after == n || knots[j] == x) return heights[j];
        const double rise = (heights[after] - heights[j]) / (knots[after] - knots[j]);
        return rise * (x - knots[j]) + heights[j];
    }
};

}  // namespace lindy
