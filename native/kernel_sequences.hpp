// Kernels of sequences. A sequence is a sparse row whose stored values, in their order, are its symbols.
//
// Subsequence (Lodhi et al., 2002): φ_u(s) = Σ over the places i of u as a subsequence of λ^(span of i), for
// all u of n symbols. With K'_p the sum over subsequences of p symbols whose span is counted to the end of
// both prefixes,
//
//     K''_p(sx, tu) = λ·K''_p(sx, t) + [x = u]·λ²·K'_{p−1}(s, t),      K'_p(sx, t) = λ·K'_p(s, t) + K''_p(sx,
//     t), K_n(s, t) = Σ over equal symbols s_i = t_j of λ²·K'_{n−1}(s before i, t before j),
//
// in n·|s|·|t| steps. Mismatch (Leslie et al., 2004): φ_u(s) counts the substrings of n symbols that differ
// from u in at most m places; two substrings that differ in d places have N(d) such u in common, so that K is
// a sum of N(d) over pairs of substrings.
#pragma once

#include <numeric>

#include "csr.hpp"
#include "isa.hpp"
#include "kernel_source.hpp"

#define LINDY_KERNELS "kernel_subsequence.inl"
#include "for_each_isa.hpp"

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
        std::vector<double> sums(kernel_lanes);
        for (std::size_t first = 0; first < order.size(); first += kernel_lanes) {
            const std::size_t lanes = std::min<std::size_t>(kernel_lanes, order.size() - first);
            std::vector<const double*> texts(lanes);
            std::vector<std::int64_t> lengths(lanes);
            for (std::size_t l = 0; l < lanes; ++l) {
                texts[l] = z_.at(targets.at(order[first + l]));
                lengths[l] = z_.length(targets.at(order[first + l]));
            }
            const Group group(texts, lengths);
            for (int r = 0; r < count; ++r) {
                group.sums(*this, x_.at(ids[r]), x_.length(ids[r]), sums.data());
                for (std::size_t l = 0; l < lanes; ++l)
                    out[r * stride + order[first + l] - targets.begin] = sums[l];
            }
        }
    }
    double self_row(std::int64_t i) const override { return self(x_, i); }
    double self_column(std::int64_t j) const override { return self(z_, j); }
    double cost() const override { return length_ * x_.mean_length() * z_.mean_length(); }

  private:
    // Up to 16 sequences, laid out for the programme.
    class Group {
      public:
        Group(const std::vector<const double*>& texts, const std::vector<std::int64_t>& lengths)
            : width_(*std::max_element(lengths.begin(), lengths.end())),
              symbols_(static_cast<std::size_t>(width_ * kernel_lanes), -1.0) {
            for (std::size_t l = 0; l < texts.size(); ++l)
                for (std::int64_t j = 0; j < lengths[l]; ++j)
                    symbols_[static_cast<std::size_t>(j * kernel_lanes) + l] = texts[l][j];
        }
        void sums(const SubsequenceKernel& kernel, const double* s, std::int64_t size, double* out) const {
            table_.resize(static_cast<std::size_t>((kernel.length_ - 1) * (width_ + 1) * kernel_lanes));
            LINDY_SELECT(subsequence_sums)
            (s, size, symbols_.data(), width_, kernel.length_, kernel.decay_, table_.data(), out);
        }

      private:
        const std::int64_t width_;
        std::vector<double> symbols_;
        mutable std::vector<double> table_;
    };

    double self(const Sequences& from, std::int64_t i) const {
        std::vector<double> sums(kernel_lanes);
        Group({from.at(i)}, {from.length(i)}).sums(*this, from.at(i), from.length(i), sums.data());
        return sums[0];
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
                const double* last = own.symbols.data() + own.symbols.size() - length_;
                if (!own.count.empty() && std::equal(start, start + length_, last)) {
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
