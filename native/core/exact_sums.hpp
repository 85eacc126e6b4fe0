// Sums whose bits do not depend on the order of the addends, nor on how these are grouped.
//
// Exact sums. A double is a whole number times 2^-1074. The sum of any doubles is kept as such a whole
// number, in limbs of 32 bits (Kulisch's long accumulator, cut as in Neal 2015, "Fast exact summation using
// small and large superaccumulators"). Between the addends limbs may hold more than 32 bits; `carry` makes
// them the only ones of their number: all in 0 … 2^32 − 1 but the last, which has the sign.
//
// Fixed point. Where a bound B on Σ|addend| is known to all, every addend is cut off to a whole number of
// quanta 2^-e with B·2^e ≤ 2^62, and int64 sums of these are exact. It costs as much as a sum of doubles, in
// time and in bytes, and is off by at most a quantum per addend.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "core/csr.hpp"

namespace lindy {

inline constexpr std::int64_t exact_limbs = 68;  // 2098 bits of all doubles, and 78 for the carries of sums

class ExactSum {
  public:
    explicit ExactSum(std::int64_t* limbs) : limbs_(limbs) {}

    // The addend must be finite.
    void add(double value) {
        const auto bits = std::bit_cast<std::uint64_t>(value);
        const auto exponent = static_cast<std::int64_t>((bits >> 52) & 0x7ff);
        const std::uint64_t fraction = bits & ((std::uint64_t{1} << 52) - 1);
        const std::uint64_t digits = exponent ? fraction | (std::uint64_t{1} << 52) : fraction;
        const std::int64_t shift = exponent ? exponent - 1 : 0;
        const auto low = (digits & 0xffffffff) << (shift & 31);  // at most 63 bits
        const auto high = (digits >> 32) << (shift & 31);        // at most 52 bits
        std::int64_t* limb = limbs_ + (shift >> 5);
        const std::int64_t sign = bits >> 63 ? -1 : 1;
        limb[0] += sign * static_cast<std::int64_t>(low & 0xffffffff);
        limb[1] += sign * static_cast<std::int64_t>((low >> 32) + (high & 0xffffffff));
        limb[2] += sign * static_cast<std::int64_t>(high >> 32);
        if (++addends_ == std::int64_t{1} << 29) carry();
    }

    void carry() {
        for (std::int64_t k = 0; k + 1 < exact_limbs; ++k) {
            limbs_[k + 1] += limbs_[k] >> 32;  // rounds down, so that what stays is not negative
            limbs_[k] &= 0xffffffff;
        }
        addends_ = 0;
    }

  private:
    std::int64_t* limbs_;
    std::int64_t addends_ = 0;
};

// Adds ⌊x_j · r_k⌋ towards 0 to the fixed-point sums of one row's columns, r in quanta.
template <class Value>
inline void add_fixed_row(Row<Value> row, const double* r, std::int64_t K, std::int64_t* sums) {
    if (K == 1) {  // without a loop over outputs half the time
        for (std::ptrdiff_t k = 0; k < row.size; ++k)
            sums[row.index[k]] += static_cast<std::int64_t>(static_cast<double>(row.value[k]) * r[0]);
        return;
    }
    for (std::ptrdiff_t k = 0; k < row.size; ++k) {
        std::int64_t* sum = sums + row.index[k] * K;
        const auto v = static_cast<double>(row.value[k]);
        for (std::int64_t c = 0; c < K; ++c) sum[c] += static_cast<std::int64_t>(v * r[c]);
    }
}

// Adds what the rows of X say to the fixed-point sums G, columns × outputs: ⌊x_ij · (r_ik · scale)⌋ towards
// 0.
template <class Value>
void add_fixed(CsrView<Value> x, const double* residuals, std::int64_t K, double scale, std::int64_t* sums) {
    std::vector<double> scaled(static_cast<std::size_t>(K));
    for (std::int64_t i = 0; i < x.n_rows; ++i) {
        bool any = false;
        for (std::int64_t c = 0; c < K; ++c) {
            scaled[static_cast<std::size_t>(c)] = residuals[i * K + c] * scale;
            any |= residuals[i * K + c] != 0;
        }
        // a row that is far on the right side of a hinge adds nothing
        if (any) add_fixed_row(x.row(i), scaled.data(), K, sums);
    }
}

}  // namespace lindy
