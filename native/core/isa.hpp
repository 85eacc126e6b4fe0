// Which vector instructions to use. Every kernel that profits is compiled once per level by
// core/for_each_isa.hpp, with fixed lane widths and no contraction, so that all levels give the same bits.
#pragma once

namespace lindy {

enum class Isa { baseline = 0, avx2 = 1, avx512 = 2 };

// The highest level of this machine, capped by the environment variable LINDY_ISA (baseline, avx2, avx512).
Isa isa();

// Picks the variant for this machine: select(&baseline::f, &avx2::f, &avx512::f)(arguments…).
template <class Function>
inline Function select_isa(Function baseline, Function avx2, Function avx512) {
    switch (isa()) {
        case Isa::avx512:
            return avx512;
        case Isa::avx2:
            return avx2;
        default:
            return baseline;
    }
}

}  // namespace lindy

// The commas of template arguments make it variadic.
#define LINDY_SELECT(...)                                                             \
    ::lindy::select_isa(&::lindy::baseline::__VA_ARGS__, &::lindy::avx2::__VA_ARGS__, \
                        &::lindy::avx512::__VA_ARGS__)
