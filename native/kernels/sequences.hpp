// Kernels of sequences. A sequence is a sparse row whose stored values, in their order, are its symbols.
//
// Subsequence (Lodhi et al., 2002): φ_u(s) = Σ over the places i of u as a subsequence of λ^(span of i), for
// all u of n symbols. With K'_p the sum over subsequences of p symbols whose span is counted to the end of
// both prefixes,
//
//     K''_p(sx, tu) = λ·K''_p(sx, t) + [x = u]·λ²·K'_{p−1}(s, t),
//     K'_p(sx, t)   = λ·K'_p(s, t) + K''_p(sx, t),
//     K_n(s, t)     = Σ over equal symbols s_i = t_j of λ²·K'_{n−1}(s before i, t before j),
//
// in n·|s|·|t| steps. Mismatch (Leslie et al., 2004): φ_u(s) counts the substrings of n symbols that differ
// from u in at most m places; two substrings that differ in d places have N(d) such u in common, so that K is
// a sum of N(d) over pairs of substrings.
#pragma once

#include <array>
#include <numeric>

#include "core/csr.hpp"
#include "core/isa.hpp"
#include "kernels/source.hpp"

#define LINDY_KERNELS "kernels/subsequence.inl"
#include "core/for_each_isa.hpp"

namespace lindy {

// Lists of symbols, one after the other.
struct Sequences {
    std::vector<double> symbols;
    std::vector<std::int64_t> begin;

    template <class Value>
    explicit Sequences(CsrView<Value> x)
        : symbols(x.values, x.values + x.indptr[x.n_rows]), begin(x.indptr, x.indptr + x.n_rows + 1) {}

    std::int64_t size() const { return static_cast<std::int64_t>(begin.size()) - 1; }
    const double* at(std::int64_t i) const { return symbols.data() + begin[static_cast<std::size_t>(i)]; }
    std::int64_t length(std::int64_t i) const {
        return begin[static_cast<std::size_t>(i) + 1] - begin[static_cast<std::size_t>(i)];
    }
    double mean_length() const {
        return static_cast<double>(symbols.size()) / static_cast<double>(std::max<std::int64_t>(size(), 1));
    }
};

class SubsequenceKernel final : public KernelSource {
  public:
    SubsequenceKernel(Sequences x, Sequences z, int length, double decay)
        : KernelSource(x.size(), z.size()),
          x_(std::move(x)),
          z_(std::move(z)),
          length_(length),
          decay_(decay) {}

    void rows(const std::int64_t* ids, int count, Targets targets, double* out,
              std::int64_t stride) const override {
        // sequences of about the same length side by side
        std::vector<std::int64_t> order(static_cast<std::size_t>(targets.size()));
        std::iota(order.begin(), order.end(), targets.begin);
        std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
            return z_.length(targets.at(a)) < z_.length(targets.at(b));
        });
        for (std::size_t first = 0; first < order.size(); first += kernel_lanes) {
            const std::size_t lanes = std::min<std::size_t>(kernel_lanes, order.size() - first);
            std::vector<std::int64_t> chosen(lanes);
            for (std::size_t l = 0; l < lanes; ++l) chosen[l] = targets.at(order[first + l]);
            const SideBySide others(z_, chosen, -1);
            for (int r = 0; r < count; ++r) {
                const SideBySide one(x_, std::vector<std::int64_t>(kernel_lanes, ids[r]), -2);
                const auto sums = product(one, others);
                for (std::size_t l = 0; l < lanes; ++l)
                    out[r * stride + order[first + l] - targets.begin] = sums[l];
            }
        }
    }
    void selves(bool of_rows, std::int64_t first, std::int64_t last, double* out) const override {
        const Sequences& from = of_rows ? x_ : z_;
        for (; first < last; first += kernel_lanes) {
            std::vector<std::int64_t> chosen(
                static_cast<std::size_t>(std::min<std::int64_t>(kernel_lanes, last - first)));
            std::iota(chosen.begin(), chosen.end(), first);
            const auto sums = product(SideBySide(from, chosen, -2), SideBySide(from, chosen, -1));
            out = std::copy_n(sums.begin(), chosen.size(), out);
        }
    }
    double self_row(std::int64_t i) const override { return self(true, i); }
    double self_column(std::int64_t j) const override { return self(false, j); }
    double cost() const override { return length_ * x_.mean_length() * z_.mean_length(); }

  private:
    // Up to 16 sequences, symbol by symbol, filled up with a symbol that is none.
    struct SideBySide {
        std::int64_t width = 0;
        std::vector<double> symbols;

        SideBySide(const Sequences& from, const std::vector<std::int64_t>& chosen, double filling) {
            for (std::int64_t i : chosen) width = std::max(width, from.length(i));
            symbols.assign(static_cast<std::size_t>(width * kernel_lanes), filling);
            for (std::size_t l = 0; l < chosen.size(); ++l) {
                const double* text = from.at(chosen[l]);
                for (std::int64_t j = 0; j < from.length(chosen[l]); ++j)
                    symbols[static_cast<std::size_t>(j * kernel_lanes) + l] = text[j];
            }
        }
    };

    std::array<double, kernel_lanes> product(const SideBySide& one, const SideBySide& other) const {
        std::vector<double> table(static_cast<std::size_t>((length_ - 1) * (other.width + 1) * kernel_lanes));
        std::array<double, kernel_lanes> sums;
        LINDY_SELECT(subsequence_sums)
        (one.symbols.data(), one.width, other.symbols.data(), other.width, length_, decay_, table.data(),
         sums.data());
        return sums;
    }

    double self(bool of_rows, std::int64_t i) const {
        double value;
        selves(of_rows, i, i + 1, &value);
        return value;
    }

    const Sequences x_, z_;
    const int length_;
    const double decay_;
};

class MismatchKernel final : public KernelSource {
  public:
    // common[d] is N(d); it is 0 from some d on
    MismatchKernel(const Sequences& x, const Sequences& z, int length, std::vector<double> common)
        : KernelSource(x.size(), z.size()),
          length_(length),
          common_(std::move(common)),
          x_(substrings(x)),
          z_(substrings(z)) {
        most_ = 0;
        for (int d = 0; d <= length; ++d)
            if (common_[static_cast<std::size_t>(d)] > 0) most_ = d;
    }

    void rows(const std::int64_t* ids, int count, Targets targets, double* out,
              std::int64_t stride) const override {
        for (int r = 0; r < count; ++r)
            for (std::int64_t k = targets.begin; k < targets.end; ++k)
                out[r * stride + k - targets.begin] = product(x_[static_cast<std::size_t>(ids[r])],
                                                              z_[static_cast<std::size_t>(targets.at(k))]);
    }
    double self_row(std::int64_t i) const override {
        return product(x_[static_cast<std::size_t>(i)], x_[static_cast<std::size_t>(i)]);
    }
    double self_column(std::int64_t j) const override {
        return product(z_[static_cast<std::size_t>(j)], z_[static_cast<std::size_t>(j)]);
    }
    double cost() const override { return 3 * mean(x_) * mean(z_); }

  private:
    struct Substrings {  // the different ones, symbol by symbol, and how often each occurs
        std::vector<double> symbols, count;
    };

    static double mean(const std::vector<Substrings>& all) {
        double sum = 0;
        for (const Substrings& one : all) sum += static_cast<double>(one.count.size());
        return sum / static_cast<double>(std::max<std::size_t>(all.size(), 1));
    }

    std::vector<Substrings> substrings(const Sequences& all) const {
        std::vector<Substrings> found(static_cast<std::size_t>(all.size()));
        for (std::int64_t i = 0; i < all.size(); ++i) {
            const double* s = all.at(i);
            const std::int64_t n = std::max<std::int64_t>(all.length(i) - length_ + 1, 0);
            std::vector<const double*> starts(static_cast<std::size_t>(n));
            for (std::int64_t a = 0; a < n; ++a) starts[static_cast<std::size_t>(a)] = s + a;
            std::sort(starts.begin(), starts.end(), [&](const double* a, const double* b) {
                return std::lexicographical_compare(a, a + length_, b, b + length_);
            });
            Substrings& own = found[static_cast<std::size_t>(i)];
            for (const double* start : starts) {
                if (!own.count.empty() && std::equal(start, start + length_, own.symbols.end() - length_)) {
                    ++own.count.back();
                    continue;
                }
                own.symbols.insert(own.symbols.end(), start, start + length_);
                own.count.push_back(1);
            }
        }
        return found;
    }

    double product(const Substrings& a, const Substrings& b) const {
        double sum = 0;
        for (std::size_t i = 0; i < a.count.size(); ++i) {
            const double* s = a.symbols.data() + i * static_cast<std::size_t>(length_);
            double part = 0;
            for (std::size_t j = 0; j < b.count.size(); ++j) {
                const double* t = b.symbols.data() + j * static_cast<std::size_t>(length_);
                int different = 0;
                for (int p = 0; p < length_ && different <= most_; ++p) different += s[p] != t[p];
                if (different <= most_) part += b.count[j] * common_[static_cast<std::size_t>(different)];
            }
            sum += a.count[i] * part;
        }
        return sum;
    }

    const int length_;
    const std::vector<double> common_;
    const std::vector<Substrings> x_, z_;
    int most_ = 0;  // the largest d with N(d) > 0
};

}  // namespace lindy
